#include "fit/model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace act::fit {
namespace {

// Every table function against MPFR at random inputs of its whole domain, roots and tails included.
TEST(Model, WithinItsBoundOfTheExactValue) {
  for (const FunctionInfo& f : all_functions()) {
    if (!f.has_table()) continue;
    SCOPED_TRACE(std::string(f.name));
    Model model(f);
    std::mt19937 random(7);
    for (int i = 0; i < 120; ++i) {
      // Exponents of the shipped octaves and a few around them.
      const int lowest = std::min(f.neg.count > 0 ? f.neg.lowest : 127, f.pos.count > 0 ? f.pos.lowest : 127);
      const int highest = std::max(f.neg.lowest + f.neg.count, f.pos.lowest + f.pos.count);
      const auto exponent = static_cast<std::uint32_t>(lowest + 125) +
                            random() % static_cast<std::uint32_t>(highest - lowest + 3);
      std::uint32_t bits = exponent << 23 | (random() & 0x7fffff);
      if (!f.positive_only() && random() % 2 == 0) bits |= 0x80000000;
      const double exact = exact_value(f, bits_float(bits)).hi;
      if (!(std::fabs(exact) >= 0x1p-149 && std::fabs(exact) <= 0x1p128)) continue;
      EXPECT_LE(std::fabs(model(bits) - exact), kReferenceError * std::fabs(exact)) << bits_float(bits);
    }
  }
}

TEST(Model, WithinItsBoundNextToARoot) {
  for (const FunctionInfo& f : all_functions()) {
    if (!f.has_table()) continue;
    for (const Root& root : f.roots) {
      if (!root.exists || root.x == 0) continue;
      SCOPED_TRACE(std::string(f.name));
      Model model(f);
      const std::uint32_t at = float_bits(static_cast<float>(root.x));
      for (std::uint32_t d = 0; d < (1U << 21); d += d / 3 + 1) {
        for (const std::uint32_t bits : {at + d, at - d}) {
          const double exact = exact_value(f, bits_float(bits)).hi;
          EXPECT_LE(std::fabs(model(bits) - exact), kReferenceError * std::fabs(exact)) << bits_float(bits);
        }
      }
    }
  }
}

TEST(Model, RunsEqualSingleValues) {
  const FunctionInfo& f = *find_function("derivative_silu");
  Model model(f);
  std::vector<double> run(5000);
  const std::uint32_t first = float_bits(-1.0F);
  model.values(first, 1601, static_cast<std::uint32_t>(run.size()), run.data());
  for (std::uint32_t i = 0; i < run.size(); ++i) EXPECT_EQ(run[i], model(first + i * 1601));
}

TEST(Model, StraightOctaves) {
  Model tanh(*find_function("tanh"));
  const auto line = tanh.line(float_bits(0x1p-60F));
  ASSERT_TRUE(line);
  EXPECT_NEAR(line->b, 1, 1e-12);
  EXPECT_FALSE(tanh.line(float_bits(0.5F)));
}

}  // namespace
}  // namespace act::fit
