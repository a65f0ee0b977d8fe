// How few loads a block would need if its independent instructions stood in another order.
#pragma once

#include "act/passes/passes.h"

namespace act::passes {

struct ReorderResult {
  std::uint64_t loads = 0;   // with the order found; a witness, so the true minimum is at most this
  std::uint64_t work = 0;    // steps: pairs of instructions looked at, and those of all attempts
};
// `entry` and `exit`: the set that is resident before the block and has to be behind it (kUnknown: any). Dependences are
// those of access.h; instructions are taken set by set, each time the set that serves most of what is ready.
ReorderResult reordered_loads(const ir::Node& block, std::int64_t entry, std::int64_t exit, const Options& options, Generation generation);

}  // namespace act::passes
