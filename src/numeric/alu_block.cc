#include "act/numeric/alu_block.h"

#include <algorithm>
#include <cstring>

#include "act/numeric/bits.h"
#include "act/numeric/clones.h"

namespace act {
namespace {

// The operations of alu_float() without branches.
inline float quiet(float x) { return x != x ? kCanonicalNan : x; }
inline float magnitude(float x) { return f32(bits_of(x) & ~kSignF32); }
inline float larger(float a, float b) {
  float r = a > b ? a : b;
  r = a == b ? f32(bits_of(a) & bits_of(b)) : r;  // equal values differ in the sign of zero at most
  r = b != b ? a : r;
  return a != a ? quiet(b) : r;
}
inline float smaller(float a, float b) {
  float r = a < b ? a : b;
  r = a == b ? f32(bits_of(a) | bits_of(b)) : r;
  r = b != b ? a : r;
  return a != a ? quiet(b) : r;
}

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
      use([](float a, float) { return larger(a, 0.0F); });
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

constexpr std::size_t kPiece = 256;

// Results of a piece go through a local buffer, so that the compiler sees that nothing overlaps.
template <class Compute>
void by_pieces(std::size_t n, float* out, const Compute& compute) {
  for (std::size_t begin = 0; begin < n; begin += kPiece) {
    const std::size_t count = std::min(kPiece, n - begin);
    float r[kPiece];
    for (std::size_t k = 0; k < count; ++k) r[k] = compute(begin + k);
    std::memcpy(out + begin, r, count * sizeof(float));
  }
}

bool any_order(AluOp op) { return op == AluOp::max || op == AluOp::min; }

// Several running values side by side, then one.
template <class Op>
float fold_any_order(const Op& op, float acc, const float* v, std::size_t n) {
  constexpr std::size_t kWays = 16;
  if (n < 2 * kWays) {
    for (std::size_t k = 0; k < n; ++k) acc = op(acc, v[k]);
    return acc;
  }
  float way[kWays];
  std::memcpy(way, v, sizeof way);
  std::size_t k = kWays;
  for (; k + kWays <= n; k += kWays)
    for (std::size_t w = 0; w < kWays; ++w) way[w] = op(way[w], v[k + w]);
  for (const float w : way) acc = op(acc, w);
  for (; k < n; ++k) acc = op(acc, v[k]);
  return acc;
}

}  // namespace

ACT_VECTOR_CLONES void alu_block(AluOp op, const float* in, float operand, bool reversed, std::size_t n,
                                 float* out) {
  const bool swap = reversed && op != AluOp::bypass;
  const bool known = with_operation(op, [&](const auto& f) {
    if (swap) return by_pieces(n, out, [&](std::size_t k) { return f(operand, in[k]); });
    by_pieces(n, out, [&](std::size_t k) { return f(in[k], operand); });
  });
  if (known) return;
  for (std::size_t k = 0; k < n; ++k) out[k] = alu_stage(op, in[k], operand, reversed);
}

ACT_VECTOR_CLONES void alu_block(AluOp op, const float* a, const float* b, std::size_t n, float* out) {
  const bool known = with_operation(
      op, [&](const auto& f) { by_pieces(n, out, [&](std::size_t k) { return f(a[k], b[k]); }); });
  if (known) return;
  for (std::size_t k = 0; k < n; ++k) out[k] = alu_float(op, a[k], b[k]);
}

ACT_VECTOR_CLONES float alu_fold(AluOp op, float acc, const float* v, std::size_t n) {
  const bool known = with_operation(op, [&](const auto& f) {
    if (any_order(op)) {
      acc = fold_any_order(f, acc, v, n);
    } else {
      for (std::size_t k = 0; k < n; ++k) acc = f(acc, v[k]);
    }
  });
  if (known) return acc;
  for (std::size_t k = 0; k < n; ++k) acc = alu_float(op, acc, v[k]);
  return acc;
}

ACT_VECTOR_CLONES void widen_bf16(const void* codes, std::size_t n, float* out) {
  const auto* p = static_cast<const std::uint8_t*>(codes);
  std::uint16_t in[kPiece];
  for (std::size_t begin = 0; begin < n; begin += kPiece) {
    const std::size_t count = std::min(kPiece, n - begin);
    std::memcpy(in, p + 2 * begin, 2 * count);
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint32_t bits = std::uint32_t{in[k]} << 16;
      out[begin + k] = f32((bits & ~kSignF32) > kInfF32 ? kNanF32 : bits);
    }
  }
}

ACT_VECTOR_CLONES void narrow_bf16(const float* in, std::size_t n, const NumericPolicy& policy, void* codes) {
  const std::uint32_t most =
      policy.fp_saturate ? kBfloat16Format.max_finite_code() : kBfloat16Format.overflow_code();
  const std::uint32_t nan = kBfloat16Format.nan_code();
  auto* p = static_cast<std::uint8_t*>(codes);
  std::uint16_t out[kPiece];
  for (std::size_t begin = 0; begin < n; begin += kPiece) {
    const std::size_t count = std::min(kPiece, n - begin);
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint32_t bits = bits_of(in[begin + k]), size = bits & ~kSignF32;
      const std::uint32_t rounded = (size + 0x7FFF + ((size >> 16) & 1)) >> 16;
      const std::uint32_t code = (rounded < most ? rounded : most) | (bits & kSignF32) >> 16;
      out[k] = static_cast<std::uint16_t>(size > kInfF32 ? nan : code);
    }
    std::memcpy(p + 2 * begin, out, 2 * count);
  }
}

ACT_VECTOR_CLONES void multiply_add(const float* in, float factor, float addend, std::size_t n, float* out) {
  by_pieces(n, out, [&](std::size_t k) {
    const float product = in[k] * factor;
    return product + addend;
  });
}

}  // namespace act
