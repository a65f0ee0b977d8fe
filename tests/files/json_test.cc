#include "act/files/json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace act {
namespace {

std::string nested(int depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(Json, DepthLimitIsExact) {
  EXPECT_TRUE(parse_json(nested(64), "f"));
  const auto deep = parse_json(nested(65), "f");
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error()[0].code, Code::json_syntax);
  EXPECT_EQ(deep.error()[0].where.file, "f");
  EXPECT_FALSE(parse_json(std::string(10'000'000, '['), "f"));
  EXPECT_FALSE(parse_json(std::string(100, '['), "f"));
}

TEST(Json, SyntaxErrorsCarryLineAndColumn) {
  const auto r = parse_json("{\n \"a\": 1,\n \"b\" 2}", "m.json");
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error()[0].code, Code::json_syntax);
  EXPECT_EQ(r.error()[0].where.line, 3u);
  EXPECT_EQ(r.error()[0].where.column, 6u);
  for (std::string_view bad : {"", "{", "nul", "1 2", "\"\xff\"", "{\"a\":1,}", "[1e]"})
    EXPECT_FALSE(parse_json(bad, "f")) << bad;
}

TEST(Json, SizeAndValueLimits) {
  JsonLimits limits;
  limits.bytes = 5;
  EXPECT_TRUE(parse_json("[1,2]", "f", limits));
  const auto big = parse_json("[1, 2]", "f", limits);
  ASSERT_FALSE(big);
  EXPECT_EQ(big.error()[0].code, Code::too_large);
  limits = {};
  limits.values = 3;
  EXPECT_TRUE(parse_json("[1,2]", "f", limits));
  EXPECT_FALSE(parse_json("[1,2,3]", "f", limits));
}

TEST(Json, OrderedTreesKeepOrderAndBoundTheirWork) {
  EXPECT_EQ(parse_ordered_json(R"({"b":1,"a":2})", "f")->dump(), R"({"b":1,"a":2})");
  EXPECT_EQ(parse_json(R"({"b":1,"a":2})", "f")->dump(), R"({"a":2,"b":1})");
  std::string many = "{\"k\":0";
  for (int i = 0; i < 40'000; ++i) many += fmt::format(",\"{}\":0", i);
  many += "}";
  EXPECT_TRUE(parse_json(many, "f"));
  const auto r = parse_ordered_json(many, "f");
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error()[0].code, Code::too_large);
}

TEST(Json, DoubledKeysAreRefusedOnRequest) {
  JsonLimits unique;
  unique.unique_keys = true;
  EXPECT_TRUE(parse_json(R"({"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]})", "f", unique));
  const auto r = parse_json(R"({"b":{"a":1,"a":2}})", "f", unique);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error()[0].code, Code::duplicate_name);
}

TEST(Json, EverythingElseIsAValue) {
  const auto r = parse_json(R"({"a":[null,true,-1,18446744073709551615,1.5,"x"]})", "f");
  ASSERT_TRUE(r);
  EXPECT_EQ((*r)["a"][3].get<std::uint64_t>(), 18446744073709551615u);
}

}  // namespace
}  // namespace act
