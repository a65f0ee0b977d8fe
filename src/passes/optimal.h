// The fewest executed loads for the given trip counts, by dynamic programming over the structure of the module.
#pragma once

#include <map>

#include "passes/cover.h"

namespace act::passes {

// Loads per block, in positions of its instructions; and for loops and branches a load directly before them.
struct Plan {
  bool complete = false;  // false: the time limit was reached, nothing is planned
  std::map<const ir::Node*, std::vector<LoadAt>> blocks;
  std::map<const ir::Node*, unsigned> before;
  std::uint64_t executed = 0;  // loads on the worst path, by trip counts
};

// State between instructions is the resident set or "unknown", the same on every path there, so a loop body either starts
// from a set that its end restores, or from unknown. Branch arms count as the worse of the two; a called function starts
// from unknown and leaves unknown. Under these rules the plan is optimal: each region's cost is the minimum over all
// states at its ends. Errors: invalid function.
Result<Plan> optimal_plan(const ir::Module& module, const Options& options, Diagnostics& notes);

// Inserts the plan: insert(block, loads) for every block with loads; a load before a loop or branch becomes a block of its
// own in front of it.
template <class Insert>
void apply_plan(ir::Module& module, const Plan& plan, Insert&& insert);

namespace detail {
template <class Insert>
void apply_to(std::vector<ir::Node>& nodes, const Plan& plan, Insert& insert) {
  std::vector<std::pair<std::size_t, unsigned>> in_front;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    ir::Node& n = nodes[k];
    const auto found = plan.blocks.find(&n);
    const auto before = plan.before.find(&n);
    if (before != plan.before.end()) in_front.emplace_back(k, before->second);
    apply_to(n.body, plan, insert);
    apply_to(n.otherwise, plan, insert);
    if (found != plan.blocks.end() && !found->second.empty()) insert(n, found->second);
  }
  for (auto it = in_front.rbegin(); it != in_front.rend(); ++it) {  // from the end: addresses before it stay valid
    ir::Node block;
    block.name = nodes[it->first].name + "-preload";
    insert(block, {{0, it->second}});
    nodes.insert(nodes.begin() + static_cast<std::ptrdiff_t>(it->first), std::move(block));
  }
}
}  // namespace detail

template <class Insert>
void apply_plan(ir::Module& module, const Plan& plan, Insert&& insert) {
  for (ir::Function& f : module.functions) detail::apply_to(f.body, plan, insert);
}

}  // namespace act::passes
