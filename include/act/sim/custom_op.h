// Custom operations (opcodes 0x85 and 0x86): C++ functions of the user, called by function_id with their tensors and
// scratch space.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "act/diag/result.h"
#include "act/numeric/dtype.h"

namespace act::sim {

class Machine;

// One tensor of a call: its place and shape, and its content on entry. What the function leaves in `elements` of an
// output is written back after it returns.
struct CustomTensor {
  enum class Location : std::uint8_t { sbuf = 1, hbm = 2 };
  Location location = Location::sbuf;
  Dtype dtype = Dtype::fp32;
  std::uint64_t address = 0;
  std::uint32_t num_elem = 0;
  std::uint8_t num_partitions = 0;          // SBUF only
  std::uint32_t num_elem_per_block = 0;     // SBUF only
  std::vector<std::uint32_t> shape;
  std::vector<std::uint64_t> elements;  // raw patterns
};

struct CustomCall {
  Machine& machine;
  std::uint8_t function_id = 0;
  // Arguments in payload order, outputs before inputs; an array argument is a list of tensors.
  std::vector<std::vector<CustomTensor>> arguments;
  unsigned outputs = 0;  // how many of `arguments` are outputs
  std::uint32_t scratch_addr = 0, scratch_bytes = 0;  // per partition; 0 = none
  std::uint8_t scratch_partitions = 0;
};

using CustomOp = std::function<Status(CustomCall&)>;
using CustomOps = std::map<std::uint8_t, CustomOp>;  // by function_id

}  // namespace act::sim
