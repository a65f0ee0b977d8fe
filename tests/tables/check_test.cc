// Each rule V-01 to V-19 (02 section 18) with an input that breaks it and nothing else that comes before it.
#include "act/tables/check.h"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "act/files/memory_folder.h"
#include "act/tables/blobs.h"
#include "act/tables/functions.h"
#include "act/tables/layout.h"
#include "act/tables/profile.h"
#include "real_sets.h"
#include "sample_tables.h"

namespace act {
namespace {
using testing_support::sample_table;
using OrderedJson = nlohmann::ordered_json;

// A sound catalog of one set with an unknown function, a resident and a shipped name.
Catalog sample_catalog() {
  FunctionTable ln = sample_table("my_ln", 400), identity, exp = sample_table("exp", 400);
  ln.func_id = 210;
  identity.name = "identity";
  identity.func_id = 1;
  identity.exponent_offset = -127;
  identity.neg.octaves = identity.pos.octaves = {Octave{.exponent = -127, .extract_size = 0, .sections = {}}};
  for (const Slot s : kSlots) clamp_of(identity, s).section.d1 = 1;
  Catalog c;
  c.sets = {make_set("mine", {ln, identity, exp})};
  return c;
}

MemoryFolder folder_of(const Catalog& catalog) {
  MemoryFolder folder("cat");
  const auto files = catalog_files(catalog);
  EXPECT_TRUE(files);
  for (const auto& [name, content] : *files) folder.add(name, content);
  return folder;
}

std::string rules_of(const Diagnostics& found) {
  std::string out;
  for (const Diagnostic& d : found)
    out += (out.empty() ? "" : " ") + (d.rule.empty() ? std::string(code_id(d.code)) : d.rule);
  return out;
}

class Rules : public ::testing::Test {
 protected:
  void json(const std::string& name, const std::function<void(OrderedJson&)>& change) {
    OrderedJson j = OrderedJson::parse(as_text(folder_.files().find(name)->second));
    change(j);
    const std::string text = j.dump(4);
    folder_.add(name, Bytes(text.begin(), text.end()));
  }
  void manifest(const std::function<void(OrderedJson&)>& change) { json("mine.json", change); }
  void bytes(const std::string& name, const std::function<void(Bytes&)>& change) {
    Bytes b = folder_.files().find(name)->second;
    change(b);
    folder_.add(name, b);
  }
  // The rule of every problem; `first` alone may matter.
  std::string found(const CatalogCheckOptions& options = {}) const {
    return rules_of(check_catalog(folder_, options));
  }
  // `rule` is an error, but where a part of a catalog is all that is wanted.
  void expect_absent(const char* rule) const {
    EXPECT_EQ(found(), rule);
    EXPECT_TRUE(has_errors(check_catalog(folder_)));
    CatalogCheckOptions partial;
    partial.allow_absent_sets = true;
    EXPECT_FALSE(has_errors(check_catalog(folder_, partial)));
  }

