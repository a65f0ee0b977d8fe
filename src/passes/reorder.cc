#include "passes/reorder.h"

#include <algorithm>

#include "passes/access.h"
#include "passes/cover.h"
#include "passes/resident.h"

namespace act::passes {
namespace {

struct Graph {
  std::vector<const ir::Inst*> insts;
  std::vector<std::vector<std::uint32_t>> after;  // who waits for whom
  std::vector<std::uint32_t> waits;               // how many each waits for
};

// An instruction that nothing may move across: it orders engines, or has keys whose meaning is not known here.
bool is_barrier(const ir::Inst& i) {
  if (!i.sync.empty() || !i.extras.empty()) return true;
  if (i.kind != ir::InstKind::Isa) return false;
  const OpcodeInfo* row = find_opcode(i.bundle().opcode());
  return get_bits(i.bundle(), 32, 64) != 0 || row == nullptr || row->engine == Engine::ANY;
}

struct Print {
  Accesses accesses;
  bool barrier = false;
};

// Whether the second must stay behind the first. The resident set is not looked at: the loads are what changes.
bool depends(const Print& first, const Print& second) {
  const Accesses &a = first.accesses, &b = second.accesses;
  if (first.barrier || second.barrier) return true;
  if ((a.writes_anywhere && !b.empty()) || (b.writes_anywhere && !a.empty())) return true;
  const auto writes = [](const auto& list) { return std::ranges::any_of(list, [](const auto& m) { return m.write; }); };
  if ((a.reads_anywhere && writes(b.memory)) || (b.reads_anywhere && writes(a.memory))) return true;
  for (const auto& x : a.memory)
    for (const auto& y : b.memory)
      if ((x.write || y.write) && x.rect.meets(y.rect)) return true;
  for (const auto& x : a.states)
    for (const auto& y : b.states)
      if (x.keep == y.keep && x.keep != Keep::tables && (x.write || y.write)) return true;
  return false;
}

Graph graph_of(const ir::Node& block, Generation g) {
  Graph graph;
  std::vector<Print> prints;
  for (const ir::Inst& i : block.instructions) {
    if (i.is_load()) continue;
    graph.insts.push_back(&i);
    accesses_of(i, g, prints.emplace_back().accesses);
    prints.back().barrier = is_barrier(i);
  }
  const std::size_t n = graph.insts.size();
  graph.after.resize(n);
  graph.waits.assign(n, 0);
  for (std::size_t b = 1; b < n; ++b)
    for (std::size_t a = 0; a < b; ++a)
      if (depends(prints[a], prints[b])) {
        graph.after[a].push_back(static_cast<std::uint32_t>(b));
        ++graph.waits[b];
      }
  return graph;
}

struct State {
  std::vector<std::uint32_t> waits;
  std::vector<std::uint8_t> done;
  std::size_t left = 0;
};

// Takes everything that can run with `set` resident (nullptr: nothing that needs a table) and returns how many of them need
// a table.
std::size_t take(const Graph& graph, const ActSet* set, State& s) {
  std::size_t served = 0;
  std::vector<std::uint32_t> ready;
  for (std::uint32_t k = 0; k < graph.insts.size(); ++k)
    if (s.done[k] == 0 && s.waits[k] == 0) ready.push_back(k);
  while (!ready.empty()) {
    const std::uint32_t k = ready.back();
    ready.pop_back();
    const bool table = ir::uses_tables(*graph.insts[k]);
    if (table && (set == nullptr || !serves(*set, *graph.insts[k]))) continue;
    s.done[k] = 1;
    --s.left;
    served += table ? 1 : 0;
    for (const std::uint32_t next : graph.after[k])
      if (--s.waits[next] == 0) ready.push_back(next);
  }
  return served;
}

}  // namespace

ReorderResult reordered_loads(const ir::Node& block, std::int64_t entry, std::int64_t exit, const Options& options, Generation generation) {
  const Graph graph = graph_of(block, generation);
  ReorderResult result;
  result.work = graph.insts.size() * graph.insts.size();
  std::uint64_t round = graph.insts.size();  // steps of one attempt
  for (const auto& after : graph.after) round += after.size();
  State s{graph.waits, std::vector<std::uint8_t>(graph.insts.size(), 0), graph.insts.size()};
  const auto known = [&](std::int64_t set) { return set >= 0 && set < static_cast<std::int64_t>(options.sets.size()); };
  std::int64_t resident = entry;
  take(graph, known(entry) ? &options.sets[static_cast<std::size_t>(entry)] : nullptr, s);
  while (s.left != 0) {
    std::size_t best = 0, most = 0;
    State best_state;
    for (std::size_t k = 0; k < options.sets.size(); ++k) {
      State trial = s;
      const std::size_t served = take(graph, &options.sets[k], trial);
      if (served <= most) continue;
      most = served;
      best = k;
      best_state = std::move(trial);
    }
    result.work += round * options.sets.size();
    if (most == 0) return {block.instructions.size(), result.work};  // a function without a set; not reached on lowered modules
    s = std::move(best_state);
    resident = static_cast<std::int64_t>(best);
    ++result.loads;
  }
  if (known(exit) && resident != exit) ++result.loads;
  return result;
}

}  // namespace act::passes
