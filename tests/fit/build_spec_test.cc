#include "act/fit/build_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace act::fit {
namespace {

using ::testing::HasSubstr;

Result<BuildSpec> parse(std::string_view text) {
  Diagnostics warnings;
  auto spec = parse_build_spec(text, "spec.json", warnings);
  EXPECT_TRUE(warnings.empty());
  return spec;
}

TEST(BuildSpec, ReadsEveryMember) {
  const auto spec = parse(R"({
    "name": "mine", "generation": "v4", "id_space": "tonga", "method": "taylor",
    "sets": [{"name": "first", "act": {"exp": 400, "identity": 1}}, {"name": "second", "act": {"cos": 2}}],
    "functions": {
      "exp": {"func_id": 9},
      "cos_2p": {"method": "minimax", "domain": [-1.5, 1.5], "metric": "absolute", "tolerance": 1e-6,
                 "sections": 40, "func_id": 200}}})");
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->name, "mine");
  EXPECT_EQ(spec->generation, Generation::mariana);
  EXPECT_EQ(spec->id_space, IdSpace::tonga);
  EXPECT_EQ(spec->method, Method::taylor);
  ASSERT_EQ(spec->sets.size(), 2u);
  EXPECT_EQ(spec->sets[0].act, (ActMap{{"exp", 400}, {"identity", 1}}));
  const TableGoal cos = spec->goal("cos", 2);
  EXPECT_EQ(cos.method, Method::minimax);
  EXPECT_EQ(cos.domain, (Interval{-1.5f, 1.5f}));
  EXPECT_EQ(cos.metric, Metric::absolute);
  EXPECT_EQ(cos.tolerance, 1e-6);
  EXPECT_EQ(cos.sections, 40);
  EXPECT_EQ(cos.func_id, 200);
  EXPECT_TRUE(spec->goal("exp", 400).plain());
  EXPECT_EQ(spec->goal("exp", 400).func_id, 9);
  EXPECT_TRUE(spec->goal("cos", 3).plain()) << "a goal of another budget";
}

TEST(BuildSpec, RosterStandsForItsSets) {
  const auto spec = parse(R"({"name": "t", "roster": "with_ln"})");
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->sets.size(), 14u);
  EXPECT_EQ(spec->id_space, IdSpace::tonga);
  EXPECT_EQ(spec->method, Method::minimax);
  EXPECT_EQ(spec->sets[4].name, "small");
}

struct Bad {
  const char* text;
  Code code;
  const char* says;  // in the text of the diagnostic
};

class BadSpec : public ::testing::TestWithParam<Bad> {};

TEST_P(BadSpec, IsRefusedWithItsPlace) {
  const auto spec = parse(GetParam().text);
  ASSERT_FALSE(spec) << GetParam().text;
  EXPECT_EQ(spec.error()[0].code, GetParam().code) << to_text(spec.error()[0]);
  EXPECT_THAT(to_text(spec.error()[0]) + spec.error()[0].where.pointer, HasSubstr(GetParam().says));
  EXPECT_EQ(spec.error()[0].where.file, "spec.json");
}

