#include "tables/kernels/quick.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace act::kernels {
namespace {

// Every bound below is computed in binary64 with room for its own roundings.
constexpr double kRoom = 1 + 0x1p-10;

// Whether p is the result where g = 0: q is zero too, or it has vanished below the subnormal numbers and p is
// not zero.
bool zero_tells(double d0, double d1, double d2, double d3) {
  if (d2 != 0) return d2 >= 0x1p-100;  // d3 t + d2 is zero or above 2^-150 then
  return d3 >= 0x1p-60 &&
         (d0 == 0 ? d1 >= 1 : d0 >= 0x1p-60 && d1 <= 0x1p29);  // |t| < 2^-90 where d3 t vanishes
}

// Whether the quick cubic may be asked for all |t| <= reach; see quick.h.
bool provable(const Section& s, double reach) {
  if (float_bits(s.d0) == 0x80000000u) return false;
  if (s.d2 == 0 && s.d3 == 0) return true;
  const double d0 = std::fabs(s.d0), d1 = std::fabs(s.d1), d2 = std::fabs(s.d2), d3 = std::fabs(s.d3);
  if (!zero_tells(d0, d1, d2, d3)) return false;
  const double t = reach * kRoom, square = t * t * kRoom;
  const double g = (d2 + t * d3) * kRoom, q = square * g * kRoom;
  constexpr double kLargest = 0x1p120;  // nothing overflows
  if (!(std::max({square, g, q, d0 + t * d1}) < kLargest)) return false;
  const double p_least = (d0 - t * d1) - (d0 + t * d1) * 0x1p-20;
  const bool cancels = d2 != 0 && d3 != 0 && d2 < 2 * kRoom * t * d3;
  if (cancels && p_least < 8 * kRoom * square * std::max(d2, t * d3)) return false;
  const double below_normal = 0x1p-149 * (g + square + 1), least = 0x1p58 * kRoom * below_normal;
  return kQuickLeast >= least || p_least - q >= least;
}

}  // namespace

QuickRow quick_row(const Section& s, double reach) {
  if (provable(s, reach)) return {s.d0, s.d1, s.d2, s.d3};
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  return {kNan, kNan, kNan, kNan};
}

}  // namespace act::kernels
