// Names of the JSON form that reader and writer share.
#pragma once

#include <string_view>

namespace act::ir {

inline constexpr std::int64_t kFormatVersion = 1;
inline constexpr std::string_view kVersionKey = "actkit_module";
inline constexpr std::string_view kAccumulations[] = {"Idle", "Zero", "Accumulate", "ZeroAccumulate", "AddAccumulate", "LoadAccumulate"};
inline constexpr std::string_view kAffineOps[] = {"mul", "floordiv", "mod"};
inline constexpr std::string_view kRoles[] = {"input", "output", "both", "scratch"};
// Header keys of the published record that nothing here interprets (03 section 2).
inline constexpr std::string_view kKeptKeys[] = {"engine_id", "indirection_ins", "predicates", "order", "origin", "dependencies", "loop_carried_dependencies",
                                                 "unroll_dependencies", "optin_passes", "loopnest", "scheduled_start", "scheduled_end", "debug"};

}  // namespace act::ir
