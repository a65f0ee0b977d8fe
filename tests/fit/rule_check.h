// A-18 for one function at one stride; used by the quick and the slow test.
#pragma once

#include <gtest/gtest.h>

#include "act/fit/rule.h"

namespace act::fit::testing_support {

inline void expect_shipped_structure(const char* name, std::uint32_t stride) {
  const FunctionInfo& f = *find_function(name);
  const auto known = known_structure(f.name, f.budgets[0].budget);
  ASSERT_TRUE(known);
  const Structure found = rule_structure(f, f.budgets[0].budget, stride);
  for (const bool negative : {true, false}) {
    const SideStructure& expected = negative ? known->neg : known->pos;
    const SideStructure& side = negative ? found.neg : found.pos;
    EXPECT_EQ(side.extract_sizes, expected.extract_sizes) << negative;
    EXPECT_EQ(side.sat_point, expected.sat_point) << negative;
    EXPECT_EQ(side.mantissa_point, expected.mantissa_point) << negative;
  }
  EXPECT_EQ(found.total(), static_cast<std::size_t>(f.budgets[0].lut_size));
}

inline constexpr const char* kRuleFunctions[] = {
    "exp",            "tanh",           "sigmoid",           "erf",
    "arctan",         "derivative_tanh", "derivative_sigmoid", "derivative_erf",
    "sin",            "gelu_apprx_tanh", "gelu_apprx_sigmoid", "derivative_gelu_apprx_sigmoid",
    "reciprocal"};

}  // namespace act::fit::testing_support
