#include <cmath>

#include "act/numeric/alu.h"
#include "act/numeric/bits.h"
#include "act/numeric/functions.h"

namespace act {
namespace {

constexpr float truth(bool condition) { return condition ? 1.0f : 0.0f; }
constexpr bool is_true(float x) { return !(x == 0.0f); }  // NaN is true, -0 is not (D-31)
constexpr float magnitude(float x) { return f32(bits_of(x) & ~kSignF32); }

// D-30: NaN loses against a number, and the zeros are ordered.
constexpr float larger(float a, float b) {
  if (is_nan(a)) return canonical(b);
  if (is_nan(b)) return a;
  if (a == b) return sign_bit(a) ? b : a;
  return a > b ? a : b;
}
constexpr float smaller(float a, float b) {
  if (is_nan(a)) return canonical(b);
  if (is_nan(b)) return a;
  if (a == b) return sign_bit(a) ? a : b;
  return a < b ? a : b;
}

}  // namespace

float alu_float(AluOp op, float a, float b) {
  switch (op) {
    case AluOp::bypass:
      return a;
    case AluOp::add:
      return canonical(a + b);
    case AluOp::subtract:
      return canonical(a - b);
    case AluOp::mult:
      return canonical(a * b);
    case AluOp::divide:
      return canonical(a / b);
    case AluOp::max:
      return larger(a, b);
    case AluOp::min:
      return smaller(a, b);
    case AluOp::logical_and:
      return truth(is_true(a) && is_true(b));
    case AluOp::logical_or:
      return truth(is_true(a) || is_true(b));
    case AluOp::logical_xor:
      return truth(is_true(a) != is_true(b));
    case AluOp::is_eq:
      return truth(a == b);
    case AluOp::is_gt:
      return truth(a > b);
    case AluOp::is_ge:
      return truth(a >= b);
    case AluOp::is_le:
      return truth(a <= b);
    case AluOp::is_lt:
      return truth(a < b);
    case AluOp::is_ne:
      return truth(!(a == b));
    case AluOp::absolute_diff:
      return canonical(magnitude(a - b));
    case AluOp::absolute_value:
      return canonical(magnitude(a));
    case AluOp::pow:
      return f32_pow(a, b);
    case AluOp::mod:
      return canonical(std::fmod(a, b));
    case AluOp::rsqrt:
      return f32_rsqrt(a);
    case AluOp::abs_max:
      return larger(magnitude(a), magnitude(b));
    case AluOp::abs_min:
      return smaller(magnitude(a), magnitude(b));
    case AluOp::re_lu:
      return larger(a, 0.0f);
    case AluOp::square:
      return canonical(a * a);
    case AluOp::symmetric_clamp: {
      const float size = larger(magnitude(a), magnitude(b));
      return canonical(f32(bits_of(size) | (bits_of(a) & kSignF32)));
    }
    default:
      return kCanonicalNan;
  }
}

float alu_stage(AluOp op, float running, float operand, bool reversed) {
  return reversed && op != AluOp::bypass ? alu_float(op, operand, running) : alu_float(op, running, operand);
}

float alu_two_stages(AluOp op0, AluOp op1, float x, float imm0, float imm1, ReverseOperands reverse) {
  const unsigned swap = static_cast<unsigned>(reverse);
  return alu_stage(op1, alu_stage(op0, x, imm0, (swap & 1) != 0), imm1, (swap & 2) != 0);
}

float reduce_identity(AluOp op) {
  switch (op) {
    case AluOp::mult:
    case AluOp::logical_and:
      return 1.0f;
    case AluOp::max:
      return f32(kInfF32 | kSignF32);
    case AluOp::min:
    case AluOp::abs_min:
      return f32(kInfF32);
    default:
      return 0.0f;
  }
}

}  // namespace act
