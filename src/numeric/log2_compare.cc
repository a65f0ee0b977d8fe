#include "log2_compare.h"

#include <bit>
#include <cmath>

namespace act::numeric_detail {
namespace {

__extension__ using Wide = unsigned __int128;

bool is_negative(const Fixed& x) { return x[3] >> 63 != 0; }

Fixed negated(Fixed x) {
  bool carry = true;
  for (std::uint64_t& limb : x) {
    limb = ~limb + (carry ? 1 : 0);
    carry = carry && limb == 0;
  }
  return x;
}

Fixed sum(const Fixed& a, const Fixed& b) {
  Fixed r{};
  Wide carry = 0;
  for (unsigned i = 0; i < 4; ++i) {
    carry += Wide{a[i]} + b[i];
    r[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  return r;
}

Fixed times(const Fixed& a, std::uint32_t factor) {  // of a non-negative a
  Fixed r{};
  Wide carry = 0;
  for (unsigned i = 0; i < 4; ++i) {
    carry += Wide{a[i]} * factor;
    r[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  return r;
}

Fixed shifted_left(Fixed a, unsigned count) {  // of a non-negative a
  for (; count >= 64; count -= 64) a = {0, a[0], a[1], a[2]};
  if (count != 0)
    for (unsigned i = 4; i-- > 0;) a[i] = a[i] << count | (i > 0 ? a[i - 1] >> (64 - count) : 0);
  return a;
}

Fixed shifted_right(Fixed a, unsigned count) {  // of a non-negative a
  for (; count >= 64; count -= 64) a = {a[1], a[2], a[3], 0};
  if (count != 0)
    for (unsigned i = 0; i < 4; ++i) a[i] = a[i] >> count | (i < 3 ? a[i + 1] << (64 - count) : 0);
  return a;
}

// factor * a, the factor an exact dyadic of either sign.
Fixed scaled(const Fixed& a, double factor) {
  const Dyadic f = dyadic(std::fabs(factor));
  const bool negative = is_negative(a) != (factor < 0);
  const Fixed product = times(is_negative(a) ? negated(a) : a, f.odd);
  const Fixed r = f.exponent >= 0 ? shifted_left(product, static_cast<unsigned>(f.exponent))
                                  : shifted_right(product, static_cast<unsigned>(-f.exponent));
  return negative ? negated(r) : r;
}

// z = Z / 2^255 in [1, 2). Squares Z and says whether the square reached 2 (and was halved).
bool square(Fixed& z) {
  std::array<std::uint64_t, 8> product{};
  for (unsigned i = 0; i < 4; ++i) {
    Wide carry = 0;
    for (unsigned j = 0; j < 4; ++j) {
      carry += Wide{z[i]} * z[j] + product[i + j];
      product[i + j] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
    product[i + 4] = static_cast<std::uint64_t>(carry);
  }
  const bool doubled = product[7] >> 63 != 0;
  for (unsigned i = 0; i < 4; ++i)
    z[i] = doubled ? product[i + 4] : product[i + 4] << 1 | product[i + 3] >> 63;
  return doubled;
}

int sign_of_difference(const Fixed& a, const Fixed& b) {
  const Fixed d = sum(a, negated(b));
  if (is_negative(d)) return -1;
  return d == Fixed{} ? 0 : 1;
}

// The root of a perfect square; 0 when x is none.
std::uint32_t exact_root(std::uint32_t x) {
  const auto r = static_cast<std::uint32_t>(std::sqrt(static_cast<double>(x)));
  return r * r == x ? r : 0;
}

// Whether x^y is exactly c. With x = m 2^e and m odd, a dyadic power needs y > 0 or m = 1; y = n / 2^k with n
// odd needs m = r^(2^k), and then r^n must fit the 25 bits of c. So every case is found by roots and a short
// product.
bool power_equals(const Dyadic& x, double y, const Dyadic& c) {
  if (x.odd == 1) return c.odd == 1 && x.exponent * y == c.exponent;
  if (y < 0) return false;
  Dyadic root = x, power = dyadic(y);
  for (; power.exponent < 0; ++power.exponent) {
    root.odd = exact_root(root.odd);
    if (root.odd == 0 || root.exponent % 2 != 0) return false;
    root.exponent /= 2;
  }
  constexpr unsigned kMaxPower = 15;  // 3^16 has more than 25 bits
  if (power.exponent > 3 || (std::uint64_t{power.odd} << power.exponent) > kMaxPower) return false;
  const unsigned n = power.odd << power.exponent;
  std::uint64_t product = 1;
  for (unsigned i = 0; i < n && product < (std::uint64_t{1} << 26); ++i) product *= root.odd;
  return product == c.odd && root.exponent * static_cast<int>(n) == c.exponent;
}

}  // namespace

// log2 of a dyadic number, digit by digit: squaring z doubles its logarithm, whose integer part is the next
// bit. A truncation in step i counts 2^-i of itself, so the sum stays within two units of the last place.
Fixed log2_of(const Dyadic& x) {
  const int top = std::bit_width(x.odd) - 1;
  Fixed z = {0, 0, 0, std::uint64_t{x.odd} << (63 - top)};
  Fixed result{};
  for (unsigned bit = kFraction; bit-- > 0;)
    if (square(z)) result[bit / 64] |= std::uint64_t{1} << (bit % 64);
  const std::int64_t integer = top + x.exponent;
  const Fixed whole = shifted_left({static_cast<std::uint64_t>(std::abs(integer)), 0, 0, 0}, kFraction);
  return sum(result, integer < 0 ? negated(whole) : whole);
}

Dyadic dyadic(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  const auto significand = static_cast<std::uint32_t>(std::ldexp(fraction, 32));
  const int zeros = std::countr_zero(significand);
  return {significand >> zeros, exponent - 32 + zeros};
}

int compare_power(double x, double y, double c) {
  const Dyadic base = dyadic(x), bound = dyadic(c);
  if (power_equals(base, y, bound)) return 0;
  return sign_of_difference(scaled(log2_of(base), y), log2_of(bound));
}

int compare_exp(double x, double c) { return sign_of_difference(scaled(kLog2OfE, x), log2_of(dyadic(c))); }

}  // namespace act::numeric_detail
