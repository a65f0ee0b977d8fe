// Function tables as Python holds them.
#pragma once

#include <span>

#include "act/isa/check.h"
#include "act/tables/evaluate.h"
#include "common.h"

namespace act::python {

// A table and what keeps it alive.
struct Table {
  std::shared_ptr<const Catalog> owner;
  const FunctionTable* table = nullptr;
};

// The one place where arrays are evaluated. out[i] = f(in[i]); the spans may be the same memory.
void evaluate_span(const FunctionTable& table, std::span<const float> in, std::span<float> out, const EvalPolicy& policy, float alpha);

// What the checker wants to know of a catalog.
std::vector<KnownSet> known_sets(const Catalog& catalog);

}  // namespace act::python
