// What the tests of the vector evaluator share: the tables, the inputs that matter for one, and the
// comparison of bits.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "act/tables/embedded.h"
#include "act/tables/vector_evaluate.h"

namespace act::testing_support {

// Uses one instruction set while it lives.
class TargetGuard {
 public:
  explicit TargetGuard(std::string_view name) { EXPECT_TRUE(select_vector_target(name)) << name; }
  ~TargetGuard() { select_vector_target({}); }
  TargetGuard(const TargetGuard&) = delete;
  TargetGuard& operator=(const TargetGuard&) = delete;
};

inline std::vector<EvalPolicy> all_eval_policies() {
  std::vector<EvalPolicy> all;
  for (const NanPolicy nan : {NanPolicy::nan_result, NanPolicy::propagate})
    for (const ReconPolicy recon : {ReconPolicy::folded, ReconPolicy::literal})
      for (const ParametricPolicy parametric : {ParametricPolicy::direct, ParametricPolicy::table})
        all.push_back({nan, recon, parametric});
  return all;
}

// Every table of an embedded catalog once; the catalog stays in memory.
inline std::vector<const FunctionTable*> tables_of(std::string_view catalog_name) {
  Diagnostics warnings;
  static std::vector<std::unique_ptr<Catalog>> kept;
  auto catalog = open_catalog(std::string(catalog_name), warnings);
  EXPECT_TRUE(catalog) << catalog_name;
  std::vector<const FunctionTable*> tables;
  if (!catalog) return tables;
  kept.push_back(std::make_unique<Catalog>(std::move(*catalog)));
  for (const TableSet& set : kept.back()->sets)
    for (const FunctionTable& f : set.functions) {
      const bool known =
          std::any_of(tables.begin(), tables.end(), [&](const FunctionTable* t) { return *t == f; });
      if (!known) tables.push_back(&f);
    }
  return tables;
}

// Edges of all octaves and sections, thresholds, and special values, each with its neighbours and both signs.
inline std::vector<float> telling_inputs(const FunctionTable& t) {
  std::vector<std::uint32_t> keys = {0,          0x7f800000, 0x7fc00000, 0x7f800001, 0x7fffffff,
                                     0x7f7fffff, 1,          0x007fffff, 0x00800000, 0x3f800000};
  for (const Side* side : {&t.pos, &t.neg}) {
    for (const ClampPoint* slot : {&side->low, &side->high})
      keys.push_back((slot->sat_point << 23) + slot->mantissa_point);
    for (const Octave& o : side->octaves) {
      const std::uint32_t begin = static_cast<std::uint32_t>(o.exponent + 127) << 23;
      for (std::size_t s = 0; s <= o.sections.size(); ++s)
        keys.push_back(begin + static_cast<std::uint32_t>(s << (23 - o.extract_size)));
    }
  }
  for (std::uint32_t e = 0; e < 256; ++e) keys.push_back(e << 23);
  std::vector<float> inputs;
  for (const std::uint32_t key : keys)
    for (const std::uint32_t d : {-2u, -1u, 0u, 1u, 2u})
      for (const std::uint32_t sign : {0u, 0x80000000u})
        inputs.push_back(bits_float(((key + d) & 0x7fffffffu) | sign));
  return inputs;
}

inline float random_pattern(std::mt19937& gen) { return bits_float(static_cast<std::uint32_t>(gen())); }

// Bits of `got` against the scalar reference; at most a few failures are told.
inline void expect_reference(const FunctionTable& table, const EvalPolicy& policy, std::span<const float> in,
                             std::span<const float> got, float alpha) {
  int told = 0;
  for (std::size_t i = 0; i < in.size() && told < 3; ++i) {
    const float expected = evaluate(table, in[i], policy, alpha);
    if (float_bits(got[i]) == float_bits(expected)) continue;
    ++told;
    ADD_FAILURE() << table.name << " " << vector_target() << " input " << i << ": f(" << std::hexfloat
                  << in[i] << ", " << std::hex << float_bits(in[i]) << ") is " << float_bits(got[i])
                  << ", scalar reference " << float_bits(expected);
  }
}

inline void expect_vector_equals_scalar(const FunctionTable& table, const EvalPolicy& policy,
                                        std::span<const float> in, float alpha = 0.25F) {
  const VectorTable vector(table, policy);
  std::vector<float> out(in.size());
  vector.evaluate(in, out, alpha);
  expect_reference(table, policy, in, out, alpha);
}

// All patterns first, first + step, first + 2 step, …
inline void sweep_patterns(const FunctionTable& table, std::uint64_t first, std::uint64_t step) {
  constexpr std::size_t kPiece = 4096;
  const VectorTable vector(table);
  std::vector<float> in(kPiece), out(kPiece);
  for (std::uint64_t bits = first; bits < (std::uint64_t{1} << 32) && !::testing::Test::HasFailure();) {
    std::size_t n = 0;
    for (; n < kPiece && bits < (std::uint64_t{1} << 32); bits += step)
      in[n++] = bits_float(static_cast<std::uint32_t>(bits));
    vector.evaluate({in.data(), n}, {out.data(), n}, 0.25F);
    expect_reference(table, {}, {in.data(), n}, {out.data(), n}, 0.25F);
  }
}

}  // namespace act::testing_support
