#include "act/tables/evaluate.h"

#include <cmath>
#include <limits>

namespace act {
namespace {

constexpr std::uint32_t kMantissaBits = 23, kMantissaMask = 0x7fffff, kExponentBias = 127;

struct Parts {
  bool negative;
  std::uint32_t exponent;  // biased
  std::uint32_t mantissa;
};

Parts decompose(float value) {
  const std::uint32_t bits = float_bits(value);
  return {(bits >> 31) != 0, (bits >> kMantissaBits) & 0xff, bits & kMantissaMask};
}

float canonical(float value) { return std::isnan(value) ? bits_float(kQuietNanBits) : value; }

bool takes_high(const ClampPoint& high, const Parts& p) {
  return p.exponent > high.sat_point || (p.exponent == high.sat_point && p.mantissa >= high.mantissa_point);
}

bool takes_low(const ClampPoint& low, const Parts& p) {
  return p.exponent < low.sat_point || (p.exponent == low.sat_point && p.mantissa <= low.mantissa_point);
}

// Step 5. The octaves of a side ascend in steps of one, so the exponent is an index.
const Section* look_up(const Side& side, const Parts& p) {
  if (side.octaves.empty()) return nullptr;
  const int index =
      static_cast<int>(p.exponent) - static_cast<int>(kExponentBias) - side.octaves.front().exponent;
  if (index < 0 || static_cast<std::size_t>(index) >= side.octaves.size()) return nullptr;
  const Octave& octave = side.octaves[static_cast<std::size_t>(index)];
  const std::uint32_t section = p.mantissa >> (kMantissaBits - octave.extract_size);
  return section < octave.sections.size() ? &octave.sections[section] : nullptr;
}

struct Outcome {
  float value;
  EvalPath path;
  float selected;
  bool reconstructed;
  const Section* cubic;
};

Outcome special(float value) { return {value, EvalPath::special, 0, false, nullptr}; }

inline Outcome evaluate_steps(const FunctionTable& table, float v, const EvalPolicy& policy, float alpha) {
  // Step 8: the slope is an operand of the instruction, no table takes part.
  if (table.fma_indirection_src_sel == kParametricSelector && policy.parametric == ParametricPolicy::direct)
    return {v > 0 ? v : canonical(v * alpha), EvalPath::direct, v, false, nullptr};

  // Step 1: special values.
  if (v == 0) return special(table.specials.zero);
  if (std::fabs(v) > std::numeric_limits<float>::max())
    return special(v > 0 ? table.specials.pinf : table.specials.ninf);
  if (std::isnan(v))
    return special(policy.nan == NanPolicy::nan_result ? table.specials.nan : bits_float(kQuietNanBits));

  // Steps 2 to 5: fold, clamp tests, lookup.
  const float selected = fold(table, v);
  EvalPath path = EvalPath::unhandled;
  const Section* cubic = find_section(table, selected, path);
  if (cubic == nullptr) return {bits_float(kQuietNanBits), path, selected, false, nullptr};

  // Step 6: the cubic.
  float result = evaluate_cubic(*cubic, selected);

  // Step 7: undo the fold.
  const bool mirrored = policy.recon == ReconPolicy::literal ? v < 0 : (v < 0) != (selected < 0);
  const bool reconstruct = table.symmetry.enabled && mirrored;
  if (reconstruct) {
    if (table.symmetry.invert_sign) result = -result;
    result = result + table.symmetry.point;
  }
  return {canonical(result), path, selected, reconstruct, cubic};
}

// Position of `cubic` among the function's records: sections of both sides, then the four slots.
std::uint32_t record_index(const FunctionTable& table, const Section* cubic) {
  std::uint32_t base = 0;
  for (const Side* side : {&table.neg, &table.pos}) {
    for (const Octave& octave : side->octaves) {
      for (const Section& s : octave.sections) {
        if (&s == cubic) return base;
        ++base;
      }
    }
  }
  for (const ClampPoint* slot : {&table.pos.low, &table.neg.low, &table.pos.high, &table.neg.high}) {
    if (&slot->section == cubic) return base;
    ++base;
  }
  return base;
}

}  // namespace

std::string_view path_name(EvalPath path) {
  switch (path) {
    case EvalPath::special:
      return "special";
    case EvalPath::clamp_low:
      return "clamp_low";
    case EvalPath::clamp_high:
      return "clamp_high";
    case EvalPath::section:
      return "section";
    case EvalPath::direct:
      return "direct";
    case EvalPath::unhandled:
      return "unhandled";
  }
  return "unhandled";
}

float fold(const FunctionTable& table, float v) {
  if (!table.symmetry.enabled) return v;
  return table.symmetry.use_neg_region ? -std::fabs(v) : std::fabs(v);
}

const Section* find_section(const FunctionTable& table, float selected, EvalPath& path) {
  const Parts p = decompose(selected);
  const Side& side = table.side(p.negative);
  if (takes_high(side.high, p)) {
    path = EvalPath::clamp_high;
    return &side.high.section;
  }
  if (takes_low(side.low, p)) {
    path = EvalPath::clamp_low;
    return &side.low.section;
  }
  const Section* found = look_up(side, p);
  path = found != nullptr ? EvalPath::section : EvalPath::unhandled;
  return found;
}

float evaluate(const FunctionTable& table, float v, const EvalPolicy& policy, float alpha) {
  return evaluate_steps(table, v, policy, alpha).value;
}

EvalTrace evaluate_traced(const FunctionTable& table, float v, const EvalPolicy& policy, float alpha) {
  const Outcome o = evaluate_steps(table, v, policy, alpha);
  EvalTrace trace{o.value, o.path, o.selected, decompose(o.selected).negative, o.reconstructed, 0, o.cubic};
  if (o.cubic != nullptr) trace.record = record_index(table, o.cubic);
  return trace;
}

float prescale(float in, float scale, float bias) {
  const float scaled = in * scale;
  return scaled + bias;
}

bool outside_bounds(const FunctionTable& table, float v) {
  if (v == 0 || !std::isfinite(v)) return false;
  if (table.lower_bound == 0 && table.upper_bound == 0) return false;
  const float selected = fold(table, v);
  return !(selected >= table.lower_bound && selected <= table.upper_bound);
}

}  // namespace act
