// Text to words and back (04 section 2).
#include "act/tile/text.h"

#include <gtest/gtest.h>

#include <random>

namespace act::tile {
namespace {

std::string hex(std::string_view text) {
  Diagnostics warnings;
  const auto bytes = assemble(text, warnings);
  if (!bytes) return to_text(bytes.error()[0]);
  return to_hex(*bytes);
}

Diagnostic error_of(std::string_view text) {
  Diagnostics warnings;
  const auto bytes = assemble(text, warnings);
  EXPECT_FALSE(bytes) << text;
  return bytes ? Diagnostic{} : bytes.error()[0];
}

constexpr const char* kSample =
    "BSTART.VEC TRELU, FP32\nB.DIM zero, 3, ->LB0\nB.DIM zero, 4, ->LB2\nB.IOT T#2, mask=1111, <last>, "
    "->T<1>\nBSTOP\n";
// 09719181 00300043 00402043 0018DE13 00000001, little-endian.
constexpr const char* kSampleHex = "81917109430030004320400013de180001000000";

TEST(Text, TheExampleBlockGivesItsFiveWordsAndComesBack) {
  Diagnostics warnings;
  const auto bytes = assemble(kSample, warnings);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(to_hex(*bytes), kSampleHex);
  EXPECT_EQ(disassemble(*bytes), kSample);
  EXPECT_TRUE(warnings.empty());
}

TEST(Text, EveryAcceptedSpellingGivesTheWordOfTheCanonicalOne) {
  struct Row {
    const char *canonical, *other;
  };
  constexpr Row kRows[] = {
      {"BSTART.VEC TRELU, FP32", "BSTART.TEPL 0, 23, FP32"},
      {"BSTART.VEC TRELU, FP32", "  BSTART.VEC   TRELU ,FP32 // a comment"},
      {"B.DATR {NORM, FP64, Zero, EQ, Default, 0, 0}", "B.DATR Zero"},
      {"B.DATR {NORM, FP64, Max, EQ, Default, 0, 0}", "B.DATR Max"},
      {"B.DATR {NORM, FP64, Min, EQ, Default, 0, 0}", "B.DATR {NORM,FP64,Min,None,Default,0,0}"},
      {"B.DATR {NORM, FP64, Null, EQ, Default, 0, 0}", "B.DATR Null"},
      {"B.DIM zero, 3, ->LB0", "B.DIM LB0 = 3"},
      {"B.DIM zero, 131071, ->LB1", "B.DIM LB1=0x1FFFF"},
      {"B.DIM zero, 3, ->LB0", "B.DIM r0, 3, -> LB0"},
      {"B.DIM a0, 0, ->LB2", "B.DIM r2,0,->LB2"},
      {"B.DIM ra, 0, ->LB2", "B.DIM r10, 0, ->LB2"},
      {"B.DIM x3, 0, ->LB2", "B.DIM r23, 0, ->LB2"},
      {"B.IOT T#2, mask=1111, <last>, ->T<1>", "B.IOT T#2, mask=1111, last, ->T<128B>"},
      {"B.IOT U#16, M#1, mask=0001, ->N<10>", "B.IOT U#16, M#1, mask = 0001, -> N < 64KiB >"},
      {"B.IOT mask=1000, <last>, ->U<4>", "B.IOT mask=1000,last,->U<1KiB>"},
      {"B.IOT mask=1000, ->U<2>", "B.IOT mask=1000, ->U<256B>"},
      {"B.IOR", "B.IOR zero"},
      {"B.IOR", "B.IOR zero, zero, zero, ->zero"},
      {"B.IOR a0", "B.IOR r2, r0, r0"},
      {"B.IOR zero, a0", "B.IOR zero, a0, zero"},
      {"B.IOR zero, ->a1", "B.IOR ->a1"},
      {"B.IOR zero, ->a1", "B.IOR , ->a1"},
      {"B.IOR a0, s0, x3, ->ra", "B.IOR r2, r11, r23, ->r10"},
      {"B.IOS mask=1111, ->S255<1>", "B.IOS mask=1111, ->S255<128B>"},
      {"B.IOS mask=1111, ->S0<12>", "B.IOS mask=1111, ->S0<256KiB>"},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(hex(row.canonical), hex(row.other)) << row.other;
    Diagnostics warnings;
    const auto bytes = assemble(row.other, warnings);
    ASSERT_TRUE(bytes) << row.other << ": " << to_text(bytes.error()[0]);
    EXPECT_EQ(disassemble(*bytes), std::string(row.canonical) + "\n");
  }
}

TEST(Text, SizesAndMasksAndGprsByTheirNumbers) {
  constexpr const char* kSizes[] = {"128B", "256B", "512B",  "1KiB",  "2KiB",
                                    "4KiB", "8KiB", "16KiB", "32KiB", "64KiB"};
  for (unsigned code = 1; code <= 10; ++code)
    EXPECT_EQ(hex(std::string("B.IOT mask=1111, ->T<") + kSizes[code - 1] + ">"),
              hex("B.IOT mask=1111, ->T<" + std::to_string(code) + ">"));
  constexpr const char* kMasks[] = {"0000", "1000", "0100", "0010", "0001", "1100", "1110", "1111"};
  for (unsigned mode = 0; mode < 8; ++mode) {
    Diagnostics warnings;
    const auto bytes = assemble(std::string("B.IOT T#1, mask=") + kMasks[mode], warnings);
    ASSERT_TRUE(bytes);
    EXPECT_EQ(get_bits(*bytes, 9, 3), mode);
  }
  constexpr const char* kGprs[] = {"zero", "sp", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "ra", "s0",
                                   "s1",   "s2", "s3", "s4", "s5", "s6", "s7", "s8", "x0", "x1", "x2", "x3"};
  for (unsigned code = 0; code < 24; ++code) {
    EXPECT_EQ(hex(std::string("B.DIM ") + kGprs[code] + ", 1, ->LB0"),
              hex("B.DIM r" + std::to_string(code) + ", 1, ->LB0"));
    Diagnostics warnings;
    EXPECT_EQ(get_bits(*assemble(std::string("B.DIM ") + kGprs[code] + ", 1, ->LB0", warnings), 15, 5), code);
  }
}

TEST(Text, CommandsAreSeparatedByLinesAndSemicolons) {
  EXPECT_EQ(hex(";;BSTART.VEC TRELU, FP32;B.DIM LB0=3;\r\n\nB.DIM LB2=4 ; B.IOT T#2, mask=1111, last, ->T<1> "
                "// x ; y\n// z\nBSTOP"),
            kSampleHex);
  EXPECT_EQ(hex(""), "");
  EXPECT_EQ(hex("// only a comment"), "");
}

TEST(Text, ExplicitDefaultsAndAllZeroCommandsStay) {
  Diagnostics warnings;
  const std::string text =
      "BSTART.VEC TRELU, S8\nB.DATR {NORM, FP64, Null, EQ, Default, 0, 0}\nB.IOR\nB.IOT T#1, "
      "mask=0000\nC.BSTOP\nL.BSTOP\n";
  EXPECT_EQ(disassemble(*assemble(text, warnings)), text);
}

TEST(Text, ErrorsNamePlaceValueAndWhatIsAllowed) {
  struct Row {
    const char* text;
    unsigned line, column;
    const char* value;
  };
  constexpr Row kRows[] = {
      {"BSTART.SFU TRELU, FP32", 1, 1, "\"BSTART.SFU\""},
      {"BSTART.VEC TADD, FP32", 1, 12, "\"TADD\""},
      {"BSTART.VEC TRELU, FP33", 1, 19, "\"FP33\""},
      {"BSTART.VEC TRELU FP32", 1, 18, "\"FP32\""},
      {"BSTART.VEC TRELU, DTYPE_NONE", 1, 19, "\"DTYPE_NONE\""},
      {"BSTART.TEPL 0, 24, FP32", 1, 13, "\"0\""},
      {"BSTART.TEPL 4, 23, FP32", 1, 13, "\"4\""},
      {"BSTOP\nB.DIM LB3 = 1", 2, 7, "\"LB3\""},
      {"B.DIM zero, 131072, ->LB0", 1, 13, "\"131072\""},
      {"B.DIM r24, 1, ->LB0", 1, 7, "\"r24\""},
      {"B.DIM zero, 1", 1, 14, "the end of the text"},
      {"C.B.DIMI 256, ->LB0", 1, 10, "\"256\""},
      {"B.IOT T#0, mask=1111", 1, 7, "\"T#0\""},
      {"B.IOT T#17, mask=1111", 1, 7, "\"T#17\""},
      {"B.IOT X#1, mask=1111", 1, 7, "\"X#1\""},
      {"B.IOT T#1, mask=0011", 1, 17, "\"0011\""},
      {"B.IOT T#1, mask=111", 1, 17, "\"111\""},
      {"B.IOT mask=1111", 1, 1, "\"B.IOT\""},
      {"B.IOT mask=1111, <last>", 1, 1, "\"B.IOT\""},
      {"B.IOT T#1, mask=1111, ->T<0>", 1, 27, "\"0\""},
      {"B.IOT T#1, mask=1111, ->T<11>", 1, 27, "\"11\""},
      {"B.IOT T#1, mask=1111, ->T<128KiB>", 1, 27, "\"128KiB\""},
      {"B.IOT T#1, mask=1111, ->T", 1, 26, "the end of the text"},
      {"B.IOT T#1, T#2, T#3, mask=1111", 1, 17, "\"T#3\""},
      {"B.IOT T#1, mask=1111, first", 1, 23, "\"first\""},
      {"B.IOT T#1, mask=1111, <last>,\nBSTOP", 1, 30, "the end of the line"},
      {"B.IOR a0, a1, a2, a3", 1, 19, "\"a3\""},
      {"B.IOR a0,", 1, 10, "the end of the text"},
      {"B.IOR a8", 1, 7, "\"a8\""},
      {"B.IOS S256, mask=1111", 1, 7, "\"S256\""},
      {"B.IOS mask=1111, ->S1<13>", 1, 23, "\"13\""},
      {"B.IOS mask=1111, ->S1<source>", 1, 23, "\"source\""},
      {"B.IOS\nBSTOP", 1, 6, "the end of the line"},
      {"B.DATR Some", 1, 8, "\"Some\""},
      {"B.DATR {NORM, FP64, Zero, EQ, Default, 2, 0}", 1, 40, "\"2\""},
      {"B.DATR {NORM, FP64, Zero, EQ, Default, 0}", 1, 41, "\"}\""},
      {"B.DATR {XX2YY, FP64, Zero, EQ, Default, 0, 0}", 1, 9, "\"XX2YY\""},
      {"B.FPATR 6, 0, 0, 0, 0, 0, 0", 1, 9, "\"6\""},
      {"BSTOP now", 1, 7, "\"now\""},
      {"NOP", 1, 1, "\"NOP\""},
      {".bytes 123", 1, 8, "\"123\""},
      {".bytes", 1, 7, "the end of the text"},
      {"\x01", 1, 1, "\"\\x01\""},
  };
  for (const Row& row : kRows) {
    const Diagnostic d = error_of(row.text);
    EXPECT_EQ(d.code, Code::tile_syntax) << row.text;
    EXPECT_EQ(d.where.line, row.line) << row.text;
    EXPECT_EQ(d.where.column, row.column) << row.text;
    EXPECT_EQ(d.value, row.value) << row.text;
  }
}

TEST(Text, AllErrorsAreReported) {
  Diagnostics warnings;
  const auto bytes = assemble("NOP\nBSTOP\nB.DIM LB9 = 1; B.IOR a9\n", warnings);
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().size(), 3u);
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "NOP\n";
  EXPECT_EQ(assemble(many, warnings).error().size(), 100u);
}

TEST(Text, ALateBDatrIsAWarning) {
  Diagnostics warnings;
  ASSERT_TRUE(
      assemble("BSTART.VEC TRELU, S8; B.DATR Zero; B.IOT T#1, mask=1111, last, ->T<1>; BSTOP", warnings));
  EXPECT_TRUE(warnings.empty());
  for (const char* binder : {"B.IOT T#1, mask=1111, last, ->T<1>", "B.IOR", "B.IOS S1, mask=1111"}) {
    warnings.clear();
    ASSERT_TRUE(assemble(
        std::string("BSTART.VEC TRELU, S8\n") + binder + "\nB.DATR Zero\nBSTART.VEC TRELU, S8\nB.DATR Zero\n",
        warnings));
    ASSERT_EQ(warnings.size(), 1u) << binder;
    EXPECT_EQ(warnings[0].code, Code::tile_late_attribute);
    EXPECT_EQ(warnings[0].severity, Severity::warning);
    EXPECT_EQ(warnings[0].where.line, 3u);
  }
}

// Any bytes at all: the text assembles to them again, and so do the JSON lines.
TEST(Text, EveryStreamRoundTrips) {
  std::mt19937_64 random(43);
  for (int i = 0; i < 3000; ++i) {
    Bytes stream;
    while (stream.size() < random() % 64) {
      if (random() % 3 != 0) {
        const Form& form = forms()[random() % forms().size()];
        std::array<std::uint8_t, 8> bytes{};
        put_bits(bytes, 0, 64, random());
        put_fixed(bytes, form.format);
        stream.insert(stream.end(), bytes.begin(), bytes.begin() + form.format.bytes);
      } else {
        stream.push_back(static_cast<std::uint8_t>(random()));
      }
    }
    Diagnostics warnings;
    const auto back = assemble(disassemble(stream), warnings);
    ASSERT_TRUE(back) << to_text(back.error()[0]) << '\n' << disassemble(stream);
    ASSERT_EQ(*back, stream) << disassemble(stream);
    std::string lines;
    std::uint64_t index = 0;
    for (std::uint64_t at = 0; at < stream.size(); ++index) {
      const Line line = line_at(stream, at, index);
      lines += line_json(line) + '\n';
      at += line.bytes.size();
    }
    const auto json = assemble_json(lines);
    ASSERT_TRUE(json) << to_text(json.error()[0]);
    ASSERT_EQ(*json, stream);
  }
}

TEST(Text, IgnoredBitsSurviveAsBytes) {
  const auto c = decode_word(0x03F85013 | 2u << 7, 4);
  ASSERT_TRUE(c);
  EXPECT_EQ(command_text(*c), ".bytes 1351f803  // B.IOT N#16, mask=0000, <last> with 2 in bits 8..7");
}

TEST(JsonLines, FormOfTheContractAndErrorsWithTheirLine) {
  Diagnostics warnings;
  const Bytes stream = *assemble("B.DIM LB2 = 4\n.bytes 7f\n", warnings);
  EXPECT_EQ(
      line_json(line_at(stream, 0, 0)),
      R"({"index":0,"offset":0,"opcode":"B.DIM","format":"B.DIM","fields":{"uimm_16_12":0,"lb":"LB2","reg_src":"zero","uimm_11_0":4},"bytes":"43204000"})");
  const auto undecodable = Json::parse(line_json(line_at(stream, 4, 1)));
  EXPECT_TRUE(undecodable["opcode"].is_null());
  EXPECT_EQ(undecodable["bytes"], "7f");
  EXPECT_EQ(undecodable["diagnostics"][0]["code"], "bad-size");
  const auto bad = assemble_json(
      "\n{\"opcode\":null,\"bytes\":\"00\"}\n{\"opcode\":null}\n[\n{\"opcode\":null,\"bytes\":\"0\"}\n");
  ASSERT_FALSE(bad);
  ASSERT_EQ(bad.error().size(), 3u);
  EXPECT_EQ(bad.error()[0].where.line, 3u);
  EXPECT_EQ(bad.error()[1].where.line, 4u);
  EXPECT_EQ(bad.error()[2].where.line, 5u);
}

}  // namespace
}  // namespace act::tile
