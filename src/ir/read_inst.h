// One instruction record of a module.
#pragma once

#include "act/ir/module.h"
#include "ir/reader.h"

namespace act::ir {

// Reads the record at `e`; errors go to the reader. Tensors of `module` must be complete.
Inst read_inst(Reader& r, dom::element e, const Path& at, const Module& module);

}  // namespace act::ir
