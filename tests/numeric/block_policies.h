// What blocks of conversions are tested with: all types of whole bytes that have values, and all policies.
#pragma once

#include <vector>

#include "act/numeric/convert.h"

namespace act {

inline std::vector<Dtype> block_types() {
  std::vector<Dtype> types;
  for (const DtypeRow& row : kDtypeRows)
    if (has_values(row.dtype) && row.bits % 8 == 0) types.push_back(row.dtype);
  return types;
}

// Those that a type can tell apart.
inline std::vector<NumericPolicy> block_policies(Dtype t) {
  if (t == Dtype::fp32) return {{}};
  if (is_valid_int_dtype(t)) return {{}, {Fp8Mode::neuron, false, IntRounding::truncate}};
  std::vector<NumericPolicy> some = {{}, {Fp8Mode::neuron, true, IntRounding::nearest_even}};
  if (t == Dtype::fp8_exp4)
    for (const bool saturate : {false, true}) some.push_back({Fp8Mode::ocp, saturate, IntRounding::nearest_even});
  return some;
}

inline std::vector<NumericPolicy> block_policies() {
  std::vector<NumericPolicy> all;
  for (const Fp8Mode mode : {Fp8Mode::neuron, Fp8Mode::ocp})
    for (const bool saturate : {false, true})
      for (const IntRounding rounding : {IntRounding::nearest_even, IntRounding::truncate}) all.push_back({mode, saturate, rounding});
  return all;
}

}  // namespace act
