// FP32 inputs to every narrow type: the product against the independent methods of reference.h, with a digest
// of what the independent method gives.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "act/numeric/convert.h"
#include "numeric/reference.h"

namespace act::sweep {

// Inputs with the bit patterns first, first + stride, … of one sign; `end` is exclusive.
struct Range {
  std::uint64_t first, end, stride;
};

struct Outcome {
  std::uint64_t digest = 0xcbf29ce484222325u;
  std::uint64_t mismatches = 0;
  std::uint32_t first_mismatch = 0;

  void take(std::uint32_t input, std::uint64_t expected, std::uint64_t actual) {
    digest = (digest ^ expected) * 0x100000001b3u;
    if (expected != actual && mismatches++ == 0) first_mismatch = input;
  }
};

struct Target {
  std::string label;
  Outcome (*run)(Range);

  friend std::ostream& operator<<(std::ostream& out, const Target& t) { return out << t.label; }
};

constexpr const reference::Format& format_of(Dtype t, bool ocp) {
  for (const reference::Format& f : reference::kFormats)
    if (f.dtype == t && f.ocp == ocp) return f;
  return reference::kFormats[0];
}

template <Dtype T, bool Ocp, bool Saturate>
Outcome run_float(Range range) {
  constexpr const reference::Format& f = format_of(T, Ocp);
  constexpr NumericPolicy policy = {Ocp ? Fp8Mode::ocp : Fp8Mode::neuron, Saturate,
                                    IntRounding::nearest_even};
  constexpr unsigned up = T == Dtype::fp32r ? 10 : 0;
  constexpr std::uint32_t nan = f.nan < 0 ? 0 : static_cast<std::uint32_t>(f.nan) << up;
  reference::Staircase stairs(f, Saturate);
  stairs.start_at(static_cast<double>(f32(static_cast<std::uint32_t>(range.first) & 0x7FFFFFFFu)));
  Outcome outcome;
  for (std::uint64_t bits = range.first; bits < range.end; bits += range.stride) {
    const auto input = static_cast<std::uint32_t>(bits);
    const std::uint32_t magnitude = input & 0x7FFFFFFFu;
    const bool negative = input >> 31 != 0;
    std::uint64_t expected = nan;
    if (magnitude <= 0x7F800000u) {
      const std::uint32_t sign = negative && f.sign != 0 ? 1u << (f.exponent + f.mantissa) : 0;
      const bool to_zero = negative && f.sign == 0;
      const std::uint32_t code = to_zero                    ? 0
                                 : magnitude == 0x7F800000u ? reference::overflow_code(f, Saturate)
                                                            : stairs(static_cast<double>(f32(magnitude)));
      expected = std::uint64_t{sign | code} << up;
    }
    outcome.take(input, expected, narrow(T, f32(input), policy));
  }
  return outcome;
}

template <std::size_t Index, bool Truncate>
Outcome run_integer(Range range) {
  constexpr reference::Integer t = reference::kIntegers[Index];
  constexpr NumericPolicy policy = {Fp8Mode::neuron, false,
                                    Truncate ? IntRounding::truncate : IntRounding::nearest_even};
  Outcome outcome;
  for (std::uint64_t bits = range.first; bits < range.end; bits += range.stride) {
    const auto input = static_cast<std::uint32_t>(bits);
    const float x = f32(input);
    outcome.take(input, reference::round_to_integer_type(t, x, Truncate), narrow(t.dtype, x, policy));
  }
  return outcome;
}

template <Dtype T, bool Ocp = false>
void add_float(std::vector<Target>& list) {
  const reference::Format& f = format_of(T, Ocp);
  list.push_back({f.label, run_float<T, Ocp, false>});
  // All-finite types saturate anyway.
  if constexpr (format_of(T, Ocp).nan >= 0)
    list.push_back({std::string(f.label) + "+saturate", run_float<T, Ocp, true>});
}

template <std::size_t... Index>
void add_integers(std::vector<Target>& list, std::index_sequence<Index...>) {
  (list.push_back({reference::kIntegers[Index].label, run_integer<Index, false>}), ...);
  (list.push_back({std::string(reference::kIntegers[Index].label) + "+truncate", run_integer<Index, true>}),
   ...);
}

inline std::vector<Target> all_targets() {
  std::vector<Target> list;
  add_float<Dtype::bfloat16>(list);
  add_float<Dtype::fp16>(list);
  add_float<Dtype::fp32r>(list);
  add_float<Dtype::fp8_exp3>(list);
  add_float<Dtype::fp8_exp4>(list);
  add_float<Dtype::fp8_exp4, true>(list);
  add_float<Dtype::fp8_exp5>(list);
  add_float<Dtype::fp8_exp2>(list);
  add_float<Dtype::fp4_exp2>(list);
  add_float<Dtype::sfp8_e8>(list);
  add_float<Dtype::sfp8_e7>(list);
  add_float<Dtype::sfp8_e6>(list);
  add_float<Dtype::sfp8_e5>(list);
  add_integers(list, std::make_index_sequence<std::size(reference::kIntegers)>{});
  return list;
}

}  // namespace act::sweep
