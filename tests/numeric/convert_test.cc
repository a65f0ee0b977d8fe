#include "act/numeric/convert.h"

#include <gtest/gtest.h>

#include <cmath>

#include "numeric/reference.h"

namespace act {
namespace {

using reference::Format;

constexpr NumericPolicy kOcp = {.fp8_mode = Fp8Mode::ocp};
NumericPolicy policy_of(const Format& f, bool saturate = false) {
  return {.fp8_mode = f.ocp ? Fp8Mode::ocp : Fp8Mode::neuron, .fp_saturate = saturate};
}
mpq_class rational(float x) { return mpq_class(static_cast<double>(x)); }

// The word of a format's code: FP32R keeps its 22 bits at the top of the word.
std::uint64_t word_of(const Format& f, std::uint64_t code) {
  return f.dtype == Dtype::fp32r ? code << 10 : code;
}

// 01 section 5.5, test vectors: FP32, FP16, BF16, E3M4, E4M3, E4M3-OCP, E5M2, FP32R.
constexpr std::uint32_t kVectors[][8] = {
    {0x3F800000, 0x3C00, 0x3F80, 0x30, 0x38, 0x38, 0x3C, 0x3F800000},
    {0xBFC00000, 0xBE00, 0xBFC0, 0xB8, 0xBC, 0xBC, 0xBE, 0xBFC00000},
    {0x3DCCCCCD, 0x2E66, 0x3DCD, 0x06, 0x1D, 0x1D, 0x2E, 0x3DCCCC00},
    {0x40490FDB, 0x4248, 0x4049, 0x49, 0x45, 0x45, 0x42, 0x40491000},
    {0x3A83126F, 0x1419, 0x3A83, 0x00, 0x01, 0x01, 0x14, 0x3A831400},
    {0x41780000, 0x4BC0, 0x4178, 0x6F, 0x58, 0x58, 0x4C, 0x41780000},
    {0x417C0000, 0x4BE0, 0x417C, 0x70, 0x58, 0x58, 0x4C, 0x417C0000},
    {0x43700000, 0x5B80, 0x4370, 0x70, 0x77, 0x77, 0x5C, 0x43700000},
    {0x4377E666, 0x5BBF, 0x4378, 0x70, 0x77, 0x77, 0x5C, 0x4377E800},
    {0x43780000, 0x5BC0, 0x4378, 0x70, 0x78, 0x78, 0x5C, 0x43780000},
    {0x43960000, 0x5CB0, 0x4396, 0x70, 0x78, 0x79, 0x5D, 0x43960000},
    {0x43E00000, 0x5F00, 0x43E0, 0x70, 0x78, 0x7E, 0x5F, 0x43E00000},
    {0x477FF000, 0x7C00, 0x4780, 0x70, 0x78, 0x7F, 0x7C, 0x477FF000},
    {0x4E6E6B28, 0x7C00, 0x4E6E, 0x70, 0x78, 0x7F, 0x7C, 0x4E6E6C00},
    {0x80000000, 0x8000, 0x8000, 0x80, 0x80, 0x80, 0x80, 0x80000000},
    {0x7F800000, 0x7C00, 0x7F80, 0x70, 0x78, 0x7F, 0x7C, 0x7F800000},
    {0x7FC00000, 0x7E00, 0x7FC0, 0x78, 0x7C, 0x7F, 0x7E, 0x7FC00000},
};

TEST(Convert, VectorsOfTheBook) {
  for (const auto& v : kVectors) {
    const float x = f32(v[0]);
    SCOPED_TRACE(testing::Message() << std::hex << v[0]);
    EXPECT_EQ(fp16_from_f32(x), v[1]);
    EXPECT_EQ(bf16_from_f32(x), v[2]);
    EXPECT_EQ(fp8_exp3_from_f32(x), v[3]);
    EXPECT_EQ(fp8_exp4_from_f32(x), v[4]);
    EXPECT_EQ(fp8_exp4_from_f32(x, kOcp), v[5]);
    EXPECT_EQ(fp8_exp5_from_f32(x), v[6]);
    EXPECT_EQ(fp32r_from_f32(x), v[7]);
  }
}

TEST(Convert, IntegerVectorsOfTheBook) {
  EXPECT_EQ(int8_from_f32(0.5f), 0);
  EXPECT_EQ(int8_from_f32(1.5f), 2);
  EXPECT_EQ(int8_from_f32(2.5f), 2);
  EXPECT_EQ(int8_from_f32(-2.5f), -2);
  EXPECT_EQ(int8_from_f32(3.5f), 4);
  EXPECT_EQ(int8_from_f32(126.5f), 126);
  EXPECT_EQ(int8_from_f32(127.5f), 127);
  EXPECT_EQ(uint8_from_f32(127.5f), 128);
  EXPECT_EQ(int8_from_f32(127.9f), 127);
  EXPECT_EQ(int8_from_f32(128.0f), 127);
  EXPECT_EQ(int8_from_f32(-128.5f), -128);
  EXPECT_EQ(int8_from_f32(-129.0f), -128);
  EXPECT_EQ(uint8_from_f32(-0.9f), 0);
  EXPECT_EQ(int8_from_f32(-0.9f), -1);
  EXPECT_EQ(uint8_from_f32(254.5f), 254);
  EXPECT_EQ(uint8_from_f32(255.9f), 255);
  EXPECT_EQ(int32_from_f32(2147483648.0f), 2147483647);
  EXPECT_EQ(int32_from_f32(std::nanf("")), 0);
  constexpr NumericPolicy kTruncate = {.int_rounding = IntRounding::truncate};
  EXPECT_EQ(int8_from_f32(-0.9f, kTruncate), 0);
  EXPECT_EQ(int8_from_f32(127.9f, kTruncate), 127);
  EXPECT_EQ(int16_from_f32(-2.5f, kTruncate), -2);
}

TEST(Convert, InfinitiesAndNanToIntegers) {
  const float inf = f32(kInfF32);
  for (const reference::Integer& t : reference::kIntegers) {
    SCOPED_TRACE(t.label);
    const std::uint64_t mask = element_mask(t.dtype);
    EXPECT_EQ(narrow(t.dtype, inf), t.is_signed ? mask >> 1 : mask);
    EXPECT_EQ(narrow(t.dtype, -inf), t.is_signed ? (mask >> 1) + 1 : 0);
    for (std::uint32_t nan : {0x7FC00000u, 0xFFC00000u, 0x7F800001u})
      EXPECT_EQ(narrow(t.dtype, f32(nan)), 0u);
  }
}

// Public bug reports: saturating casts to uint8 and int8.
TEST(Convert, QuantiseCases) {
  struct Case {
    float x;
    int as_uint8, as_int8;
  };
  constexpr Case cases[] = {{-5, 0, -5},        {-0.5f, 0, 0},      {0.5f, 0, 0},       {1.5f, 2, 2},
                            {2.5f, 2, 2},       {3.5f, 4, 4},       {126.5f, 126, 126}, {127.5f, 128, 127},
                            {254.5f, 254, 127}, {255.5f, 255, 127}, {300, 255, 127},    {-128.5f, 0, -128},
                            {-129, 0, -128},    {-2.5f, 0, -2}};
  for (const Case& c : cases) {
    EXPECT_EQ(uint8_from_f32(c.x), c.as_uint8) << c.x;
    EXPECT_EQ(int8_from_f32(c.x), c.as_int8) << c.x;
  }
}

TEST(Convert, Fp8AndFp16CasesOfPublicReports) {
  EXPECT_EQ(fp8_exp4_from_f32(247.9f), 0x77);
  EXPECT_EQ(fp8_exp4_from_f32(248.0f), 0x78);
  EXPECT_EQ(fp8_exp4_from_f32(17.0f), 0x58);
  EXPECT_EQ(fp8_exp4_from_f32(19.0f), 0x5A);
  EXPECT_EQ(fp8_exp4_from_f32(0x1p-10f), 0x00);
  EXPECT_EQ(fp8_exp4_from_f32(-0x1p-10f), 0x80);
  EXPECT_EQ(fp8_exp4_from_f32(0x1p-9f), 0x01);
  EXPECT_EQ(fp8_exp4_from_f32(464.0f, kOcp), 0x7E);
  EXPECT_EQ(fp8_exp4_from_f32(464.01f, kOcp), 0x7F);
  EXPECT_EQ(fp8_exp4_from_f32(-464.01f, kOcp), 0xFF);
  EXPECT_EQ(fp8_exp4_from_f32(464.01f, {.fp8_mode = Fp8Mode::ocp, .fp_saturate = true}), 0x7E);
  EXPECT_EQ(fp8_exp5_from_f32(61439.0f), 0x7B);
  EXPECT_EQ(fp8_exp5_from_f32(61440.0f), 0x7C);
  EXPECT_EQ(fp16_from_f32(65519.99f), 0x7BFF);
  EXPECT_EQ(fp16_from_f32(65520.0f), 0x7C00);
}

TEST(Convert, BfloatCasesOfPublicReports) {
  EXPECT_EQ(bf16_from_f32(508.0f * 748.0f), 0x48BA);
  EXPECT_EQ(bf16_from_f32(508.0f / 748.0f), 0x3F2E);
  EXPECT_EQ(bf16_from_f32(f32(0x3F808000)), 0x3F80);
  EXPECT_EQ(bf16_from_f32(f32(0x3F818000)), 0x3F82);
  EXPECT_EQ(bf16_from_f32(f32(0x7F7F7FFF)), 0x7F7F);
  EXPECT_EQ(bf16_from_f32(f32(0x7F7F8000)), 0x7F80);
  EXPECT_EQ(bf16_from_f32(f32(0x7F800001)), 0x7FC0);  // NaN, not infinity by cutting the payload
  EXPECT_EQ(bits_of(f32_from_bf16(0x7FC0)), kNanF32);
}

TEST(Convert, BigIntegersGoThroughFp32) {
  EXPECT_EQ(bits_of(widen(Dtype::int32, 2147483647)), 0x4F000000u);
  EXPECT_EQ(bits_of(widen(Dtype::int32, 16777217)), 0x4B800000u);
  EXPECT_EQ(convert(Dtype::int32, 2147483647, Dtype::uint32), 0x80000000u);
  EXPECT_EQ(convert(Dtype::int32, 16777217, Dtype::uint32), 16777216u);
  EXPECT_EQ(convert(Dtype::int32, 16777217, Dtype::int32), 16777217u);
  EXPECT_EQ(convert(Dtype::uint64, ~std::uint64_t{0}, Dtype::int64), 0x7FFFFFFFFFFFFFFFu);
}

TEST(Convert, EqualTypesMoveBits) {
  EXPECT_EQ(convert(Dtype::fp32, 0xFF800001, Dtype::fp32), 0xFF800001u);
  EXPECT_EQ(convert(Dtype::bfloat16, 0xFFFF, Dtype::bfloat16), 0xFFFFu);
  EXPECT_EQ(convert(Dtype::fp16, 0x12347D01, Dtype::fp16), 0x7D01u);
  EXPECT_EQ(convert(Dtype::fp32r, 0x3F800001, Dtype::fp32r), 0x3F800001u);
  EXPECT_EQ(convert(Dtype::fp32, 0x3F800001, Dtype::fp32r), 0x3F800000u);
  for (unsigned code = 0; code < 256; ++code)
    if (const DtypeRow* row = find_dtype(static_cast<std::uint8_t>(code))) {
      EXPECT_EQ(convert(row->dtype, 0xA5A5A5A5A5A5A5A5, row->dtype),
                0xA5A5A5A5A5A5A5A5 & element_mask(row->dtype));
    }
}

TEST(Convert, TypesWithoutValues) {
  for (Dtype t :
       {Dtype::invalid, Dtype::cptc1, Dtype::cptc7, static_cast<Dtype>(0x17), static_cast<Dtype>(0xFF)}) {
    EXPECT_FALSE(has_values(t));
    EXPECT_TRUE(is_nan(widen(t, 1)));
    EXPECT_EQ(narrow(t, 1.0f), 0u);
  }
  EXPECT_TRUE(has_values(Dtype::sfp8_e8));
}

class EveryFormat : public ::testing::TestWithParam<Format> {};

// Every code: its value against the formula as an exact rational, and back to the code it came from.
TEST_P(EveryFormat, EveryCodeBothWays) {
  const Format& f = GetParam();
  const NumericPolicy policy = policy_of(f);
  const std::uint32_t magnitudes = 1u << (f.exponent + f.mantissa);
  for (std::uint32_t code = 0; code < magnitudes << f.sign; ++code) {
    const std::uint32_t magnitude = code % magnitudes;
    const bool negative = code >= magnitudes;
    const float x = widen(f.dtype, word_of(f, code), policy);
    if (magnitude > f.max_finite) {
      if (magnitude == f.inf) {
        ASSERT_EQ(bits_of(x), negative ? 0xFF800000u : 0x7F800000u) << code;
        ASSERT_EQ(narrow(f.dtype, x, policy), word_of(f, code));
      } else {
        ASSERT_TRUE(std::isnan(x)) << code;
        // FP32R is read as FP32, so its payload stays.
        if (f.dtype != Dtype::fp32r) {
          ASSERT_EQ(bits_of(x), 0x7FC00000u) << code;
        }
        ASSERT_EQ(narrow(f.dtype, x, policy), word_of(f, static_cast<std::uint32_t>(f.nan)));
      }
      continue;
    }
    mpq_class expected = reference::magnitude_as_rational(f, magnitude);
    if (negative) expected = -expected;
    ASSERT_EQ(rational(x), expected) << code;
    ASSERT_EQ(std::signbit(x), negative) << code;
    ASSERT_EQ(narrow(f.dtype, x, policy), word_of(f, code)) << code;
  }
}

// Every boundary between neighbouring codes: the tie itself and the FP32 values on both sides of it.
TEST_P(EveryFormat, EveryTie) {
  const Format& f = GetParam();
  const reference::RationalRounder round(f);
  // The two million boundaries of FP32R are sampled here; the slow sweep covers all inputs.
  const std::int64_t step = f.max_finite > 0xFFFF ? 61 : 1;
  for (std::int64_t code = 0; code <= f.max_finite; code += step) {
    const auto c = static_cast<std::uint32_t>(code);
    const mpq_class tie =
        (reference::magnitude_as_rational(f, c) + reference::magnitude_as_rational(f, c + 1)) / 2;
    const auto middle = static_cast<float>(tie.get_d());
    for (float x : {middle, std::nextafter(middle, 0.0f), std::nextafter(middle, f32(kInfF32))}) {
      if (std::isinf(x)) continue;
      for (bool saturate : {false, true}) {
        const std::uint32_t up = round(rational(x), saturate);
        ASSERT_EQ(narrow(f.dtype, x, policy_of(f, saturate)), word_of(f, up)) << std::hexfloat << x;
        const std::uint32_t down = f.sign != 0 ? up | 1u << (f.exponent + f.mantissa) : 0;
        ASSERT_EQ(narrow(f.dtype, -x, policy_of(f, saturate)), word_of(f, down)) << std::hexfloat << -x;
      }
    }
  }
}

TEST_P(EveryFormat, InfinitySaturatesOnlyWhenAsked) {
  const Format& f = GetParam();
  const float inf = f32(kInfF32);
  for (bool saturate : {false, true})
    for (float x : {inf, f32(kMaxFiniteF32)}) {
      // The largest FP32 value is beyond the last rounding boundary of every format.
      const std::uint32_t code = reference::overflow_code(f, saturate);
      EXPECT_EQ(narrow(f.dtype, x, policy_of(f, saturate)), word_of(f, code));
    }
}

INSTANTIATE_TEST_SUITE_P(Formats, EveryFormat, ::testing::ValuesIn(reference::kFormats),
                         [](const auto& test) { return std::string(test.param.label); });

class EveryInteger : public ::testing::TestWithParam<reference::Integer> {};

TEST_P(EveryInteger, HalvesAroundTheEnds) {
  const reference::Integer& t = GetParam();
  const mpz_class low = reference::smallest(t), high = reference::largest(t);
  const auto check = [&](float x) {
    // Nearest integer, ties to even, by exact rationals: floor(x + 1/2), one less for an odd result of a tie.
    const mpq_class shifted = rational(x) + mpq_class(1, 2);
    mpz_class whole;
    mpz_fdiv_q(whole.get_mpz_t(), shifted.get_num_mpz_t(), shifted.get_den_mpz_t());
    if (whole == shifted && mpz_odd_p(whole.get_mpz_t())) whole -= 1;
    mpz_class expected = whole < low ? low : whole > high ? high : whole;
    if (expected < 0) expected += mpz_class(1) << t.bits;
    EXPECT_EQ(narrow(t.dtype, x), mpz_get_ui(expected.get_mpz_t())) << t.label << " " << std::hexfloat << x;
    EXPECT_EQ(reference::round_to_integer_type(t, x, false), mpz_get_ui(expected.get_mpz_t()));
  };
  for (double end : {low.get_d(), high.get_d(), 0.0, 8388608.0, 16777216.0})
    for (double step = -4; step <= 4; step += 0.25) {
      const auto x = static_cast<float>(end + step);
      check(x);
      check(-x);
      check(std::nextafter(x, f32(kInfF32)));
      check(std::nextafter(x, -f32(kInfF32)));
    }
}

// Every 8- and 16-bit pattern is exact in FP32; wider ones round as the exact value does.
TEST_P(EveryInteger, Widening) {
  const reference::Integer& t = GetParam();
  const auto value = [&](std::uint64_t bits) {
    mpz_class v;
    mpz_import(v.get_mpz_t(), 1, 1, sizeof bits, 0, 0, &bits);
    if (t.is_signed && bits >> (t.bits - 1) != 0) v -= mpz_class(1) << t.bits;
    return v;
  };
  if (t.bits <= 16) {
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << t.bits; ++bits) {
      const float x = widen(t.dtype, bits);
      ASSERT_EQ(rational(x), mpq_class(value(bits)));
      ASSERT_EQ(narrow(t.dtype, x), bits);
    }
    return;
  }
  std::uint64_t state = 1;
  for (int i = 0; i < 20000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t bits = (state >> (i % 48)) & element_mask(t.dtype);
    const mpq_class v(value(bits));
    const float x = widen(t.dtype, bits);
    const mpq_class error = abs(v - rational(x));
    for (float other : {std::nextafter(x, f32(kInfF32)), std::nextafter(x, -f32(kInfF32))}) {
      const mpq_class distance = abs(v - rational(other));
      ASSERT_LE(error, distance) << bits;
      if (error == distance) {
        ASSERT_EQ(bits_of(x) % 2, 0u) << bits;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Integers, EveryInteger, ::testing::ValuesIn(reference::kIntegers),
                         [](const auto& test) { return std::string(test.param.label); });

// What a cast between two different types gives: the exact value of the code, rounded to the target by
// bisection of its boundaries. 8- and 16-bit codes are exact in FP32, so nothing is rounded in between.
std::uint64_t expected_cast(double value, bool negative_zero, const Format& to) {
  const bool negative = value < 0 || negative_zero;
  const std::uint32_t sign = negative && to.sign != 0 ? 1u << (to.exponent + to.mantissa) : 0;
  if (std::isnan(value)) return word_of(to, to.nan < 0 ? 0 : static_cast<std::uint32_t>(to.nan));
  if (negative && to.sign == 0) return 0;
  if (std::isinf(value)) return word_of(to, sign | reference::overflow_code(to, false));
  reference::Staircase stairs(to, false);
  stairs.start_at(std::fabs(value));
  return word_of(to, sign | stairs(std::fabs(value)));
}

TEST_P(EveryFormat, CastToEveryOtherType) {
  const Format& from = GetParam();
  const std::uint32_t magnitudes = 1u << (from.exponent + from.mantissa);
  const std::uint32_t step = magnitudes > 0x8000 ? 1021 : magnitudes > 256 ? 19 : 1;
  for (std::uint32_t code = 0; code < magnitudes << from.sign; code += step) {
    const std::uint32_t magnitude = code % magnitudes;
    double value = magnitude <= from.max_finite ? reference::magnitude_as_double(from, magnitude)
                   : magnitude == from.inf      ? HUGE_VAL
                                                : std::nan("");
    if (code >= magnitudes && !std::isnan(value)) value = -value;
    for (const Format& to : reference::kFormats) {
      if (to.dtype == from.dtype || (to.ocp != from.ocp && to.dtype == Dtype::fp8_exp4)) continue;
      ASSERT_EQ(convert(from.dtype, word_of(from, code), to.dtype, policy_of(from)),
                expected_cast(value, std::signbit(value), to))
          << to.label << " from " << code;
    }
    for (const reference::Integer& to : reference::kIntegers)
      ASSERT_EQ(convert(from.dtype, word_of(from, code), to.dtype, policy_of(from)),
                reference::round_to_integer_type(to, static_cast<float>(value), false))
          << to.label << " from " << code;
  }
}

// Integers beyond 24 bits round to FP32 first. 64-bit patterns are taken with 32 zeros below, so that
// binary64 holds them exactly.
TEST_P(EveryInteger, CastToEveryOtherType) {
  const reference::Integer& from = GetParam();
  const unsigned low_zeros = from.bits == 64 ? 32 : 0;
  const std::uint64_t step = from.bits <= 8 ? 1 : from.bits == 16 ? 19 : 1299709;
  for (std::uint64_t bits = 0; bits <= element_mask(from.dtype) >> low_zeros; bits += step) {
    const std::uint64_t pattern = bits << low_zeros;
    const bool negative = from.is_signed && pattern >> (from.bits - 1) != 0;
    const double exact = std::ldexp(static_cast<double>(bits), static_cast<int>(low_zeros)) -
                         (negative ? std::ldexp(1.0, from.bits) : 0.0);
    const auto value = static_cast<float>(exact);
    for (const Format& to : reference::kFormats)
      ASSERT_EQ(convert(from.dtype, pattern, to.dtype, policy_of(to)), expected_cast(value, false, to))
          << to.label << " " << pattern;
    for (const reference::Integer& to : reference::kIntegers) {
      if (to.dtype == from.dtype) continue;
      ASSERT_EQ(convert(from.dtype, pattern, to.dtype), reference::round_to_integer_type(to, value, false))
          << to.label << " " << pattern;
    }
  }
}

TEST(Convert, ScalesWithoutSign) {
  EXPECT_EQ(sfp8_e7_from_f32(-1.0f), 0);
  EXPECT_EQ(sfp8_e8_from_f32(0.0f), 0);  // no zero: the smallest scale
  EXPECT_EQ(f32_from_sfp8_e8(0x00), 0x1p-127f);
  EXPECT_EQ(f32_from_sfp8_e8(0xFE), 0x1p127f);
  EXPECT_TRUE(is_nan(f32_from_sfp8_e8(0xFF)));
}

TEST(Convert, Nibbles) {
  EXPECT_EQ(pack_nibbles(0x3, 0xC), 0xC3);
  EXPECT_EQ(nibble_at(0xC3, 0), 0x3);
  EXPECT_EQ(nibble_at(0xC3, 1), 0xC);
  EXPECT_EQ(f32_from_int4(0xF), -1.0f);
  EXPECT_EQ(f32_from_int4(0x8), -8.0f);
}

// The conversions are usable in constants.
static_assert(bf16_from_f32(1.0f) == 0x3F80 && f32_from_fp16(0x3C00) == 1.0f && int8_from_f32(-2.5f) == -2);

}  // namespace
}  // namespace act
