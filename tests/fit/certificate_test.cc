#include "act/fit/certificate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "act/fit/taylor.h"
#include "act/tables/evaluate.h"

namespace act::fit {
namespace {

Certificate quick(std::string_view name, std::uint32_t stride) {
  const FunctionInfo& f = *find_function(name);
  const auto budget = static_cast<std::uint32_t>(f.budgets[0].budget);
  const auto table = shipped_table(name, f.budgets[0].budget, Method::taylor, IdSpace::sunda);
  EXPECT_TRUE(table);
  return certify(f, *table, {std::string(name), budget, Method::taylor, StructureSource::rule, {}, 0}, stride);
}

TEST(Certificate, NamesItsWorstInput) {
  const Certificate c = quick("tanh", 4001);
  const FunctionInfo& f = *find_function("tanh");
  const auto table = shipped_table("tanh", 4, Method::taylor, IdSpace::sunda);
  EXPECT_GT(c.measured.inner.error, 1);
  // The independent figure at that input: MPFR instead of the model of the sweep.
  EXPECT_NEAR(ulp_error(f, c.measured.inner.input, evaluate(*table, c.measured.inner.input)), c.measured.inner.error, 1e-3);
  EXPECT_EQ(c.sections, 104u);
  EXPECT_EQ(c.digest, 0u) << "only a full sweep has one";
  EXPECT_FALSE(c.has_taylor);
}

TEST(Certificate, DoesNotDependOnTheNumberOfThreads) {
  const FunctionInfo& f = *find_function("erf");
  const auto table = shipped_table("erf", 4, Method::taylor, IdSpace::sunda);
  ASSERT_TRUE(table);
  const Measurement a = measure_parallel(f, *table, error_domain(f), 5003), b = measure(f, *table, 5003);
  EXPECT_EQ(a.inner.error, b.inner.error);
  EXPECT_EQ(a.subnormal.error, b.subnormal.error);
}

TEST(Certificate, RoundTripsThroughItsFile) {
  const std::vector<Certificate> list = {quick("tanh", 100003), quick("exp", 100003), quick("reciprocal", 100003)};
  const std::string text = print_certificates("mine", list);
  Diagnostics warnings;
  const auto back = parse_certificates(text, "certificates.json", warnings);
  ASSERT_TRUE(back) << to_text(back.error()[0]);
  ASSERT_EQ(back->size(), 3u);
  EXPECT_EQ(print_certificates("mine", *back), text);
  EXPECT_EQ((*back)[1].neg, list[1].neg);
  EXPECT_EQ((*back)[1].pos.sat_point, 133u);
  EXPECT_EQ((*back)[0].measured.inner.input, list[0].measured.inner.input);
}

TEST(Certificate, BadFilesAreRefused) {
  const std::string good = print_certificates("mine", {quick("tanh", 100003)});
  const auto broken = [&](std::string_view from, std::string_view to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, text.npos) << from;
    text.replace(at, from.size(), to);
    Diagnostics warnings;
    return parse_certificates(text, "c.json", warnings);
  };
  EXPECT_FALSE(broken("tanh_4p", "tan_4p"));
  EXPECT_FALSE(broken("0*10 1", "0*10x1"));
  EXPECT_FALSE(broken("0*10 1", "0*1000 1"));
  EXPECT_FALSE(broken("0xff7fffff", "0xff7fffff00"));
  EXPECT_FALSE(broken("\"mantissa\": ", "\"mantissa\": -"));
  EXPECT_FALSE(broken("\"tables\": [", "\"tables\": {"));
}

}  // namespace
}  // namespace act::fit
