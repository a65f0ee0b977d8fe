#include "act/fit/frame.h"

#include <cmath>

namespace act::fit {
namespace {

// A magnitude pattern with its sign.
float signed_input(std::uint32_t magnitude, bool negative) {
  return bits_float(magnitude | (negative ? 0x80000000u : 0u));
}

Section resident_slot(const ResidentSlot& slot) {
  return {bits_float(slot[0]), bits_float(slot[1]), bits_float(slot[2]), 0, 0};
}

// Taylor cubic about x, terms above `degree` left out. The value 0 has no sign.
Section taylor_slot(const FunctionInfo& function, double x, std::uint32_t degree) {
  const std::array<float, 4> d = taylor_binary32(function, x);
  Section s{d[0] + 0.0F, d[1], d[2], d[3], static_cast<float>(x) + 0.0F};
  if (degree < 3) s.d3 = 0;
  if (degree < 2) s.d2 = 0;
  return s;
}

// The cubic about an input that stands for an exact point (pi): terms that vanish there are left out.
Section carried_slot(const FunctionInfo& function, float x) {
  Section s = taylor_slot(function, x, 3);
  for (float* d : {&s.d1, &s.d2, &s.d3})
    if (std::fabs(*d) < 0x1p-20F) *d = 0;
  return s;
}

void place_side(Side& side, const FunctionInfo& function, const SideStructure& cut, bool negative) {
  const Clamp& low = negative ? function.low_neg : function.low_pos;
  const Clamp& high = negative ? function.high_neg : function.high_pos;
  float low_edge = 0, high_edge = 0;
  side.low.sat_point = side.low.mantissa_point = side.high.sat_point = side.high.mantissa_point = 0;
  if (!cut.empty()) {
    side.low.sat_point = static_cast<std::uint32_t>(cut.lowest + 127);
    side.high.sat_point = cut.sat_point;
    side.high.mantissa_point = cut.mantissa_point;
    low_edge = bits_float(side.low.sat_point << 23);
    high_edge = bits_float(cut.sat_point << 23 | cut.mantissa_point);
  }
  side.low.section = clamp_section(function, low, negative, low_edge);
  side.high.section = clamp_section(function, high, negative, high_edge);
}

}  // namespace

FunctionTable table_frame(const FunctionInfo& function, int budget, IdSpace ids) {
  FunctionTable table;
  table.name = function.name;
  table.budget = static_cast<std::uint32_t>(budget);
  table.func_id = static_cast<std::uint32_t>(ids == IdSpace::tonga ? function.tonga_func_id() : function.neuron_code);
  table.symmetry = function.symmetry;
  table.specials = {bits_float(function.specials.zero), bits_float(function.specials.nan),
                    bits_float(function.specials.pinf), bits_float(function.specials.ninf)};
  table.imm_bias = function.imm_bias ? 1 : 0;
  table.fma_const0 = function.fma_const0;
  table.fma_indirection_src_sel = static_cast<std::uint32_t>(function.fma_selector);
  store_bounds(table, function);
  return table;
}

void store_bounds(FunctionTable& table, const FunctionInfo& function) {
  table.lower_bound = function.lower_bound;
  table.upper_bound = function.upper_bound;
  if (!function.symmetry.enabled) return;
  // A function with a pole at 0 has its documented range in magnitudes too.
  const float least = function.low_pos.rule == ClampRule::edge ? std::ldexp(1.0F, function.pos.lowest) : 0.0F;
  (function.symmetry.use_neg_region ? table.upper_bound : table.lower_bound) = least;
}

FunctionTable resident_table(const FunctionInfo& function, IdSpace ids) {
  FunctionTable table = table_frame(function, 1, ids);
  const Octave empty{-127, 0, {}};
  if (function.resident_words >= 1) table.pos.octaves = {empty};
  if (function.resident_words >= 2) table.neg.octaves = {empty};
  table.exponent_offset = function.resident_words == 0 ? kNoOctaveOffset : empty.exponent;
  table.pos.low.section = resident_slot(function.slots[0]);
  table.neg.low.section = resident_slot(function.slots[1]);
  table.pos.high.section = resident_slot(function.slots[2]);
  table.neg.high.section = resident_slot(function.slots[3]);
  // Every non-zero input takes the high slot; the mantissa threshold is 1 where the low one differs from it.
  for (Side* side : {&table.neg, &table.pos})
    side->high.mantissa_point = side->low.section == side->high.section ? 0 : 1;
  return table;
}

SectionRange section_range(int exponent, std::uint32_t extract_size, std::size_t index) {
  const std::uint32_t lsb = 23 - extract_size;
  const std::uint32_t lo =
      static_cast<std::uint32_t>(exponent + 127) << 23 | static_cast<std::uint32_t>(index) << lsb;
  return {lo, lo + (1u << lsb) - 1};
}

float breakpoint(const SectionRange& range, bool negative) {
  return signed_input((range.lo + range.hi) >> 1, negative);
}

Section clamp_section(const FunctionInfo& function, const Clamp& clamp, bool negative, float edge) {
  const float at = negative ? -edge : edge;
  switch (clamp.rule) {
    case ClampRule::none: return {};
    case ClampRule::constant: return {bits_float(clamp.bits), 0, 0, 0, 0};
    case ClampRule::edge: return {correctly_rounded(function, at), 0, 0, 0, 0};
    case ClampRule::identity: return {0, 1, 0, 0, 0};
    // The sign of zero picks the branch of a function that is pieced together at 0.
    case ClampRule::taylor: return taylor_slot(function, negative ? -0.0 : 0.0, clamp.bits);
    case ClampRule::chord: return {0, static_cast<float>(reference(function, at) / at), 0, 0, 0};
    case ClampRule::carry_on: return carried_slot(function, signed_input(clamp.bits, negative));
  }
  return {};
}

void place_clamps(FunctionTable& table, const FunctionInfo& function, const Structure& structure) {
  place_side(table.neg, function, structure.neg, true);
  place_side(table.pos, function, structure.pos, false);
  table.exponent_offset = structure.neg.empty() ? structure.pos.lowest : structure.neg.lowest;
}

}  // namespace act::fit
