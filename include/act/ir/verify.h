// What must hold of a module before anything is done with it.
#pragma once

#include "act/diag/diagnostic.h"
#include "act/ir/module.h"

namespace act::ir {

// Appends every violation: names, operands, kinds against engines, calls, loops (bad-module, duplicate-name, unknown-name,
// out-of-bounds). Places are "function/block" with the source line of the instruction where the module gives it. `file` names
// the module in messages.
void verify_module(const Module& module, const std::string& file, Diagnostics& out);

}  // namespace act::ir
