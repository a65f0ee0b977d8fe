// Which table a function code selects, and what is said about the resident set.
#include <fmt/format.h>

#include "act/sim/exec.h"

namespace act::sim {
namespace {

// Gives NaN for every input: the policy missing_table = nan.
const Function& nan_function() {
  static const FunctionTable table = [] {
    FunctionTable t;
    t.name = "nan";
    t.specials = {kCanonicalNan, kCanonicalNan, kCanonicalNan, kCanonicalNan};
    for (Side* side : {&t.neg, &t.pos}) side->high.section.d0 = kCanonicalNan;
    return t;
  }();
  static const Function function = [] {
    Function f;
    f.table = &table;
    return f;
  }();
  return function;
}

}  // namespace

const Function* Exec::function(std::uint8_t code) {
  if (failed_) return nullptr;
  if (machine.functions.source() == FunctionSource::device) {
    const Result<const Function*> found = machine.functions.find_on_device(opcode_, code);
    if (!found) fail(found.error().front().code, found.error().front().message, "activation_func", fmt::format("{:#04x}", code));
    return found ? *found : nullptr;
  }
  const Function& f = machine.functions.find(code);
  if (f.resident) return &f;
  const TableSet* resident = machine.functions.resident();
  const std::string value = fmt::format("{:#04x}", code);
  const std::string now = resident == nullptr ? "no table set is resident" : "resident is " + resident->name();
  if (f.table == nullptr) {
    fail(Code::unknown_function, "no table set of the catalog has this function code; " + now, "activation_func", value);
    return nullptr;
  }
  const std::string message = fmt::format("{} is not resident: {}, and {} has it", f.table->name, now, f.set->name());
  const Code what = resident == nullptr ? Code::no_table_set : Code::wrong_table_set;
  if (policies().missing_table == MissingTablePolicy::error) {
    fail(what, message, "activation_func", value);
    return nullptr;
  }
  warn(what, message, "activation_func", value);
  return policies().missing_table == MissingTablePolicy::nan ? &nan_function() : &f;
}

}  // namespace act::sim
