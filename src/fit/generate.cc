#include "act/fit/generate.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <mutex>
#include <optional>

#include "act/fit/frame.h"
#include "act/fit/user_table.h"
#include "act/tables/check.h"

namespace act::fit {
namespace {

// A different table of the specification and what became of it.
struct Job {
  TableOrigin origin;
  std::optional<FunctionTable> table;
  Diagnostics errors;
};

bool shipped_budget(const FunctionInfo& function, int budget) {
  return std::any_of(function.budgets.begin(), function.budgets.end(),
                     [&](const FunctionBudget& b) { return b.budget == budget; });
}

void run(Job& job, IdSpace ids) {
  TableOrigin& o = job.origin;
  const FunctionInfo& function = *find_function(o.function);
  const int budget = static_cast<int>(o.budget);
  if (!function.has_table()) {
    job.table = resident_table(function, ids);
  } else if (o.goal.plain() && shipped_budget(function, budget)) {
    if (o.method == Method::taylor) o.source = shipped_structure(function, budget)->source;
    auto table = shipped_table(o.function, budget, o.method, ids);
    if (!table) {
      job.errors = std::move(table).error();
      return;
    }
    job.table = *std::move(table);
  } else {
    auto fitted = fit_goal(function, budget, o.goal, o.method, ids);
    if (!fitted) {
      job.errors = std::move(fitted).error();
      return;
    }
    o.fitted_error = fitted->error;
    job.table = std::move(fitted->table);
  }
  if (o.goal.func_id) job.table->func_id = static_cast<std::uint32_t>(*o.goal.func_id);
}

std::vector<Job> jobs_of(const BuildSpec& spec) {
  std::vector<Job> jobs;
  for (const SetSpec& set : spec.sets) {
    for (const auto& [name, budget] : set.act) {
      const bool known = std::any_of(jobs.begin(), jobs.end(), [&, n = name, b = budget](const Job& job) {
        return job.origin.function == n && job.origin.budget == b;
      });
      if (known) continue;
      const TableGoal goal = spec.goal(name, budget);
      jobs.push_back({{name, budget, goal.method.value_or(spec.method), StructureSource::own, goal, 0}, {}, {}});
    }
  }
  return jobs;
}

const FunctionTable& table_of(const std::vector<Job>& jobs, const std::string& name, std::uint32_t budget) {
  return *std::find_if(jobs.begin(), jobs.end(), [&](const Job& job) {
            return job.origin.function == name && job.origin.budget == budget;
          })->table;
}

}  // namespace

Result<BuiltCatalog> build_catalog(const BuildSpec& spec, Diagnostics& warnings,
                                   const std::function<void(std::string_view)>& progress) {
  std::vector<Job> jobs = jobs_of(spec);
  std::mutex telling;
  tbb::parallel_for(std::size_t{0}, jobs.size(), [&](std::size_t i) {
    run(jobs[i], spec.id_space);
    const std::lock_guard lock(telling);
    if (progress) progress(budgeted_name(jobs[i].origin.function, jobs[i].origin.budget));
  });
  Diagnostics errors;
  for (Job& job : jobs) errors.insert(errors.end(), job.errors.begin(), job.errors.end());
  if (!errors.empty()) return errors;
  BuiltCatalog built;
  built.catalog.label = spec.name;
  built.catalog.id_space = spec.id_space;
  for (const SetSpec& set : spec.sets) {
    std::vector<FunctionTable> functions;
    for (const auto& [name, budget] : set.act) functions.push_back(table_of(jobs, name, budget));
    built.catalog.sets.push_back(make_set(set.name, std::move(functions)));
    for (Diagnostic& d : check_tables(built.catalog.sets.back(), spec.id_space))
      (d.severity == Severity::error ? errors : warnings).push_back(std::move(d));
  }
  if (!errors.empty()) return errors;
  for (Job& job : jobs)
    if (!job.table->resident()) built.origins.push_back(std::move(job.origin));
  return built;
}

BuildSpec roster_spec(const Roster& roster, Method method) {
  BuildSpec spec;
  spec.name = roster.name;
  spec.id_space = roster.id_space;
  spec.method = method;
  for (const RosterSet& set : roster.sets) spec.sets.push_back({std::string(set.name), act_map(set)});
  return spec;
}

}  // namespace act::fit
