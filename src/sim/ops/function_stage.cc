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

// Integers in the order of the numbers that patterns stand for.
inline std::int32_t ordered(std::uint32_t bits) {
  const auto key = static_cast<std::int32_t>(bits);
  return key ^ ((key >> 31) & 0x7FFFFFFF);
}

// False only if no number is outside; infinities, NaN and, where the range begins above it, zero make it true as well.
ACT_VECTOR_CLONES bool may_be_beyond(const Bounds& bounds, const float* v, unsigned n) {
  const std::uint32_t clear = ~bounds.clear, set = bounds.set;
  std::int32_t least = INT32_MAX, greatest = INT32_MIN;
  for (unsigned k = 0; k < n; ++k) {
    const std::int32_t key = ordered((bits_of(v[k]) & clear) | set);
    least = key < least ? key : least;
    greatest = key > greatest ? key : greatest;
  }
  // -0 is in a range that begins at +0.
  return least < ordered(bits_of(bounds.low == 0 ? -0.0F : bounds.low)) || greatest > ordered(bits_of(bounds.high));
}

// outside_bounds() of any, without branches.
ACT_VECTOR_CLONES bool any_beyond(const Bounds& bounds, const float* v, unsigned n) {
  const float low = bounds.low, high = bounds.high;
  const std::uint32_t clear = ~bounds.clear, set = bounds.set;
  std::uint32_t outside = 0;
  for (unsigned k = 0; k < n; ++k) {
    const std::uint32_t bits = bits_of(v[k]), size = bits & ~kSignF32;
    const float selected = f32((bits & clear) | set);
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
  const Bounds bounds{table_->lower_bound, table_->upper_bound, fold.enabled ? kSignF32 : 0,
                      fold.enabled && fold.use_neg_region ? kSignF32 : 0};
  const bool ordered_bounds = bounds.low <= bounds.high;  // NaN, which everything is outside of, has no place in the order
  return (!ordered_bounds || may_be_beyond(bounds, v, n)) && any_beyond(bounds, v, n);
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
