#include "act/tables/compare.h"

#include <gtest/gtest.h>

#include <cmath>

#include "act/tables/evaluate.h"
#include "sample_tables.h"

namespace act {
namespace {
using testing_support::sample_table;

TEST(Compare, EqualTablesHaveNoDifference) {
  const TableDifference d = compare_tables(sample_table("f", 4), sample_table("f", 4));
  EXPECT_TRUE(d.identical());
  EXPECT_EQ(d.worst_steps, 0u);
}

TEST(Compare, OneRecordIsFoundWithItsInput) {
  const FunctionTable a = sample_table("f", 4);
  FunctionTable b = a;
  b.pos.octaves[3].sections[5].d0 += 0.5f;  // inputs from 2 * (1 + 5/8) on
  const TableDifference d = compare_tables(a, b);
  EXPECT_EQ(d.records, 1u);
  EXPECT_FALSE(d.parameters);
  EXPECT_GE(d.worst_input, 3.25f);
  EXPECT_LT(d.worst_input, 3.5f);
  EXPECT_NEAR(d.worst_absolute, 0.5, 1e-6);
  EXPECT_GT(d.worst_steps, 100000u);
}

TEST(Compare, ParametersAndLengths) {
  const FunctionTable a = sample_table("f", 4);
  FunctionTable b = a;
  b.specials.pinf = 7;
  TableDifference d = compare_tables(a, b);
  EXPECT_TRUE(d.parameters);
  EXPECT_EQ(d.records, 0u);
  EXPECT_TRUE(std::isinf(d.worst_input));
  b = a;
  b.pos.octaves[4].sections.push_back({});
  d = compare_tables(a, b);
  EXPECT_EQ(d.records, 1u);
  EXPECT_EQ(d.sections[1], d.sections[0] + 1);
}

TEST(Compare, CatalogsByName) {
  Catalog a, b;
  const FunctionTable f = sample_table("f", 4), g = sample_table("g", 4);
  FunctionTable changed = f;
  changed.pos.octaves[0].sections[0].d1 = 9;
  a.sets = {make_set("one", {f, g}), make_set("two", {f}), make_set("mine", {g})};
  b.sets = {make_set("one", {changed}), make_set("two", {changed, g}), make_set("theirs", {g})};
  const CatalogDifference d = compare_catalogs(a, b);
  EXPECT_EQ(d.only_first, (std::vector<std::string>{"one: g", "mine"}));
  EXPECT_EQ(d.only_second, (std::vector<std::string>{"theirs", "two: g"}));
  ASSERT_EQ(d.tables.size(), 1u);  // the same pair in two sets is one difference
  EXPECT_EQ(d.tables[0].sets, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(d.identical, 0u);
  EXPECT_EQ(compare_catalogs(a, a).identical, 4u);
}

}  // namespace
}  // namespace act
