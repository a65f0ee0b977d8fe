#include "act/fit/measure.h"

#include <cfloat>
#include <cmath>

#include "act/numeric/ulp.h"
#include "act/tables/evaluate.h"

namespace act::fit {

double sampled_error(const FunctionInfo& function, const Section& section, bool negative, std::uint32_t lo,
                     std::uint32_t hi, int samples) {
  double worst = 0;
  const std::uint32_t sign = negative ? 0x80000000u : 0u;
  for (int i = 0; i < samples; ++i) {
    const std::uint64_t span = std::uint64_t{hi - lo} * static_cast<std::uint64_t>(i);
    const float x = bits_float(sign | (lo + static_cast<std::uint32_t>(span / static_cast<std::uint64_t>(samples - 1))));
    const double exact = reference(function, x);
    if (!(std::fabs(exact) >= FLT_MIN && std::fabs(exact) <= FLT_MAX)) continue;
    worst = std::max(worst, std::fabs(ulp_error(evaluate_cubic(section, x), exact)));
  }
  return worst;
}

}  // namespace act::fit
