// The value function against the tables of 04 sections 4.1, 5.3 and 8, written out once more.
#include <gtest/gtest.h>

#include <set>

#include "act/tile/trelu.h"
#include "plain_value.h"

namespace act::tile {
namespace {

const TileType& type(std::string_view name) { return *find_type(name); }

TEST(Types, TheTableIsTheBooks) {
  struct Row {
    unsigned code;
    const char* name;
    unsigned bits;
    bool trelu;
  };
  constexpr Row kBook[] = {
      {0, "FP64", 64, true},    {1, "FP32", 32, true},  {2, "TF32", 32, true},    {3, "HF32", 32, true},
      {4, "FP16", 16, true},    {5, "BF16", 16, true},  {6, "HiF8", 8, false},    {7, "E4M3", 8, true},
      {8, "E5M2", 8, true},     {9, "E3M2", 8, false},  {10, "E2M3", 8, false},   {11, "E2M1X2", 4, false},
      {12, "E1M2X2", 4, false}, {13, "E8M0", 8, false}, {14, "HiF4X2", 4, false}, {16, "S64", 64, true},
      {17, "S32", 32, true},    {18, "S16", 16, true},  {19, "S8", 8, true},      {20, "S4X2", 4, false},
      {24, "U64", 64, true},    {25, "U32", 32, true},  {26, "U16", 16, true},    {27, "U8", 8, true},
      {28, "U4X2", 4, false}};
  ASSERT_EQ(std::size(kBook), std::size(kTypes));
  std::set<unsigned> codes;
  for (const Row& row : kBook) {
    const TileType* t = find_type(std::uint64_t{row.code});
    ASSERT_NE(t, nullptr) << row.code;
    EXPECT_EQ(t->name, row.name);
    EXPECT_EQ(t->bits, row.bits) << row.name;
    EXPECT_EQ(data_type_supported(*t), row.trelu) << row.name;
    codes.insert(row.code);
  }
  for (unsigned code = 0; code < 64; ++code)
    EXPECT_EQ(find_type(std::uint64_t{code}) != nullptr, codes.count(code) == 1) << code;
}

TEST(Types, MasksAndPaddingAreTheBooks) {
  for (const plain::Float& f : plain::kFloats) {
    const TileType& t = type(f.name);
    EXPECT_EQ(t.sign_mask(), f.sign) << f.name;
    EXPECT_EQ(t.exponent_mask(), f.exponent) << f.name;
    EXPECT_EQ(t.fraction_mask(), f.fraction) << f.name;
    EXPECT_EQ(t.quiet_bit(), f.quiet) << f.name;
    EXPECT_EQ(t.canonical_nan(), f.nan) << f.name;
    EXPECT_EQ(t.must_be_zero_mask(), f.zero) << f.name;
    EXPECT_EQ(max_value(t), f.max) << f.name;
    EXPECT_EQ(min_value(t), f.min) << f.name;
  }
  for (const plain::Integer& i : plain::kIntegers) {
    EXPECT_EQ(max_value(type(i.name)), i.max) << i.name;
    EXPECT_EQ(min_value(type(i.name)), i.min) << i.name;
  }
}

TEST(Value, ExamplesOfTheBook) {
  struct Row {
    const char* type;
    Word in, out;
    bool invalid;
  };
  constexpr Row kBook[] = {{"FP32", 0x3F800000, 0x3F800000, false},
                           {"FP32", 0xBF800000, 0, false},
                           {"FP32", 0x80000000, 0, false},
                           {"FP32", 1, 1, false},
                           {"FP32", 0x80000001, 0, false},
                           {"FP32", 0x7F800000, 0x7F800000, false},
                           {"FP32", 0xFF800000, 0, false},
                           {"FP32", 0x7FC12345, 0x7FC00000, false},
                           {"FP32", 0xFFC00000, 0x7FC00000, false},
                           {"FP32", 0x7F800001, 0x7FC00000, true},
                           {"FP16", 1, 1, false},
                           {"FP16", 0x8001, 0, false},
                           {"FP16", 0x7C00, 0x7C00, false},
                           {"FP16", 0xFC00, 0, false},
                           {"FP16", 0xFE00, 0x7E00, false},
                           {"FP16", 0x7C01, 0x7E00, true},
                           {"FP16", 0xFDFF, 0x7E00, true},
                           {"BF16", 0x3F80, 0x3F80, false},
                           {"BF16", 0xFF80, 0, false},
                           {"BF16", 0x7FC1, 0x7FC0, false},
                           {"BF16", 0x7F81, 0x7FC0, true},
                           {"S32", 0, 0, false},
                           {"S32", 1, 1, false},
                           {"S32", 0x7FFFFFFF, 0x7FFFFFFF, false},
                           {"S32", 0x80000000, 0, false},
                           {"S32", 0xFFFFFFFF, 0, false},
                           {"S8", 0xFF, 0, false},
                           {"S8", 0x80, 0, false},
                           {"S8", 0x7F, 0x7F, false},
                           {"U8", 0xFF, 0xFF, false},
                           {"U64", ~Word{0}, ~Word{0}, false},
                           {"E4M3", 0x7F, 0x7F, false},
                           {"E4M3", 0xFF, 0x7F, false},
                           {"E4M3", 0x7E, 0x7E, false},
                           {"E4M3", 0xFE, 0, false},
                           {"E5M2", 0x7D, 0x7E, true},
                           {"E5M2", 0xFE, 0x7E, false},
                           {"E5M2", 0x7C, 0x7C, false},
                           {"E5M2", 0xFC, 0, false},
                           {"TF32", 0x3F802000, 0x3F802000, false},
                           {"HF32", 0x3F801000, 0x3F801000, false},
                           {"TF32", 0x7F802000, 0x7FC00000, true},
                           {"HF32", 0x7F801000, 0x7FC00000, true}};
  for (const Row& row : kBook)
    EXPECT_EQ(rectify(type(row.type), row.in), (Rectified{row.out, row.invalid}))
        << row.type << ' ' << std::hex << row.in;
}

TEST(Value, EveryCodeOfEightAndSixteenBitTypesWhateverStandsAbove) {
  for (const TileType& t : kTypes)
    if (t.rectified && t.bits <= 16)
      for (Word w = 0; w < Word{1} << t.bits; ++w)
        for (const Word above : {Word{0}, ~Word{0} << t.bits}) {
          const plain::Value want = plain::value(t.name, w);
          ASSERT_EQ(rectify(t, w | above), (Rectified{want.result, want.invalid}))
              << t.name << ' ' << std::hex << w;
          ASSERT_EQ(encoding_valid(t, w), plain::valid_encoding(t.name, w));
        }
}

// Every pattern with at most three bits set or at most three clear, around every power of two and around the
// special codes.
TEST(Value, BoundaryPatternsOfWideTypes) {
  for (const TileType& t : kTypes) {
    if (!t.rectified || t.bits < 32) continue;
    const auto check = [&](Word w) {
      w &= t.element_mask();
      const plain::Value want = plain::value(t.name, w);
      ASSERT_EQ(rectify(t, w), (Rectified{want.result, want.invalid})) << t.name << ' ' << std::hex << w;
      ASSERT_EQ(encoding_valid(t, w), plain::valid_encoding(t.name, w)) << t.name << ' ' << std::hex << w;
    };
    for (unsigned a = 0; a < 64; ++a)
      for (unsigned b = 0; b < 64; ++b)
        for (unsigned c = 0; c < 64; ++c) {
          const Word w = Word{1} << a | Word{1} << b | Word{1} << c;
          check(w);
          check(~w);
        }
    for (const Word base :
         {Word{0}, t.sign_mask(), t.exponent_mask(), t.canonical_nan(), max_value(t), min_value(t)})
      for (Word d = 0; d < 4096; ++d)
        for (const Word sign : {Word{0}, t.sign_mask()}) {
          check((base + d) ^ sign);
          check((base - d) ^ sign);
        }
  }
}

}  // namespace
}  // namespace act::tile
