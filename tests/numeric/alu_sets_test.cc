#include <gtest/gtest.h>

#include <set>

#include "act/numeric/alu.h"

namespace act {
namespace {

using G = Generation;
using Codes = std::set<unsigned>;

AluOp op(unsigned code) { return static_cast<AluOp>(code); }

template <class Predicate>
Codes members(Predicate predicate) {
  Codes codes;
  for (unsigned code = 0; code < 256; ++code)
    if (predicate(op(code))) codes.insert(code);
  return codes;
}
template <class Set>
unsigned count(Set set, G g) {
  return static_cast<unsigned>(members([&](AluOp o) { return set(o, g); }).size());
}
Codes united(Codes a, const Codes& b) {
  a.insert(b.begin(), b.end());
  return a;
}
Codes range(unsigned first, unsigned last) {
  Codes codes;
  for (unsigned c = first; c <= last; ++c) codes.insert(c);
  return codes;
}

// 01 section 6.4, the table of sizes for v2..v5.
TEST(AluSets, SizesOfTheBook) {
  struct Row {
    bool (*set)(AluOp, G);
    unsigned sizes[4];
  };
  const Row rows[] = {
      {is_valid_alu_op, {33, 60, 64, 65}},     {is_arith_op, {24, 26, 30, 31}},
      {is_general_arith_op, {17, 17, 21, 21}}, {is_bitvec_op, {10, 10, 10, 10}},
      {is_general_bitvec_op, {9, 9, 9, 9}},    {is_valid_int_aluop, {4, 26, 26, 26}},
      {is_valid_int_aluop_dve, {0, 0, 0, 15}},
  };
  for (const Row& row : rows)
    for (unsigned g = 0; g < 4; ++g) EXPECT_EQ(count(row.set, kGenerations[g]), row.sizes[g]);
}

TEST(AluSets, MembersOfTheBook) {
  const Codes base_arith =
      united(united({0x00}, range(0x04, 0x09)), united(range(0x0D, 0x0F), united(range(0x12, 0x1B), {0x1D})));
  const auto in = [](bool (*set)(AluOp, G), G g) { return members([=](AluOp o) { return set(o, g); }); };
  EXPECT_EQ(in(is_arith_op, G::sunda), united(base_arith, {0xC4, 0xC5, 0xC6}));
  EXPECT_EQ(in(is_arith_op, G::maverick), united(base_arith, united(range(0x20, 0x24), range(0xC4, 0xC8))));
  EXPECT_EQ(in(is_bitvec_op, G::cayman), (Codes{0, 1, 2, 3, 0x0A, 0x0B, 0x0C, 0x10, 0x11, 0x1C}));
  EXPECT_EQ(in(is_valid_int_aluop, G::sunda), (Codes{0x1B, 0xC4, 0xC5, 0xC6}));
  EXPECT_EQ(in(is_valid_int_aluop, G::cayman), united(united({0x1B}, range(0xC4, 0xCD)), range(0xCF, 0xDD)));
  EXPECT_EQ(in(is_valid_int_aluop_dve, G::maverick), (Codes{0x00, 0xC4, 0xC5, 0xC6, 0xC9, 0xCA, 0xCB, 0xCC,
                                                            0xCD, 0xCF, 0xD0, 0xD1, 0xD2, 0xD3, 0xD4}));
  EXPECT_EQ(in(is_signed_alu_op, G::cayman), united(united({0x1B}, range(0xC4, 0xCD)), range(0xCF, 0xD4)));
  EXPECT_EQ(in(is_unsigned_alu_op, G::cayman), united(united({0x1B}, range(0xC4, 0xCA)), range(0xD5, 0xDD)));
}

TEST(AluSets, GeneralArithIsDerivedAsTheBookSays) {
  for (G g : kGenerations)
    for (unsigned code = 0; code < 256; ++code) {
      const AluOp o = op(code);
      const bool excluded = o == AluOp::divide || o == AluOp::pow || o == AluOp::mod || o == AluOp::rsqrt ||
                            o == AluOp::symmetric_clamp || is_valid_int_aluop(o, g);
      EXPECT_EQ(is_general_arith_op(o, g), is_arith_op(o, g) && !excluded) << code;
      EXPECT_EQ(is_general_bitvec_op(o, g), is_bitvec_op(o, g) && o != AluOp::crc32) << code;
    }
}

TEST(AluRows, NamesAndCodes) {
  const struct {
    unsigned code;
    const char* name;
    unsigned operands;
  } rows[] = {{0x00, "BYPASS", 1},
              {0x01, "BITWISE_NOT", 1},
              {0x03, "ARITH_SHIFT_RIGHT", 2},
              {0x04, "ADD", 2},
              {0x0D, "LOGICAL_AND", 2},
              {0x12, "IS_EQ", 2},
              {0x15, "IS_LE", 2},
              {0x16, "IS_LT", 2},
              {0x18, "IS_NE", 2},
              {0x19, "ABSOLUTE_VALUE", 1},
              {0x1D, "RSQRT", 1},
              {0x22, "RE_LU", 1},
              {0x23, "SQUARE", 1},
              {0x24, "SYMMETRIC_CLAMP", 2},
              {0xC4, "ADD_INT", 2},
              {0xC8, "MOD_INT", 2},
              {0xCE, "ABS_VALUE_INT", 1},
              {0xD4, "IS_LT_INT", 2},
              {0xD7, "IS_GT_UINT", 2},
              {0xDA, "IS_LT_UINT", 2},
              {0xDB, "MULT_UINT", 2},
              {0xDD, "MOD_UINT", 2},
              {0xE1, "AMIN_UINT", 2}};
  for (const auto& row : rows) {
    const AluOpRow* found = find_alu_op(row.name);
    ASSERT_NE(found, nullptr) << row.name;
    EXPECT_EQ(code_of(found->op), row.code) << row.name;
    EXPECT_EQ(found->operands, row.operands) << row.name;
    EXPECT_EQ(alu_op_name(op(row.code)), row.name);
  }
  std::set<std::string_view> names;
  for (const AluOpRow& row : kAluOpRows) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.doc.empty()) << row.name;
  }
  EXPECT_EQ(find_alu_op("add")->op, AluOp::add);
  EXPECT_EQ(find_alu_op(""), nullptr);
  for (unsigned gap : {0x1Eu, 0x1Fu, 0x25u, 0xC3u, 0xE2u, 0xFFu}) {
    EXPECT_EQ(find_alu_op(static_cast<std::uint8_t>(gap)), nullptr);
    EXPECT_EQ(alu_op_name(op(gap)), "");
  }
}

