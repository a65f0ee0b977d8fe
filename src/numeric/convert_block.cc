#include "act/numeric/convert_block.h"

#include <cmath>
#include <cstring>

#include "act/numeric/clones.h"

namespace act {
namespace {

// out = convert(in), element by element. Through memcpy, because codes have any alignment and share memory with other types.
template <class In, class Out, class Convert>
inline void each(const void* in, std::size_t n, void* out, const Convert& convert) {
  const auto* from = static_cast<const std::uint8_t*>(in);
  auto* to = static_cast<std::uint8_t*>(out);
  ACT_INDEPENDENT_TURNS
  for (std::size_t k = 0; k < n; ++k) {
    In x;
    std::memcpy(&x, from + k * sizeof(In), sizeof x);
    const Out y = convert(x);
    std::memcpy(to + k * sizeof(Out), &y, sizeof y);
  }
}

// --- floats

// A format as a type, so that its constants fold.
template <std::uint8_t Exponent, std::uint8_t Mantissa, std::int16_t Bias, TopExponent Top>
struct Format {
  static constexpr FloatFormat kFormat = {1, Exponent, Mantissa, Bias, Top};
  static constexpr unsigned kShift = 23 - Mantissa;         // between the significands
  static constexpr unsigned kSignShift = 31 - Exponent - Mantissa;
  static constexpr std::uint32_t kRebias = static_cast<std::uint32_t>(127 - Bias) << 23;
  static constexpr std::uint32_t kFirstNormal = static_cast<std::uint32_t>(128 - Bias) << 23;
  static constexpr bool kSharesExponent = Bias == 127;  // subnormals are subnormals of FP32 too
  // Its last place is the quantum of the format's subnormals.
  static constexpr std::uint32_t kUlpIsQuantum = kSharesExponent ? 0 : static_cast<std::uint32_t>(128 - Bias + kShift) << 23;
};
#define ACT_FORMAT(format) Format<format.exponent_bits, format.mantissa_bits, format.bias, format.top>
using Bfloat16 = ACT_FORMAT(kBfloat16Format);
using Fp16 = ACT_FORMAT(kFp16Format);
using Fp32r = ACT_FORMAT(kFp32rFormat);
using Fp8Exp2 = ACT_FORMAT(kFp8Exp2Format);
using Fp8Exp3 = ACT_FORMAT(kFp8Exp3Format);
using Fp8Exp4 = ACT_FORMAT(kFp8Exp4Format);
using Fp8Exp4Ocp = ACT_FORMAT(kFp8Exp4Ocp);
using Fp8Exp5 = ACT_FORMAT(kFp8Exp5Format);
#undef ACT_FORMAT

// decode_float() without branches.
template <class F>
inline float decoded(std::uint32_t code) {
  constexpr std::uint32_t kOver = F::kFormat.overflow_code();
  const std::uint32_t sign = (code & F::kFormat.sign_mask()) << F::kSignShift;
  const std::uint32_t size = code & F::kFormat.magnitude_mask();
  std::uint32_t value = (size << F::kShift) + F::kRebias;
  if constexpr (!F::kSharesExponent) {
    // Next to the constant a unit of the code is a unit of the last place, so the difference is exact.
    const float tiny = f32(size | F::kUlpIsQuantum) - f32(F::kUlpIsQuantum);
    value = size <= F::kFormat.mantissa_mask() ? bits_of(tiny) : value;
  }
  if constexpr (F::kFormat.has_infinity()) value = size == kOver ? kInfF32 : value;
  constexpr std::uint32_t kFirstNan = F::kFormat.has_infinity() ? kOver + 1 : kOver;
  return f32(size >= kFirstNan ? kNanF32 : value | sign);
}

// encode_float() without branches; `most` is what overflow gives.
template <class F>
inline std::uint32_t encoded(float x, std::uint32_t most) {
  constexpr std::uint32_t kBelowHalf = ((1u << F::kShift) >> 1) - 1;
  const std::uint32_t bits = bits_of(x), size = bits & ~kSignF32;
  std::uint32_t code = ((size + kBelowHalf + ((size >> F::kShift) & 1)) >> F::kShift) - (F::kRebias >> F::kShift);
  if constexpr (!F::kSharesExponent) {
    // The addition rounds to the quantum, ties to even.
    const std::uint32_t tiny = bits_of(f32(size) + f32(F::kUlpIsQuantum)) - F::kUlpIsQuantum;
    code = size < F::kFirstNormal ? tiny : code;
  }
  code = (code < most ? code : most) | (bits & kSignF32) >> F::kSignShift;
  return size > kInfF32 ? F::kFormat.nan_code() : code;
}

// The same for the exponents of FP32 and overflow to infinity: sign and exponent need no care, a carry gives infinity.
template <class F>
inline std::uint32_t cut(float x) {
  constexpr std::uint32_t kBelowHalf = ((1u << F::kShift) >> 1) - 1;
  const std::uint32_t bits = bits_of(x);
  const std::uint32_t code = (bits + kBelowHalf + ((bits >> F::kShift) & 1)) >> F::kShift;
  return (bits & ~kSignF32) > kInfF32 ? F::kFormat.nan_code() : code;
}

template <class F, class Code>
inline void widen_floats(const void* codes, std::size_t n, float* out) {
  each<Code, float>(codes, n, out, [](Code c) { return decoded<F>(c); });
}

template <class F, class Code, unsigned Up = 0>
inline void narrow_floats(const float* in, std::size_t n, const NumericPolicy& policy, void* codes) {
  const bool finite = policy.fp_saturate || F::kFormat.top == TopExponent::finite;
  if constexpr (F::kSharesExponent)
    if (!finite) return each<float, Code>(in, n, codes, [](float x) { return static_cast<Code>(cut<F>(x) << Up); });
  const std::uint32_t most = finite ? F::kFormat.max_finite_code() : F::kFormat.overflow_code();
  each<float, Code>(in, n, codes, [most](float x) { return static_cast<Code>(encoded<F>(x, most) << Up); });
}

// --- integers

template <class Int>
inline void widen_integers(const void* codes, std::size_t n, float* out) {
  each<Int, float>(codes, n, out, [](Int c) { return static_cast<float>(c); });
}

// Magnitudes of either sign that an integer type holds, as FP32 patterns: the largest one is below the end of the type
// where the type's own last value is no FP32.
template <class Int>
struct IntRange {
  using Limits = std::numeric_limits<Int>;
  static constexpr float kEnd = static_cast<float>(std::uint64_t{1} << (Limits::digits - 1)) * 2.0F;
  static constexpr bool kExact = Limits::digits <= 24;
  static constexpr std::uint32_t kPositive = kExact ? bits_of(kEnd - 1.0F) : bits_of(kEnd) - 1;
  static constexpr std::uint32_t kNegative = bits_of(-static_cast<float>(Limits::min())) & ~kSignF32;
};

// int_from_f32() without branches. Clamping goes first: it leaves integers that the rounding does not change. Patterns are
// compared rather than values, because compilers turn those comparisons into minima.
template <class Int, bool Truncate>
inline Int whole(float x) {
  using Range = IntRange<Int>;
  const std::uint32_t bits = bits_of(x), size = bits & ~kSignF32, sign = bits & kSignF32;
  // A mask and no condition, for which compilers would make two of everything that follows.
  const auto negative = static_cast<std::uint32_t>(static_cast<std::int32_t>(bits) >> 31);
  const std::uint32_t most = Range::kPositive + (negative & (Range::kNegative - Range::kPositive));
  const float inside = f32((size < most ? size : most) | sign);
  Int result;
  if constexpr (Range::kExact && !Truncate) {
    constexpr float kUlpIsOne = 0x1.8p23F;  // the addition rounds, and the pattern counts in ones
    result = static_cast<Int>(bits_of(inside + kUlpIsOne) - bits_of(kUlpIsOne));
  } else if constexpr (Range::kExact) {
    result = static_cast<Int>(static_cast<std::int32_t>(inside));
  } else {
    result = static_cast<Int>(Truncate ? inside : std::rint(inside));
    // NaN of either sign is dealt with below.
    result = static_cast<std::int32_t>(bits) >= static_cast<std::int32_t>(bits_of(Range::kEnd)) ? Range::Limits::max() : result;
  }
  return size > kInfF32 ? Int{0} : result;
}

template <class Int>
inline void narrow_integers(const float* in, std::size_t n, const NumericPolicy& policy, void* codes) {
  if (policy.int_rounding == IntRounding::truncate)
    each<float, Int>(in, n, codes, [](float x) { return whole<Int, true>(x); });
  else
    each<float, Int>(in, n, codes, [](float x) { return whole<Int, false>(x); });
}

// Types without a loop of their own.
inline void widen_singly(Dtype t, const void* codes, std::size_t n, const NumericPolicy& policy, float* out) {
  const std::size_t bytes = dtype_bits(t) / 8;
  for (std::size_t k = 0; k < n; ++k) {
    std::uint64_t code = 0;
    std::memcpy(&code, static_cast<const std::uint8_t*>(codes) + k * bytes, bytes);
    out[k] = widen(t, code, policy);
  }
}
inline void narrow_singly(Dtype t, const float* in, std::size_t n, const NumericPolicy& policy, void* codes) {
  const std::size_t bytes = dtype_bits(t) / 8;
  for (std::size_t k = 0; k < n; ++k) {
    const std::uint64_t code = narrow(t, in[k], policy);
    std::memcpy(static_cast<std::uint8_t*>(codes) + k * bytes, &code, bytes);
  }
}

}  // namespace

ACT_VECTOR_CLONES void widen_block(Dtype t, const void* codes, std::size_t n, const NumericPolicy& policy, float* out) {
  switch (t) {
    case Dtype::fp32:
    case Dtype::fp32r:
      if (n != 0 && codes != out) std::memcpy(out, codes, n * sizeof(float));
      return;
    case Dtype::bfloat16: return widen_floats<Bfloat16, std::uint16_t>(codes, n, out);
    case Dtype::fp16: return widen_floats<Fp16, std::uint16_t>(codes, n, out);
    case Dtype::fp8_exp2: return widen_floats<Fp8Exp2, std::uint8_t>(codes, n, out);
    case Dtype::fp8_exp3: return widen_floats<Fp8Exp3, std::uint8_t>(codes, n, out);
    case Dtype::fp8_exp4:
      if (policy.fp8_mode == Fp8Mode::ocp) return widen_floats<Fp8Exp4Ocp, std::uint8_t>(codes, n, out);
      return widen_floats<Fp8Exp4, std::uint8_t>(codes, n, out);
    case Dtype::fp8_exp5: return widen_floats<Fp8Exp5, std::uint8_t>(codes, n, out);
    case Dtype::int8: return widen_integers<std::int8_t>(codes, n, out);
    case Dtype::uint8: return widen_integers<std::uint8_t>(codes, n, out);
    case Dtype::int16: return widen_integers<std::int16_t>(codes, n, out);
    case Dtype::uint16: return widen_integers<std::uint16_t>(codes, n, out);
    case Dtype::int32: return widen_integers<std::int32_t>(codes, n, out);
    case Dtype::uint32: return widen_integers<std::uint32_t>(codes, n, out);
    case Dtype::int64: return widen_integers<std::int64_t>(codes, n, out);
    case Dtype::uint64: return widen_integers<std::uint64_t>(codes, n, out);
    default: return widen_singly(t, codes, n, policy, out);
  }
}

ACT_VECTOR_CLONES void narrow_block(Dtype t, const float* in, std::size_t n, const NumericPolicy& policy, void* codes) {
  switch (t) {
    case Dtype::fp32:
      if (n != 0 && codes != in) std::memcpy(codes, in, n * sizeof(float));
      return;
    case Dtype::fp32r: return narrow_floats<Fp32r, std::uint32_t, Fp32r::kShift>(in, n, policy, codes);
    case Dtype::bfloat16: return narrow_floats<Bfloat16, std::uint16_t>(in, n, policy, codes);
    case Dtype::fp16: return narrow_floats<Fp16, std::uint16_t>(in, n, policy, codes);
    case Dtype::fp8_exp2: return narrow_floats<Fp8Exp2, std::uint8_t>(in, n, policy, codes);
    case Dtype::fp8_exp3: return narrow_floats<Fp8Exp3, std::uint8_t>(in, n, policy, codes);
    case Dtype::fp8_exp4:
      if (policy.fp8_mode == Fp8Mode::ocp) return narrow_floats<Fp8Exp4Ocp, std::uint8_t>(in, n, policy, codes);
      return narrow_floats<Fp8Exp4, std::uint8_t>(in, n, policy, codes);
    case Dtype::fp8_exp5: return narrow_floats<Fp8Exp5, std::uint8_t>(in, n, policy, codes);
    case Dtype::int8: return narrow_integers<std::int8_t>(in, n, policy, codes);
    case Dtype::uint8: return narrow_integers<std::uint8_t>(in, n, policy, codes);
    case Dtype::int16: return narrow_integers<std::int16_t>(in, n, policy, codes);
    case Dtype::uint16: return narrow_integers<std::uint16_t>(in, n, policy, codes);
    case Dtype::int32: return narrow_integers<std::int32_t>(in, n, policy, codes);
    case Dtype::uint32: return narrow_integers<std::uint32_t>(in, n, policy, codes);
    case Dtype::int64: return narrow_integers<std::int64_t>(in, n, policy, codes);
    case Dtype::uint64: return narrow_integers<std::uint64_t>(in, n, policy, codes);
    default: return narrow_singly(t, in, n, policy, codes);
  }
}

}  // namespace act
