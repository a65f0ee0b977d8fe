// The one definition of an error in ULP used everywhere: reports, certificates, the fitter.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace act {

// Weight of the last place of a finite binary32 number: 2^(e-23) with e its exponent, at least -126 (so that zero
// and the subnormals have 2^-149).
inline double ulp_size(float value) {
  const int biased = static_cast<int>((std::bit_cast<std::uint32_t>(value) >> 23) & 0xff);
  const int exponent = (biased == 0 ? 1 : biased) - 127 - 23;
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// Error of `got` against the exact value `exact`, in ULP of RN32(exact) (02 section 17, G-8). A NaN or an infinity that
// should be one, and is the same one, has error 0; otherwise the error is infinite. `exact` is rounded once
// to binary64, which costs at most 2^-29 ULP.
inline double ulp_distance(double exact, float got) {
  const float rounded = static_cast<float>(exact);
  if (std::isnan(rounded) || std::isnan(got)) return std::isnan(rounded) && std::isnan(got) ? 0 : INFINITY;
  if (std::isinf(rounded) || std::isinf(got)) return rounded == got ? 0 : INFINITY;
  return std::fabs(static_cast<double>(got) - exact) / ulp_size(rounded);
}

}  // namespace act
