#include "act/tables/records.h"

#include <gtest/gtest.h>

#include <limits>

namespace act {
namespace {

TEST(Records, BudgetedNameRoundTrips) {
  EXPECT_EQ(budgeted_name("exp", 400), "exp_400p");
  EXPECT_EQ(split_budgeted_name("exp_400p"), (std::pair<std::string, std::uint32_t>{"exp", 400}));
  EXPECT_EQ(split_budgeted_name("derivative_gelu_apprx_sigmoid_4096p").second, 4096u);
  EXPECT_EQ(split_budgeted_name("ln_4p_1mp"), (std::pair<std::string, std::uint32_t>{"ln_1mp", 4}));
  EXPECT_EQ(budgeted_name("ln_1mp", 4), "ln_4p_1mp");
  for (const char* odd :
       {"exp", "exp_p", "exp_0p", "exp_4", "_4p", "exp_4xp", "", "exp_99999999999p", "ln_0mp"})
    EXPECT_EQ(split_budgeted_name(odd), (std::pair<std::string, std::uint32_t>{odd, 0})) << odd;
}

TEST(Records, SectionsCompareByBits) {
  Section a, b;
  a.d1 = b.d1 = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(a, b);
  b.d0 = -0.0f;
  EXPECT_NE(a, b);
}

TEST(Records, CountsFollowTheMaterialisedSections) {
  FunctionTable f;
  f.neg.octaves = {{.exponent = 0, .extract_size = 3, .sections = std::vector<Section>(5)}};
  f.pos.octaves = {{.exponent = 0, .extract_size = 0, .sections = {}}};
  EXPECT_EQ(f.lut_size(), 5u);
  EXPECT_EQ(f.octave_count(), 2u);
  EXPECT_EQ(f.record_count(), 9u);
  EXPECT_EQ(f.neg.octaves[0].capacity(), 8u);
  EXPECT_FALSE(f.resident());
}

TEST(Records, SetAndCatalogFindByName) {
  FunctionTable f;
  f.name = "exp";
  f.budget = 400;
  Catalog c;
  c.sets = {make_set("small", {}), make_set("exp_and_others", {f})};
  EXPECT_EQ(c.set_index("exp_and_others"), 1);
  EXPECT_EQ(c.find_set("none"), nullptr);
  EXPECT_EQ(c.set_with("exp"), &c.sets[1]);
  EXPECT_EQ(c.sets[1].row.profile_json, "exp_and_others.json");
  EXPECT_EQ(c.sets[1].row.act, (ActMap{{"exp", 400}}));
}

}  // namespace
}  // namespace act
