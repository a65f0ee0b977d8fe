// The named policies of the simulator: every point that the hardware's documentation leaves open, its choices and its
// default. They hold for a whole run.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "act/diag/result.h"
#include "act/numeric/convert.h"
#include "act/tables/evaluate.h"

namespace act::sim {

#define ACT_POLICY(Type, name, doc) enum class Type : std::uint8_t {
#define ACT_CHOICE(value, doc) value,
#define ACT_POLICY_END(Type, name) };
#include "act/sim/policies.def"
#undef ACT_POLICY
#undef ACT_CHOICE
#undef ACT_POLICY_END

struct Policies {
#define ACT_POLICY(Type, name, doc) Type name{};
#define ACT_CHOICE(value, doc)
#define ACT_POLICY_END(Type, name)
#include "act/sim/policies.def"
#undef ACT_POLICY
#undef ACT_CHOICE
#undef ACT_POLICY_END

  friend bool operator==(const Policies&, const Policies&) = default;

  NumericPolicy numeric() const {
    return {fp8_mode == Fp8ModePolicy::ocp ? Fp8Mode::ocp : Fp8Mode::neuron, fp_saturate == FpSaturatePolicy::on,
            int_rounding == IntRoundingPolicy::truncate ? IntRounding::truncate : IntRounding::nearest_even};
  }
  EvalPolicy evaluation() const {
    return {table_nan == TableNanPolicy::propagate ? NanPolicy::propagate : NanPolicy::nan_result,
            reconstruction == ReconstructionPolicy::literal ? ReconPolicy::literal : ReconPolicy::folded,
            parametric == ParametricReluPolicy::table ? act::ParametricPolicy::table : act::ParametricPolicy::direct};
  }
  // Whether values must be looked at between memory and arithmetic: -0, subnormals, NaN to integer.
  bool adjusts_values() const {
    return negative_zero != NegativeZeroPolicy::keep || subnormals != SubnormalPolicy::keep ||
           int_nan != IntNanPolicy::zero;
  }
};

struct PolicyChoice {
  std::string_view name, doc;
};
struct PolicyRow {
  std::string_view name, doc;
  std::span<const PolicyChoice> choices;  // the first is the default
};

// All policies in the order of policies.def.
std::span<const PolicyRow> all_policies();
// Current choice of each, in the same order, as an index into its choices.
std::uint8_t policy_choice(const Policies& policies, std::size_t index);
// "name=choice". Error: unknown-name, with the names that exist.
Status set_policy(Policies& policies, std::string_view assignment);
// "affine=two_roundings accumulation=in_order …": for trace headers.
std::string to_text(const Policies& policies);

}  // namespace act::sim
