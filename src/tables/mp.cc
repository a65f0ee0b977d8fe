#include "tables/mp.h"

namespace act {
namespace {

// g(u) from the Taylor coefficients g of g at u.c[0]. Terms with a zero factor are left out, so that the sign of a
// zero coefficient is that of the formula (tanh at 0 has d2 = -0 in the shipped table, 02 section 11).
Jet compose(const std::array<Mp, 4>& g, const Jet& u) {
  const Mp &w1 = u.c[1], &w2 = u.c[2], &w3 = u.c[3];
  Jet r;
  r.c[0] = g[0];
  r.c[1] = g[1] * w1;
  r.c[2] = g[2] * w1 * w1;
  r.c[3] = g[3] * w1 * w1 * w1;
  if (!w2.zero()) {
    r.c[2] = r.c[2] + g[1] * w2;
    r.c[3] = r.c[3] + Mp(2) * g[2] * w1 * w2;
  }
  if (!w3.zero()) r.c[3] = r.c[3] + g[1] * w3;
  return r;
}

// Coefficients of erf, or of erfc when `sign` is -1, apart from the value.
Jet error_function(const Mp& value, double sign, const Jet& u) {
  const Mp& x = u.c[0];
  const Mp k = Mp(sign) * two_over_root_pi() * exp(-(x * x));
  return compose({value, k, -(x * k), k * (Mp(2) * x * x - Mp(1)) / Mp(3)}, u);
}

// Where Laplace's continued fraction takes over from mpfr_erfc, which takes milliseconds in the tail.
constexpr double kTail = 4;

}  // namespace

Mp erfc(const Mp& z) {
  const double x = z.to_double();
  if (!(x >= kTail)) return apply<mpfr_erfc>(z);
  // Terms for 256 bits: the error after n of them is about exp(-2 x sqrt(8 n)).
  const auto terms = static_cast<int>(4500 / (x * x)) + 24;
  Mp fraction = z;
  for (int k = terms; k >= 1; --k) fraction = z + Mp(k) / (fraction + fraction);
  return exp(-(z * z)) / (sqrt(Mp::pi()) * fraction);
}

Jet operator+(const Jet& a, const Jet& b) {
  Jet r;
  for (std::size_t k = 0; k < 4; ++k) r.c[k] = a.c[k] + b.c[k];
  return r;
}

Jet operator-(const Jet& a, const Jet& b) {
  Jet r;
  for (std::size_t k = 0; k < 4; ++k) r.c[k] = a.c[k] - b.c[k];
  return r;
}

Jet operator-(const Jet& a) {
  Jet r;
  for (std::size_t k = 0; k < 4; ++k) r.c[k] = -a.c[k];
  return r;
}

Jet operator*(const Jet& a, const Jet& b) {
  Jet r;
  for (std::size_t k = 0; k < 4; ++k) {
    r.c[k] = a.c[0] * b.c[k];
    for (std::size_t i = 1; i <= k; ++i)
      if (!a.c[i].zero()) r.c[k] = r.c[k] + a.c[i] * b.c[k - i];
  }
  return r;
}

Jet operator/(const Jet& a, const Jet& b) {
  Jet r;
  for (std::size_t k = 0; k < 4; ++k) {
    Mp sum = a.c[k];
    for (std::size_t i = 1; i <= k; ++i)
      if (!b.c[i].zero()) sum = sum - b.c[i] * r.c[k - i];
    r.c[k] = sum / b.c[0];
  }
  return r;
}

Jet exp(const Jet& u) {
  const Mp e = exp(u.c[0]);
  return compose({e, e, e / Mp(2), e / Mp(6)}, u);
}

Jet expm1(const Jet& u) {
  const Mp e = exp(u.c[0]);
  return compose({expm1(u.c[0]), e, e / Mp(2), e / Mp(6)}, u);
}

Jet log(const Jet& u) {
  const Mp q = Mp(1) / u.c[0];
  return compose({log(u.c[0]), q, -(q * q) / Mp(2), q * q * q / Mp(3)}, u);
}

Jet log1p(const Jet& u) {
  const Mp q = Mp(1) / (Mp(1) + u.c[0]);
  return compose({log1p(u.c[0]), q, -(q * q) / Mp(2), q * q * q / Mp(3)}, u);
}

Jet sin(const Jet& u) {
  const Mp s = sin(u.c[0]), c = cos(u.c[0]);
  return compose({s, c, -s / Mp(2), -c / Mp(6)}, u);
}

Jet cos(const Jet& u) {
  const Mp s = sin(u.c[0]), c = cos(u.c[0]);
  return compose({c, -s, -c / Mp(2), s / Mp(6)}, u);
}

Jet atan(const Jet& u) {
  const Mp& x = u.c[0];
  const Mp q = Mp(1) / (Mp(1) + x * x);
  return compose({atan(x), q, -(x * q * q), q * q * (Mp(4) * x * x * q - Mp(1)) / Mp(3)}, u);
}

Jet tanh(const Jet& u) {
  const Mp t = tanh(u.c[0]), h = sech(u.c[0]), s = h * h;
  return compose({t, s, -(t * s), s * (Mp(3) * t * t - Mp(1)) / Mp(3)}, u);
}

Jet erf(const Jet& u) { return error_function(erf(u.c[0]), 1, u); }
Jet erfc(const Jet& u) { return error_function(erfc(u.c[0]), -1, u); }

Jet sqrt(const Jet& u) {
  const Mp r = sqrt(u.c[0]), q = Mp(1) / r;
  return compose({r, q / Mp(2), -(q * q * q) / Mp(8), q * q * q * q * q / Mp(16)}, u);
}

Jet cbrt(const Jet& u) {
  const Mp r = cbrt(u.c[0]), q = Mp(1) / r, q2 = q * q, q5 = q2 * q2 * q;
  return compose({r, q2 / Mp(3), -q5 / Mp(9), Mp(5) * q5 * q2 * q / Mp(81)}, u);
}

}  // namespace act
