#include "passes/optimal.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

namespace act::passes {
namespace {

using Clock = std::chrono::steady_clock;
using Cost = std::uint64_t;
constexpr Cost kNever = ~Cost{0} / 4;

// States: 0..n-1 a set, n unknown. Row = state before, column = state behind.
struct Matrix {
  unsigned n = 0;
  std::vector<Cost> cost;
  explicit Matrix(unsigned states) : n(states), cost(std::size_t{states} * states, kNever) {}
  Cost& at(unsigned from, unsigned to) { return cost[std::size_t{from} * n + to]; }
  Cost at(unsigned from, unsigned to) const { return cost[std::size_t{from} * n + to]; }
};

Cost add(Cost a, Cost b) { return a >= kNever || b >= kNever ? kNever : std::min(a + b, kNever - 1); }
Cost times(Cost a, std::int64_t trips) {
  Cost out = 0;
  if (a >= kNever || __builtin_mul_overflow(a, static_cast<Cost>(trips), &out) || out >= kNever) return a == 0 ? 0 : a >= kNever ? kNever : kNever - 1;
  return out;
}

class Planner {
 public:
  Planner(const ir::Module& m, const Options& o) : module_(m), sets_(o.sets), states_(static_cast<unsigned>(o.sets.size()) + 1), deadline_(Clock::now() + o.optimal_limit) {}

  Result<Plan> run() {
    for (const ir::Function& f : module_.functions)
      if (Status ok = check_functions(f.body); !ok) return std::move(ok).error();
    Plan plan;
    for (const ir::Function& f : module_.functions) {
      const Matrix& m = region(f.body);
      if (late_) return plan;
      const unsigned end = cheapest_end(m, unknown());
      if (&f == &module_.functions.front()) plan.executed = m.at(unknown(), end);
      choose(f.body, unknown(), end, plan);
    }
    plan.complete = true;
    return plan;
  }

 private:
  unsigned unknown() const { return states_ - 1; }

  Status check_functions(const std::vector<ir::Node>& nodes) const {
    Diagnostics errors;
    ir::for_blocks(nodes, [&](const ir::Node& block) {
      for (const ir::Inst& i : block.instructions)
        if (ir::uses_tables(i) && std::ranges::none_of(sets_, [&](const ActSet& s) { return serves(s, i); })) errors.push_back(invalid_function(i));
    });
    if (!errors.empty()) return errors;
    return Done{};
  }

  unsigned cheapest_end(const Matrix& m, unsigned from) const {
    unsigned best = 0;
    for (unsigned to = 1; to < states_; ++to)
      if (m.at(from, to) < m.at(from, best)) best = to;
    return best;
  }

  // --- cost matrices, memoised by node and by region ---------------------------------------------------------------

  const Matrix& region(const std::vector<ir::Node>& nodes) {
    const auto [it, fresh] = regions_.try_emplace(&nodes, Matrix(states_));
    if (!fresh) return it->second;
    Matrix total(states_);
    for (unsigned s = 0; s < states_; ++s) total.at(s, s) = 0;
    for (const ir::Node& n : nodes) total = product(total, node(n));
    return regions_.insert_or_assign(&nodes, std::move(total)).first->second;
  }

  Matrix product(const Matrix& a, const Matrix& b) {
    late_ = late_ || Clock::now() > deadline_;
    Matrix out(states_);
    if (late_) return out;
    for (unsigned i = 0; i < states_; ++i)
      for (unsigned k = 0; k < states_; ++k) {
        if (a.at(i, k) >= kNever) continue;
        for (unsigned j = 0; j < states_; ++j) out.at(i, j) = std::min(out.at(i, j), add(a.at(i, k), b.at(k, j)));
      }
    return out;
  }

  const Matrix& node(const ir::Node& n) {
    const auto [it, fresh] = nodes_.try_emplace(&n, Matrix(states_));
    if (!fresh) return it->second;
    Matrix m(states_);
    switch (n.kind) {
      case ir::Node::Kind::block: m = block_matrix(n); break;
      case ir::Node::Kind::loop: m = with_load_before(loop_matrix(n)); break;
      case ir::Node::Kind::branch: m = with_load_before(branch_matrix(n)); break;
      case ir::Node::Kind::call: m = call_matrix(n); break;
    }
    return nodes_.insert_or_assign(&n, std::move(m)).first->second;
  }

