#include "act/passes/passes.h"

#include <algorithm>

namespace act::passes {
namespace {

constexpr Pass kPasses[] = {
    {"lower_act", "chooses table sets and inserts a load before each chunk of activations", lower_act},
    {"prefetch_act", "moves loads up to their earliest legal place", prefetch_act},
    {"optimize_act", "deletes loads whose set is resident already", optimize_act},
    {"verify_act", "checks that every activation finds its function in the resident set", verify_act},
    {"unroll", "unrolls loops, inlines calls and makes set expressions static", unroll},
    {"sync", "makes engines wait for each other's results", sync},
};
constexpr std::size_t kLoweringPasses = 4;  // the rest belongs to code generation

}  // namespace

std::span<const Pass> all_passes() { return kPasses; }

const Pass* find_pass(std::string_view name) {
  const auto it = std::ranges::find(kPasses, name, &Pass::name);
  return it == std::end(kPasses) ? nullptr : &*it;
}

Result<ir::Module> run_passes(ir::Module module, std::span<const Pass* const> passes, const Options& options, Diagnostics& notes, const AfterPass& after) {
  Result<ir::Module> m = std::move(module);
  for (const Pass* pass : passes) {
    m = pass->run(std::move(*m), options, notes);
    if (!m) break;
    if (after) after(*pass, *m);
  }
  return m;
}

Result<std::vector<const Pass*>> parse_pass_list(std::string_view list) {
  std::vector<const Pass*> out;
  while (!list.empty()) {
    const std::string_view name = list.substr(0, list.find(','));
    list.remove_prefix(std::min(name.size() + 1, list.size()));
    const Pass* pass = find_pass(name);
    if (pass == nullptr) {
      Diagnostic d = make_error(Code::unknown_name, "no such pass");
      d.value = std::string(name.substr(0, 80));
      for (const Pass& p : kPasses) d.allowed += (d.allowed.empty() ? "" : ", ") + std::string(p.name);
      return d;
    }
    out.push_back(pass);
  }
  return out;
}

Result<ir::Module> lower(ir::Module module, const Options& options, Diagnostics& notes) {
  Result<ir::Module> m = std::move(module);
  for (const Pass& pass : std::span(kPasses).first(kLoweringPasses)) {
    m = pass.run(std::move(*m), options, notes);
    if (!m) break;
  }
  return m;
}

}  // namespace act::passes
