// Functions whose table has no sections (copy, relu, square, sign, …): every input that is neither zero nor special takes one
// of two clamp slots, so a block needs no lookup. The bits are those of act::evaluate().
#pragma once

#include <cmath>
#include <cstring>
#include <span>

#include "act/tables/evaluate.h"

namespace act::sim {

// Whether the block form below covers a table under a policy.
inline bool is_direct(const FunctionTable& t, const EvalPolicy& policy) {
  if (!t.resident() || t.fma_indirection_src_sel != 0 || policy.recon != ReconPolicy::folded || policy.nan != NanPolicy::nan_result) return false;
  for (const Side* side : {&t.neg, &t.pos}) {
    const Section& s = side->high.section;
    const bool plain = side->high.sat_point == 0 && side->high.mantissa_point <= 1 && float_bits(s.x) == 0 && float_bits(s.d3) == 0 &&
                       float_bits(s.d0) != 0x80000000u;  // so that no sum is -0, which adding the higher terms would change
    if (!plain) return false;
  }
  return true;
}

// `kLinear`: the terms of d2 are zero and the sum of the first two is the result.
template <bool kLinear>
void evaluate_direct_as(const FunctionTable& t, std::span<const float> in, std::span<float> out) {
  constexpr std::size_t kChunk = 256;
  const Section &neg = t.neg.high.section, &pos = t.pos.high.section;
  const bool folds = t.symmetry.enabled, to_negative = t.symmetry.use_neg_region;
  const float flip = t.symmetry.invert_sign ? -1.0F : 1.0F, point = t.symmetry.point;
  const float zero = t.specials.zero, nan = t.specials.nan, pinf = t.specials.pinf, ninf = t.specials.ninf;
  for (std::size_t begin = 0; begin < in.size(); begin += kChunk) {
    // A local copy: the compiler sees that nothing overlaps.
    const std::size_t n = in.size() - begin < kChunk ? in.size() - begin : kChunk;
    float v[kChunk], r[kChunk];
    std::memcpy(v, in.data() + begin, n * sizeof(float));
    for (std::size_t i = 0; i < n; ++i) {
      const float x = v[i], magnitude = std::fabs(x);
      const float selected = !folds ? x : to_negative ? -magnitude : magnitude;
      const bool negative = selected < 0;
      const float p = selected * (negative ? neg.d1 : pos.d1) + (negative ? neg.d0 : pos.d0);
      const double wide = selected;
      const float cubic = kLinear ? p : static_cast<float>(static_cast<double>(p) + wide * wide * static_cast<double>(negative ? neg.d2 : pos.d2));
      const float result = folds && (x < 0) != negative ? cubic * flip + point : cubic;
      const float special = x == 0 ? zero : x != x ? nan : x > 0 ? pinf : ninf;
      r[i] = x == 0 || !(magnitude <= 3.4028234663852886e38F) ? special : result;
    }
    std::memcpy(out.data() + begin, r, n * sizeof(float));
  }
}

// out[i] = f(in[i]); the spans may be the same. Precondition: is_direct(t, policy).
inline void evaluate_direct(const FunctionTable& t, std::span<const float> in, std::span<float> out) {
  if (t.neg.high.section.d2 == 0 && t.pos.high.section.d2 == 0) return evaluate_direct_as<true>(t, in, out);
  evaluate_direct_as<false>(t, in, out);
}

}  // namespace act::sim
