// The data types of the instruction set: one row each, and what instructions may ask of them (01 section 5).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "act/numeric/generation.h"

namespace act {

// The DTYPE codes of 01 section 5.1. 0x17 and 0x18 are unassigned.
enum class Dtype : std::uint8_t {
  invalid = 0x00,
  uint64 = 0x01,
  int8 = 0x02,
  uint8 = 0x03,
  int16 = 0x04,
  uint16 = 0x05,
  bfloat16 = 0x06,
  fp16 = 0x07,
  int32 = 0x08,
  uint32 = 0x09,
  fp32 = 0x0A,
  fp32r = 0x0B,
  int64 = 0x0C,
  fp8_exp3 = 0x0D,
  fp8_exp4 = 0x0E,
  fp8_exp5 = 0x0F,
  fp4_exp2 = 0x10,
  fp8_exp2 = 0x11,
  int4 = 0x12,
  sfp8_e8 = 0x13,
  sfp8_e7 = 0x14,
  sfp8_e6 = 0x15,
  sfp8_e5 = 0x16,
  cptc1 = 0x19,
  cptc2 = 0x1A,
  cptc3 = 0x1B,
  cptc4 = 0x1C,
  cptc5 = 0x1D,
  cptc6 = 0x1E,
  cptc7 = 0x1F,
};

enum class DtypeKind : std::uint8_t { none, signed_integer, unsigned_integer, floating, transport };

// What an instruction may use the type for.
enum class DtypeRole : std::uint8_t {
  sentinel,       // never a type of data
  compute,        // source and destination
  gated_compute,  // only where the instruction admits 64-bit integers
  output_only,    // destination only
  mx_element,     // element of a scaled block
  scale_only,     // scale of a block
  transport_only  // moved, never computed with
};

// What the codes with the largest exponent mean.
enum class TopExponent : std::uint8_t {
  inf_and_nan,  // IEEE style: mantissa zero is infinity, the others NaN
  one_nan,      // the all-ones code is NaN, everything else finite
  finite        // everything is finite
};

// A float type as bits: sign (0 or 1), exponent and mantissa widths, and the meaning of the special codes.
struct FloatFormat {
  std::uint8_t sign_bits = 0, exponent_bits = 0, mantissa_bits = 0;
  std::int16_t bias = 0;
  TopExponent top = TopExponent::finite;
  bool subnormals = true;  // false: exponent 0 is an exponent like any other (SFP8_E8)

