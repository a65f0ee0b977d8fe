// The tile data types: one row each (04 section 4). The codes are a numbering of their own; what a type
// shares with the activation engine's data types is taken from there.
#pragma once

#include <cstdint>
#include <string_view>

#include "act/numeric/dtype.h"

namespace act::tile {

// A 64-bit carrier; an element occupies its low bits.
using Word = std::uint64_t;

constexpr Word low_bits(unsigned n) { return n >= 64 ? ~Word{0} : (Word{1} << n) - 1; }

struct TileType {
  std::uint8_t code;
  std::string_view name;
  std::uint8_t bits;       // of one element
  DtypeKind kind;          // none: the type has a name here and nothing else
  FloatFormat format;      // of floating types: widths and meaning of the largest exponent
  std::uint8_t zero_bits;  // low bits of the element that a valid encoding keeps at zero
  bool rectified;          // TRELU accepts it: the one place that says so (T-01)

  constexpr Word element_mask() const { return low_bits(bits); }
  constexpr bool floating() const { return kind == DtypeKind::floating; }
  constexpr Word sign_mask() const { return Word{1} << (bits - 1); }

  // Floating types only.
  constexpr Word must_be_zero_mask() const { return low_bits(zero_bits); }
  constexpr Word fraction_mask() const { return low_bits(format.mantissa_bits) << zero_bits; }
  constexpr Word exponent_mask() const {
    return low_bits(format.exponent_bits) << (format.mantissa_bits + zero_bits);
  }
  // 0 when every NaN is quiet.
  constexpr Word quiet_bit() const {
    return format.has_infinity() ? Word{1} << (format.mantissa_bits - 1 + zero_bits) : 0;
  }
  constexpr Word canonical_nan() const {
    return format.has_infinity() ? exponent_mask() | quiet_bit() : exponent_mask() | fraction_mask();
  }
  // The smallest pattern above the finite numbers: infinity, or the only NaN.
  constexpr Word first_special() const { return format.has_infinity() ? exponent_mask() : canonical_nan(); }
};

namespace detail {
// A type that the activation engine has too: width, kind and format are those of its row.
constexpr TileType shared(std::uint8_t code, std::string_view name, Dtype dtype, bool rectified) {
  const DtypeRow& row = dtype_row(dtype);
  return {code, name, row.bits, row.kind, row.format, 0, rectified};
}
constexpr TileType floating(std::uint8_t code, std::string_view name, std::uint8_t bits, FloatFormat format,
                            std::uint8_t zero_bits, bool rectified) {
  return {code, name, bits, DtypeKind::floating, format, zero_bits, rectified};
}
constexpr TileType opaque(std::uint8_t code, std::string_view name, std::uint8_t bits) {
  return {code, name, bits, DtypeKind::none, {}, 0, false};
}
}  // namespace detail

inline constexpr TileType kTypes[] = {
    detail::floating(0, "FP64", 64, {1, 11, 52, 1023, TopExponent::inf_and_nan}, 0, true),
    detail::shared(1, "FP32", Dtype::fp32, true),
    // The two shortened forms of FP32 keep its word and leave low fraction bits at zero.
    detail::floating(2, "TF32", 32, {1, 8, 10, 127, TopExponent::inf_and_nan}, 13, true),
    detail::floating(3, "HF32", 32, {1, 8, 11, 127, TopExponent::inf_and_nan}, 12, true),
    detail::shared(4, "FP16", Dtype::fp16, true),
    detail::shared(5, "BF16", Dtype::bfloat16, true),
    detail::opaque(6, "HiF8", 8),
    detail::floating(7, "E4M3", 8, kFp8Exp4Ocp, 0, true),
    detail::shared(8, "E5M2", Dtype::fp8_exp5, true),
    detail::opaque(9, "E3M2", 8),
    detail::opaque(10, "E2M3", 8),
    detail::opaque(11, "E2M1X2", 4),
    detail::opaque(12, "E1M2X2", 4),
    detail::opaque(13, "E8M0", 8),
    detail::opaque(14, "HiF4X2", 4),
    detail::shared(16, "S64", Dtype::int64, true),
    detail::shared(17, "S32", Dtype::int32, true),
    detail::shared(18, "S16", Dtype::int16, true),
    detail::shared(19, "S8", Dtype::int8, true),
    detail::opaque(20, "S4X2", 4),
    detail::shared(24, "U64", Dtype::uint64, true),
    detail::shared(25, "U32", Dtype::uint32, true),
    detail::shared(26, "U16", Dtype::uint16, true),
    detail::shared(27, "U8", Dtype::uint8, true),
    detail::opaque(28, "U4X2", 4),
};

// B.DATR only: "the type of the start" (T-12).
inline constexpr std::uint8_t kDtypeNone = 31;

// Null for reserved codes and unknown names.
constexpr const TileType* find_type(std::uint64_t code) {
  for (const TileType& t : kTypes)
    if (t.code == code) return &t;
  return nullptr;
}
constexpr const TileType* find_type(std::string_view name) {
  for (const TileType& t : kTypes)
    if (t.name == name) return &t;
  return nullptr;
}

}  // namespace act::tile
