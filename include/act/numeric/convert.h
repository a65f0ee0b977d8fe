// Conversions between data types: exact widening to FP32, named roundings from FP32 (01 sections 5.4
// and 5.5). Every conversion of the machine goes through FP32; convert() at the end is that rule.
#pragma once

#include <cstdint>
#include <limits>

#include "act/numeric/bits.h"
#include "act/numeric/dtype.h"

namespace act {

enum class Fp8Mode : std::uint8_t {
  neuron,  // FP8_EXP4 has infinity and ends at 240 (default)
  ocp      // FP8_EXP4 has no infinity and ends at 448
};
enum class IntRounding : std::uint8_t { nearest_even, truncate };

// What the books leave to the machine's set-up (D-20, D-49). It holds for the whole machine, not per
// instruction.
struct NumericPolicy {
  Fp8Mode fp8_mode = Fp8Mode::neuron;
  bool fp_saturate = false;  // float overflow gives the largest finite value instead of infinity or NaN
  IntRounding int_rounding = IntRounding::nearest_even;

  friend constexpr bool operator==(const NumericPolicy&, const NumericPolicy&) = default;
};

// Formats as constants, so that the conversions below fold to a few integer operations.
inline constexpr FloatFormat kBfloat16Format = dtype_row(Dtype::bfloat16).format;
inline constexpr FloatFormat kFp16Format = dtype_row(Dtype::fp16).format;
inline constexpr FloatFormat kFp8Exp3Format = dtype_row(Dtype::fp8_exp3).format;
inline constexpr FloatFormat kFp8Exp4Format = dtype_row(Dtype::fp8_exp4).format;
inline constexpr FloatFormat kFp8Exp5Format = dtype_row(Dtype::fp8_exp5).format;
inline constexpr FloatFormat kFp8Exp2Format = dtype_row(Dtype::fp8_exp2).format;
inline constexpr FloatFormat kFp4Exp2Format = dtype_row(Dtype::fp4_exp2).format;
inline constexpr FloatFormat kSfp8E8Format = dtype_row(Dtype::sfp8_e8).format;
inline constexpr FloatFormat kSfp8E7Format = dtype_row(Dtype::sfp8_e7).format;
inline constexpr FloatFormat kSfp8E6Format = dtype_row(Dtype::sfp8_e6).format;
inline constexpr FloatFormat kSfp8E5Format = dtype_row(Dtype::sfp8_e5).format;

constexpr FloatFormat fp8_exp4_format(Fp8Mode mode) {
  return mode == Fp8Mode::ocp ? kFp8Exp4Ocp : kFp8Exp4Format;
}

// The format whose values FP32R can hold: FP32 with 13 mantissa bits (D-24).
inline constexpr FloatFormat kFp32rFormat = {1, 8, 13, 127, TopExponent::inf_and_nan};

// --- any float format

// The value of a code; exact. Bits above the format are ignored, every NaN becomes the canonical one (D-25).
constexpr float decode_float(const FloatFormat& format, std::uint32_t code) {
  const std::uint32_t sign = (code & format.sign_mask()) != 0 ? kSignF32 : 0;
  const std::uint32_t magnitude = code & format.magnitude_mask();
  if (magnitude >= format.overflow_code())
    return magnitude == format.overflow_code() && format.has_infinity() ? f32(sign | kInfF32) : kCanonicalNan;
  const unsigned shift = 23u - format.mantissa_bits;
  if (magnitude <= format.mantissa_mask() && format.subnormals) {
    if (format.bias == 127) return f32(sign | magnitude << shift);  // a subnormal of FP32 too
    const float quantum = f32(static_cast<std::uint32_t>(128 - format.bias - format.mantissa_bits) << 23);
    return f32(sign | bits_of(static_cast<float>(magnitude) * quantum));
  }
  if (magnitude == 0 && format.bias == 127) return f32(sign | 0x00400000u);  // SFP8_E8 begins at 2^-127
  return f32(sign | ((magnitude << shift) + (static_cast<std::uint32_t>(127 - format.bias) << 23)));
}

namespace numeric_detail {
// Rounds a finite FP32 magnitude to the grid of `format`, without an upper limit.
constexpr std::uint32_t round_magnitude(const FloatFormat& format, std::uint32_t magnitude) {
  const unsigned shift = 23u - format.mantissa_bits;
  const std::uint32_t first_normal = static_cast<std::uint32_t>(128 - format.bias) << 23;
  if (magnitude >= first_normal) {
    const std::uint32_t tie_to_even = (magnitude >> shift) & 1;
    const std::uint32_t rounded = (magnitude + ((1u << shift) >> 1) - 1 + tie_to_even) >> shift;
    return (shift == 0 ? magnitude : rounded) -
           (static_cast<std::uint32_t>(127 - format.bias) << format.mantissa_bits);
  }
  // Below the first normal value the quantum stays: align the significand to it.
  const std::uint32_t exponent = magnitude >> 23;
  const std::uint32_t significand = exponent == 0 ? magnitude : (magnitude & 0x7FFFFFu) | 0x800000u;
  const unsigned down = shift + (first_normal >> 23) - (exponent == 0 ? 1 : exponent);
  return down > 25 ? 0 : static_cast<std::uint32_t>(shift_right_rne(significand, down));
}

// SFP8_E8 holds powers of two only, from 2^-127 (code 0) on: the next code begins half-way between two.
constexpr std::uint32_t round_to_power_of_two(std::uint32_t magnitude) {
  if (magnitude < 0x00800000u) return magnitude > 0x00600000u ? 1 : 0;
  const std::uint32_t exponent = magnitude >> 23, fraction = magnitude & 0x7FFFFFu;
  return exponent +
         static_cast<std::uint32_t>(fraction > 0x400000u || (fraction == 0x400000u && (exponent & 1) != 0));
}
}  // namespace numeric_detail

// The code nearest to x, ties to the even code; overflow as D-26 says, or to the largest finite value when
// `saturate`; NaN to the format's canonical one. A format without a sign takes negative values as zero.
constexpr std::uint32_t encode_float(const FloatFormat& format, float x, bool saturate) {
  const std::uint32_t bits = bits_of(x);
  std::uint32_t magnitude = bits & ~kSignF32;
  if (magnitude > kInfF32) return format.nan_code();
  const bool negative = (bits & kSignF32) != 0;
  if (negative && format.sign_bits == 0) magnitude = 0;
  const std::uint32_t sign = negative ? format.sign_mask() : 0;
  std::uint32_t code = format.overflow_code();
  if (magnitude != kInfF32)
    code = format.subnormals ? numeric_detail::round_magnitude(format, magnitude)
                             : numeric_detail::round_to_power_of_two(magnitude);
  if (code < format.overflow_code()) return sign | code;
  if (saturate || format.top == TopExponent::finite) return sign | format.max_finite_code();
  return sign | format.overflow_code();
}

// --- named float conversions

constexpr float f32_from_bf16(std::uint16_t code) { return decode_float(kBfloat16Format, code); }
constexpr float f32_from_fp16(std::uint16_t code) { return decode_float(kFp16Format, code); }
constexpr float f32_from_fp8_exp3(std::uint8_t code) { return decode_float(kFp8Exp3Format, code); }
constexpr float f32_from_fp8_exp4(std::uint8_t code, Fp8Mode mode = Fp8Mode::neuron) {
  return mode == Fp8Mode::ocp ? decode_float(kFp8Exp4Ocp, code) : decode_float(kFp8Exp4Format, code);
}
constexpr float f32_from_fp8_exp5(std::uint8_t code) { return decode_float(kFp8Exp5Format, code); }
constexpr float f32_from_fp8_exp2(std::uint8_t code) { return decode_float(kFp8Exp2Format, code); }
constexpr float f32_from_fp4_exp2(std::uint8_t code) { return decode_float(kFp4Exp2Format, code); }
constexpr float f32_from_sfp8_e8(std::uint8_t code) { return decode_float(kSfp8E8Format, code); }
constexpr float f32_from_sfp8_e7(std::uint8_t code) { return decode_float(kSfp8E7Format, code); }
constexpr float f32_from_sfp8_e6(std::uint8_t code) { return decode_float(kSfp8E6Format, code); }
constexpr float f32_from_sfp8_e5(std::uint8_t code) { return decode_float(kSfp8E5Format, code); }

constexpr std::uint16_t bf16_from_f32(float x, const NumericPolicy& policy = {}) {
  return static_cast<std::uint16_t>(encode_float(kBfloat16Format, x, policy.fp_saturate));
}
constexpr std::uint16_t fp16_from_f32(float x, const NumericPolicy& policy = {}) {
  return static_cast<std::uint16_t>(encode_float(kFp16Format, x, policy.fp_saturate));
}
constexpr std::uint8_t fp8_exp3_from_f32(float x, const NumericPolicy& policy = {}) {
  return static_cast<std::uint8_t>(encode_float(kFp8Exp3Format, x, policy.fp_saturate));
}
constexpr std::uint8_t fp8_exp4_from_f32(float x, const NumericPolicy& policy = {}) {
  return static_cast<std::uint8_t>(policy.fp8_mode == Fp8Mode::ocp
                                       ? encode_float(kFp8Exp4Ocp, x, policy.fp_saturate)
                                       : encode_float(kFp8Exp4Format, x, policy.fp_saturate));
}
constexpr std::uint8_t fp8_exp5_from_f32(float x, const NumericPolicy& policy = {}) {
  return static_cast<std::uint8_t>(encode_float(kFp8Exp5Format, x, policy.fp_saturate));
}
// These two have no infinity and no NaN: overflow always saturates, NaN becomes 0 (D-25, D-26).
constexpr std::uint8_t fp8_exp2_from_f32(float x) {
  return static_cast<std::uint8_t>(encode_float(kFp8Exp2Format, x, true));
}
constexpr std::uint8_t fp4_exp2_from_f32(float x) {
  return static_cast<std::uint8_t>(encode_float(kFp4Exp2Format, x, true));
}
// Block scales: unsigned, NaN for overflow. The machine only reads them; writing is for tools.
constexpr std::uint8_t sfp8_e8_from_f32(float x, const NumericPolicy& policy = {}) {
  return static_cast<std::uint8_t>(encode_float(kSfp8E8Format, x, policy.fp_saturate));
}
constexpr std::uint8_t sfp8_e7_from_f32(float x, const NumericPolicy& policy = {}) {
  return static_cast<std::uint8_t>(encode_float(kSfp8E7Format, x, policy.fp_saturate));
}
constexpr std::uint8_t sfp8_e6_from_f32(float x, const NumericPolicy& policy = {}) {
  return static_cast<std::uint8_t>(encode_float(kSfp8E6Format, x, policy.fp_saturate));
}
constexpr std::uint8_t sfp8_e5_from_f32(float x, const NumericPolicy& policy = {}) {
  return static_cast<std::uint8_t>(encode_float(kSfp8E5Format, x, policy.fp_saturate));
}
// The FP32 pattern of x rounded to 13 mantissa bits (D-24).
constexpr std::uint32_t fp32r_from_f32(float x, const NumericPolicy& policy = {}) {
  if (is_nan(x)) return kNanF32;
  const std::uint32_t code = encode_float(kFp32rFormat, x, policy.fp_saturate);
  return code << 10;
}

// --- integers

// Rounds by `rounding`, then clamps to the type; NaN gives 0 (D-27, D-49).
template <class Int>
constexpr Int int_from_f32(float x, IntRounding rounding = IntRounding::nearest_even) {
  using Limits = std::numeric_limits<Int>;
  if (is_nan(x)) return 0;
  const float whole = rounding == IntRounding::truncate ? truncate_to_integer(x) : round_to_integer(x);
  // 2^(value bits), the first value too large: a power of two, so exact in FP32, as the minimum is.
  constexpr float end = static_cast<float>(std::uint64_t{1} << (Limits::digits - 1)) * 2.0f;
  if (whole >= end) return Limits::max();
  if (whole < static_cast<float>(Limits::min())) return Limits::min();
  return static_cast<Int>(whole);
}

constexpr std::int8_t int8_from_f32(float x, const NumericPolicy& p = {}) {
  return int_from_f32<std::int8_t>(x, p.int_rounding);
}
constexpr std::uint8_t uint8_from_f32(float x, const NumericPolicy& p = {}) {
  return int_from_f32<std::uint8_t>(x, p.int_rounding);
}
constexpr std::int16_t int16_from_f32(float x, const NumericPolicy& p = {}) {
  return int_from_f32<std::int16_t>(x, p.int_rounding);
}
constexpr std::uint16_t uint16_from_f32(float x, const NumericPolicy& p = {}) {
  return int_from_f32<std::uint16_t>(x, p.int_rounding);
}
constexpr std::int32_t int32_from_f32(float x, const NumericPolicy& p = {}) {
  return int_from_f32<std::int32_t>(x, p.int_rounding);
}
constexpr std::uint32_t uint32_from_f32(float x, const NumericPolicy& p = {}) {
  return int_from_f32<std::uint32_t>(x, p.int_rounding);
}
constexpr std::int64_t int64_from_f32(float x, const NumericPolicy& p = {}) {
  return int_from_f32<std::int64_t>(x, p.int_rounding);
}
constexpr std::uint64_t uint64_from_f32(float x, const NumericPolicy& p = {}) {
  return int_from_f32<std::uint64_t>(x, p.int_rounding);
}
// -8..7; the element code is its low nibble.
constexpr std::int8_t int4_from_f32(float x, const NumericPolicy& p = {}) {
  const std::int8_t wide = int_from_f32<std::int8_t>(x, p.int_rounding);
  return wide > 7 ? std::int8_t{7} : wide < -8 ? std::int8_t{-8} : wide;
}
constexpr float f32_from_int4(std::uint8_t code) { return static_cast<float>(((code & 15) ^ 8) - 8); }

// Two 4-bit elements in a byte, the first in the low nibble (D-22).
constexpr std::uint8_t nibble_at(std::uint8_t byte, unsigned index) {
  return (byte >> (4 * (index & 1))) & 15;
}
constexpr std::uint8_t pack_nibbles(std::uint8_t first, std::uint8_t second) {
  return static_cast<std::uint8_t>((first & 15) | (second & 15) << 4);
}

// --- by type

// Whether codes of the type stand for numbers; false for INVALID, CPTC and unassigned codes.
constexpr bool has_values(Dtype t) {
  return dtype_row(t).kind != DtypeKind::none && dtype_row(t).kind != DtypeKind::transport;
}

// The low dtype_bits(t) bits of `bits` as FP32. Exact but for 32- and 64-bit integers beyond 2^24, which
// round to nearest even; FP32 and FP32R are copied, NaN payload included. Types without values give NaN.
constexpr float widen(Dtype t, std::uint64_t bits, const NumericPolicy& policy = {}) {
  switch (t) {
    case Dtype::fp32:
    case Dtype::fp32r:
      return f32(static_cast<std::uint32_t>(bits));
    case Dtype::bfloat16:
      return f32_from_bf16(static_cast<std::uint16_t>(bits));
    case Dtype::fp16:
      return f32_from_fp16(static_cast<std::uint16_t>(bits));
    case Dtype::int8:
      return static_cast<float>(static_cast<std::int8_t>(bits));
    case Dtype::uint8:
      return static_cast<float>(static_cast<std::uint8_t>(bits));
    case Dtype::int16:
      return static_cast<float>(static_cast<std::int16_t>(bits));
    case Dtype::uint16:
      return static_cast<float>(static_cast<std::uint16_t>(bits));
    case Dtype::int32:
      return static_cast<float>(static_cast<std::int32_t>(bits));
    case Dtype::uint32:
      return static_cast<float>(static_cast<std::uint32_t>(bits));
    case Dtype::int64:
      return static_cast<float>(static_cast<std::int64_t>(bits));
    case Dtype::uint64:
      return static_cast<float>(bits);
    case Dtype::int4:
      return f32_from_int4(static_cast<std::uint8_t>(bits));
    case Dtype::fp8_exp3:
      return f32_from_fp8_exp3(static_cast<std::uint8_t>(bits));
    case Dtype::fp8_exp4:
      return f32_from_fp8_exp4(static_cast<std::uint8_t>(bits), policy.fp8_mode);
    case Dtype::fp8_exp5:
      return f32_from_fp8_exp5(static_cast<std::uint8_t>(bits));
    default:
      break;
  }
  const DtypeRow& row = dtype_row(t);
  if (row.kind != DtypeKind::floating) return kCanonicalNan;
  return decode_float(row.format, static_cast<std::uint32_t>(bits));
}

// x as a code in the low dtype_bits(t) bits, the others zero. Types without values give 0.
constexpr std::uint64_t narrow(Dtype t, float x, const NumericPolicy& policy = {}) {
  switch (t) {
    case Dtype::fp32:
      return bits_of(x);
    case Dtype::fp32r:
      return fp32r_from_f32(x, policy);
    case Dtype::bfloat16:
      return bf16_from_f32(x, policy);
    case Dtype::fp16:
      return fp16_from_f32(x, policy);
    case Dtype::int8:
      return static_cast<std::uint8_t>(int8_from_f32(x, policy));
    case Dtype::uint8:
      return uint8_from_f32(x, policy);
    case Dtype::int16:
      return static_cast<std::uint16_t>(int16_from_f32(x, policy));
    case Dtype::uint16:
      return uint16_from_f32(x, policy);
    case Dtype::int32:
      return static_cast<std::uint32_t>(int32_from_f32(x, policy));
    case Dtype::uint32:
      return uint32_from_f32(x, policy);
    case Dtype::int64:
      return static_cast<std::uint64_t>(int64_from_f32(x, policy));
    case Dtype::uint64:
      return uint64_from_f32(x, policy);
    case Dtype::int4:
      return static_cast<std::uint8_t>(int4_from_f32(x, policy)) & 15u;
    case Dtype::fp8_exp3:
      return fp8_exp3_from_f32(x, policy);
    case Dtype::fp8_exp4:
      return fp8_exp4_from_f32(x, policy);
    case Dtype::fp8_exp5:
      return fp8_exp5_from_f32(x, policy);
    default:
      break;
  }
  const DtypeRow& row = dtype_row(t);
  if (row.kind != DtypeKind::floating) return 0;
  return encode_float(row.format, x, policy.fp_saturate);
}

constexpr std::uint64_t element_mask(Dtype t) {
  const unsigned width = dtype_bits(t);
  return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

// Copy and Cast: equal types move the bits, different ones go through FP32, integers too (D-28).
constexpr std::uint64_t convert(Dtype from, std::uint64_t bits, Dtype to, const NumericPolicy& policy = {}) {
  return from == to ? bits & element_mask(from) : narrow(to, widen(from, bits, policy), policy);
}

}  // namespace act
