#include "act/tables/vector_evaluate.h"

#include <algorithm>

#include "tables/kernels/prepared.h"

namespace act {
namespace {

// Below this many inputs the scalar loop is done before a vector has been set up.
constexpr std::size_t kVectorFrom = 8;

VectorTable::Form form_of(const FunctionTable& table, const EvalPolicy& policy, kernels::Prepared& p) {
  using Form = VectorTable::Form;
  if (table.fma_indirection_src_sel == kParametricSelector && policy.parametric == ParametricPolicy::direct)
    return Form::parametric;
  if (!kernels::lay_out(table, policy, p)) return Form::scalar;
  if (kernels::is_direct(table)) {
    kernels::choose_direct(p);
    return Form::direct;
  }
  if (kernels::is_linear(table)) return Form::linear;
  return p.quick.empty() ? Form::cubic : Form::quick_cubic;
}

}  // namespace

VectorTable::VectorTable(const FunctionTable& table, const EvalPolicy& policy)
    : table_(&table), policy_(policy), form_(Form::scalar), prepared_(std::make_unique<kernels::Prepared>()) {
  form_ = form_of(table, policy, *prepared_);
}
VectorTable::~VectorTable() = default;
VectorTable::VectorTable(VectorTable&&) noexcept = default;
VectorTable& VectorTable::operator=(VectorTable&&) noexcept = default;

void VectorTable::evaluate(std::span<const float> in, std::span<float> out, float alpha) const {
  const std::size_t n = std::min(in.size(), out.size());
  const kernels::Kernels* k = form_ == Form::scalar || n < kVectorFrom ? nullptr : kernels::active_kernels();
  if (k == nullptr) {
    for (std::size_t i = 0; i < n; ++i) out[i] = act::evaluate(*table_, in[i], policy_, alpha);
    return;
  }
  if (form_ == Form::parametric) return k->parametric(alpha, in.data(), out.data(), n);
  if (form_ == Form::direct) return k->direct(*prepared_, in.data(), out.data(), n);
  k->table(*prepared_, form_ == Form::linear, in.data(), out.data(), n);
}

}  // namespace act
