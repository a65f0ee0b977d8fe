// Whole catalogs in the vendor's rosters.
#pragma once

#include <string_view>

#include "act/diag/result.h"
#include "act/tables/published.h"
#include "act/tables/records.h"

namespace act::fit {

enum class Method : std::uint8_t { taylor, minimax };
std::string_view method_name(Method method);

// One table of a function: a resident, or a table function of a shipped budget with its shipped memory. Errors:
// unknown-name for a function or budget that is not shipped.
Result<FunctionTable> shipped_table(std::string_view function, int budget, Method method, IdSpace ids);

// Every set of a roster.
Result<Catalog> roster_catalog(const Roster& roster, Method method);

}  // namespace act::fit
