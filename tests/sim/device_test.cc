// Evaluation through the four device tables gives the bits of the catalog, and refuses what it does not model.
#include <gmock/gmock.h>

#include <algorithm>

#include "build.h"

namespace act::sim::plain {
namespace {

using testing::HasSubstr;

// Edges of octaves and clamps of a function, neighbours of each, special values, and random patterns.
std::vector<std::uint32_t> inputs_of(const FunctionTable& f, std::mt19937_64& rng, unsigned random) {
  std::vector<std::uint32_t> in = {0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 1, 0x80000001, 0x007FFFFF, 0x7F7FFFFF, 0xFF7FFFFF};
  for (const Side* side : {&f.neg, &f.pos}) {
    std::vector<std::uint32_t> edges = {side->low.sat_point << 23 | side->low.mantissa_point, side->high.sat_point << 23 | side->high.mantissa_point};
    for (const Octave& o : side->octaves) edges.push_back(static_cast<std::uint32_t>(o.exponent + 127) << 23);
    for (const std::uint32_t e : edges)
      for (const std::uint32_t d : {0xFFFFFFFFu, 0u, 1u}) {
        in.push_back((e + d) & 0x7FFFFFFF);
        in.push_back((e + d) | 0x80000000);
      }
  }
  for (unsigned i = 0; i < random; ++i) in.push_back(static_cast<std::uint32_t>(rng()));
  for (unsigned i = 0; i < random; ++i) in.push_back(bits_of(static_cast<float>(static_cast<int>(rng() % 40000) - 20000) / 1000));
  return in;
}

TEST(Device, EveryFunctionOfEverySetHasTheBitsOfTheCatalog) {
  std::mt19937_64 rng(15);
  for (const Generation g : {Generation::sunda, Generation::cayman}) {
    for (const TableSet& set : trainium().sets) {
      DeviceTables device;
      ASSERT_TRUE(device.stage(set, g)) << set.name();
      for (const FunctionTable& f : set.functions) {
        const std::optional<unsigned> slot = device.match(0x21, static_cast<std::uint8_t>(f.func_id));
        ASSERT_TRUE(slot) << f.name;
        const Result<DeviceProfile> profile = device.profile(*slot);
        ASSERT_TRUE(profile) << f.name << " " << to_text(profile.error().front());
        for (const std::uint32_t bits : inputs_of(f, rng, 1500)) {
          const float v = f32(bits);
          ASSERT_EQ(bits_of(device.evaluate(*profile, v, {}, 0.25F)), bits_of(evaluate(f, v, {}, 0.25F)))
              << set.name() << " " << f.name << " at " << std::hex << bits;
        }
      }
    }
  }
}

TEST(Device, TheCamCoversAllActivationsAndNothingElse) {
  DeviceTables device;
  ASSERT_TRUE(device.stage(*trainium().find_set("exp_and_others"), Generation::cayman));
  const auto code = code_of_function("exp_and_others", "exp");
  for (unsigned opcode = 0; opcode < 256; ++opcode)
    EXPECT_EQ(device.match(static_cast<std::uint8_t>(opcode), code).has_value(), opcode >= 0x20 && opcode <= 0x27) << opcode;
  EXPECT_FALSE(device.match(0x21, code_of_function("gelu_and_others", "gelu")));
}

TEST(Device, AProgramGivesTheSameBitsEitherWay) {
  for (const Generation g : {Generation::cayman, Generation::maverick}) {
    std::vector<std::uint64_t> results[2];
    for (const bool through : {false, true}) {
      Twins t(g);
      t.options.source = through ? FunctionSource::device : FunctionSource::catalog;
      t.load_set("silu_and_others");
      t.add(activation(code_of_function("silu_and_others", "silu"), 0, 0x400, 200, 2, Dtype::fp32, Dtype::bfloat16));
      const std::uint32_t stride = g == Generation::maverick ? 0x100000 : 0x40000;
      for (unsigned p = 0; p < 2; ++p)
        for (unsigned k = 0; k < 200; ++k) {
          const float v = static_cast<float>(k) / 7 - 14;
          std::uint8_t raw[4];
          std::memcpy(raw, &v, 4);
          t.machine().memory.write(t.machine().memory.locate(p * stride + 4 * k), raw);
        }
      ASSERT_TRUE(t.run()) << t.reports();
      for (unsigned k = 0; k < 200; ++k) results[through].push_back(t.code(stride + 0x400 + 2 * k, Dtype::bfloat16));
    }
    EXPECT_EQ(results[0], results[1]);
  }
}

TEST(Device, AFunctionThatNoCamEntryMatchesIsAnError) {
  Twins t;
  t.options.source = FunctionSource::device;
  t.load_set("small");
  t.add(activation(code_of_function("exp_and_others", "exp"), 0, 0x100, 1, 1));
  EXPECT_FALSE(t.run());
  EXPECT_TRUE(t.reported(Code::unknown_function));
  EXPECT_THAT(t.reports(), HasSubstr("resident is small"));
}

// The image of a small set with some bits of the first PROFILE word changed.
DeviceImage changed(std::string_view field, std::uint64_t value) {
  Result<DeviceImage> image = build_image(*trainium().find_set("small"), Generation::cayman);
  EXPECT_TRUE(image);
  const Field* f = profile_format().find(field);
  EXPECT_NE(f, nullptr) << field;
  put(MutableRecord(image->profile.data(), kProfileBytes), *f, value);
  return *image;
}

TEST(Device, FieldsThatAreNotModelledAreNamed) {
  for (const char* field : {"sub_src_sel", "ctrl_table_select_logic", "bias_src_sel", "scale_imm_val_sel", "fma_src_sel3", "batchnorm_accumulator_rd", "reserved_336"}) {
    DeviceTables device;
    ASSERT_TRUE(device.stage(changed(field, 1)));
    const Result<DeviceProfile> p = device.profile(0);
    ASSERT_FALSE(p) << field;
    EXPECT_THAT(p.error().front().message, HasSubstr(field));
  }
  for (const auto& [field, value] : {std::pair{"bias_dtype_sel", 6}, {"symmetry_opt_en", 2}, {"fma_indirection_src_sel", 3}}) {
    DeviceTables device;
    ASSERT_TRUE(device.stage(changed(field, static_cast<std::uint64_t>(value))));
    EXPECT_FALSE(device.profile(0)) << field;
  }
}

// Runs relu (slot 0 of the set "small") at x = 3 with scale 2 and bias 1 on a changed image.
float run_changed(const std::vector<std::pair<const char*, std::uint64_t>>& fields) {
  Result<DeviceImage> image = build_image(*trainium().find_set("small"), Generation::cayman);
  for (const auto& [name, value] : fields) put(MutableRecord(image->profile.data(), kProfileBytes), *profile_format().find(name), value);
  Twins t;
  t.options.source = FunctionSource::device;
  auto i = activation(static_cast<std::uint8_t>(trainium().find_set("small")->functions[0].func_id), 0, 0x100, 1, 1);
  i.scale_value.bits = bits_of(2.0F);
  i.bias.bits = bits_of(1.0F);
  t.add(i);
  t.set(0, Dtype::fp32, 3);
  EXPECT_TRUE(t.machine().functions.device().stage(*image));
  EXPECT_TRUE(t.run()) << t.reports();
  return t.get(0x100);
}

TEST(Device, FusedConstantsAndBypassesAreHonoured) {
  ASSERT_EQ(trainium().find_set("small")->functions[0].name, "relu");
  EXPECT_EQ(run_changed({}), 7.0F);
  EXPECT_EQ(run_changed({{"scale_fuse_en", 1}, {"scale_const", bits_of(10.0F)}}), 31.0F);
  EXPECT_EQ(run_changed({{"bias_fuse_en", 1}, {"bias_const", bits_of(-2.0F)}}), 4.0F);
  EXPECT_EQ(run_changed({{"scale_const", bits_of(10.0F)}, {"bias_const", bits_of(-2.0F)}}), 7.0F);  // not enabled
  EXPECT_EQ(run_changed({{"bias_scale_fma_bypass", 1}}), 3.0F);
  EXPECT_EQ(run_changed({{"pwl_bypass", 1}}), 7.0F);
  EXPECT_EQ(run_changed({{"fma_bypass", 1}}), 0.0F);  // relu is d1 alone
}

TEST(Device, TransfersAreListedWithPublishedAddresses) {
  for (const Generation g : {Generation::sunda, Generation::cayman, Generation::maverick}) {
    Twins t(g);
    TextTrace trace;
    t.options.trace = &trace;
    t.load_set("exp_and_others");
    ASSERT_TRUE(t.run()) << t.reports();
    const std::string text = trace.finish();
    EXPECT_THAT(text, HasSubstr("loads exp_and_others"));
    EXPECT_THAT(text, HasSubstr("cam of exp_and_others 480 bytes"));  // 15 functions of 32 bytes
    EXPECT_THAT(text, HasSubstr("profile of exp_and_others 1920 bytes"));
    EXPECT_THAT(text, HasSubstr("bucket of exp_and_others 30112 bytes"));
    if (g == Generation::cayman) {
      EXPECT_THAT(text, HasSubstr("ACT_PROFILE_CAM 0x2802470000"));
      EXPECT_THAT(text, HasSubstr("ACT_CONTROL_TABLE_LOCAL_STORAGE 0x2802540000"));
    }
    if (g == Generation::maverick) {
      EXPECT_THAT(text, HasSubstr("DVE_PROFILE_CAM"));
    }
    if (g == Generation::sunda) {
      EXPECT_THAT(text, HasSubstr("address not published"));
    }
  }
}

}  // namespace
}  // namespace act::sim::plain
