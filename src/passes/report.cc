#include "act/passes/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "passes/cover.h"
#include "passes/reorder.h"
#include "passes/resident.h"

namespace act::passes {
namespace {

constexpr std::uint64_t kMost = ~std::uint64_t{0};
constexpr std::uint64_t kReorderWork = 50'000'000;  // steps over the whole module
constexpr std::size_t kReorderBlock = 2000;         // instructions of one block

std::uint64_t add(std::uint64_t a, std::uint64_t b) { return a > kMost - b ? kMost : a + b; }
std::uint64_t times(std::uint64_t a, std::uint64_t b) { return b != 0 && a > kMost / b ? kMost : a * b; }

class Counter {
 public:
  explicit Counter(const ir::Module& m) : module_(m) {}

  Executions region(const std::vector<ir::Node>& nodes) {
    Executions sum;
    for (const ir::Node& n : nodes) {
      const Executions e = node(n);
      sum = {add(sum.least, e.least), add(sum.most, e.most)};
    }
    return sum;
  }

 private:
  Executions node(const ir::Node& n) {
    switch (n.kind) {
      case ir::Node::Kind::block: {
        const auto loads = static_cast<std::uint64_t>(std::ranges::count_if(n.instructions, &ir::Inst::is_load));
        return {loads, loads};
      }
      case ir::Node::Kind::loop: {
        const Executions body = region(n.body);
        return {times(body.least, static_cast<std::uint64_t>(n.trip)), times(body.most, static_cast<std::uint64_t>(n.trip))};
      }
      case ir::Node::Kind::branch: {
        const Executions a = region(n.body), b = region(n.otherwise);
        return {std::min(a.least, b.least), std::max(a.most, b.most)};
      }
      case ir::Node::Kind::call: break;
    }
    const ir::Function* callee = module_.find_function(n.name);
    if (callee == nullptr || !open_.insert(callee).second) return {};
    const auto known = calls_.find(callee);
    const Executions e = known != calls_.end() ? known->second : calls_[callee] = region(callee->body);
    open_.erase(callee);
    return e;
  }

  const ir::Module& module_;
  std::map<const ir::Function*, Executions> calls_;
  std::set<const ir::Function*> open_;
};

// A block with its place in the text, how often it runs, and what is resident around it.
struct BlockView {
  const ir::Node* block;
  std::string where;
  std::uint64_t executions = 0;
  std::int64_t entry = kUnknown;
};

class Blocks {
 public:
  Blocks(const ir::Module& m, const Options& o) : module_(m) {
    weights();
    std::int64_t entry = kUnknown;
    for (std::size_t s = 0; s < o.sets.size(); ++s)
      if (!m.act_set.empty() && o.sets[s].name == m.act_set) entry = static_cast<std::int64_t>(s);
    const auto tables = entry == kUnknown ? functions_with_tables(m) : std::set<std::string>{};
    for (const ir::Function& f : m.functions)
      walk_resident(f.body, entry, tables, [&](const ir::Node& block, std::int64_t state) { entries_[&block] = state; });
    for (const ir::Function& f : m.functions) collect(f.body, f.name, weight_[&f]);
  }
  const std::vector<BlockView>& all() const { return all_; }

 private:
  // How often each function runs: callers before callees.
  void weights() {
    std::vector<const ir::Function*> order;
    std::set<const ir::Function*> seen;
    if (!module_.functions.empty()) post_order(module_.functions[0], seen, order);
    if (!module_.functions.empty()) weight_[&module_.functions[0]] = 1;
    for (auto it = order.rbegin(); it != order.rend(); ++it) spread((*it)->body, weight_[*it]);
  }
  void post_order(const ir::Function& f, std::set<const ir::Function*>& seen, std::vector<const ir::Function*>& order) {
    if (!seen.insert(&f).second) return;
    visit_calls(f.body, [&](const ir::Function& callee) { post_order(callee, seen, order); });
    order.push_back(&f);
  }
  template <class Visit>
  void visit_calls(const std::vector<ir::Node>& nodes, const Visit& visit) {
    for (const ir::Node& n : nodes) {
      if (n.kind == ir::Node::Kind::call)
        if (const ir::Function* callee = module_.find_function(n.name)) visit(*callee);
      visit_calls(n.body, visit);
      visit_calls(n.otherwise, visit);
    }
  }
  void spread(const std::vector<ir::Node>& nodes, std::uint64_t weight) {
    for (const ir::Node& n : nodes) {
      const std::uint64_t inner = n.kind == ir::Node::Kind::loop ? times(weight, static_cast<std::uint64_t>(n.trip)) : weight;
      if (n.kind == ir::Node::Kind::call)
        if (const ir::Function* callee = module_.find_function(n.name)) weight_[callee] = add(weight_[callee], weight);
      spread(n.body, inner);
      spread(n.otherwise, inner);
    }
  }
  void collect(const std::vector<ir::Node>& nodes, const std::string& where, std::uint64_t weight) {
    for (const ir::Node& n : nodes) {
      switch (n.kind) {
        case ir::Node::Kind::block: {
          const auto it = entries_.find(&n);
          all_.push_back({&n, where + "/" + n.name, weight, it == entries_.end() ? kUnknown : it->second});
          break;
        }
        case ir::Node::Kind::loop: collect(n.body, where + "/loop " + n.name, times(weight, static_cast<std::uint64_t>(n.trip))); break;
        case ir::Node::Kind::branch:
          collect(n.body, where + "/then", weight);
          collect(n.otherwise, where + "/else", weight);
          break;
        case ir::Node::Kind::call: break;
      }
    }
  }

