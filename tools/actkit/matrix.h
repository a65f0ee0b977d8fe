// The table of instructions against what can be done with them.
#pragma once

#include <string>

namespace act::tool {

// Markdown: one row per named opcode with generations, engine, and whether it is encoded field by field, checked, simulated.
std::string instruction_matrix();

}  // namespace act::tool