  MemoryFolder folder_ = folder_of(sample_catalog());
};

TEST_F(Rules, SoundCatalogIsClean) { EXPECT_EQ(found(), ""); }

TEST_F(Rules, V01ManifestKeys) {
  manifest([](OrderedJson& j) { j.erase("ctl_entry_cnt"); });
  EXPECT_EQ(found(), "V-01");
}
TEST_F(Rules, V01UnknownKeyWarnsOrFails) {
  manifest([](OrderedJson& j) { j["version"] = 2; });
  const Diagnostics lenient = check_catalog(folder_);
  ASSERT_EQ(rules_of(lenient), "V-01");
  EXPECT_EQ(lenient[0].severity, Severity::warning);
  CatalogCheckOptions strict;
  strict.strictness = Strictness::strict;
  EXPECT_TRUE(has_errors(check_catalog(folder_, strict)));
}
TEST_F(Rules, V02RecordFields) {
  manifest([](OrderedJson& j) { j["profile_meta_data"][1].erase("imm_bias"); });
  EXPECT_EQ(found(), "V-02");
}
TEST_F(Rules, V03Sizes) {
  json("act_info.json", [](OrderedJson& j) { j["act_func_sets"][0]["act"]["copy"] = 1; });
  EXPECT_EQ(found(), "V-03");
}
TEST_F(Rules, V03Names) {
  json("act_info.json", [](OrderedJson& j) { j["act_func_sets"][0]["act"]["my_ln"] = 40; });
  EXPECT_EQ(found(), "V-03");
}
TEST_F(Rules, V03BlobName) {
  manifest([](OrderedJson& j) { j["bkt_bin"] = "other.bin"; });
  EXPECT_EQ(found(), "V-03");
}
TEST_F(Rules, V03StartMissing) {
  manifest([](OrderedJson& j) {
    j["func_to_bkt_start_idx"].erase("exp");
    j["func_to_bkt_start_idx"]["tanh"] = 0;
  });
  EXPECT_EQ(found(), "V-03");
}
TEST_F(Rules, V04BktSize) {
  bytes("mine_bkt.bin", [](Bytes& b) { b.pop_back(); });
  EXPECT_EQ(found(), "V-04");
}
TEST_F(Rules, V05CtrlStride) {
  bytes("mine_ctrl.bin", [](Bytes& b) { b.resize(b.size() / 4); });
  EXPECT_EQ(found(), "V-05");
}
TEST_F(Rules, V06BktPadding) {
  bytes("mine_bkt.bin", [](Bytes& b) { b[31] = 1; });
  EXPECT_EQ(found(), "V-06");
}
TEST_F(Rules, V07CtrlPaddingAndHighBits) {
  bytes("mine_ctrl.bin", [](Bytes& b) { b[3] = 1, b[64] |= 0, b[40] = 1; });
  EXPECT_EQ(found(), "V-07 V-07");
}
TEST_F(Rules, V08LsbAgainstSize) {
  bytes("mine_ctrl.bin", [](Bytes& b) { b[1] = static_cast<std::uint8_t>(b[1] - 8); });
  EXPECT_EQ(found(), "V-08");
}
TEST_F(Rules, V08EmptyOctaveHasNoSize) {
  bytes("mine_ctrl.bin", [](Bytes& b) { b[5 * 32 + 1] |= 0xb8; });  // identity's first word
  EXPECT_EQ(found(), "V-08");
}
TEST_F(Rules, V09RunningSum) {
  bytes("mine_ctrl.bin",
        [](Bytes& b) { b[32] = 3; });  // the second octave claims to start behind two records of the first
  EXPECT_EQ(found(), "V-09");
}
TEST_F(Rules, V09OnlyTheLastOctaveIsCutShort) {
  Catalog c = sample_catalog();
  c.sets[0].functions[0].pos.octaves[2].sections.pop_back();
  folder_ = folder_of(c);
  EXPECT_NE(found().find("V-09"), std::string::npos);
}
TEST_F(Rules, V10Counts) {
  manifest([](OrderedJson& j) { j["func_to_bkt_start_idx"]["identity"] = 999; });
  EXPECT_NE(found().find("V-10"), std::string::npos);
}
TEST_F(Rules, V10FirstFunctionStartsAtZero) {
  // One record more in front: everything else is moved along.
  bytes("mine_bkt.bin", [](Bytes& b) { b.insert(b.begin(), 32, 0); });
  bytes("mine_ctrl.bin", [](Bytes& b) {
    for (std::size_t at = 0; at < b.size(); at += 32) ++b[at];
  });
  manifest([](OrderedJson& j) {
    j["bkt_entry_cnt"] = j["bkt_entry_cnt"].get<int>() + 1;
    for (auto& item : j["func_to_bkt_start_idx"]) item = item.get<int>() + 1;
    for (auto& function : j["func_exp_to_bkt_start_idx"])
      for (auto& octave : function)
        for (auto& start : octave) start = start.get<int>() + 1;
    for (auto& record : j["profile_meta_data"])
      for (const char* key : {"pos_small_signal_pwl_control", "neg_small_signal_pwl_control",
                              "pos_large_signal_pwl_control", "neg_large_signal_pwl_control"})
        record[key] = record[key].get<int>() + 1;
  });
  EXPECT_EQ(found().substr(0, 9), "V-10 V-10");
}
TEST_F(Rules, V11ClampPointers) {
  manifest([](OrderedJson& j) { j["profile_meta_data"][0]["neg_large_signal_pwl_control"] = 3; });
  EXPECT_EQ(found(), "V-11");
}
TEST_F(Rules, V12CtlStart) {
  manifest([](OrderedJson& j) { j["profile_meta_data"][1]["pwl_control_base_neg"] = 4; });
  EXPECT_EQ(found(), "V-12");
}
TEST_F(Rules, V13Lists) {
  manifest([](OrderedJson& j) { j["func_exp_to_ctl_start_idx"]["identity"]["-127"] = {5, 7}; });
  EXPECT_EQ(found(), "V-13");
}
TEST_F(Rules, V13BktLists) {
  manifest([](OrderedJson& j) { j["func_exp_to_bkt_start_idx"]["exp"]["0"] = {1}; });
  EXPECT_EQ(found(), "V-13");
}
TEST_F(Rules, V13TakesMinusOneForAnUndeclaredSide) {
  manifest([](OrderedJson& j) {
    j["func_exp_to_bkt_start_idx"]["exp"]["0"] = {-1,
                                                  j["func_exp_to_bkt_start_idx"]["exp"]["0"][0].get<int>()};
  });
  EXPECT_EQ(found(), "");
}
TEST_F(Rules, V13BasePos) {
  manifest([](OrderedJson& j) { j["profile_meta_data"][1]["pwl_control_base_pos"] = 100; });
  EXPECT_EQ(found(), "V-13");
}
TEST_F(Rules, V14FirstKey) {
  manifest([](OrderedJson& j) { j["profile_meta_data"][1]["exp_offset"] = -126; });
  EXPECT_EQ(found(), "V-14 V-14");
}
TEST_F(Rules, V15CodeOfTheFunction) {
  manifest([](OrderedJson& j) { j["profile_meta_data"][2]["func_id"] = 8; });
  EXPECT_EQ(found(), "V-15");
}
TEST_F(Rules, V15Unique) {
  manifest([](OrderedJson& j) { j["profile_meta_data"][0]["func_id"] = 7; });
  EXPECT_EQ(found(), "V-15");
}
TEST_F(Rules, V15TongaIdsWhereTheyAreKnown) {
  Catalog c = sample_catalog();
  c.id_space = IdSpace::tonga;
  folder_ = folder_of(c);
  EXPECT_EQ(found(), "");
  c.sets[0].functions[1].func_id = 99;  // identity: no published code
  folder_ = folder_of(c);
  EXPECT_EQ(found(), "");
  c.sets[0].functions[2].func_id = 5;  // exp: published as 7
  folder_ = folder_of(c);
  EXPECT_EQ(found(), "V-15");
}
TEST_F(Rules, V16ProfileAgainstBlobs) {
  Catalog c = sample_catalog();
  Profile p = make_profile(c.sets[0].functions[2], 0);
  const auto add = [&] {
    const std::string text = print_profile(p);
    folder_.add("pwp_jsons/exp_400p.json", Bytes(text.begin(), text.end()));
  };
  add();
  EXPECT_EQ(found(), "");
  p.table.pos.octaves[3].sections[2].d3 = std::nextafter(p.table.pos.octaves[3].sections[2].d3, 1.0f);
  add();
  EXPECT_EQ(found(), "V-16");
  p = make_profile(c.sets[0].functions[2], 0);
  p.table.specials.ninf = 0;
  add();
  EXPECT_EQ(found(), "V-16");
}
TEST_F(Rules, V17Functions) {
  Catalog c = sample_catalog();
  for (int i = 0; i < 23; ++i) {
    FunctionTable f = c.sets[0].functions[1];
    f.name = "extra" + std::to_string(i);
    f.func_id = static_cast<std::uint32_t>(220 + i);
    c.sets[0].functions.push_back(f);
  }
  c.sets[0] = make_set("mine", c.sets[0].functions);
  folder_ = folder_of(c);
  EXPECT_EQ(found(), "V-17");
}
TEST_F(Rules, V17ControlEntries) {
  Catalog c = sample_catalog();
  FunctionTable& t = c.sets[0].functions[0];
  t.pos.octaves.clear();
  for (int e = -90; e < 60; ++e) t.pos.octaves.push_back({e, 0, std::vector<Section>(1)});
  t.exponent_offset = -90;
  t.pos.low.sat_point = 37;
  t.pos.high = {187, 0, {}};
  folder_ = folder_of(c);
  const Diagnostics note = check_catalog(folder_);
  ASSERT_EQ(rules_of(note), "V-17");
  EXPECT_EQ(note[0].severity, Severity::note);
  EXPECT_NE(note[0].message.find("control table exceeds 128 entries (32-byte stride v3 region)"),
            std::string::npos);
  CatalogCheckOptions strict;
  strict.strict_control_128 = true;
  EXPECT_TRUE(has_errors(check_catalog(folder_, strict)));
}
TEST_F(Rules, V17ExtractSizeElevenWarns) {
  Catalog c = sample_catalog();
  Octave& o = c.sets[0].functions[0].pos.octaves.back();
  o.extract_size = 11;
  o.sections.resize((0x300000u >> 12) + 1);
  folder_ = folder_of(c);
  EXPECT_EQ(found(), "V-17");
  EXPECT_FALSE(has_errors(check_catalog(folder_)));
}
TEST_F(Rules, V17TooManyRecordsCannotEvenBeWritten) {
  Catalog c = sample_catalog();
  c.sets[0].functions[0].pos.octaves.back() = {2, 11, std::vector<Section>(2048)};
  const auto files = catalog_files(c);
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error()[0].code, Code::capacity);
  EXPECT_EQ(files.error()[0].rule, "V-17");
}
TEST_F(Rules, V18Threshold) {
  manifest(
      [](OrderedJson& j) { j["profile_meta_data"][0]["large_pos_signal_mantissa_threshold"] = 0x100000; });
  EXPECT_EQ(found(), "V-18");
}
TEST_F(Rules, V19UnresolvedInput) {
  manifest([](OrderedJson& j) { j["profile_meta_data"][0]["small_pos_signal_exp_threshold"] = 124; });
  EXPECT_EQ(found(), "V-19");
}
TEST_F(Rules, V19NamesTheInput) {
  FunctionTable t = sample_table("f", 4);
  EXPECT_EQ(unresolved_input(t), std::nullopt);
  t.pos.high = {130, 5, {}};
  const auto hole = unresolved_input(t);
  ASSERT_TRUE(hole);
  EXPECT_GE(*hole, 6.0f);
  EXPECT_LE(*hole, 8.000002f);
}
TEST_F(Rules, AbsentSet) {
  for (const char* name : {"mine.json", "mine_bkt.bin", "mine_ctrl.bin"}) folder_.remove(name);
  expect_absent("set-absent");
}
// P-02: UTF-8 without a byte order mark, no missing files; 10.2: use_multipass is true or false.
TEST_F(Rules, ByteOrderMark) {
  for (const char* name : {"act_info.json", "mine.json", "version.json"}) {
    folder_ = folder_of(sample_catalog());
    bytes(name, [](Bytes& b) { b.insert(b.begin(), {0xef, 0xbb, 0xbf}); });
    const Diagnostics all = check_catalog(folder_);
    ASSERT_TRUE(has_errors(all)) << name;
    EXPECT_EQ(all[0].code, Code::json_syntax) << name;
    EXPECT_NE(all[0].where.file.find(name), std::string::npos);
  }
}
TEST_F(Rules, VersionFile) {
  json("version.json", [](OrderedJson& j) { j["KaenaPWP"]["git_sha"] = 5; });
  EXPECT_TRUE(has_errors(check_catalog(folder_)));
  folder_.remove("version.json");
  expect_absent("missing-member");
}
TEST_F(Rules, BooleansAreNoNumbers) {
  manifest([](OrderedJson& j) { j["profile_meta_data"][0]["use_multipass"] = 1; });
  const Diagnostics all = check_catalog(folder_);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].code, Code::json_type);
  EXPECT_NE(all[0].where.pointer.find("use_multipass"), std::string::npos);
}
TEST_F(Rules, MissingBlobIsAnErrorEvenInAPartialCatalog) {
  folder_.remove("mine_bkt.bin");
  CatalogCheckOptions partial;
  partial.allow_absent_sets = true;
  EXPECT_EQ(found(partial), "io-error");
}

