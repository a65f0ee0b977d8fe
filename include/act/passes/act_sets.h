// The table sets of a catalog as lowering sees them: for each set the activation function types it covers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

}  // namespace act::passes
