#include "fit/rule_check.h"

namespace act::fit {
namespace {

class ShippedStructureAtEveryInput : public ::testing::TestWithParam<const char*> {};

TEST_P(ShippedStructureAtEveryInput, IsFoundByTheRule) { testing_support::expect_shipped_structure(GetParam(), 1); }
INSTANTIATE_TEST_SUITE_P(A18, ShippedStructureAtEveryInput, ::testing::ValuesIn(testing_support::kRuleFunctions),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace act::fit
