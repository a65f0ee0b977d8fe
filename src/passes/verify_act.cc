// On every path, every activation finds its function in the resident set (L-17).
#include <fmt/format.h>

#include "passes/cover.h"
#include "passes/resident.h"

namespace act::passes {
namespace {

std::string set_text(std::int64_t state, std::span<const ActSet> sets) {
  return state >= 0 && state < static_cast<std::int64_t>(sets.size()) ? sets[static_cast<std::size_t>(state)].name : "none";
}

}  // namespace

Result<ir::Module> verify_act(ir::Module module, const Options& options, Diagnostics&) {
  Diagnostics errors;
  std::int64_t entry = kUnknown;
  for (std::size_t s = 0; s < options.sets.size(); ++s)
    if (!module.act_set.empty() && options.sets[s].name == module.act_set) entry = static_cast<std::int64_t>(s);
  if (!module.act_set.empty() && entry == kUnknown) return lowering_error(fmt::format("unable to find used act set {}", module.act_set));
  const auto table_functions = functions_with_tables(module);
  for (const ir::Function& f : module.functions)
    walk_resident(f.body, entry, module.act_set.empty() ? table_functions : std::set<std::string>{}, [&](const ir::Node& block, std::int64_t state) {
      for (const ir::Inst& i : block.instructions) {
        state = after(i, state);
        const std::uint8_t function = function_of(i);
        if (function == ir::kAnySet) continue;
        const bool known = state >= 0 && state < static_cast<std::int64_t>(options.sets.size());
        if (known && options.sets[static_cast<std::size_t>(state)].holds(function)) continue;
        errors.push_back(lowering_error(fmt::format("activation {}: function {} not in resident set {}", i.name, function_name(function), set_text(state, options.sets)), &i));
      }
    });
  if (!errors.empty()) return errors;
  return module;
}

}  // namespace act::passes
