#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "act/numeric/alu.h"
#include "act/numeric/bits.h"
#include "numeric/mpfr_f32.h"

namespace act {
namespace {

using reference::f32_by_mpfr;
using reference::Mpfr;

const float kInf = f32(kInfF32), kNan = f32(kNanF32);
const float kZero = 0.0f, kMinus = -0.0f;

// Values at which something changes, of both signs, and NaNs with payload and sign.
std::vector<float> special_values() {
  std::vector<float> list;
  for (std::uint32_t bits :
       {0x00000000u, 0x00000001u, 0x00000003u, 0x007FFFFFu, 0x00800000u, 0x00800001u, 0x33800000u,
        0x3F000000u, 0x3F7FFFFFu, 0x3F800000u, 0x3F800001u, 0x40000000u, 0x40400000u, 0x4B7FFFFFu,
        0x4B800000u, 0x7E800000u, 0x7F7FFFFFu, 0x7F800000u, 0x7F800001u, 0x7FC00000u, 0x7FFFFFFFu})
    for (std::uint32_t sign : {0u, 0x80000000u}) list.push_back(f32(bits | sign));
  return list;
}
template <class Check>
void on_pairs(Check check) {
  const std::vector<float> special = special_values();
  for (float a : special)
    for (float b : special) check(a, b);
  std::mt19937 random(7);
  for (int i = 0; i < 30000; ++i) {
    const auto a = static_cast<std::uint32_t>(random());
    // Near exponents in half of the cases, so that sums cancel and round.
    const auto b =
        i % 2 == 0 ? static_cast<std::uint32_t>(random()) : a + (static_cast<std::uint32_t>(random()) >> 6);
    check(f32(a), f32(b));
  }
}

using MpfrBinary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
void expect_same(AluOp op, float a, float b, float expected) {
  ASSERT_EQ(bits_of(alu_float(op, a, b)), bits_of(expected))
      << alu_op_name(op) << std::hex << " 0x" << bits_of(a) << " 0x" << bits_of(b);
}

TEST(AluFloat, ArithmeticByMpfr) {
  const std::pair<AluOp, MpfrBinary> operations[] = {{AluOp::add, mpfr_add},
                                                     {AluOp::subtract, mpfr_sub},
                                                     {AluOp::mult, mpfr_mul},
                                                     {AluOp::divide, mpfr_div}};
  for (const auto& [op, function] : operations) {
    const AluOp o = op;
    const MpfrBinary f = function;
    on_pairs([o, f](float a, float b) {
      Mpfr x(a), y(b);
      expect_same(o, a, b, f32_by_mpfr([&](mpfr_ptr r) { return f(r, x.get(), y.get(), MPFR_RNDN); }));
    });
  }
}

TEST(AluFloat, DerivedArithmetic) {
  on_pairs([](float a, float b) {
    Mpfr x(a), y(b);
    const float difference =
        f32_by_mpfr([&](mpfr_ptr r) { return mpfr_sub(r, x.get(), y.get(), MPFR_RNDN); });
    expect_same(AluOp::absolute_diff, a, b, std::isnan(difference) ? kNan : std::fabs(difference));
    expect_same(AluOp::absolute_value, a, b, std::isnan(a) ? kNan : std::fabs(a));
    expect_same(AluOp::square, a, b,
                f32_by_mpfr([&](mpfr_ptr r) { return mpfr_sqr(r, x.get(), MPFR_RNDN); }));
    expect_same(AluOp::bypass, a, b, a);
  });
}

TEST(AluFloat, ModByMpfr) {
  std::mt19937 random(8);
  const auto check = [](float a, float b) {
    Mpfr x(a), y(b);
    float expected = f32_by_mpfr([&](mpfr_ptr r) { return mpfr_fmod(r, x.get(), y.get(), MPFR_RNDN); });
    if (expected == 0.0f) expected = std::copysign(0.0f, a);
    expect_same(AluOp::mod, a, b, expected);
  };
  for (float a : special_values())
    for (float b : special_values()) check(a, b);
  for (int i = 0; i < 5000; ++i)
    check(f32(static_cast<std::uint32_t>(random())), f32(static_cast<std::uint32_t>(random())));
}

// D-31: NaN is true, both zeros are false. Comparisons are ordered but for IS_NE.
TEST(AluFloat, TruthAndComparison) {
  on_pairs([](float a, float b) {
    const bool ta = std::isnan(a) || std::fabs(a) > 0, tb = std::isnan(b) || std::fabs(b) > 0;
    const bool ordered = !std::isnan(a) && !std::isnan(b);
    const auto as = [](bool c) { return c ? 1.0f : 0.0f; };
    expect_same(AluOp::logical_and, a, b, as(ta && tb));
    expect_same(AluOp::logical_or, a, b, as(ta || tb));
    expect_same(AluOp::logical_xor, a, b, as(ta != tb));
    const double x = ordered ? a : 0, y = ordered ? b : 0;
    expect_same(AluOp::is_eq, a, b, as(ordered && x == y));
    expect_same(AluOp::is_gt, a, b, as(ordered && x > y));
    expect_same(AluOp::is_ge, a, b, as(ordered && x >= y));
    expect_same(AluOp::is_le, a, b, as(ordered && x <= y));
    expect_same(AluOp::is_lt, a, b, as(ordered && x < y));
    expect_same(AluOp::is_ne, a, b, as(!ordered || x != y));
  });
}

// D-30 as an order: -infinity … -0 < +0 … infinity on sign and magnitude, and NaN loses.
TEST(AluFloat, MaxAndMin) {
  const auto key = [](float x) {
    const std::int64_t magnitude = bits_of(x) & 0x7FFFFFFFu;
    return std::signbit(x) ? -1 - magnitude : magnitude;
  };
  const auto larger = [&](float a, float b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? (std::isnan(b) ? kNan : b) : a;
    return key(a) > key(b) ? a : b;
  };
  const auto smaller = [&](float a, float b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? (std::isnan(b) ? kNan : b) : a;
    return key(a) < key(b) ? a : b;
  };
  on_pairs([&](float a, float b) {
    expect_same(AluOp::max, a, b, larger(a, b));
    expect_same(AluOp::min, a, b, smaller(a, b));
    expect_same(AluOp::abs_max, a, b, larger(std::fabs(a), std::fabs(b)));
    expect_same(AluOp::abs_min, a, b, smaller(std::fabs(a), std::fabs(b)));
    expect_same(AluOp::re_lu, a, b, larger(a, 0.0f));
    const float size = larger(std::fabs(a), std::fabs(b));
    expect_same(AluOp::symmetric_clamp, a, b, std::isnan(size) ? kNan : std::copysign(size, a));
  });
}

TEST(AluFloat, CornersNamedInTheBook) {
  EXPECT_EQ(bits_of(alu_float(AluOp::max, kZero, kMinus)), 0u);
  EXPECT_EQ(bits_of(alu_float(AluOp::max, kMinus, kZero)), 0u);
  EXPECT_EQ(bits_of(alu_float(AluOp::min, kZero, kMinus)), 0x80000000u);
  EXPECT_EQ(alu_float(AluOp::re_lu, kNan, 0), 0.0f);
  EXPECT_EQ(alu_float(AluOp::divide, 1.0f, kZero), kInf);
  EXPECT_EQ(alu_float(AluOp::divide, 1.0f, kMinus), -kInf);
  EXPECT_EQ(bits_of(alu_float(AluOp::divide, kZero, kZero)), kNanF32);
  EXPECT_EQ(alu_float(AluOp::rsqrt, kMinus, 0), -kInf);
  EXPECT_EQ(alu_float(AluOp::pow, 2.0f, 10.0f), 1024.0f);
  EXPECT_EQ(alu_float(AluOp::symmetric_clamp, -1.0f, 3.0f), -3.0f);
  // Public reports: infinity minus infinity, and the reciprocals at the ends.
  EXPECT_EQ(bits_of(alu_float(AluOp::subtract, kInf, kInf)), kNanF32);
  EXPECT_EQ(bits_of(alu_float(AluOp::divide, 1.0f, f32(0x7E800000))), 0x00800000u);
  EXPECT_EQ(bits_of(alu_float(AluOp::divide, 1.0f, f32(0xFE800000))), 0x80800000u);
  EXPECT_EQ(bits_of(alu_float(AluOp::divide, 1.0f, f32(0x7F000000))), 0x00400000u);
  EXPECT_EQ(bits_of(alu_float(AluOp::divide, 1.0f, f32(0x00400000))), 0x7F000000u);
  EXPECT_EQ(bits_of(alu_float(AluOp::divide, 1.0f, f32(0x00200000))), 0x7F800000u);
  EXPECT_EQ(bits_of(alu_float(AluOp::divide, 1.0f, 3.0f)), 0x3EAAAAABu);
}

TEST(AluFloat, OperationsOfOtherDomainsGiveNan) {
  for (AluOp op : {AluOp::bitwise_and, AluOp::crc32, AluOp::add_int, static_cast<AluOp>(0x1E)})
    EXPECT_EQ(bits_of(alu_float(op, 1.0f, 1.0f)), kNanF32);
}

// The worked example of 01 section 6.7: x = 5, SUBTRACT 2, MULT 10.
TEST(AluStages, Reversal) {
  const auto run = [](ReverseOperands r) {
    return alu_two_stages(AluOp::subtract, AluOp::mult, 5, 2, 10, r);
  };
  EXPECT_EQ(run(ReverseOperands::none), 30.0f);
  EXPECT_EQ(run(ReverseOperands::first), -30.0f);
  EXPECT_EQ(run(ReverseOperands::second), 30.0f);
  EXPECT_EQ(run(ReverseOperands::both), -30.0f);
  EXPECT_EQ(alu_two_stages(AluOp::mult, AluOp::subtract, 3, 4, 2, ReverseOperands::second), -10.0f);
  for (unsigned r = 0; r < 4; ++r)
    EXPECT_EQ(alu_two_stages(AluOp::bypass, AluOp::bypass, 7, 1, 2, static_cast<ReverseOperands>(r)), 7.0f);
  EXPECT_EQ(alu_stage_bits(AluOp::logical_shift_left, 1, 4, 8, true), 8u);
  EXPECT_EQ(alu_stage_bits(AluOp::logical_shift_left, 1, 4, 8, false), 16u);
  EXPECT_EQ(alu_stage_bits(AluOp::bypass, 1, 4, 8, true), 1u);
}

// Public reports: multiply and add round separately; sums depend on the order.
TEST(AluStages, EveryStageRoundsOnce) {
  const float x = f32(0x3F800800), bias = f32(0xBF801000);
  EXPECT_EQ(bits_of(alu_two_stages(AluOp::mult, AluOp::add, x, x, bias, ReverseOperands::none)), 0u);
  const float in_order = alu_float(AluOp::add, alu_float(AluOp::add, 16777216.0f, 1.0f), 1.0f);
  EXPECT_EQ(in_order, 16777216.0f);
}

// Public reports: the variance as mean of squares less square of the mean cancels to 0 instead of 0.25.
TEST(AluStages, VarianceCancels) {
  float sum = 0, squares = 0;
  for (float x : {4096.0f, 4097.0f, 4096.0f, 4097.0f}) {
    sum = alu_float(AluOp::add, sum, x);
    squares = alu_float(AluOp::add, squares, alu_float(AluOp::square, x, 0));
  }
  const float mean = alu_float(AluOp::mult, sum, 0.25f);
  const float variance =
      alu_float(AluOp::subtract, alu_float(AluOp::mult, squares, 0.25f), alu_float(AluOp::square, mean, 0));
  EXPECT_EQ(variance, 0.0f);
}

// D-47.
TEST(AluReduce, Identities) {
  const std::pair<AluOp, float> identities[] = {
      {AluOp::add, 0.0f},         {AluOp::subtract, 0.0f},   {AluOp::abs_max, 0.0f}, {AluOp::mult, 1.0f},
      {AluOp::logical_and, 1.0f}, {AluOp::max, -kInf},       {AluOp::min, kInf},     {AluOp::abs_min, kInf},
      {AluOp::logical_or, 0.0f},  {AluOp::logical_xor, 0.0f}};
  for (const auto& [op, value] : identities)
    EXPECT_EQ(bits_of(reduce_identity(op)), bits_of(value)) << alu_op_name(op);
  // Public reports: resetting a maximum must not leave 0 behind.
  EXPECT_EQ(alu_float(AluOp::max, alu_float(AluOp::max, reduce_identity(AluOp::max), -3.0f), -2.0f), -2.0f);
}

}  // namespace
}  // namespace act