constexpr char kDeep[] = "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[";
INSTANTIATE_TEST_SUITE_P(
    All, BadSpec,
    ::testing::Values(
        Bad{"", Code::json_syntax, "spec.json"}, Bad{"[]", Code::json_type, "object"},
        Bad{kDeep, Code::json_syntax, ""},
        Bad{R"({"sets": [{"name": "a", "act": {}}]})", Code::json_missing, "name"},
        Bad{R"({"name": "x"})", Code::json_missing, "sets"},
        Bad{R"({"name": "x", "sets": []})", Code::capacity, "1..256"},
        Bad{R"({"name": "x", "roster": "cuda"})", Code::unknown_name, "trainium, with_ln"},
        Bad{R"({"name": "x", "roster": "trainium", "sets": []})", Code::bad_value, "roster"},
        Bad{R"({"name": "x", "method": "chebyshev", "roster": "trainium"})", Code::unknown_name, "taylor, minimax"},
        Bad{R"({"name": "x", "generation": "v9", "roster": "trainium"})", Code::unknown_name, "cayman"},
        Bad{R"({"name": "x", "colour": 1, "roster": "trainium"})", Code::json_unknown, "colour"},
        Bad{R"({"name": "x", "sets": [{"name": "../up", "act": {}}]})", Code::bad_path, "/sets/0/name"},
        Bad{R"({"name": "x", "sets": [{"name": "a", "act": {}}, {"name": "a", "act": {}}]})", Code::duplicate_name,
            "/sets/1"},
        Bad{R"({"name": "x", "sets": [{"name": "a", "act": {"sine": 4}}]})", Code::unknown_name, "sine"},
        Bad{R"({"name": "x", "sets": [{"name": "a", "act": {"Exp": 4}}]})", Code::unknown_name, "Exp"},
        Bad{R"({"name": "x", "sets": [{"name": "a", "act": {"exp": 1}}]})", Code::bad_value, "2 or more"},
        Bad{R"({"name": "x", "sets": [{"name": "a", "act": {"relu": 4}}]})", Code::bad_value, "budget"},
        Bad{R"({"name": "x", "sets": [{"name": "a", "act": {"exp": 0}}]})", Code::bad_value, "/sets/0/act/exp"},
        Bad{R"({"name": "x", "sets": [{"name": "a", "act": {"exp": "many"}}]})", Code::json_type, "integer"},
        Bad{R"({"name": "x", "roster": "trainium", "functions": {"exp": {"tolerance": 0}}})", Code::bad_value, "above 0"},
        Bad{R"({"name": "x", "roster": "trainium", "functions": {"exp": {"tolerance": "1"}}})", Code::json_type, "number"},
        Bad{R"({"name": "x", "roster": "trainium", "functions": {"exp": {"domain": [1, 1]}}})", Code::bad_value, "domain"},
        Bad{R"({"name": "x", "roster": "trainium", "functions": {"exp": {"domain": [1]}}})", Code::bad_value, "[lowest, highest]"},
        Bad{R"({"name": "x", "roster": "trainium", "functions": {"exp": {"domain": [0, 1e39]}}})", Code::bad_value, "binary32"},
        Bad{R"({"name": "x", "roster": "trainium", "functions": {"ln": {"domain": [-1, 4]}}})", Code::bad_value, "domain"},
        Bad{R"({"name": "x", "roster": "trainium", "functions": {"log1p": {"domain": [-2, 4]}}})", Code::bad_value, "domain"},
        Bad{R"({"name": "x", "roster": "trainium", "functions": {"exp": {"metric": "furlong"}}})", Code::unknown_name, "absolute"},
        Bad{R"({"name": "x", "roster": "trainium", "functions": {"exp": {"sections": 0}}})", Code::bad_value, "2048"},
        Bad{R"({"name": "x", "roster": "trainium", "functions": {"exp": {"func_id": 256}}})", Code::bad_value, "255"},
        Bad{R"({"name": "x", "roster": "trainium", "functions": {"relu": {"sections": 4}}})", Code::bad_value, "func_id"},
        Bad{R"({"name": "x", "roster": "trainium", "functions": {"nope": {}}})", Code::unknown_name, "nope"},
        Bad{R"({"name": "x", "sets": [{"name": "a", "act": {"exp": 4}}], "functions": {"exp_5p": {"sections": 5}}})",
            Code::unknown_name, "exp_4p"},
        Bad{R"({"name": "x", "sets": [{"name": "a", "act": {"exp": 4}}], "functions": {"tanh": {"tolerance": 5}}})",
            Code::unknown_name, "/functions/tanh"},
        Bad{R"({"name": "x", "sets": [{"name": "act_info", "act": {}}]})", Code::bad_path, "overwrite"},
        Bad{R"({"name": "x", "sets": [{"name": "version", "act": {}}]})", Code::bad_path, "overwrite"},
        Bad{R"({"name": "x", "sets": [{"name": "certificates", "act": {}}]})", Code::bad_path, "overwrite"},
        Bad{R"({"name": "x", "sets": [{"name": ".", "act": {}}]})", Code::bad_path, "/sets/0/name"},
        Bad{R"({"name": "x", "sets": [{"name": "-x", "act": {}}]})", Code::bad_path, "/sets/0/name"}));

TEST(BuildSpec, TooManyFunctions) {
  std::string act;
  int n = 0;
  for (const FunctionInfo& f : all_functions()) {
    if (n++ == 26) break;
    act += (act.empty() ? "\"" : ", \"") + std::string(f.name) + (f.has_table() ? "\": 4" : "\": 1");
  }
  const auto spec = parse(R"({"name": "x", "sets": [{"name": "a", "act": {)" + act + "}}]}");
  ASSERT_FALSE(spec);
  EXPECT_EQ(spec.error()[0].code, Code::capacity);
}

}  // namespace
}  // namespace act::fit
