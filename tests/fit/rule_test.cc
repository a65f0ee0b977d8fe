#include "act/fit/rule.h"

#include <gtest/gtest.h>

#include <cmath>

#include "act/fit/threshold.h"
#include "fit/rule_check.h"

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

// the rule alone finds the shipped cut and thresholds of thirteen functions. The quick look compares some inputs, which
// is not enough for the two functions whose cut hangs on single ones; the slow test compares all.
class ShippedStructure : public ::testing::TestWithParam<const char*> {};

TEST_P(ShippedStructure, IsFoundByTheRule) {
  const std::string_view name = GetParam();
  const bool every = name == "arctan" || name == "derivative_gelu_apprx_sigmoid";
  testing_support::expect_shipped_structure(GetParam(), every ? 1 : 101);
}
INSTANTIATE_TEST_SUITE_P(A18, ShippedStructure, ::testing::ValuesIn(testing_support::kRuleFunctions),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace act::fit
