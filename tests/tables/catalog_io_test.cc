// Reading and writing catalogs: the shipped set out of real containers, both strides, published numbers (02
// sections 3, 8, 9 and 10).
#include "act/tables/catalog_io.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "act/tables/blobs.h"
#include "act/tables/check.h"
#include "act/tables/evaluate.h"
#include "act/tables/layout.h"
#include "md5.h"
#include "real_sets.h"
#include "sample_tables.h"

namespace act {
namespace {
using testing_support::kRealContainers;
using testing_support::md5;
using testing_support::real_catalog;

std::string md5_of(std::string_view text) { return md5(as_bytes(text)); }

class RealCatalog : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    folder_ = real_catalog(GetParam());
    if (!folder_) GTEST_SKIP() << "the folder with real containers is absent";
  }
  std::optional<MemoryFolder> folder_;
};

TEST(Md5, KnownDigests) {
  EXPECT_EQ(md5_of(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(md5_of("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
}

TEST_P(RealCatalog, ReadAndWrittenBackToTheByte) {
  Diagnostics warnings;
  const auto catalog = read_catalog(*folder_, {}, warnings);
  ASSERT_TRUE(catalog) << to_text(catalog.error()[0]);
  EXPECT_EQ(catalog->id_space, IdSpace::sunda);
  EXPECT_GE(catalog->sets.size(), 20u);
  EXPECT_EQ(warnings.size(), catalog->sets.size() - 1);  // only exp_and_others has files
  EXPECT_EQ(warnings[0].code, Code::set_absent);
  const auto files = catalog_files(*catalog);
  ASSERT_TRUE(files);
  std::size_t compared = 0;
  for (const auto& [name, content] : *files) {
    if (!folder_->contains(name)) continue;
    EXPECT_TRUE(folder_->files().find(name)->second == content) << name;
    ++compared;
  }
  EXPECT_EQ(compared, 4u);
}

// the digests, of what our writers produce.
TEST_P(RealCatalog, WrittenFilesHaveThePublishedDigests) {
  Diagnostics warnings;
  const auto catalog = read_catalog(*folder_, {}, warnings);
  ASSERT_TRUE(catalog);
  std::map<std::string, std::string> digests;
  const auto files = catalog_files(*catalog);
  ASSERT_TRUE(files);
  for (const auto& [name, content] : *files) digests[name] = md5(content);
  EXPECT_EQ(digests["exp_and_others_ctrl.bin"], "0fddfa2e29d5bc3d31d033b45deb7356");
  EXPECT_EQ(digests["exp_and_others_bkt.bin"], "14b0d1b5d0ae7b57bed70bdebeca46dc");
  EXPECT_EQ(digests["exp_and_others.json"], "276ca51fce4d2a5f1407fa69d4f30d08");
  EXPECT_EQ(digests["act_info.json"], catalog->sets.size() == 21 ? "aa8ea33a5b7414695fa87ca890f50d6c"
                                                                 : "9b149df1f7ce2fb6c2eefc127b0a9582");
}

// start indexes of exp_and_others (02 section 9). A-07: index maps (02 section 10.1).
TEST_P(RealCatalog, LayoutAndIndexMaps) {
  Diagnostics warnings;
  const auto catalog = read_catalog(*folder_, {}, warnings);
  ASSERT_TRUE(catalog);
  const Manifest m = make_manifest(*catalog->find_set("exp_and_others"));
  const StartMap bkt = {{"exp", 0},
                        {"identity", 781},
                        {"copy", 785},
                        {"leaky_relu", 789},
                        {"parametric_relu", 793},
                        {"abs", 797},
                        {"sign", 801},
                        {"memset_zero", 805},
                        {"relu", 809},
                        {"tanh", 813},
                        {"derivative_relu", 921},
                        {"derivative_leaky_relu", 925},
                        {"derivative_identity", 929},
                        {"is_finite", 933},
                        {"square", 937}};
  const StartMap ctl = {{"exp", 0},
                        {"identity", 52},
                        {"copy", 54},
                        {"leaky_relu", 56},
                        {"parametric_relu", 58},
                        {"abs", 58},
                        {"sign", 60},
                        {"memset_zero", 61},
                        {"relu", 62},
                        {"tanh", 64},
                        {"derivative_relu", 81},
                        {"derivative_leaky_relu", 83},
                        {"derivative_identity", 85},
                        {"is_finite", 87},
                        {"square", 88}};
  EXPECT_EQ(m.func_to_bkt_start_idx, bkt);
  EXPECT_EQ(m.func_to_ctl_start_idx, ctl);
  const auto list = [](const OctaveMap& map, std::string_view function, int exponent) {
    for (const auto& [name, octaves] : map)
      for (const OctaveStarts& o : octaves)
        if (name == function && o.exponent == exponent) return o.starts;
    return std::vector<std::int64_t>{};
  };
  using Starts = std::vector<std::int64_t>;
  EXPECT_EQ(list(m.func_exp_to_bkt_start_idx, "exp", -19), (Starts{0, 406}));
  EXPECT_EQ(list(m.func_exp_to_bkt_start_idx, "exp", -1), (Starts{18, 424}));
  EXPECT_EQ(list(m.func_exp_to_bkt_start_idx, "exp", 6), (Starts{272, 678}));
  EXPECT_EQ(list(m.func_exp_to_ctl_start_idx, "exp", 0), (Starts{19, 45}));
  EXPECT_EQ(list(m.func_exp_to_ctl_start_idx, "exp", 6), (Starts{25, 51}));
  EXPECT_EQ(list(m.func_exp_to_bkt_start_idx, "tanh", -13), (Starts{814}));
  EXPECT_EQ(list(m.func_exp_to_ctl_start_idx, "tanh", -14), (Starts{64}));
}

// A-09 and 02 section 8.7: sections of every octave of exp.
TEST_P(RealCatalog, ExpOctaves) {
  Diagnostics warnings;
  const auto catalog = read_catalog(*folder_, {}, warnings);
  ASSERT_TRUE(catalog);
  const FunctionTable* exp = catalog->set_with("exp")->find("exp");
  ASSERT_EQ(exp->lut_size(), 777u);
  EXPECT_EQ(exp->neg.section_count(), 406u);
  EXPECT_EQ(exp->exponent_offset, -19);
  for (const Side* side : {&exp->neg, &exp->pos}) {
    ASSERT_EQ(side->octaves.size(), 26u);
    for (int e = -19; e <= 6; ++e) {
      const Octave& o = side->octaves[static_cast<std::size_t>(e + 19)];
      EXPECT_EQ(o.exponent, e);
      EXPECT_EQ(o.extract_size, static_cast<unsigned>(std::max(0, e + 2)));
      const std::size_t top = side == &exp->neg ? 134 : 99;
      EXPECT_EQ(o.sections.size(), e == 6 ? top : o.capacity());
    }
  }
  EXPECT_EQ(exp->pos.high.mantissa_point, 3240472u);
  EXPECT_EQ(exp->neg.high.mantissa_point, 4362891u);
}

// by value.
TEST_P(RealCatalog, ExpValues) {
  Diagnostics warnings;
  const auto catalog = read_catalog(*folder_, {}, warnings);
  ASSERT_TRUE(catalog);
  const FunctionTable& exp = *catalog->set_with("exp")->find("exp");
  const EvalTrace half = evaluate_traced(exp, 0.5f);
  EXPECT_EQ(half.record, 424u);
  EXPECT_EQ(float_bits(half.cubic->x), 0x3f1fffffu);
  EXPECT_EQ(float_bits(half.cubic->d0), 0x3fef22aeu);
  EXPECT_EQ(float_bits(half.value), 0x3fd308b1u);
  const std::pair<float, std::uint32_t> vectors[] = {
      {1.0f, 0x402df7d4}, {-1.0f, 0x3ebc5a40}, {10, 0x46ac1470},       {-10, 0x383e6b5b}, {0.25f, 0x3fa45a78},
      {2.0f, 0x40ec7277}, {-0.5f, 0x3f1b453a}, {88, 0x7ef88200},       {100, 0x7f800000}, {-104, 0},
      {0, 0x3f800000},    {-0.0f, 0x3f800000}, {INFINITY, 0x7f800000}, {-INFINITY, 0},    {NAN, 0x7fc00000}};
  for (const auto& [x, bits] : vectors) EXPECT_EQ(float_bits(evaluate(exp, x)), bits) << x;
  EXPECT_EQ(evaluate_traced(exp, 0x1p-19f).path, EvalPath::clamp_low);
  EXPECT_EQ(exp.lower_bound, -std::numeric_limits<float>::max());
}

// The residents' specials that differ from the closed form (02 section 11).
TEST_P(RealCatalog, Residents) {
  Diagnostics warnings;
  const auto catalog = read_catalog(*folder_, {}, warnings);
  ASSERT_TRUE(catalog);
  const TableSet& set = *catalog->find_set("exp_and_others");
  const auto at = [&](std::string_view f, float x) {
    return float_bits(evaluate(*set.find(f), x, {}, 0.01f));
  };
  EXPECT_EQ(at("relu", INFINITY), 0x7f7f0000u);
  EXPECT_EQ(at("relu", -3), 0u);
  EXPECT_EQ(at("relu", 3), 0x40400000u);
  EXPECT_EQ(at("derivative_leaky_relu", 0), 0x3f800000u);
  EXPECT_EQ(at("derivative_leaky_relu", -1), 0x3c23d70au);
  EXPECT_EQ(at("sign", -1e-40f), 0xbf800000u);
  EXPECT_EQ(at("sign", 7), 0x3f800000u);
  EXPECT_EQ(at("is_finite", INFINITY), 0u);
  EXPECT_EQ(at("is_finite", -5), 0x3f800000u);
  EXPECT_EQ(at("abs", -5), 0x40a00000u);
  EXPECT_EQ(at("square", -5), 0x41c80000u);
  EXPECT_EQ(at("memset_zero", NAN), 0u);
  EXPECT_EQ(at("copy", 1.17549435e-38f), 0x00800000u);
  EXPECT_EQ(at("parametric_relu", -100), 0xbf800000u);
  EXPECT_EQ(evaluate_traced(*set.find("parametric_relu"), 1).path, EvalPath::direct);
}

// the same functions at the other stride: the second word stands at byte 16, and reading it gives them
// back.
TEST_P(RealCatalog, BothStrides) {
  Diagnostics warnings;
  auto catalog = read_catalog(*folder_, {}, warnings);
  ASSERT_TRUE(catalog);
  catalog->id_space = IdSpace::tonga;
  std::erase_if(catalog->sets, [](const TableSet& s) { return !s.present; });
  MemoryFolder other("tonga");
  auto files = catalog_files(*catalog);
  ASSERT_TRUE(files);
  for (auto& [name, content] : *files) other.add(name, content);
  const Bytes& ctrl = other.files().find("exp_and_others_ctrl.bin")->second;
  EXPECT_EQ(ctrl.size(), 89u * 16);
  EXPECT_EQ(ctrl[16], 0x01);
  EXPECT_EQ(ctrl[17], 0xb8);
  const auto back = read_catalog(other, {}, warnings);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->id_space, IdSpace::tonga);
  EXPECT_TRUE(back->sets[0].functions == catalog->sets[0].functions);
}

INSTANTIATE_TEST_SUITE_P(Containers, RealCatalog, ::testing::ValuesIn(kRealContainers),
                         [](const auto& p) { return std::string(p.param); });

// Tables of one section, two, three, and as many as the 11-bit base can reach; read back, evaluated, and
// sound.
class TableSizes : public ::testing::TestWithParam<std::size_t> {};

TEST_P(TableSizes, WrittenReadAndEvaluated) {
  FunctionTable t = testing_support::sample_table("sized", 4);
  t.pos.octaves.clear();
  std::size_t left = GetParam();
  for (int e = 0; left != 0; ++e) {
    const std::size_t take = std::min<std::size_t>(left, 1024);
    Octave o{
        .exponent = e, .extract_size = static_cast<std::uint32_t>(std::bit_width(take - 1)), .sections = {}};
    for (std::size_t i = 0; i < take; ++i)
      o.sections.push_back(
          {.d0 = static_cast<float>(1000 * e) + static_cast<float>(i), .d1 = 0, .d2 = 0, .d3 = 0, .x = 0});
    left -= take;
    t.pos.octaves.push_back(std::move(o));
  }
  const Octave& top = t.pos.octaves.back();
  t.exponent_offset = 0;
  t.pos.low.sat_point = 127;
  const std::uint32_t width = 1u << (23 - top.extract_size);
  const bool full = top.sections.size() == top.capacity();
  t.pos.high = {static_cast<std::uint32_t>(127 + top.exponent) + (full ? 1 : 0),
                full ? 0 : (static_cast<std::uint32_t>(top.sections.size()) - 1) * width + 1,
                {}};
  Catalog c;
  c.sets = {make_set("sized", {t})};
  EXPECT_TRUE(check_tables(c.sets[0], c.id_space).empty());
  MemoryFolder folder("sized");
  const auto files = catalog_files(c);
  ASSERT_TRUE(files) << to_text(files.error()[0]);
  for (const auto& [name, content] : *files) folder.add(name, content);
  Diagnostics warnings;
  const auto back = read_catalog(folder, {}, warnings);
  ASSERT_TRUE(back) << to_text(back.error()[0]);
  EXPECT_TRUE(back->sets[0].functions == c.sets[0].functions);
  for (const Octave& o : t.pos.octaves) {
    for (std::size_t i = 0; i < o.sections.size(); ++i) {
      const float x = std::ldexp(1.0F + static_cast<float>(i) / static_cast<float>(o.capacity()), o.exponent);
      if (i == 0 && o.exponent == 0) continue;  // the low clamp takes its power of two
      ASSERT_EQ(evaluate(back->sets[0].functions[0], x), o.sections[i].d0) << x;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Counts, TableSizes, ::testing::Values(1, 2, 3, 4, 1023, 1024, 1025, 2044));

// the words of 02 section 8.6.
TEST(CtrlWord, PublishedWords) {
  const auto word = [](std::uint32_t base, std::uint32_t size) {
    return pack_ctrl(
        octave_word(base, {.exponent = 0, .extract_size = size, .sections = std::vector<Section>(1)}));
  };
  EXPECT_EQ(word(0, 0), 0x0000b800u);
  EXPECT_EQ(word(1, 0), 0x0000b801u);
  EXPECT_EQ(word(18, 1), 0x0001b012u);
  EXPECT_EQ(word(272, 8), 0x00087910u);
  EXPECT_EQ(word(406, 0), 0x0000b996u);
  EXPECT_EQ(word(678, 8), 0x00087aa6u);
  EXPECT_EQ(word(813, 0), 0x0000bb2du);
  EXPECT_EQ(pack_ctrl(octave_word(781, {})), 781u);
  EXPECT_EQ(unpack_ctrl(0x12087910u), (CtrlWord{272, 15, 8, 0x12}));
}

// The bytes of 02 section 8.4.
TEST(BktRecord, PublishedBytes) {
  const Section s{bits_float(0x3f7fffd0), bits_float(0x3f7fffd0), bits_float(0x3effffd0),
                  bits_float(0x3e2aaa8b), bits_float(0xb63fffff)};
  const Bytes blob = pack_bkt(std::vector<Section>{s});
  const Bytes expected = {0xd0, 0xff, 0x7f, 0x3f, 0xd0, 0xff, 0x7f, 0x3f, 0xd0, 0xff, 0xff,
                          0x3e, 0x8b, 0xaa, 0x2a, 0x3e, 0xff, 0xff, 0x3f, 0xb6, 0,    0,
                          0,    0,    0,    0,    0,    0,    0,    0,    0,    0};
  EXPECT_EQ(blob, expected);
  EXPECT_EQ(unpack_bkt(blob)[0], s);
}

}  // namespace
}  // namespace act
