// 0x23 ActivationTableLoad by index and 0xC6 by name: a table set becomes resident (D-43; 02 section 16).
#include <fmt/format.h>

#include <algorithm>

#include "ops.h"

namespace act::sim::ops {
namespace {

void load(Exec& x, int index, std::string_view field) {
  const Catalog& catalog = *x.machine.functions.catalog();
  const TableSet& set = catalog.sets[static_cast<std::size_t>(index)];
  if (!set.present)
    return x.fail(Code::set_absent, fmt::format("table set {} of {} has no files", set.name(), catalog.label), field, std::to_string(index));
  if (const Status loaded = x.machine.functions.load(index); !loaded)
    return x.fail(loaded.error().front().code, loaded.error().front().message, field, std::to_string(index));
  x.note = "loads " + set.name();
  if (const std::string transfers = x.machine.functions.transfers(); !transfers.empty()) x.note += ": " + transfers;
}

bool has_catalog(Exec& x) {
  if (x.machine.functions.catalog() != nullptr) return true;
  x.fail(Code::unknown_set, "a table load without a catalog");
  return false;
}

}  // namespace

void table_load(Exec& x, const CtrlNo& i) {
  if (!has_catalog(x)) return;
  const Catalog& catalog = *x.machine.functions.catalog();
  if (i.act_tbl_sel >= catalog.sets.size()) {
    return x.fail(Code::unknown_set, fmt::format("catalog {} has the sets 0..{}", catalog.label, static_cast<int>(catalog.sets.size()) - 1),
                  "act_tbl_sel", std::to_string(i.act_tbl_sel));
  }
  load(x, i.act_tbl_sel, "act_tbl_sel");
}

void table_load_by_name(Exec& x, const PseudoLoadActFuncSet& i) {
  if (!x.limits().load_by_name)
    return x.fail(Code::not_simulated, "loads by name are executed only when the option for them is given");
  if (!has_catalog(x)) return;
  const auto& chars = i.act_set_name.chars;
  const std::string name(chars.begin(), std::find(chars.begin(), chars.end(), '\0'));
  const int index = x.machine.functions.catalog()->set_index(name);
  if (index < 0) return x.fail(Code::unknown_set, "the catalog has no set of this name", "act_set_name", name);
  load(x, index, "act_set_name");
}

}  // namespace act::sim::ops
