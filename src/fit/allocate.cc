#include "fit/allocate.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace act::fit {
namespace {

// A refinement that lowers the error by less than this factor is no gain: rounding holds the octave where it
// is.
constexpr double kGain = 0.98;
// Where rounding is most of the error its noise can hide a gain for one step, never for three. A large error
// can stand still for longer: a steep tail is lost whole until the sections are narrow enough.
constexpr int kLookAhead = 2;
constexpr double kNoise = 8;
// Below this a result is within an ULP whatever else is done.
constexpr double kGoodEnough = 0.9;
// How much the outer octaves may raise the tolerance of the inner ones.
constexpr std::array kOuterPrices = {1.0, 1.2, 1.4, 1.6};

// Natural logarithm of a positive ratio to about 1e-6: only sums and quotients, so that a choice between two
// octaves never hangs on the platform's library.
double logarithm(double x) {
  int exponent = 0;
  const double s = std::frexp(x, &exponent);  // 0.5 <= s < 1
  const double z = (s - 0.75) / (s + 0.75);
  const double zz = z * z;
  constexpr double kLog2 = 0.69314718055994531, kLogThreeQuarters = -0.28768207245178090;
  return exponent * kLog2 + kLogThreeQuarters + 2 * z * (1 + zz * (1.0 / 3 + zz * (1.0 / 5 + zz / 7)));
}

}  // namespace

Allocator::Allocator(std::vector<OctaveDemand> octaves, int budget, double outer_limit, OctaveError error)
    : octaves_(std::move(octaves)),
      budget_(budget),
      outer_limit_(outer_limit),
      error_(std::move(error)),
      size_(octaves_.size(), 0),
      errors_(octaves_.size()) {
  for (const OctaveDemand& o : octaves_) used_ += o.sections(0);
}

bool Allocator::has_outer() const {
  return std::any_of(octaves_.begin(), octaves_.end(), [](const OctaveDemand& o) { return o.outer; });
}

double Allocator::error(std::size_t i, int size) {
  const auto [at, fresh] = errors_[i].try_emplace(size, 0);
  if (fresh) at->second = error_(i, size);
  return at->second;
}

double Allocator::worst(bool outer) {
  double w = 0;
  for (std::size_t i = 0; i < size_.size(); ++i) {
    if (octaves_[i].outer == outer) w = std::max(w, error(i, size_[i]));
  }
  return w;
}

// The next size at which octave i gains, or its own size when there is none.
int Allocator::next_size(std::size_t i) {
  const int here = size_[i];
  const int last = error(i, here) > kNoise ? kMaxExtractSize : std::min(here + kLookAhead, kMaxExtractSize);
  for (int s = here + 1; s <= last; ++s) {
    if (price(i, s) > left()) break;
    if (error(i, s) < kGain * error(i, here)) return s;
  }
  return here;
}

int Allocator::price(std::size_t i, int size) const {
  return octaves_[i].sections(size) - octaves_[i].sections(size_[i]);
}

void Allocator::take(std::size_t i, int size) {
  used_ += price(i, size);
  size_[i] = size;
}

void Allocator::extend(std::size_t i, std::uint32_t last_mantissa) {
  used_ -= octaves_[i].sections(size_[i]);
  octaves_[i].last_mantissa = last_mantissa;
  used_ += octaves_[i].sections(size_[i]);
  errors_[i].clear();
}

// Worst-first refinement of one group until its worst error is at most `goal`, or the worst octave stays as
// it is for want of sections. One that rounding holds is passed over.
void Allocator::refine(bool outer, double goal) {
  std::vector<bool> held(size_.size());
  while (true) {
    std::size_t pick = size_.size();
    double largest = goal;
    for (std::size_t i = 0; i < size_.size(); ++i) {
      if (held[i] || octaves_[i].outer != outer) continue;
      if (const double e = error(i, size_[i]); e > largest) {
        largest = e;
        pick = i;
      }
    }
    if (pick == size_.size()) return;
    const int s = next_size(pick);
    if (s != size_[pick]) {
      take(pick, s);
    } else if (largest > kNoise || price(pick, std::min(size_[pick] + 1, kMaxExtractSize)) > left()) {
      return;
    } else {
      held[pick] = true;
    }
  }
}

// The inner octaves meet the tolerance they could have alone times a price; the outer ones take the rest. The
// price is right when the outer error falls faster than the square of the inner one rises.
void Allocator::share() {
  const std::vector<int> before = size_;
  const int used_before = used_;
  refine(false, 0);
  const double alone = worst(false);
  std::vector<int> best;
  int best_used = 0;
  double best_cost = INFINITY;
  for (const double factor : kOuterPrices) {
    size_ = before;
    used_ = used_before;
    refine(false, alone * factor);
    refine(true, 0);
    const double cost = worst(false) * worst(false) * worst(true);
    if (cost >= best_cost) continue;
    best_cost = cost;
    best = size_;
    best_used = used_;
  }
  size_ = best;
  used_ = best_used;
}

bool Allocator::settle() {
  if (used_ > budget_) return false;
  if (!has_outer()) {
    refine(false, 0);
    return true;
  }
  refine(true, outer_limit_);
  if (worst(true) > outer_limit_) return false;
  share();
  return true;
}

void Allocator::spend() {
  while (true) {
    std::size_t pick = size_.size();
    int pick_size = 0;
    double best = 0;
    for (std::size_t i = 0; i < size_.size(); ++i) {
      if (error(i, size_[i]) <= kGoodEnough) continue;
      const int s = next_size(i);
      if (s == size_[i]) continue;
      const double gain = logarithm(error(i, size_[i]) / std::max(error(i, s), kGoodEnough)) / price(i, s);
      if (gain > best) {
        best = gain;
        pick = i;
        pick_size = s;
      }
    }
    if (pick == size_.size()) return;
    take(pick, pick_size);
  }
}

}  // namespace act::fit
