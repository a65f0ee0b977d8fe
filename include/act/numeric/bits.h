// Float values and their bit patterns, and the roundings that C++ would otherwise do silently.
#pragma once

#include <bit>
#include <cstdint>

namespace act {

static_assert(sizeof(float) == 4 && sizeof(double) == 8,
              "the product computes on IEEE 754 binary32 and binary64");

inline constexpr std::uint32_t kSignF32 = 0x80000000u;
inline constexpr std::uint32_t kInfF32 = 0x7F800000u;
inline constexpr std::uint32_t kNanF32 = 0x7FC00000u;  // the canonical NaN (D-25)
inline constexpr std::uint32_t kMaxFiniteF32 = 0x7F7FFFFFu;

constexpr std::uint32_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }
constexpr std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }
constexpr float f32(std::uint32_t bits) { return std::bit_cast<float>(bits); }
constexpr double f64(std::uint64_t bits) { return std::bit_cast<double>(bits); }

inline constexpr float kCanonicalNan = std::bit_cast<float>(kNanF32);

constexpr bool is_nan_bits(std::uint32_t bits) { return (bits & ~kSignF32) > kInfF32; }
constexpr bool is_inf_bits(std::uint32_t bits) { return (bits & ~kSignF32) == kInfF32; }
constexpr bool is_nan(float x) { return is_nan_bits(bits_of(x)); }
constexpr bool is_inf(float x) { return is_inf_bits(bits_of(x)); }
constexpr bool sign_bit(float x) { return (bits_of(x) & kSignF32) != 0; }

// Any NaN becomes the canonical one: processors differ in the sign and payload of the NaN they produce.
constexpr float canonical(float x) { return is_nan(x) ? kCanonicalNan : x; }

// binary64 to binary32, to nearest even. The name marks the one rounding of a computation done in binary64;
// everything before it must be exact or within the error that the caller has argued for.
constexpr float round_to_f32(double x) { return static_cast<float>(x); }

// To the nearest integer, ties to even. Adding 2^23 pushes the fraction out of the significand, so the
// addition itself rounds; from 2^23 on every binary32 value is an integer already. Sign of zero and NaN are
// kept.
constexpr float round_to_integer(float x) {
  const std::uint32_t sign = bits_of(x) & kSignF32;
  const float magnitude = f32(bits_of(x) & ~kSignF32);
  if (!(magnitude < 8388608.0f)) return x;
  return f32(bits_of((magnitude + 8388608.0f) - 8388608.0f) | sign);
}

// Towards zero; sign of zero and NaN are kept.
constexpr float truncate_to_integer(float x) {
  const std::uint32_t sign = bits_of(x) & kSignF32;
  const float magnitude = f32(bits_of(x) & ~kSignF32);
  if (!(magnitude < 8388608.0f)) return x;
  return f32(bits_of(static_cast<float>(static_cast<std::uint32_t>(magnitude))) | sign);
}

// Shifts right and rounds the shifted-out part to nearest, ties to even. shift is 0..63.
constexpr std::uint64_t shift_right_rne(std::uint64_t x, unsigned shift) {
  if (shift == 0) return x;
  const std::uint64_t kept = x >> shift;
  const std::uint64_t rest = x & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  return kept + static_cast<std::uint64_t>(rest > half || (rest == half && (kept & 1) != 0));
}

}  // namespace act
