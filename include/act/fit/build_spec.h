// The specification `pwp build` reads: which sets, which functions, how good (docs/table-specification.md).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "act/diag/result.h"
#include "act/fit/catalogs.h"
#include "act/fit/metric.h"
#include "act/numeric/generation.h"
#include "act/tables/records.h"

namespace act::fit {

struct Interval {
  float lowest = 0, highest = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

// What one table is asked to be. Without any member a shipped budget gives the table of the embedded catalogs.
struct TableGoal {
  std::optional<Method> method;     // else the one of the specification
  std::optional<Interval> domain;   // inputs whose error counts; else the documented range
  Metric metric = Metric::ulp;
  std::optional<double> tolerance;  // largest error, in the metric
  std::optional<int> sections;      // most sections of both sides
  std::optional<int> func_id;       // else the code of the function's row

  // Nothing but a method and a code is asked for.
  bool plain() const { return !domain && !tolerance && !sections && metric == Metric::ulp; }
};

struct SetSpec {
  std::string name;
  ActMap act;
};

struct BuildSpec {
  std::string name;
  Generation generation = kDefaultGeneration;
  IdSpace id_space = IdSpace::sunda;
  Method method = Method::minimax;
  std::vector<SetSpec> sets;  // in index order
  std::map<std::string, TableGoal, std::less<>> goals;  // by "exp_400p", or "exp" for every budget

  // The goal of a table; the one with a budget wins.
  TableGoal goal(std::string_view function, std::uint32_t budget) const;
};

// Reads a specification; `file` names it in messages. Errors: json-*, unknown-name (function, roster, method, metric,
// generation), bad-value, duplicate-name, capacity (more functions or sets than a catalog holds).
Result<BuildSpec> parse_build_spec(std::string_view text, const std::string& file, Diagnostics& warnings);

}  // namespace act::fit
