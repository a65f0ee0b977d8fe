// Evaluation by another road: bytes of the blobs and numbers of the manifest, exact rationals, one rounding
// where the book (02 section 12) rounds. Shares no code with the library.
#pragma once

#include <gmpxx.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

namespace act::testing_support {

// Round to nearest even of a rational to `precision` bits, last place at least 2^emin. The result must not
// overflow.
inline double round_rational(const mpq_class& q, int precision, int emin) {
  if (q == 0) return 0;
  const mpq_class a = abs(q);
  int e = static_cast<int>(mpz_sizeinbase(a.get_num_mpz_t(), 2)) -
          static_cast<int>(mpz_sizeinbase(a.get_den_mpz_t(), 2));
  const auto power = [](int n) {
    mpq_class p(1);
    if (n >= 0)
      mpq_mul_2exp(p.get_mpq_t(), p.get_mpq_t(), static_cast<unsigned>(n));
    else
      mpq_div_2exp(p.get_mpq_t(), p.get_mpq_t(), static_cast<unsigned>(-n));
    return p;
  };
  if (a < power(e)) --e;  // now 2^e <= a < 2^(e+1)
  const int unit = std::max(e - precision + 1, emin);
  const mpq_class scaled = a * power(-unit);
  mpz_class whole = scaled.get_num() / scaled.get_den();
  const mpq_class rest = scaled - whole;
  if (rest > mpq_class(1, 2) || (rest == mpq_class(1, 2) && mpz_odd_p(whole.get_mpz_t()))) ++whole;
  const double value = std::ldexp(whole.get_d(), unit);
  return q < 0 ? -value : value;
}

// A binary32 result; from half a unit above the largest finite number on it is an infinity.
inline float round32(const mpq_class& q) {
  const double value = round_rational(q, 24, -149);
  return std::fabs(value) >= 0x1p128
             ? std::copysign(std::numeric_limits<float>::infinity(), static_cast<float>(q < 0 ? -1 : 1))
             : static_cast<float>(value);
}
inline double round64(const mpq_class& q) { return round_rational(q, 53, -1074); }

// Step 6 on finite numbers, in IEEE terms; nothing when an intermediate result leaves the finite range or is
// a zero whose sign would matter.
inline std::optional<float> exact_cubic(const float (&d)[4], float x, float v) {
  const float t32 = round32(mpq_class(v) - mpq_class(x));
  if (!std::isfinite(t32)) return std::nullopt;
  const mpq_class t = t32;
  const float scaled = round32(t * mpq_class(d[1]));
  if (!std::isfinite(scaled)) return std::nullopt;
  const float p32 = round32(mpq_class(scaled) + mpq_class(d[0]));
  if (!std::isfinite(p32)) return std::nullopt;
  const mpq_class square = round64(t * t), cube = round64(t * t * t);
  const mpq_class inner = round64(mpq_class(p32) + mpq_class(round64(square * mpq_class(d[2]))));
  return round32(mpq_class(round64(mpq_class(round64(cube * mpq_class(d[3]))) + inner)));
}

// One function of a set, read from its files by hand.
class ExactFunction {
 public:
  ExactFunction(const nlohmann::json& record, std::span<const std::uint8_t> bkt,
                std::span<const std::uint8_t> ctrl, std::size_t stride)
      : r_(record), bkt_(bkt), ctrl_(ctrl), stride_(stride) {}

  // The value, or nothing where rationals cannot say (infinities and NaN inside the cubic).
  std::optional<float> operator()(float v) const {
    if (v == 0) return bits("fzero_result");
    if (std::isinf(v)) return bits(v > 0 ? "fpinf_result" : "fninf_result");
    if (std::isnan(v)) return bits("fnan_result");
    const bool fold = number("symmetry_opt_en") != 0,
               negative_stored = number("symmetry_opt_use_neg_region") != 0;
    const float sel = !fold ? v : negative_stored ? -std::fabs(v) : std::fabs(v);
    const std::uint32_t pattern = std::bit_cast<std::uint32_t>(sel), e = pattern >> 23 & 0xff,
                        m = pattern & 0x7fffff;
    const std::string side = sel < 0 ? "neg" : "pos";
    const std::uint32_t high = number("large_" + side + "_signal_exp_threshold"),
                        low = number("small_" + side + "_signal_exp_threshold");
    std::uint32_t record = 0;
    if (e > high || (e == high && m >= number("large_" + side + "_signal_mantissa_threshold")))
      record = number(side + "_large_signal_pwl_control");
    else if (e < low || (e == low && m == 0))
      record = number(side + "_small_signal_pwl_control");
    else
      record = section("pwl_control_base_" + side, e, m);
    float d[4];
    for (std::size_t i = 0; i < 4; ++i) d[i] = std::bit_cast<float>(word(bkt_, 32 * record + 4 * i));
    const float x = std::bit_cast<float>(word(bkt_, 32 * record + 16));
    for (const float c : d)
      if (!std::isfinite(c)) return std::nullopt;
    auto result = exact_cubic(d, x, sel);
    if (!result) return result;
    if (fold && std::signbit(v) != std::signbit(sel)) {
      if (number("sym_invert_sign_point") != 0) *result = -*result;
      const float point = bits("symmetry_point");
      if (point != 0 && std::isfinite(*result)) result = round32(mpq_class(*result) + mpq_class(point));
    }
    return result;
  }

 private:
  std::uint32_t number(const std::string& key) const { return r_.at(key).get<std::uint32_t>(); }
  float bits(const std::string& key) const { return std::bit_cast<float>(number(key)); }
  static std::uint32_t word(std::span<const std::uint8_t> bytes, std::size_t at) {
    return bytes[at] | static_cast<std::uint32_t>(bytes[at + 1]) << 8 |
           static_cast<std::uint32_t>(bytes[at + 2]) << 16 | static_cast<std::uint32_t>(bytes[at + 3]) << 24;
  }
  std::uint32_t section(const std::string& base, std::uint32_t e, std::uint32_t m) const {
    const auto index = static_cast<std::size_t>(static_cast<int>(number(base)) + static_cast<int>(e) - 127 -
                                                r_.at("exp_offset").get<int>());
    const std::uint32_t control = word(ctrl_, index * stride_);
    return (control & 0x7ff) + (m >> (control >> 11 & 31));
  }

  const nlohmann::json& r_;
  std::span<const std::uint8_t> bkt_, ctrl_;
  std::size_t stride_;
};

}  // namespace act::testing_support
