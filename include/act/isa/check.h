// The validator: every violation of the rules of 01 section 8 and of the opcode pages, for one bundle and for whole streams.
#pragma once

#include <bitset>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "act/diag/diagnostic.h"
#include "act/isa/opcode.h"

namespace act {

enum class Rule : std::uint8_t {
#define ACT_RULE(name, why) name,
#include "act/isa/rules.def"
#undef ACT_RULE
};

struct RuleInfo {
  std::string_view name, why;
};
std::span<const RuleInfo> all_rules();
const RuleInfo& rule_info(Rule rule);
const RuleInfo* find_rule(std::string_view name);

// One table set of the catalog in use, for the rules about loads.
struct KnownSet {
  std::string name;
  std::bitset<256> functions;  // function codes that the set holds
};

struct CheckOptions {
  bool lenient = false;       // D-44: unsupported opcodes, v5 header flags and reserved bytes become warnings
  bool final_stream = false;  // the file is a whole engine stream: what depends on the rest of it is an error
  std::vector<KnownSet> sets;  // the catalog's sets in index order; empty = loads are not compared with a catalog
};

// Appends every violation by one bundle to `out`, with field, byte, value, what is allowed, rule and reason. where.byte is
// the offset in the bundle; where.instruction stays unset. Never allocates for a bundle without violations.
void check_bundle(const Bundle& bundle, Generation generation, const CheckOptions& options, Diagnostics& out);

// Checks a stream piece by piece in constant memory: every bundle by check_bundle, and the rules that look at several.
class StreamChecker {
 public:
  StreamChecker(Generation generation, const CheckOptions& options);

  // The next bundle; diagnostics get its index.
  void feed(const Bundle& bundle, Diagnostics& out);
  // After the last one. `trailing_bytes`: bytes behind the last whole bundle (an error when there are any).
  void finish(std::size_t trailing_bytes, Diagnostics& out);
  std::uint64_t count() const { return index_; }

 private:
  void check_order(const Bundle& bundle, Diagnostics& out);
  void check_argument(const Bundle& bundle, Diagnostics& out);
  void end_payloads(Diagnostics& out);
  void note_load(const Bundle& bundle, Diagnostics& out);
  void check_activation(const Bundle& bundle, Diagnostics& out);
  Diagnostic& report(Rule rule, bool only_final, std::string message, Diagnostics& out) const;

  Generation generation_;
  const CheckOptions& options_;
  std::uint64_t index_ = 0;
  std::uint32_t payloads_due_ = 0, array_due_ = 0;
  std::uint64_t header_index_ = 0;
  bool loaded_ = false;
  int resident_ = -1;  // index of the resident set; -1 = none or unknown
  std::vector<std::string> distinct_sets_;
};

// Length check and all bundles of a whole stream in memory.
Diagnostics check_stream(std::span<const std::uint8_t> bytes, Generation generation, const CheckOptions& options);

struct Program;

// check_bundle of every instruction of every stream, with the place of each in its source.
Diagnostics check_program(const Program& program, const CheckOptions& options);

}  // namespace act
