#include <algorithm>
#include <cmath>

#include "act/numeric/ulp.h"
#include "act/tables/functions.h"
#include "tables/mp.h"

namespace act {
namespace {

template <class Predicate>
const FunctionInfo* find_if(Predicate predicate) {
  const auto rows = all_functions();
  const auto at = std::find_if(rows.begin(), rows.end(), predicate);
  return at == rows.end() ? nullptr : &*at;
}

// The limit of f at an infinity: what the formula gives, and the stored special where that is no number.
double at_infinity(const FunctionInfo& function, double x) {
  const double value = function.bodies.closed(x, kLeakySlope);
  if (!std::isnan(value)) return value;
  return bits_float(x > 0 ? function.specials.pinf : function.specials.ninf);
}

// Rounds once to binary32, subnormals included: mpfr_get_flt rounds to the format.
float round_binary32(const Mp& value) { return mpfr_get_flt(value.get(), MPFR_RNDN); }

Jet jet_at(const FunctionInfo& function, double x) { return function.bodies.taylor(Jet::variable(Mp(x))); }

}  // namespace

const FunctionInfo* find_function(std::string_view name) {
  if (name.empty()) return nullptr;
  return find_if([&](const FunctionInfo& f) { return f.name == name || f.bir_name == name; });
}

const FunctionInfo* find_function_by_code(int neuron_code) {
  return find_if([&](const FunctionInfo& f) { return f.neuron_code == neuron_code; });
}

const FunctionInfo* find_function_by_ordinal(int bir_ordinal) {
  if (bir_ordinal < 0) return nullptr;
  return find_if([&](const FunctionInfo& f) { return f.bir_ordinal == bir_ordinal; });
}

double reference(const FunctionInfo& function, double x) {
  if (std::isinf(x)) return at_infinity(function, x);
  return function.bodies.fast(x);
}

double closed_form64(const FunctionInfo& function, float x, float alpha) {
  return function.bodies.closed(x, alpha);
}

float closed_form(const FunctionInfo& function, float x, float alpha) {
  return static_cast<float>(closed_form64(function, x, alpha));
}

float correctly_rounded(const FunctionInfo& function, double x) {
  if (!std::isfinite(x)) return static_cast<float>(std::isnan(x) ? function.bodies.fast(x) : reference(function, x));
  return round_binary32(function.bodies.exact(Mp(x)));
}

DoubleDouble exact_value(const FunctionInfo& function, double x) {
  if (!std::isfinite(x)) return {reference(function, x), 0};
  const Mp value = function.bodies.exact(Mp(x));
  const double hi = value.to_double();
  return {hi, std::isfinite(hi) ? (value - Mp(hi)).to_double() : 0};
}

std::array<float, 4> taylor_binary32(const FunctionInfo& function, double x) {
  const Jet jet = jet_at(function, x);
  std::array<float, 4> d;
  std::transform(jet.c.begin(), jet.c.end(), d.begin(), round_binary32);
  return d;
}

std::array<double, 4> taylor_binary64(const FunctionInfo& function, double x) {
  const Jet jet = jet_at(function, x);
  std::array<double, 4> d;
  std::transform(jet.c.begin(), jet.c.end(), d.begin(), [](const Mp& c) { return c.to_double(); });
  return d;
}

double ulp_error(const FunctionInfo& function, float x, float got) {
  const DoubleDouble exact = exact_value(function, x);
  const float rounded = correctly_rounded(function, x);
  if (std::isfinite(rounded) && std::isfinite(got))
    return std::fabs((static_cast<double>(got) - exact.hi) - exact.lo) / ulp_of(rounded);
  return got == rounded || (std::isnan(got) && std::isnan(rounded)) ? 0 : INFINITY;
}

}  // namespace act
