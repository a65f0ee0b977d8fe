#include <gtest/gtest.h>

#include <random>

#include "act/rows/check.h"
#include "act/rows/json.h"

namespace act {
namespace {

constexpr Choice kColours[] = {{"RED", 0}, {"GREEN", 1}, {"BLUE", 5}};
constexpr EnumTable kColour{"colour", kColours, "three colours"};

constexpr Field kFields[] = {
    {.name = "a", .type = "u8", .bit = 0, .width = 3, .kind = Kind::integer, .doc = "low bits"},
    {.name = "b", .type = "i8", .bit = 3, .width = 9, .kind = Kind::sinteger, .doc = "signed bits"},
    {.name = "c", .type = "colour", .bit = 12, .width = 4, .kind = Kind::enumerator, .choices = &kColour, .doc = "a colour"},
    {.name = "d", .type = "colour_pair", .bit = 16, .width = 8, .kind = Kind::nibbles, .choices = &kColour, .doc = "two colours"},
    {.name = "t", .type = "tensor3d", .bit = 32, .width = 128, .kind = Kind::tensor, .dims = 3, .indirect = true, .doc = "a tensor"},
    {.name = "x", .type = "bytes2", .bit = 160, .width = 16, .kind = Kind::bytes, .doc = "two bytes"},
};
constexpr Reserved kReserved[] = {{3, 1}, {22, 2}};
constexpr Format kFormat{"SAMPLE", 24, kFields, kReserved, "a sample"};
static_assert(check_layout(kFormat) == Layout::ok);

constexpr Layout layout_of(std::span<const Field> fields, std::span<const Reserved> reserved, unsigned bytes) {
  return check_layout(Format{"X", bytes, fields, reserved, "x"});
}

TEST(Layout, EveryFaultIsFound) {
  constexpr Field overlap[] = {{.name = "a", .bit = 0, .width = 5, .doc = "some"}, {.name = "b", .bit = 4, .width = 4, .doc = "some"}};
  EXPECT_EQ(layout_of(overlap, {}, 1), Layout::fields_overlap);
  constexpr Field hole[] = {{.name = "a", .bit = 0, .width = 5, .doc = "some"}};
  EXPECT_EQ(layout_of(hole, {}, 1), Layout::bits_uncovered);
  constexpr Field silent[] = {{.name = "a", .bit = 0, .width = 8}};
  EXPECT_EQ(layout_of(silent, {}, 1), Layout::field_without_doc);
  constexpr Field outside[] = {{.name = "a", .bit = 4, .width = 8, .doc = "some"}};
  EXPECT_EQ(layout_of(outside, {}, 1), Layout::field_outside_record);
  constexpr Field unnamed[] = {{.name = "a", .bit = 0, .width = 8, .kind = Kind::enumerator, .doc = "some"}};
  EXPECT_EQ(layout_of(unnamed, {}, 1), Layout::enum_without_choices);
}

TEST(Fixed, BitsAreClaimedMatchedAndWritten) {
  static constexpr Field free[] = {{.name = "a", .bit = 3, .width = 4, .kind = Kind::enumerator, .choices = &kColour, .doc = "some"}};
  static constexpr FixedBits fixed[] = {{0, 3, 5}, {7, 9, 0x101}};
  constexpr Format format{"X", 2, free, {}, "x", fixed};
  static_assert(check_layout(format) == Layout::ok);
  static_assert(fixed_mask(format) == 0xff87 && fixed_match(format) == 0x8085);
  static constexpr FixedBits collides[] = {{0, 4, 5}, {7, 9, 0x101}};
  static_assert(check_layout(Format{"X", 2, free, {}, "x", collides}) == Layout::fields_overlap);
  for (unsigned word = 0; word < 65536; ++word) {
    std::array<std::uint8_t, 2> r{static_cast<std::uint8_t>(word), static_cast<std::uint8_t>(word >> 8)};
    ASSERT_EQ(matches(r, format), (word & 0xff87) == 0x8085) << word;
    put_fixed(r, format);
    ASSERT_EQ(get_bits(r, 0, 16), (word & 0x0078) | 0x8085u) << word;
  }
  EXPECT_TRUE(free[0].allows(5));
  EXPECT_FALSE(free[0].allows(2));
  EXPECT_TRUE(kFields[0].allows(7));
}

TEST(Bits, AnyPositionAndWidthReadsBackAndLeavesNeighboursAlone) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::array<std::uint8_t, 16> r{}, before{};
    for (auto& b : r) b = static_cast<std::uint8_t>(random());
    before = r;
    const unsigned width = 1 + random() % 64, bit = random() % (128 - width + 1);
    const std::uint64_t value = random();
    put_bits(r, bit, width, value);
    const std::uint64_t want = width == 64 ? value : value & ((1ull << width) - 1);
    ASSERT_EQ(get_bits(r, bit, width), want) << bit << ' ' << width;
    for (unsigned b = 0; b < 128; ++b)  // bit by bit, the plain way
      ASSERT_EQ(r[b / 8] >> b % 8 & 1, b >= bit && b < bit + width ? static_cast<int>(want >> (b - bit) & 1) : before[b / 8] >> b % 8 & 1);
  }
}

