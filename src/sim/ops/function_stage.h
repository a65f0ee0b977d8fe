// What all activations share: the function stage with its range warning, and the affine stage.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "act/numeric/alu_block.h"
#include "act/sim/exec.h"

namespace act::sim::ops {

// v[k] = round(round(in[k] * factor) + addend), or with one rounding when `fused`. The spans may be the same.
inline void multiply_add(const float* in, float factor, float addend, bool fused, unsigned n, float* v) {
  if (fused) {
    for (unsigned k = 0; k < n; ++k) v[k] = std::fma(in[k], factor, addend);
  } else {
    act::multiply_add(in, factor, addend, n, v);
  }
}

// f on blocks. Inputs outside the documented range are remembered and reported once, by the lowest channel, so that the
// report is the same for any number of threads.
class FunctionStage {
 public:
  FunctionStage(Exec& x, std::uint8_t code) : x_(x), function_(x.function(code)), table_(function_ == nullptr ? nullptr : function_->table) {
    if (table_ == nullptr) return;
    has_range_ = !(table_->lower_bound == 0 && table_->upper_bound == 0) &&
                 !(table_->upper_bound >= kMaxFinite && (table_->lower_bound <= -kMaxFinite || table_->lower_bound == 0));
    if (has_range_) outside_.fill(kNone);
  }
  bool valid() const { return table_ != nullptr; }
  const FunctionTable& table() const { return *table_; }
  // The slope comes with the instruction.
  bool parametric() const { return table_ != nullptr && table_->fma_indirection_src_sel == kParametricSelector; }

  // Factor and addend of the affine stage where the device's PROFILE word fuses or bypasses them.
  void fuse(float& factor, float& addend) const {
    if (!function_->device) return;
    if (function_->device->fuses_scale) factor = function_->device->scale;
    if (function_->device->fuses_bias) addend = function_->device->bias;
    if (function_->device->bypasses_affine) factor = 1, addend = 0;
  }

  // Whether f(x) is f(round(round(x * 1) + 0)) for every x: the affine stage then changes the sign of zeros and payloads of
  // NaN alone, which a table answers with its stored results.
  bool ignores_unit_affine() const {
    return !function_->device && !parametric() && x_.machine.functions.source() == FunctionSource::catalog;
  }
  // v[k] = f(in[k]).
  void apply(const Block& at, const float* in, float* v) {
    if (has_range_) remember_outside(at, in);
    x_.machine.functions.evaluate(*function_, {in, at.count}, {v, at.count}, 0);
  }
  // In place: v[k] = f(v[k]).
  void apply(const Block& at, float* v, float slope) {
    if (has_range_) remember_outside(at, v);
    x_.machine.functions.evaluate(*function_, {v, at.count}, {v, at.count}, slope);
  }

  // The same values without any memory of inputs outside the range; those are flagged by find_outside() and remembered
  // block by block with remember_outside().
  void evaluate(std::span<float> v, float slope) const { x_.machine.functions.evaluate(*function_, v, v, slope); }
  void find_outside(std::span<const float> v, std::vector<std::uint8_t>& flags) const {
    if (!has_range_ || !any_outside(v.data(), static_cast<unsigned>(v.size()))) return;
    flags.resize(v.size());
    for (std::size_t k = 0; k < v.size(); ++k) flags[k] = outside_bounds(*table_, v[k]);
  }
  // Remembers the first input outside the range of a block that has one.
  void remember_outside(const Block& at, const float* v) {
    if (remembers(at.channel) || !any_outside(v, at.count)) return;
    for (unsigned k = 0; k < at.count; ++k)
      if (outside_bounds(*table_, v[k])) {
        outside_[at.channel] = at.begin + k;
        outside_value_[at.channel] = v[k];
        return;
      }
  }
  // Whether the channel has such an input already, or can have none.
  bool remembers(unsigned channel) const { return !has_range_ || outside_[channel] != kNone; }
  bool on_device() const { return function_->device.has_value(); }

  ~FunctionStage();

 private:
  // Whether outside_bounds() holds for one of them.
  bool any_outside(const float* v, unsigned n) const;

  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  static constexpr float kMaxFinite = std::bit_cast<float>(kMaxFiniteF32);
  Exec& x_;
  const Function* function_;
  const FunctionTable* table_;
  bool has_range_ = false;
  // Set only where has_range_: most instructions have no use for them.
  std::array<std::uint64_t, kPartitions> outside_;
  std::array<float, kPartitions> outside_value_;
};

}  // namespace act::sim::ops
