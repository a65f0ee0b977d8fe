// Where two tables, or two catalogs, differ.
#pragma once

#include <string>
#include <vector>

#include "act/tables/records.h"

namespace act {

// Two tables of one function.
struct TableDifference {
  std::string function;           // budgeted name in the first catalog
  std::vector<std::string> sets;  // the sets in which just these two tables stand
  std::size_t sections[2] = {}, octaves[2] = {};
  std::size_t records = 0;  // differing records (sections and clamp slots), compared one by one; those of the
                            // longer table count
  bool parameters = false;  // symmetry, special results, thresholds, bounds, ids or budget differ
  // The largest difference of values found: in steps of binary32 and absolute, with its input.
  std::uint64_t worst_steps = 0;
  double worst_absolute = 0;
  float worst_input = 0;

  bool identical() const { return records == 0 && !parameters; }
};

struct CatalogDifference {
  std::vector<std::string> only_first, only_second;  // "set" or "set: function"
  std::vector<TableDifference> tables;  // those that differ, one entry for equal pairs in several sets
  std::size_t identical = 0;            // pairs of tables without any difference
};

// `points` inputs of every exponent and sign are compared, beside the edges of all sections and the
// thresholds.
TableDifference compare_tables(const FunctionTable& a, const FunctionTable& b, unsigned points = 1024);
// Sets are matched by name, functions inside a set by bare name. Absent sets are left out.
CatalogDifference compare_catalogs(const Catalog& a, const Catalog& b, unsigned points = 1024);

}  // namespace act
