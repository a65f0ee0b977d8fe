// What is settled of a minimax table before any section is fitted: octaves of each side, thresholds, clamp
// slots.
#pragma once

#include <cstdint>

#include "act/fit/accuracy.h"
#include "act/tables/functions.h"
#include "fit/model.h"

namespace act::fit {

struct SideFrame {
  OctaveRange range;
  std::uint32_t threshold = 0;  // magnitude pattern of the first input that takes the high slot
  std::uint32_t tail_end =
      0;  // how far the threshold may move out (a tail clamped to zero); else = threshold
  Section low, high;
};

struct Frame {
  SideFrame neg, pos;
  OctaveRange inner;  // octaves outside it have a tolerance of their own; count 0 = all are inner

  const SideFrame& side(bool negative) const { return negative ? neg : pos; }
  SideFrame& side(bool negative) { return negative ? neg : pos; }
};

// The frame of the minimax table of a function (P-31, G-10).
Frame minimax_frame(const FunctionInfo& function, Model& model);

}  // namespace act::fit
