#include "act/tables/published.h"

#include <gtest/gtest.h>

#include <set>

#include "act/tables/functions.h"

namespace act {
namespace {

struct Counts {
  int bkt = 0, ctrl = 0, functions = 0;
};

// Sizes that follow from the rows of the functions (02 section 8.3).
Counts derived(const RosterSet& set) {
  Counts c;
  for (const auto& [name, budget] : act_map(set)) {
    const FunctionInfo* f = find_function(name);
    EXPECT_NE(f, nullptr) << name;
    if (!f) continue;
    int lut = -1;
    for (const FunctionBudget& b : f->budgets)
      if (b.budget == static_cast<int>(budget)) lut = b.lut_size;
    EXPECT_GE(lut, 0) << name << " has no budget " << budget;
    c.bkt += lut + 4;
    c.ctrl += f->octaves();
    ++c.functions;
  }
  return c;
}

// all 70 blob sizes follow from the function rows; totals over both catalogs.
TEST(Rosters, BlobSizesFollowFromTheFunctionRows) {
  Counts total;
  int sets = 0;
  for (const Roster& roster : published_rosters()) {
    for (const RosterSet& set : roster.sets) {
      const Counts c = derived(set);
      EXPECT_EQ(c.bkt, set.bkt_entries) << roster.name << " " << set.name;
      EXPECT_EQ(c.ctrl, set.ctrl_entries) << roster.name << " " << set.name;
      total.bkt += c.bkt;
      total.ctrl += c.ctrl;
      total.functions += c.functions;
      ++sets;
    }
  }
  EXPECT_EQ(sets, 35);
  EXPECT_EQ(total.functions, 409);
  EXPECT_EQ(total.bkt, 32759);
  EXPECT_EQ(total.ctrl, 3071);
}

// The function counts of the tables of 02 sections 4 and 5.
TEST(Rosters, FunctionCounts) {
  constexpr std::size_t kTrainium[] = {15, 14, 17, 14, 13, 14, 15, 14, 15, 15, 16, 15, 15, 14, 14, 14, 14, 14, 16, 16, 15};
  constexpr std::size_t kWithLn[] = {8, 8, 8, 8, 7, 2, 8, 8, 8, 7, 5, 5, 8, 10};
  const Roster &trainium = *find_roster("trainium"), &with_ln = *find_roster("with_ln");
  ASSERT_EQ(trainium.sets.size(), 21u);
  ASSERT_EQ(with_ln.sets.size(), 14u);
  for (std::size_t i = 0; i < 21; ++i) EXPECT_EQ(act_map(trainium.sets[i]).size(), kTrainium[i]) << i;
  for (std::size_t i = 0; i < 14; ++i) EXPECT_EQ(act_map(with_ln.sets[i]).size(), kWithLn[i]) << i;
  EXPECT_EQ(trainium.id_space, IdSpace::sunda);
  EXPECT_EQ(with_ln.id_space, IdSpace::tonga);
  EXPECT_EQ(find_roster("none"), nullptr);
}

std::set<std::string> universe(const Roster& roster) {
  std::set<std::string> names;
  for (const RosterSet& set : roster.sets)
    for (const auto& entry : act_map(set)) names.insert(entry.first);
  return names;
}

std::set<int> owners(const Roster& roster, std::string_view function) {
  std::set<int> sets;
  for (std::size_t i = 0; i < roster.sets.size(); ++i)
    for (const auto& entry : act_map(roster.sets[i]))
      if (entry.first == function) sets.insert(static_cast<int>(i));
  return sets;
}

TEST(Rosters, UniversesAndOwners) {
  const Roster &trainium = *find_roster("trainium"), &with_ln = *find_roster("with_ln");
  EXPECT_EQ(universe(trainium).size(), 36u);
  EXPECT_EQ(universe(with_ln).size(), 22u);
  EXPECT_EQ(owners(trainium, "tanh"), (std::set{0, 2, 8, 10, 11, 12, 18, 19, 20}));
  EXPECT_EQ(owners(trainium, "sin"), (std::set{9, 18, 19}));
  EXPECT_EQ(owners(trainium, "arctan"), (std::set{2, 9}));
  EXPECT_EQ(owners(trainium, "exp"), (std::set{0, 6}));
  EXPECT_EQ(owners(trainium, "ln"), (std::set{5, 6}));
  EXPECT_EQ(owners(with_ln, "tanh"), (std::set{0, 1, 2, 6, 7, 8, 13}));
  EXPECT_EQ(owners(with_ln, "abs").size(), 14u);
}

TEST(Rosters, EveryTrainiumSetHasTheThirteenResidents) {
  for (const RosterSet& set : find_roster("trainium")->sets) {
    int residents = 0;
    for (const auto& entry : act_map(set)) residents += entry.second == 1;
    EXPECT_EQ(residents, 13) << set.name;
  }
}

}  // namespace
}  // namespace act
