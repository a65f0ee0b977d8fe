// The element rules of 04 sections 4.1, 5.3 and 8 in the plainest form: literal masks, one class after
// another. Shares nothing with the library.
#pragma once

#include <cstdint>
#include <string_view>

namespace act::tile::plain {

using U64 = std::uint64_t;

struct Float {
  std::string_view name;
  unsigned bits;
  U64 sign, exponent, fraction, quiet, nan, zero, max, min;
};
inline constexpr Float kFloats[] = {
    {"FP16", 16, 0x8000, 0x7C00, 0x03FF, 0x0200, 0x7E00, 0, 0x7BFF, 0xFBFF},
    {"BF16", 16, 0x8000, 0x7F80, 0x007F, 0x0040, 0x7FC0, 0, 0x7F7F, 0xFF7F},
    {"FP32", 32, 0x80000000, 0x7F800000, 0x007FFFFF, 0x00400000, 0x7FC00000, 0, 0x7F7FFFFF, 0xFF7FFFFF},
    {"TF32", 32, 0x80000000, 0x7F800000, 0x007FE000, 0x00400000, 0x7FC00000, 0x1FFF, 0x7F7FE000, 0xFF7FE000},
    {"HF32", 32, 0x80000000, 0x7F800000, 0x007FF000, 0x00400000, 0x7FC00000, 0x0FFF, 0x7F7FF000, 0xFF7FF000},
    {"FP64", 64, 0x8000000000000000, 0x7FF0000000000000, 0x000FFFFFFFFFFFFF, 0x0008000000000000,
     0x7FF8000000000000, 0, 0x7FEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF},
    {"E5M2", 8, 0x80, 0x7C, 0x03, 0x02, 0x7E, 0, 0x7B, 0xFB},
    {"E4M3", 8, 0x80, 0x78, 0x07, 0, 0x7F, 0, 0x7E, 0xFE},
};

struct Integer {
  std::string_view name;
  unsigned bits;
  bool is_signed;
  U64 max, min;
};
inline constexpr Integer kIntegers[] = {
    {"S8", 8, true, 0x7F, 0x80},
    {"S16", 16, true, 0x7FFF, 0x8000},
    {"S32", 32, true, 0x7FFFFFFF, 0x80000000},
    {"S64", 64, true, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000},
    {"U8", 8, false, 0xFF, 0},
    {"U16", 16, false, 0xFFFF, 0},
    {"U32", 32, false, 0xFFFFFFFF, 0},
    {"U64", 64, false, 0xFFFFFFFFFFFFFFFF, 0},
};

struct Value {
  U64 result;
  bool invalid;
};

inline U64 keep(U64 w, unsigned bits) { return bits == 64 ? w : w & ((U64{1} << bits) - 1); }

inline Value value_of(const Float& f, U64 w) {
  w = keep(w, f.bits);
  const U64 exponent = w & f.exponent, fraction = w & f.fraction;
  bool quiet = false, signaling = false;
  if (f.name == "E4M3") {
    quiet = (w & 0x7F) == 0x7F;
  } else if (exponent == f.exponent && fraction != 0) {
    quiet = (w & f.quiet) != 0;
    signaling = !quiet;
  }
  if (signaling) return {f.nan, true};
  if (quiet) return {f.nan, false};
  if ((w & f.sign) != 0) return {0, false};
  return {w, false};
}
inline Value value_of(const Integer& i, U64 w) {
  w = keep(w, i.bits);
  if (i.is_signed && (w >> (i.bits - 1) & 1) == 1) return {0, false};
  return {w, false};
}

inline Value value(std::string_view type, U64 w) {
  for (const Float& f : kFloats)
    if (f.name == type) return value_of(f, w);
  for (const Integer& i : kIntegers)
    if (i.name == type) return value_of(i, w);
  return {0xBAD, true};
}
inline bool valid_encoding(std::string_view type, U64 w) {
  for (const Float& f : kFloats)
    if (f.name == type) return (w & f.zero) == 0;
  return true;
}
inline unsigned bits_of(std::string_view type) {
  for (const Float& f : kFloats)
    if (f.name == type) return f.bits;
  for (const Integer& i : kIntegers)
    if (i.name == type) return i.bits;
  return 0;  // not a rectified type
}

}  // namespace act::tile::plain
