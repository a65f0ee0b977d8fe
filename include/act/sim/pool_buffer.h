// The gather buffer of the pooling engine (opcode 0x67).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "act/isa/memory_map.h"

namespace act::sim {

inline constexpr unsigned kPoolBufferElements = 512;

// Up to 512 raw elements per channel, and which gather indices they answer to.
struct PoolBuffer {
  std::uint32_t start_index = 0, mask = 0;
  unsigned element_bytes = 0;  // 0 = never loaded
  unsigned channels = 0, count = 0;
  std::array<std::vector<std::uint64_t>, kPartitions> elements;  // raw patterns, by channel

  // Position in the buffer that a gather index selects, or nothing when the buffer does not hold it: the bits of the
  // index outside `mask` must be those of start_index, the bits inside are the position. With start_index 0xab400 and
  // mask 0x1ff the indices 0xab400..0xab5ff match.
  std::optional<std::uint32_t> match(std::uint32_t index) const;
};

}  // namespace act::sim
