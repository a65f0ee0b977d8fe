#include "function_stage.h"

#include <fmt/format.h>

#include "act/numeric/clones.h"

namespace act::sim::ops {
namespace {

// What outside_bounds() compares with: the sign of an input is cleared, then set, before the comparison.
struct Bounds {
  float low, high;
  std::uint32_t clear, set;
};

// outside_bounds() of any, without branches.
ACT_VECTOR_CLONES bool any_beyond(const Bounds& bounds, const float* v, unsigned n) {
  const float low = bounds.low, high = bounds.high;
  const std::uint32_t clear = bounds.clear, set = bounds.set;
  std::uint32_t outside = 0;
  for (unsigned k = 0; k < n; ++k) {
    const std::uint32_t bits = bits_of(v[k]), size = bits & ~kSignF32;
    const float selected = f32((bits & ~clear) | set);
    const std::uint32_t inside =
        static_cast<std::uint32_t>(selected >= low) & static_cast<std::uint32_t>(selected <= high);
    const std::uint32_t number =
        static_cast<std::uint32_t>(size - 1 < kInfF32 - 1);  // neither zero, infinite nor NaN
    outside |= number & (inside ^ 1);
  }
  return outside != 0;
}

}  // namespace

bool FunctionStage::any_outside(const float* v, unsigned n) const {
  const Symmetry& fold = table_->symmetry;
  return any_beyond({table_->lower_bound, table_->upper_bound, fold.enabled ? kSignF32 : 0,
                     fold.enabled && fold.use_neg_region ? kSignF32 : 0},
                    v, n);
}

FunctionStage::~FunctionStage() {
  if (!has_range_ || x_.failed()) return;
  for (unsigned c = 0; c < kPartitions; ++c) {
    if (outside_[c] == kNone) continue;
    x_.warn(
        Code::out_of_range,
        fmt::format("channel {}, element {}: {} is outside the documented range {}..{} of {}", c, outside_[c],
                    outside_value_[c], table_->lower_bound, table_->upper_bound, table_->name),
        "activation_func", fmt::format("{:#010x}", bits_of(outside_value_[c])));
    return;
  }
}

}  // namespace act::sim::ops
