#include "function_stage.h"

#include <fmt/format.h>

namespace act::sim::ops {

FunctionStage::~FunctionStage() {
  if (!has_range_ || x_.failed()) return;
  for (unsigned c = 0; c < kPartitions; ++c) {
    if (outside_[c] == kNone) continue;
    x_.warn(Code::out_of_range,
            fmt::format("channel {}, element {}: {} is outside the documented range {}..{} of {}", c, outside_[c], outside_value_[c],
                        table_->lower_bound, table_->upper_bound, table_->name),
            "activation_func", fmt::format("{:#010x}", bits_of(outside_value_[c])));
    return;
  }
}

}  // namespace act::sim::ops
