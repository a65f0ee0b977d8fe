// What the encoders of the classes share.
#pragma once

#include "act/ir/encode.h"

namespace act::ir {

// Bits of binary32 1.0.
inline constexpr std::uint32_t kOne = 0x3F800000;

// One instruction under encoding. Every helper appends to `errors` and goes on, so that all violations are told.
struct Encoder {
  const Inst& inst;
  const EncodeOptions& options;
  Diagnostics& errors;

  void fail(std::string message, std::string value = {}, std::string allowed = {}) const {
    errors.push_back(generation_error(inst, std::move(message), std::move(value), std::move(allowed)));
  }
  bool core_v5() const { return options.generation >= Generation::maverick; }

  // An operand in memory of at most `dims` free dimensions, as a descriptor; unused dimensions have step 1 and count 1.
  template <unsigned N>
  TensorN<N> tensor(const Argument& a, std::string_view what) const {
    TensorN<N> t;
    if (!is_pattern(a, what)) return t;
    if (a.dims > N) too_many_dims(what, a.dims, N);
    t.addr = a.value;
    for (unsigned d = 0; d < N; ++d) {
      t.step[d] = a.step[d];
      t.num[d] = a.num[d];
    }
    return t;
  }
  // Source of an immediate operand: the field itself, a pointer, a register.
  ImmSrc source(const Argument& a) const {
    return a.kind == Argument::Kind::pattern ? ImmSrc::POINTER_IMMEDIATE : a.kind == Argument::Kind::reg ? ImmSrc::REG_PTR_IMMEDIATE : ImmSrc::INSTRUCTION_IMMEDIATE;
  }
  // Checks of an immediate in memory: where it lies, one element a channel, for all `channels`.
  void check_pointer(const Argument& a, std::string_view what, unsigned channels) const;
  // Channel counts of input and output agree; the output's are encoded.
  std::uint8_t channels(const Argument& in, const Argument& out) const;

 private:
  bool is_pattern(const Argument& a, std::string_view what) const;
  void too_many_dims(std::string_view what, unsigned dims, unsigned most) const;
};

Bundle encode_activate(const Encoder& e);
Bundle encode_activate2(const Encoder& e);
// The drain of outs[index].
Bundle encode_drain(const Encoder& e, Opcode opcode, std::size_t index, bool negated);
Bundle encode_reciprocal(const Encoder& e);
Bundle encode_exponential(const Encoder& e);
Bundle encode_load(const Encoder& e);

}  // namespace act::ir
