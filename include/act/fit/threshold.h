// Where a side starts to clamp (02 section 17, G-4 and G-10).
#pragma once

#include <cstdint>

#include "act/tables/functions.h"

namespace act::fit {

// |key(value) - key(r)| <= n, key = the pattern as a sign-magnitude integer; where the signs differ or one of the two
// is infinite only equality counts, +0 and -0 being equal (G-4). NaN equals NaN.
bool within_ulps(float value, float r, std::int64_t n);

// What a threshold is compared with.
using RoundedValue = float (*)(const FunctionInfo& function, float x);

// The magnitude of the first input of a side from which on the high slot stays within `n` of r; for clamps that hold f at
// the edge, the end of the documented range. Searched below the end of the octaves (`limit`, a magnitude pattern),
// which is the answer where the slot never fits. r may be unsteady for `unsteady` inputs beyond the first that fits (a
// closed form that cancels); the last failure among them counts.
std::uint32_t high_threshold(const FunctionInfo& function, bool negative, std::uint32_t limit, std::int64_t n,
                             RoundedValue r, std::uint32_t unsteady = 0);
inline constexpr std::uint32_t kUnsteadyInputs = 1U << 17;

}  // namespace act::fit