TEST(AluRows, CompilerOrdinals) {
  std::set<unsigned> ordinals;
  for (const CompilerAluRow& row : kCompilerAluRows) {
    EXPECT_TRUE(ordinals.insert(row.ordinal).second);
    if (row.ordinal <= 18) {
      EXPECT_EQ(code_of(row.op), row.ordinal);
    }
  }
  EXPECT_EQ(ordinals.size(), 31u);
  EXPECT_EQ(ordinals.count(24) + ordinals.count(25), 0u);
  const std::pair<unsigned, unsigned> rest[] = {{19, 0x18}, {20, 0x13}, {21, 0x14}, {22, 0x16},
                                                {23, 0x15}, {26, 0x1A}, {27, 0x1B}, {28, 0x1D},
                                                {29, 0x19}, {30, 0x20}, {31, 0x21}, {32, 0xC8}};
  for (const auto& [ordinal, code] : rest)
    for (const CompilerAluRow& row : kCompilerAluRows)
      if (row.ordinal == ordinal) {
        EXPECT_EQ(code_of(row.op), code);
      }
}

// 01 section 6.5.
TEST(AluGates, OpcodeClasses) {
  EXPECT_TRUE(tensor_tensor_arith_accepts(AluOp::pow, G::cayman));
  EXPECT_TRUE(tensor_tensor_arith_accepts(AluOp::mod, G::cayman));
  EXPECT_TRUE(tensor_tensor_arith_accepts(AluOp::max_uint, G::cayman));
  EXPECT_FALSE(tensor_tensor_arith_accepts(AluOp::max_uint, G::sunda));
  EXPECT_FALSE(tensor_tensor_arith_accepts(AluOp::divide, G::cayman));
  EXPECT_FALSE(tensor_tensor_arith_accepts(AluOp::rsqrt, G::cayman));
  EXPECT_FALSE(tensor_tensor_arith_accepts(AluOp::bitwise_and, G::cayman));
  EXPECT_FALSE(tensor_tensor_arith_accepts(AluOp::abs_max, G::cayman));
  EXPECT_TRUE(tensor_tensor_arith_accepts(AluOp::abs_max, G::mariana));

  EXPECT_TRUE(tensor_scalar_arith_accepts(AluOp::mult, AluOp::add, G::cayman, false));
  EXPECT_TRUE(tensor_scalar_arith_accepts(AluOp::bypass, AluOp::bypass, G::cayman, false));
  EXPECT_FALSE(tensor_scalar_arith_accepts(AluOp::bypass, AluOp::add, G::cayman, false));
  EXPECT_TRUE(tensor_scalar_arith_accepts(AluOp::rsqrt, AluOp::bypass, G::cayman, true));
  EXPECT_FALSE(tensor_scalar_arith_accepts(AluOp::rsqrt, AluOp::bypass, G::cayman, false));
  EXPECT_FALSE(tensor_scalar_arith_accepts(AluOp::rsqrt, AluOp::add, G::cayman, true));
  for (AluOp never : {AluOp::divide, AluOp::pow, AluOp::mod})
    for (G g : kGenerations) {
      EXPECT_FALSE(tensor_scalar_arith_accepts(never, AluOp::bypass, g, true));
      EXPECT_FALSE(tensor_scalar_arith_accepts(AluOp::add, never, g, true));
    }
  EXPECT_TRUE(tensor_scalar_arith_accepts(AluOp::add_int, AluOp::max_int, G::maverick, false));
  EXPECT_FALSE(tensor_scalar_arith_accepts(AluOp::add_int, AluOp::max_int, G::mariana, false));

  EXPECT_TRUE(tensor_scalar_bitvec_accepts(AluOp::crc32, AluOp::bypass, G::cayman));
  EXPECT_FALSE(tensor_scalar_bitvec_accepts(AluOp::bypass, AluOp::bitwise_and, G::cayman));
  EXPECT_FALSE(tensor_scalar_bitvec_accepts(AluOp::add, AluOp::bypass, G::cayman));
}