TEST(Json, RoundTripsEveryPattern) {
  std::mt19937_64 random(8);
  for (int i = 0; i < 5000; ++i) {
    std::array<std::uint8_t, 24> r{}, back{};
    for (auto& b : r) b = static_cast<std::uint8_t>(random());
    const Status s = fields_from_json(back, kFormat, fields_to_json(r, kFormat));
    ASSERT_TRUE(s) << to_text(s.error()[0]);
    ASSERT_EQ(r, back) << fields_to_json(r, kFormat).dump();
  }
}

TEST(Json, FormsOfTheContract) {
  std::array<std::uint8_t, 24> r{};
  ASSERT_TRUE(fields_from_json(r, kFormat, Json::parse(R"({"a":5,"b":-2,"c":"BLUE","d":{"lo":"GREEN","hi":7},"t":{"index_addr":536870976,"data_addr":8,"count":3},"x":"0aFf"})")));
  EXPECT_EQ(fields_to_json(r, kFormat).dump(),
            R"({"a":5,"b":-2,"c":"BLUE","d":{"lo":"GREEN","hi":7},"t":{"index_addr":536870976,"data_addr":8,"count":3},"x":"0aff"})");
  r[22] = 1;
  EXPECT_EQ(fields_to_json(r, kFormat)["reserved_22"], "0100");
}

TEST(Json, EveryWrongValueIsReportedWithFieldAndAllowed) {
  for (const char* text : {R"({"a":8})", R"({"a":-1})", R"({"a":1.5})", R"({"a":"1"})", R"({"b":256})", R"({"b":-257})", R"({"c":"PINK"})", R"({"c":16})",
                           R"({"d":{"lo":"RED"}})", R"({"d":3000})", R"({"t":4})", R"({"t":{"addr":1,"step":[1,2],"num":[1,1,1]}})",
                           R"({"t":{"addr":1,"step":[1,2,40000],"num":[1,1,1]}})", R"({"t":{"step":[1,2,3],"num":[1,1,1]}})", R"({"x":"0"})", R"({"x":"zz00"})",
                           R"({"x":7})", R"({"reserved_3":"0"})"}) {
    std::array<std::uint8_t, 24> r{};
    const Status s = fields_from_json(r, kFormat, Json::parse(text));
    ASSERT_FALSE(s) << text;
    EXPECT_FALSE(s.error()[0].field.empty()) << text;
    EXPECT_FALSE(s.error()[0].allowed.empty()) << text;
  }
  std::array<std::uint8_t, 24> r{};
  const Status s = fields_from_json(r, kFormat, Json::parse(R"({"zz":1,"a":9})"));
  ASSERT_FALSE(s);
  EXPECT_EQ(s.error().size(), 2u);
  EXPECT_EQ(s.error()[0].code, Code::unknown_field);
  EXPECT_TRUE(fields_from_json(r, kFormat, Json::parse(R"({"zz":1})"), true));
}

TEST(Reserved, EachRangeIsReportedOnce) {
  std::array<std::uint8_t, 24> r{};
  r[3] = r[22] = r[23] = 1;
  int ranges = 0;
  check_reserved(r, kFormat, [&](const Reserved&) { ++ranges; });
  EXPECT_EQ(ranges, 2);
}

}  // namespace
}  // namespace act
