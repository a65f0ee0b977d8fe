// Small sound tables for tests that need no particular function.
#pragma once

#include <limits>

#include "act/tables/records.h"

namespace act::testing_support {

// Positive inputs only: octaves -2..2 with extract sizes 0, 1, 2, 3, 2; sections numbered by d0, two of four
// in the top octave; clamped below 2^-2 and from 5.5 on.
inline FunctionTable sample_table(const char* name, std::uint32_t budget) {
  FunctionTable t;
  t.name = name;
  t.budget = budget;
  t.func_id = 7;
  t.exponent_offset = -2;
  const std::uint32_t sizes[] = {0, 1, 2, 3, 2};
  float number = 0;
  for (int i = 0; i < 5; ++i) {
    Octave o{.exponent = i - 2, .extract_size = sizes[i], .sections = {}};
    const std::size_t count = i == 4 ? 2 : o.capacity();
    for (std::size_t k = 0; k < count; ++k)
      o.sections.push_back({.d0 = ++number, .d1 = 0.25F, .d2 = -0.125F, .d3 = 1e-3F, .x = number / 4});
    t.pos.octaves.push_back(std::move(o));
  }
  t.pos.low = {125, 0, {.d0 = 0, .d1 = 1, .d2 = 0, .d3 = 0, .x = 0}};
  t.pos.high = {
      129, 0x300000, {.d0 = 99, .d1 = 0, .d2 = 0, .d3 = 0, .x = 0}};  // from 5.5: sections 0 and 1 of four
  t.neg.high.section.d0 = std::numeric_limits<float>::quiet_NaN();
  t.specials = {.zero = 0,
                .nan = std::numeric_limits<float>::quiet_NaN(),
                .pinf = 99,
                .ninf = std::numeric_limits<float>::quiet_NaN()};
  t.lower_bound = 0.25F;
  t.upper_bound = 8;
  return t;
}

}  // namespace act::testing_support
