// The method `taylor`: the shipped tables as far as they are known (02 section 17, G-1 to G-5).
#pragma once

#include "act/fit/structure.h"
#include "act/tables/records.h"

namespace act::fit {

// One section: Taylor coefficients about the centre, each correctly rounded; a coefficient beyond binary32 is 0, with
// all of higher order (P-32). Functions whose shipped sections are tangents stop at degree 1.
Section taylor_section(const FunctionInfo& function, bool negative, int exponent, std::uint32_t extract_size,
                       std::size_t index);

// A structure of our own for `taylor` where the shipped one is not known: the octaves of the function's row, at most
// `sections` sections, thresholds within `budget` ULP, sections where they lower the worst error. nullopt when even one
// section an octave is too much.
std::optional<Structure> taylor_structure(const FunctionInfo& function, int budget, int sections);

// The whole table of a table function with a given structure.
FunctionTable taylor_table(const FunctionInfo& function, int budget, const Structure& structure, IdSpace ids);

}  // namespace act::fit