  // Behind a block every set can be loaded for one more.
  Matrix block_matrix(const ir::Node& n) {
    Matrix m(states_);
    for (unsigned from = 0; from < states_; ++from) {
      std::vector<Cost> cost(states_, kNever);
      cost[from] = 0;
      for (const ir::Inst& i : n.instructions)
        if (ir::uses_tables(i)) step(i, cost);
      const Cost least = *std::ranges::min_element(cost);
      for (unsigned to = 0; to < states_; ++to) m.at(from, to) = to == unknown() ? cost[to] : std::min(cost[to], add(least, 1));
      late_ = late_ || Clock::now() > deadline_;
      if (late_) break;
    }
    return m;
  }

  // Cost of being in each state behind an instruction: keep the set when it serves, or load one directly before.
  void step(const ir::Inst& i, std::vector<Cost>& cost) const {
    const Cost least = *std::ranges::min_element(cost);
    for (unsigned s = 0; s + 1 < states_; ++s) cost[s] = serves(sets_[s], i) ? std::min(cost[s], add(least, 1)) : kNever;
    cost[unknown()] = kNever;
  }

  // Body entered with the set it leaves, or from unknown; it runs trip times either way. A single trip is straight-line code.
  Matrix loop_matrix(const ir::Node& n) {
    Matrix m(states_);
    const Matrix& body = region(n.body);
    if (n.trip == 1) return body;
    for (unsigned from = 0; from < states_; ++from) {
      if (n.trip == 0) {
        m.at(from, from) = 0;
        continue;
      }
      m.at(from, from) = times(body.at(from, from), n.trip);
      for (unsigned to = 0; to < states_; ++to) m.at(from, to) = std::min(m.at(from, to), times(body.at(unknown(), to), n.trip));
    }
    return m;
  }

  Matrix branch_matrix(const ir::Node& n) {
    Matrix m(states_);
    const Matrix &then = region(n.body), &otherwise = region(n.otherwise);
    for (unsigned from = 0; from < states_; ++from) {
      Cost a = kNever, b = kNever;
      for (unsigned to = 0; to < states_; ++to) {
        m.at(from, to) = std::max(then.at(from, to), otherwise.at(from, to));
        a = std::min(a, then.at(from, to));
        b = std::min(b, otherwise.at(from, to));
      }
      m.at(from, unknown()) = std::min(m.at(from, unknown()), std::max(a, b));
    }
    return m;
  }

  Matrix call_matrix(const ir::Node& n) {
    Matrix m(states_);
    const ir::Function* f = module_.find_function(n.name);
    if (f == nullptr || !has_tables(f->body)) {
      for (unsigned s = 0; s < states_; ++s) m.at(s, s) = 0;
      return m;
    }
    const Matrix& body = region(f->body);
    const Cost cost = body.at(unknown(), cheapest_end(body, unknown()));
    for (unsigned s = 0; s < states_; ++s) m.at(s, unknown()) = cost;
    return m;
  }

  bool has_tables(const std::vector<ir::Node>& nodes) const {
    for (const ir::Node& n : nodes) {
      if (std::ranges::any_of(n.instructions, [](const ir::Inst& i) { return ir::uses_tables(i); })) return true;
      if (has_tables(n.body) || has_tables(n.otherwise)) return true;
      const ir::Function* callee = n.kind == ir::Node::Kind::call ? module_.find_function(n.name) : nullptr;
      if (callee != nullptr && has_tables(callee->body)) return true;
    }
    return false;
  }

  // The choice to load before a loop or branch, at the cost of one.
  Matrix with_load_before(const Matrix& inner) {
    Matrix m = inner;
    for (unsigned set = 0; set + 1 < states_; ++set)
      for (unsigned from = 0; from < states_; ++from)
        for (unsigned to = 0; to < states_; ++to) m.at(from, to) = std::min(m.at(from, to), add(1, inner.at(set, to)));
    return m;
  }

  // --- walking the decisions back -------------------------------------------------------------------------------------

