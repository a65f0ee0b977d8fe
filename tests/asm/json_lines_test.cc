// Instructions as JSON lines, both ways, against the golden bundles.
#include "act/asm/json_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "act/rows/json.h"

namespace act {
namespace {

using testing::HasSubstr;

std::vector<Json> golden_lines() {
  std::vector<Json> lines;
  std::ifstream in(std::string(ACTKIT_SHARED_DIR) + "/cases/bundles.jsonl");
  for (std::string line; std::getline(in, line);) lines.push_back(Json::parse(line));
  return lines;
}

TEST(JsonLines, GoldenBundlesBothWays) {
  const std::vector<Json> lines = golden_lines();
  if (lines.empty()) GTEST_SKIP() << "the shared case files are absent";
  int positive = 0;
  for (const Json& line : lines) {
    if (!line["valid"].get<bool>()) continue;
    ++positive;
    const auto parsed = bundle_from_json_line(line.dump(), "bundles.jsonl", 1);
    ASSERT_TRUE(parsed) << line["name"] << to_text(parsed.error()[0]);
    EXPECT_EQ(to_hex(parsed->bundle), line["bytes"].get<std::string>()) << line["name"];
    for (const Json& gen : line["gens"]) {
      const Json out = Json::parse(to_json_line(parsed->bundle.bytes, 3, *find_generation(gen.get<std::string>())));
      EXPECT_EQ(out["opcode"], line["opcode"]);
      EXPECT_EQ(out["bytes"], line["bytes"]);
      EXPECT_EQ(out["gen"], gen);
      EXPECT_EQ(out["index"], 3);
      EXPECT_EQ(out["offset"], 192);
      // Every field that the case names comes back, by name or by the number behind it.
      for (const auto& [name, value] : line["fields"].items()) {
        Bundle b;
        const Format& format = *format_of(parsed->bundle);
        ASSERT_TRUE(out["fields"].contains(name)) << name;
        const Field* f = format.find(name);
        ASSERT_TRUE(f != nullptr && field_from_json(b, *f, value));
        EXPECT_EQ(out["fields"][name], field_to_json(b, *f)) << name;
      }
      // And nothing but the fields of the format, without the opcode.
      EXPECT_EQ(out["fields"].size(), format_of(parsed->bundle)->fields.size() - 1);
    }
  }
  EXPECT_GT(positive, 20);
}

TEST(JsonLines, RandomBundlesRoundTrip) {
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    Bundle b;
    for (std::uint8_t& x : b.bytes) x = static_cast<std::uint8_t>(random());
    const auto back = bundle_from_json_line(to_json_line(b.bytes, 0, kDefaultGeneration), "-", 1);
    ASSERT_TRUE(back) << to_text(back.error()[0]);
    ASSERT_EQ(back->bundle, b);
    ASSERT_EQ(back->size, kBundleBytes);
  }
}

TEST(JsonLines, WhatIsNoInstruction) {
  Bundle b;  // opcode 0 belongs to no generation
  const Json line = Json::parse(to_json_line(b.bytes, 2, kDefaultGeneration));
  EXPECT_TRUE(line["opcode"].is_null());
  EXPECT_EQ(line["bytes"].get<std::string>().size(), 128u);
  EXPECT_EQ(line["diagnostics"][0]["code"], "unknown-name");
  EXPECT_FALSE(line.contains("fields"));
  const auto tail = bundle_from_json_line(to_json_line(std::span(b.bytes).first(5), 2, kDefaultGeneration), "-", 1);
  ASSERT_TRUE(tail);
  EXPECT_EQ(tail->size, 5u);
}

TEST(JsonLines, DefaultsAndNames) {
  const auto get = [](const char* text) {
    const auto b = bundle_from_json_line(text, "-", 1);
    EXPECT_TRUE(b) << (b ? "" : to_text(b.error()[0]));
    return b ? b->bundle : Bundle{};
  };
  EXPECT_EQ(get(R"({"opcode":"NOP","fields":{}})").bytes[1], 16);
  EXPECT_EQ(get(R"({"opcode":"NOP","fields":{"inst_word_len":0}})").bytes[1], 0);
  EXPECT_EQ(get(R"({"opcode":"ACT_TABLE_LOAD","fields":{"act_tbl_sel":9},"other":[1,2]})").bytes[35], 9);
  EXPECT_EQ(get(R"({"opcode":"NOP","fields":{"wait_mode":"SEM_GE_IMM","semaphore_value":7,"debug_cmd":1}})").bytes[8], 7);
  EXPECT_EQ(get(R"({"opcode":"NOP","fields":{"debug_hint":200}})").bytes[3], 200);
  EXPECT_EQ(get(R"({"opcode":"NOP","fields":{"reserved_12":"0100000000000000000000000000000000000000000000"}})").bytes[12], 1);
  EXPECT_EQ(get(R"({"opcode":"ACTIVATE","fields":{"out_dtype":6}})").bytes[33], 6);
  EXPECT_EQ(get(R"({"opcode":"ACTIVATE","fields":{"out_dtype":"BFLOAT16"}})").bytes[33], 6);
}

TEST(JsonLines, RefusedLines) {
  const std::pair<const char*, const char*> kCases[] = {
      {"{", "json-syntax"},
      {"[]", "json-type"},
      {R"({"fields":{}})", "json-missing"},
      {R"({"opcode":"NOP"})", "json-missing"},
      {R"({"opcode":"NOPE","fields":{}})", "unknown-name"},
      {R"({"opcode":5,"fields":{}})", "json-type"},
      {R"({"opcode":"NOP","fields":[]})", "json-type"},
      {R"({"opcode":"NOP","fields":{"frob":1}})", "unknown-field"},
      {R"({"opcode":"NOP","fields":{"wait_idx":256}})", "bad-value"},
      {R"({"opcode":"NOP","fields":{"wait_idx":-1}})", "bad-value"},
      {R"({"opcode":"NOP","fields":{"wait_idx":1.5}})", "json-type"},
      {R"({"opcode":"NOP","fields":{"wait_mode":"SOON"}})", "unknown-name"},
      {R"({"opcode":"COPY","fields":{"src_mem_pattern":{"addr":0,"step":[46208,1,1,1],"num":[1,1,1,1]}}})", "bad-value"},
      {R"({"opcode":"COPY","fields":{"src_mem_pattern":{"addr":0,"step":[1,1,1,1],"num":[65536,1,1,1]}}})", "bad-value"},
      {R"({"opcode":null})", "json-missing"},
      {R"({"opcode":null,"bytes":"0g"})", "bad-value"},
      {R"({"opcode":null,"bytes":""})", "bad-value"},
  };
  for (const auto& [text, code] : kCases) {
    const auto b = bundle_from_json_line(text, "lines", 12);
    ASSERT_FALSE(b) << text;
    EXPECT_EQ(code_id(b.error()[0].code), code) << text;
    EXPECT_EQ(b.error()[0].where.file, "lines");
    EXPECT_EQ(b.error()[0].where.line, 12u);
  }
}

}  // namespace
}  // namespace act
