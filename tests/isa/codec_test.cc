// Formats and opcodes against the published field map, and the golden bundles in both directions.
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "act/isa/opcode.h"
#include "act/rows/json.h"

namespace act {
namespace {

Json read_json(const std::string& name) {
  std::ifstream in(std::string(ACTKIT_SHARED_DIR) + "/" + name);
  return in ? Json::parse(in) : Json();
}

TEST(FieldMap, EveryFormatOfTheBookHasTheSameRows) {
  const Json book = read_json("spec/formats.json");
  if (book.is_null()) GTEST_SKIP() << "the field map is not here";
  for (const auto& [name, want] : book["formats"].items()) {
    const Format* format = find_format(name);
    ASSERT_NE(format, nullptr) << name;
    ASSERT_EQ(format->fields.size(), want["fields"].size()) << name;
    for (std::size_t i = 0; i < format->fields.size(); ++i) {
      const Field& f = format->fields[i];
      const Json& w = want["fields"][i];
      EXPECT_EQ(Json({{"name", f.name}, {"offset", f.byte()}, {"size", f.bytes()}, {"type", f.type}}), w) << name;
    }
    Json reserved = Json::array();
    for (const Reserved& r : format->reserved) reserved.push_back({r.byte, r.bytes});
    EXPECT_EQ(reserved, want["reserved"]) << name;
    for (const auto& op : want["ops"]) {
      const OpcodeInfo* row = find_opcode(op.get<std::string>());
      ASSERT_NE(row, nullptr) << op;
      EXPECT_EQ(format_of(row->format).name, name) << op;
    }
  }
}

TEST(FieldMap, EveryOpcodeOfTheBookHasItsCodeAndGenerations) {
  const Json book = read_json("spec/formats.json");
  if (book.is_null()) GTEST_SKIP() << "the field map is not here";
  for (const auto& [name, want] : book["opcodes"].items()) {
    const OpcodeInfo* row = find_opcode(name);
    ASSERT_NE(row, nullptr) << name;
    EXPECT_EQ(row->name, name);
    EXPECT_EQ(row->code(), want["value"].get<unsigned>()) << name;
    for (const Generation g : kGenerations) {
      const bool listed = std::ranges::find(want["generations"], Json(generation_name(g))) != want["generations"].end();
      EXPECT_EQ(row->generations.contains(g), listed) << name << ' ' << generation_name(g);
    }
  }
}

TEST(Opcodes, NamedOpcodesAreMembersWhereTheyAreUsable) {
  for (const OpcodeInfo& row : all_opcodes())
    for (const Generation g : kGenerations) {
      if (!row.generations.contains(g)) continue;
      EXPECT_TRUE(opcode_generations(row.code()).contains(g)) << row.name << ' ' << generation_name(g);
    }
}

TEST(Opcodes, NamesAliasesAndUnnamedMembersAreRead) {
  EXPECT_EQ(parse_opcode("activate").value(), 0x21);
  EXPECT_EQ(parse_opcode("ACT_TABLE_LOAD").value(), 0x23);
  EXPECT_EQ(parse_opcode("TENSOR_REDUCE").value(), 0x42);
  EXPECT_EQ(parse_opcode("DMA_DIRECT2D").value(), 0xD4);
  EXPECT_EQ(opcode_name(0x03), "OP_0x03");
  EXPECT_EQ(parse_opcode("op_0x03").value(), 0x03);
  EXPECT_EQ(opcode_name(0x00), "");
  const auto bad = parse_opcode("OP_0x00");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error()[0].code, Code::unknown_name);
}

class GoldenBundles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ifstream in(std::string(ACTKIT_SHARED_DIR) + "/cases/bundles.jsonl");
    if (!in) GTEST_SKIP() << "the golden bundles are not here";
    for (std::string line; std::getline(in, line);) lines_.push_back(Json::parse(line));
    ASSERT_GT(lines_.size(), 60u);
  }
  std::vector<Json> lines_;
};

Bundle from_hex_text(const std::string& hex) {
  const auto raw = from_hex(hex);
  Bundle b;
  std::ranges::copy(*raw, b.bytes.begin());
  return b;
}

