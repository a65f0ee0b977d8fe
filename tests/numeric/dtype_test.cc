#include "act/numeric/dtype.h"

#include <gtest/gtest.h>

#include <set>

namespace act {
namespace {

using G = Generation;

Dtype dtype(unsigned code) { return static_cast<Dtype>(code); }

// The predicate's members among all 256 codes.
template <class Predicate>
std::set<unsigned> members(Predicate predicate) {
  std::set<unsigned> codes;
  for (unsigned code = 0; code < 256; ++code)
    if (predicate(dtype(code))) codes.insert(code);
  return codes;
}
using Codes = std::set<unsigned>;

// 01 section 5.1: code, name, bits, alignment per generation (0 = none or absent).
struct Expected {
  unsigned code;
  const char* name;
  unsigned bits;
  unsigned alignment[4];
};
constexpr Expected kTable[] = {
    {0x00, "INVALID", 0, {0, 0, 0, 0}},   {0x01, "UINT64", 64, {8, 8, 8, 8}},
    {0x02, "INT8", 8, {1, 1, 1, 1}},      {0x03, "UINT8", 8, {1, 1, 1, 1}},
    {0x04, "INT16", 16, {2, 2, 2, 2}},    {0x05, "UINT16", 16, {2, 2, 2, 2}},
    {0x06, "BFLOAT16", 16, {2, 2, 2, 2}}, {0x07, "FP16", 16, {2, 2, 2, 2}},
    {0x08, "INT32", 32, {4, 4, 4, 4}},    {0x09, "UINT32", 32, {4, 4, 4, 4}},
    {0x0A, "FP32", 32, {4, 4, 4, 4}},     {0x0B, "FP32R", 32, {4, 4, 4, 4}},
    {0x0C, "INT64", 64, {8, 8, 8, 8}},    {0x0D, "FP8_EXP3", 8, {1, 1, 1, 1}},
    {0x0E, "FP8_EXP4", 8, {1, 1, 1, 1}},  {0x0F, "FP8_EXP5", 8, {1, 1, 1, 1}},
    {0x10, "FP4_EXP2", 4, {0, 0, 1, 1}},  {0x11, "FP8_EXP2", 8, {0, 0, 0, 1}},
    {0x12, "INT4", 4, {0, 0, 0, 0}},      {0x13, "SFP8_E8", 8, {0, 0, 0, 0}},
    {0x14, "SFP8_E7", 8, {0, 0, 0, 0}},   {0x15, "SFP8_E6", 8, {0, 0, 0, 0}},
    {0x16, "SFP8_E5", 8, {0, 0, 0, 0}},   {0x19, "CPTC1", 1, {0, 0, 0, 0}},
    {0x1A, "CPTC2", 2, {0, 0, 0, 0}},     {0x1B, "CPTC3", 3, {0, 0, 0, 0}},
    {0x1C, "CPTC4", 4, {0, 0, 0, 0}},     {0x1D, "CPTC5", 5, {0, 0, 0, 0}},
    {0x1E, "CPTC6", 6, {0, 0, 0, 0}},     {0x1F, "CPTC7", 7, {0, 0, 0, 0}},
};

TEST(DtypeRows, AreThoseOfTheBook) {
  std::set<unsigned> known;
  for (const Expected& e : kTable) {
    SCOPED_TRACE(e.name);
    known.insert(e.code);
    const DtypeRow* row = find_dtype(static_cast<std::uint8_t>(e.code));
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(row->name, e.name);
    EXPECT_EQ(dtype_bits(row->dtype), e.bits);
    EXPECT_EQ(find_dtype(e.name), row);
    for (unsigned g = 0; g < 4; ++g) EXPECT_EQ(dtype_alignment(row->dtype, kGenerations[g]), e.alignment[g]);
    EXPECT_FALSE(row->doc.empty());
  }
  EXPECT_EQ(members([](Dtype t) { return find_dtype(static_cast<std::uint8_t>(t)) != nullptr; }), known);
}

TEST(DtypeRows, CountsPerGeneration) {
  const auto count = [](G g) { return members([g](Dtype t) { return dtype_exists(t, g); }).size(); };
  EXPECT_EQ(count(G::sunda), 16u);
  EXPECT_EQ(count(G::cayman), 16u);
  EXPECT_EQ(count(G::mariana), 24u);
  EXPECT_EQ(count(G::maverick), 30u);
}

TEST(DtypeRows, NamesAreUniqueAndCaseIsIgnored) {
  std::set<std::string> names;
  const auto lower = [](std::string_view s) {
    std::string r;
    for (char c : s) r += numeric_detail::ascii_lower(c);
    return r;
  };
  for (const DtypeRow& row : kDtypeRows) {
    EXPECT_TRUE(names.insert(lower(row.name)).second) << row.name;
    EXPECT_EQ(find_dtype(row.short_name), &row);
    for (std::string_view alias : row.aliases) {
      if (!alias.empty()) {
        EXPECT_TRUE(names.insert(lower(alias)).second) << alias;
      }
    }
  }
  EXPECT_EQ(find_dtype("bFloat16")->dtype, Dtype::bfloat16);
  EXPECT_EQ(find_dtype("bf16")->dtype, Dtype::bfloat16);
  EXPECT_EQ(find_dtype("FLOAT32")->dtype, Dtype::fp32);
  for (std::string_view unknown : {"", "fp", "fp64", "int", "bfloat16 ", "fp8"})
    EXPECT_EQ(find_dtype(unknown), nullptr);
}

TEST(DtypeRows, FormatsOfTheBook) {
  // Largest finite code, infinity code or 0, written NaN: 01 sections 5.4 and D-25.
  const auto check = [](const FloatFormat& f, unsigned max_finite, unsigned inf, unsigned nan) {
    EXPECT_EQ(f.max_finite_code(), max_finite);
    EXPECT_EQ(f.has_infinity() ? f.overflow_code() : 0, inf);
    EXPECT_EQ(f.nan_code(), nan);
  };
  check(dtype_row(Dtype::fp32).format, 0x7F7FFFFF, 0x7F800000, 0x7FC00000);
  check(dtype_row(Dtype::bfloat16).format, 0x7F7F, 0x7F80, 0x7FC0);
  check(dtype_row(Dtype::fp16).format, 0x7BFF, 0x7C00, 0x7E00);
  check(dtype_row(Dtype::fp8_exp3).format, 0x6F, 0x70, 0x78);
  check(dtype_row(Dtype::fp8_exp4).format, 0x77, 0x78, 0x7C);
  check(kFp8Exp4Ocp, 0x7E, 0, 0x7F);
  check(dtype_row(Dtype::fp8_exp5).format, 0x7B, 0x7C, 0x7E);
  check(dtype_row(Dtype::fp8_exp2).format, 0x7F, 0, 0);
  check(dtype_row(Dtype::fp4_exp2).format, 0x7, 0, 0);
  check(dtype_row(Dtype::sfp8_e8).format, 0xFE, 0, 0xFF);
}

TEST(DtypePredicates, SetsOfTheBook) {
  const Codes plain = {2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14, 15};
  for (G g : kGenerations) {
    SCOPED_TRACE(generation_name(g));
    Codes expected = plain;
    if (g == G::maverick) expected.insert(0x11);
    EXPECT_EQ(members([g](Dtype t) { return is_valid_dtype(t, g, false); }), expected);
    EXPECT_EQ(members([g](Dtype t) { return is_valid_dtype_64(t, g, false, false, false); }), expected);
    Codes with_u64 = expected, with_i64 = expected, with_fp4 = expected, with_r = expected;
    with_u64.insert(1);
    with_i64.insert(12);
    with_r.insert(11);
    if (g == G::mariana) with_fp4.insert(0x10);
    EXPECT_EQ(members([g](Dtype t) { return is_valid_dtype(t, g, true); }), with_r);
    EXPECT_EQ(members([g](Dtype t) { return is_valid_dtype_64(t, g, false, true, false); }), with_u64);
    EXPECT_EQ(members([g](Dtype t) { return is_valid_dtype_64(t, g, false, false, true); }), with_i64);
    EXPECT_EQ(members([g](Dtype t) { return is_valid_dtype_inc_fp4(t, g, false, true); }), with_fp4);
  }
  EXPECT_EQ(members(is_valid_int_dtype), (Codes{1, 2, 3, 4, 5, 8, 9, 12}));
  EXPECT_EQ(members(is_valid_int_dtype_datapath), (Codes{2, 3, 4, 5, 8, 9}));
  EXPECT_EQ(members([](Dtype t) { return is_valid_fp_dtype_datapath(t, false); }),
            (Codes{6, 7, 10, 13, 14, 15}));
  EXPECT_EQ(members([](Dtype t) { return is_valid_fp_dtype_datapath(t, true); }),
            (Codes{6, 7, 10, 11, 13, 14, 15}));
  EXPECT_EQ(members(is_signed_int), (Codes{2, 4, 8, 12}));
  EXPECT_EQ(members(is_unsigned_int), (Codes{1, 3, 5, 9}));
  EXPECT_EQ(members(is_valid_32b_int_dtype), (Codes{8, 9}));
  EXPECT_EQ(members(is_valid_64b_int_dtype), (Codes{1, 12}));
  EXPECT_EQ(members(is_valid_mx_dtype), (Codes{0x0D, 0x0E, 0x0F, 0x10, 0x11, 0x12}));
  EXPECT_EQ(members([](Dtype t) { return is_cptc(t); }), (Codes{0x19, 0x1A, 0x1B, 0x1C, 0x1D, 0x1E, 0x1F}));
  EXPECT_EQ(members([](Dtype t) { return type_size_check(t, 4); }), (Codes{8, 9, 10, 11}));
}

TEST(DtypePredicates, NamedSubChecks) {
  EXPECT_EQ(dtype_fault(Dtype::invalid, G::cayman), DtypeFault::invalid);
  EXPECT_EQ(dtype_fault(Dtype::fp32r, G::cayman), DtypeFault::fp32r);
  EXPECT_EQ(dtype_fault(Dtype::uint64, G::cayman), DtypeFault::uint64);
  EXPECT_EQ(dtype_fault(Dtype::int64, G::cayman), DtypeFault::int64);
  EXPECT_EQ(dtype_fault(Dtype::fp4_exp2, G::cayman), DtypeFault::membership);
  EXPECT_EQ(dtype_fault(Dtype::fp4_exp2, G::maverick), DtypeFault::four_bit);
  EXPECT_EQ(dtype_fault(Dtype::int4, G::maverick), DtypeFault::four_bit);
  EXPECT_EQ(dtype_fault(Dtype::sfp8_e5, G::maverick), DtypeFault::scale);
  EXPECT_EQ(dtype_fault(Dtype::cptc4, G::maverick), DtypeFault::membership);
  EXPECT_EQ(dtype_fault(dtype(0x18), G::maverick), DtypeFault::membership);
  EXPECT_EQ(dtype_fault_name(DtypeFault::int64), "dtype_int64_illegal_check");
}

TEST(DtypePredicates, Alignment) {
  EXPECT_TRUE(addr_aligned_dtype(8, Dtype::int64, G::sunda));
  EXPECT_FALSE(addr_aligned_dtype(4, Dtype::int64, G::sunda));
  EXPECT_FALSE(addr_aligned_dtype(0x1001, Dtype::bfloat16, G::cayman));
  EXPECT_FALSE(addr_aligned_dtype(0, Dtype::fp4_exp2, G::cayman));
  EXPECT_TRUE(addr_aligned_dtype(1, Dtype::fp4_exp2, G::mariana));
  EXPECT_FALSE(addr_aligned_dtype(0, Dtype::int4, G::maverick));
}

TEST(DtypePairs, ExampleOfTheBook) {
  const DtypePair pair = {0x6A};
  EXPECT_EQ(pair.lo(), Dtype::fp32);
  EXPECT_EQ(pair.hi(), Dtype::bfloat16);
  for (unsigned byte = 0; byte < 256; ++byte) {
    const DtypePair p = {static_cast<std::uint8_t>(byte)};
    EXPECT_EQ(DtypePair::of(p.lo(), p.hi()), p);
  }
}

TEST(DtypeNumberings, CompilerOrdinals) {
  const unsigned old_codes[] = {3, 2, 5, 13, 14, 14, 3, 15, 14, 15, 5, 4, 6, 7, 9, 8, 10, 11, 1, 12};
  ASSERT_EQ(std::size(kCompilerDtypeRows), std::size(old_codes));
  for (unsigned i = 0; i < std::size(old_codes); ++i) {
    EXPECT_EQ(kCompilerDtypeRows[i].ordinal, i);
    EXPECT_EQ(code_of(kCompilerDtypeRows[i].before_v4), old_codes[i]) << i;
    EXPECT_EQ(code_of(kCompilerDtypeRows[i].since_v4), i == 2 ? 16 : old_codes[i]) << i;
  }
}

}  // namespace
}  // namespace act
