// The quick cubic: step 6 in binary32 wherever that is known to give the documented bits.
//
// The documented result is RN32(RN64(RN64(p + RN64(t² d2)) + RN64(RN64(t³) d3))) with p = RN32(RN32(t d1) +
// d0). The kernel has p to the bit and estimates q = t² d2 + t³ d3 by Q = RN32(RN32(t t) g), g = fma(d3, t,
// d2): three roundings, so |q - Q| <= 3.001 u |Q| + A, where u = 2^-24 and A = 2^-149 (|g| + t² + 1) is for
// what falls below the normal numbers. Then it rounds p + Q (1 + 4u) and p + Q (1 - 4u), each once. When both
// are the same number s with |s| >= kQuickLeast, s is the documented result; when g = 0, p is. For rounding
// is monotonic, and the documented value before its last rounding lies between the two, or all three round to
// p:
// - The roundings in binary64 are below 2^-52 |p| + 7 2^-53 |q| where |t² d2| <= 2 |q|. If |p| <= 2^27 |q|,
//   that is below 0.51 u |Q|; if not, q is too small to move p. Where q may cancel, |p| >= 8 max(|t² d2|,
//   |t³ d3|) makes them below 1.4 2^-52 |p| instead, which is below 0.71 u |Q| in the first of these cases.
// - A is below 0.2 u |Q|, or |q| < 2^-30 |p|, where |s| >= 2^58 A. So 3.92 u |Q| is the most, below 4u |Q|.
// - With g = 0 there is no q, or none that could move p; and p is not -0 because d0 is not, so adding zeros
//   does not change it.
// quick_row() gives NaN coefficients to records for which this cannot be shown for all of their inputs;
// whatever meets one, an infinity or an overflow gives a NaN, no two of which are equal, and is computed as
// documented.
#pragma once

#include "tables/kernels/prepared.h"

namespace act::kernels {

inline constexpr float kQuickLeast = 0x1p-80F;
inline constexpr float kQuickAbove = 1 + 0x1p-22F, kQuickBelow = 1 - 0x1p-22F;

// The record for inputs at most `reach` from where it expands.
QuickRow quick_row(const Section& section, double reach);

}  // namespace act::kernels
