#include "act/fit/threshold.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "act/fit/accuracy.h"
#include "act/fit/frame.h"
#include "act/numeric/ulp.h"
#include "act/tables/evaluate.h"

namespace act::fit {
namespace {

constexpr std::uint32_t kLargestFinite = 0x7f7fffff;

}  // namespace

bool within_ulps(float value, float r, std::int64_t n) {
  if (std::isnan(value) || std::isnan(r)) return std::isnan(value) && std::isnan(r);
  if (std::isinf(value) || std::isinf(r)) return value == r;
  if (std::signbit(value) != std::signbit(r)) return value == r;
  return std::llabs(ulp_key(value) - ulp_key(r)) <= n;
}

std::uint32_t high_threshold(const FunctionInfo& function, bool negative, std::uint32_t limit, std::int64_t n,
                             RoundedValue r, std::uint32_t unsteady) {
  const Clamp& clamp = negative ? function.high_neg : function.high_pos;
  const ErrorDomain domain = error_domain(function);
  const float bound = negative ? -domain.lowest : domain.highest;
  const std::uint32_t end = std::min(limit, float_bits(bound));
  if (clamp.rule == ClampRule::edge) return end;
  const Section slot = clamp_section(function, clamp, negative, 0);
  const auto holds = [&](std::uint32_t magnitude) {
    const float x = bits_float(magnitude | (negative ? 0x80000000u : 0u));
    return within_ulps(evaluate_cubic(slot, x), r(function, x), n);
  };
  const std::uint32_t last = std::min(float_bits(bound), kLargestFinite);
  if (!holds(std::min(end, last))) return end;
  // The clamp holds at `high` and beyond, fails at `low`.
  std::uint32_t low = 0x00800000, high = std::min(end, last);
  if (holds(low)) return low;
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (holds(middle) ? high : low) = middle;
  }
  std::uint32_t first = high;
  for (std::uint32_t m = high; m < std::min(high + unsteady, end); ++m)
    if (!holds(m)) first = m + 1;
  return first;
}

}  // namespace act::fit
