// The minimax table of a function (02 section 17): sections where they lower the worst error, each the
// binary32 record whose values stay closest to the function under the arithmetic of 02 section 12.
#pragma once

#include <cstdint>

#include "act/diag/result.h"
#include "act/tables/functions.h"
#include "act/tables/records.h"

namespace act::fit {

struct MinimaxOptions {
  int budget = 0;    // the N of the name; 0 = the function's first
  int sections = 0;  // most sections of both sides together; 0 = the lut_size of that budget
  IdSpace ids = IdSpace::sunda;
};

struct MinimaxReport {
  double inner_ulp = 0,
         outer_ulp = 0;  // worst error met while fitting (sampled; certificates measure every input)
  int sections = 0;
  OctaveRange inner;  // octaves the first figure is about; count 0 = all
};

struct MinimaxTable {
  FunctionTable table;
  MinimaxReport report;
};

// Fits `function`. Errors: a resident (nothing to fit), a budget that is not enough for one section an
// octave.
Result<MinimaxTable> fit_minimax(const FunctionInfo& function, const MinimaxOptions& options = {});

}  // namespace act::fit