  void choose(const std::vector<ir::Node>& nodes, unsigned from, unsigned to, Plan& plan) {
    // suffix[k][s]: cost from before node k in state s to the end in state `to`.
    std::vector<std::vector<Cost>> suffix(nodes.size() + 1, std::vector<Cost>(states_, kNever));
    suffix[nodes.size()][to] = 0;
    for (std::size_t k = nodes.size(); k-- > 0;) {
      const Matrix& m = node(nodes[k]);
      for (unsigned s = 0; s < states_; ++s)
        for (unsigned t = 0; t < states_; ++t) suffix[k][s] = std::min(suffix[k][s], add(m.at(s, t), suffix[k + 1][t]));
    }
    unsigned state = from;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const Matrix& m = node(nodes[k]);
      unsigned next = 0;
      while (next + 1 < states_ && add(m.at(state, next), suffix[k + 1][next]) != suffix[k][state]) ++next;
      choose_node(nodes[k], state, next, plan);
      state = next;
    }
  }

  void choose_node(const ir::Node& n, unsigned from, unsigned to, Plan& plan) {
    if (n.kind == ir::Node::Kind::block) return choose_block(n, from, to, plan);
    if (n.kind == ir::Node::Kind::call) return;
    const Matrix inner = n.kind == ir::Node::Kind::loop ? loop_matrix(n) : branch_matrix(n);
    if (node(n).at(from, to) != inner.at(from, to)) {
      unsigned set = 0;
      while (add(1, inner.at(set, to)) != node(n).at(from, to)) ++set;
      plan.before[&n] = set;
      from = set;
    }
    if (n.kind == ir::Node::Kind::loop) {
      if (n.trip == 0) return;
      if (n.trip == 1) return choose(n.body, from, to, plan);
      const Matrix& body = region(n.body);
      const bool steady = from == to && times(body.at(from, from), n.trip) == inner.at(from, to);
      return choose(n.body, steady ? from : unknown(), to, plan);
    }
    const Matrix &then = region(n.body), &otherwise = region(n.otherwise);
    const bool together = std::max(then.at(from, to), otherwise.at(from, to)) == inner.at(from, to);
    choose(n.body, from, together ? to : cheapest_end(then, from), plan);
    choose(n.otherwise, from, together ? to : cheapest_end(otherwise, from), plan);
  }

  void choose_block(const ir::Node& n, unsigned from, unsigned to, Plan& plan) {
    std::vector<std::size_t> uses;
    for (std::size_t k = 0; k < n.instructions.size(); ++k)
      if (ir::uses_tables(n.instructions[k])) uses.push_back(k);
    std::vector<std::vector<Cost>> cost(uses.size() + 1, std::vector<Cost>(states_, kNever));
    cost[0][from] = 0;
    for (std::size_t k = 0; k < uses.size(); ++k) {
      cost[k + 1] = cost[k];
      step(n.instructions[uses[k]], cost[k + 1]);
    }
    std::vector<LoadAt> loads;  // from the end
    unsigned state = to;
    const auto least_of = [&](std::size_t k) { return static_cast<unsigned>(std::ranges::min_element(cost[k]) - cost[k].begin()); };
    if (to != unknown() && cost[uses.size()][to] > add(cost[uses.size()][least_of(uses.size())], 1)) {
      loads.push_back({n.instructions.size(), to});
      state = least_of(uses.size());
    }
    for (std::size_t k = uses.size(); k-- > 0;) {
      if (cost[k][state] == cost[k + 1][state]) continue;  // the set was resident already
      loads.push_back({uses[k], state});
      state = least_of(k);
    }
    std::ranges::reverse(loads);
    plan.blocks[&n] = std::move(loads);
  }

  const ir::Module& module_;
  std::span<const ActSet> sets_;
  unsigned states_;
  Clock::time_point deadline_;
  bool late_ = false;
  std::map<const ir::Node*, Matrix> nodes_;
  std::map<const std::vector<ir::Node>*, Matrix> regions_;
};

}  // namespace

Result<Plan> optimal_plan(const ir::Module& module, const Options& options, Diagnostics& notes) {
  auto plan = Planner(module, options).run();
  if (plan && !plan->complete) {
    Diagnostic d = make_warning(Code::lowering, fmt::format("the optimal cover was not found within {} ms; greedy was used", options.optimal_limit.count()));
    notes.push_back(std::move(d));
  }
  return plan;
}

}  // namespace act::passes
