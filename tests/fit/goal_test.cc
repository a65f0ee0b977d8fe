// What a table made to a goal promises, against other arithmetic and at every input of the octaves in question.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <span>
#include <vector>

#include "act/fit/certificate.h"
#include "act/fit/user_table.h"
#include "act/numeric/ulp.h"
#include "act/tables/evaluate.h"
#include "act/tables/vector_evaluate.h"

namespace act::fit {
namespace {

using ::testing::HasSubstr;

Result<GoalTable> fit(const char* name, const TableGoal& goal, Method method = Method::minimax) {
  return fit_goal(*find_function(name), 4, goal, method, IdSpace::sunda);
}

// Worst of `error(value, exact)` over every binary32 input from `first` to `last`.
template <class Function, class Error>
double worst_of_all(const FunctionTable& table, float first, float last, Function function, Error error) {
  const VectorTable vector(table);
  double worst = 0;
  std::vector<float> x, y(4096);
  for (std::uint32_t at = float_bits(first); at <= float_bits(last);) {
    x.clear();
    for (; x.size() < y.size() && at <= float_bits(last); ++at) x.push_back(bits_float(at));
    vector.evaluate(x, std::span(y).first(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, error(y[i], function(static_cast<double>(x[i]))));
  }
  return worst;
}
double in_ulp(float y, double f) { return std::fabs(ulp_error(y, f)); }
double absolute(float y, double f) { return std::fabs(static_cast<double>(y) - f); }

// The fit of `function` to `goal` keeps its tolerance at every input from `first` to `last`, and tells the worst error there.
template <class Exact, class Error>
void expect_kept(const char* function, const TableGoal& goal, float first, float last, Exact exact, Error error) {
  const auto fitted = fit(function, goal);
  ASSERT_TRUE(fitted) << to_text(fitted.error()[0]);
  const double worst = worst_of_all(fitted->table, first, last, exact, error);
  EXPECT_LE(worst, *goal.tolerance);
  EXPECT_NEAR(fitted->error, worst, 1e-6 * worst);
}

// The end of the low clamp is where softsign errs most: x - x^2 + x^3 leaves out 2^-32 at 2^-8.
TEST(Goal, ToleranceHoldsAtEveryInputOfTheLowClamp) {
  TableGoal goal;
  goal.domain = Interval{-0.0625F, 0.0625F};
  goal.tolerance = 8;
  expect_kept("softsign", goal, 0x1p-11F, 0.0625F, [](double v) { return v / (1 + v); }, in_ulp);
}

TEST(Goal, ErrorIsThatOfTheWorstInput) {
  TableGoal goal;
  goal.domain = Interval{-1.5F, 1.5F};
  goal.metric = Metric::absolute;
  goal.tolerance = 1e-5;
  expect_kept("sin", goal, 0x1p-4F, 1.5F, [](double v) { return std::sin(v); }, absolute);
}

// A fold answers both signs from one side, which reaches to the farther end of the domain.
TEST(Goal, CertificateIsAboutTheSameInputs) {
  TableGoal goal;
  goal.domain = Interval{-2.0F, 0.5F};
  goal.metric = Metric::absolute;
  goal.tolerance = 2e-5;
  const FunctionInfo& f = *find_function("tanh");
  const ErrorDomain domain = certified_domain(f, goal);
  EXPECT_EQ(domain.lowest, -2);
  EXPECT_EQ(domain.highest, 2);
  goal.domain = Interval{1.0F, 2.0F};
  EXPECT_EQ(certified_domain(f, goal).least_magnitude, 1);
  const auto fitted = fit("tanh", goal);
  ASSERT_TRUE(fitted) << to_text(fitted.error()[0]);
  EXPECT_NEAR(fitted->error, measure_octave(f, fitted->table, certified_domain(f, goal), false, 0, 1).absolute.error,
              1e-9 * fitted->error);
}

// The number in the text of a refusal.
double named_error(const Diagnostics& refused) {
  const std::string& text = refused[0].allowed;
  const std::size_t at = text.find("error of ");
  EXPECT_NE(at, text.npos) << text;
  return at == text.npos ? NAN : std::strtod(text.c_str() + at + 9, nullptr);
}

TEST(Goal, TheErrorARefusalNamesIsReached) {
  TableGoal goal;
  goal.domain = Interval{0.5F, 7.0F};
  goal.tolerance = 2;
  goal.sections = 12;
  const auto refused = fit("exp", goal, Method::taylor);
  ASSERT_FALSE(refused);
  goal.tolerance = named_error(refused.error());
  EXPECT_GT(*goal.tolerance, 2);
  const auto reached = fit("exp", goal, Method::taylor);
  ASSERT_TRUE(reached) << to_text(reached.error()[0]);
  EXPECT_LE(reached->error, *goal.tolerance);
  EXPECT_LE(reached->table.lut_size(), 12u);
}

TEST(Goal, BelowRoundingIsRefusedWithWhatRoundingAllows) {
  TableGoal goal;
  goal.domain = Interval{1.0F, 1.75F};
  goal.tolerance = 0.25;  // even the correctly rounded value errs by half an ULP
  const auto refused = fit("exp", goal, Method::taylor);
  ASSERT_FALSE(refused);
  goal.tolerance = named_error(refused.error());
  EXPECT_GE(*goal.tolerance, 0.5);
  EXPECT_LE(*goal.tolerance, 3);
  EXPECT_TRUE(fit("exp", goal, Method::taylor));
}

// Both signs of exp need a section, whatever the low clamp covers.
TEST(Goal, FewerSectionsThanSidesNameWhatTheLeastNumberReaches) {
  TableGoal goal;
  goal.domain = Interval{-1.0F, 1.0F};
  goal.sections = 1;
  const auto refused = fit("exp", goal, Method::taylor);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error()[0].code, Code::out_of_reach);
  EXPECT_THAT(refused.error()[0].allowed, HasSubstr("2 sections or more"));
  const double named = named_error(refused.error());
  goal.sections = 2;
  const auto reached = fit("exp", goal, Method::taylor);
  ASSERT_TRUE(reached);
  EXPECT_LE(reached->table.lut_size(), 2u);
  EXPECT_LE(reached->error, named);
  EXPECT_GE(reached->error, 0.99 * named);
}

// 1/x has no number at 0, and no table goes on to there.
TEST(Goal, PolesAreRefused) {
  TableGoal goal;
  goal.domain = Interval{0.0F, 0x1p-40F};
  goal.tolerance = 1000;
  const auto refused = fit("reciprocal", goal, Method::taylor);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error()[0].code, Code::out_of_reach);
}

}  // namespace
}  // namespace act::fit
