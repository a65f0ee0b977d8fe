// How far a finished table is from its function, in the metric of a user's goal: at every binary32 input of a domain.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "act/fit/accuracy.h"
#include "act/fit/metric.h"
#include "act/tables/functions.h"
#include "act/tables/records.h"

namespace act::fit {

// The inputs of one sign and exponent, by what they take.
struct GoalOctave {
  WorstCase section, low, high;
  // Magnitude patterns of the inputs that miss the tolerance and are nearest to 0 among those that take the low clamp,
  // farthest from it among those that take the high clamp; 0 when there are none.
  std::uint32_t nearest_low = 0, farthest_high = 0;

  double worst() const;
};

// Measures octaves when they are asked for and keeps what it found until it is told to forget.
class GoalMeter {
 public:
  GoalMeter(const FunctionInfo& function, const ErrorDomain& domain, Metric metric, double tolerance)
      : function_(&function), domain_(domain), metric_(metric), tolerance_(tolerance) {}

  // All octaves of the domain: those not yet known are measured, spread over the processors.
  void measure(const FunctionTable& table);
  void forget(int exponent);         // both signs
  void forget_up_to(int exponent);   // and everything nearer to 0
  void forget_from(int exponent);    // and everything farther from it

  const GoalOctave& octave(bool negative, int exponent) const {
    return octaves_[negative ? 1 : 0][static_cast<std::size_t>(exponent + 127)];
  }
  // Of the whole domain, zero included.
  WorstCase worst() const;

 private:
  static constexpr std::size_t kExponents = 255;

  bool reaches(const FunctionTable& table, bool negative, std::uint32_t biased) const;
  double at_zero(const FunctionTable& table) const;

  const FunctionInfo* function_;
  ErrorDomain domain_;
  Metric metric_;
  double tolerance_;
  std::array<std::array<GoalOctave, kExponents>, 2> octaves_;
  std::array<std::array<bool, kExponents>, 2> known_{};
  double at_zero_ = 0;
};

}  // namespace act::fit
