// FP32 results by MPFR: 24 bits of precision within FP32's exponent range, subnormals included.
#pragma once

#include <mpfr.h>

#include "act/numeric/bits.h"

namespace act::reference {

class Mpfr {
 public:
  explicit Mpfr(double value, mpfr_prec_t precision = 64) {
    mpfr_init2(v_, precision);
    mpfr_set_d(v_, value, MPFR_RNDN);
  }
  ~Mpfr() { mpfr_clear(v_); }
  Mpfr(const Mpfr&) = delete;
  Mpfr& operator=(const Mpfr&) = delete;
  mpfr_ptr get() { return v_; }

 private:
  mpfr_t v_;
};

// `operation(result)` sets its argument, rounding to nearest, and returns MPFR's ternary value.
template <class Operation>
float f32_by_mpfr(Operation operation) {
  const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
  mpfr_set_emin(-148);
  mpfr_set_emax(128);
  Mpfr result(0, 24);
  const int ternary = operation(result.get());
  mpfr_subnormalize(result.get(), ternary, MPFR_RNDN);
  const float value = mpfr_nan_p(result.get()) ? f32(0x7FC00000) : mpfr_get_flt(result.get(), MPFR_RNDN);
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  return value;
}

}  // namespace act::reference
