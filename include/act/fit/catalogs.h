// The tables of the embedded catalogs: shipped functions at shipped budgets.
#pragma once

#include <optional>
#include <string_view>

#include "act/diag/result.h"
#include "act/fit/structure.h"
#include "act/tables/functions.h"
#include "act/tables/records.h"

namespace act::fit {

enum class Method : std::uint8_t { taylor, minimax };
std::string_view method_name(Method method);

// The structure `taylor` gives a shipped function: the published one where it is known, else one of our own within the
// published counts. nullopt when the budget is not shipped.
std::optional<Structure> shipped_structure(const FunctionInfo& function, int budget);

// One table of a function: a resident, or a table function of a shipped budget with its shipped memory. Errors:
// unknown-name for a function or budget that is not shipped.
Result<FunctionTable> shipped_table(std::string_view function, int budget, Method method, IdSpace ids);

}  // namespace act::fit
