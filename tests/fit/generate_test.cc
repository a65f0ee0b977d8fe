#include "act/fit/generate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "act/fit/user_table.h"
#include "act/tables/catalog_io.h"
#include "act/tables/check.h"
#include "act/tables/evaluate.h"
#include "act/tables/published.h"

namespace act::fit {
namespace {

using ::testing::HasSubstr;

Result<BuiltCatalog> build(std::string_view text) {
  Diagnostics warnings;
  auto spec = parse_build_spec(text, "spec.json", warnings);
  EXPECT_TRUE(spec) << to_text(spec.error()[0]);
  if (!spec) return spec.error();
  return build_catalog(*spec, warnings);
}

// The committed catalogs are what their committed specifications make, byte for byte.
class Committed : public ::testing::TestWithParam<const char*> {};

TEST_P(Committed, CatalogIsRebuiltByteForByte) {
  const std::string root = std::string(ACTKIT_SOURCE_DIR) + "/data/catalogs/" + GetParam();
  const auto text = read_text(root + ".json");
  ASSERT_TRUE(text);
  const auto built = build(*text);
  ASSERT_TRUE(built);
  const auto files = catalog_files(built->catalog);
  ASSERT_TRUE(files);
  for (const auto& [name, content] : *files) {
    const auto committed = read_file(root + "/" + name);
    ASSERT_TRUE(committed) << name;
    EXPECT_EQ(*committed, content) << name;
  }
  EXPECT_EQ(files->size(), std::string_view(GetParam()) == "trainium" ? 65u : 44u);
}
INSTANTIATE_TEST_SUITE_P(Faithful, Committed, ::testing::Values("trainium", "with_ln"));

// A-02 for what was built: no blob is larger than the shipped one, and where the structure is known it has its size.
TEST(Generate, BlobsAreNoLargerThanTheShippedOnes) {
  for (const Roster& roster : published_rosters()) {
    Diagnostics warnings;
    const auto built = build_catalog(roster_spec(roster, Method::taylor), warnings);
    ASSERT_TRUE(built);
    for (std::size_t i = 0; i < roster.sets.size(); ++i) {
      const RosterSet& set = roster.sets[i];
      const auto files = set_files(built->catalog.sets[i], roster.id_space);
      ASSERT_TRUE(files);
      bool known = true;
      for (const auto& [name, budget] : act_map(set))
        known = known && (budget == 1 || known_structure(name, static_cast<int>(budget)));
      for (const auto& [name, content] : *files) {
        const std::size_t shipped = name.ends_with("_bkt.bin")    ? static_cast<std::size_t>(set.bkt_entries) * 32
                                    : name.ends_with("_ctrl.bin") ? static_cast<std::size_t>(set.ctrl_entries) *
                                                                        ctrl_stride(roster.id_space)
                                                                  : 0;
        if (shipped == 0) continue;
        EXPECT_LE(content.size(), shipped) << name;
        if (known || name.ends_with("_ctrl.bin")) {
          EXPECT_EQ(content.size(), shipped) << name;
        }
      }
    }
  }
}

double worst_error(const FunctionInfo& f, const FunctionTable& table, float lo, float hi, Metric metric) {
  double worst = 0;
  for (int i = 0; i <= 20000; ++i) {
    const float x = lo + (hi - lo) * static_cast<float>(i) / 20000;
    const double exact = exact_value(f, x).hi;
    if (x == 0 || !std::isfinite(static_cast<float>(exact))) continue;
    worst = std::max(worst, std::fabs(evaluate(table, x) - exact) / metric_unit(metric, exact));
  }
  return worst;
}

struct Wish {
  const char* function;
  float lo, hi;
  Metric metric;
  double tolerance;
  bool both = false;  // methods: the slower ones take turns
};
class Tolerance : public ::testing::TestWithParam<Wish> {};

TEST_P(Tolerance, IsMetOverTheDomain) {
  const Wish& w = GetParam();
  const FunctionInfo& f = *find_function(w.function);
  const Method turn = f.name.size() % 2 == 0 ? Method::taylor : Method::minimax;
  for (const Method method : {Method::taylor, Method::minimax}) {
    if (!w.both && method != turn) continue;
    TableGoal goal;
    goal.domain = Interval{w.lo, w.hi};
    goal.metric = w.metric;
    goal.tolerance = w.tolerance;
    const auto fitted = fit_goal(f, 2, goal, method, IdSpace::sunda);
    ASSERT_TRUE(fitted) << to_text(fitted.error()[0]);
    EXPECT_LE(fitted->error, w.tolerance) << w.function;
    EXPECT_LE(worst_error(f, fitted->table, w.lo, w.hi, w.metric), fitted->error * (1 + 1e-9))
        << w.function << " " << method_name(method);
    EXPECT_FALSE(unresolved_input(fitted->table)) << w.function;
    EXPECT_FALSE(has_errors(check_tables(make_set("one", {fitted->table}), IdSpace::sunda))) << w.function;
  }
}
INSTANTIATE_TEST_SUITE_P(
    All, Tolerance,
    ::testing::Values(Wish{"exp", -4, 4, Metric::ulp, 16}, Wish{"exp", 0.5f, 3, Metric::relative, 1e-5, true},
                      Wish{"cos", -3, 3, Metric::absolute, 1e-5}, Wish{"tanh", -20, 20, Metric::ulp, 8, true},
                      Wish{"log1p", -0.5f, 100, Metric::mixed, 1e-5}, Wish{"expm1", -20, 20, Metric::relative, 1e-5},
                      Wish{"exp2", -10, 10, Metric::ulp, 32}, Wish{"log2", 0.25f, 64, Metric::mixed, 1e-5, true},
                      Wish{"elu", -30, 30, Metric::ulp, 16}, Wish{"selu", -30, 30, Metric::relative, 1e-5},
                      Wish{"celu", -5, 5, Metric::ulp, 16}, Wish{"hard_sigmoid", -8, 8, Metric::absolute, 1e-6},
                      Wish{"hard_swish", -8, 8, Metric::absolute, 1e-6},
                      Wish{"log_sigmoid", -30, 10, Metric::relative, 1e-5}, Wish{"softsign", -50, 50, Metric::ulp, 16},
                      Wish{"cbrt", -9, 9, Metric::absolute, 1e-5}, Wish{"tanhshrink", -6, 6, Metric::absolute, 1e-5},
                      Wish{"sin", -2, 1, Metric::absolute, 1e-6}, Wish{"gelu", 1, 5, Metric::ulp, 8},
                      Wish{"sqrt", 0.25f, 1024, Metric::ulp, 64}));

// One section, two, three and the maximum: the tables of 02 section 17 at their smallest and largest.
TEST(Generate, FewAndManySections) {
  const FunctionInfo& f = *find_function("exp");
  double last = INFINITY;
  for (const int sections : {1, 2, 3, 8, 64, 1024}) {
    TableGoal goal;
    goal.domain = Interval{1.0f, 1.99999f};
    goal.sections = sections;
    const auto fitted = fit_goal(f, 4, goal, Method::taylor, IdSpace::sunda);
    ASSERT_TRUE(fitted);
    EXPECT_LE(fitted->table.lut_size(), static_cast<std::size_t>(sections));
    EXPECT_LE(fitted->error, last);
    last = fitted->error;
  }
  EXPECT_LT(last, 2);
}

TEST(Generate, ImpossibleGoalsNameTheErrorThatCanBeReached) {
  TableGoal goal;
  goal.domain = Interval{-8.0f, 8.0f};
  goal.tolerance = 2;
  goal.sections = 60;
  const auto fitted = fit_goal(*find_function("exp"), 4, goal, Method::taylor, IdSpace::sunda);
  ASSERT_FALSE(fitted);
  EXPECT_EQ(fitted.error()[0].code, Code::out_of_reach);
  EXPECT_THAT(fitted.error()[0].allowed, HasSubstr("ulp or more"));
  // The named error is one that the same sections do reach.
  goal.tolerance.reset();
  const auto reached = fit_goal(*find_function("exp"), 4, goal, Method::taylor, IdSpace::sunda);
  ASSERT_TRUE(reached);
  EXPECT_GT(reached->error, 2);
  goal.sections = 1;
  EXPECT_FALSE(fit_goal(*find_function("exp"), 4, goal, Method::taylor, IdSpace::sunda)) << "fewer sections than sides";
  goal.sections.reset();
  goal.tolerance = 1e-9;
  goal.metric = Metric::relative;
  EXPECT_FALSE(fit_goal(*find_function("exp"), 4, goal, Method::taylor, IdSpace::sunda)) << "below binary32";
}

TEST(Generate, CapacityRulesHoldForASet) {
  const auto built = build(R"({"name": "x", "method": "taylor", "sets": [{"name": "full",
      "act": {"sigmoid": 40, "derivative_sigmoid": 40, "exp": 400}}]})");
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error()[0].rule, "V-17");
  const auto twice = build(R"({"name": "x", "method": "taylor", "sets": [{"name": "same",
      "act": {"tanh": 4, "erf": 4}}], "functions": {"erf": {"func_id": 6}}})");
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error()[0].rule, "V-15");
}

TEST(Generate, UserCatalogIsCleanAndDeterministic) {
  constexpr char kSpec[] = R"({"name": "mine", "sets": [
      {"name": "wave", "act": {"cos": 8, "identity": 1, "tanh": 4}},
      {"name": "more", "act": {"tanh": 4, "relu": 1}}],
      "functions": {"cos": {"domain": [-1.5, 1.5], "method": "taylor"}, "tanh": {"method": "taylor"}}})";
  const auto a = build(kSpec), b = build(kSpec);
  ASSERT_TRUE(a);
  ASSERT_TRUE(b);
  EXPECT_EQ(*catalog_files(a->catalog), *catalog_files(b->catalog));
  ASSERT_EQ(a->origins.size(), 2u);
  EXPECT_EQ(a->origins[0].function, "cos");
  EXPECT_GT(a->origins[0].fitted_error, 0);
  EXPECT_EQ(a->origins[1].source, StructureSource::digest);
  EXPECT_EQ(a->catalog.sets[1].functions[1].func_id, 2u);
  EXPECT_EQ(a->catalog.sets[0].functions[0].func_id, 192u);
}

}  // namespace
}  // namespace act::fit
