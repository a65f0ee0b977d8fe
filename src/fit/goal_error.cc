#include "fit/goal_error.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "act/tables/evaluate.h"
#include "act/tables/vector_evaluate.h"
#include "fit/model.h"
#include "fit/pieces.h"

namespace act::fit {
namespace {

constexpr std::uint32_t kSign = 0x80000000, kMantissa = 0x7fffff;
constexpr std::size_t kBlock = 2048;
constexpr float kSmallestNormal = std::numeric_limits<float>::min();
// From here on a value rounds to infinity in binary32.
constexpr double kRoundsToInfinity = 0x1.ffffffp127;

// Error of a value in the metric; where f leaves binary32 a value is right or wrong.
double error_of(Metric metric, float y, double f) {
  const auto nearest = static_cast<float>(f);
  if (std::isinf(nearest) || std::isnan(nearest) || !std::isfinite(y)) return y == nearest ? 0 : INFINITY;
  return std::fabs(static_cast<double>(y) - f) / metric_unit(metric, f);
}

std::uint32_t magnitude_of(std::uint32_t bits) { return bits & ~kSign; }
double number(std::uint32_t bits) { return std::fabs(static_cast<double>(bits_float(bits))); }

enum class Taken : std::uint8_t { section, low, high };

Taken taken(const FunctionTable& table, const Section* section) {
  for (const bool negative : {true, false}) {
    if (section == &table.side(negative).low.section) return Taken::low;
    if (section == &table.side(negative).high.section) return Taken::high;
  }
  return Taken::section;
}

// One octave of one sign.
class OctaveSweep {
 public:
  OctaveSweep(const FunctionInfo& function, const FunctionTable& table, const VectorTable& vector,
              const ErrorDomain& domain, Metric metric, double tolerance)
      : table_(table), vector_(vector), domain_(domain), metric_(metric), tolerance_(tolerance), model_(function) {}

  GoalOctave run(bool negative, std::uint32_t biased) {
    for (const Piece& piece : pieces(table_, negative, biased)) take(piece);
    return out_;
  }

  // Whether this octave repeats the next larger one, all of which is in the domain, at half the scale: slot and
  // function are both multiples of the input there, and no result is subnormal.
  bool repeats_next(bool negative, std::uint32_t biased) {
    if (biased == 0 || biased >= 253) return false;
    const auto here = pieces(table_, negative, biased), next = pieces(table_, negative, biased + 1);
    if (here.size() != 1 || next.size() != 1 || here[0].section != next[0].section) return false;
    if (here[0].section == nullptr || here[0].mirrored) return false;
    if (!inside(next[0].first) || !inside(next[0].last)) return false;
    const Section& s = *here[0].section;
    const double most = number(next[0].last), least = number(here[0].first);
    if (s.d0 != 0 || s.x != 0 || s.d1 == 0) return false;
    if (std::fabs(s.d2) * most + std::fabs(s.d3) * most * most > kReferenceError * std::fabs(s.d1)) return false;
    const auto line = model_.line(here[0].first), above = model_.line(next[0].first);
    if (!line || !above || std::fabs(line->b - above->b) > kReferenceError * std::fabs(line->b)) return false;
    if (std::fabs(line->a) > kReferenceError * std::fabs(line->b) * least) return false;
    if (std::fabs(above->a) > kReferenceError * std::fabs(line->b) * least) return false;
    return std::fabs(line->b) * least >= 2 * kSmallestNormal && std::fabs(s.d1) * least >= 2 * kSmallestNormal;
  }

 private:
  bool inside(std::uint32_t bits) const {
    const float v = bits_float(bits);
    return v >= domain_.lowest && v <= domain_.highest && std::fabs(v) >= domain_.least_magnitude;
  }

