#include "act/fit/catalogs.h"

#include <fmt/format.h>

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

}  // namespace act::fit
