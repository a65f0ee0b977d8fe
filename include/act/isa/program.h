// A program: engine streams, and the tensors and registers it is given. What text, JSON and lowering produce, and what
// the simulator executes.
#pragma once

#include <string>
#include <vector>

#include "act/isa/opcode.h"

namespace act {

// A named piece of on-chip memory that data is bound to. Dimension 0 of `shape` runs over channels: channel p starts at
// `addr` + p * partition stride. The other dimensions lie densely, last one fastest, from the channel's start.
struct TensorBinding {
  enum class Role : std::uint8_t { input, output, both, scratch };

  std::string name;
  Role role = Role::scratch;
  std::uint32_t addr = 0;  // 29-bit on-chip byte address of channel 0
  Dtype dtype = Dtype::fp32;
  std::vector<std::uint64_t> shape;  // channels first; at least one dimension
  std::uint32_t line = 0;            // where it was written, 0 = nowhere
};

struct RegisterInit {
  std::uint8_t number = 0;  // 0..63
  std::uint32_t value = 0;
};

// Shape registers (D-10): steps in elements and counts of a descriptor of up to four dimensions.
struct ShapeRegisterInit {
  std::uint8_t number = 0;  // 0..63
  TensorView shape;         // addr unused
};

struct Stream {
  Engine engine = Engine::ACT;
  std::string name;                  // file or graph/engine it came from, for messages
  std::vector<Bundle> bundles;
  std::vector<std::uint32_t> lines;  // source line of each bundle; empty when there is no source
};

struct Program {
  Generation generation = kDefaultGeneration;
  std::vector<Stream> streams;
  std::vector<TensorBinding> tensors;
  std::vector<RegisterInit> registers;
  std::vector<ShapeRegisterInit> shape_registers;
};

}  // namespace act
