#include "numeric/sweep.h"

#include <gtest/gtest.h>

namespace act::sweep {
namespace {

class Sample : public ::testing::TestWithParam<Target> {};

// One input in 4093, a prime, so that all low bits occur; both signs.
TEST_P(Sample, EqualsTheIndependentMethod) {
  for (std::uint64_t sign : {std::uint64_t{0}, std::uint64_t{1} << 31}) {
    const Outcome outcome = GetParam().run({sign, sign + (std::uint64_t{1} << 31), 4093});
    EXPECT_EQ(outcome.mismatches, 0u) << "first at 0x" << std::hex << outcome.first_mismatch;
  }
}

INSTANTIATE_TEST_SUITE_P(Narrow, Sample, ::testing::ValuesIn(all_targets()), [](const auto& test) {
  std::string name = test.param.label;
  std::replace(name.begin(), name.end(), '+', '_');
  return name;
});

}  // namespace
}  // namespace act::sweep
