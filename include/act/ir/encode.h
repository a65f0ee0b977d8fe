// From an instruction of a module to the 64-byte bundles it stands for: the compiler's encoders (03 sections 3, 4, 11 and
// 12, with the enum remaps of 01 sections 5.6 and 6.8 and 02 section 2.3).
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "act/diag/result.h"
#include "act/ir/module.h"
#include "act/isa/check.h"
#include "act/tables/records.h"

namespace act::ir {

// How a load names its set (03 section 11).
enum class LoadForm : std::uint8_t {
  index,  // 0x23 with the set's index
  name,   // 0xC6 with the set's name
};

// Wire code of each activation function type by BIR ordinal; kNoCode where there is none.
inline constexpr std::uint16_t kNoCode = 0xFFFF;
inline constexpr std::size_t kFunctionTypes = 31;
using FunctionCodes = std::array<std::uint16_t, kFunctionTypes>;
// The published remap, the same on every generation (02 section 2.3).
const FunctionCodes& published_function_codes();
// What a catalog asks for: the published codes, or the func_id of its tables when it carries first-generation ids (P-04).
FunctionCodes function_codes(const Catalog& catalog);

struct EncodeOptions {
  Generation generation = kDefaultGeneration;
  LoadForm load_form = LoadForm::index;
  bool allow_named_loads = false;  // name form below v5 (L-22)
  bool idle_clears = false;        // idle-accumulator=clear: Idle is written as ZERO_ACCUMULATE in 0x21 (L-32)
  bool wire_check = true;          // every bundle passes the rules of isa, or the instruction fails
  std::vector<std::string> sets;   // names of the catalog's sets by index
  FunctionCodes functions = published_function_codes();
};

// One or two bundles: an activation with two outputs is followed by its drain (03 section 12.1).
struct Encoded {
  std::array<Bundle, 2> bundles{};
  unsigned count = 0;
  std::span<const Bundle> span() const { return {bundles.data(), count}; }
};

// The bundles of an instruction. Waits stand on the first, updates on the last. Errors: code-generation (operands, kinds,
// generation, ranges; texts of 03), and what the wire check finds, each told with the instruction's name and source line.
Result<Encoded> encode(const Inst& inst, const EncodeOptions& options);
// The same for hot loops: appends to `errors` and returns false on failure.
bool encode(const Inst& inst, const EncodeOptions& options, Encoded& out, Diagnostics& errors);

// Runs the rules of isa over encoded bundles of `inst`; errors only, warnings are dropped.
bool check_encoded(const Inst& inst, std::span<const Bundle> bundles, Generation generation, Diagnostics& errors);

// Opcode bytes that `encode` would produce, one or two, without building a bundle: what COLLECT_OPCODES records (L-23).
struct Opcodes {
  std::array<std::uint8_t, 2> codes{};
  unsigned count = 1;
  std::span<const std::uint8_t> span() const { return {codes.data(), count}; }
};
Opcodes opcodes_of(const Inst& inst, LoadForm form);

// A relu by itself as the activation it is lowered to.
Inst lowered_relu(const Inst& relu);

// Static set index of a load, checked against `sets` (their number); texts of 03 section 4. Nothing with an error appended.
std::optional<std::uint8_t> encoded_set_index(const Inst& load, std::size_t sets, Diagnostics& errors);

// A diagnostic of code generation at an instruction: its name and source line stand in the message.
Diagnostic generation_error(const Inst& inst, std::string message, std::string value = {}, std::string allowed = {});

}  // namespace act::ir
