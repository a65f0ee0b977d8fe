// The ALU operations: one row each, the sets the checkers ask for, and the operations themselves in the three
// domains (01 section 6).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "act/numeric/dtype.h"

namespace act {

// clang-format off
enum class AluOp : std::uint8_t {
  bypass = 0x00, bitwise_not = 0x01, arith_shift_left = 0x02, arith_shift_right = 0x03,
  add = 0x04, subtract = 0x05, mult = 0x06, divide = 0x07, max = 0x08, min = 0x09,
  bitwise_and = 0x0A, bitwise_or = 0x0B, bitwise_xor = 0x0C,
  logical_and = 0x0D, logical_or = 0x0E, logical_xor = 0x0F,
  logical_shift_left = 0x10, logical_shift_right = 0x11,
  is_eq = 0x12, is_gt = 0x13, is_ge = 0x14, is_le = 0x15, is_lt = 0x16,
  absolute_diff = 0x17, is_ne = 0x18, absolute_value = 0x19, pow = 0x1A, mod = 0x1B, crc32 = 0x1C, rsqrt = 0x1D,
  abs_max = 0x20, abs_min = 0x21, re_lu = 0x22, square = 0x23, symmetric_clamp = 0x24,
  add_int = 0xC4, mult_int = 0xC5, subtract_int = 0xC6, divide_int = 0xC7, mod_int = 0xC8,
  is_equal_int = 0xC9, is_ne_int = 0xCA, abs_max_int = 0xCB, abs_min_int = 0xCC, abs_diff_int = 0xCD,
  abs_value_int = 0xCE, max_int = 0xCF, min_int = 0xD0,
  is_gt_int = 0xD1, is_ge_int = 0xD2, is_le_int = 0xD3, is_lt_int = 0xD4,
  max_uint = 0xD5, min_uint = 0xD6, is_gt_uint = 0xD7, is_ge_uint = 0xD8, is_le_uint = 0xD9, is_lt_uint = 0xDA,
  mult_uint = 0xDB, divide_uint = 0xDC, mod_uint = 0xDD,
  amax_int = 0xDE, amin_int = 0xDF, amax_uint = 0xE0, amin_uint = 0xE1,
};
// clang-format on

// Which integers an operation of the integer band takes.
enum class IntSign : std::uint8_t { none, both, signed_only, unsigned_only };

// Membership of the sets of 01 section 6.4, and what the simulator can compute.
struct AluClass {
  bool arith = false, general_arith = false, bitvec = false, general_bitvec = false, int_aluop = false,
       int_dve = false;
};

struct AluOpRow {
  AluOp op;
  std::string_view name;
  GenerationSet generations;
  AluClass in;
  IntSign sign;           // of the integer band; `none` elsewhere
  std::uint8_t operands;  // how many of a and b it reads
  std::string_view doc;   // the result
};

namespace numeric_detail {
inline constexpr AluClass kA = {.arith = true};
inline constexpr AluClass kAGa = {.arith = true, .general_arith = true};
inline constexpr AluClass kVGv = {.bitvec = true, .general_bitvec = true};
inline constexpr AluClass kInt = {.int_aluop = true};
inline constexpr AluClass kIntDve = {.int_aluop = true, .int_dve = true};
inline constexpr AluClass kArithInt = {.arith = true, .int_aluop = true};
inline constexpr AluClass kArithIntDve = {.arith = true, .int_aluop = true, .int_dve = true};
inline constexpr GenerationSet kV3 = GenerationSet::since(Generation::cayman);
}  // namespace numeric_detail

// clang-format off
inline constexpr AluOpRow kAluOpRows[] = {
#define ACT_ALU_ALL numeric_detail::kAll
    // op, name, generations, sets, sign, operands, result
    {AluOp::bypass,              "BYPASS",              ACT_ALU_ALL, {.arith = true, .general_arith = true, .bitvec = true, .general_bitvec = true, .int_dve = true}, IntSign::none, 1, "a: the running value, whatever the operand order."},
    {AluOp::bitwise_not,         "BITWISE_NOT",         ACT_ALU_ALL, numeric_detail::kVGv, IntSign::none, 1, "~a."},
    {AluOp::arith_shift_left,    "ARITH_SHIFT_LEFT",    ACT_ALU_ALL, numeric_detail::kVGv, IntSign::none, 2, "a << b, the same as the logical shift."},
    {AluOp::arith_shift_right,   "ARITH_SHIFT_RIGHT",   ACT_ALU_ALL, numeric_detail::kVGv, IntSign::none, 2, "a >> b, the top bit of the pattern replicated."},
    {AluOp::add,                 "ADD",                 ACT_ALU_ALL, numeric_detail::kAGa, IntSign::none, 2, "a + b."},
    {AluOp::subtract,            "SUBTRACT",            ACT_ALU_ALL, numeric_detail::kAGa, IntSign::none, 2, "a - b."},
    {AluOp::mult,                "MULT",                ACT_ALU_ALL, numeric_detail::kAGa, IntSign::none, 2, "a * b."},
    {AluOp::divide,              "DIVIDE",              ACT_ALU_ALL, numeric_detail::kA,   IntSign::none, 2, "a / b."},
    {AluOp::max,                 "MAX",                 ACT_ALU_ALL, numeric_detail::kAGa, IntSign::none, 2, "The larger; a number wins over NaN, +0 over -0."},
    {AluOp::min,                 "MIN",                 ACT_ALU_ALL, numeric_detail::kAGa, IntSign::none, 2, "The smaller; a number wins over NaN, -0 over +0."},
    {AluOp::bitwise_and,         "BITWISE_AND",         ACT_ALU_ALL, numeric_detail::kVGv, IntSign::none, 2, "a & b."},
    {AluOp::bitwise_or,          "BITWISE_OR",          ACT_ALU_ALL, numeric_detail::kVGv, IntSign::none, 2, "a | b."},
    {AluOp::bitwise_xor,         "BITWISE_XOR",         ACT_ALU_ALL, numeric_detail::kVGv, IntSign::none, 2, "a ^ b."},
    {AluOp::logical_and,         "LOGICAL_AND",         ACT_ALU_ALL, numeric_detail::kAGa, IntSign::none, 2, "1 when both are non-zero, else 0; NaN counts as non-zero."},
    {AluOp::logical_or,          "LOGICAL_OR",          ACT_ALU_ALL, numeric_detail::kAGa, IntSign::none, 2, "1 when one is non-zero, else 0."},
    {AluOp::logical_xor,         "LOGICAL_XOR",         ACT_ALU_ALL, numeric_detail::kAGa, IntSign::none, 2, "1 when exactly one is non-zero, else 0."},
    {AluOp::logical_shift_left,  "LOGICAL_SHIFT_LEFT",  ACT_ALU_ALL, numeric_detail::kVGv, IntSign::none, 2, "a << b; a count from the width on gives 0."},
    {AluOp::logical_shift_right, "LOGICAL_SHIFT_RIGHT", ACT_ALU_ALL, numeric_detail::kVGv, IntSign::none, 2, "a >> b with zeros shifted in."},
    {AluOp::is_eq,               "IS_EQ",               ACT_ALU_ALL, numeric_detail::kAGa, IntSign::none, 2, "1 when a == b, else 0; 0 for NaN."},
    {AluOp::is_gt,               "IS_GT",               ACT_ALU_ALL, numeric_detail::kAGa, IntSign::none, 2, "1 when a > b, else 0; 0 for NaN."},
    {AluOp::is_ge,               "IS_GE",               ACT_ALU_ALL, numeric_detail::kAGa, IntSign::none, 2, "1 when a >= b, else 0; 0 for NaN."},
    {AluOp::is_le,               "IS_LE",               ACT_ALU_ALL, numeric_detail::kAGa, IntSign::none, 2, "1 when a <= b, else 0; 0 for NaN."},
    {AluOp::is_lt,               "IS_LT",               ACT_ALU_ALL, numeric_detail::kAGa, IntSign::none, 2, "1 when a < b, else 0; 0 for NaN."},
    {AluOp::absolute_diff,       "ABSOLUTE_DIFF",       ACT_ALU_ALL, numeric_detail::kAGa, IntSign::none, 2, "|a - b|."},
    {AluOp::is_ne,               "IS_NE",               ACT_ALU_ALL, numeric_detail::kAGa, IntSign::none, 2, "1 when a != b, else 0; 1 for NaN."},
    {AluOp::absolute_value,      "ABSOLUTE_VALUE",      ACT_ALU_ALL, numeric_detail::kAGa, IntSign::none, 1, "|a|."},
    {AluOp::pow,                 "POW",                 ACT_ALU_ALL, numeric_detail::kA,   IntSign::none, 2, "a to the power b, special cases as C's pow."},
    {AluOp::mod,                 "MOD",                 ACT_ALU_ALL, numeric_detail::kArithInt, IntSign::both, 2, "Remainder with the sign of a, as C's fmod; on integers as MOD_INT or MOD_UINT."},
    {AluOp::crc32,               "CRC32",               ACT_ALU_ALL, {.bitvec = true}, IntSign::none, 2, "A checksum whose polynomial is not documented; not simulated."},
    {AluOp::rsqrt,               "RSQRT",               ACT_ALU_ALL, numeric_detail::kA,   IntSign::none, 1, "1 / sqrt(a)."},
    {AluOp::abs_max,             "ABS_MAX",             numeric_detail::kV4, numeric_detail::kAGa, IntSign::none, 2, "MAX of |a| and |b|."},
    {AluOp::abs_min,             "ABS_MIN",             numeric_detail::kV4, numeric_detail::kAGa, IntSign::none, 2, "MIN of |a| and |b|."},
    {AluOp::re_lu,               "RE_LU",               numeric_detail::kV4, numeric_detail::kAGa, IntSign::none, 1, "MAX of a and 0, so NaN gives 0."},
    {AluOp::square,              "SQUARE",              numeric_detail::kV4, numeric_detail::kAGa, IntSign::none, 1, "a * a."},
    {AluOp::symmetric_clamp,     "SYMMETRIC_CLAMP",     numeric_detail::kV5, numeric_detail::kA,   IntSign::none, 2, "MAX of |a| and |b| with the sign of a, as the header's formula says."},
    {AluOp::add_int,             "ADD_INT",             ACT_ALU_ALL, numeric_detail::kArithIntDve, IntSign::both, 2, "a + b, wrapping."},
    {AluOp::mult_int,            "MULT_INT",            ACT_ALU_ALL, numeric_detail::kArithIntDve, IntSign::both, 2, "Low bits of a * b."},
    {AluOp::subtract_int,        "SUBTRACT_INT",        ACT_ALU_ALL, numeric_detail::kArithIntDve, IntSign::both, 2, "a - b, wrapping."},
    {AluOp::divide_int,          "DIVIDE_INT",          numeric_detail::kV3, numeric_detail::kArithInt, IntSign::both, 2, "Quotient towards zero; 0 when b is 0."},
    {AluOp::mod_int,             "MOD_INT",             numeric_detail::kV3, numeric_detail::kArithInt, IntSign::both, 2, "Remainder with the sign of a; a when b is 0."},
    {AluOp::is_equal_int,        "IS_EQUAL_INT",        numeric_detail::kV3, numeric_detail::kIntDve, IntSign::both, 2, "1 when a == b, else 0."},
    {AluOp::is_ne_int,           "IS_NE_INT",           numeric_detail::kV3, numeric_detail::kIntDve, IntSign::both, 2, "1 when a != b, else 0."},
    {AluOp::abs_max_int,         "ABS_MAX_INT",         numeric_detail::kV3, numeric_detail::kIntDve, IntSign::signed_only, 2, "Larger of |a| and |b|."},
    {AluOp::abs_min_int,         "ABS_MIN_INT",         numeric_detail::kV3, numeric_detail::kIntDve, IntSign::signed_only, 2, "Smaller of |a| and |b|."},
    {AluOp::abs_diff_int,        "ABS_DIFF_INT",        numeric_detail::kV3, numeric_detail::kIntDve, IntSign::signed_only, 2, "|a - b|, wrapping."},
    {AluOp::abs_value_int,       "ABS_VALUE_INT",       numeric_detail::kV3, {}, IntSign::signed_only, 1, "|a|; the minimum stays itself."},
    {AluOp::max_int,             "MAX_INT",             numeric_detail::kV3, numeric_detail::kIntDve, IntSign::signed_only, 2, "The larger."},
    {AluOp::min_int,             "MIN_INT",             numeric_detail::kV3, numeric_detail::kIntDve, IntSign::signed_only, 2, "The smaller."},
    {AluOp::is_gt_int,           "IS_GT_INT",           numeric_detail::kV3, numeric_detail::kIntDve, IntSign::signed_only, 2, "1 when a > b, else 0."},
    {AluOp::is_ge_int,           "IS_GE_INT",           numeric_detail::kV3, numeric_detail::kIntDve, IntSign::signed_only, 2, "1 when a >= b, else 0."},
    {AluOp::is_le_int,           "IS_LE_INT",           numeric_detail::kV3, numeric_detail::kIntDve, IntSign::signed_only, 2, "1 when a <= b, else 0."},
    {AluOp::is_lt_int,           "IS_LT_INT",           numeric_detail::kV3, numeric_detail::kIntDve, IntSign::signed_only, 2, "1 when a < b, else 0."},
    {AluOp::max_uint,            "MAX_UINT",            numeric_detail::kV3, numeric_detail::kInt, IntSign::unsigned_only, 2, "The larger."},
    {AluOp::min_uint,            "MIN_UINT",            numeric_detail::kV3, numeric_detail::kInt, IntSign::unsigned_only, 2, "The smaller."},
    {AluOp::is_gt_uint,          "IS_GT_UINT",          numeric_detail::kV3, numeric_detail::kInt, IntSign::unsigned_only, 2, "1 when a > b, else 0."},
    {AluOp::is_ge_uint,          "IS_GE_UINT",          numeric_detail::kV3, numeric_detail::kInt, IntSign::unsigned_only, 2, "1 when a >= b, else 0."},
    {AluOp::is_le_uint,          "IS_LE_UINT",          numeric_detail::kV3, numeric_detail::kInt, IntSign::unsigned_only, 2, "1 when a <= b, else 0."},
    {AluOp::is_lt_uint,          "IS_LT_UINT",          numeric_detail::kV3, numeric_detail::kInt, IntSign::unsigned_only, 2, "1 when a < b, else 0."},
    {AluOp::mult_uint,           "MULT_UINT",           numeric_detail::kV3, numeric_detail::kInt, IntSign::unsigned_only, 2, "Low bits of a * b."},
    {AluOp::divide_uint,         "DIVIDE_UINT",         numeric_detail::kV3, numeric_detail::kInt, IntSign::unsigned_only, 2, "Quotient; 0 when b is 0."},
    {AluOp::mod_uint,            "MOD_UINT",            numeric_detail::kV3, numeric_detail::kInt, IntSign::unsigned_only, 2, "Remainder; a when b is 0."},
    {AluOp::amax_int,            "AMAX_INT",            numeric_detail::kV3, {}, IntSign::signed_only, 2, "Index of the first largest element, UINT32; reductions only."},
    {AluOp::amin_int,            "AMIN_INT",            numeric_detail::kV3, {}, IntSign::signed_only, 2, "Index of the first smallest element, UINT32; reductions only."},
    {AluOp::amax_uint,           "AMAX_UINT",           numeric_detail::kV3, {}, IntSign::unsigned_only, 2, "Index of the first largest element, UINT32; reductions only."},
    {AluOp::amin_uint,           "AMIN_UINT",           numeric_detail::kV3, {}, IntSign::unsigned_only, 2, "Index of the first smallest element, UINT32; reductions only."},
#undef ACT_ALU_ALL
};
// clang-format on

constexpr unsigned code_of(AluOp op) { return static_cast<unsigned>(op); }

namespace numeric_detail {
inline constexpr auto kAluIndex = [] {
  std::array<std::uint8_t, 256> index{};
  std::uint8_t position = 0;
  for (const AluOpRow& row : kAluOpRows) index[code_of(row.op)] = ++position;
  return index;
}();
}  // namespace numeric_detail

// Null for codes without an operation.
constexpr const AluOpRow* find_alu_op(std::uint8_t code) {
  const std::uint8_t position = numeric_detail::kAluIndex[code];
  return position == 0 ? nullptr : &kAluOpRows[position - 1];
}
constexpr const AluOpRow* find_alu_op(AluOp op) { return find_alu_op(static_cast<std::uint8_t>(op)); }
// By name, letter case ignored.
constexpr const AluOpRow* find_alu_op(std::string_view name) {
  for (const AluOpRow& row : kAluOpRows)
    if (numeric_detail::same_name(name, row.name)) return &row;
  return nullptr;
}
// Empty for codes without an operation.
constexpr std::string_view alu_op_name(AluOp op) {
  const AluOpRow* row = find_alu_op(op);
  return row != nullptr ? row->name : std::string_view{};
}

// --- sets (01 sections 6.3 and 6.4); all are false for an operation that the generation lacks

constexpr const AluOpRow* alu_row_in(AluOp op, Generation g) {
  const AluOpRow* row = find_alu_op(op);
  return row != nullptr && row->generations.contains(g) ? row : nullptr;
}
constexpr bool is_valid_alu_op(AluOp op, Generation g) { return alu_row_in(op, g) != nullptr; }
constexpr bool is_arith_op(AluOp op, Generation g) {
  const AluOpRow* row = alu_row_in(op, g);
  return row != nullptr && row->in.arith;
}
constexpr bool is_general_arith_op(AluOp op, Generation g) {
  const AluOpRow* row = alu_row_in(op, g);
  return row != nullptr && row->in.general_arith;
}
constexpr bool is_bitvec_op(AluOp op, Generation g) {
  const AluOpRow* row = alu_row_in(op, g);
  return row != nullptr && row->in.bitvec;
}
constexpr bool is_general_bitvec_op(AluOp op, Generation g) {
  const AluOpRow* row = alu_row_in(op, g);
  return row != nullptr && row->in.general_bitvec;
}
constexpr bool is_valid_int_aluop(AluOp op, Generation g) {
  const AluOpRow* row = alu_row_in(op, g);
  return row != nullptr && row->in.int_aluop;
}
// The integer operations of the v5 vector engine; empty before.
constexpr bool is_valid_int_aluop_dve(AluOp op, Generation g) {
  const AluOpRow* row = alu_row_in(op, g);
  return g == Generation::maverick && row != nullptr && row->in.int_dve;
}
constexpr bool is_signed_alu_op(AluOp op, Generation g) {
  return is_valid_int_aluop(op, g) && find_alu_op(op)->sign != IntSign::unsigned_only;
}
constexpr bool is_unsigned_alu_op(AluOp op, Generation g) {
  return is_valid_int_aluop(op, g) && find_alu_op(op)->sign != IntSign::signed_only;
}

// --- what opcode classes and types admit (01 sections 6.5 and 6.6)

constexpr bool is_shift_left(AluOp op) {
  return op == AluOp::arith_shift_left || op == AluOp::logical_shift_left;
}
constexpr bool is_shift_right(AluOp op) {
  return op == AluOp::arith_shift_right || op == AluOp::logical_shift_right;
}
constexpr bool is_shift(AluOp op) { return is_shift_left(op) || is_shift_right(op); }

// TensorTensor arith, 0x41.
constexpr bool tensor_tensor_arith_accepts(AluOp op, Generation g) {
  return is_general_arith_op(op, g) || (op == AluOp::pow && is_valid_alu_op(op, g)) ||
         is_valid_int_aluop(op, g);
}
// TensorScalar arith, 0x43 and 0x93. `immediates_plain_zero`: both immediates are zero and both sources 0.
constexpr bool tensor_scalar_arith_accepts(AluOp op0, AluOp op1, Generation g, bool immediates_plain_zero) {
  if (op0 == AluOp::rsqrt && op1 == AluOp::bypass) return immediates_plain_zero;
  if (op0 == AluOp::bypass && op1 != AluOp::bypass) return false;
  return (is_general_arith_op(op0, g) && is_general_arith_op(op1, g)) ||
         (is_valid_int_aluop_dve(op0, g) && is_valid_int_aluop_dve(op1, g));
}
// TensorScalar bitvec, 0x53.
constexpr bool tensor_scalar_bitvec_accepts(AluOp op0, AluOp op1, Generation g) {
  return is_bitvec_op(op0, g) && is_bitvec_op(op1, g) && (op0 != AluOp::bypass || op1 == AluOp::bypass);
}
// Activate2: the six pairs of pre-stage operations.
constexpr bool activate2_accepts(AluOp op0, AluOp op1) {
  if (op0 == AluOp::mult) return op1 == AluOp::add || op1 == AluOp::subtract || op1 == AluOp::bypass;
  return (op0 == AluOp::add || op0 == AluOp::subtract || op0 == AluOp::bypass) && op1 == AluOp::bypass;
}
// op1 of TensorScalarCacheReduce and CacheCumulative.
constexpr bool cache_fold_accepts(AluOp op) {
  return op == AluOp::add || op == AluOp::subtract || op == AluOp::mult || op == AluOp::max ||
         op == AluOp::min;
}
// `alu_shift_check`: left then right, and any arithmetic right shift, need a 4-byte type.
constexpr bool alu_shift_check(AluOp op0, AluOp op1, Dtype t) {
  const bool needs_four = (is_shift_left(op0) && is_shift_right(op1)) || op0 == AluOp::arith_shift_right ||
                          op1 == AluOp::arith_shift_right;
  return !needs_four || dtype_bytes(t) == 4;
}

// Whether an operation may read (`output` false) or write a type (01 section 6.6). Types that the generation
// lacks or that are no operand of the ALU at all are refused.
bool alu_allows_dtype(AluOp op, Dtype t, bool output = false);

// Operands of an integer-band operation and its result must all be signed or all unsigned, as it asks.
constexpr bool int_signedness_matches(AluOp op, Dtype src0, Dtype src1, Dtype out) {
  const AluOpRow* row = find_alu_op(op);
  if (row == nullptr || row->sign == IntSign::none) return false;
  const bool all_signed = is_signed_int(src0) && is_signed_int(src1) && is_signed_int(out);
  const bool all_unsigned = is_unsigned_int(src0) && is_unsigned_int(src1) && is_unsigned_int(out);
  return (all_signed && row->sign != IntSign::unsigned_only) ||
         (all_unsigned && row->sign != IntSign::signed_only);
}

// --- the operations

enum class AluDomain : std::uint8_t { floating, bits, integer };

// Whether the domain defines the operation on two elements; false for CRC32 (D-37), index reductions, and
// operations of another domain.
bool alu_computes(AluOp op, AluDomain domain);

// Domain F: one FP32 operation, rounded once to nearest even. NaN results are the canonical NaN, except that
// BYPASS hands a through and MAX, MIN and what is built on them follow D-30. Precondition: alu_computes.
float alu_float(AluOp op, float a, float b);

// Domain B: patterns of `width` bits (8, 16, 32 or 64) in the low bits; the result has zeros above.
// Shift counts are b as an unsigned number (D-33). Precondition: alu_computes.
std::uint64_t alu_bits(AluOp op, std::uint64_t a, std::uint64_t b, unsigned width);

// Domain I: a and b as integers of type t, given and returned as patterns in the low bits. The exact result
// wraps once to the width of t (D-45); comparisons give 1 or 0. Precondition: alu_computes,
// is_valid_int_dtype(t).
std::uint64_t alu_int(AluOp op, std::uint64_t a, std::uint64_t b, Dtype t);

// Whether the operation divides integers, so that b = 0 deserves the warning of D-34.
constexpr bool divides_integers(AluOp op) {
  return op == AluOp::divide_int || op == AluOp::mod_int || op == AluOp::divide_uint ||
         op == AluOp::mod_uint || op == AluOp::mod;
}

// AMAX/AMIN reductions: whether `candidate` replaces `best`; equal values do not, so the first extreme stays.
bool arg_extreme_replaces(AluOp op, std::uint64_t candidate, std::uint64_t best, Dtype t);

// An integer pattern of type `from` clamped into type `to`: how results of domain I are stored (D-45).
std::uint64_t clamp_int(Dtype from, std::uint64_t bits, Dtype to);

// What a reset accumulator holds under REDUCE_CMD with reduce operation `op` (D-47).
float reduce_identity(AluOp op);

// TENS_SCALAR_REV_OPS: which of the two stages swap their operands (01 sections 6.7 and 7).
enum class ReverseOperands : std::uint8_t { none = 0, first = 1, second = 2, both = 3 };

// One stage on a running value and an operand; `reversed` puts the operand first, except for BYPASS (D-35).
float alu_stage(AluOp op, float running, float operand, bool reversed);
std::uint64_t alu_stage_bits(AluOp op, std::uint64_t running, std::uint64_t operand, unsigned width,
                             bool reversed);

// (x op0 imm0) op1 imm1, each stage rounded to FP32, no fusion (D-29).
float alu_two_stages(AluOp op0, AluOp op1, float x, float imm0, float imm1, ReverseOperands reverse);

// The compiler's ALU numbering, for reading its dumps (01 section 6.8). Ordinals 24 and 25 have no code.
struct CompilerAluRow {
  std::uint8_t ordinal;
  AluOp op;
  std::string_view name{};  // where the compiler has another than the operation
};
// clang-format off
inline constexpr CompilerAluRow kCompilerAluRows[] = {
    {0, AluOp::bypass},       {1, AluOp::bitwise_not}, {2, AluOp::arith_shift_left}, {3, AluOp::arith_shift_right},
    {4, AluOp::add},          {5, AluOp::subtract},    {6, AluOp::mult},             {7, AluOp::divide},
    {8, AluOp::max},          {9, AluOp::min},         {10, AluOp::bitwise_and},     {11, AluOp::bitwise_or},
    {12, AluOp::bitwise_xor}, {13, AluOp::logical_and}, {14, AluOp::logical_or},     {15, AluOp::logical_xor},
    {16, AluOp::logical_shift_left}, {17, AluOp::logical_shift_right}, {18, AluOp::is_eq}, {19, AluOp::is_ne, "not_equal"},
    {20, AluOp::is_gt, "gt"},       {21, AluOp::is_ge, "ge"},      {22, AluOp::is_lt, "lt"},           {23, AluOp::is_le, "le"},
    {26, AluOp::pow},         {27, AluOp::mod},        {28, AluOp::rsqrt},           {29, AluOp::absolute_value, "abs"},
    {30, AluOp::abs_max},     {31, AluOp::abs_min},    {32, AluOp::mod_int},
};
// clang-format on

}  // namespace act
