// The formulas of the function catalog. Each function has up to three bodies: `fast` (accurate binary64, no
// cancellation), `closed` (02 section 13 to the letter) and `exact` (one formula for Mp and Jet).
#pragma once

#include <cmath>

#include "act/tables/functions.h"
#include "tables/mp.h"

namespace act::math {

// Constants as 02 section 13 prints them.
inline constexpr double kRoot2 = 1.414213562373095, kOneOverRoot2 = 0.7071067811865476;
inline constexpr double kRootTwoOverPi = 0.7978845608028654;
inline constexpr double kPrintedOneOverRootTwoPi = 0.3989423, kPrintedTwoOverRootPi = 1.1283792;
inline constexpr double kTanhCubic = 0.044715, kSigmoidSlope = 1.702;
// The same where accuracy matters.
inline constexpr double kOneOverRootTwoPi = 0.39894228040143267794, kTwoOverRootPi = 1.12837916709551257390;
inline constexpr double kLn2 = 0.69314718055994530942;
// selu (Klambauer et al. 2017).
inline constexpr double kSeluScale = 1.0507009873554804934193349852946;
inline constexpr double kSeluAlpha = 1.6732632423543772848170429916717;

using std::atan, std::cbrt, std::cos, std::erf, std::erfc, std::exp, std::expm1, std::fabs, std::log, std::log1p,
    std::sin, std::sqrt, std::tanh;

template <class Fast, class Closed, class Exact>
constexpr FunctionBodies bodies(Fast fast, Closed closed, Exact) {
  return {fast, closed, [](const Mp& x) -> Mp { return Exact{}(x); },
          [](const Jet& x) -> Jet { return Exact{}(x); }};
}
// A function whose closed form is already the accurate one.
template <class Fast, class Exact>
constexpr FunctionBodies bodies(Fast fast, Exact exact) {
  return bodies(fast, [](double x, double) { return Fast{}(x); }, exact);
}

inline double logistic(double x) { return 1 / (1 + exp(-x)); }
inline double soft_plus(double x) { return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)); }
// d/du of u * logistic(u), without cancellation but at its root.
inline double d_silu(double u) { return logistic(u) * (1 + u * logistic(-u)); }
// The fraction of 02 section 13, divided through by e^2u where u > 0 (P-18).
inline double closed_d_silu(double u) {
  const double e = exp(-fabs(u)), denominator = (1 + e) * (1 + e);
  return u > 0 ? ((u + 1) * e + 1) / denominator : (u + e + 1) * e / denominator;
}
inline double tanh_cubic(double x) { return (kTanhCubic * x * x * x + x) * kRootTwoOverPi; }
inline double mish(double x) {
  if (x > 40) return x;
  const double e = exp(x), n = e * (e + 2);
  return x * (n / (n + 2));
}
// x - tanh x by the continued fraction of tanh near 0, where the difference cancels.
inline double tanh_shrink(double x) {
  if (!(fabs(x) < 1)) return x - tanh(x);
  double tail = 0;
  for (int k = 23; k >= 3; k -= 2) tail = x * x / (k + tail);
  return x * (tail / (1 + tail));
}
inline double clip01(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }
inline double hard_sigmoid(double x) { return clip01((x + 3) / 6); }

template <class T>
T logistic(const T& x) {
  return T(1) / (T(1) + exp(-x));
}
template <class T>
T d_silu(const T& u) {
  return logistic(u) * (T(1) + u * logistic(-u));
}
template <class T>
T hard_sigmoid_exact(const T& x) {
  if (is_negative(x + T(3))) return T(0);
  if (is_negative(T(3) - x)) return T(1);
  return (x + T(3)) / T(6);
}
template <class T>
T abs_exact(const T& x) {
  return is_negative(x) ? -x : x;
}

}  // namespace act::math
