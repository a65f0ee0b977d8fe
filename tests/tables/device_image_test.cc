// The device image (02 sections 15 and 16).
#include "act/tables/device_image.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "act/rows/record.h"
#include "act/tables/catalog_io.h"
#include "act/tables/layout.h"
#include "act/tables/multipass.h"
#include "real_sets.h"
#include "sample_tables.h"

namespace act {
namespace {
using testing_support::sample_table;

FunctionTable resident(const char* name, std::uint32_t id, int words) {
  FunctionTable t;
  t.name = name;
  t.func_id = id;
  t.exponent_offset = words == 0 ? kNoOctaveOffset : -127;
  const std::vector<Octave> one = {Octave{.exponent = -127, .extract_size = 0, .sections = {}}};
  if (words > 0) t.pos.octaves = one;
  if (words > 1) t.neg.octaves = one;
  for (const Slot s : kSlots) clamp_of(t, s).section.d1 = 1;
  return t;
}

TableSet sample_set() {
  FunctionTable exp = sample_table("exp", 400);
  exp.pos.high.mantissa_point = 3240472;
  exp.symmetry.point = 0.5f;
  FunctionTable prelu = resident("parametric_relu", 4, 0);
  prelu.fma_const0 = 1;
  prelu.fma_indirection_src_sel = 2;
  return make_set("mine", {resident("identity", 1, 2), prelu, exp, resident("square", 30, 1)});
}

std::uint64_t bits(const Bytes& table, unsigned high, unsigned low, std::size_t entry, std::size_t size) {
  return get_bits(std::span(table).subspan(entry * size, size), low, high - low + 1);
}

// Bit numbers of 02 section 15, not names of rows.
TEST(DeviceImage, ProfilePositions) {
  const auto image = build_image(sample_set(), Generation::cayman);
  ASSERT_TRUE(image) << to_text(image.error()[0]);
  const auto at = [&](unsigned high, unsigned low, std::size_t slot) {
    return bits(image->profile, high, low, slot, 128);
  };
  EXPECT_EQ(at(3, 0, 2), 0xAu);
  EXPECT_EQ(at(7, 4, 2), 0xAu);
  EXPECT_EQ(at(32, 32, 1), 1u);  // parametric_relu bypasses the tables
  EXPECT_EQ(at(32, 32, 2), 0u);
  EXPECT_EQ(at(71, 40, 2), 0x3f000000u);
  EXPECT_EQ(at(79, 72, 0), 0u);    // -127
  EXPECT_EQ(at(79, 72, 1), 255u);  // 128
  EXPECT_EQ(at(79, 72, 2), 125u);  // -2
  EXPECT_EQ(at(87, 80, 2), 125u);
  EXPECT_EQ(at(103, 96, 2), 129u);
  EXPECT_EQ(at(119, 112, 2), 2u);  // first positive word behind the two of identity
  EXPECT_EQ(at(179, 160, 2),
            8u + 17 + 2);  // pos_high slot: two residents of four records, 17 sections, third slot
  EXPECT_EQ(at(191, 180, 2), 3240472u >> 11);
  EXPECT_EQ(at(298, 288, 2), 3240472u & 0x7ff);
  EXPECT_EQ(at(299, 299, 2), 1u);
  EXPECT_EQ(at(243, 224, 2), 8u + 17);
  EXPECT_EQ(at(445, 440, 1), 2u);
  EXPECT_EQ(at(511, 480, 1), 0x3f800000u);
  EXPECT_EQ(at(687, 656, 2), float_bits(99.0f));
  EXPECT_EQ(at(655, 624, 2), 0x7fc00000u);
  EXPECT_EQ(at(1023, 1000, 2), 0u);
}

TEST(DeviceImage, CamPerGeneration) {
  for (const Generation g : kGenerations) {
    const auto image = build_image(sample_set(), g);
    ASSERT_TRUE(image);
    EXPECT_EQ(image->cam.size(), 4u * 32);
    EXPECT_EQ(bits(image->cam, 7, 0, 2, 32), 0x21u);
    EXPECT_EQ(bits(image->cam, 15, 8, 2, 32), 7u);
    EXPECT_EQ(bits(image->cam, 39, 32, 2, 32), g == Generation::sunda ? 0xFFu : 0xF8u);
    EXPECT_EQ(bits(image->cam, 47, 40, 2, 32), g == Generation::sunda ? 0xF8u : 0xFFu);
    EXPECT_EQ(bits(image->cam, 64, 64, 2, 32), 1u);
  }
}

TEST(DeviceImage, ReadBackHoldsWhatTheDeviceStores) {
  const TableSet set = sample_set();
  for (const Generation g : kGenerations) {
    const auto image = build_image(set, g);
    ASSERT_TRUE(image);
    const auto back = read_image(*image);
    ASSERT_TRUE(back) << to_text(back.error()[0]);
    ASSERT_EQ(back->size(), set.functions.size());
    for (std::size_t i = 0; i < back->size(); ++i) {
      FunctionTable expected = set.functions[i];
      expected.budget = 1;
      expected.imm_bias = 0;
      expected.lower_bound = expected.upper_bound = 0;
      EXPECT_TRUE((*back)[i] == expected) << expected.name;
    }
  }
}

// The blobs of the shipped set are the CONTROL and BUCKET tables as they are.
TEST(DeviceImage, ShippedBlobsAreTheDeviceTables) {
  const auto folder = testing_support::real_catalog("matmul_small");
  if (!folder) GTEST_SKIP() << "the folder with real containers is absent";
  Diagnostics warnings;
  const auto catalog = read_catalog(*folder, {}, warnings);
  ASSERT_TRUE(catalog);
  const auto image = build_image(*catalog->find_set("exp_and_others"), Generation::cayman);
  ASSERT_TRUE(image);
  EXPECT_TRUE(image->control == folder->files().find("exp_and_others_ctrl.bin")->second);
  EXPECT_TRUE(image->bucket == folder->files().find("exp_and_others_bkt.bin")->second);
  EXPECT_EQ(image->profile.size(), 15u * 128);
}

TEST(DeviceImage, MapNamesPublishedAddresses) {
  const TableSet set = sample_set();
  const auto map = [&](Generation g) { return nlohmann::json::parse(image_map(set, *build_image(set, g))); };
  const auto cayman = map(Generation::cayman);
  EXPECT_EQ(cayman["tables"][0]["address"], "0x2802470000");
  EXPECT_EQ(cayman["tables"][1]["address"], "0x2802471000");
  EXPECT_EQ(cayman["tables"][1]["capacity"], 64);
  EXPECT_EQ(cayman["tables"][2]["address"], "0x28024e0000");
  EXPECT_EQ(cayman["tables"][3]["address"], "0x28024c0000");
  EXPECT_EQ(cayman["tables"][3]["capacity"], 2048);
  EXPECT_EQ(cayman["functions"][2]["first_bucket"], 8);
  const auto maverick = map(Generation::maverick);
  EXPECT_EQ(maverick["tables"][3]["offset"], "0xc0000");
  EXPECT_EQ(maverick["tables"][1]["region"], "ACT_CONTROL_TABLE");
  EXPECT_TRUE(map(Generation::sunda).contains("note"));
}

TEST(DeviceImage, CapacityIsChecked) {
  std::vector<FunctionTable> many;
  for (std::uint32_t i = 0; i < 65; ++i) many.push_back(resident(fmt::format("f{}", i).c_str(), i, 1));
  EXPECT_FALSE(build_image(make_set("many", many), Generation::cayman));
  FunctionTable wide = sample_table("wide", 4);
  wide.func_id = 300;
  EXPECT_FALSE(build_image(make_set("wide", {wide}), Generation::cayman));
}

TEST(DeviceImage, DamagedImagesAreErrors) {
  const auto good = build_image(sample_set(), Generation::cayman);
  ASSERT_TRUE(good);
  DeviceImage bad = *good;
  bad.profile.pop_back();
  EXPECT_EQ(read_image(bad).error()[0].code, Code::bad_size);
  bad = *good;
  bad.bucket.resize(32);
  EXPECT_FALSE(read_image(bad));
  bad = *good;
  bad.control.assign(300 * 32, 0);
  EXPECT_EQ(read_image(bad).error()[0].code, Code::capacity);
  bad = *good;
  for (std::size_t i = 0; i < bad.profile.size(); i += 3) bad.profile[i] ^= 0xff;
  EXPECT_FALSE(read_image(bad));
}

TEST(DeviceImage, PassesCarryTheirDomain) {
  auto tables = cut_into_passes(sample_table("ln", 4), {0});
  ASSERT_TRUE(tables);
  (*tables)[1].func_id = 8;
  const auto image = build_image(make_set("two", *tables), Generation::cayman);
  ASSERT_TRUE(image) << to_text(image.error()[0]);
  EXPECT_EQ(bits(image->profile, 575, 544, 0, 128), 0x3f800000u);
  EXPECT_EQ(bits(image->profile, 751, 720, 1, 128), 0x3f800000u);
  EXPECT_EQ(bits(image->profile, 753, 752, 1, 128), 1u);
}

}  // namespace
}  // namespace act
