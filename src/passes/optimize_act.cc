// Deletes loads that change nothing (03 section 8, L-16).
#include <algorithm>

#include "passes/resident.h"

namespace act::passes {
namespace {

void collect_calls(const std::vector<ir::Node>& nodes, std::set<std::string>& out) {
  for (const ir::Node& n : nodes) {
    if (n.kind == ir::Node::Kind::call) out.insert(n.name);
    collect_calls(n.body, out);
    collect_calls(n.otherwise, out);
  }
}

// A static load with another load behind it before anything uses it.
void delete_dead(ir::Node& block) {
  auto& list = block.instructions;
  std::vector<std::uint8_t> dead(list.size(), 0);
  for (std::size_t k = 0; k < list.size(); ++k) {
    if (!list[k].is_load() || !list[k].set().is_static()) continue;
    for (std::size_t j = k + 1; j < list.size(); ++j) {
      if (ir::uses_tables(list[j])) break;
      if (list[j].is_load() && list[j].engine == list[k].engine) {
        dead[k] = 1;
        break;
      }
    }
  }
  std::size_t k = 0;
  std::erase_if(list, [&](const ir::Inst&) { return dead[k++] != 0; });
}

void delete_resident(ir::Node& block, std::int64_t state) {
  std::erase_if(block.instructions, [&](const ir::Inst& i) {
    const bool same = i.is_load() && i.set().is_static() && i.set().index() == state;
    state = after(i, state);
    return same;
  });
}

}  // namespace

std::set<std::string> functions_with_tables(const ir::Module& module) {
  std::set<std::string> out;
  for (const ir::Function& f : module.functions)
    ir::for_blocks(f.body, [&](const ir::Node& block) {
      if (std::ranges::any_of(block.instructions, [](const ir::Inst& i) { return i.is_load() || ir::table_function(i).value_or(ir::kAnySet) != ir::kAnySet; })) out.insert(f.name);
    });
  for (bool grew = true; grew;) {
    grew = false;
    for (const ir::Function& f : module.functions) {
      std::set<std::string> calls;
      collect_calls(f.body, calls);
      if (std::ranges::any_of(calls, [&](const std::string& c) { return out.contains(c); })) grew = out.insert(f.name).second || grew;
    }
  }
  return out;
}

Result<ir::Module> optimize_act(ir::Module module, const Options&, Diagnostics&) {
  Diagnostics errors;
  for (ir::Function& f : module.functions)
    ir::for_blocks(f.body, [&](ir::Node& block) {
      for (const ir::Inst& i : block.instructions)
        if (i.is_load() && i.set().is_static() && i.set().index() == ir::kNoSet) {
          Diagnostic d = make_error(Code::lowering, "the set NAME must exist: a load without a set");
          d.where.line = i.line;
          d.value = i.name;
          errors.push_back(std::move(d));
        }
      delete_dead(block);
    });
  if (!errors.empty()) return errors;
  const auto table_functions = functions_with_tables(module);
  for (ir::Function& f : module.functions) walk_resident(f.body, kUnknown, table_functions, [](ir::Node& block, std::int64_t state) { delete_resident(block, state); });
  return module;
}

}  // namespace act::passes
