// Tensors as operands are written: whole, or a part that starts inside one.
#pragma once

#include <optional>
#include <vector>

#include "act/ir/module.h"
#include "act/isa/memory_map.h"

namespace act::ir {

// All elements of a tensor: its free dimensions are dense, so they join into rows of at most 65535 elements. Nothing when
// that takes more than two dimensions.
std::optional<Argument> whole_tensor(const Module& m, std::int32_t tensor);

// The tensor that an address lies in, where one begins at that address or a little before it.
class TensorIndex {
 public:
  explicit TensorIndex(const Module& m);

  struct Place {
    std::int32_t tensor = -1;
    unsigned partition = 0;      // from the tensor's first
    std::uint32_t element = 0;   // from the channel's first
  };
  // Nothing for addresses outside all tensors, inside an element, or with marker bits.
  std::optional<Place> find(std::uint32_t address) const;

 private:
  struct Entry {
    Space space;
    std::uint32_t low, high;  // bytes of a partition
    unsigned first, last;     // partitions
    std::int32_t tensor;
  };
  Generation generation_;
  const std::vector<TensorBinding>& tensors_;
  std::vector<Entry> entries_;  // by space and low
};

}  // namespace act::ir
