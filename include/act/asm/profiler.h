// The vendor profiler's operand text of an instruction (05 section 6), to lay beside a profile.
#pragma once

#include <functional>
#include <string>

#include "act/isa/opcode.h"

namespace act {

// Name of the owner of a semaphore, empty when it is not known: an engine (kEngineSemaphores) or a queue of the container.
using SemaphoreOwner = std::function<std::string(unsigned semaphore)>;

// Owner of the semaphores that belong to engines on every container: 4 Scalar, 5 Tensor, 6 Vector (05 section 5).
std::string engine_semaphore_owner(unsigned semaphore);

// "ACTIVATE S[6] (Vector)>=5 … EXP bias_ptr=fp32@0x4810 src=…": opcode as the profiler calls it, wait, update, operands. White
// space is one blank. Of instructions whose operands are not documented only opcode, wait and update are printed, and for
// bytes that are no instruction ".bytes" and the hex digits. Line end not included.
std::string print_profiler(const Bundle& bundle, const SemaphoreOwner& owner = engine_semaphore_owner);

// The opcode alone ("TENSOR_REDUCE"), and everything behind it.
std::string profiler_opcode(std::uint8_t opcode);
std::string profiler_operands(const Bundle& bundle, const SemaphoreOwner& owner = engine_semaphore_owner);

}  // namespace act
