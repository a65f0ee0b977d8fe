// The example modules: their files, and the loads that each cover executes.
#include "../../examples/kernels.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "act/files/files.h"
#include "act/ir/json.h"
#include "passes/modules.h"

namespace act::passes {
namespace {

class Examples : public testing::TestWithParam<examples::Example> {};

TEST_P(Examples, FilesAreWhatTheBuilderMakes) {
  const auto module = GetParam().make();
  ASSERT_TRUE(module) << to_text(module.error()[0]);
  const std::string text = ir::write_module(*module), path = std::string(ACTKIT_SOURCE_DIR) + "/examples/" + GetParam().name + ".json";
  if (std::getenv("ACTKIT_REBASE") != nullptr) {
    ASSERT_TRUE(write_text(path, text));
  }
  const auto committed = read_text(path);
  ASSERT_TRUE(committed);
  EXPECT_EQ(*committed, text);
  const auto back = ir::read_module(*committed, path);
  ASSERT_TRUE(back) << to_text(back.error()[0]);
  EXPECT_EQ(back->functions, module->functions);
  EXPECT_EQ(ir::write_module(*back), text);
}

TEST_P(Examples, ExecuteTheStatedLoads) {
  const auto module = GetParam().make();
  ASSERT_TRUE(module);
  Options options = options_for("trainium");
  const auto count = [&](Cover cover) {
    Diagnostics notes;
    options.cover = cover;
    const auto lowered = lower(*module, options, notes);
    EXPECT_TRUE(lowered) << to_text(lowered.error()[0]);
    EXPECT_TRUE(notes.empty());
    if (!lowered) return std::uint64_t{0};
    // The straight-line module executes as many.
    const auto flat = unroll(*lowered, options, notes);
    EXPECT_TRUE(flat) << to_text(flat.error()[0]);
    const std::uint64_t n = executed(lowered->functions[0].body);
    if (flat) {
      EXPECT_EQ(executed(flat->functions[0].body), n);
    }
    return n;
  };
  EXPECT_EQ(count(Cover::greedy), GetParam().greedy);
  EXPECT_EQ(count(Cover::first_fit), GetParam().first_fit);
  EXPECT_EQ(count(Cover::optimal), GetParam().optimal);
  EXPECT_LE(GetParam().optimal, GetParam().greedy);
}

INSTANTIATE_TEST_SUITE_P(All, Examples, testing::ValuesIn(examples::kExamples), [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace act::passes
