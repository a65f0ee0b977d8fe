// Number formats a second time, from the tables of the data book, with methods that share nothing with the
// product: values by formula as exact rationals, rounding by searching the ordered list of values.
#pragma once

#include <gmpxx.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "act/numeric/dtype.h"

namespace act::reference {

// A row of the table in 01 section 5.4. Codes without their sign bit; -1 = there is none.
struct Format {
  const char* label;
  Dtype dtype;
  bool ocp;
  int sign, exponent, mantissa, bias;
  std::int64_t max_finite, inf, nan;  // nan: the one written, D-25
};

inline constexpr Format kFormats[] = {
    {"BFLOAT16", Dtype::bfloat16, false, 1, 8, 7, 127, 0x7F7F, 0x7F80, 0x7FC0},
    {"FP16", Dtype::fp16, false, 1, 5, 10, 15, 0x7BFF, 0x7C00, 0x7E00},
    {"FP8_EXP3", Dtype::fp8_exp3, false, 1, 3, 4, 3, 0x6F, 0x70, 0x78},
    {"FP8_EXP4", Dtype::fp8_exp4, false, 1, 4, 3, 7, 0x77, 0x78, 0x7C},
    {"FP8_EXP4_ocp", Dtype::fp8_exp4, true, 1, 4, 3, 7, 0x7E, -1, 0x7F},
    {"FP8_EXP5", Dtype::fp8_exp5, false, 1, 5, 2, 15, 0x7B, 0x7C, 0x7E},
    {"FP8_EXP2", Dtype::fp8_exp2, false, 1, 2, 5, 1, 0x7F, -1, -1},
    {"FP4_EXP2", Dtype::fp4_exp2, false, 1, 2, 1, 1, 0x7, -1, -1},
    {"SFP8_E8", Dtype::sfp8_e8, false, 0, 8, 0, 127, 0xFE, -1, 0xFF},
    {"SFP8_E7", Dtype::sfp8_e7, false, 0, 7, 1, 63, 0xFE, -1, 0xFF},
    {"SFP8_E6", Dtype::sfp8_e6, false, 0, 6, 2, 31, 0xFE, -1, 0xFF},
    {"SFP8_E5", Dtype::sfp8_e5, false, 0, 5, 3, 15, 0xFE, -1, 0xFF},
    // 22 significant bits of an FP32 word (D-24); codes here are the word without its low ten bits.
    {"FP32R", Dtype::fp32r, false, 1, 8, 13, 127, 0x1FDFFF, 0x1FE000, 0x1FF000},
};

inline const Format& format(const std::string& label) {
  for (const Format& f : kFormats)
    if (label == f.label) return f;
  throw std::runtime_error("no format " + label);
}

inline int width(const Format& f) { return f.sign + f.exponent + f.mantissa; }

// (-1)^s 2^(e-bias) (1 + m/2^M), or 2^(1-bias) m/2^M for e = 0, as numerator * 2^exponent. The code may be
// one beyond the largest exponent: the would-be next value. SFP8_E8 has no subnormals.
struct Scaled {
  std::uint32_t significand;
  int exponent;
};
inline Scaled magnitude(const Format& f, std::uint32_t code) {
  const std::uint32_t m = code & ((1u << f.mantissa) - 1);
  const int e = static_cast<int>(code >> f.mantissa);
  if (e == 0 && f.mantissa != 0) return {m, 1 - f.bias - f.mantissa};
  return {(1u << f.mantissa) + m, e - f.bias - f.mantissa};
}
inline double magnitude_as_double(const Format& f, std::uint32_t code) {
  const Scaled v = magnitude(f, code);
  return std::ldexp(v.significand, v.exponent);
}
inline mpq_class magnitude_as_rational(const Format& f, std::uint32_t code) {
  const Scaled v = magnitude(f, code);
  mpz_class power = 1;
  power <<= static_cast<unsigned>(std::abs(v.exponent));
  mpq_class q = v.exponent < 0 ? mpq_class(v.significand, power) : mpq_class(v.significand * power);
  q.canonicalize();
  return q;
}

// What overflow gives (D-26), without the sign.
inline std::uint32_t overflow_code(const Format& f, bool saturate) {
  if (saturate || (f.inf < 0 && f.nan < 0)) return static_cast<std::uint32_t>(f.max_finite);
  return static_cast<std::uint32_t>(f.inf >= 0 ? f.inf : f.nan);
}

// The code of a magnitude by exact rationals: the nearest of all values, the even code of two equally near.
class RationalRounder {
 public:
  explicit RationalRounder(const Format& f) : format_(f) {
    for (std::uint32_t code = 0; code <= f.max_finite + 1; ++code)
      values_.push_back(magnitude_as_rational(f, code));
  }
  std::uint32_t operator()(const mpq_class& x, bool saturate) const {
    if (x >= values_.back()) return overflow_code(format_, saturate);
    const auto above = std::upper_bound(values_.begin(), values_.end(), x);
    auto code = static_cast<std::uint32_t>(above - values_.begin());
    if (code == 0) return 0;  // below the smallest value of a format without zero
    const mpq_class up = values_[code] - x, down = x - values_[code - 1];
    if (down < up || (down == up && (code - 1) % 2 == 0)) --code;
    return code > format_.max_finite ? overflow_code(format_, saturate) : code;
  }

