#include "act/numeric/generation.h"

#include <gtest/gtest.h>

namespace act {
namespace {

TEST(Generation, NamesOfTheBookAreRead) {
  for (std::string_view name : {"sunda", "v2", "NC-v2", "CoreV2", "gen2", "trn1", "Inf2"})
    EXPECT_EQ(find_generation(name), Generation::sunda) << name;
  for (std::string_view name : {"cayman", "CAYMAN", "v3", "nc-v3", "trn2", "gen3"})
    EXPECT_EQ(find_generation(name), Generation::cayman) << name;
  for (std::string_view name : {"mariana", "v4", "mariana_plus", "MARIANA_PLUS", "nc-v4+", "core_v4", "trn3"})
    EXPECT_EQ(find_generation(name), Generation::mariana) << name;
  for (std::string_view name : {"maverick", "v5", "core_v5"})
    EXPECT_EQ(find_generation(name), Generation::maverick) << name;
}

TEST(Generation, OthersAreNot) {
  for (std::string_view name : {"", "tonga", "v1", "v6", "inf1", "trn", "caymann"})
    EXPECT_EQ(find_generation(name), std::nullopt) << name;
}

TEST(Generation, VersionIds) {
  EXPECT_EQ(generation_from_version(1), std::nullopt);
  EXPECT_EQ(generation_from_version(6), std::nullopt);
  for (unsigned v = 2; v <= 5; ++v) {
    ASSERT_TRUE(generation_from_version(v));
    EXPECT_EQ(static_cast<unsigned>(*generation_from_version(v)), v);
  }
  EXPECT_EQ(generation_name(Generation::mariana), "mariana");
  EXPECT_EQ(generation_row(Generation::maverick).arch_level, 50);
}

TEST(Generation, NoNameIsTakenTwice) {
  for (const GenerationRow& a : kGenerationRows)
    for (const GenerationRow& b : kGenerationRows)
      if (&a != &b) {
        EXPECT_FALSE(numeric_detail::named(a.name, b.name, b.aliases)) << a.name;
        for (std::string_view alias : a.aliases)
          EXPECT_FALSE(numeric_detail::named(alias, b.name, b.aliases)) << alias;
      }
}

TEST(Generation, Sets) {
  EXPECT_TRUE(GenerationSet::since(Generation::mariana).contains(Generation::maverick));
  EXPECT_FALSE(GenerationSet::since(Generation::mariana).contains(Generation::cayman));
  EXPECT_TRUE(GenerationSet::none().empty());
  EXPECT_EQ(GenerationSet({Generation::sunda, Generation::cayman, Generation::mariana, Generation::maverick}),
            GenerationSet::all());
}

}  // namespace
}  // namespace act
