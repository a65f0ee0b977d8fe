// TRELU itself: what it accepts and what it computes (04 sections 4, 7.2 and 8). Negative numbers, negative
// infinity and negative zero become zero, NaN the type's quiet NaN, everything else stays.
#pragma once

#include "act/tile/state.h"

namespace act::tile {

// One of the sixteen types (T-01).
constexpr bool data_type_supported(const TileType& type) { return type.rectified; }

// Commit check 7: every field zero except the padding.
constexpr bool datr_fields_legal(const DataAttributes& a) {
  return a.cmode == 0 && a.sat == 0 && a.canonicalize == 0 && a.data_type == 0 && a.rmode == 0 &&
         a.layout == 0;
}

constexpr bool is_nan(const TileType& type, Word w) {
  const Word exponent = w & type.exponent_mask(), fraction = w & type.fraction_mask();
  if (exponent != type.exponent_mask()) return false;
  return type.format.has_infinity() ? fraction != 0 : fraction == type.fraction_mask();
}
constexpr bool is_signaling_nan(const TileType& type, Word w) {
  return is_nan(type, w) && type.quiet_bit() != 0 && (w & type.quiet_bit()) == 0;
}
// False for a set bit that the type keeps at zero (TF32, HF32); integers have no invalid encoding.
constexpr bool encoding_valid(const TileType& type, Word w) {
  return !type.floating() || (w & type.must_be_zero_mask()) == 0;
}

struct Rectified {
  Word result;
  bool invalid;  // a signaling NaN came in
  friend constexpr bool operator==(const Rectified&, const Rectified&) = default;
};

// The value of one element; only the low element bits of `w` count and the result is zero-extended.
// Precondition: data_type_supported(type). An invalid encoding, which no block lets through, is treated by
// the same masks.
constexpr Rectified rectify(const TileType& type, Word w) {
  w &= type.element_mask();
  if (type.floating() && is_nan(type, w)) return {type.canonical_nan(), is_signaling_nan(type, w)};
  if (type.kind != DtypeKind::unsigned_integer && (w & type.sign_mask()) != 0) return {0, false};
  return {w, false};
}

// Largest and smallest number of a rectified type, finite ones for floating types.
constexpr Word max_value(const TileType& type) {
  if (type.floating()) return type.first_special() - (Word{1} << type.zero_bits);
  return type.kind == DtypeKind::signed_integer ? type.sign_mask() - 1 : type.element_mask();
}
constexpr Word min_value(const TileType& type) {
  if (type.floating()) return type.sign_mask() | max_value(type);
  return type.kind == DtypeKind::signed_integer ? type.sign_mask() : 0;
}

// Commit checks 14 to 18 and the type: may `source` be rectified into a tile of shape `destination`? Nothing
// when it may.
Verdict check_operands(const Descriptor& destination, const Register& source, std::uint64_t tile_capacity);

// The rectified copy of a source: valid rectangle, padding, definedness. `flags` gets NV when a signaling NaN
// was read. Precondition: check_operands accepted.
Register rectified_tile(const Descriptor& destination, const Register& source, Pad pad, std::uint8_t mask,
                        std::uint8_t& flags);

// The one-level form on two configured registers (04 section 7.3); dst == src is legal. Precondition of
// execute: operands_legal.
bool operands_legal(const State& state, unsigned dst, unsigned src);
void execute(State& state, unsigned dst, unsigned src, Pad pad);

}  // namespace act::tile
