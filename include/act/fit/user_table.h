// Tables to a user's own goal: any domain, metric, tolerance or section budget, either method.
#pragma once

#include "act/diag/result.h"
#include "act/fit/build_spec.h"
#include "act/tables/functions.h"
#include "act/tables/records.h"

namespace act::fit {

struct GoalTable {
  FunctionTable table;
  double error = 0;  // worst error over every binary32 input of the domain, in the metric of the goal
};

// Fits `function` to `goal` under the variant name `budget`. Octaves run from where the low clamp is good enough to the end of
// the domain or to where the function's own high clamp is; outside the domain the table keeps the value of its edge.
// With a tolerance every octave takes the fewest sections that meet it, and the finished table does at every input of
// the domain; with sections alone the worst error is minimised; with neither the tolerance is `budget` ULP. Errors:
// out-of-reach, with the error that can be reached, when tolerance and sections (or the table's capacity) cannot be met
// together. Takes seconds: every input is looked at.
Result<GoalTable> fit_goal(const FunctionInfo& function, int budget, const TableGoal& goal, Method method, IdSpace ids);

}  // namespace act::fit
