#include "act/fit/catalogs.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "act/fit/frame.h"
#include "act/fit/minimax.h"
#include "act/fit/taylor.h"

namespace act::fit {
namespace {

Diagnostic not_shipped(std::string_view function, int budget) {
  Diagnostic d = make_error(Code::unknown_name, "no shipped table has this name and budget");
  d.field = "act";
  d.value = fmt::format("{}={}", function, budget);
  return d;
}

const FunctionBudget* find_budget(const FunctionInfo& function, int budget) {
  for (const FunctionBudget& b : function.budgets)
    if (b.budget == budget && budget != 0) return &b;
  return nullptr;
}

}  // namespace

std::string_view method_name(Method method) { return method == Method::taylor ? "taylor" : "minimax"; }

std::optional<Structure> shipped_structure(const FunctionInfo& function, int budget) {
  if (auto known = known_structure(function.name, budget)) return known;
  const FunctionBudget* b = find_budget(function, budget);
  if (b == nullptr || !function.has_table()) return std::nullopt;
  return taylor_structure(function, budget, b->lut_size);
}

Result<FunctionTable> shipped_table(std::string_view name, int budget, Method method, IdSpace ids) {
  const FunctionInfo* function = find_function(name);
  if (function == nullptr || find_budget(*function, budget) == nullptr) return not_shipped(name, budget);
  if (!function->has_table()) return resident_table(*function, ids);
  if (method == Method::minimax) {
    return fit_minimax(*function, {budget, 0, ids}).transform([](MinimaxTable&& t) { return std::move(t.table); });
  }
  const auto structure = shipped_structure(*function, budget);
  if (!structure) return not_shipped(name, budget);
  return taylor_table(*function, budget, *structure, ids);
}

Result<Catalog> roster_catalog(const Roster& roster, Method method) {
  Catalog catalog;
  catalog.label = roster.name;
  catalog.id_space = roster.id_space;
  std::map<std::pair<std::string, std::uint32_t>, FunctionTable> made;
  for (const RosterSet& set : roster.sets) {
    std::vector<FunctionTable> functions;
    for (const auto& entry : act_map(set)) {
      auto at = made.find(entry);
      if (at == made.end()) {
        auto table = shipped_table(entry.first, static_cast<int>(entry.second), method, roster.id_space);
        if (!table) return std::move(table).error();
        at = made.emplace(entry, *std::move(table)).first;
      }
      functions.push_back(at->second);
    }
    catalog.sets.push_back(make_set(set.name, std::move(functions)));
  }
  return catalog;
}

}  // namespace act::fit
