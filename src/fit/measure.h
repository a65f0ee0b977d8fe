// A quick look at the error of one section.
#pragma once

#include <cstdint>

#include "act/tables/records.h"
#include "fit/model.h"

namespace act::fit {

// Worst error of one section over `samples` inputs of its range (magnitudes, ends included) in the unit of the model's
// metric. Inputs whose result is not a normal number are left out. An understatement; certificates measure all.
double sampled_error(Model& model, const Section& section, bool negative, std::uint32_t lo, std::uint32_t hi,
                     int samples);

}  // namespace act::fit
