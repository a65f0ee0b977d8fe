// Compiled for AVX-512 as a whole, so that the peers' inline code is at its best.
#include <immintrin.h>

#include "peers.h"
#if ACTKIT_HAVE_SLEEF
#include <sleef.h>
#endif
#if ACTKIT_HAVE_EIGEN
#include <Eigen/Core>
#endif

extern "C" __m512 _ZGVeN16v_expf(__m512);  // of libmvec

namespace act::bench {

bool have_avx512_peers() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0;
}

void libmvec_expf(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; i += 16) _mm512_storeu_ps(out + i, _ZGVeN16v_expf(_mm512_loadu_ps(in + i)));
}

#if ACTKIT_HAVE_SLEEF
void sleef_expf(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; i += 16)
    _mm512_storeu_ps(out + i, Sleef_expf16_u10avx512f(_mm512_loadu_ps(in + i)));
}
#endif

#if ACTKIT_HAVE_EIGEN
void eigen_exp(const float* in, float* out, std::size_t n) {
  const auto count = static_cast<Eigen::Index>(n);
  Eigen::Map<Eigen::ArrayXf>(out, count) = Eigen::Map<const Eigen::ArrayXf>(in, count).exp();
}
#endif

}  // namespace act::bench
