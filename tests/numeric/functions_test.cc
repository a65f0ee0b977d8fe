#include "act/numeric/functions.h"

#include <gmp.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "../../src/numeric/log2_compare.h"
#include "act/numeric/bits.h"
#include "numeric/mpfr_f32.h"

namespace act {
namespace {

using reference::f32_by_mpfr;
using reference::Mpfr;

const float kInf = f32(kInfF32);

std::string text(float x) { return testing::PrintToString(x) + " bits " + std::to_string(bits_of(x)); }

float mpfr_pow_f32(float x, float y) {
  Mpfr a(x), b(y);
  return f32_by_mpfr([&](mpfr_ptr r) { return mpfr_pow(r, a.get(), b.get(), MPFR_RNDN); });
}
void expect_pow(float x, float y) {
  EXPECT_EQ(bits_of(f32_pow(x, y)), bits_of(mpfr_pow_f32(x, y))) << text(x) << " to the " << text(y);
}

// 1/sqrt(x) repeats from binade to binade but one with a factor of two, so the significands of two
// neighbouring binades are all cases. R is right when 1/sqrt(x) lies between R - 1/2 and R + 1/2, in units of
// its last place.
TEST(Rsqrt, EverySignificandByExactIntegers) {
  __extension__ using Wide = unsigned __int128;
  for (std::uint32_t parity = 0; parity < 2; ++parity)
    for (std::uint64_t m = 1u << 23; m < 1u << 24; ++m) {
      // x = m 2^(parity - 23) in [1, 4), so the result is in (1/2, 1]: R 2^-24 (R = 2^24 for x = 1).
      const float x = std::ldexp(static_cast<float>(m), static_cast<int>(parity) - 23);
      const auto r = static_cast<std::uint64_t>(std::ldexp(static_cast<double>(f32_rsqrt(x)), 24));
      const Wide below = Wide{2 * r - 1} * (2 * r - 1) * m << parity;
      const Wide above = Wide{2 * r + 1} * (2 * r + 1) * m << parity;
      const Wide one = Wide{1} << (2 * 25 + 23);  // 1 = (2R 2^-25)^2 m 2^(parity-23)
      ASSERT_TRUE(below <= one && one <= above) << text(x);
    }
}

TEST(Rsqrt, OtherBinadesByMpfr) {
  for (std::uint64_t bits = 1; bits < 0x7F800000u; bits += 6151) {
    const float x = f32(static_cast<std::uint32_t>(bits));
    Mpfr a(x);
    const float expected = f32_by_mpfr([&](mpfr_ptr r) { return mpfr_rec_sqrt(r, a.get(), MPFR_RNDN); });
    ASSERT_EQ(bits_of(f32_rsqrt(x)), bits_of(expected)) << text(x);
  }
}

TEST(Rsqrt, SpecialValues) {
  EXPECT_EQ(f32_rsqrt(0.0f), kInf);
  EXPECT_EQ(f32_rsqrt(-0.0f), -kInf);
  EXPECT_EQ(bits_of(f32_rsqrt(kInf)), 0u);
  for (float x : {-1.0f, -kInf, -f32(1), f32(0x7F800001), f32(0xFFC00000)})
    EXPECT_EQ(bits_of(f32_rsqrt(x)), kNanF32);
  // Public reports: values of reciprocal square roots.
  EXPECT_EQ(bits_of(f32_rsqrt(0x1p-87f)), 0x553504F3u);
  EXPECT_EQ(bits_of(f32_rsqrt(f32(0x40800002))), 0x3EFFFFFEu);
  EXPECT_EQ(bits_of(f32_rsqrt(0x1p96f)), 0x27800000u);
}

TEST(Pow, SpecialValuesOfC99) {
  const float nan = f32(kNanF32);
  for (float y : {0.0f, -0.0f}) {
    for (float x : {0.0f, -0.0f, 1.0f, -2.5f, kInf, -kInf, nan}) EXPECT_EQ(f32_pow(x, y), 1.0f);
  }
  for (float y : {nan, kInf, -kInf, 3.0f}) EXPECT_EQ(f32_pow(1.0f, y), 1.0f);
  EXPECT_EQ(f32_pow(-1.0f, kInf), 1.0f);
  EXPECT_EQ(f32_pow(-1.0f, -kInf), 1.0f);
  EXPECT_EQ(f32_pow(0.0f, -3.0f), kInf);
  EXPECT_EQ(f32_pow(-0.0f, -3.0f), -kInf);
  EXPECT_EQ(f32_pow(-0.0f, -2.0f), kInf);
  EXPECT_EQ(f32_pow(-0.0f, -2.5f), kInf);
  EXPECT_EQ(bits_of(f32_pow(-0.0f, 3.0f)), 0x80000000u);
  EXPECT_EQ(bits_of(f32_pow(-0.0f, 2.0f)), 0u);
  EXPECT_EQ(f32_pow(0.5f, -kInf), kInf);
  EXPECT_EQ(bits_of(f32_pow(0.5f, kInf)), 0u);
  EXPECT_EQ(f32_pow(-2.0f, kInf), kInf);
  EXPECT_EQ(bits_of(f32_pow(-kInf, -3.0f)), 0x80000000u);
  EXPECT_EQ(f32_pow(-kInf, 3.0f), -kInf);
  EXPECT_EQ(f32_pow(-kInf, 4.0f), kInf);
  EXPECT_EQ(f32_pow(kInf, -0.5f), 0.0f);
  EXPECT_EQ(bits_of(f32_pow(-2.0f, 0.5f)), kNanF32);
  EXPECT_EQ(bits_of(f32_pow(nan, 1.0f)), kNanF32);
  EXPECT_EQ(bits_of(f32_pow(2.0f, f32(0xFF800001))), kNanF32);
}

TEST(Pow, SignFollowsOddIntegers) {
  EXPECT_EQ(f32_pow(-2.0f, 3.0f), -8.0f);
  EXPECT_EQ(f32_pow(-2.0f, -2.0f), 0.25f);
  EXPECT_EQ(f32_pow(-1.0f, 16777215.0f), -1.0f);
  EXPECT_EQ(f32_pow(-1.0f, 16777216.0f), 1.0f);
  EXPECT_EQ(f32_pow(-2.0f, 129.0f), -kInf);
  EXPECT_EQ(bits_of(f32_pow(-2.0f, -151.0f)), 0x80000000u);
}

// Powers that lie exactly half-way between two FP32 values.
TEST(Pow, ExactTies) {
  for (std::uint32_t m = 4097; m <= 5791; m += 2)
    expect_pow(static_cast<float>(m), 2.0f);       // 25-bit odd squares
  for (std::uint32_t m = 257; m <= 321; m += 2) {  // 25-bit odd cubes
    expect_pow(static_cast<float>(m), 3.0f);
    expect_pow(-static_cast<float>(m) * 0.125f, 3.0f);
    expect_pow(static_cast<float>(m * m), 1.5f);
  }
  for (std::uint32_t m = 3; m <= 77; m += 2)
    for (float y : {4.0f, 5.0f, 6.0f, 7.0f, 10.0f, 15.0f}) expect_pow(static_cast<float>(m), y);
  for (std::uint32_t m : {9u, 25u, 81u, 625u, 6561u}) {
    for (float y : {0.5f, 1.5f, 2.5f, 3.5f, 0.25f, 0.75f, 1.25f, 3.75f, 0.125f, 1.875f}) {
      expect_pow(static_cast<float>(m), y);
      expect_pow(static_cast<float>(m) * 0x1p-16f, y);
    }
  }
  // 2^-150 is half of the smallest subnormal, and odd multiples of it are ties above.
  expect_pow(0x1p-75f, 2.0f);
  expect_pow(0x1p-50f, 3.0f);
  expect_pow(3 * 0x1p-75f, 2.0f);
  expect_pow(5 * 0x1p-50f, 3.0f);
  expect_pow(0x1p-30f, 5.0f);
}

// Squares one unit of the exact product away from a tie, the nearest there are.
TEST(Pow, NearTies) {
  int found = 0;
  for (std::uint64_t m = (1u << 23) + 1; m < 1u << 24; m += 2) {
    const std::uint64_t square = m * m;
    const unsigned low_bits = square >> 47 != 0 ? 24 : 23;
    const std::uint64_t rest = square & ((std::uint64_t{1} << low_bits) - 1);
    const std::uint64_t half = std::uint64_t{1} << (low_bits - 1);
    if (rest != half + 1 && rest != half - 1) continue;
    ++found;
    const float x = static_cast<float>(m);
    EXPECT_EQ(static_cast<double>(f32_pow(x, 2.0f)),
              static_cast<double>(((square >> low_bits) + (rest > half ? 1 : 0)) << low_bits));
    expect_pow(x, 2.0f);
    expect_pow(x * 0x1p-24f, 2.0f);
  }
  EXPECT_GE(found, 2);
}

TEST(Pow, EndsOfTheRange) {
  expect_pow(2.0f, 128.0f);
  expect_pow(2.0f, std::nextafter(128.0f, 0.0f));
  expect_pow(f32(0x7F7FFFFF), 1.0f);
  expect_pow(2.0f, -149.0f);
  expect_pow(2.0f, std::nextafter(-150.0f, 0.0f));
  expect_pow(2.0f, std::nextafter(-150.0f, -kInf));
  expect_pow(f32(1), f32(1));
  expect_pow(f32(0x7F7FFFFF), f32(0x7F7FFFFF));
  expect_pow(f32(1), 0.0625f);
  expect_pow(f32(0x3F7FFFFF), 0x1p31f);
  expect_pow(f32(0x3F800001), -0x1p30f);
}

TEST(Pow, RandomOperandsByMpfr) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> exponent(-149, 128);
  for (int i = 0; i < 60000; ++i) {
    // A result exponent is drawn, and y chosen to reach it, so that few results over- or underflow.
    const bool near_one = i % 3 == 0;
    const float x = near_one ? f32(0x3F800000u - 4096 + static_cast<std::uint32_t>(random() % 8192))
                             : f32(static_cast<std::uint32_t>(random() % 0x7F800000u));
    if (x == 1.0f || x == 0.0f) continue;
    const auto y = static_cast<float>(exponent(random) / std::log2(static_cast<double>(x)));
    const float yy = i % 2 == 0 ? y : std::round(y);
    expect_pow(x, yy);
    if (i % 8 == 0) expect_pow(-x, yy);
  }
}

// The fixed-point number as an MPFR one, times 2^216.
void set_scaled(mpfr_ptr r, const numeric_detail::Fixed& x) {
  mpz_t z;
  mpz_init(z);
  mpz_import(z, x.size(), -1, sizeof x[0], 0, 0, x.data());
  if (x.back() >> 63 != 0) {
    mpz_t wrap;
    mpz_init_set_ui(wrap, 1);
    mpz_mul_2exp(wrap, wrap, 256);
    mpz_sub(z, z, wrap);
    mpz_clear(wrap);
  }
  mpfr_set_z(r, z, MPFR_RNDN);
  mpz_clear(z);
}

TEST(Logarithm, TwoUnitsOfTheLastPlaceByMpfr) {
  std::mt19937_64 random(13);
  Mpfr actual(0, 320), exact(0, 320);
  for (int i = 0; i < 2000; ++i) {
    const auto odd = static_cast<std::uint32_t>(random() >> (39 + i % 25)) | 1;
    const int exponent = static_cast<int>(random() % 300) - 150;
    set_scaled(actual.get(), numeric_detail::log2_of({odd, exponent}));
    mpfr_set_ui(exact.get(), odd, MPFR_RNDN);
    mpfr_log2(exact.get(), exact.get(), MPFR_RNDN);
    mpfr_add_si(exact.get(), exact.get(), exponent, MPFR_RNDN);
    mpfr_mul_2ui(exact.get(), exact.get(), numeric_detail::kFraction, MPFR_RNDN);
    mpfr_sub(exact.get(), exact.get(), actual.get(), MPFR_RNDN);
    ASSERT_GE(mpfr_get_d(exact.get(), MPFR_RNDN), 0) << odd << " " << exponent;
    ASSERT_LE(mpfr_get_d(exact.get(), MPFR_RNDN), 2) << odd << " " << exponent;
  }
}

TEST(Logarithm, OfE) {
  Mpfr actual(0, 320), exact(0, 320);
  set_scaled(actual.get(), numeric_detail::kLog2OfE);
  mpfr_const_log2(exact.get(), MPFR_RNDN);
  mpfr_ui_div(exact.get(), 1, exact.get(), MPFR_RNDN);
  mpfr_mul_2ui(exact.get(), exact.get(), numeric_detail::kFraction, MPFR_RNDN);
  mpfr_sub(exact.get(), exact.get(), actual.get(), MPFR_RNDN);
  EXPECT_LE(std::fabs(mpfr_get_d(exact.get(), MPFR_RNDN)), 1);
}

// The exact comparison, at the rounding boundary nearest to the power, where it has the most to decide.
TEST(Pow, ComparisonByMpfr) {
  std::mt19937_64 random(12);
  std::uniform_real_distribution<double> exponent(-148, 127);
  for (int i = 0; i < 3000; ++i) {
    const float x = i % 2 == 0 ? f32(0x3F800000u - 64 + static_cast<std::uint32_t>(random() % 128))
                               : f32(static_cast<std::uint32_t>(random() % 0x7F800000u));
    if (x == 1.0f || x == 0.0f) continue;
    const auto y = static_cast<float>(exponent(random) / std::log2(static_cast<double>(x)));
    if (y == 0.0f) continue;
    Mpfr a(x), b(y), power(0, 400), c(0, 25);
    mpfr_pow(power.get(), a.get(), b.get(), MPFR_RNDN);
    mpfr_set(c.get(), power.get(), MPFR_RNDN);
    const int expected = mpfr_cmp(power.get(), c.get());
    const int actual = numeric_detail::compare_power(x, y, mpfr_get_d(c.get(), MPFR_RNDN));
    ASSERT_EQ(actual, expected < 0 ? -1 : expected > 0 ? 1 : 0) << text(x) << " to the " << text(y);
  }
}

TEST(Exp, ComparisonByMpfr) {
  for (std::uint32_t bits = 0x33000000u; bits < 0x42B00000u; bits += 63541)
    for (float x : {f32(bits), -f32(bits)}) {
      Mpfr a(x), power(0, 400), c(0, 25);
      mpfr_exp(power.get(), a.get(), MPFR_RNDN);
      mpfr_set(c.get(), power.get(), MPFR_RNDN);
      const int expected = mpfr_cmp(power.get(), c.get());
      ASSERT_EQ(numeric_detail::compare_exp(x, mpfr_get_d(c.get(), MPFR_RNDN)), expected < 0 ? -1 : 1)
          << text(x);
    }
}

TEST(Exp, SampleByMpfr) {
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += 16381) {
    const float x = f32(static_cast<std::uint32_t>(bits));
    if (std::isnan(x)) continue;
    Mpfr a(x);
    const float expected = f32_by_mpfr([&](mpfr_ptr r) { return mpfr_exp(r, a.get(), MPFR_RNDN); });
    ASSERT_EQ(bits_of(f32_exp(x)), bits_of(expected)) << text(x);
  }
}

TEST(Exp, ValuesOfPublicReports) {
  EXPECT_EQ(bits_of(f32_exp(f32(0x42B17217))), 0x7F7FFF84u);
  EXPECT_EQ(f32_exp(f32(0x42B17218)), kInf);
  EXPECT_EQ(bits_of(f32_exp(f32(0xC2AEAC4F))), 0x00800026u);
  EXPECT_EQ(bits_of(f32_exp(-88.0f)), 0x0041EDC4u);
  EXPECT_EQ(bits_of(f32_exp(f32(0xC2CFF0A4))), 0x00000001u);
  EXPECT_EQ(bits_of(f32_exp(-104.0f)), 0u);
  EXPECT_EQ(bits_of(f32_exp(-1.0f)), 0x3EBC5AB2u);
  EXPECT_EQ(bits_of(f32_exp(1.0f)), 0x402DF854u);
  EXPECT_EQ(f32_exp(0.0f), 1.0f);
  EXPECT_EQ(f32_exp(-kInf), 0.0f);
  EXPECT_EQ(f32_exp(kInf), kInf);
  EXPECT_EQ(bits_of(f32_exp(f32(0xFF800001))), kNanF32);
}

}  // namespace
}  // namespace act
