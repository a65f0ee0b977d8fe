// Where the table of a user's goal has sections: the stored sides of the domain, their clamps, the octaves between.
#pragma once

#include <cstdint>
#include <vector>

#include "act/fit/accuracy.h"
#include "act/fit/build_spec.h"
#include "act/tables/functions.h"
#include "act/tables/records.h"

namespace act::fit {

// One side of the domain as magnitudes.
struct SideGoal {
  bool stored = false;
  bool from_zero = false;       // the domain reaches down to 0
  std::uint32_t first = 0;      // magnitude pattern of the input nearest to 0
  std::uint32_t end = 0;        // one past the farthest
  std::uint32_t threshold = 0;  // first magnitude that takes the high slot
  Section low, high;
};

struct OpenOctave {
  bool negative = false;
  int exponent = 0;
  std::uint32_t last_mantissa = 0x7fffff;

  std::uint32_t base() const {
    return static_cast<std::uint32_t>(exponent + 127) << 23 | (negative ? 0x80000000U : 0U);
  }
  std::uint32_t last() const { return base() | last_mantissa; }
  auto operator<=>(const OpenOctave&) const = default;
};

class GoalFrame {
 public:
  // Clamps as far out (high) and as far in (low) as samples say they hold; `goal` with its tolerance or, without one,
  // to less than an ULP.
  GoalFrame(const FunctionInfo& function, const TableGoal& goal, const ErrorDomain& domain);

  int lowest() const { return lowest_; }
  // Moves the end of the low clamp. highest_lowest() is the last exponent that leaves both sides an octave.
  void set_lowest(int exponent);
  int highest_lowest() const;
  // Whether a lower end of the low clamp is of use: its slot does not follow the end, and there is room.
  bool can_lower(int exponent) const;
  // First magnitude that takes the high slot.
  void set_threshold(bool negative, std::uint32_t magnitude) { own_side(negative).threshold = magnitude; }

  const SideGoal& side(bool negative) const { return negative ? neg_ : pos_; }
  // Octaves with sections, negative side first, ascending exponents.
  std::vector<OpenOctave> octaves() const;
  // Sampled error of the low clamps that end at an exponent, in the metric of the goal.
  double low_error(int exponent) const;
  // Error of a value in the metric; where f leaves binary32 a value is right or wrong.
  double error_at(float y, double f) const;

 private:
  SideGoal& own_side(bool negative) { return negative ? neg_ : pos_; }
  const Clamp& low_rule(bool negative) const { return negative ? f_.low_neg : f_.low_pos; }
  bool low_slot_is_fixed(bool negative) const;
  double exact(std::uint32_t bits) const;
  bool clamp_holds(const Section& slot, std::uint32_t bits) const;
  void high_clamp(bool negative);
  std::uint32_t clamp_start(bool negative, const SideGoal& s, std::uint32_t last) const;
  int lowest_octave(bool negative) const;
  void low_clamp(bool negative);
  int top(bool negative) const { return static_cast<int>((side(negative).threshold - 1) >> 23) - 127; }

  const FunctionInfo& f_;
  const TableGoal& goal_;
  SideGoal neg_, pos_;
  int lowest_ = 0;
};

}  // namespace act::fit
