#include "act/numeric/functions.h"

#include <cmath>

#include "act/numeric/bits.h"
#include "log2_compare.h"

namespace act {
namespace {

// How far the C library's binary64 result may be off, relatively: 32 of its last places, where real ones stay
// below one.
constexpr double kLibraryError = 0x1p-47;

// Rounds a positive function value to FP32. `approximate` is the library's result; when that leaves two
// neighbours possible, `compare(c)` decides: the sign of (true value - c), exactly.
template <class Compare>
float round_correctly(double approximate, Compare compare) {
  const float low = round_to_f32(approximate * (1 - kLibraryError));
  const float high = round_to_f32(approximate * (1 + kLibraryError));
  if (low == high) return low;
  // Half-way to infinity is half-way to 2^128.
  const double above = is_inf(high) ? 0x1p128 : static_cast<double>(high);
  const double middle = (static_cast<double>(low) + above) / 2;  // exact: 25 significant bits
  const int side = compare(middle);
  if (side == 0) return round_to_f32(middle);
  return side < 0 ? low : high;
}

bool is_odd_integer(float y) {
  // From 2^24 on every FP32 integer is even.
  return std::fabs(y) < 0x1p24f && std::trunc(y) == y && std::fmod(y, 2.0f) != 0;
}

}  // namespace

// The square root and the quotient of binary64 leave an error below 2^-52. No rounding boundary of FP32 is
// that near to a value of the function: the tests show it for all 2^24 significands that matter, by exact
// integers.
float f32_rsqrt(float x) { return canonical(round_to_f32(1.0 / std::sqrt(static_cast<double>(x)))); }

float f32_pow(float x, float y) {
  if (x == 1.0f || y == 0.0f) return 1.0f;
  if (is_nan(x) || is_nan(y)) return kCanonicalNan;
  if (is_inf(x) || is_inf(y) || x == 0.0f)
    return canonical(round_to_f32(std::pow(static_cast<double>(x), static_cast<double>(y))));
  if (x < 0 && std::trunc(y) != y) return kCanonicalNan;
  const double base = std::fabs(static_cast<double>(x)), power = y;
  const float magnitude = round_correctly(
      std::pow(base, power), [&](double c) { return numeric_detail::compare_power(base, power, c); });
  return x < 0 && is_odd_integer(y) ? -magnitude : magnitude;
}

float f32_exp(float x) {
  if (is_nan(x)) return kCanonicalNan;
  const double exact = x;
  return round_correctly(std::exp(exact), [&](double c) { return numeric_detail::compare_exp(exact, c); });
}

}  // namespace act
