// Distances between FP32 values in units in the last place.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "act/numeric/bits.h"

namespace act {

// FP32 values in order on an integer line: neighbours differ by 1, and +0 and -0 are both 0.
// Not meaningful for NaN.
constexpr std::int64_t ulp_key(float x) {
  const std::int64_t magnitude = bits_of(x) & ~kSignF32;
  return sign_bit(x) ? -magnitude : magnitude;
}

// How many steps from one value to the other; infinity counts as the value after the largest finite one.
// Two NaNs are 0 apart; a NaN and a number are as far apart as can be.
constexpr std::uint64_t ulp_distance(float a, float b) {
  if (is_nan(a) || is_nan(b)) return is_nan(a) && is_nan(b) ? 0 : std::numeric_limits<std::uint64_t>::max();
  const std::int64_t difference = ulp_key(a) - ulp_key(b);
  return static_cast<std::uint64_t>(difference < 0 ? -difference : difference);
}

// The unit in the last place of a finite FP32 value: the gap to the next larger magnitude of the same binade,
// 2^(exponent - 23), and 2^-149 below the normal range and at zero.
constexpr double ulp_of(float x) {
  const std::uint32_t exponent = (bits_of(x) & ~kSignF32) >> 23;
  const std::uint64_t field = (exponent == 0 ? 1u : exponent) + 1023u - 127u - 23u;
  return f64(field << 52);
}

// Error of `value` against an exact result known in binary64, in units of the last place of RN32(exact): the
// metric of the table certificates (02, G-8). Signed: positive when value is too large. 0 when both are the
// same infinity or both NaN; infinite when only one is finite; NaN when only one is NaN. `exact` must be
// accurate well below one unit, its error carries over.
inline double ulp_error(float value, double exact) {
  if (is_nan(value) || std::isnan(exact)) return is_nan(value) && std::isnan(exact) ? 0.0 : std::nan("");
  const float nearest = round_to_f32(exact);
  if (is_inf(value) || is_inf(nearest)) {
    if (value == nearest) return 0.0;
    return value > nearest ? std::numeric_limits<double>::infinity()
                           : -std::numeric_limits<double>::infinity();
  }
  return (static_cast<double>(value) - exact) / ulp_of(nearest);
}

}  // namespace act
