// One section: the minimax cubic, then the binary32 record whose values, computed in the order of 02 section
// 12, stay closest to the function.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "act/numeric/ulp.h"
#include "act/tables/evaluate.h"
#include "fit/model.h"
#include "fit/remez.h"

namespace act::fit {

// How hard to look. `draft` ranks octave sizes, `final` makes the record that is kept.
struct Effort {
  int points = 65;  // of the real minimax fit, before those at jumps of the weight
  int near_x = 8;   // expansion points tried among those where d0 and d1 are nearly binary32 numbers
  int coarse = 64;  // inputs an attempt is judged by
  int fine = 0;     // inputs the finalists are judged by; 0 = no second round
  int dense = 0;    // the winner is chosen by, when the section has many more
  int finalists = 1;
  int steps = 4;    // rounds of the search over neighbouring coefficients
  int exact_x = 0;  // expansion points tried for each slope that makes d0 + d1 t exact
};
inline constexpr Effort kDraft{33, 3, 48, 0, 0, 1, 2, 1};
inline constexpr Effort kFinal{97, 12, 160, 1024, 24576, 4, 8, 4};

// What the values of a section must not do.
struct ValueRange {
  float lowest = -INFINITY, highest = INFINITY;
};

struct SectionFit {
  Section section;
  double error = INFINITY;  // worst error in ULP over the inputs looked at, rounding included
  double minimax = 0;       // of the real cubic before rounding
};

// Fits the inputs with patterns lo..hi (same sign and exponent, lo <= hi as magnitudes, both included).
SectionFit fit_section(Model& model, std::uint32_t lo, std::uint32_t hi, const Effort& effort,
                       const ValueRange& range = {});

// The minimax error alone, in ULP: a lower bound for every record with a cubic of real coefficients.
double section_minimax(Model& model, std::uint32_t lo, std::uint32_t hi);

}  // namespace act::fit
