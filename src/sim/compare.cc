#include "act/sim/compare.h"

#include <fmt/format.h>

namespace act::sim {
namespace {

// Codes of a type in the order of their values: neighbours differ by 1.
std::int64_t order_of(Dtype t, std::uint64_t code) {
  const DtypeRow& row = dtype_row(t);
  if (row.kind == DtypeKind::signed_integer) {
    const unsigned shift = 64 - row.bits;
    return static_cast<std::int64_t>(code << shift) >> shift;
  }
  if (row.kind != DtypeKind::floating) return static_cast<std::int64_t>(code);
  const std::uint64_t sign = std::uint64_t{1} << (row.bits - 1);
  const auto magnitude = static_cast<std::int64_t>(code & (sign - 1));
  return (code & sign) != 0 ? -magnitude : magnitude;
}

Comparison compare(const TensorBinding& tensor, const NpyArray& got, const NpyArray& exact, const NumericPolicy& policy) {
  Comparison c;
  c.tensor = tensor.name;
  c.elements = got.count();
  const std::uint64_t row = c.elements / tensor.shape[0];
  double sum = 0;
  for (std::uint64_t i = 0; i < c.elements; ++i) {
    const std::uint64_t a = got.bits(i), b = exact.bits(i);
    const float value = widen(tensor.dtype, a, policy), wanted = widen(tensor.dtype, b, policy);
    if (is_nan(value) || is_nan(wanted)) {
      c.nan_mismatches += is_nan(value) != is_nan(wanted) ? 1 : 0;
      continue;
    }
    const std::uint64_t ulp = code_distance(tensor.dtype, a, b);
    sum += static_cast<double>(ulp);
    if (ulp <= c.max_ulp && i != 0) continue;
    c.max_ulp = ulp;
    c.channel = static_cast<unsigned>(i / row);
    c.element = i % row;
    c.value = value;
    c.exact = wanted;
  }
  c.mean_ulp = c.elements == 0 ? 0 : sum / static_cast<double>(c.elements);
  return c;
}

}  // namespace

std::uint64_t code_distance(Dtype type, std::uint64_t a, std::uint64_t b) {
  const std::int64_t d = order_of(type, a) - order_of(type, b);
  return static_cast<std::uint64_t>(d < 0 ? -d : d);
}

Result<std::vector<Comparison>> compare_exact(const Program& program, const RunOptions& options,
                                              const std::vector<std::pair<std::size_t, NpyArray>>& inputs, const Simulator& simulator,
                                              const std::function<bool(Simulator&)>& run) {
  RunOptions exact_options = options;
  exact_options.source = FunctionSource::closed_form;
  exact_options.trace = nullptr;
  Simulator exact(program, exact_options);
  for (const auto& [at, array] : inputs)
    if (Status loaded = exact.load(program.tensors[at], array); !loaded) return std::move(loaded).error();
  if (!run(exact)) return exact.reports();
  std::vector<Comparison> comparisons;
  for (const TensorBinding& tensor : program.tensors) {
    if (tensor.role != TensorBinding::Role::output && tensor.role != TensorBinding::Role::both) continue;
    Result<NpyArray> got = simulator.store(tensor), wanted = exact.store(tensor);
    if (!got) return std::move(got).error();
    if (!wanted) return std::move(wanted).error();
    comparisons.push_back(compare(tensor, *got, *wanted, options.policies.numeric()));
    comparisons.back().exact_values = std::move(*wanted);
  }
  return comparisons;
}

std::string to_text(const Comparison& c) {
  std::string text = fmt::format("{}: {} elements, max {} ULP at channel {}, element {} ({} for {}), mean {:.3f} ULP", c.tensor, c.elements, c.max_ulp,
                                 c.channel, c.element, c.value, c.exact, c.mean_ulp);
  if (c.nan_mismatches != 0) text += fmt::format(", {} NaN on one side only", c.nan_mismatches);
  return text;
}

}  // namespace act::sim
