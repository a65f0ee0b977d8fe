#include <gmpxx.h>
#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "act/numeric/alu.h"
#include "act/numeric/convert.h"
#include "numeric/reference.h"

namespace act {
namespace {

using reference::Integer;

// The integer a pattern stands for, and the pattern of an integer after wrapping, by exact integers.
mpz_class value_of(const Integer& t, std::uint64_t bits) {
  mpz_class v;
  mpz_import(v.get_mpz_t(), 1, 1, sizeof bits, 0, 0, &bits);
  if (t.is_signed && bits >> (t.bits - 1) != 0) v -= mpz_class(1) << t.bits;
  return v;
}
std::uint64_t wrapped(const Integer& t, const mpz_class& v) {
  mpz_class low;
  mpz_fdiv_r_2exp(low.get_mpz_t(), v.get_mpz_t(), static_cast<mp_bitcnt_t>(t.bits));
  return mpz_get_ui(low.get_mpz_t());
}

// 01 section 6.3, with D-34 and D-45. No value for operations that reduce.
std::optional<mpz_class> result(AluOp op, const mpz_class& a, const mpz_class& b) {
  switch (code_of(op)) {
    case 0xC4:
      return a + b;
    case 0xC5:
    case 0xDB:
      return a * b;
    case 0xC6:
      return a - b;
    case 0xC7:
    case 0xDC:
      return b == 0 ? mpz_class(0) : mpz_class(a / b);
    case 0xC8:
    case 0xDD:
    case 0x1B:
      return b == 0 ? a : mpz_class(a % b);
    case 0xC9:
      return a == b ? 1 : 0;
    case 0xCA:
      return a != b ? 1 : 0;
    case 0xCB:
      return std::max(mpz_class(abs(a)), mpz_class(abs(b)));
    case 0xCC:
      return std::min(mpz_class(abs(a)), mpz_class(abs(b)));
    case 0xCD:
      return mpz_class(abs(a - b));
    case 0xCE:
      return mpz_class(abs(a));
    case 0xCF:
    case 0xD5:
      return std::max(a, b);
    case 0xD0:
    case 0xD6:
      return std::min(a, b);
    case 0xD1:
    case 0xD7:
      return a > b ? 1 : 0;
    case 0xD2:
    case 0xD8:
      return a >= b ? 1 : 0;
    case 0xD3:
    case 0xD9:
      return a <= b ? 1 : 0;
    case 0xD4:
    case 0xDA:
      return a < b ? 1 : 0;
    case 0x00:
      return a;
    default:
      return std::nullopt;
  }
}

void check_pair(const Integer& t, std::uint64_t a, std::uint64_t b) {
  const mpz_class x = value_of(t, a), y = value_of(t, b);
  for (const AluOpRow& row : kAluOpRows) {
    if (!alu_computes(row.op, AluDomain::integer)) continue;
    if (row.sign == IntSign::signed_only && !t.is_signed) continue;
    if (row.sign == IntSign::unsigned_only && t.is_signed) continue;
    const std::optional<mpz_class> expected = result(row.op, x, y);
    ASSERT_TRUE(expected) << row.name;
    ASSERT_EQ(alu_int(row.op, a, b, t.dtype), wrapped(t, *expected))
        << row.name << " " << t.label << " " << a << " " << b;
  }
}

TEST(AluInt, EveryPairOfNibbleCornersInEveryType) {
  for (const Integer& t : reference::kIntegers) {
    if (t.bits == 4) continue;  // INT4 is no operand of the ALU
    std::vector<std::uint64_t> values;
    for (std::uint64_t v : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3},
                            std::uint64_t{7}, std::uint64_t{100}}) {
      values.push_back(v);
      values.push_back(~v & element_mask(t.dtype));
      values.push_back(((element_mask(t.dtype) >> 1) - v) & element_mask(t.dtype));
      values.push_back(((element_mask(t.dtype) >> 1) + 1 + v) & element_mask(t.dtype));
    }
    for (std::uint64_t a : values)
      for (std::uint64_t b : values) check_pair(t, a, b);
  }
}

TEST(AluInt, EveryPairOfEightBitIntegers) {
  for (std::size_t i = 0; i < 2; ++i)
    for (std::uint64_t a = 0; a < 256; ++a)
      for (std::uint64_t b = 0; b < 256; ++b) check_pair(reference::kIntegers[i], a, b);
}

TEST(AluInt, RandomPairs) {
  std::mt19937_64 random(3);
  for (const Integer& t : reference::kIntegers) {
    if (t.bits <= 8) continue;
    for (int i = 0; i < 3000; ++i) {
      const std::uint64_t a = random() >> (random() % 64), b = random() >> (random() % 64);
      check_pair(t, a & element_mask(t.dtype), b & element_mask(t.dtype));
    }
  }
}

