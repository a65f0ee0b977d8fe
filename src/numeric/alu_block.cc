#include "act/numeric/alu_block.h"

#include "act/numeric/bits.h"
#include "act/numeric/clones.h"

namespace act {
namespace {

// The operations of alu_float() without branches.
inline float quiet(float x) { return x != x ? kCanonicalNan : x; }
inline float magnitude(float x) { return f32(bits_of(x) & ~kSignF32); }
inline float larger(float a, float b) {
  const float other = b != b ? a : b;  // a number where there is one
  const float r = a > other ? a : other;
  return quiet(a == other ? f32(bits_of(a) & bits_of(other)) : r);  // equal values differ in the sign of zero at most
}
inline float smaller(float a, float b) {
  const float other = b != b ? a : b;
  const float r = a < other ? a : other;
  return quiet(a == other ? f32(bits_of(a) | bits_of(other)) : r);
}
// The same with an operand that is a number and, where it is zero, the zero that wins a tie.
inline float larger_than_number(float a, float b) { return a > b ? a : b; }
inline float smaller_than_number(float a, float b) { return a < b ? a : b; }

// Calls use(operation) with a function object for the operations that are worth a loop of their own; false
// for others.
template <class Use>
bool with_operation(AluOp op, const Use& use) {
  switch (op) {
    case AluOp::bypass:
      use([](float a, float) { return a; });
      return true;
    case AluOp::add:
      use([](float a, float b) { return quiet(a + b); });
      return true;
    case AluOp::subtract:
      use([](float a, float b) { return quiet(a - b); });
      return true;
    case AluOp::mult:
      use([](float a, float b) { return quiet(a * b); });
      return true;
    case AluOp::divide:
      use([](float a, float b) { return quiet(a / b); });
      return true;
    case AluOp::max:
      use(larger);
      return true;
    case AluOp::min:
      use(smaller);
      return true;
    case AluOp::abs_max:
      use([](float a, float b) { return larger(magnitude(a), magnitude(b)); });
      return true;
    case AluOp::abs_min:
      use([](float a, float b) { return smaller(magnitude(a), magnitude(b)); });
      return true;
    case AluOp::re_lu:
      use([](float a, float) { return larger_than_number(a, 0.0F); });
      return true;
    case AluOp::square:
      use([](float a, float) { return quiet(a * a); });
      return true;
    case AluOp::absolute_value:
      use([](float a, float) { return quiet(magnitude(a)); });
      return true;
    case AluOp::absolute_diff:
      use([](float a, float b) { return quiet(magnitude(a - b)); });
      return true;
    default:
      return false;
  }
}

template <class Compute>
void each(std::size_t n, float* out, const Compute& compute) {
  ACT_INDEPENDENT_TURNS
  for (std::size_t k = 0; k < n; ++k) out[k] = compute(k);
}

// MAX or MIN with an operand as larger_than_number() wants it: one comparison an element. False for anything else.
bool compare_with_number(AluOp op, const float* in, float operand, std::size_t n, float* out) {
  if (operand != operand) return false;
  if (op == AluOp::max && bits_of(operand) != kSignF32) {
    each(n, out, [&](std::size_t k) { return larger_than_number(in[k], operand); });
    return true;
  }
  if (op == AluOp::min && bits_of(operand) != 0) {
    each(n, out, [&](std::size_t k) { return smaller_than_number(in[k], operand); });
    return true;
  }
  return false;
}

// Calls use(operation) for a stage of plain arithmetic. The operation leaves the NaN of the processor: whatever of this kind
// follows takes a NaN to a NaN.
template <class Use>
bool with_arithmetic(const AluStage& stage, const Use& use) {
  const float b = stage.operand;
  switch (stage.op) {
    case AluOp::add:
      use([b](float a) { return a + b; });
      return true;
    case AluOp::mult:
      use([b](float a) { return a * b; });
      return true;
    case AluOp::subtract:
      stage.reversed ? use([b](float a) { return b - a; }) : use([b](float a) { return a - b; });
      return true;
    default:
      return false;
  }
}

// Two stages without the values of the first in memory; false where there is no such loop.
bool fused_stages(const AluStage& first, const AluStage& second, const float* in, std::size_t n, float* out) {
  bool fused = false;
  with_arithmetic(first, [&](const auto& f) {
    fused = with_arithmetic(second, [&](const auto& g) { each(n, out, [&](std::size_t k) { return quiet(g(f(in[k]))); }); });
  });
  return fused;
}

// The extreme of the block by plain comparisons, many running values side by side. They drop NaN, but cannot tell which
// zero wins, and give `worst` where there is no number at all.
template <class Better>
float plain_extreme(const Better& better, float worst, const float* v, std::size_t n) {
  constexpr std::size_t kWays = 64;
  float way[kWays];
  for (float& w : way) w = worst;
  std::size_t k = 0;
  for (; k + kWays <= n; k += kWays)
    for (std::size_t w = 0; w < kWays; ++w) way[w] = better(v[k + w], way[w]);
  for (; k < n; ++k) way[0] = better(v[k], way[0]);
  for (std::size_t half = kWays / 2; half != 0; half /= 2)
    for (std::size_t w = 0; w < half; ++w) way[w] = better(way[w + half], way[w]);
  return way[0];
}

bool holds(std::uint32_t bits, const float* v, std::size_t n) {
  unsigned found = 0;
  for (std::size_t k = 0; k < n; ++k) found |= static_cast<unsigned>(bits_of(v[k]) == bits);
  return found != 0;
}

// MAX (MIN: `sign` set) over the running value and a block, in any order: the order cannot be told.
template <class Better>
float fold_extreme(const Better& better, std::uint32_t sign, float acc, const float* v, std::size_t n) {
  if (n == 0) return acc;
  const float worst = f32(kInfF32 | (sign ^ kSignF32));
  const float r = better(acc, plain_extreme(better, worst, v, n));
  const auto seen = [&](std::uint32_t bits) { return bits_of(acc) == bits || holds(bits, v, n); };
  if (r == 0) return f32(seen(sign) ? sign : sign ^ kSignF32);
  return r == worst && !seen(bits_of(worst)) ? kCanonicalNan : r;
}

}  // namespace

ACT_VECTOR_CLONES void alu_block(AluOp op, const float* in, float operand, bool reversed, std::size_t n,
                                 float* out) {
  if (compare_with_number(op, in, operand, n, out)) return;
  const bool swap = reversed && op != AluOp::bypass;
  const bool known = with_operation(op, [&](const auto& f) {
    if (swap) return each(n, out, [&](std::size_t k) { return f(operand, in[k]); });
    each(n, out, [&](std::size_t k) { return f(in[k], operand); });
  });
  if (known) return;
  for (std::size_t k = 0; k < n; ++k) out[k] = alu_stage(op, in[k], operand, reversed);
}

ACT_VECTOR_CLONES void alu_block(const AluStage& first, const AluStage& second, const float* in, std::size_t n,
                                 float* out) {
  if (fused_stages(first, second, in, n, out)) return;
  constexpr std::size_t kPiece = 1024;  // stays in the first cache between the stages
  for (std::size_t k = 0; k < n; k += kPiece) {
    const std::size_t count = n - k < kPiece ? n - k : kPiece;
    alu_block(first.op, in + k, first.operand, first.reversed, count, out + k);
    if (second.op != AluOp::bypass) alu_block(second.op, out + k, second.operand, second.reversed, count, out + k);
  }
}

ACT_VECTOR_CLONES void alu_block(AluOp op, const float* a, const float* b, std::size_t n, float* out) {
  const bool known = with_operation(
      op, [&](const auto& f) { each(n, out, [&](std::size_t k) { return f(a[k], b[k]); }); });
  if (known) return;
  for (std::size_t k = 0; k < n; ++k) out[k] = alu_float(op, a[k], b[k]);
}

ACT_VECTOR_CLONES float alu_fold(AluOp op, float acc, const float* v, std::size_t n) {
  if (op == AluOp::max) return fold_extreme(larger_than_number, 0, acc, v, n);
  if (op == AluOp::min) return fold_extreme(smaller_than_number, kSignF32, acc, v, n);
  const bool known = with_operation(op, [&](const auto& f) {
    for (std::size_t k = 0; k < n; ++k) acc = f(acc, v[k]);
  });
  if (known) return acc;
  for (std::size_t k = 0; k < n; ++k) acc = alu_float(op, acc, v[k]);
  return acc;
}

ACT_VECTOR_CLONES void multiply_add(const float* in, float factor, float addend, std::size_t n, float* out) {
  each(n, out, [&](std::size_t k) {
    const float product = in[k] * factor;
    return product + addend;
  });
}

}  // namespace act
