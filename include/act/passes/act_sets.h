// The table sets of a catalog as lowering and the rules see them: for each set the functions it holds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "act/isa/check.h"
#include "act/tables/records.h"

namespace act::passes {

// Bit n = BIR ordinal n.
using FunctionMask = std::uint64_t;

struct ActSet {
  std::string name;
  FunctionMask functions = 0;
  bool holds(unsigned ordinal) const { return (functions >> ordinal & 1) != 0; }
};

// In catalog order: the position is the set index. Functions without an enum member are left out (03 section 6.1).
std::vector<ActSet> act_sets(const Catalog& catalog);

// The sets as the rules about loads see them (act/isa/check.h): name and function codes, from the tables, or from the roster
// row where the files of a set are not there. In catalog order.
KnownSet known_set(const TableSet& set);
std::vector<KnownSet> known_sets(const Catalog& catalog);

}  // namespace act::passes