  // The part of a piece that is in the domain.
  void take(const Piece& piece) {
    const bool negative = piece.first >> 31 != 0;
    const float farthest = negative ? -domain_.lowest : domain_.highest;
    const float nearest = std::max(domain_.least_magnitude, negative ? -domain_.highest : domain_.lowest);
    if (!(farthest > 0)) return;
    const std::uint32_t first = std::max(magnitude_of(piece.first), nearest > 0 ? float_bits(nearest) : 1);
    const std::uint32_t last = std::min(magnitude_of(piece.last), float_bits(farthest));
    if (first > last) return;
    const std::uint32_t sign = piece.first & kSign;
    if (piece.section == nullptr) {
      raise(Taken::section, INFINITY, first | sign);
      return;
    }
    const Taken by = taken(table_, piece.section);
    if (by != Taken::section && flat(*piece.section, first | sign, last | sign)) {
      one(by, first | sign);
      one(by, last | sign);
      return;
    }
    for (std::uint32_t at = first; at <= last;) {
      const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(last - at + 1, kBlock));
      block(by, at | sign, count);
      at += count;
    }
  }

  // One value throughout, against a line on which the unit does not change: the worst inputs are the ends.
  bool flat(const Section& s, std::uint32_t first, std::uint32_t last) {
    if (s.x != 0 || !model_.line(first)) return false;
    const double t = number(last);
    if (std::fabs(s.d1) * t + std::fabs(s.d2) * t * t + std::fabs(s.d3) * t * t * t >= ulp_of(s.d0) / 8) return false;
    const double a = model_(first), b = model_(last);
    const bool above_a = std::fabs(a) >= kRoundsToInfinity, above_b = std::fabs(b) >= kRoundsToInfinity;
    if (above_a || above_b) return above_a && above_b && std::isinf(s.d0);
    return metric_ != Metric::ulp || metric_unit(metric_, a) == metric_unit(metric_, b);
  }

  void one(Taken by, std::uint32_t bits) {
    raise(by, error_of(metric_, evaluate(table_, bits_float(bits)), model_(bits)), bits);
  }

  void block(Taken by, std::uint32_t first, std::uint32_t count) {
    model_.values(first, 1, count, f_.data());
    for (std::uint32_t i = 0; i < count; ++i) y_[i] = bits_float(first + i);
    vector_.evaluate({y_.data(), count}, {y_.data(), count});
    // Looked at closely: what is worse than before, misses the tolerance at a clamp, or leaves binary32.
    const double bar = by == Taken::section ? worst(by).error : std::min(worst(by).error, tolerance_);
    if (!any_beyond(bar, count)) return;
    for (std::uint32_t i = 0; i < count; ++i)
      if (const double e = error_of(metric_, y_[i], f_[i]); e > bar) raise(by, e, first + i);
  }

  // Whether an error of the block may be above the bar: a quick look with a unit that is at most the true one.
  bool any_beyond(double bar, std::uint32_t count) const {
    switch (metric_) {
      case Metric::ulp: return any_beyond<0x7ff0000000000000>(bar, 0x1p-23, 0x1p-149, count);
      case Metric::relative: return any_beyond<~std::uint64_t{0}>(bar, 1, kSmallestNormal, count);
      case Metric::absolute: return any_beyond<~std::uint64_t{0}>(bar, 0, 1, count);
      case Metric::mixed: return any_beyond<~std::uint64_t{0}>(bar, 1, 1, count);
    }
    return true;
  }

  // The unit is `share` of |f|, or of the power of two below it, but no less than `least`.
  template <std::uint64_t kMask>
  bool any_beyond(double bar, double share, double least, std::uint32_t count) const {
    std::uint64_t beyond = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const double size = std::fabs(f_[i]), e = std::fabs(static_cast<double>(y_[i]) - f_[i]);
      const double unit = share * std::bit_cast<double>(std::bit_cast<std::uint64_t>(size) & kMask);
      beyond += (e <= bar * (unit > least ? unit : least) ? 0U : 1U) + (size < kRoundsToInfinity ? 0U : 1U);
    }
    return beyond != 0;
  }

  WorstCase& worst(Taken by) { return by == Taken::section ? out_.section : by == Taken::low ? out_.low : out_.high; }

  void raise(Taken by, double error, std::uint32_t bits) {
    WorstCase& w = worst(by);
    if (error > w.error) w = {error, bits_float(bits)};
    if (error <= tolerance_) return;
    const std::uint32_t magnitude = magnitude_of(bits);
    if (by == Taken::low && (out_.nearest_low == 0 || magnitude < out_.nearest_low)) out_.nearest_low = magnitude;
    if (by == Taken::high) out_.farthest_high = std::max(out_.farthest_high, magnitude);
  }