TEST(AluGates, Activate2Pairs) {
  unsigned accepted = 0;
  for (unsigned a = 0; a < 256; ++a)
    for (unsigned b = 0; b < 256; ++b) accepted += activate2_accepts(op(a), op(b)) ? 1 : 0;
  EXPECT_EQ(accepted, 6u);
  EXPECT_TRUE(activate2_accepts(AluOp::mult, AluOp::add));
  EXPECT_TRUE(activate2_accepts(AluOp::mult, AluOp::subtract));
  EXPECT_TRUE(activate2_accepts(AluOp::mult, AluOp::bypass));
  EXPECT_TRUE(activate2_accepts(AluOp::add, AluOp::bypass));
  EXPECT_TRUE(activate2_accepts(AluOp::subtract, AluOp::bypass));
  EXPECT_TRUE(activate2_accepts(AluOp::bypass, AluOp::bypass));
}

TEST(AluGates, ShiftPairs) {
  const auto left = AluOp::logical_shift_left, right = AluOp::logical_shift_right,
             arith = AluOp::arith_shift_right;
  EXPECT_FALSE(alu_shift_check(left, right, Dtype::uint16));
  EXPECT_TRUE(alu_shift_check(left, right, Dtype::uint32));
  EXPECT_TRUE(alu_shift_check(right, left, Dtype::uint8));
  EXPECT_FALSE(alu_shift_check(AluOp::arith_shift_left, arith, Dtype::int8));
  EXPECT_FALSE(alu_shift_check(arith, AluOp::bypass, Dtype::int16));
  EXPECT_FALSE(alu_shift_check(AluOp::bypass, arith, Dtype::int64));
  EXPECT_TRUE(alu_shift_check(arith, AluOp::bypass, Dtype::int32));
  EXPECT_TRUE(alu_shift_check(left, AluOp::bypass, Dtype::int8));
}

