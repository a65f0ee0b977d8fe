// How engines wait for each other: the numbers of real streams (05 section 5).
#pragma once

#include <optional>

#include "act/ir/module.h"

namespace act::passes {

// The semaphore that counts the finished instructions of an engine. 4, 5 and 6 are what real streams use for ACT, PE and DVE:
// consecutive over the engines with a stream, in the compiler's order; Pool and SP, which no stream seen counts, are 3 and 7.
inline constexpr std::uint8_t kFirstEngineSemaphore = 3;
std::optional<std::uint8_t> engine_semaphore(ir::EngineId engine);
inline constexpr std::size_t kSyncEngines = 5;

}  // namespace act::passes