  const ir::Module& module_;
  std::map<const ir::Function*, std::uint64_t> weight_;
  std::unordered_map<const ir::Node*, std::int64_t> entries_;
  std::vector<BlockView> all_;
};

std::string set_name(std::int64_t set, const Options& o) {
  return set >= 0 && set < static_cast<std::int64_t>(o.sets.size()) ? o.sets[static_cast<std::size_t>(set)].name : std::string{};
}

std::string join(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& n : names) out += (out.empty() ? "" : ", ") + n;
  return out;
}

// Why a load names its set: the functions of what it serves in its block, and how that cover chooses.
std::string reason(const ir::Node& block, std::size_t load, const Options& o) {
  std::vector<std::string> functions;
  for (std::size_t k = load + 1; k < block.instructions.size() && !block.instructions[k].is_load(); ++k) {
    const ir::Inst& i = block.instructions[k];
    if (!ir::uses_tables(i) || function_of(i) == ir::kAnySet) continue;
    std::string name(function_name(function_of(i)));
    if (std::ranges::find(functions, name) == functions.end()) functions.push_back(std::move(name));
  }
  if (functions.empty()) return "any set serves copies and casts; the lowest is taken";
  const std::string list = join(functions);
  switch (o.cover) {
    case Cover::greedy: return fmt::format("lowest set that holds {}", list);
    case Cover::first_fit: return fmt::format("first set that holds {}", list);
    case Cover::optimal: break;
  }
  return fmt::format("holds {}; part of the cover with the fewest executed loads", list);
}

void add_groups(const BlockView& view, const Options& o, const std::string& act_set, Report& report) {
  const auto& list = view.block->instructions;
  std::int64_t state = view.entry;
  std::string load, why = act_set.empty() ? "resident on every path into the block" : "static mode: the one set that holds every function of the module";
  bool open = false;
  for (std::size_t k = 0; k < list.size(); ++k) {
    if (list[k].is_load()) {
      state = after(list[k], state);
      load = list[k].name;
      why = reason(*view.block, k, o);
      open = false;
    } else if (ir::uses_tables(list[k])) {
      if (!open) report.groups.push_back({view.where, set_name(state, o), load, why, {}});
      open = true;
      report.groups.back().activations.push_back(list[k].name);
    }
  }
}

void add_reorder(const BlockView& view, const Options& o, Generation g, std::uint64_t& work, Report& report) {
  const auto& list = view.block->instructions;
  const auto loads = static_cast<std::uint64_t>(std::ranges::count_if(list, &ir::Inst::is_load));
  if (loads < 2) return;
  const bool symbolic = std::ranges::any_of(list, [](const ir::Inst& i) { return i.is_load() && !i.set().is_static(); });
  if (list.size() > kReorderBlock || work > kReorderWork || symbolic) {
    ++report.blocks_without_reorder;
    return;
  }
  std::int64_t exit = view.entry;
  for (const ir::Inst& i : list) exit = after(i, exit);
  const ReorderResult r = reordered_loads(*view.block, view.entry, exit, o, g);
  work += r.work;
  if (r.loads >= loads) return;
  report.reorder.push_back({view.where, loads, r.loads, view.executions});
  report.reorder_saves = add(report.reorder_saves, times(loads - r.loads, view.executions));
}

}  // namespace

Executions executed_loads(const ir::Module& module) {
  if (module.functions.empty()) return {};
  return Counter(module).region(module.functions[0].body);
}

ReportTracker::Places ReportTracker::places_of(const ir::Module& module) {
  Places places;
  std::size_t block_number = 0;
  for (const ir::Function& f : module.functions)
    ir::for_blocks(f.body, [&](const ir::Node& block) {
      std::size_t others = 0;
      for (const ir::Inst& i : block.instructions) {
        if (i.is_load()) places.emplace(i.name, Place{block_number, others});
        else ++others;
      }
      ++block_number;
    });
  return places;
}

void ReportTracker::start(const ir::Module& module) { places_ = places_of(module); }

void ReportTracker::after(std::string_view, const ir::Module& module) {
  Places now = places_of(module);
  for (const auto& [name, place] : now) {
    const auto before = places_.find(name);
    if (before == places_.end()) ++report_.inserted;
    else if (before->second != place) hoisted_[name] = true;
  }
  for (const auto& [name, place] : places_)
    if (!now.contains(name)) ++report_.deleted;
  places_ = std::move(now);
}

Report ReportTracker::finish(const ir::Module& module, const Options& options, double load_ns) {
  Report& r = report_;
  r.hoisted = hoisted_.size();
  r.load_ns = load_ns;
  r.act_set = module.act_set;
  r.executed = executed_loads(module);
  const Blocks blocks(module, options);
  std::uint64_t work = 0;
  for (const BlockView& view : blocks.all()) {
    for (const ir::Inst& i : view.block->instructions) {
      if (!i.is_load()) continue;
      const std::int64_t set = i.set().is_static() ? i.set().index() : ir::kNoSet;
      r.remaining.push_back({i.name, set_name(set, options), set, view.where, hoisted_.contains(i.name), view.executions});
    }
    add_groups(view, options, r.act_set, r);
    add_reorder(view, options, module.generation, work, r);
  }
  return std::move(r);
}

}  // namespace act::passes
