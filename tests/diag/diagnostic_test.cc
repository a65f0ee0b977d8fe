#include "act/diag/diagnostic.h"

#include <gtest/gtest.h>

#include <set>

#include "act/diag/result.h"

namespace act {
namespace {

Diagnostic sample() {
  Diagnostic d = make_error(Code::bad_value, "num_active_channels is out of range");
  d.field = "num_active_channels";
  d.value = "200";
  d.allowed = "1..128";
  d.rule = "has_valid_active_channel_range";
  return d;
}

TEST(Diagnostic, TextNamesLineAndColumn) {
  Diagnostic d = sample();
  d.where.file = "relu.act";
  d.where.line = 12;
  d.where.column = 3;
  EXPECT_EQ(to_text(d),
            "relu.act:12:3: error[bad-value]: num_active_channels is out of range; found 200, allowed 1..128 "
            "[has_valid_active_channel_range]");
}

TEST(Diagnostic, TextNamesInstructionAndByte) {
  Diagnostic d = sample();
  d.where.file = "relu.bin";
  d.where.instruction = 12;
  d.where.byte = 0x22;
  EXPECT_EQ(to_text(d).substr(0, 57), "relu.bin: instruction 12, byte 0x22: error[bad-value]: nu");
}

TEST(Diagnostic, CaretKeepsTabsAndSpansTheRange) {
  Diagnostic d = make_error(Code::unknown_name, "no such opcode");
  d.where = {.file = "a", .instruction = {}, .byte = {}, .line = 1, .column = 3, .end_column = 6, .pointer = {}};
  EXPECT_EQ(to_text(d, "\t xyz"), "a:1:3: error[unknown-name]: no such opcode\n\t xyz\n\t ^~~");
}

TEST(Diagnostic, LongLinesAreCutAroundTheirPlace) {
  Diagnostic d = make_error(Code::unknown_name, "no such opcode");
  d.where = {.file = "a", .instruction = {}, .byte = {}, .line = 1, .column = 100'001, .end_column = 100'004, .pointer = {}};
  const std::string text = to_text(d, std::string(100'000, 'x') + "abc" + std::string(100'000, 'y'));
  EXPECT_LT(text.size(), 500u);
  const std::size_t line = text.find('\n') + 1, under = text.find('\n', line) + 1;
  EXPECT_EQ(text.substr(line, 4), "...x");
  EXPECT_EQ(text.substr(under - 4, 3), "...");
  const std::size_t caret = text.find('^') - under;
  EXPECT_EQ(text.substr(line + caret, 3), "abc");
  EXPECT_EQ(text.substr(under + caret), "^~~");
  // A place that is itself as long as the line, at its start.
  d.where.column = 1;
  d.where.end_column = 200'001;
  const std::string whole = to_text(d, std::string(200'000, 'x'));
  EXPECT_LT(whole.size(), 500u);
  EXPECT_TRUE(whole.ends_with("...\n^" + std::string(159, '~'))) << whole;
  // Nothing of a line steers a terminal.
  d.where.column = d.where.end_column = 1;
  EXPECT_EQ(to_text(d, "\x1b[2Jnop").find('\x1b'), std::string::npos);
}

TEST(Diagnostic, JsonHasTheContractKeysAndSurvivesBadUtf8) {
  Diagnostic d = sample();
  d.where.instruction = 3;
  d.where.byte = 34;
  EXPECT_EQ(to_json(d),
            R"({"severity":"error","code":"bad-value","rule":"has_valid_active_channel_range",)"
            R"("field":"num_active_channels","instruction":3,"byte":34,"value":"200","allowed":"1..128",)"
            R"("message":"num_active_channels is out of range"})");
  d.value = "\xff\xfe";
  EXPECT_NE(to_json(d).find("\"value\""), std::string::npos);
}

TEST(Diagnostic, CodeIdsAreUniqueKebabCaseAndExplained) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < code_count(); ++i) {
    const Code code = static_cast<Code>(i);
    EXPECT_TRUE(seen.insert(code_id(code)).second) << code_id(code);
    EXPECT_EQ(code_id(code).find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string_view::npos);
    EXPECT_GT(code_doc(code).size(), 10u) << code_id(code);
  }
}

TEST(Result, CarriesValueOrErrors) {
  Result<int> good = 4;
  ASSERT_TRUE(good);
  EXPECT_EQ(*good, 4);
  EXPECT_EQ(std::move(good).transform([](int v) { return v + 1; }).value(), 5);
  Result<int> bad = sample();
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.value_or(7), 7);
  Result<int> chained = std::move(bad).and_then([](int v) { return Result<int>(v); });
  ASSERT_FALSE(chained);
  EXPECT_EQ(chained.error().size(), 1u);
}

}  // namespace
}  // namespace act
