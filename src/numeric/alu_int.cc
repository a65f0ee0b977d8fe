#include <algorithm>

#include "act/numeric/alu.h"

namespace act {
namespace {

// Holds every intermediate result of the integer operations on 64-bit types exactly, products too.
__extension__ using Wide = __int128;

bool is_signed(Dtype t) { return dtype_row(t).kind == DtypeKind::signed_integer; }

Wide value_of(Dtype t, std::uint64_t bits) {
  const unsigned unused = 64 - dtype_bits(t);
  if (is_signed(t)) return static_cast<std::int64_t>(bits << unused) >> unused;
  return static_cast<Wide>(bits << unused >> unused);
}

Wide magnitude(Wide x) { return x < 0 ? -x : x; }
// The low 64 bits are all that wrapping keeps; unsigned arithmetic makes the product of 64-bit values wrap
// too.
Wide low_product(Wide a, Wide b) {
  return static_cast<Wide>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
Wide quotient(Wide a, Wide b) { return b == 0 ? 0 : a / b; }
Wide remainder(Wide a, Wide b) { return b == 0 ? a : a % b; }

Wide exact_result(AluOp op, Wide a, Wide b) {
  switch (op) {
    case AluOp::bypass:
      return a;
    case AluOp::add_int:
      return a + b;
    case AluOp::subtract_int:
      return a - b;
    case AluOp::mult_int:
    case AluOp::mult_uint:
      return low_product(a, b);
    case AluOp::divide_int:
    case AluOp::divide_uint:
      return quotient(a, b);
    case AluOp::mod:
    case AluOp::mod_int:
    case AluOp::mod_uint:
      return remainder(a, b);
    case AluOp::is_equal_int:
      return a == b;
    case AluOp::is_ne_int:
      return a != b;
    case AluOp::abs_max_int:
      return std::max(magnitude(a), magnitude(b));
    case AluOp::abs_min_int:
      return std::min(magnitude(a), magnitude(b));
    case AluOp::abs_diff_int:
      return magnitude(a - b);
    case AluOp::abs_value_int:
      return magnitude(a);
    case AluOp::max_int:
    case AluOp::max_uint:
      return std::max(a, b);
    case AluOp::min_int:
    case AluOp::min_uint:
      return std::min(a, b);
    case AluOp::is_gt_int:
    case AluOp::is_gt_uint:
      return a > b;
    case AluOp::is_ge_int:
    case AluOp::is_ge_uint:
      return a >= b;
    case AluOp::is_le_int:
    case AluOp::is_le_uint:
      return a <= b;
    case AluOp::is_lt_int:
    case AluOp::is_lt_uint:
      return a < b;
    default:
      return 0;
  }
}

constexpr std::uint64_t width_mask(unsigned width) {
  return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

std::uint64_t shift_right_arith(std::uint64_t a, std::uint64_t count, unsigned width) {
  const unsigned unused = 64 - width;
  const std::int64_t extended = static_cast<std::int64_t>(a << unused) >> unused;
  return static_cast<std::uint64_t>(extended >> std::min<std::uint64_t>(count, width - 1));
}

bool is_arg_extreme(AluOp op) {
  return op == AluOp::amax_int || op == AluOp::amin_int || op == AluOp::amax_uint || op == AluOp::amin_uint;
}

}  // namespace

bool alu_computes(AluOp op, AluDomain domain) {
  const AluOpRow* row = find_alu_op(op);
  if (row == nullptr) return false;
  switch (domain) {
    case AluDomain::floating:
      return row->in.arith && code_of(op) < 0xC0;
    case AluDomain::bits:
      return row->in.general_bitvec;
    case AluDomain::integer:
      return op == AluOp::bypass || (row->sign != IntSign::none && !is_arg_extreme(op));
  }
  return false;
}

std::uint64_t alu_bits(AluOp op, std::uint64_t a, std::uint64_t b, unsigned width) {
  const std::uint64_t mask = width_mask(width);
  a &= mask;
  b &= mask;
  switch (op) {
    case AluOp::bypass:
      return a;
    case AluOp::bitwise_not:
      return ~a & mask;
    case AluOp::bitwise_and:
      return a & b;
    case AluOp::bitwise_or:
      return a | b;
    case AluOp::bitwise_xor:
      return a ^ b;
    case AluOp::arith_shift_left:
    case AluOp::logical_shift_left:
      return b >= width ? 0 : (a << b) & mask;
    case AluOp::logical_shift_right:
      return b >= width ? 0 : a >> b;
    case AluOp::arith_shift_right:
      return shift_right_arith(a, b, width) & mask;
    default:
      return 0;
  }
}

std::uint64_t alu_stage_bits(AluOp op, std::uint64_t running, std::uint64_t operand, unsigned width,
                             bool reversed) {
  return reversed && op != AluOp::bypass ? alu_bits(op, operand, running, width)
                                         : alu_bits(op, running, operand, width);
}

std::uint64_t alu_int(AluOp op, std::uint64_t a, std::uint64_t b, Dtype t) {
  return static_cast<std::uint64_t>(exact_result(op, value_of(t, a), value_of(t, b))) &
         width_mask(dtype_bits(t));
}

bool arg_extreme_replaces(AluOp op, std::uint64_t candidate, std::uint64_t best, Dtype t) {
  const Wide c = value_of(t, candidate), b = value_of(t, best);
  return op == AluOp::amax_int || op == AluOp::amax_uint ? c > b : c < b;
}

std::uint64_t clamp_int(Dtype from, std::uint64_t bits, Dtype to) {
  const std::uint64_t mask = width_mask(dtype_bits(to));
  const Wide low = is_signed(to) ? -static_cast<Wide>(mask >> 1) - 1 : 0;
  const Wide high = static_cast<Wide>(is_signed(to) ? mask >> 1 : mask);
  return static_cast<std::uint64_t>(std::clamp(value_of(from, bits), low, high)) & mask;
}

// The columns of the table in 01 section 6.6.
bool alu_allows_dtype(AluOp op, Dtype t, bool output) {
  const AluOpRow* row = find_alu_op(op);
  if (row == nullptr) return false;
  const bool narrow_int = is_valid_int_dtype_datapath(t), wide_int = is_valid_64b_int_dtype(t);
  const bool wide_float = t == Dtype::fp16 || t == Dtype::bfloat16 || t == Dtype::fp32;
  const bool rounded = t == Dtype::fp32r && output;
  if (op == AluOp::bypass) return narrow_int || wide_int || wide_float || is_fp8(t) || rounded;
  if (op == AluOp::crc32) return narrow_int && dtype_bytes(t) >= 2;
  if (row->in.bitvec) return narrow_int || wide_int;
  if (op == AluOp::mod) return narrow_int || wide_int;
  if (row->sign != IntSign::none) {
    const bool admitted = narrow_int || (wide_int && row->in.int_aluop);
    const bool matches =
        is_signed_int(t) ? row->sign != IntSign::unsigned_only : row->sign != IntSign::signed_only;
    return admitted && matches;
  }
  if (op == AluOp::pow || op == AluOp::rsqrt) return wide_float || rounded;
  if (op == AluOp::divide) return wide_float || is_fp8(t) || rounded;
  return narrow_int || wide_float || is_fp8(t) || rounded;
}

}  // namespace act
