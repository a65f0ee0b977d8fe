#include "act/fit/taylor.h"

#include <gtest/gtest.h>

#include <map>

#include "act/fit/frame.h"
#include "act/tables/blobs.h"
#include "act/tables/catalog_io.h"
#include "act/tables/evaluate.h"
#include "act/tables/layout.h"
#include "act/tables/published.h"
#include "tables/md5.h"
#include "tables/real_sets.h"

namespace act::fit {
namespace {

using testing_support::md5;

FunctionTable known_table(std::string_view name, IdSpace ids = IdSpace::sunda) {
  const FunctionInfo& f = *find_function(name);
  if (!f.has_table()) return resident_table(f, ids);
  return taylor_table(f, f.budgets[0].budget, *known_structure(name, f.budgets[0].budget), ids);
}

TableSet exp_and_others() {
  std::vector<FunctionTable> functions;
  const RosterSet& set = find_roster("trainium")->sets[0];
  for (const auto& entry : act_map(set)) functions.push_back(known_table(entry.first));
  return make_set(set.name, std::move(functions));
}

// the published ctrl words of 02 section 8.6; A-13: the same at the stride of with_ln.
TEST(Taylor, PublishedControlWords) {
  const auto words = ctrl_words(exp_and_others().functions);
  ASSERT_TRUE(words);
  const std::map<std::size_t, std::uint32_t> published = {
      {0, 0x0000b800},  {1, 0x0000b801},  {18, 0x0001b012}, {25, 0x00087910},
      {26, 0x0000b996}, {51, 0x00087aa6}, {64, 0x0000bb2d}};
  for (const auto& [index, word] : published) EXPECT_EQ((*words)[index], word) << index;
  const Bytes narrow = pack_ctrl_blob(*words, 16);
  EXPECT_EQ(narrow[16], 0x01);
  EXPECT_EQ(narrow[17], 0xb8);
}

// record 0, the section of 0.5, the clamp slots.
TEST(Taylor, PublishedRecordsOfExp) {
  const std::vector<FunctionTable> functions = exp_and_others().functions;
  const std::vector<Section> records = bkt_records(functions);
  const Section first{bits_float(0x3f7fffd0), bits_float(0x3f7fffd0), bits_float(0x3effffd0), bits_float(0x3e2aaa8b),
                      bits_float(0xb63fffff)};
  EXPECT_EQ(records[0], first);
  EXPECT_EQ(float_bits(records[424].x), 0x3f1fffffu);
  EXPECT_EQ(float_bits(records[424].d0), 0x3fef22aeu);
  const Section low{1, 1, 0.5f, bits_float(0x3e2aaaab), 0};
  EXPECT_EQ(records[777], low);
  EXPECT_EQ(records[778], low);
  EXPECT_EQ(records[779], (Section{bits_float(0x7f800000), 0, 0, 0, 0}));
  EXPECT_EQ(records[780], Section{});
  EXPECT_EQ(float_bits(evaluate(functions[0], 0.5f)), 0x3fd308b1u);
}

//
TEST(Taylor, ExpVectors) {
  const FunctionTable exp = known_table("exp");
  const std::pair<float, std::uint32_t> vectors[] = {
      {1.0f, 0x402df7d4}, {-1.0f, 0x3ebc5a40}, {10.f, 0x46ac1470},  {-10.f, 0x383e6b5b}, {0.25f, 0x3fa45a78},
      {2.0f, 0x40ec7277}, {-.5f, 0x3f1b453a},  {88.f, 0x7ef88200},  {100.f, 0x7f800000}, {-104.f, 0},
      {0.f, 0x3f800000},  {INFINITY, 0x7f800000}, {-INFINITY, 0}};
  for (const auto& [input, output] : vectors) EXPECT_EQ(float_bits(evaluate(exp, input)), output) << input;
  EXPECT_EQ(evaluate_traced(exp, 0x1p-19f).path, EvalPath::clamp_low);
}

//
TEST(Taylor, SigmoidFromItsNegativeSide) {
  const FunctionTable sigmoid = known_table("sigmoid");
  EXPECT_TRUE(sigmoid.pos.octaves.empty());
  for (const float x : {0.3f, 1.0f, 5.5f, 17.0f}) {
    const float negative = evaluate(sigmoid, -x);
    EXPECT_EQ(evaluate(sigmoid, x), -negative + 1.0f) << x;
    EXPECT_LE(ulp_error(*find_function("sigmoid"), -x, negative), 60) << x;
  }
  EXPECT_EQ(evaluate(sigmoid, 0.0f), 0.5f);
  EXPECT_EQ(evaluate(sigmoid, INFINITY), 1);
  EXPECT_EQ(evaluate(sigmoid, -INFINITY), 0);
}

// far outside its range sin carries the cubic at pi on.
TEST(Taylor, SinNine) {
  EXPECT_NEAR(evaluate(known_table("sin"), 9.0f), 27.6526, 1e-3);
  EXPECT_TRUE(outside_bounds(known_table("sin"), 9.0f));
}

// the shipped files, byte for byte.
TEST(Taylor, ExpAndOthersHasThePublishedDigests) {
  const auto files = set_files(exp_and_others(), IdSpace::sunda);
  ASSERT_TRUE(files);
  std::map<std::string, std::pair<std::size_t, std::string>> found;
  for (const auto& [name, content] : *files) found[name] = {content.size(), md5(content)};
  using Entry = std::pair<std::size_t, std::string>;
  EXPECT_EQ(found["exp_and_others_ctrl.bin"], (Entry{2848, "0fddfa2e29d5bc3d31d033b45deb7356"}));
  EXPECT_EQ(found["exp_and_others_bkt.bin"], (Entry{30112, "14b0d1b5d0ae7b57bed70bdebeca46dc"}));
  EXPECT_EQ(found["exp_and_others.json"], (Entry{28093, "276ca51fce4d2a5f1407fa69d4f30d08"}));
}

// the roster of 21 sets, and of the 20 without the last.
TEST(Taylor, RosterHasThePublishedDigests) {
  std::vector<RosterRow> rows;
  for (const RosterSet& set : find_roster("trainium")->sets) rows.push_back(standard_row(set.name, act_map(set)));
  const std::string all = print_roster(rows);
  rows.pop_back();
  const std::string older = print_roster(rows);
  EXPECT_EQ(all.size(), 15859u);
  EXPECT_EQ(md5(as_bytes(all)), "aa8ea33a5b7414695fa87ca890f50d6c");
  EXPECT_EQ(older.size(), 15001u);
  EXPECT_EQ(md5(as_bytes(older)), "9b149df1f7ce2fb6c2eefc127b0a9582");
}

// The section counts of G-5 follow from sizes and thresholds, and are those of the function rows.
TEST(Structure, KnownCountsAreTheShippedOnes) {
  int known = 0;
  for (const FunctionInfo& f : all_functions()) {
    for (const FunctionBudget& b : f.budgets) {
      const auto structure = b.budget > 1 ? known_structure(f.name, b.budget) : std::nullopt;
      if (!structure) continue;
      ++known;
      EXPECT_EQ(structure->total(), static_cast<std::size_t>(b.lut_size)) << f.name;
      EXPECT_EQ(structure->neg.extract_sizes.size(), static_cast<std::size_t>(f.neg.count)) << f.name;
      EXPECT_EQ(structure->pos.extract_sizes.size(), static_cast<std::size_t>(f.pos.count)) << f.name;
    }
  }
  EXPECT_EQ(known, 13);
  const auto exp = known_structure("exp", 400);
  EXPECT_EQ(exp->neg.total(), 406u);
  EXPECT_EQ(exp->pos.sections(25), 99u);
  EXPECT_EQ(exp->neg.sections(25), 134u);
}

// Manifests whose functions all have a known structure have the published length: every threshold, bound, code and index
// has the right number of digits, and the act order is right.
TEST(Taylor, ManifestLengthsOfKnownSets) {
  int compared = 0;
  for (const Roster& roster : published_rosters()) {
    for (const RosterSet& set : roster.sets) {
      std::vector<FunctionTable> functions;
      bool known = true;
      for (const auto& [name, budget] : act_map(set)) {
        known = known && (budget == 1 || known_structure(name, static_cast<int>(budget)));
        if (known) functions.push_back(known_table(name, roster.id_space));
      }
      if (!known) continue;
      EXPECT_EQ(print_manifest(make_manifest(make_set(set.name, functions))).size(),
                static_cast<std::size_t>(set.manifest_bytes))
          << roster.name << " " << set.name;
      ++compared;
    }
  }
  EXPECT_EQ(compared, 11 + 8);
}

// The set found in real containers is the generated one: every record, threshold and special result.
TEST(Taylor, RealContainersHoldTheGeneratedSet) {
  int containers = 0;
  for (const char* name : testing_support::kRealContainers) {
    const auto folder = testing_support::real_catalog(name);
    if (!folder) continue;
    Diagnostics warnings;
    const auto catalog = read_catalog(*folder, {}, warnings);
    ASSERT_TRUE(catalog) << name;
    const TableSet* shipped = catalog->find_set("exp_and_others");
    ASSERT_NE(shipped, nullptr) << name;
    const TableSet generated = exp_and_others();
    ASSERT_EQ(shipped->functions.size(), generated.functions.size());
    for (std::size_t i = 0; i < generated.functions.size(); ++i)
      EXPECT_EQ(shipped->functions[i], generated.functions[i]) << name << " " << generated.functions[i].name;
    ++containers;
  }
  if (containers == 0) GTEST_SKIP() << "the folder with real containers is absent";
}

}  // namespace
}  // namespace act::fit
