// exp of arrays by others. Each returns false where the library was not there at build time or the processor
// lacks AVX-512.
#pragma once

#include <cstddef>

namespace act::bench {

bool have_avx512_peers();
void libmvec_expf(const float* in, float* out, std::size_t n);  // n a multiple of 16, as below
void sleef_expf(const float* in, float* out, std::size_t n);
void eigen_exp(const float* in, float* out, std::size_t n);

// XNNPACK's sigmoid operator over n elements; false when it is not there.
bool have_xnnpack();
void xnnpack_sigmoid(const float* in, float* out, std::size_t n);

}  // namespace act::bench
