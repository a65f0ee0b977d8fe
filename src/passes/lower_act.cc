// Sets for all activations of a module, and a load before each chunk (03 section 6).
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "passes/cover.h"
#include "passes/optimal.h"

namespace act::passes {
namespace {

constexpr std::size_t kMaxTables = 8;
constexpr std::string_view kLoadSuffix = "-PWP";
// The column of tables: the activation engine, from v5 on the vector engine (L-29).
ir::EngineId table_engine(Generation g) { return g == Generation::maverick ? ir::EngineId::DVE : ir::EngineId::Activation; }

class Lowering {
 public:
  explicit Lowering(ir::Module& m) : module_(m) {
    for (ir::Function& f : module_.functions)
      ir::for_blocks(f.body, [&](ir::Node& block) {
        for (const ir::Inst& i : block.instructions)
          if (i.name.find(kLoadSuffix) != std::string::npos) names_.insert(i.name);  // others cannot clash with a load
      });
  }

  // Inserts the loads of a plan; positions ascend.
  void insert(ir::Node& block, const std::vector<LoadAt>& plan) {
    std::vector<ir::Inst> out;
    out.reserve(block.instructions.size() + plan.size());
    auto next = plan.begin();
    for (std::size_t k = 0; k <= block.instructions.size(); ++k) {
      for (; next != plan.end() && next->position == k; ++next) out.push_back(make_load(k < block.instructions.size() ? &block.instructions[k] : nullptr, next->set));
      if (k < block.instructions.size()) out.push_back(std::move(block.instructions[k]));
    }
    block.instructions = std::move(out);
  }

  Diagnostics& errors() { return errors_; }

 private:
  ir::Inst make_load(const ir::Inst* trigger, unsigned set) {
    ir::Inst load;
    load.kind = ir::InstKind::LoadActFuncSet;
    load.engine = table_engine(module_.generation);
    load.fields = ir::SetId{static_cast<std::int64_t>(set)};
    load.name = unique_name((trigger != nullptr ? trigger->name : std::string("end")) + std::string(kLoadSuffix));
    if (trigger != nullptr) {
      load.line = trigger->line;
      load.trigger = function_of(*trigger) == ir::kAnySet ? 0 : function_of(*trigger);
    }
    if (distinct_.insert(set).second && distinct_.size() == kMaxTables + 1)
      errors_.push_back(lowering_error(fmt::format("Instruction LoadActFuncSet {}: the number of activation tables must be <= 8", load.name), trigger));
    return load;
  }

  std::string unique_name(const std::string& base) {
    std::string name = base;
    for (unsigned k = 1; !names_.insert(name).second; ++k) name = fmt::format("{}.{}", base, k);
    return name;
  }

