#include "act/sim/pool_buffer.h"

namespace act::sim {

std::optional<std::uint32_t> PoolBuffer::match(std::uint32_t index) const {
  if (element_bytes == 0 || (index & ~mask) != (start_index & ~mask)) return std::nullopt;
  const std::uint32_t position = index & mask;
  if (position >= count) return std::nullopt;
  return position;
}

}  // namespace act::sim
