// From a specification to a catalog.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "act/diag/result.h"
#include "act/fit/build_spec.h"
#include "act/fit/structure.h"
#include "act/tables/published.h"
#include "act/tables/records.h"

namespace act::fit {

// How one table of a catalog came about.
struct TableOrigin {
  std::string function;
  std::uint32_t budget = 1;
  Method method = Method::minimax;
  StructureSource source = StructureSource::own;
  TableGoal goal;
  double fitted_error = 0;  // of a goal's own table at every input of its domain, in its metric; 0 for shipped tables
};

struct BuiltCatalog {
  Catalog catalog;
  std::vector<TableOrigin> origins;  // one for every different table function, in order of first appearance
};

// Builds every set. The same bytes for the same specification, whatever the number of threads. Errors: out-of-reach
// (fit_goal), and what check_tables() finds in a finished set (capacity, table-rule); its warnings and notes go to
// `warnings`. `progress` is told the stem of each finished table, from any thread, one at a time.
Result<BuiltCatalog> build_catalog(const BuildSpec& spec, Diagnostics& warnings,
                                   const std::function<void(std::string_view stem)>& progress = {});

// The specification of a published roster: every set, every table as `method` makes it.
BuildSpec roster_spec(const Roster& roster, Method method);

}  // namespace act::fit
