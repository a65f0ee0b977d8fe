// Loads move up to their earliest legal place in the block (03 section 7, L-15).
#include <algorithm>

#include "passes/cover.h"

namespace act::passes {
namespace {

// What a load on `engine` cannot be moved above.
bool stops(const ir::Inst& above, ir::EngineId engine) {
  if (above.engine != engine) return false;
  if (ir::uses_tables(above) || above.is_load()) return true;
  if (above.kind != ir::InstKind::Isa) return false;
  // A pure wait orders what follows it on its engine.
  return static_cast<Opcode>(above.bundle().opcode()) == Opcode::EVENT_SEMAPHORE;
}

}  // namespace

Result<ir::Module> prefetch_act(ir::Module module, const Options& options, Diagnostics&) {
  Diagnostics errors;
  for (ir::Function& f : module.functions)
    ir::for_blocks(f.body, [&](ir::Node& block) {
      auto& list = block.instructions;
      for (std::size_t k = 0; k < list.size(); ++k) {
        if (!list[k].is_load() || !list[k].set().is_static()) continue;
        const std::int64_t id = list[k].set().index();
        if (id < 0 || id >= static_cast<std::int64_t>(options.sets.size())) {
          errors.push_back(lowering_error("Invalid Activation function table ID", &list[k]));
          continue;
        }
        std::size_t to = k;
        while (to > 0 && !stops(list[to - 1], list[k].engine)) --to;
        std::rotate(list.begin() + static_cast<std::ptrdiff_t>(to), list.begin() + static_cast<std::ptrdiff_t>(k), list.begin() + static_cast<std::ptrdiff_t>(k) + 1);
      }
    });
  if (!errors.empty()) return errors;
  return module;
}

}  // namespace act::passes
