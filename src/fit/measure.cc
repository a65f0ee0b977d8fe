#include "fit/measure.h"

#include <cfloat>
#include <cmath>

#include "act/tables/evaluate.h"

namespace act::fit {

double sampled_error(Model& model, const Section& section, bool negative, std::uint32_t lo, std::uint32_t hi,
                     int samples) {
  double worst = 0;
  for (int i = 0; i < samples; ++i) {
    const std::uint64_t part = std::uint64_t{hi - lo} * static_cast<std::uint64_t>(i);
    const std::uint32_t magnitude = lo + static_cast<std::uint32_t>(part / static_cast<std::uint64_t>(samples - 1));
    const std::uint32_t bits = magnitude | (negative ? 0x80000000U : 0U);
    const double f = model(bits);
    if (!(std::fabs(f) >= FLT_MIN && std::fabs(f) <= FLT_MAX)) continue;
    const double y = evaluate_cubic(section, bits_float(bits));
    worst = std::max(worst, std::isfinite(y) ? std::fabs(y - f) / model.unit(bits, f) : INFINITY);
  }
  return worst;
}

}  // namespace act::fit
