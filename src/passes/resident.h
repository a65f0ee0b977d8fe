// The resident set along the paths of a function: the dataflow that deduplication and the residency check share
// (03 section 8, L-16).
#pragma once

#include <set>
#include <string>

#include "act/passes/passes.h"

namespace act::passes {

// Set index, kUnknown (the book's NONE) or kTop (no path seen yet).
inline constexpr std::int64_t kUnknown = ir::kNoSet;
inline constexpr std::int64_t kTop = -1;

inline std::int64_t meet(std::int64_t a, std::int64_t b) {
  if (a == kTop) return b;
  if (b == kTop) return a;
  return a == b ? a : kUnknown;
}

// State behind an instruction.
inline std::int64_t after(const ir::Inst& inst, std::int64_t state) {
  if (!inst.is_load()) return state;
  return inst.set().is_static() ? inst.set().index() : kUnknown;
}

// Functions that, with what they call, hold an activation or a load: a call of one leaves the state unknown.
std::set<std::string> functions_with_tables(const ir::Module& module);

// Visitor that does nothing. A named type: a lambda inside walk_resident would be a new type in every instantiation.
struct Quiet {
  void operator()(const ir::Node&, std::int64_t) const {}
};

// Walks a region from `state`: at_block(block, entry state) is called once per block with its final entry state; the state
// behind the region is returned. Loops are iterated to their fixpoint first.
template <class Nodes, class AtBlock>
std::int64_t walk_resident(Nodes& nodes, std::int64_t state, const std::set<std::string>& table_functions, AtBlock&& at_block) {
  for (auto& n : nodes) {
    switch (n.kind) {
      case ir::Node::Kind::block: {
        at_block(n, state);
        for (const ir::Inst& i : n.instructions) state = after(i, state);
        break;
      }
      case ir::Node::Kind::loop: {
        if (n.trip == 0) break;
        // The head is reached from before the loop and from its own end; two rounds reach the fixpoint of a flat lattice.
        // A loop of one trip has no way back.
        std::int64_t head = state;
        for (int round = 0; n.trip > 1 && round < 3; ++round) head = meet(head, walk_resident(std::as_const(n.body), head, table_functions, Quiet{}));
        state = walk_resident(n.body, head, table_functions, at_block);
        break;
      }
      case ir::Node::Kind::branch: {
        const std::int64_t then = walk_resident(n.body, state, table_functions, at_block);
        state = meet(then, walk_resident(n.otherwise, state, table_functions, at_block));
        break;
      }
      case ir::Node::Kind::call:
        if (table_functions.contains(n.name)) state = kUnknown;
    }
  }
  return state;
}

}  // namespace act::passes