  ir::Module& module_;
  std::unordered_set<std::string> names_;
  std::set<unsigned> distinct_;
  Diagnostics errors_;
};

template <class Visit>
void for_module_blocks(ir::Module& m, Visit&& visit) {
  for (ir::Function& f : m.functions) ir::for_blocks(f.body, visit);
}

Status check_input(ir::Module& m, const Options& o) {
  Diagnostics errors;
  std::set<ir::EngineId> engines;
  for_module_blocks(m, [&](ir::Node& block) {
    for (const ir::Inst& i : block.instructions) {
      if (i.is_load()) errors.push_back(lowering_error("InstLoadActFuncSet should not exist before lower activate", &i));
      if (ir::uses_tables(i)) engines.insert(i.engine);
    }
  });
  if (engines.size() > 1) errors.push_back(lowering_error("Engine2UsedActSetNames.size() <= 1: activations on more than one engine"));
  if (o.sets.empty()) errors.push_back(lowering_error("Module has no Activation Function Tables set up for this InstLoadActFuncSet"));
  if (!errors.empty()) return errors;
  return Done{};
}

// IT 2 is an activation in disguise: relu with nothing around it.
void lower_generic_relu(ir::Module& m) {
  for_module_blocks(m, [](ir::Node& block) {
    for (ir::Inst& i : block.instructions)
      if (i.kind == ir::InstKind::GenericRelu) i = ir::lowered_relu(i);
  });
}

// v5 has no activation engine: its work stands in the stream of DVE, whose block holds the tables, and so do the loads.
void move_to_vector_engine(ir::Module& m) {
  for_module_blocks(m, [](ir::Node& block) {
    for (ir::Inst& i : block.instructions)
      if (i.engine == ir::EngineId::Activation) i.engine = ir::EngineId::DVE;
  });
}

Result<ir::Module> fixed_mode(ir::Module m, const Options& o) {
  bool any = false;
  std::vector<std::uint8_t> fits(o.sets.size(), 1);
  for_module_blocks(m, [&](ir::Node& block) {
    for (const ir::Inst& i : block.instructions) {
      if (!ir::uses_tables(i)) continue;
      any = true;
      for (std::size_t s = 0; s < fits.size(); ++s)
        if (!serves(o.sets[s], i)) fits[s] = 0;
    }
  });
  const auto best = std::ranges::find(fits, 1);
  if (best == fits.end()) return lowering_error("static activation table mode: no single set covers all activation functions");
  if (any) m.act_set = o.sets[static_cast<std::size_t>(best - fits.begin())].name;
  m.lowered = true;
  return m;
}

std::set<unsigned> sets_of(const Plan& plan) {
  std::set<unsigned> out;
  for (const auto& [block, loads] : plan.blocks)
    for (const LoadAt& l : loads) out.insert(l.set);
  for (const auto& [node, set] : plan.before) out.insert(set);
  return out;
}

// The optimal plan; where it needs more than eight sets and the greedy cover does not, the optimal plan over the sets of the
// greedy cover, which is never worse than that.
Result<Plan> plan_within_budget(ir::Module& m, const Options& o, Diagnostics& notes) {
  auto plan = optimal_plan(m, o, notes);
  if (!plan || !plan->complete || sets_of(*plan).size() <= kMaxTables) return plan;
  std::set<unsigned> allowed;
  for_module_blocks(m, [&](ir::Node& block) {
    if (const auto loads = cover_greedy(block, o.sets))
      for (const LoadAt& l : *loads) allowed.insert(l.set);
  });
  if (allowed.size() > kMaxTables) return plan;
  notes.push_back(make_warning(Code::lowering, "the fewest loads would need more than 8 tables; they are the fewest with the tables of the greedy cover"));
  const std::vector<unsigned> index(allowed.begin(), allowed.end());
  Options few = o;
  few.sets.clear();
  for (const unsigned set : index) few.sets.push_back(o.sets[set]);
  plan = optimal_plan(m, few, notes);
  if (!plan) return plan;
  for (auto& [block, loads] : plan->blocks)
    for (LoadAt& l : loads) l.set = index[l.set];
  for (auto& [node, set] : plan->before) set = index[set];
  return plan;
}

}  // namespace

Result<ir::Module> lower_act(ir::Module module, const Options& options, Diagnostics& notes) {
  if (module.lowered) return module;
  if (Status ok = check_input(module, options); !ok) return std::move(ok).error();
  lower_generic_relu(module);
  if (module.generation >= Generation::maverick) move_to_vector_engine(module);
  if (options.table_mode == TableMode::fixed) return fixed_mode(std::move(module), options);

  Lowering lowering(module);
  Diagnostics errors;
  bool planned = false;
  if (options.cover == Cover::optimal) {
    auto plan = plan_within_budget(module, options, notes);
    if (!plan) return std::move(plan).error();
    if (plan->complete) {
      apply_plan(module, *plan, [&](ir::Node& block, const std::vector<LoadAt>& loads) { lowering.insert(block, loads); });
      planned = true;
    }
  }
  if (!planned)
    for_module_blocks(module, [&](ir::Node& block) {
      auto loads = options.cover == Cover::first_fit ? cover_first_fit(block, options.sets) : cover_greedy(block, options.sets);
      if (loads) return lowering.insert(block, *loads);
      std::ranges::move(loads.error(), std::back_inserter(errors));
    });
  std::ranges::move(lowering.errors(), std::back_inserter(errors));
  if (!errors.empty()) return errors;
  module.dynamic_pwp = true;
  module.lowered = true;
  return module;
}

}  // namespace act::passes
