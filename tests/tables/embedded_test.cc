// The catalogs inside the library: published digests, rules, and equality with the shipped set.
#include "act/tables/embedded.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "act/tables/check.h"
#include "act/tables/evaluate.h"
#include "md5.h"
#include "real_sets.h"

namespace act {
namespace {
using testing_support::md5;

TEST(Embedded, NamesAreThoseOfTheData) {
  std::vector<std::string_view> expected = {"trainium", "with_ln"};
  for (const std::string_view name : expected) EXPECT_NE(embedded_folder(name), nullptr) << name;
  EXPECT_EQ(embedded_folder("train"), nullptr);
  EXPECT_EQ(embedded_folder(""), nullptr);
}

// The bytes inside the library are those of data/catalogs.
TEST(Embedded, FilesAreThoseOfTheData) {
  for (const std::string_view name : embedded_catalogs()) {
    const auto folder = embedded_folder(name);
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(ACTKIT_SOURCE_DIR) +
                                                                 "/data/catalogs/" + std::string(name))) {
      const auto content = folder->read(entry.path().filename().string());
      ASSERT_TRUE(content) << entry.path();
      EXPECT_TRUE(*content == read_file(entry.path().string()).value()) << entry.path();
      ++files;
    }
    EXPECT_GT(files, 40u);
  }
}

TEST(Embedded, FolderObeysNamesAndLimits) {
  const auto folder = embedded_folder("trainium");
  ASSERT_NE(folder, nullptr);
  EXPECT_EQ(folder->read("../with_ln/act_info.json").error()[0].code, Code::bad_path);
  EXPECT_EQ(folder->read("none").error()[0].code, Code::io_error);
  EXPECT_EQ(folder->read("act_info.json", 10).error()[0].code, Code::too_large);
  EXPECT_FALSE(folder->contains("act_info.jso"));
}

//
TEST(Embedded, TrainiumHasThePublishedDigests) {
  const auto folder = embedded_folder("trainium");
  ASSERT_NE(folder, nullptr);
  const std::pair<const char*, const char*> digests[] = {
      {"exp_and_others_ctrl.bin", "0fddfa2e29d5bc3d31d033b45deb7356"},
      {"exp_and_others_bkt.bin", "14b0d1b5d0ae7b57bed70bdebeca46dc"},
      {"exp_and_others.json", "276ca51fce4d2a5f1407fa69d4f30d08"},
      {"act_info.json", "aa8ea33a5b7414695fa87ca890f50d6c"}};
  for (const auto& [name, digest] : digests) EXPECT_EQ(md5(folder->read(name).value()), digest) << name;
  EXPECT_EQ(folder->read("version.json").value().size(), 80u);
}

// What the library writes for a catalog it read is what it read.
TEST(Embedded, CatalogsReadAndWriteToTheByte) {
  for (const std::string_view name : embedded_catalogs()) {
    const auto folder = embedded_folder(name);
    Diagnostics warnings;
    const auto catalog = open_catalog(std::string(name), warnings);
    ASSERT_TRUE(catalog) << name;
    EXPECT_TRUE(warnings.empty());
    const auto files = catalog_files(*catalog);
    ASSERT_TRUE(files);
    for (const auto& [file, content] : *files)
      EXPECT_TRUE(folder->read(file).value() == content) << name << " " << file;
  }
}

TEST(Embedded, CatalogsObeyTheRules) {
  CatalogCheckOptions strict;
  strict.strictness = Strictness::strict;
  for (const std::string_view name : embedded_catalogs())
    for (const Diagnostic& d : check_catalog(*embedded_folder(name), strict))
      EXPECT_EQ(d.severity, Severity::note) << to_text(d);
}

TEST(Embedded, IdSpacesAndSizes) {
  Diagnostics warnings;
  const auto trainium = open_catalog("trainium", warnings), with_ln = open_catalog("with_ln", warnings);
  ASSERT_TRUE(trainium && with_ln);
  EXPECT_EQ(trainium->sets.size(), 21u);
  EXPECT_EQ(with_ln->sets.size(), 14u);
  EXPECT_EQ(trainium->id_space, IdSpace::sunda);
  EXPECT_EQ(with_ln->id_space, IdSpace::tonga);
  EXPECT_EQ(trainium->set_index("sigmoid_and_others"), 2);
  EXPECT_EQ(with_ln->set_index("sigmoid_and_others"), 1);
}