TEST_F(GoldenBundles, FieldsEncodeToTheListedBytes) {
  for (const Json& line : lines_) {
    if (!line["valid"].get<bool>()) continue;
    Bundle b;
    b.bytes[0] = parse_opcode(line["opcode"].get<std::string>()).value();
    b.bytes[1] = kInstWordLen;
    const Status s = fields_from_json(b, *format_of(b), line["fields"]);
    ASSERT_TRUE(s) << line["name"] << to_text(s.error()[0]);
    EXPECT_EQ(to_hex(b.bytes), line["bytes"]) << line["name"];
  }
}

TEST_F(GoldenBundles, EveryBundleDecodesToFieldsThatEncodeToIt) {
  for (const Json& line : lines_) {
    const Bundle b = from_hex_text(line["bytes"].get<std::string>());
    const Format* format = format_of(b);
    ASSERT_NE(format, nullptr);
    Bundle back;
    ASSERT_TRUE(fields_from_json(back, *format, fields_to_json(b, *format)));
    EXPECT_EQ(back, b) << line["name"];
    EXPECT_EQ(encode(decode(b)), b) << line["name"];
  }
}

TEST_F(GoldenBundles, EverySingleBitFlipClassifiesAndEncodesToItself) {
  for (const Json& line : lines_) {
    const Bundle golden = from_hex_text(line["bytes"].get<std::string>());
    for (unsigned bit = 0; bit < 512; ++bit) {
      Bundle b = golden;
      b.bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
      const Format* format = format_of(b);
      EXPECT_EQ(format == nullptr, decode(b).index() == 0);
      if (format == nullptr) continue;
      ASSERT_EQ(encode(decode(b)), b) << line["name"] << " bit " << bit;
      Bundle back;
      ASSERT_TRUE(fields_from_json(back, *format, fields_to_json(b, *format)));
      ASSERT_EQ(back, b);
    }
  }
}

// The worked bundle at the end of book 01, appendix A.
TEST(Typed, WorkedActivate) {
  const Bundle b = from_hex_text(
      "21100000050313070500000000000001000000020100010001000002010001006a0680050000003f000080bf00000000"
      "00100000010001000100000201000100");
  const auto x = std::get<S3d3Ac>(decode(b));
  EXPECT_EQ(x.wait_mode, WaitMode::SEM_GE_IMM);
  EXPECT_EQ(x.wait_idx, 3);
  EXPECT_EQ(x.update_mode, UpdateMode::SEM_INC_COMPLETE);
  EXPECT_EQ(x.update_idx, 7);
  EXPECT_EQ(x.sync_value, 5u);
  EXPECT_EQ(x.bias_src_n, ImmSrcN::INSTRUCTION);
  EXPECT_EQ(x.src_mem_pattern.addr, 0x2000000u);
  EXPECT_EQ(x.src_mem_pattern.num[0], 512);
  EXPECT_EQ(x.in_bias_dtype.lo(), Dtype::fp32);
  EXPECT_EQ(x.in_bias_dtype.hi(), Dtype::bfloat16);
  EXPECT_EQ(x.out_dtype, Dtype::bfloat16);
  EXPECT_EQ(x.num_active_channels, 128);
  EXPECT_EQ(x.activation_func, 5);
  EXPECT_EQ(x.scale_value.bits, 0x3f000000u);
  EXPECT_EQ(x.bias.bits, 0xbf800000u);
  EXPECT_EQ(x.dst_mem_pattern.addr, 0x1000u);
}

TEST(Typed, AMillionRandomBundlesPerFormatRoundTrip) {
  std::mt19937_64 random(1);
  for (const Format* format : all_formats()) {
    const auto row = std::ranges::find_if(all_opcodes(), [=](const OpcodeInfo& r) { return &format_of(r.format) == format; });
    ASSERT_NE(row, all_opcodes().end()) << format->name;
    for (int i = 0; i < 1000000; ++i) {
      Bundle b;
      for (unsigned w = 0; w < 8; ++w) {
        const std::uint64_t v = random();
        std::memcpy(b.bytes.data() + 8 * w, &v, 8);
      }
      b.bytes[0] = row->code();
      ASSERT_EQ(encode(decode(b)), b);
      if (i % 128 != 0) continue;
      Bundle back;
      ASSERT_TRUE(fields_from_json(back, *format, fields_to_json(b, *format)));
      ASSERT_EQ(back, b);
    }
  }
}

}  // namespace
}  // namespace act
