// How far a table is from its function.
#pragma once

#include <cstdint>

#include "act/tables/functions.h"
#include "act/tables/records.h"

namespace act::fit {

// Worst error of one section over `samples` inputs of its range (ends included) in ULP of RN32(f), against the fast
// reference. Inputs whose result is not a normal number are left out. An understatement; certificates measure all.
double sampled_error(const FunctionInfo& function, const Section& section, bool negative, std::uint32_t lo,
                     std::uint32_t hi, int samples);

}  // namespace act::fit
