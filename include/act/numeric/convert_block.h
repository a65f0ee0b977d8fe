// Dense blocks of codes to FP32 and back: the results are those of widen() and narrow() of convert.h, the loops are ones
// that compilers turn into vector code.
#pragma once

#include <cstddef>

#include "act/numeric/convert.h"

namespace act {

// out[k] = widen(t, code k, policy). Precondition: elements of t are whole bytes; `codes` may have any alignment and is
// disjoint from `out`, or the same where the elements are of four bytes.
void widen_block(Dtype t, const void* codes, std::size_t n, const NumericPolicy& policy, float* out);
// code k = narrow(t, in[k], policy), under the same conditions.
void narrow_block(Dtype t, const float* in, std::size_t n, const NumericPolicy& policy, void* codes);

}  // namespace act
