// The reference evaluator against its book (02 section 12) and against exact rational arithmetic.
#include "act/tables/evaluate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "exact_evaluator.h"

namespace act {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

float exact_cubic(const Section& s, float v) {
  const float d[4] = {s.d0, s.d1, s.d2, s.d3};
  const auto value = testing_support::exact_cubic(d, s.x, v);
  EXPECT_TRUE(value);
  return value.value_or(0);
}

float random_float(std::mt19937_64& gen, int lowest, int highest) {
  const auto exponent = static_cast<std::uint32_t>(
      127 + lowest + static_cast<int>(gen() % static_cast<unsigned>(highest - lowest + 1)));
  return bits_float(static_cast<std::uint32_t>(gen() & 0x80000000u) | exponent << 23 |
                    static_cast<std::uint32_t>(gen() & 0x7fffff));
}

TEST(Evaluate, CubicEqualsExactRationals) {
  std::mt19937_64 gen(20240229);
  for (int i = 0; i < 60000; ++i) {
    const Section s{random_float(gen, -8, 8), random_float(gen, -12, 8), random_float(gen, -20, 20),
                    random_float(gen, -30, 30), random_float(gen, -6, 6)};
    const float v = i % 3 == 0 ? s.x + random_float(gen, -20, -4) : random_float(gen, -12, 12);
    ASSERT_EQ(float_bits(evaluate_cubic(s, v)), float_bits(exact_cubic(s, v)))
        << std::hexfloat << v << " " << s.d0 << " " << s.d1 << " " << s.d2 << " " << s.d3 << " " << s.x;
  }
}

// The cube is one rounding of the exact one at the ends of the range too, where t*t*t in binary32 would not
// be.
TEST(Evaluate, CubeIsCorrectlyRoundedAtTheEnds) {
  Section s;
  s.d3 = 1;
  for (const std::uint32_t bits : {0x2a7fffffu, 0x2b000001u, 0x557fffffu, 0x554c3ab1u, 0x3fffffffu}) {
    const float v = bits_float(bits);
    EXPECT_EQ(float_bits(evaluate_cubic(s, v)), float_bits(exact_cubic(s, v))) << std::hex << bits;
  }
}

// A constant survives inputs whose binary32 square overflows (P-15).
TEST(Evaluate, ConstantClampStaysFiniteForHugeInputs) {
  Section one;
  one.d0 = 1;
  EXPECT_EQ(evaluate_cubic(one, 1e30f), 1.0f);
  EXPECT_EQ(evaluate_cubic(one, -std::numeric_limits<float>::max()), 1.0f);
}

// One octave [1, 2) in four sections that give their own number, low slot 10, high slot 20; negative side
// 30, 40.
FunctionTable numbered() {
  FunctionTable f;
  f.name = "numbered";
  f.exponent_offset = 0;
  Octave octave{.exponent = 0, .extract_size = 2, .sections = {}};
  for (int i = 0; i < 4; ++i)
    octave.sections.push_back({.d0 = static_cast<float>(i + 1), .d1 = 0, .d2 = 0, .d3 = 0, .x = 0});
  f.pos.octaves = {octave};
  f.pos.low = {127, 0, {10, 0, 0, 0, 0}};
  f.pos.high = {128, 0, {20, 0, 0, 0, 0}};
  f.neg.low = {0, 0, {30, 0, 0, 0, 0}};
  f.neg.high = {0, 0, {40, 0, 0, 0, 0}};
  f.specials = {.zero = 50, .nan = 60, .pinf = 70, .ninf = 80};
  f.lower_bound = -4;
  f.upper_bound = 4;
  return f;
}

TEST(Evaluate, SpecialsComeFirst) {
  const FunctionTable f = numbered();
  EXPECT_EQ(evaluate(f, 0.0f), 50);
  EXPECT_EQ(evaluate(f, -0.0f), 50);
  EXPECT_EQ(evaluate(f, kInf), 70);
  EXPECT_EQ(evaluate(f, -kInf), 80);
  EXPECT_EQ(evaluate(f, std::nanf("")), 60);
  EvalPolicy propagate;
  propagate.nan = NanPolicy::propagate;
  EXPECT_EQ(float_bits(evaluate(f, -std::nanf(""), propagate)), kQuietNanBits);
  EXPECT_EQ(evaluate_traced(f, kInf).path, EvalPath::special);
}

// High before low, bounds inclusive: mantissa >= on the high side, <= on the low side.
TEST(Evaluate, ClampTestsAndSections) {
  FunctionTable f = numbered();
  const auto at = [&](float v) { return evaluate(f, v); };
  EXPECT_EQ(at(1.0f), 10);  // a power of two at the low threshold is low
  EXPECT_EQ(at(std::nextafter(1.0f, 2.0f)), 1);
  EXPECT_EQ(at(0.7f), 10);
  EXPECT_EQ(at(bits_float(1)), 10);  // a subnormal has biased exponent 0 and no treatment of its own
  EXPECT_EQ(at(1.25f), 2);
  EXPECT_EQ(at(1.9999999f), 4);
  EXPECT_EQ(at(2.0f), 20);
  EXPECT_EQ(at(-1e-30f), 40);
  f.pos.high = {127, 0x400000, {20, 0, 0, 0, 0}};
  EXPECT_EQ(at(1.4999999f), 2);
  EXPECT_EQ(at(1.5f), 20);
  f.pos.low = {127, 0x7fffff, {10, 0, 0, 0, 0}};
  EXPECT_EQ(at(1.5f), 20);
}

TEST(Evaluate, TraceNamesRecordSideAndPath) {
  const FunctionTable f = numbered();
  EXPECT_EQ(evaluate_traced(f, 1.6f).record, 2u);
  EXPECT_EQ(evaluate_traced(f, 1.6f).path, EvalPath::section);
  const std::uint32_t low = evaluate_traced(f, 0.1f).record, high = evaluate_traced(f, 9.0f).record;
  EXPECT_EQ(low, 4u);   // pos_low is the first slot
  EXPECT_EQ(high, 6u);  // pos_high the third
  const EvalTrace neg = evaluate_traced(f, -9.0f);
  EXPECT_EQ(neg.record, 7u);
  EXPECT_EQ(neg.path, EvalPath::clamp_high);
  EXPECT_TRUE(neg.negative_side);
}

TEST(Evaluate, AbsentOctaveOrSectionIsUnhandled) {
  FunctionTable f = numbered();
  f.pos.high.sat_point = 129;
  EXPECT_EQ(evaluate_traced(f, 2.5f).path, EvalPath::unhandled);
  EXPECT_TRUE(std::isnan(evaluate(f, 2.5f)));
  f.pos.octaves[0].sections.pop_back();
  EXPECT_EQ(evaluate_traced(f, 1.9f).path, EvalPath::unhandled);
  EXPECT_EQ(evaluate_traced(f, 1.7f).path, EvalPath::section);
}

TEST(Evaluate, OddFunctionStoredOnThePositiveSide) {
  FunctionTable f = numbered();
  f.symmetry = {.enabled = true, .invert_sign = true, .use_neg_region = false, .point = 0};
  EXPECT_EQ(evaluate(f, 1.3f), 2);
  EXPECT_EQ(evaluate(f, -1.3f), -2);
  EXPECT_EQ(evaluate(f, -9.0f), -20);
  EXPECT_TRUE(evaluate_traced(f, -1.3f).reconstructed);
}

// with the negative side stored it is the positive inputs that are mirrored; the literal policy does
// the opposite.
TEST(Evaluate, PointSymmetryStoredOnTheNegativeSide) {
  FunctionTable f = numbered();
  std::swap(f.neg, f.pos);
  f.symmetry = {.enabled = true, .invert_sign = true, .use_neg_region = true, .point = 1};
  EXPECT_EQ(evaluate(f, -1.3f), 2);
  EXPECT_EQ(evaluate(f, 1.3f), -1);
  EvalPolicy literal;
  literal.recon = ReconPolicy::literal;
  EXPECT_EQ(evaluate(f, 1.3f, literal), 2);
  EXPECT_EQ(evaluate(f, -1.3f, literal), -1);
}

TEST(Evaluate, ParametricSlopeComesWithTheInstruction) {
  FunctionTable f = numbered();
  f.fma_indirection_src_sel = kParametricSelector;
  EXPECT_EQ(evaluate(f, -8.0f, {}, 0.25f), -2);
  EXPECT_EQ(evaluate(f, 8.0f, {}, 0.25f), 8);
  EXPECT_EQ(evaluate(f, -kInf, {}, 0.5f), -kInf);
  EXPECT_EQ(float_bits(evaluate(f, -std::nanf(""), {}, 0.5f)), kQuietNanBits);
  EXPECT_EQ(evaluate_traced(f, 8.0f).path, EvalPath::direct);
  EvalPolicy table;
  table.parametric = ParametricPolicy::table;
  EXPECT_EQ(evaluate(f, 8.0f, table, 0.25f), 20);
}

// Q6 of the public cases: separate rounding gives 0 where a fused multiply-add gives 0x33800000.
TEST(Evaluate, PrescaleIsNotFused) {
  EXPECT_EQ(prescale(bits_float(0x3f800800), bits_float(0x3f800800), bits_float(0xbf801000)), 0.0f);
}

TEST(Evaluate, BoundsHoldForTheFoldedInput) {
  FunctionTable f = numbered();
  EXPECT_FALSE(outside_bounds(f, 4));
  EXPECT_TRUE(outside_bounds(f, 4.5f));
  EXPECT_FALSE(outside_bounds(f, kInf));
  f.symmetry.enabled = true;
  f.lower_bound = 0;
  EXPECT_FALSE(outside_bounds(f, -3));
  EXPECT_TRUE(outside_bounds(f, -5));
  f.upper_bound = 0;
  EXPECT_FALSE(outside_bounds(f, -5));
}

}  // namespace
}  // namespace act
