// What the error of a table is counted in (02 section 17, G-8).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

#include "act/numeric/ulp.h"

namespace act::fit {

enum class Metric : std::uint8_t {
  ulp,       // units in the last place of RN32(f)
  relative,  // |e| / |f|, with |f| at least the smallest normal number
  absolute,  // |e|
  mixed,     // |e| / max(1, |f|)
};
std::string_view metric_name(Metric metric);  // "ulp", ...
std::optional<Metric> find_metric(std::string_view name);

// What an error at a place where the function is f is divided by.
inline double metric_unit(Metric metric, double f) {
  switch (metric) {
    case Metric::ulp: return ulp_of(static_cast<float>(f));
    case Metric::relative: return std::max(std::fabs(f), 0x1p-126);
    case Metric::absolute: return 1;
    case Metric::mixed: return std::max(1.0, std::fabs(f));
  }
  return 1;
}

}  // namespace act::fit
