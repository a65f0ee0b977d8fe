#include "act/fit/rule.h"

#include <gtest/gtest.h>

#include <cmath>

#include "act/fit/threshold.h"

namespace act::fit {
namespace {

TEST(Rule, WithinUlps) {
  EXPECT_TRUE(within_ulps(1.0f, std::nextafter(1.0f, 2.0f), 1));
  EXPECT_FALSE(within_ulps(1.0f, std::nextafter(1.0f, 2.0f), 0));
  EXPECT_TRUE(within_ulps(0.0f, -0.0f, 0));
  EXPECT_FALSE(within_ulps(0.0f, -1e-45f, 4)) << "the signs differ";
  EXPECT_TRUE(within_ulps(0.0f, 1e-45f, 4));
  EXPECT_TRUE(within_ulps(INFINITY, INFINITY, 0));
  EXPECT_FALSE(within_ulps(INFINITY, 3.4028235e38f, 400));
  EXPECT_TRUE(within_ulps(NAN, NAN, 0));
  EXPECT_FALSE(within_ulps(NAN, 1, 400));
}

// the rule alone finds the shipped cut and thresholds of thirteen functions. Every 997th input and the ends of the
// sections here; the slow test looks at all of them.
class ShippedStructure : public ::testing::TestWithParam<const char*> {};

TEST_P(ShippedStructure, IsFoundByTheRule) {
  const FunctionInfo& f = *find_function(GetParam());
  const auto known = known_structure(f.name, f.budgets[0].budget);
  ASSERT_TRUE(known);
  const Structure found = rule_structure(f, f.budgets[0].budget, 997);
  for (const bool negative : {true, false}) {
    const SideStructure& expected = negative ? known->neg : known->pos;
    const SideStructure& side = negative ? found.neg : found.pos;
    EXPECT_EQ(side.extract_sizes, expected.extract_sizes) << negative;
    EXPECT_EQ(side.sat_point, expected.sat_point) << negative;
    EXPECT_EQ(side.mantissa_point, expected.mantissa_point) << negative;
  }
  EXPECT_EQ(found.total(), static_cast<std::size_t>(f.budgets[0].lut_size));
}
INSTANTIATE_TEST_SUITE_P(A18, ShippedStructure,
                         ::testing::Values("exp", "tanh", "sigmoid", "erf", "arctan", "derivative_tanh",
                                           "derivative_sigmoid", "derivative_erf", "sin", "gelu_apprx_tanh",
                                           "gelu_apprx_sigmoid", "derivative_gelu_apprx_sigmoid", "reciprocal"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace act::fit