// What no rule number covers, in the roster.
TEST_F(Rules, RosterRefusesBadNamesAndBudgets) {
  const auto refused = [&](const std::function<void(OrderedJson&)>& change) {
    const MemoryFolder before = folder_;
    json("act_info.json", change);
    const std::string out = found();
    folder_ = before;
    return out;
  };
  EXPECT_EQ(refused([](OrderedJson& j) { j["act_func_sets"][0]["bkt_bin"] = "../secret"; }), "bad-path");
  EXPECT_EQ(refused([](OrderedJson& j) { j["act_func_sets"][0]["name"] = "/etc"; }), "bad-path");
  EXPECT_EQ(refused([](OrderedJson& j) { j["act_func_sets"][0]["profile_json"] = ""; }), "bad-path");
  EXPECT_EQ(refused([](OrderedJson& j) { j["act_func_sets"].push_back(j["act_func_sets"][0]); }),
            "duplicate-name");
  EXPECT_EQ(refused([](OrderedJson& j) { j["act_func_sets"][0]["act"]["exp"] = 0; }), "bad-value");
  EXPECT_EQ(refused([](OrderedJson& j) { j["act_func_sets"][0]["act"]["exp"] = 1.5; }), "json-type");
  EXPECT_EQ(refused([](OrderedJson& j) { j["act_func_sets"][0].erase("act"); }), "json-missing");
  EXPECT_EQ(refused([](OrderedJson& j) { j["pwp_file_keys"] = {"bkt_bin"}; }), "bad-value");
  EXPECT_EQ(refused([](OrderedJson& j) { j["act_func_sets"] = 4; }), "json-type");
  EXPECT_EQ(refused([](OrderedJson& j) {
              const OrderedJson row = j["act_func_sets"][0];
              for (int i = 0; i < 300; ++i) j["act_func_sets"].push_back(row);
            }),
            "too-large");
}

