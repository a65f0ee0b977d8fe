#include "fit/goal_frame.h"

#include <algorithm>
#include <cmath>

#include "act/fit/frame.h"
#include "act/fit/metric.h"
#include "act/tables/evaluate.h"

namespace act::fit {
namespace {

constexpr std::uint32_t kSign = 0x80000000;
// Without a tolerance a clamp is good enough below this many ULP.
constexpr double kClampUlps = 0.75;
// The low clamp may start here at the latest, and here at the earliest.
constexpr int kHighestLow = -1, kLowestLow = -100;
// Samples of the low clamp: a quarter of an octave apart, downwards from its end.
constexpr std::uint32_t kLowSamples = 24, kLowStep = 1U << 21;
// A high clamp starts at 0.5 at the earliest; it is looked for in steps of an eighth of an octave.
constexpr std::uint32_t kEarliestClamp = 0x3f000000, kClampStep = 1U << 20;

std::uint32_t sign(bool negative) { return negative ? kSign : 0; }

SideGoal stored_side(float nearest, float farthest) {
  SideGoal side;
  side.stored = true;
  side.from_zero = nearest == 0;
  side.first = float_bits(nearest);
  side.end = float_bits(farthest) + 1;
  return side;
}

}  // namespace

GoalFrame::GoalFrame(const FunctionInfo& function, const TableGoal& goal, const ErrorDomain& domain)
    : f_(function), goal_(goal) {
  const auto nearest = [&](float inner) { return std::max({inner, domain.least_magnitude, 0.0F}); };
  if (f_.symmetry.enabled) {
    own_side(f_.symmetry.use_neg_region) = stored_side(nearest(0), std::max(-domain.lowest, domain.highest));
  } else {
    if (domain.highest > 0) pos_ = stored_side(nearest(domain.lowest), domain.highest);
    if (domain.lowest < 0) neg_ = stored_side(nearest(-domain.highest), -domain.lowest);
  }
  for (const bool negative : {true, false})
    if (side(negative).stored) high_clamp(negative);
  int lowest = 1000;
  for (const bool negative : {true, false})
    if (side(negative).stored) lowest = std::min(lowest, lowest_octave(negative));
  set_lowest(lowest);
}

void GoalFrame::set_lowest(int exponent) {
  lowest_ = exponent;
  for (const bool negative : {true, false}) low_clamp(negative);
}

int GoalFrame::highest_lowest() const {
  int highest = 127;
  for (const bool negative : {true, false})
    if (side(negative).stored) highest = std::min(highest, top(negative));
  return highest;
}

bool GoalFrame::low_slot_is_fixed(bool negative) const {
  const ClampRule rule = low_rule(negative).rule;
  return rule == ClampRule::taylor || rule == ClampRule::identity || rule == ClampRule::constant;
}

bool GoalFrame::can_lower(int exponent) const {
  if (exponent < kLowestLow) return false;
  for (const bool negative : {true, false})
    if (side(negative).stored && (!side(negative).from_zero || !low_slot_is_fixed(negative))) return false;
  return true;
}

std::vector<OpenOctave> GoalFrame::octaves() const {
  std::vector<OpenOctave> out;
  for (const bool negative : {true, false}) {
    if (!side(negative).stored) continue;
    for (int e = lowest_; e <= top(negative); ++e)
      out.push_back({negative, e, e == top(negative) ? (side(negative).threshold - 1) & 0x7fffff : 0x7fffff});
  }
  return out;
}

double GoalFrame::error_at(float y, double f) const {
  const auto nearest = static_cast<float>(f);
  if (std::isinf(nearest) || std::isnan(nearest) || !std::isfinite(y)) return y == nearest ? 0 : INFINITY;
  return std::fabs(static_cast<double>(y) - f) / metric_unit(goal_.metric, f);
}

double GoalFrame::exact(std::uint32_t bits) const { return exact_value(f_, bits_float(bits)).hi; }

bool GoalFrame::clamp_holds(const Section& slot, std::uint32_t bits) const {
  const double f = exact(bits);
  const float y = evaluate_cubic(slot, bits_float(bits));
  if (goal_.tolerance) return error_at(y, f) <= *goal_.tolerance;
  const auto nearest = static_cast<float>(f);
  if (std::isinf(nearest)) return y == nearest;
  return std::fabs(static_cast<double>(y) - f) <= kClampUlps * ulp_of(nearest);
}

// The function's own clamp where it is good enough, else the value of the edge beyond the domain.
void GoalFrame::high_clamp(bool negative) {
  SideGoal& s = own_side(negative);
  const Clamp& rule = negative ? f_.high_neg : f_.high_pos;
  const std::uint32_t last = s.end - 1;
  if (rule.rule != ClampRule::edge && rule.rule != ClampRule::none && rule.rule != ClampRule::carry_on) {
    s.high = clamp_section(f_, rule, negative, 0);
    if (clamp_holds(s.high, last | sign(negative))) {
      // The side keeps an octave.
      s.threshold = std::max(clamp_start(negative, s, last), s.first + 1);
      return;
    }
  }
  s.threshold = s.end;
  s.high = {correctly_rounded(f_, bits_float(last | sign(negative))), 0, 0, 0, 0};
}

// First magnitude from which on the high slot holds: it may hold again near a root, so the search comes from above.
std::uint32_t GoalFrame::clamp_start(bool negative, const SideGoal& s, std::uint32_t last) const {
  const std::uint32_t stop = std::min(std::max(s.first, kEarliestClamp), last);
  std::uint32_t low = last, high = last;
  while (low > stop && clamp_holds(s.high, low | sign(negative))) {
    high = low;
    low = std::max(stop, low - std::min(low, kClampStep));
  }
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (clamp_holds(s.high, middle | sign(negative))) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return high;
}

int GoalFrame::lowest_octave(bool negative) const {
  const SideGoal& s = side(negative);
  if (!s.from_zero) return static_cast<int>(s.first >> 23) - 127;
  if (!low_slot_is_fixed(negative)) return std::min((negative ? f_.neg : f_.pos).lowest, top(negative));
  const Section slot = clamp_section(f_, low_rule(negative), negative, 0);
  for (int e = std::min(top(negative), kHighestLow); e > kLowestLow; --e) {
    const std::uint32_t edge = static_cast<std::uint32_t>(e + 127) << 23;
    bool holds = true;
    for (std::uint32_t step = 0; holds && step < kLowSamples; ++step)
      holds = clamp_holds(slot, (edge - step * kLowStep) | sign(negative));
    if (holds) return e;
  }
  return std::min(kLowestLow, top(negative));
}

double GoalFrame::low_error(int exponent) const {
  double worst = 0;
  const std::uint32_t edge = static_cast<std::uint32_t>(exponent + 127) << 23;
  for (const bool negative : {true, false}) {
    if (!side(negative).stored) continue;
    if (!side(negative).from_zero || !low_slot_is_fixed(negative)) return INFINITY;
    const Section slot = clamp_section(f_, low_rule(negative), negative, 0);
    for (std::uint32_t step = 0; step < kLowSamples && edge > step * kLowStep; ++step) {
      const std::uint32_t bits = (edge - step * kLowStep) | sign(negative);
      worst = std::max(worst, error_at(evaluate_cubic(slot, bits_float(bits)), exact(bits)));
    }
  }
  return worst;
}

void GoalFrame::low_clamp(bool negative) {
  SideGoal& s = own_side(negative);
  const Clamp& rule = low_rule(negative);
  if (!s.stored) {
    // Inputs of a side outside the domain take the high slot: the function's NaN, or the value of the nearest edge.
    if (f_.symmetry.enabled) return;
    const bool undefined = rule.rule == ClampRule::constant && std::isnan(bits_float(rule.bits));
    const SideGoal& other = side(!negative);
    const std::uint32_t nearest = other.from_zero ? 0 : other.first | sign(!negative);
    s.high.d0 = s.low.d0 = undefined ? bits_float(rule.bits) : correctly_rounded(f_, bits_float(nearest));
    return;
  }
  const float edge = bits_float(static_cast<std::uint32_t>(lowest_ + 127) << 23);
  if (s.from_zero) {
    s.low = clamp_section(f_, rule, negative, edge);
  } else {
    s.low = {correctly_rounded(f_, negative ? -edge : edge), 0, 0, 0, 0};
  }
}

}  // namespace act::fit