// 01 section 6.6, one representative row after another. Columns: 8..32-bit integers, 64-bit integers,
// FP16/BF16/FP32, FP8, FP32R as output.
TEST(AluGates, LegalTypes) {
  const struct {
    AluOp op;
    bool narrow, wide, wide_float, fp8, rounded_out;
  } rows[] = {
      {AluOp::bypass, true, true, true, true, true},
      {AluOp::bitwise_xor, true, true, false, false, false},
      {AluOp::logical_shift_left, true, true, false, false, false},
      {AluOp::add, true, false, true, true, true},
      {AluOp::min, true, false, true, true, true},
      {AluOp::logical_and, true, false, true, true, true},
      {AluOp::is_ne, true, false, true, true, true},
      {AluOp::absolute_diff, true, false, true, true, true},
      {AluOp::abs_max, true, false, true, true, true},
      {AluOp::symmetric_clamp, true, false, true, true, true},
      {AluOp::divide, false, false, true, true, true},
      {AluOp::pow, false, false, true, false, true},
      {AluOp::rsqrt, false, false, true, false, true},
      {AluOp::mod, true, true, false, false, false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(alu_op_name(row.op));
    for (Dtype t : {Dtype::int8, Dtype::uint8, Dtype::int16, Dtype::uint16, Dtype::int32, Dtype::uint32})
      EXPECT_EQ(alu_allows_dtype(row.op, t), row.narrow);
    for (Dtype t : {Dtype::int64, Dtype::uint64}) EXPECT_EQ(alu_allows_dtype(row.op, t), row.wide);
    for (Dtype t : {Dtype::fp16, Dtype::bfloat16, Dtype::fp32})
      EXPECT_EQ(alu_allows_dtype(row.op, t), row.wide_float);
    for (Dtype t : {Dtype::fp8_exp3, Dtype::fp8_exp4, Dtype::fp8_exp5})
      EXPECT_EQ(alu_allows_dtype(row.op, t), row.fp8);
    EXPECT_EQ(alu_allows_dtype(row.op, Dtype::fp32r, true), row.rounded_out);
    EXPECT_FALSE(alu_allows_dtype(row.op, Dtype::fp32r, false));
    for (Dtype t : {Dtype::invalid, Dtype::fp4_exp2, Dtype::sfp8_e8, Dtype::cptc3})
      EXPECT_FALSE(alu_allows_dtype(row.op, t));
  }
  EXPECT_TRUE(alu_allows_dtype(AluOp::crc32, Dtype::uint16));
  EXPECT_FALSE(alu_allows_dtype(AluOp::crc32, Dtype::uint8));
  EXPECT_FALSE(alu_allows_dtype(AluOp::crc32, Dtype::uint64));
  EXPECT_TRUE(alu_allows_dtype(AluOp::max_int, Dtype::int64));
  EXPECT_FALSE(alu_allows_dtype(AluOp::max_int, Dtype::uint8));
  EXPECT_TRUE(alu_allows_dtype(AluOp::max_uint, Dtype::uint64));
  EXPECT_FALSE(alu_allows_dtype(AluOp::max_uint, Dtype::int8));
  EXPECT_TRUE(alu_allows_dtype(AluOp::add_int, Dtype::uint8));
  EXPECT_FALSE(alu_allows_dtype(AluOp::abs_value_int, Dtype::int64));  // not of the integer set
  EXPECT_FALSE(alu_allows_dtype(AluOp::add_int, Dtype::fp32));
}

TEST(AluGates, SignednessOfIntegerOperations) {
  EXPECT_TRUE(int_signedness_matches(AluOp::add_int, Dtype::int8, Dtype::int32, Dtype::int16));
  EXPECT_TRUE(int_signedness_matches(AluOp::add_int, Dtype::uint8, Dtype::uint32, Dtype::uint64));
  EXPECT_FALSE(int_signedness_matches(AluOp::add_int, Dtype::uint8, Dtype::int8, Dtype::uint8));
  EXPECT_FALSE(int_signedness_matches(AluOp::max_int, Dtype::uint8, Dtype::uint8, Dtype::uint8));
  EXPECT_FALSE(int_signedness_matches(AluOp::max_uint, Dtype::int8, Dtype::int8, Dtype::int8));
  EXPECT_TRUE(int_signedness_matches(AluOp::max_uint, Dtype::uint8, Dtype::uint8, Dtype::uint8));
  EXPECT_FALSE(int_signedness_matches(AluOp::add_int, Dtype::fp32, Dtype::fp32, Dtype::fp32));
  EXPECT_FALSE(int_signedness_matches(AluOp::add, Dtype::int8, Dtype::int8, Dtype::int8));
}

TEST(AluGates, WhatEachDomainComputes) {
  for (const AluOpRow& row : kAluOpRows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(alu_computes(row.op, AluDomain::floating), code_of(row.op) < 0xC0 && row.in.arith);
    EXPECT_EQ(alu_computes(row.op, AluDomain::bits), row.in.bitvec && row.op != AluOp::crc32);
    const bool arg = code_of(row.op) >= 0xDE;
    EXPECT_EQ(alu_computes(row.op, AluDomain::integer),
              row.op == AluOp::bypass || row.op == AluOp::mod || (code_of(row.op) >= 0xC4 && !arg));
  }
  EXPECT_FALSE(alu_computes(op(0x1E), AluDomain::floating));
}

}  // namespace
}  // namespace act