TEST_F(Rules, ManifestRefusesBadValues) {
  const auto refused = [&](const char* pointer, OrderedJson value) {
    const MemoryFolder before = folder_;
    manifest([&](OrderedJson& j) { j[OrderedJson::json_pointer(pointer)] = std::move(value); });
    const std::string out = found();
    folder_ = before;
    return out;
  };
  EXPECT_EQ(refused("/bkt_bin", "a/../b"), "bad-path");
  EXPECT_EQ(refused("/bkt_entry_cnt", -1), "bad-value");
  EXPECT_EQ(refused("/bkt_entry_cnt", 4294967297), "bad-value");
  EXPECT_EQ(refused("/profile_meta_data", 3), "json-type");
  EXPECT_EQ(refused("/profile_meta_data/0", 3), "json-type");
  EXPECT_EQ(refused("/profile_meta_data/0/symmetry_opt_en", 2), "bad-value");
  EXPECT_EQ(refused("/profile_meta_data/0/use_multipass", "no"), "json-type");
  EXPECT_EQ(refused("/profile_meta_data/0/exp_offset", 129), "bad-value");
  EXPECT_EQ(refused("/func_exp_to_bkt_start_idx/exp/0", OrderedJson::array()), "bad-value");
  EXPECT_EQ(refused("/func_exp_to_bkt_start_idx/exp/zero", {1}), "bad-value");
  EXPECT_EQ(refused("/func_exp_to_bkt_start_idx/exp/400", {1}), "bad-value");
  EXPECT_EQ(refused("/profile_meta_data/0/func_name", "my_ln"), "V-03 V-03");
}

