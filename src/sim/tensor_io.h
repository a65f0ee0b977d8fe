// Tensors between arrays and on-chip memory.
#pragma once

#include "act/files/npy.h"
#include "act/isa/program.h"
#include "act/sim/simulator.h"

namespace act::sim {

TensorExtent extent_of(const Machine& machine, const TensorBinding& tensor);

// Errors: bad-binding for shapes or types that do not fit or a place outside the memory.
Status check_binding(const Machine& machine, const TensorBinding& tensor);
Status load_tensor(Machine& machine, const TensorBinding& tensor, const NpyArray& array);
Result<NpyArray> store_tensor(const Machine& machine, const TensorBinding& tensor);
// Elements with a byte that nothing has written. Precondition: check_binding holds.
std::uint64_t undefined_elements(const Machine& machine, const TensorBinding& tensor);

}  // namespace act::sim
