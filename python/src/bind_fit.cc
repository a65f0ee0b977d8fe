// Fitting tables: one function to a goal, and catalogs from a specification.
#include "act/fit/build_spec.h"
#include "act/fit/generate.h"
#include "act/fit/user_table.h"
#include "common.h"
#include "tables.h"

namespace act::python {
namespace {

fit::Method method_of(const std::string& name) {
  for (const fit::Method m : {fit::Method::taylor, fit::Method::minimax})
    if (fit::method_name(m) == name) return m;
  throw bad_argument(Code::unknown_name, "method", name, "taylor, minimax", "no such method");
}

const FunctionInfo& function_of(const std::string& name) {
  if (const FunctionInfo* info = find_function(name)) return *info;
  std::string names;
  for (const FunctionInfo& f : all_functions()) names += (names.empty() ? "" : ", ") + std::string(f.name);
  throw bad_argument(Code::unknown_name, "function", name, names, "no such function");
}

py::tuple fit_table(const std::string& name, int budget, const std::optional<std::pair<float, float>>& domain, const std::string& metric,
                    std::optional<double> tolerance, std::optional<int> sections, const std::string& method) {
  const FunctionInfo& function = function_of(name);
  fit::TableGoal goal;
  if (domain) goal.domain = fit::Interval{domain->first, domain->second};
  const auto found = fit::find_metric(metric);
  if (!found) throw bad_argument(Code::unknown_name, "metric", metric, "ulp, relative, absolute, mixed", "no such metric");
  goal.metric = *found;
  goal.tolerance = tolerance;
  goal.sections = sections;
  const fit::Method by = method_of(method);
  std::optional<Result<fit::GoalTable>> made;
  {
    py::gil_scoped_release release;
    made.emplace(fit::fit_goal(function, budget, goal, by, IdSpace::sunda));
  }
  fit::GoalTable table = unwrap(std::move(*made));
  auto catalog = std::make_shared<Catalog>();
  catalog->label = budgeted_name(table.table);
  catalog->sets.push_back(make_set(table.table.name, {std::move(table.table)}));
  return py::make_tuple(Table(catalog, &catalog->sets[0].functions[0]), table.error);
}

py::tuple build(const std::string& specification) {
  Diagnostics warnings;
  std::optional<Result<fit::BuiltCatalog>> built;
  {
    py::gil_scoped_release release;
    const fit::BuildSpec spec = unwrap(fit::parse_build_spec(specification, "specification", warnings));
    built.emplace(fit::build_catalog(spec, warnings));
    if (*built) (*built)->catalog.label = spec.name;
  }
  auto catalog = std::make_shared<Catalog>(unwrap(std::move(*built)).catalog);
  return py::make_tuple(catalog, warnings);
}

}  // namespace

void bind_fit(py::module_& m) {
  m.def("fit", &fit_table, py::arg("function"), py::arg("budget"), py::arg("domain"), py::arg("metric"), py::arg("tolerance"), py::arg("sections"), py::arg("method"));
  m.def("build_catalog", &build, py::arg("specification"));
}

}  // namespace act::python