 private:
  Format format_;
  std::vector<mpq_class> values_;
};

// The code of each of a rising sequence of magnitudes, by walking up the staircase of rounding boundaries.
// Values and boundaries are exact in binary64.
class Staircase {
 public:
  Staircase(const Format& f, bool saturate)
      : format_(f), overflow_(act::reference::overflow_code(f, saturate)) {}
  void start_at(double x) {  // boundaries below x are skipped by bisection
    std::uint32_t low = 0, high = static_cast<std::uint32_t>(format_.max_finite) + 1;
    while (low < high) {
      const std::uint32_t mid = (low + high) / 2;
      if (passes(x, mid))
        low = mid + 1;
      else
        high = mid;
    }
    set(low);
  }
  std::uint32_t operator()(double x) {
    while (code_ <= format_.max_finite && (x > boundary_ || (x == boundary_ && code_ % 2 != 0)))
      set(code_ + 1);
    return code_ > format_.max_finite ? overflow_ : code_;
  }

 private:
  // Half-way between a code's value and the next one's.
  double boundary_above(std::uint32_t code) const {
    return (magnitude_as_double(format_, code) + magnitude_as_double(format_, code + 1)) / 2;
  }
  bool passes(double x, std::uint32_t code) const {
    const double b = boundary_above(code);
    return x > b || (x == b && code % 2 != 0);
  }
  void set(std::uint32_t code) {
    code_ = code;
    boundary_ = boundary_above(code);
  }
  Format format_;
  std::uint32_t overflow_, code_ = 0;
  double boundary_ = 0;
};

// Integer types: width and signedness of 01 section 5.1.
struct Integer {
  const char* label;
  Dtype dtype;
  int bits;
  bool is_signed;
};
inline constexpr Integer kIntegers[] = {
    {"INT8", Dtype::int8, 8, true},    {"UINT8", Dtype::uint8, 8, false},
    {"INT16", Dtype::int16, 16, true}, {"UINT16", Dtype::uint16, 16, false},
    {"INT32", Dtype::int32, 32, true}, {"UINT32", Dtype::uint32, 32, false},
    {"INT64", Dtype::int64, 64, true}, {"UINT64", Dtype::uint64, 64, false},
    {"INT4", Dtype::int4, 4, true},
};

inline mpz_class smallest(const Integer& t) {
  return t.is_signed ? mpz_class(-(mpz_class(1) << (t.bits - 1))) : mpz_class(0);
}
inline mpz_class largest(const Integer& t) { return (mpz_class(1) << (t.bits - (t.is_signed ? 1 : 0))) - 1; }

// Round to nearest even or truncate, then clamp, through the C library's binary64 rounding; the pattern.
inline std::uint64_t round_to_integer_type(const Integer& t, float x, bool truncate) {
  const std::uint64_t mask = t.bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << t.bits) - 1;
  if (std::isnan(x)) return 0;
  const double whole = truncate ? std::trunc(static_cast<double>(x)) : std::nearbyint(static_cast<double>(x));
  const double end = std::ldexp(1.0, t.bits - (t.is_signed ? 1 : 0));
  if (whole >= end) return t.is_signed ? mask >> 1 : mask;
  if (!t.is_signed) return whole <= 0 ? 0 : static_cast<std::uint64_t>(whole);
  if (whole <= -end) return (mask >> 1) + 1;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(whole)) & mask;
}

}  // namespace act::reference
