// A tensor operand as an instruction walks it (01 section 4): resolved once, checked once, then read and written by blocks.
#pragma once

#include <array>
#include <string_view>

#include "act/isa/memory_map.h"
#include "act/numeric/dtype.h"

namespace act::sim {

// Elements are numbered k = 0..count-1 within a channel, dimension 0 fastest. Element k of channel p lies in partition
// `partition` + p at byte offset + the sum of coordinate * step.
struct Operand {
  std::string_view name;  // field of the instruction, for messages
  Dtype dtype = Dtype::invalid;
  unsigned bytes = 0;  // of one element
  Space space = Space::off_chip;
  unsigned partition = 0, channels = 0;
  std::uint32_t offset = 0;  // of element 0 in its partition
  unsigned dims = 1;         // after neighbouring dimensions that continue each other were joined
  std::array<std::int64_t, 4> step{};  // bytes
  std::array<std::uint32_t, 4> num{1, 1, 1, 1};
  std::uint64_t count = 0;         // elements per channel
  std::int64_t low = 0, high = 0;  // bytes [low, high) of the partition that hold all elements
  bool writes = false;
  // The counts as written in the descriptor, for instructions that give dimensions a meaning.
  unsigned written_dims = 0;
  std::array<std::uint32_t, 4> written_num{1, 1, 1, 1};
  std::array<std::int64_t, 4> written_step{};  // elements
  // The gather form: element k is element index[k] of the data that starts at (partition, offset).
  bool indirect = false;
  Space index_space = Space::off_chip;
  unsigned index_partition = 0;
  std::uint32_t index_offset = 0;

  bool dense() const { return !indirect && dims == 1 && (step[0] == bytes || count == 1); }
  bool valid() const { return bytes != 0; }
};

// Consecutive elements of one channel.
struct Block {
  unsigned channel = 0;
  std::uint64_t begin = 0;
  unsigned count = 0;
};
inline constexpr unsigned kBlock = 1024;  // most elements of a block
inline constexpr unsigned kLongBlock = 16 * kBlock;  // the same where nothing goes through a buffer

// A scalar operand: one value for all channels, or one per channel. Values are patterns of `dtype` widened by the reader.
struct Scalar {
  bool uniform = true;
  float value = 0;
  std::array<float, kPartitions> values;  // of channels 0..n-1 when not uniform
  float at(unsigned channel) const { return uniform ? value : values[channel]; }
};
// The same as raw bit patterns, for bit and integer operations.
struct ScalarBits {
  bool uniform = true;
  std::uint64_t value = 0;
  std::array<std::uint64_t, kPartitions> values;
  std::uint64_t at(unsigned channel) const { return uniform ? value : values[channel]; }
};

}  // namespace act::sim