TEST_F(Rules, DoubledJsonMembersAreRefused) {
  std::string text(as_text(folder_.files().find("mine.json")->second));
  text.replace(text.find("\"bkt_entry_cnt\""), 15, "\"ctl_entry_cnt\"");
  folder_.add("mine.json", Bytes(text.begin(), text.end()));
  EXPECT_EQ(found(), "duplicate-name");
}

// The vendor's layout with sets and functions nobody here knows is read, listed and evaluated.
TEST_F(Rules, UnknownExtraSetsAreAccepted) {
  Catalog c = sample_catalog();
  FunctionTable novel = sample_table("novel_function", 12345);
  novel.func_id = 250;
  c.sets.push_back(make_set("future_set", {novel}));
  folder_ = folder_of(c);
  EXPECT_EQ(found(), "");
  Diagnostics warnings;
  const auto back = read_catalog(folder_, {}, warnings);
  ASSERT_TRUE(back);
  EXPECT_TRUE(back->sets[1].functions == c.sets[1].functions);
}

TEST(RealRules, ShippedSetIsClean) {
  for (const char* name : testing_support::kRealContainers) {
    const auto folder = testing_support::real_catalog(name);
    if (!folder) GTEST_SKIP() << "the folder with real containers is absent";
    CatalogCheckOptions options;
    options.strictness = Strictness::strict;
    options.allow_absent_sets = true;
    for (const Diagnostic& d : check_catalog(*folder, options))
      EXPECT_EQ(d.code, Code::set_absent) << to_text(d);
  }
}

}  // namespace
}  // namespace act