  constexpr unsigned magnitude_bits() const { return exponent_bits + unsigned{mantissa_bits}; }
  constexpr std::uint32_t magnitude_mask() const { return (1u << magnitude_bits()) - 1; }
  constexpr std::uint32_t sign_mask() const { return sign_bits != 0 ? 1u << magnitude_bits() : 0; }
  constexpr std::uint32_t mantissa_mask() const { return (1u << mantissa_bits) - 1; }
  // First code above the finite ones; it is infinity or NaN, or needs one more bit when everything is finite.
  constexpr std::uint32_t overflow_code() const {
    if (top == TopExponent::inf_and_nan) return magnitude_mask() & ~mantissa_mask();
    return magnitude_mask() + (top == TopExponent::finite ? 1 : 0);
  }
  constexpr std::uint32_t max_finite_code() const { return overflow_code() - 1; }
  constexpr bool has_infinity() const { return top == TopExponent::inf_and_nan; }
  // The NaN that conversions write (D-25); 0 when there is none.
  constexpr std::uint32_t nan_code() const {
    if (top == TopExponent::inf_and_nan) return overflow_code() | 1u << (mantissa_bits - 1);
    return top == TopExponent::one_nan ? magnitude_mask() : 0;
  }
};

struct DtypeRow {
  Dtype dtype;
  std::string_view name;                    // as in the books and in JSON
  std::string_view short_name;              // as the vendor's profiler prints it
  std::array<std::string_view, 3> aliases;  // also accepted where a type is read
  std::uint8_t bits;                        // storage of one element
  std::uint8_t alignment;  // bytes an address must be a multiple of; 0 = no address is aligned
  GenerationSet generations;
  DtypeKind kind;
  DtypeRole role;
  FloatFormat format;  // of floating types
  std::string_view doc;
};

namespace numeric_detail {
inline constexpr GenerationSet kAll = GenerationSet::all();
inline constexpr GenerationSet kV4 = GenerationSet::since(Generation::mariana);
inline constexpr GenerationSet kV5 = GenerationSet::since(Generation::maverick);
}  // namespace numeric_detail

// FP8_EXP4 under the policy fp8_mode = ocp (D-20); the row below is the default, fp8_mode = neuron.
inline constexpr FloatFormat kFp8Exp4Ocp = {1, 4, 3, 7, TopExponent::one_nan};

// clang-format off
inline constexpr DtypeRow kDtypeRows[] = {
    // dtype, name, short name, aliases, bits, alignment, generations, kind, role, {sign, exponent, mantissa, bias, top}
    {Dtype::invalid,  "INVALID",  "invalid",  {},                          0, 0, numeric_detail::kAll, DtypeKind::none, DtypeRole::sentinel, {}, "Never a type of data."},
    {Dtype::uint64,   "UINT64",   "uint64",   {"u64"},                    64, 8, numeric_detail::kAll, DtypeKind::unsigned_integer, DtypeRole::gated_compute, {}, "Unsigned integer; only where an instruction admits 64-bit types."},
    {Dtype::int8,     "INT8",     "int8",     {"i8", "s8"},                8, 1, numeric_detail::kAll, DtypeKind::signed_integer, DtypeRole::compute, {}, "Two's complement integer."},
    {Dtype::uint8,    "UINT8",    "uint8",    {"u8"},                      8, 1, numeric_detail::kAll, DtypeKind::unsigned_integer, DtypeRole::compute, {}, "Unsigned integer."},
    {Dtype::int16,    "INT16",    "int16",    {"i16", "s16"},             16, 2, numeric_detail::kAll, DtypeKind::signed_integer, DtypeRole::compute, {}, "Two's complement integer."},
    {Dtype::uint16,   "UINT16",   "uint16",   {"u16"},                    16, 2, numeric_detail::kAll, DtypeKind::unsigned_integer, DtypeRole::compute, {}, "Unsigned integer."},
    {Dtype::bfloat16, "BFLOAT16", "bfloat16", {"bf16"},                   16, 2, numeric_detail::kAll, DtypeKind::floating, DtypeRole::compute, {1, 8, 7, 127, TopExponent::inf_and_nan}, "The upper half of FP32."},
    {Dtype::fp16,     "FP16",     "fp16",     {"f16", "float16", "half"}, 16, 2, numeric_detail::kAll, DtypeKind::floating, DtypeRole::compute, {1, 5, 10, 15, TopExponent::inf_and_nan}, "IEEE 754 binary16."},
    {Dtype::int32,    "INT32",    "int32",    {"i32", "s32"},             32, 4, numeric_detail::kAll, DtypeKind::signed_integer, DtypeRole::compute, {}, "Two's complement integer."},
    {Dtype::uint32,   "UINT32",   "uint32",   {"u32"},                    32, 4, numeric_detail::kAll, DtypeKind::unsigned_integer, DtypeRole::compute, {}, "Unsigned integer; also carries opaque words."},
    {Dtype::fp32,     "FP32",     "fp32",     {"f32", "float32"},         32, 4, numeric_detail::kAll, DtypeKind::floating, DtypeRole::compute, {1, 8, 23, 127, TopExponent::inf_and_nan}, "IEEE 754 binary32, through which every conversion goes."},
    {Dtype::fp32r,    "FP32R",    "fp32r",    {"f32r", "fp22"},           32, 4, numeric_detail::kAll, DtypeKind::floating, DtypeRole::output_only, {1, 8, 23, 127, TopExponent::inf_and_nan}, "FP32 rounded to 13 mantissa bits and kept in an FP32 word."},
    {Dtype::int64,    "INT64",    "int64",    {"i64", "s64"},             64, 8, numeric_detail::kAll, DtypeKind::signed_integer, DtypeRole::gated_compute, {}, "Two's complement integer; only where an instruction admits 64-bit types."},
    {Dtype::fp8_exp3, "FP8_EXP3", "fp8_exp3", {"fp8e3", "f8e3", "e3m4"},   8, 1, numeric_detail::kAll, DtypeKind::floating, DtypeRole::compute, {1, 3, 4, 3, TopExponent::inf_and_nan}, "E3M4 with infinity, up to 15.5."},
    {Dtype::fp8_exp4, "FP8_EXP4", "fp8_exp4", {"fp8e4", "f8e4", "e4m3"},   8, 1, numeric_detail::kAll, DtypeKind::floating, DtypeRole::compute, {1, 4, 3, 7, TopExponent::inf_and_nan}, "E4M3: with infinity up to 240, or up to 448 without it under fp8_mode = ocp."},
    {Dtype::fp8_exp5, "FP8_EXP5", "fp8_exp5", {"fp8e5", "f8e5", "e5m2"},   8, 1, numeric_detail::kAll, DtypeKind::floating, DtypeRole::compute, {1, 5, 2, 15, TopExponent::inf_and_nan}, "E5M2 with infinity, up to 57344."},
    {Dtype::fp4_exp2, "FP4_EXP2", "fp4_exp2", {"fp4", "e2m1"},             4, 1, numeric_detail::kV4, DtypeKind::floating, DtypeRole::mx_element, {1, 2, 1, 1, TopExponent::finite}, "E2M1, all codes finite, up to 6; two in a byte, low nibble first."},
    {Dtype::fp8_exp2, "FP8_EXP2", "fp8_exp2", {"fp8e2", "e2m5"},           8, 1, numeric_detail::kV5, DtypeKind::floating, DtypeRole::mx_element, {1, 2, 5, 1, TopExponent::finite}, "E2M5, all codes finite, up to 7.875."},
    {Dtype::int4,     "INT4",     "int4",     {"i4", "s4"},                4, 0, numeric_detail::kV5, DtypeKind::signed_integer, DtypeRole::mx_element, {}, "Two's complement nibble; two in a byte, low nibble first."},
    {Dtype::sfp8_e8,  "SFP8_E8",  "sfp8_e8",  {"e8m0"},                    8, 0, numeric_detail::kV5, DtypeKind::floating, DtypeRole::scale_only, {0, 8, 0, 127, TopExponent::one_nan, false}, "A power of two from 2^-127 to 2^127."},
    {Dtype::sfp8_e7,  "SFP8_E7",  "sfp8_e7",  {"e7m1"},                    8, 0, numeric_detail::kV5, DtypeKind::floating, DtypeRole::scale_only, {0, 7, 1, 63, TopExponent::one_nan}, "Unsigned float, 7 exponent bits."},
    {Dtype::sfp8_e6,  "SFP8_E6",  "sfp8_e6",  {"e6m2"},                    8, 0, numeric_detail::kV5, DtypeKind::floating, DtypeRole::scale_only, {0, 6, 2, 31, TopExponent::one_nan}, "Unsigned float, 6 exponent bits."},
    {Dtype::sfp8_e5,  "SFP8_E5",  "sfp8_e5",  {"e5m3"},                    8, 0, numeric_detail::kV5, DtypeKind::floating, DtypeRole::scale_only, {0, 5, 3, 15, TopExponent::one_nan}, "Unsigned float, 5 exponent bits."},
    {Dtype::cptc1,    "CPTC1",    "cptc1",    {},                          1, 0, numeric_detail::kV4, DtypeKind::transport, DtypeRole::transport_only, {}, "Trellis-coded weights, 1 bit an element."},
    {Dtype::cptc2,    "CPTC2",    "cptc2",    {},                          2, 0, numeric_detail::kV4, DtypeKind::transport, DtypeRole::transport_only, {}, "Trellis-coded weights, 2 bits an element."},
    {Dtype::cptc3,    "CPTC3",    "cptc3",    {},                          3, 0, numeric_detail::kV4, DtypeKind::transport, DtypeRole::transport_only, {}, "Trellis-coded weights, 3 bits an element."},
    {Dtype::cptc4,    "CPTC4",    "cptc4",    {},                          4, 0, numeric_detail::kV4, DtypeKind::transport, DtypeRole::transport_only, {}, "Trellis-coded weights, 4 bits an element."},
    {Dtype::cptc5,    "CPTC5",    "cptc5",    {},                          5, 0, numeric_detail::kV4, DtypeKind::transport, DtypeRole::transport_only, {}, "Trellis-coded weights, 5 bits an element."},
    {Dtype::cptc6,    "CPTC6",    "cptc6",    {},                          6, 0, numeric_detail::kV4, DtypeKind::transport, DtypeRole::transport_only, {}, "Trellis-coded weights, 6 bits an element."},
    {Dtype::cptc7,    "CPTC7",    "cptc7",    {},                          7, 0, numeric_detail::kV4, DtypeKind::transport, DtypeRole::transport_only, {}, "Trellis-coded weights, 7 bits an element."},
};
// clang-format on

constexpr unsigned code_of(Dtype t) { return static_cast<unsigned>(t); }

namespace numeric_detail {
// Position of a code's row plus one; 0 for codes without one.
inline constexpr auto kDtypeIndex = [] {
  std::array<std::uint8_t, 256> index{};
  std::uint8_t position = 0;
  for (const DtypeRow& row : kDtypeRows) index[code_of(row.dtype)] = ++position;
  return index;
}();
}  // namespace numeric_detail

// Null for the unassigned codes.
constexpr const DtypeRow* find_dtype(std::uint8_t code) {
  const std::uint8_t position = numeric_detail::kDtypeIndex[code];
  return position == 0 ? nullptr : &kDtypeRows[position - 1];
}

// By name, short name or alias, letter case ignored; null when nothing is called so.
constexpr const DtypeRow* find_dtype(std::string_view name) {
  for (const DtypeRow& row : kDtypeRows)
    if (numeric_detail::named(name, row.name, row.aliases) || numeric_detail::same_name(name, row.short_name))
      return &row;
  return nullptr;
}

// A value without a row (an unassigned code that was cast) reads as INVALID.
constexpr const DtypeRow& dtype_row(Dtype t) {
  const auto code = static_cast<std::uint8_t>(t);
  const std::uint8_t position = numeric_detail::kDtypeIndex[code];
  return kDtypeRows[position == 0 ? 0 : position - 1];
}

constexpr std::string_view dtype_name(Dtype t) { return dtype_row(t).name; }

// Bits and whole bytes of one element; two 4-bit elements share a byte, so theirs is 0 bytes. CPTC types are
// packed bits and have no byte size either.
constexpr unsigned dtype_bits(Dtype t) { return dtype_row(t).bits; }
constexpr unsigned dtype_bytes(Dtype t) { return dtype_row(t).bits / 8; }
constexpr bool type_size_check(Dtype t, unsigned bytes) { return bytes != 0 && dtype_bytes(t) == bytes; }

constexpr bool dtype_exists(Dtype t, Generation g) {
  const DtypeRow* row = find_dtype(static_cast<std::uint8_t>(t));
  return row != nullptr && row->generations.contains(g);
}

// Bytes an address must be a multiple of; 0 when the generation lacks the type or gives it no alignment
// (D-19).
constexpr unsigned dtype_alignment(Dtype t, Generation g) {
  return dtype_exists(t, g) ? dtype_row(t).alignment : 0u;
}
constexpr bool addr_aligned_dtype(std::uint32_t address, Dtype t, Generation g) {
  const unsigned alignment = dtype_alignment(t, g);
  return alignment != 0 && address % alignment == 0;
}

constexpr bool is_cptc(std::uint8_t code) { return (code & 0xF8) == 0x18 && (code & 7) != 0; }
constexpr bool is_cptc(Dtype t) { return is_cptc(static_cast<std::uint8_t>(t)); }

constexpr bool is_signed_int(Dtype t) {
  return t == Dtype::int8 || t == Dtype::int16 || t == Dtype::int32 || t == Dtype::int64;
}
constexpr bool is_unsigned_int(Dtype t) {
  return t == Dtype::uint8 || t == Dtype::uint16 || t == Dtype::uint32 || t == Dtype::uint64;
}
constexpr bool is_valid_int_dtype(Dtype t) { return is_signed_int(t) || is_unsigned_int(t); }
constexpr bool is_valid_32b_int_dtype(Dtype t) { return t == Dtype::int32 || t == Dtype::uint32; }
constexpr bool is_valid_64b_int_dtype(Dtype t) { return t == Dtype::int64 || t == Dtype::uint64; }
constexpr bool is_valid_int_dtype_datapath(Dtype t) {
  return is_valid_int_dtype(t) && !is_valid_64b_int_dtype(t);
}
constexpr bool is_valid_fp_dtype_datapath(Dtype t, bool allow_fp32r) {
  const DtypeRow& row = dtype_row(t);
  return row.kind == DtypeKind::floating &&
         (row.role == DtypeRole::compute || (allow_fp32r && row.role == DtypeRole::output_only));
}
constexpr bool is_fp8(Dtype t) {
  return t == Dtype::fp8_exp3 || t == Dtype::fp8_exp4 || t == Dtype::fp8_exp5;
}
constexpr bool is_valid_mx_dtype(Dtype t) { return is_fp8(t) || dtype_row(t).role == DtypeRole::mx_element; }

// What an instruction admits beyond the plain types.
struct DtypeAllow {
  bool fp32r = false, uint64 = false, int64 = false, fp4 = false;
};

// The named sub-checks of 01 section 5.3, in the order they are made; `none` = the type is valid.
enum class DtypeFault : std::uint8_t { none, invalid, fp32r, uint64, int64, four_bit, scale, membership };

constexpr std::string_view dtype_fault_name(DtypeFault fault) {
  constexpr std::string_view names[] = {"",
                                        "dtype_invalid_check",
                                        "dtype_fp32r_illegal_check",
                                        "dtype_uint64_illegal_check",
                                        "dtype_int64_illegal_check",
                                        "dtype_4bit_illegal_check",
                                        "dtype_scale_illegal_check",
                                        "dtype_membership_check"};
  return names[static_cast<unsigned>(fault)];
}

// First failing sub-check of is_valid_dtype / is_valid_dtype_64 / is_valid_dtype_inc_fp4 on a generation.
constexpr DtypeFault dtype_fault(Dtype t, Generation g, DtypeAllow allow = {}) {
  if (t == Dtype::invalid) return DtypeFault::invalid;
  if (t == Dtype::fp32r) return allow.fp32r ? DtypeFault::none : DtypeFault::fp32r;
  if (t == Dtype::uint64) return allow.uint64 ? DtypeFault::none : DtypeFault::uint64;
  if (t == Dtype::int64) return allow.int64 ? DtypeFault::none : DtypeFault::int64;
  if (t == Dtype::fp4_exp2 && g == Generation::mariana && allow.fp4) return DtypeFault::none;
  if (g == Generation::maverick) {
    if (dtype_bits(t) == 4 && !is_cptc(t)) return DtypeFault::four_bit;
    if (dtype_row(t).role == DtypeRole::scale_only) return DtypeFault::scale;
    if (t == Dtype::fp8_exp2) return DtypeFault::none;
  }
  return dtype_row(t).role == DtypeRole::compute ? DtypeFault::none : DtypeFault::membership;
}

constexpr bool is_valid_dtype(Dtype t, Generation g, bool allow_fp32r) {
  return dtype_fault(t, g, {.fp32r = allow_fp32r}) == DtypeFault::none;
}
constexpr bool is_valid_dtype_64(Dtype t, Generation g, bool allow_fp32r, bool allow_uint64,
                                 bool allow_int64) {
  return dtype_fault(t, g, {.fp32r = allow_fp32r, .uint64 = allow_uint64, .int64 = allow_int64}) ==
         DtypeFault::none;
}
constexpr bool is_valid_dtype_inc_fp4(Dtype t, Generation g, bool allow_fp32r, bool allow_fp4) {
  return dtype_fault(t, g, {.fp32r = allow_fp32r, .fp4 = allow_fp4}) == DtypeFault::none;
}

// DTYPE_PAIR (01 section 5.2): two codes below 16 in one byte, kept as it stands on the wire.
struct DtypePair {
  std::uint8_t byte = 0;

