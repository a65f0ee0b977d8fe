// Functions of several passes (02 section 14, P-20): each pass is a table with a half-open domain and hands
// the previous result through outside it. The arithmetic of the hardware is not documented; this is the
// project's definition.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "act/diag/result.h"
#include "act/tables/evaluate.h"
#include "act/tables/records.h"

namespace act {

// mp_low_threshold_config of the device profile.
enum class LowBound : std::uint8_t { ignored = 0, at_least = 1 };

struct Pass {
  FunctionTable table;
  float low = 0, high = 0;  // the pass computes inputs in [low, high)
  LowBound low_bound = LowBound::at_least;
};

struct Multipass {
  std::string name;  // bare: "ln"
  std::vector<Pass> passes;
};

// Whether a bare table name is one pass ("ln_1mp"), and of which function and pass.
struct PassName {
  std::string function;
  unsigned pass = 0;
};
std::optional<PassName> split_pass_name(std::string_view name);

// The multipass function made of `tables` (named <function>_<k>mp, k = 0.. without gaps, use_multipass set).
// Pass k starts at its lower_bound, ends where pass k + 1 starts, and the last one has no end; pass 0 has
// everything below, down to zero when its lower_bound is not negative. Errors table-rule: names, a pass
// missing or twice, domains that do not ascend, a gap or overlap between the upper_bound of one pass and the
// lower_bound of the next.
Result<Multipass> make_multipass(std::vector<FunctionTable> tables);

// Builds passes by cutting a single-pass table of positive inputs below the octaves named; the result
// evaluates as the table does. ln cut at exponent 0 is the published pair: (0, 1) and [1, inf).
Result<std::vector<FunctionTable>> cut_into_passes(const FunctionTable& table,
                                                   const std::vector<int>& boundaries);

// All multipass functions of a set.
Result<std::vector<Multipass>> multipass_functions(const TableSet& set);

// Value at v: special inputs are resolved in pass 0; outside all domains the result is NaN.
float evaluate_multipass(const Multipass& function, float v, const EvalPolicy& policy = {});

}  // namespace act
