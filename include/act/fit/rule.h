// The rule behind the shipped structures (02 section 17, G-4): searched, not looked up.
#pragma once

#include <cstdint>

#include "act/fit/structure.h"
#include "act/tables/functions.h"

namespace act::fit {

// What the rule compares with: RN32 of the binary64 closed form of 02 section 13, its cancellation included; 1.702 rounded
// to binary32.
float rule_value(const FunctionInfo& function, float x);

// The structure that N = `budget` ULP gives, from the lowest octave and the stored sides of the function's row: every
// octave takes the smallest extract size whose Taylor sections stay within N, 10 where none does; the threshold is
// the first input from which on the high slot does. Every `stride`-th input is compared (and both ends of every
// section): 1 is the rule, more may understate a size.
Structure rule_structure(const FunctionInfo& function, int budget, std::uint32_t stride = 1);

}  // namespace act::fit