  constexpr Dtype lo() const { return static_cast<Dtype>(byte & 15); }
  constexpr Dtype hi() const { return static_cast<Dtype>(byte >> 4); }
  // Precondition: both codes are below 16.
  static constexpr DtypePair of(Dtype lo, Dtype hi) {
    return {static_cast<std::uint8_t>((code_of(lo) & 15) | code_of(hi) << 4)};
  }
  friend constexpr bool operator==(DtypePair, DtypePair) = default;
};

// The compiler's own numbering of types, for reading its dumps (01 section 5.6).
struct CompilerDtypeRow {
  std::uint8_t ordinal;
  std::string_view name;
  Dtype before_v4, since_v4;  // the code on the wire
};
inline constexpr CompilerDtypeRow kCompilerDtypeRows[] = {
    {0, "u8", Dtype::uint8, Dtype::uint8},
    {1, "i8", Dtype::int8, Dtype::int8},
    {2, "fp4x4", Dtype::uint16, Dtype::fp4_exp2},
    {3, "f8e3", Dtype::fp8_exp3, Dtype::fp8_exp3},
    {4, "f8e4", Dtype::fp8_exp4, Dtype::fp8_exp4},
    {5, "e4m3fn", Dtype::fp8_exp4, Dtype::fp8_exp4},
    {6, "e8m0", Dtype::uint8, Dtype::uint8},
    {7, "f8e5", Dtype::fp8_exp5, Dtype::fp8_exp5},
    {8, "e4m3fnx4", Dtype::fp8_exp4, Dtype::fp8_exp4},
    {9, "e5m2x4", Dtype::fp8_exp5, Dtype::fp8_exp5},
    {10, "u16", Dtype::uint16, Dtype::uint16},
    {11, "i16", Dtype::int16, Dtype::int16},
    {12, "bf16", Dtype::bfloat16, Dtype::bfloat16},
    {13, "f16", Dtype::fp16, Dtype::fp16},
    {14, "u32", Dtype::uint32, Dtype::uint32},
    {15, "i32", Dtype::int32, Dtype::int32},
    {16, "f32", Dtype::fp32, Dtype::fp32},
    {17, "f32r", Dtype::fp32r, Dtype::fp32r},
    {18, "u64", Dtype::uint64, Dtype::uint64},
    {19, "i64", Dtype::int64, Dtype::int64},
};

// The numbering of the runtime's container interface; never on the instruction wire (01 section 5.6).
struct RuntimeDtypeRow {
  std::uint8_t ordinal;
  Dtype dtype;
};
inline constexpr RuntimeDtypeRow kRuntimeDtypeRows[] = {
    {1, Dtype::fp8_exp3}, {2, Dtype::fp8_exp4}, {3, Dtype::fp8_exp5}, {4, Dtype::fp16},
    {5, Dtype::fp32},     {6, Dtype::fp32r},    {11, Dtype::uint64},
};

}  // namespace act