// Every function of the shipped set evaluates to the same bits as the embedded one.
TEST(Embedded, ShippedSetIsTheEmbeddedOne) {
  const auto folder = testing_support::real_catalog("attention_fused_fp32_s512");
  if (!folder) GTEST_SKIP() << "the folder with real containers is absent";
  Diagnostics warnings;
  const auto real = read_catalog(*folder, {}, warnings), own = open_catalog("trainium", warnings);
  ASSERT_TRUE(real && own);
  const TableSet* shipped = real->find_set("exp_and_others");
  const TableSet* embedded = own->find_set("exp_and_others");
  ASSERT_TRUE(shipped != nullptr && embedded != nullptr);
  ASSERT_EQ(shipped->functions.size(), 15u);
  for (const FunctionTable& f : shipped->functions) {
    const FunctionTable* other = embedded->find(f.name);
    ASSERT_NE(other, nullptr) << f.name;
    EXPECT_TRUE(*other == f) << f.name;
    for (std::uint64_t bits = 0; bits < 1ull << 32; bits += 40009) {
      const float x = bits_float(static_cast<std::uint32_t>(bits));
      ASSERT_EQ(float_bits(evaluate(f, x, {}, 0.01f)), float_bits(evaluate(*other, x, {}, 0.01f)))
          << f.name << " " << x;
    }
  }
}

// At every threshold, one pattern below and one above: clamps are inclusive, high is asked before low.
TEST(Embedded, ThresholdsOfEveryTable) {
  Diagnostics warnings;
  const auto catalog = open_catalog("trainium", warnings);
  ASSERT_TRUE(catalog);
  for (const TableSet& set : catalog->sets) {
    for (const FunctionTable& t : set.functions) {
      for (const bool negative : {true, false}) {
        const Side& side = t.side(negative);
        if (side.section_count() == 0) continue;
        const std::uint32_t sign = negative ? 0x80000000u : 0;
        const auto path = [&](std::uint32_t magnitude) {
          EvalPath p = EvalPath::unhandled;
          find_section(t, bits_float(sign | magnitude), p);
          return p;
        };
        const std::uint32_t high = side.high.sat_point << 23 | side.high.mantissa_point,
                            low = side.low.sat_point << 23;
        EXPECT_EQ(path(high), EvalPath::clamp_high) << t.name;
        EXPECT_EQ(path(high + 1), EvalPath::clamp_high) << t.name;
        EXPECT_EQ(path(high - 1), EvalPath::section) << t.name;
        EXPECT_EQ(path(low), EvalPath::clamp_low) << t.name;
        EXPECT_EQ(path(low - 1), EvalPath::clamp_low) << t.name;
        EXPECT_EQ(path(low + 1), EvalPath::section) << t.name;
      }
    }
  }
}

TEST(OpenCatalog, NamesDirectoriesAndTheHook) {
  Diagnostics warnings;
  const auto none = open_catalog("no such catalog", warnings);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error()[0].code, Code::unknown_name);
  EXPECT_NE(none.error()[0].allowed.find("with_ln"), std::string::npos);
  EXPECT_TRUE(open_catalog(std::string(ACTKIT_SOURCE_DIR) + "/data/catalogs/with_ln", warnings));
  const auto through_hook = open_catalog(
      std::string(ACTKIT_SOURCE_DIR) + "/LICENSE", warnings,
      [](const std::string&) -> Result<std::unique_ptr<Folder>> { return embedded_folder("trainium"); });
  ASSERT_TRUE(through_hook);
  EXPECT_EQ(through_hook->label, "trainium");
  EXPECT_EQ(open_catalog(std::string(ACTKIT_SOURCE_DIR) + "/src", warnings).error()[0].code, Code::io_error);
}

}  // namespace
}  // namespace act
