// One body per instruction. A new one is a file beside this and its line in list.def.
#pragma once

#include "act/sim/exec.h"

namespace act::sim::ops {

// A body that several opcodes share is declared once for each; the declarations agree.
#define ACT_OP(opcode, Type, body) void body(Exec& x, const Type& i);
#include "list.def"
#undef ACT_OP

}  // namespace act::sim::ops
