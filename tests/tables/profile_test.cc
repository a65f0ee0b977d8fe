// Per-function profiles (02 section 7) and functions of several passes (section 14).
#include "act/tables/profile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "act/tables/evaluate.h"
#include "act/tables/multipass.h"
#include "sample_tables.h"

namespace act {
namespace {
using testing_support::sample_table;

Result<Profile> parse(const std::string& text, Strictness strictness = Strictness::lenient,
                      std::string file = "exp_400p.json") {
  Diagnostics warnings;
  return parse_profile(text, file, strictness, warnings);
}

TEST(Profile, WrittenAndReadBack) {
  Profile p = make_profile(sample_table("exp", 400), 1.5f);
  EXPECT_EQ(p.neuron_id, 7u);
  EXPECT_EQ(p.tonga_id, 7u);
  const std::string text = print_profile(p);
  const auto back = parse(text, Strictness::strict);
  ASSERT_TRUE(back) << to_text(back.error()[0]);
  p.table.func_id = 7;
  EXPECT_TRUE(back->table == p.table);
  EXPECT_EQ(back->max_diff, 1.5f);
  EXPECT_EQ(print_profile(*back), text);
}

TEST(Profile, HasTheTwentyFourKeysAndSixMemberBoxes) {
  const auto j = nlohmann::json::parse(print_profile(make_profile(sample_table("exp", 400), 0)));
  EXPECT_EQ(j.size(), 24u);
  const auto& box = j["pos_exponents"][0]["exponent_sections"][0]["d0"];
  EXPECT_EQ(box.size(), 6u);
  EXPECT_EQ(box["hexstring"].get<std::string>().size(), 10u);
  EXPECT_EQ(j["saturation_points"].size(), 4u);
  EXPECT_EQ(j["saturation_points"]["sat_point_pos_high"].size(), 7u);
}

TEST(Profile, OnlyIntCountsAndItMayBeSigned) {
  auto j = nlohmann::ordered_json::parse(print_profile(make_profile(sample_table("exp", 400), 0)));
  auto& box = j["zero_result"];
  box = {{"int", -1082130432}, {"float", 3.0}, {"sign", "nonsense"}};  // 0xbf800000
  const auto lenient = parse(j.dump());
  ASSERT_TRUE(lenient);
  EXPECT_EQ(lenient->table.specials.zero, -1.0f);
  EXPECT_FALSE(parse(j.dump(), Strictness::strict));
}

TEST(Profile, NameFromTheFileStemWhenNotInside) {
  auto j = nlohmann::ordered_json::parse(print_profile(make_profile(sample_table("exp", 400), 0)));
  j.erase("func_name");
  const auto p = parse(j.dump(), Strictness::lenient, "some/pwp_jsons/tanh_4p.json");
  ASSERT_TRUE(p);
  EXPECT_EQ(p->table.name, "tanh");
  EXPECT_EQ(p->table.budget, 4u);
  EXPECT_FALSE(parse(j.dump(), Strictness::lenient, "tanh.json"));
}

TEST(Profile, BadOnesAreRefusedWithTheirPlace) {
  const auto good = nlohmann::ordered_json::parse(print_profile(make_profile(sample_table("exp", 400), 0)));
  struct Case {
    const char* pointer;
    nlohmann::ordered_json value;
    Code code;
  };
  const Case cases[] = {
      {"/lut_size", 5, Code::bad_value},
      {"/pos_exponents/0/num_sections", 3, Code::bad_value},
      {"/pos_exponents/1/exponent", 9, Code::bad_value},
      {"/pos_exponents/0/extract_size", 40, Code::bad_value},
      {"/pos_exponents/0/exponent_sections", 7, Code::json_type},
      {"/pos_exponents", nullptr, Code::json_type},
      {"/zero_result", 1.0, Code::json_type},
      {"/zero_result/int", 4294967296, Code::bad_value},
      {"/zero_result/int", "1", Code::json_type},
      {"/symmetry_en", 2, Code::json_type},
      {"/saturation_points/sat_point_pos_low/sat_point", 256, Code::bad_value},
      {"/saturation_points/sat_point_pos_low/mantissa_point", 8388608, Code::bad_value},
      {"/neuron_id", -1, Code::bad_value},
  };
  for (const Case& c : cases) {
    auto bad = good;
    bad[nlohmann::ordered_json::json_pointer(c.pointer)] = c.value;
    const auto r = parse(bad.dump());
    ASSERT_FALSE(r) << c.pointer;
    EXPECT_EQ(r.error()[0].code, c.code) << c.pointer << ": " << to_text(r.error()[0]);
    EXPECT_EQ(r.error()[0].where.file, "exp_400p.json");
  }
  for (const auto& item : good.items()) {
    if (item.key() == "func_name") continue;
    auto bad = good;
    bad.erase(item.key());
    EXPECT_FALSE(parse(bad.dump())) << item.key();
  }
  EXPECT_FALSE(parse("[]"));
  EXPECT_FALSE(parse("{\"a\":"));
  EXPECT_FALSE(parse(std::string(100000, '[')));
}

// A function x -> octave number, cut in two passes at 1: every input gives what the single table gives.
TEST(Multipass, CutTableEvaluatesAsTheWholeOne) {
  const FunctionTable whole = sample_table("ln", 4);
  const auto tables = cut_into_passes(whole, {0});
  ASSERT_TRUE(tables) << to_text(tables.error()[0]);
  ASSERT_EQ(tables->size(), 2u);
  EXPECT_EQ(budgeted_name((*tables)[1]), "ln_4p_1mp");
  EXPECT_EQ((*tables)[0].lut_size() + (*tables)[1].lut_size(), whole.lut_size());
  const auto two = make_multipass(*tables);
  ASSERT_TRUE(two) << to_text(two.error()[0]);
  EXPECT_EQ(two->passes[0].high, 1.0f);
  EXPECT_EQ(two->passes[1].low, 1.0f);
  for (std::uint32_t bits = 1; bits < 0x7f800000u; bits += 4099)
    ASSERT_EQ(float_bits(evaluate_multipass(*two, bits_float(bits))),
              float_bits(evaluate(whole, bits_float(bits))))
        << std::hex << bits;
  for (const float x : {0.99999994f, 1.0f, 1.0000001f, 0.0f, INFINITY, -INFINITY})
    EXPECT_EQ(float_bits(evaluate_multipass(*two, x)), float_bits(evaluate(whole, x))) << x;
  EXPECT_TRUE(std::isnan(evaluate_multipass(*two, -2)));  // no pass computes it
}

TEST(Multipass, ProfilesOfPassesRoundTrip) {
  const auto tables = cut_into_passes(sample_table("ln", 4), {0});
  ASSERT_TRUE(tables);
  for (const FunctionTable& t : *tables) {
    const Profile p = make_profile(t, 0);
    EXPECT_EQ(profile_file_name(t.name, t.budget), "pwp_jsons/" + budgeted_name(t) + ".json");
    const auto back = parse(print_profile(p), Strictness::strict);
    ASSERT_TRUE(back);
    EXPECT_TRUE(back->table.use_multipass);
    EXPECT_EQ(profile_difference(t, back->table), "");
  }
}

TEST(Multipass, BadPassesAreRefused) {
  const auto good = cut_into_passes(sample_table("ln", 4), {0});
  ASSERT_TRUE(good);
  const auto refused = [&](auto change) {
    auto bad = *good;
    change(bad);
    return !make_multipass(bad);
  };
  EXPECT_TRUE(refused([](auto& t) { t.pop_back(), t[0].name = "ln_1mp"; }));
  EXPECT_TRUE(refused([](auto& t) { t[1].name = "ln_0mp"; }));
  EXPECT_TRUE(refused([](auto& t) { t[1].name = "exp_1mp"; }));
  EXPECT_TRUE(refused([](auto& t) { t[1].name = "ln"; }));
  EXPECT_TRUE(refused([](auto& t) { t[1].use_multipass = false; }));
  EXPECT_TRUE(refused([](auto& t) { t[1].lower_bound = 2; }));
  EXPECT_TRUE(refused([](auto& t) { t[1].lower_bound = 0.5f; }));
  EXPECT_TRUE(refused([](auto& t) { t.clear(); }));
  EXPECT_FALSE(cut_into_passes(sample_table("ln", 4), {100}));
  EXPECT_FALSE(cut_into_passes(sample_table("ln", 4), {}));
}

}  // namespace
}  // namespace act
