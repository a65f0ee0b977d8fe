// Every field of every format in text: smallest and largest value, one outside, every enumerator; reserved bits; and what
// becomes of valid instructions when their opcode byte is changed.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "act/asm/json_lines.h"
#include "act/asm/text.h"
#include "act/isa/check.h"
#include "act/rows/json.h"

namespace act {
namespace {

using testing::HasSubstr;

// An opcode of the format.
std::uint8_t opcode_of(const Format& format) {
  for (const OpcodeInfo& row : all_opcodes())
    if (&format_of(row.format) == &format) return row.code();
  ADD_FAILURE() << format.name;
  return 0;
}

std::optional<Bundle> assemble(const std::string& line, std::string* errors = nullptr) {
  const auto program = parse_text(line);
  if (program) return program->streams.at(0).bundles.at(0);
  if (errors != nullptr)
    for (const Diagnostic& d : program.error()) *errors += to_text(d) + "\n";
  return std::nullopt;
}

bool is_number(const Field& f) { return f.kind == Kind::integer && f.name != "opcode"; }

TEST(Limits, SmallestAndLargestValueOfEveryField) {
  for (const Format* format : all_formats())
    for (const Field& f : format->fields) {
      if (f.kind == Kind::tensor || f.kind == Kind::bytes || f.kind == Kind::text || f.name == "opcode") continue;
      for (const std::uint64_t v : {std::uint64_t{0}, std::uint64_t{1}, detail::width_mask(f.width) >> 1, detail::width_mask(f.width)}) {
        Bundle b;
        b.bytes[0] = opcode_of(*format);
        b.bytes[1] = kInstWordLen;
        put(b, f, v);
        const auto back = assemble(print_instruction(b));
        ASSERT_TRUE(back) << print_instruction(b);
        EXPECT_EQ(*back, b) << print_instruction(b);
      }
    }
}

TEST(Limits, OneOutsideIsRefused) {
  int fields = 0;
  for (const Format* format : all_formats())
    for (const Field& f : format->fields) {
      if (!is_number(f)) continue;
      const std::string name = opcode_name(opcode_of(*format));
      const std::string outside = f.width == 64 ? "18446744073709551616" : fmt::format("{}", detail::width_mask(f.width) + 1);
      std::string errors;
      EXPECT_FALSE(assemble(fmt::format("{} {}={}", name, f.name, outside), &errors)) << f.name;
      EXPECT_THAT(errors, testing::AnyOf(HasSubstr("allowed 0.."), HasSubstr("function")));
      EXPECT_FALSE(assemble(fmt::format("{} {}=-1", name, f.name))) << f.name;
      ++fields;
      const std::string line = fmt::format(R"({{"opcode":"{}","fields":{{"{}":{}}}}})", name, f.name, outside);
      EXPECT_FALSE(bundle_from_json_line(line, "-", 1)) << line;
    }
  EXPECT_GT(fields, 100);
}

TEST(Limits, EveryEnumeratorByNameAndByNumber) {
  for (const Format* format : all_formats())
    for (const Field& f : format->fields) {
      if (f.kind != Kind::enumerator) continue;
      const std::string name = opcode_name(opcode_of(*format));
      for (unsigned v = 0; v < 256; ++v) {
        const auto number = assemble(fmt::format("{} {}={}", name, f.name, v));
        ASSERT_TRUE(number) << f.name << v;
        EXPECT_EQ(get(*number, f), v);
        const Choice* c = f.choices->find(std::uint64_t{v});
        if (c == nullptr) continue;
        const auto named = assemble(fmt::format("{} {}={}", name, f.name, c->name));
        ASSERT_TRUE(named) << f.name << c->name;
        EXPECT_EQ(get(*named, f), v);
      }
      EXPECT_FALSE(assemble(fmt::format("{} {}=256", name, f.name)));
    }
}

std::vector<Bundle> golden_bundles() {
  std::vector<Bundle> bundles;
  std::ifstream in(std::string(ACTKIT_SHARED_DIR) + "/cases/bundles.jsonl");
  for (std::string line; std::getline(in, line);) {
    const auto json = nlohmann::json::parse(line);
    if (!json["valid"].get<bool>() || json["gens"][0] != "sunda") continue;
    const auto raw = from_hex(json["bytes"].get<std::string>());
    Bundle b;
    std::copy(raw->begin(), raw->end(), b.bytes.begin());
    bundles.push_back(b);
  }
  return bundles;
}

bool errors_in(const Bundle& b, bool lenient) {
  CheckOptions options;
  options.lenient = lenient;
  Diagnostics found;
  check_bundle(b, Generation::cayman, options, found);
  return has_errors(found);
}

// Public case T1: every reserved bit, one at a time.
TEST(Limits, ReservedBitsAreNamedStrictlyAndKeptLeniently) {
  const std::vector<Bundle> bundles = golden_bundles();
  if (bundles.empty()) GTEST_SKIP() << "the shared case files are absent";
  for (const Bundle& golden : bundles)
    for (const Reserved& range : format_of(golden)->reserved)
      for (unsigned bit = range.byte * 8; bit < (range.byte + range.bytes) * 8; ++bit) {
        Bundle b = golden;
        b.bytes[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
        Diagnostics found;
        check_bundle(b, Generation::cayman, {}, found);
        ASSERT_TRUE(std::any_of(found.begin(), found.end(), [](const Diagnostic& d) { return d.rule == "reserved_zero" && d.severity == Severity::error; }));
        EXPECT_FALSE(errors_in(b, true));
        EXPECT_EQ(encode(decode(b)), b);
        EXPECT_EQ(assemble(print_instruction(b)), b);
      }
}

// All single-bit flips survive text and JSON.
TEST(Limits, BitFlipsSurviveTextAndJson) {
  const std::vector<Bundle> bundles = golden_bundles();
  if (bundles.empty()) GTEST_SKIP() << "the shared case files are absent";
  for (const Bundle& golden : bundles)
    for (unsigned bit = 0; bit < kBundleBytes * 8; ++bit) {
      Bundle b = golden;
      b.bytes[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
      ASSERT_EQ(assemble(print_instruction(b)), b) << print_instruction(b);
      const auto json = bundle_from_json_line(to_json_line(b.bytes, 0, kDefaultGeneration), "-", 1);
      ASSERT_TRUE(json);
      ASSERT_EQ(json->bundle, b);
    }
}

// Public case T7: the opcode byte of a valid instruction changed to every other one. Few stay valid: opcodes whose payload
// has no rules, opcodes of the same format, and control instructions whose bytes happen to be sound. The list is recorded.
TEST(Limits, AnotherOpcodeByteIsMostlyAnError) {
  const std::vector<Bundle> bundles = golden_bundles();
  if (bundles.empty()) GTEST_SKIP() << "the shared case files are absent";
  unsigned tried = 0, survived = 0;
  std::map<std::string, unsigned> survivors;
  for (const Bundle& golden : bundles) {
    if (errors_in(golden, false)) continue;
    for (unsigned code = 0; code < 256; ++code) {
      if (code == golden.opcode()) continue;
      Bundle b = golden;
      b.bytes[0] = static_cast<std::uint8_t>(code);
      ++tried;
      if (errors_in(b, false)) continue;
      ++survived;
      ++survivors[opcode_name(b.opcode())];
    }
  }
  ASSERT_GT(tried, 1000u);
  EXPECT_LT(survived * 10, tried) << survived << " of " << tried;
  std::string list;
  for (const auto& [name, n] : survivors) list += fmt::format(" {}={}", name, n);
  RecordProperty("survivors", list);
}

}  // namespace
}  // namespace act
