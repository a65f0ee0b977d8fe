// What the rule functions share: the bundle under check, its rows, and how a violation is reported.
#pragma once

#include <span>

#include "act/isa/check.h"
#include "act/isa/memory_map.h"

namespace act::rules {

struct Context {
  const Bundle& bundle;
  const Format& format;
  Generation generation;
  const CheckOptions& options;
  Diagnostics& out;

  bool v4() const { return generation >= Generation::mariana; }

  // A violation at a field; value and byte come from its row. `detail` is what is wrong, the rule's reason is added.
  Diagnostic& fail(Rule rule, std::string_view field, std::string detail, std::string allowed = {},
                   Severity severity = Severity::error) const;
  Diagnostic& warn(Rule rule, std::string_view field, std::string detail, std::string allowed = {}) const {
    return fail(rule, field, std::move(detail), std::move(allowed), Severity::warning);
  }
  // Fails unless `ok`. The texts are strings, or functions that make them: called only then, so that a sound bundle costs
  // no formatting.
  template <class Detail, class Allowed = std::string_view>
  void require(bool ok, Rule rule, std::string_view field, const Detail& detail, const Allowed& allowed = {}) const {
    if (!ok) fail(rule, field, made(detail), made(allowed));
  }

 private:
  template <class Text>
  static std::string made(const Text& text) {
    if constexpr (std::is_invocable_v<const Text&>) {
      return text();
    } else {
      return std::string(text);
    }
  }
};

// What an operand's place may be.
struct OperandRules {
  Rule valid;              // name of the descriptor rule
  bool write = false;
  bool psum = true;
  bool mem_pattern = false;     // the gather form is known where the generation has it
  bool narrow_psum_warns = false;  // D-50
  Rule quadrant = Rule::indirect_quadrant_check_src4d;
};

// Checks a descriptor field: form, placement, alignment, start partition, bounds.
void check_tensor(const Context& c, std::string_view field, Dtype dtype, unsigned channels, const OperandRules& rules);

// Elements per channel, or nothing when the shape comes from a register that the count checks cannot see.
struct Count {
  bool known;
  std::uint64_t value;
};
Count element_count(const Context& c, std::string_view field);
// The two counts agree (`fewer`: the second may also be smaller), or one is unknown.
void check_counts(const Context& c, Rule rule, std::string_view src, std::string_view dst, bool fewer = false);

// A pointer immediate: bits 29..31 zero, aligned, in storage, at a start partition for `channels` (D-12).
void check_pointer(const Context& c, Rule rule, std::string_view field, std::uint32_t pointer, unsigned alignment, unsigned channels);
// A register immediate: number 0..63, other bytes zero (D-40).
void check_register(const Context& c, Rule rule, std::string_view field, std::uint64_t word);
// By source: nothing for an inline value, check_pointer, check_register. An unknown source is the enum rule's business.
void check_immediate(const Context& c, Rule rule, std::string_view field, ImmSrc source, std::uint32_t bits, unsigned alignment, unsigned channels);

// A warning where source and destination share bytes and walk them differently (D-15). Immediate forms only.
struct TypedOperand {
  template <unsigned N>
  TypedOperand(std::string_view name, Dtype type, const TensorN<N>& tensor) : field(name), dtype(type), addr(tensor.addr), step(tensor.step), num(tensor.num) {}

  std::string_view field;
  Dtype dtype;
  std::uint32_t addr;
  std::span<const std::int16_t> step;  // of the tensor, which must outlive this
  std::span<const std::uint16_t> num;
};
void check_overlap(const Context& c, const TypedOperand& source, const TypedOperand& destination, unsigned channels);

void check_dtype(const Context& c, std::string_view field, Dtype dtype, DtypeAllow allow);
void check_channels(const Context& c, unsigned channels, std::string_view field = "num_active_channels");

// Header, events, reserved bytes and enumerations of any format.
void check_common(const Context& c);

// The rules of one opcode's payload.
void check_payload(const Context& c, const S3d3Ac& x);
void check_payload(const Context& c, const S3d3Aq& x);
void check_payload(const Context& c, const CtrlNo& x);
void check_payload(const Context& c, const D1Rd& x);
void check_payload(const Context& c, const S2d2Ac& x);
void check_payload(const Context& c, const S1s2d2Am& x);
void check_payload(const Context& c, const S4d4Tr& x);
void check_payload(const Context& c, const D4Mr& x);
void check_payload(const Context& c, const S4Pb& x);
void check_payload(const Context& c, const CtrlIm& x);
void check_payload(const Context& c, const S3s3d3Tt& x);
void check_payload(const Context& c, const S2d2Addr& x);
void check_payload(const Context& c, const S3d3Ts& x);
void check_payload(const Context& c, const ModifyPoolConfig& x);
void check_payload(const Context& c, const CustomOpHeader& x);

}  // namespace act::rules
