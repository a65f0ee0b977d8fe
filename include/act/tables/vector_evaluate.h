// Evaluation of many inputs at once: a function table laid out for the vector units of the processor. The
// bits are those of evaluate(), the scalar reference, for every input and every policy.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "act/tables/evaluate.h"

namespace act {

namespace kernels {
struct Prepared;
}

class VectorTable {
 public:
  // How values are computed.
  enum class Form : std::uint8_t {
    scalar,       // by evaluate(): a build without vector code, or a table with inputs that no section takes
    parametric,   // slope from the instruction
    direct,       // no table body: one of two clamp slots, no lookup
    linear,       // sections whose higher coefficients are all zero
    quick_cubic,  // sections that expand in their middle: in binary32 where that is proven to give the same
                  // bits
    cubic,
  };

  // Lays the table out; `table` must outlive this object.
  explicit VectorTable(const FunctionTable& table, const EvalPolicy& policy = {});
  ~VectorTable();
  VectorTable(VectorTable&&) noexcept;
  VectorTable& operator=(VectorTable&&) noexcept;

  // out[i] = f(in[i]) for already scaled and biased inputs; `alpha` is the slope of parametric_relu. The
  // spans have one length and are the same memory or disjoint. Results are the same for every split of the
  // inputs into calls.
  void evaluate(std::span<const float> in, std::span<float> out, float alpha = 0) const;

  Form form() const { return form_; }
  const FunctionTable& table() const { return *table_; }

 private:
  const FunctionTable* table_;
  EvalPolicy policy_;
  Form form_;
  std::unique_ptr<kernels::Prepared> prepared_;
};

// Instruction sets that this build has kernels for and this processor runs, the preferred one first:
// "AVX-512", "AVX2", "SSE4", and last "scalar", which is evaluate() in a loop and all that a build without
// vector code has.
std::vector<std::string_view> vector_targets();
// The one in use.
std::string_view vector_target();
// Uses the named one from now on, in all threads; empty: the preferred one. False when it is not among
// vector_targets(). For tests and measurements; not while another thread evaluates.
bool select_vector_target(std::string_view name);

}  // namespace act
