// From a field back to the place in the line that wrote it.
#include <algorithm>

#include "act/asm/text.h"
#include "asm/line_parser.h"

namespace act {
namespace {

using text::Operand;
using text::Plan;

// Whether writing `x` writes `field`.
bool writes(const Plan& plan, const Operand& x, std::string_view field) {
  if (x.name == field || x.selector_name == field) return true;
  if (x.dtype_byte < 0) return false;
  const Field* f = plan.format->find(field);
  return f != nullptr && f->byte() == static_cast<unsigned>(x.dtype_byte);
}

bool names_field(const Plan& plan, std::string_view word, std::string_view field) {
  const int found = plan.names.find(word);
  if (found == text::NameTable::kNone) return word == field;  // reserved_12
  const text::OperandName& target = plan.targets[static_cast<std::size_t>(found)];
  const auto operand = [&plan](int i) -> const Operand& { return plan.operands[static_cast<std::size_t>(i)]; };
  return writes(plan, operand(target.first), field) || (target.second != Operand::kAbsent && writes(plan, operand(target.second), field));
}

bool clause_writes(std::string_view word, std::string_view field) {
  const bool wait = word == "wait", update = word == "then" || word == "on_read";
  return (wait && field.starts_with("wait_")) || (update && field.starts_with("update_")) || ((wait || update) && field == "sync_value");
}

}  // namespace

Columns find_operand(std::string_view line, std::string_view field) {
  static const text::Symbols kNoSymbols;
  static const std::function<void(Diagnostic)> kSilent = [](const Diagnostic&) {};
  field = field.substr(0, field.find(','));
  text::LineParser p(line, {kDefaultGeneration, kNoSymbols, kSilent});
  const auto columns = [&line](const char* from, const char* to) {
    return Columns{static_cast<std::uint32_t>(from - line.data() + 1), static_cast<std::uint32_t>(to - line.data() + 1)};
  };
  const std::string_view mnemonic = p.word();
  const Columns whole = columns(mnemonic.data(), mnemonic.data() + mnemonic.size());
  const int opcode = text::find_mnemonic(mnemonic);
  if (opcode == text::NameTable::kNone) return whole;
  const Plan& plan = *text::mnemonic_of(static_cast<std::uint8_t>(opcode)).plan;
  while (!p.at_end()) {
    const char* const from = p.here();
    const std::string_view word = p.word();
    if (word.empty()) {
      p.skip_one();
      continue;
    }
    const bool named = p.next_is('=');
    const bool function = !named && field == "activation_func" && text::find_function_code(word) != text::NameTable::kNone;
    if (function || (named && names_field(plan, word, field)) || (!named && clause_writes(word, field))) {
      const char* to = from + word.size();
      if (!function) to = std::find_if(std::find_if(to, line.data() + line.size(), [](char c) { return c != ' ' && c != '='; }),
                                       line.data() + line.size(), [](char c) { return c == ' ' || c == '\t' || c == ','; });
      return columns(from, to);
    }
  }
  return whole;
}

}  // namespace act
