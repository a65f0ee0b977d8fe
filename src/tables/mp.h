// Number types of the exact references: Mp, an MPFR number of fixed precision, and Jet, a value with its first three
// Taylor coefficients. One formula written over either type gives value and derivatives.
#pragma once

#include <mpfr.h>

#include <array>
#include <utility>

namespace act {

// 256 bits: the deepest cancellation of the formulas below loses about 90.
class Mp {
 public:
  static constexpr mpfr_prec_t kPrecision = 256;

  Mp() { mpfr_init2(value_, kPrecision); mpfr_set_zero(value_, 1); }
  Mp(double v) : Mp() { mpfr_set_d(value_, v, MPFR_RNDN); }
  Mp(const Mp& other) : Mp() { mpfr_set(value_, other.value_, MPFR_RNDN); }
  Mp(Mp&& other) noexcept : Mp() { mpfr_swap(value_, other.value_); }
  Mp& operator=(const Mp& other) { mpfr_set(value_, other.value_, MPFR_RNDN); return *this; }
  Mp& operator=(Mp&& other) noexcept { mpfr_swap(value_, other.value_); return *this; }
  ~Mp() { mpfr_clear(value_); }

  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }
  double to_double() const { return mpfr_get_d(value_, MPFR_RNDN); }
  bool negative() const { return mpfr_signbit(value_) != 0; }
  bool zero() const { return mpfr_zero_p(value_) != 0; }

  static Mp pi() { Mp r; mpfr_const_pi(r.get(), MPFR_RNDN); return r; }
  static Mp ln2() { Mp r; mpfr_const_log2(r.get(), MPFR_RNDN); return r; }
  // A decimal constant, exact to the precision.
  static Mp decimal(const char* text) { Mp r; mpfr_set_str(r.get(), text, 10, MPFR_RNDN); return r; }

 private:
  mpfr_t value_;
};

template <int (*Op)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)>
Mp apply(const Mp& a) {
  Mp r;
  Op(r.get(), a.get(), MPFR_RNDN);
  return r;
}
template <int (*Op)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t)>
Mp apply(const Mp& a, const Mp& b) {
  Mp r;
  Op(r.get(), a.get(), b.get(), MPFR_RNDN);
  return r;
}

inline Mp operator+(const Mp& a, const Mp& b) { return apply<mpfr_add>(a, b); }
inline Mp operator-(const Mp& a, const Mp& b) { return apply<mpfr_sub>(a, b); }
inline Mp operator*(const Mp& a, const Mp& b) { return apply<mpfr_mul>(a, b); }
inline Mp operator/(const Mp& a, const Mp& b) { return apply<mpfr_div>(a, b); }
inline Mp operator-(const Mp& a) { return apply<mpfr_neg>(a); }
inline Mp exp(const Mp& a) { return apply<mpfr_exp>(a); }
inline Mp expm1(const Mp& a) { return apply<mpfr_expm1>(a); }
inline Mp log(const Mp& a) { return apply<mpfr_log>(a); }
inline Mp log1p(const Mp& a) { return apply<mpfr_log1p>(a); }
inline Mp sin(const Mp& a) { return apply<mpfr_sin>(a); }
inline Mp cos(const Mp& a) { return apply<mpfr_cos>(a); }
inline Mp atan(const Mp& a) { return apply<mpfr_atan>(a); }
inline Mp tanh(const Mp& a) { return apply<mpfr_tanh>(a); }
inline Mp sech(const Mp& a) { return apply<mpfr_sech>(a); }
inline Mp erf(const Mp& a) { return apply<mpfr_erf>(a); }
Mp erfc(const Mp& a);
inline Mp sqrt(const Mp& a) { return apply<mpfr_sqrt>(a); }
inline Mp cbrt(const Mp& a) { return apply<mpfr_cbrt>(a); }
inline bool is_negative(const Mp& a) { return a.negative(); }
inline bool is_zero(const Mp& a) { return a.zero(); }
inline bool is_finite_number(const Mp& a) { return mpfr_number_p(a.get()) != 0; }
// 2/sqrt(pi) and 1/sqrt(2 pi).
inline Mp two_over_root_pi() { return Mp(2) / sqrt(Mp::pi()); }
inline Mp one_over_root_two_pi() { return Mp(1) / sqrt(Mp(2) * Mp::pi()); }

struct Jet {
  std::array<Mp, 4> c;  // c[k] = f^(k)/k!

  Jet() = default;
  Jet(double v) { c[0] = Mp(v); }
  Jet(const Mp& v) { c[0] = v; }
  static Jet variable(const Mp& x) {
    Jet j(x);
    j.c[1] = Mp(1);
    return j;
  }
};

Jet operator+(const Jet& a, const Jet& b);
Jet operator-(const Jet& a, const Jet& b);
Jet operator*(const Jet& a, const Jet& b);
Jet operator/(const Jet& a, const Jet& b);
Jet operator-(const Jet& a);
Jet exp(const Jet& a);
Jet expm1(const Jet& a);
Jet log(const Jet& a);
Jet log1p(const Jet& a);
Jet sin(const Jet& a);
Jet cos(const Jet& a);
Jet atan(const Jet& a);
Jet tanh(const Jet& a);
Jet erf(const Jet& a);
Jet erfc(const Jet& a);
Jet sqrt(const Jet& a);
Jet cbrt(const Jet& a);
inline bool is_negative(const Jet& a) { return a.c[0].negative(); }
inline bool is_zero(const Jet& a) { return a.c[0].zero(); }
inline bool is_finite_number(const Jet& a) { return is_finite_number(a.c[0]); }

}  // namespace act
