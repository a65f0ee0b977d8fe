// The scalar reference evaluator (02 section 12): what every other evaluator must equal bit for bit. Follows
// public documentation of the hardware; not verified on silicon.
#pragma once

#include <optional>
#include <string_view>

#include "act/tables/records.h"

namespace act {

// What a NaN input gives (P-13).
enum class NanPolicy : std::uint8_t {
  nan_result,  // the stored special result, as the device profile word says (default)
  propagate,   // a quiet NaN, as the vendor's simulator does
};

// Which inputs the fold is undone for (P-28).
enum class ReconPolicy : std::uint8_t {
  folded,   // those whose sign the fold changed (default)
  literal,  // negative ones, whichever side is stored: the published text
};

// How a function with the parametric operand selector (parametric_relu) is computed (P-17).
enum class ParametricPolicy : std::uint8_t {
  direct,  // x > 0 ? x : x * alpha, slope from the instruction (default)
  table,   // through its clamp slots like any other; their d1 is an operand number, not a coefficient
};

struct EvalPolicy {
  NanPolicy nan = NanPolicy::nan_result;
  ReconPolicy recon = ReconPolicy::folded;
  ParametricPolicy parametric = ParametricPolicy::direct;
};

enum class EvalPath : std::uint8_t { special, clamp_low, clamp_high, section, direct, unhandled };
std::string_view path_name(EvalPath path);  // "special", "clamp_low", ...

// How a value came about.
struct EvalTrace {
  float value = 0;
  EvalPath path = EvalPath::special;
  float selected = 0;              // the input after the fold
  bool negative_side = false;      // side of the table that was used
  bool reconstructed = false;      // step 7 was applied
  std::uint32_t record = 0;        // bkt record relative to the function's first; for section and the clamps
  const Section* cubic = nullptr;  // that record; nullptr for special, direct and unhandled
};

// A NaN that arithmetic produces has these bits whatever the processor would choose; stored results keep
// theirs.
inline constexpr std::uint32_t kQuietNanBits = 0x7fc00000;

// fma_indirection_src_sel of a function whose slope comes with the instruction.
inline constexpr std::uint32_t kParametricSelector = 2;

// Value at `v` (any float, already scaled and biased); `alpha` is the slope of parametric_relu. An input
// whose octave or section is absent, which the simulator of the vendor ends on, gives a quiet NaN here;
// checked tables (V-19) have no such input and evaluate_traced() tells.
float evaluate(const FunctionTable& table, float v, const EvalPolicy& policy = {}, float alpha = 0);
EvalTrace evaluate_traced(const FunctionTable& table, float v, const EvalPolicy& policy = {},
                          float alpha = 0);

// Step 6 alone: the mixed-precision cubic of one section at the folded input.
inline float evaluate_cubic(const Section& section, float selected) {
  const float t = selected - section.x;
  const float p = t * section.d1 + section.d0;  // two roundings: contraction is off
  const double wide = t;
  const double square = wide * wide;  // exact: 48 bits
  const double cube = square * wide;  // one rounding of the exact 72-bit cube, so equal to a correctly rounded pow
  double r = static_cast<double>(p) + square * static_cast<double>(section.d2);
  r = cube * static_cast<double>(section.d3) + r;
  return static_cast<float>(r);
}

// The section or clamp slot that a folded, finite, non-zero input takes (steps 4 and 5); nullptr when
// unhandled.
const Section* find_section(const FunctionTable& table, float selected, EvalPath& path);

// Step 2: v, |v| or -|v|.
float fold(const FunctionTable& table, float v);

// The instruction's input stage: round(round(in * scale) + bias), never fused.
float prescale(float in, float scale, float bias);

// Whether tools warn at this input: finite, non-zero and outside the bounds, which hold for the folded input.
// Both bounds zero means no range.
bool outside_bounds(const FunctionTable& table, float v);

}  // namespace act