  const FunctionTable& table_;
  const VectorTable& vector_;
  const ErrorDomain& domain_;
  Metric metric_;
  double tolerance_;
  Model model_;
  GoalOctave out_;
  std::array<double, kBlock> f_{};
  std::array<float, kBlock> y_{};
};

// The errors of the octave below one that it repeats at half the scale: the same in ULP and relatively, at most as large
// otherwise.
GoalOctave halved(GoalOctave e, Metric metric, double tolerance) {
  for (WorstCase* w : {&e.section, &e.low, &e.high}) {
    w->input /= 2;
    if (metric == Metric::absolute) w->error /= 2;
  }
  for (std::uint32_t* failing : {&e.nearest_low, &e.farthest_high})
    if (*failing != 0) *failing = e.worst() > tolerance ? *failing - (1U << 23) : 0;
  return e;
}

}  // namespace

double GoalOctave::worst() const { return std::max({section.error, low.error, high.error}); }

// The mirrored half of an odd or even function repeats the stored one.
bool GoalMeter::reaches(const FunctionTable& table, bool negative, std::uint32_t biased) const {
  const Symmetry& s = table.symmetry;
  if (s.enabled && s.point == 0 && negative != s.use_neg_region) return false;
  const float least = bits_float(std::max(biased << 23, 1U)), most = bits_float(biased << 23 | kMantissa);
  if (most < domain_.least_magnitude) return false;
  return negative ? -least >= domain_.lowest && -most <= domain_.highest
                  : least <= domain_.highest && most >= domain_.lowest;
}

double GoalMeter::at_zero(const FunctionTable& table) const {
  if (domain_.lowest > 0 || domain_.highest < 0 || domain_.least_magnitude > 0) return 0;
  const double f = exact_value(*function_, 0.0).hi;
  const float y = evaluate(table, 0.0F);
  return std::isnan(f) && std::isnan(y) ? 0 : error_of(metric_, y, f);
}

void GoalMeter::measure(const FunctionTable& table) {
  const VectorTable vector(table);
  at_zero_ = at_zero(table);
  std::array<std::vector<std::uint32_t>, 2> repeated;
  std::vector<std::pair<bool, std::uint32_t>> todo;
  OctaveSweep scout(*function_, table, vector, domain_, metric_, tolerance_);
  for (const bool negative : {true, false}) {
    for (std::uint32_t biased = kExponents; biased-- > 0;) {
      if (known_[negative ? 1 : 0][biased]) continue;
      known_[negative ? 1 : 0][biased] = true;
      octaves_[negative ? 1 : 0][biased] = {};
      if (!reaches(table, negative, biased)) continue;
      if (scout.repeats_next(negative, biased)) {
        repeated[negative ? 1 : 0].push_back(biased);
      } else {
        todo.emplace_back(negative, biased);
      }
    }
  }
  tbb::parallel_for(std::size_t{0}, todo.size(), [&](std::size_t i) {
    const bool negative = todo[i].first;
    const std::uint32_t biased = todo[i].second;
    octaves_[negative ? 1 : 0][biased] =
        OctaveSweep(*function_, table, vector, domain_, metric_, tolerance_).run(negative, biased);
  });
  for (auto& [side, list] : {std::pair{0, &repeated[0]}, std::pair{1, &repeated[1]}}) {
    for (const std::uint32_t biased : *list) {
      octaves_[static_cast<std::size_t>(side)][biased] =
          halved(octaves_[static_cast<std::size_t>(side)][biased + 1], metric_, tolerance_);
    }
  }
}

void GoalMeter::forget(int exponent) {
  for (auto& side : known_) side[static_cast<std::size_t>(exponent + 127)] = false;
}

void GoalMeter::forget_up_to(int exponent) {
  for (auto& side : known_) std::fill(side.begin(), side.begin() + (exponent + 128), false);
}

void GoalMeter::forget_from(int exponent) {
  for (auto& side : known_) std::fill(side.begin() + (exponent + 127), side.end(), false);
}

WorstCase GoalMeter::worst() const {
  WorstCase all{at_zero_, 0};
  for (const auto& side : octaves_)
    for (const GoalOctave& o : side)
      for (const WorstCase& w : {o.section, o.low, o.high})
        if (w.error > all.error) all = w;
  return all;
}

}  // namespace act::fit
