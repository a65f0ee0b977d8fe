#include "fit/section_fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "act/numeric/ulp.h"

namespace act::fit {
namespace {

struct Case {
  const char* function;
  std::uint32_t lo, hi;  // patterns
};

// Every input of the section.
double worst_of_all(Model& model, const Section& s, std::uint32_t lo, std::uint32_t hi) {
  double worst = 0;
  for (std::uint32_t b = lo; b != hi + 1; ++b) {
    worst = std::max(worst, std::fabs(ulp_error(evaluate_cubic(s, bits_float(b)), model(b))));
  }
  return worst;
}

constexpr Case kCases[] = {
    {"exp", 0x3f000000, 0x3f3fffff},      // [0.5, 0.75): the section of the published record 424
    {"tanh", 0x3f000000, 0x3f0fffff},     // an expansion point far outside pays here
    {"sigmoid", 0xc1000000, 0xc100ffff},  // negative side
    {"ln", 0x40000000, 0x4007ffff},
    {"sqrt", 0x3f800000, 0x3f8fffff},
    {"sin", 0x40400000, 0x40490fda},              // a truncated last section whose root lies just outside
    {"derivative_silu", 0xbfa00000, 0xbfa7ffff},  // a root inside
};

// No binary32 record can beat the minimax cubic with real coefficients; rounding costs little more than one
// ULP on top, and what the search believes is what all inputs show.
TEST(SectionFit, BetweenTheMinimaxErrorAndAnUlpAndAHalfAbove) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.function);
    Model model(*find_function(c.function));
    const SectionFit fit = fit_section(model, c.lo, c.hi, kFinal);
    const double all = worst_of_all(model, fit.section, c.lo, c.hi);
    // At a root the value is pinned, which costs the real cubic a little; the record is free to do without.
    EXPECT_GE(all, 0.9 * section_minimax(model, c.lo, c.hi));
    EXPECT_LE(all, section_minimax(model, c.lo, c.hi) * 1.05 + 1.5);
    EXPECT_LE(fit.error, all * (1 + 1e-9));
    EXPECT_GE(fit.error, 0.95 * all - 0.7);
  }
}

TEST(SectionFit, BetterThanTaylorAboutTheCentre) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.function);
    const FunctionInfo& f = *find_function(c.function);
    Model model(f);
    const float x = bits_float(c.lo + (c.hi - c.lo) / 2);
    const auto d = taylor_binary32(f, x);
    const double taylor = worst_of_all(model, {d[0], d[1], d[2], d[3], x}, c.lo, c.hi);
    EXPECT_LT(worst_of_all(model, fit_section(model, c.lo, c.hi, kFinal).section, c.lo, c.hi), taylor);
  }
}

// One input, two, three: the record goes through them.
TEST(SectionFit, HandfulsOfInputs) {
  Model model(*find_function("exp"));
  for (std::uint32_t n = 0; n < 6; ++n) {
    const SectionFit fit = fit_section(model, 0x3fa00000, 0x3fa00000 + n, kFinal);
    EXPECT_LE(worst_of_all(model, fit.section, 0x3fa00000, 0x3fa00000 + n), 1.0) << n;
  }
}

// No value above the range of the function, even where that costs accuracy.
TEST(SectionFit, StaysInTheRange) {
  Model model(*find_function("tanh"));
  ValueRange range;
  range.highest = 1;
  const std::uint32_t lo = float_bits(8.0F);
  const std::uint32_t hi = float_bits(8.75F);
  const Section s = fit_section(model, lo, hi, kFinal, range).section;
  for (std::uint32_t b = lo; b <= hi; ++b) ASSERT_LE(evaluate_cubic(s, bits_float(b)), 1.0F) << bits_float(b);
}

TEST(SectionFit, SameBytesEveryTime) {
  for (const Case& c : kCases) {
    Model a(*find_function(c.function));
    Model b(*find_function(c.function));
    (void)b(c.hi);
    EXPECT_EQ(fit_section(a, c.lo, c.hi, kFinal).section, fit_section(b, c.lo, c.hi, kFinal).section)
        << c.function;
  }
}

}  // namespace
}  // namespace act::fit
