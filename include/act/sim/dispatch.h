// From a bundle to the body of its instruction.
#pragma once

#include "act/sim/exec.h"

namespace act::sim {

using OpBody = void (*)(Exec&, const Bundle&);

// Body of an opcode, or nullptr for one that cannot be executed.
OpBody op_body(std::uint8_t opcode);

}  // namespace act::sim
