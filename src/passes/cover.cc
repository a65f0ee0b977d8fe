#include "passes/cover.h"

#include <fmt/format.h>

#include <algorithm>

#include "act/tables/functions.h"

namespace act::passes {
namespace {

// Lowest index of a mask of sets, one byte a set.
unsigned lowest(const std::vector<std::uint8_t>& candidates) {
  return static_cast<unsigned>(std::ranges::find(candidates, 1) - candidates.begin());
}

}  // namespace

std::vector<ActSet> act_sets(const Catalog& catalog) {
  std::vector<ActSet> out;
  for (const TableSet& set : catalog.sets) {
    ActSet s{set.name(), 0};
    for (const auto& [name, budget] : set.row.act)
      if (const FunctionInfo* f = find_function(name); f != nullptr && f->bir_ordinal >= 0) s.functions |= FunctionMask{1} << f->bir_ordinal;
    out.push_back(std::move(s));
  }
  return out;
}

KnownSet known_set(const TableSet& set) {
  KnownSet known;
  known.name = set.name();
  const auto add = [&known](std::string_view function, std::uint32_t code) {
    if (const FunctionInfo* info = find_function(function)) code = static_cast<std::uint32_t>(info->neuron_code);
    if (code < known.functions.size()) known.functions.set(code);
  };
  for (const FunctionTable& f : set.functions) add(f.name, f.func_id);
  if (set.functions.empty())
    for (const auto& [function, budget] : set.row.act) add(function, known.functions.size());
  return known;
}

std::vector<KnownSet> known_sets(const Catalog& catalog) {
  std::vector<KnownSet> sets;
  for (const TableSet& set : catalog.sets) sets.push_back(known_set(set));
  return sets;
}

std::uint8_t function_of(const ir::Inst& inst) { return ir::table_function(inst).value_or(ir::kAnySet); }

bool serves(const ActSet& set, const ir::Inst& inst) {
  const std::uint8_t f = function_of(inst);
  return f == ir::kAnySet || set.holds(f);
}

std::string_view function_name(std::uint8_t ordinal) {
  const FunctionInfo* f = find_function_by_ordinal(ordinal);
  return f != nullptr ? f->bir_name : "Unknown";
}

Diagnostic lowering_error(std::string message, const ir::Inst* inst) {
  if (inst != nullptr) message = fmt::format("{}: {}", ir::place_of(*inst), message);
  Diagnostic d = make_error(Code::lowering, std::move(message));
  if (inst != nullptr) d.where.line = inst->line;
  return d;
}

Diagnostic invalid_function(const ir::Inst& inst) {
  Diagnostic d = lowering_error("Invalid activation function found in instruction: no set of the catalog holds it", &inst);
  d.value = function_name(function_of(inst));
  return d;
}

Result<std::vector<LoadAt>> cover_greedy(const ir::Node& block, std::span<const ActSet> sets) {
  std::vector<LoadAt> loads;
  const std::vector<std::uint8_t> all(sets.size(), 1);
  std::vector<std::uint8_t> candidates = all, next;
  bool open = false;  // a chunk with at least one instruction; its load is loads.back()
  for (std::size_t k = 0; k < block.instructions.size(); ++k) {
    const ir::Inst& inst = block.instructions[k];
    if (!ir::uses_tables(inst)) continue;
    for (;;) {
      next = candidates;
      for (std::size_t s = 0; s < sets.size(); ++s) next[s] = next[s] != 0 && serves(sets[s], inst) ? 1 : 0;
      if (std::ranges::find(next, 1) != next.end()) break;
      if (!open) return invalid_function(inst);
      open = false;  // close the chunk: its sets are exhausted; take the instruction up again with all sets
      candidates = all;
    }
    if (!open) loads.push_back({k, 0});
    open = true;
    candidates = next;
    loads.back().set = lowest(candidates);
  }
  return loads;
}

Result<std::vector<LoadAt>> cover_first_fit(const ir::Node& block, std::span<const ActSet> sets) {
  std::vector<LoadAt> loads;
  for (std::size_t k = 0; k < block.instructions.size(); ++k) {
    const ir::Inst& inst = block.instructions[k];
    if (!ir::uses_tables(inst)) continue;
    if (function_of(inst) == ir::kAnySet && !loads.empty()) continue;  // any set serves it: the run goes on
    const auto fit = std::ranges::find_if(sets, [&](const ActSet& s) { return serves(s, inst); });
    if (fit == sets.end()) return invalid_function(inst);
    const auto set = static_cast<unsigned>(fit - sets.begin());
    if (loads.empty() || loads.back().set != set) loads.push_back({k, set});
  }
  return loads;
}

}  // namespace act::passes
