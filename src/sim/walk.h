// The byte offsets of an operand's elements, as runs of equal step.
#pragma once

#include <algorithm>

#include "act/sim/operand.h"

namespace act::sim {

// Calls run(offset, step, n) for consecutive elements [begin, begin + count) of a strided operand: `offset` in the
// partition of the first, `step` in bytes to the next. Runs follow dimension 0.
template <class Run>
void for_runs(const Operand& o, std::uint64_t begin, std::uint64_t count, Run&& run) {
  if (o.dims == 1) {
    run(static_cast<std::int64_t>(o.offset) + static_cast<std::int64_t>(begin) * o.step[0], o.step[0], count);
    return;
  }
  std::array<std::uint64_t, 4> at{};
  std::uint64_t rest = begin;
  for (unsigned d = 0; d < o.dims; ++d) {
    at[d] = rest % o.num[d];
    rest /= o.num[d];
  }
  while (count > 0) {
    std::int64_t offset = o.offset;
    for (unsigned d = 0; d < o.dims; ++d) offset += static_cast<std::int64_t>(at[d]) * o.step[d];
    const std::uint64_t n = std::min<std::uint64_t>(count, o.num[0] - at[0]);
    run(offset, o.step[0], n);
    count -= n;
    at[0] += n;
    for (unsigned d = 0; d + 1 < o.dims && at[d] == o.num[d]; ++d) {
      at[d] = 0;
      ++at[d + 1];
    }
  }
}

// Offset of one element of a strided operand.
inline std::int64_t element_offset(const Operand& o, std::uint64_t k) {
  std::int64_t offset = o.offset;
  for (unsigned d = 0; d < o.dims; ++d) {
    offset += static_cast<std::int64_t>(k % o.num[d]) * o.step[d];
    k /= o.num[d];
  }
  return offset;
}

}  // namespace act::sim
