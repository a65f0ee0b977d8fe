// Every table of the committed minimax catalogs made anew.
#include <gtest/gtest.h>

#include <bit>

#include "act/fit/generate.h"
#include "act/tables/evaluate.h"
#include "act/tables/published.h"
#include "fit/committed.h"

namespace act::fit {
namespace {

using testing_support::committed;

class MinimaxCatalog : public ::testing::TestWithParam<const char*> {
 protected:
  std::string roster() const { return std::string(GetParam()).substr(0, std::string(GetParam()).find('-')); }
  DirectoryFolder folder() const {
    return DirectoryFolder(std::string(ACTKIT_SOURCE_DIR) + "/data/catalogs/" + GetParam());
  }
};

TEST_P(MinimaxCatalog, GeneratedByteForByte) {
  Diagnostics warnings;
  const auto made = build_catalog(roster_spec(*find_roster(roster()), Method::minimax), warnings);
  ASSERT_TRUE(made);
  const auto files = catalog_files(made->catalog);
  ASSERT_TRUE(files);
  for (const auto& [name, content] : *files) {
    const auto committed_file = folder().read(name, std::uint64_t{1} << 24);
    ASSERT_TRUE(committed_file) << name;
    EXPECT_EQ(content, *committed_file) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Both, MinimaxCatalog, ::testing::Values("trainium-minimax", "with_ln-minimax"),
                         [](const auto& param) {
                           return std::string(param.param[0] == 't' ? "trainium" : "with_ln");
                         });

// The digest is what its definition says, taken one result after the other.
TEST(Digest, EqualsItsDefinition) {
  const FunctionTable& t = *committed("trainium-minimax").table("sigmoid", 40);
  std::uint64_t h = 0;
  std::uint32_t b = 0;
  do {
    h = h * 0x9e3779b97f4a7c15 + float_bits(evaluate(t, bits_float(b)));
  } while (++b != 0);
  EXPECT_EQ(h, result_digest(t));
}

}  // namespace
}  // namespace act::fit
