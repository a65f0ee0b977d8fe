// Which engines may hold an opcode in their streams (01 section 1.3).
#pragma once

#include <string>

#include "act/isa/opcode.h"

namespace act {

// Whether an engine executes the opcode on a generation. Control instructions, and opcodes that the roster names no engine
// for, run everywhere; on v5 the activation family also runs on DVE, whose block holds the tables.
bool runs_on(std::uint8_t opcode, Engine engine, Generation generation);

// "ACT, DVE", or "any".
std::string engines_of(std::uint8_t opcode, Generation generation);

}  // namespace act