TEST(AluInt, CornersNamedInTheBook) {
  EXPECT_EQ(alu_int(AluOp::divide_int, 5, 0, Dtype::int32), 0u);
  EXPECT_EQ(alu_int(AluOp::mod_int, 5, 0, Dtype::int32), 5u);
  EXPECT_EQ(alu_int(AluOp::divide_int, 0x80000000, 0xFFFFFFFF, Dtype::int32), 0x80000000u);
  EXPECT_EQ(alu_int(AluOp::mod_int, 0x80000000, 0xFFFFFFFF, Dtype::int32), 0u);
  EXPECT_EQ(alu_int(AluOp::divide_int, 0x8000000000000000, ~std::uint64_t{0}, Dtype::int64),
            0x8000000000000000u);
  EXPECT_EQ(alu_int(AluOp::abs_value_int, 0x80, 0, Dtype::int8), 0x80u);
  EXPECT_EQ(alu_int(AluOp::divide_int, 0xF9, 2, Dtype::int8), 0xFDu);  // -7 / 2 = -3
  EXPECT_EQ(alu_int(AluOp::mod_int, 0xF9, 2, Dtype::int8), 0xFFu);
  EXPECT_TRUE(divides_integers(AluOp::mod_uint));
  EXPECT_FALSE(divides_integers(AluOp::add_int));
}

TEST(AluBits, EveryEightBitPair) {
  for (unsigned a = 0; a < 256; ++a)
    for (unsigned b = 0; b < 256; ++b) {
      const int sign = a >= 128 ? static_cast<int>(a) - 256 : static_cast<int>(a);
      ASSERT_EQ(alu_bits(AluOp::bitwise_and, a, b, 8), a & b);
      ASSERT_EQ(alu_bits(AluOp::bitwise_or, a, b, 8), a | b);
      ASSERT_EQ(alu_bits(AluOp::bitwise_xor, a, b, 8), a ^ b);
      ASSERT_EQ(alu_bits(AluOp::bitwise_not, a, b, 8), 255 - a);
      ASSERT_EQ(alu_bits(AluOp::bypass, a, b, 8), a);
      const unsigned left = b < 8 ? (a << b) % 256 : 0;
      ASSERT_EQ(alu_bits(AluOp::logical_shift_left, a, b, 8), left);
      ASSERT_EQ(alu_bits(AluOp::arith_shift_left, a, b, 8), left);
      ASSERT_EQ(alu_bits(AluOp::logical_shift_right, a, b, 8), b < 8 ? a >> b : 0);
      ASSERT_EQ(alu_bits(AluOp::arith_shift_right, a, b, 8),
                static_cast<unsigned>(sign >> std::min(b, 31u)) & 255u);
    }
}

TEST(AluBits, WideCounts) {
  for (unsigned width : {16u, 32u, 64u}) {
    const std::uint64_t top = std::uint64_t{1} << (width - 1);
    const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    for (std::uint64_t count : {std::uint64_t{width}, std::uint64_t{width} + 1, mask}) {
      EXPECT_EQ(alu_bits(AluOp::logical_shift_left, mask, count, width), 0u);
      EXPECT_EQ(alu_bits(AluOp::logical_shift_right, mask, count, width), 0u);
      EXPECT_EQ(alu_bits(AluOp::arith_shift_right, top, count, width), mask);
      EXPECT_EQ(alu_bits(AluOp::arith_shift_right, top - 1, count, width), 0u);
    }
    EXPECT_EQ(alu_bits(AluOp::logical_shift_left, 1, width - 1, width), top);
    EXPECT_EQ(alu_bits(AluOp::logical_shift_right, top, width - 1, width), 1u);
    EXPECT_EQ(alu_bits(AluOp::arith_shift_right, top, width - 1, width), mask);
    EXPECT_EQ(alu_bits(AluOp::bitwise_not, 0, 0, width), mask);
  }
}

TEST(AluInt, ClampIntoAnyType) {
  for (const Integer& from : reference::kIntegers)
    for (const Integer& to : reference::kIntegers)
      for (std::uint64_t v : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{8},
                              std::uint64_t{127}, std::uint64_t{128}, std::uint64_t{255},
                              std::uint64_t{32768}, std::uint64_t{0x7FFFFFFF}, std::uint64_t{0x80000000},
                              std::uint64_t{0x8000000000000000}, ~std::uint64_t{0}, ~std::uint64_t{127}}) {
        const std::uint64_t bits = v & element_mask(from.dtype);
        const mpz_class x = value_of(from, bits), low = reference::smallest(to),
                        high = reference::largest(to);
        EXPECT_EQ(clamp_int(from.dtype, bits, to.dtype), wrapped(to, x < low    ? low
                                                                     : x > high ? high
                                                                                : x))
            << from.label << " " << to.label << " " << v;
      }
}

TEST(AluInt, FirstExtremeWins) {
  const auto index = [](AluOp op, std::vector<std::uint64_t> list, Dtype t) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < list.size(); ++i)
      if (arg_extreme_replaces(op, list[i], list[best], t)) best = i;
    return best;
  };
  EXPECT_EQ(index(AluOp::amax_int, {1, 0xFF, 5, 5}, Dtype::int8), 2u);
  EXPECT_EQ(index(AluOp::amax_uint, {1, 0xFF, 5, 0xFF}, Dtype::uint8), 1u);
  EXPECT_EQ(index(AluOp::amin_int, {1, 0xFF, 5, 0xFF}, Dtype::int8), 1u);
  EXPECT_EQ(index(AluOp::amin_uint, {3, 0xFF, 1, 1}, Dtype::uint8), 2u);
}

}  // namespace
}  // namespace act
