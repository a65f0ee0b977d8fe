#include "fit/section_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace act::fit {
namespace {

// Expansion points looked at, in steps of one input either side of the middle or of where an exact first
// stage is.
constexpr int kNearRange = 384, kExactRange = 64;
// A section this many times larger than the dense sample is judged by it.
constexpr std::uint32_t kDenseFrom = 64;
// The worst fit, in ULP, that a slope of few bits is worth.
constexpr double kNearMiss = 4;
// Added to the error of a record with a value outside the range of the function.
constexpr double kOutside = 1e30;

// Inputs with their values and weights, in structure-of-arrays form for the inner loop.
struct Samples {
  std::vector<float> v;
  std::vector<double> f, weight;

  void add(Model& model, std::uint32_t bits) {
    const double value = model(bits);
    v.push_back(bits_float(bits));
    f.push_back(value);
    weight.push_back(1 / model.unit(bits, value));
  }
};

float to_float(double x) {
  constexpr double kMax = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(x, -kMax, kMax));
}

float next(float x, int steps) {  // moves along the number line through both zeros as one
  std::int64_t key = float_bits(x);
  if ((key >> 31) != 0) key = -(key & 0x7fffffff);
  key += steps;
  const auto magnitude = static_cast<std::uint32_t>(key < 0 ? -key : key);
  if (magnitude >= 0x7f800000) return x;
  return bits_float(key < 0 ? magnitude | 0x80000000 : magnitude);
}

// Ties go to the smaller expansion point, so that the order does not depend on the library's sort.
template <class Place>
bool by_penalty(const Place& a, const Place& b) {
  return a.penalty != b.penalty ? a.penalty < b.penalty : a.x < b.x;
}

class Fitter {
 public:
  Fitter(Model& model, std::uint32_t lo, std::uint32_t hi, const Effort& effort, const ValueRange& range)
      : model_(model), lo_(lo), hi_(hi), effort_(effort), range_(range) {
    find_root();
    fit_points();
  }

  double minimax() {
    if (has_root_) return root_minimax().error;
    return minimax_fit(points_, kCubic).error;
  }

  SectionFit run() {
    sample(effort_.coarse, samples_);
    SectionFit fit;
    if (has_root_) {
      fit.minimax = try_root();
    } else {
      const MinimaxFit real = minimax_fit(points_, kCubic);
      fit.minimax = real.error;
      find_peaks(real);
      try_near(real.c);
      if (effort_.exact_x > 0) try_exact_stage(real.c);
    }
    if (effort_.fine > 0) {
      again(effort_.fine);
      for (Attempt& a : best_) improve(a, samples_, 2);
    }
    // The worst rounding errors are rare: one input in many thousands.
    if (effort_.dense > 0 && hi_ - lo_ > kDenseFrom * static_cast<std::uint32_t>(effort_.dense))
      again(effort_.dense);
    const auto best = std::min_element(best_.begin(), best_.end(),
                                       [](const Attempt& a, const Attempt& b) { return a.error < b.error; });
    if (effort_.dense > 0) improve(*best, samples_, 1);
    fit.section = best->section;
    fit.error = best->error;
    return fit;
  }

 private:
  struct Attempt {
    Section section;
    double error = INFINITY;
  };

  double centre() const { return bits_float(lo_ + (hi_ - lo_) / 2); }

  void find_root() {
    for (const Root& root : model_.function().roots) {
      if (!root.exists || root.x == 0) continue;
      const std::uint32_t at = float_bits(static_cast<float>(root.x));
      if (at + 1 >= lo_ && at <= hi_ + 1) {
        has_root_ = true;
        root_ = bits_float(at);
        root_value_ = exact_value(model_.function(), root_).hi;
      }
    }
  }

  // Points crowd towards the ends like the extrema of the error do: 3s^2 - 2s^3.
  std::uint32_t spread(double s) const {
    return lo_ + static_cast<std::uint32_t>((hi_ - lo_) * (s * s * (3 - 2 * s)) + 0.5);
  }

  void fit_points() {
    const double about = has_root_ ? static_cast<double>(root_) : centre();
    std::vector<std::uint32_t> at;
    const std::uint32_t count = hi_ - lo_ + 1;
    const auto wanted = static_cast<std::uint32_t>(effort_.points);
    if (count <= wanted) {
      for (std::uint32_t b = lo_; b != hi_ + 1; ++b) at.push_back(b);
    } else {
      for (std::uint32_t i = 0; i < wanted; ++i) at.push_back(spread(i / (wanted - 1.0)));
    }
    points_.reserve(kMaxPoints);
    for (std::size_t i = 0; i < at.size(); ++i) {
      if (i > 0) add_jump(at[i - 1], at[i], about);
      add_point(at[i], about);
    }
    if (lo_ >> 31 != 0) std::reverse(points_.begin(), points_.end());
  }

  double weight_at(std::uint32_t bits) { return 1 / model_.unit(bits, model_(bits)); }

  void add_point(std::uint32_t bits, double about) {
    const double f = model_(bits);
    points_.push_back({bits_float(bits) - about, f, 1 / model_.unit(bits, f)});
  }

  // Where f passes a power of two between two points the weight jumps: the inputs on both sides of it matter.
  void add_jump(std::uint32_t from, std::uint32_t to, double about) {
    if (effort_.fine == 0 || points_.size() + 3 > kMaxPoints) return;
    const double before = weight_at(from);
    if (weight_at(to) == before) return;
    std::uint32_t a = from;
    std::uint32_t b = to;
    while (b - a > 1) {
      const std::uint32_t mid = a + (b - a) / 2;
      (weight_at(mid) == before ? a : b) = mid;
    }
    if (a != from) add_point(a, about);
    if (b != to) add_point(b, about);
  }

  MinimaxFit root_minimax() {
    std::vector<FitPoint> points;
    for (FitPoint p : points_) {
      if (p.t == 0) continue;
      points.push_back(p);
    }
    Cubic fixed{};
    fixed[0] = static_cast<double>(static_cast<float>(root_value_));
    return minimax_fit(points, kCubic & ~1U, fixed);
  }

  // Judges the attempts anew by more inputs.
  void again(int count) {
    sample(count, samples_);
    for (Attempt& a : best_) a.error = judge(a.section, samples_, INFINITY);
  }

  // Both ends, then inputs spread by the golden ratio; near a root also geometrically towards it.
  void sample(int count, Samples& s) {
    s = {};
    const std::uint32_t inputs = hi_ - lo_ + 1;
    if (inputs <= static_cast<std::uint32_t>(count)) {
      for (std::uint32_t b = lo_; b != hi_ + 1; ++b) s.add(model_, b);
      return;
    }
    s.add(model_, lo_);
    s.add(model_, hi_);
    double g = 0.5;
    const auto advance = [&g] {
      g += 0.6180339887498949;
      if (g >= 1) g -= 1;
      return g;
    };
    const int around = count > effort_.coarse ? count / 2 : 0;
    for (int i = 2; i < count - around; ++i) {
      const std::uint32_t b = spread(advance());
      s.add(model_, b);
    }
    // Where the real cubic errs most the rounding errors come on top: look closely there.
    for (int i = 0; i < around && !peaks_.empty(); ++i) {
      const std::uint32_t peak = peaks_[static_cast<std::size_t>(i) % peaks_.size()];
      const std::int64_t b = peak + static_cast<std::int64_t>((advance() - 0.5) / 64 * inputs);
      if (b >= lo_ && b <= hi_) s.add(model_, static_cast<std::uint32_t>(b));
    }
    if (!has_root_) return;
    for (int side = -1; side <= 1; side += 2) {
      for (std::uint32_t d = 1; d < (1U << 22); d += d / 4 + 1) {
        const std::int64_t b =
            static_cast<std::int64_t>(float_bits(root_)) + side * static_cast<std::int64_t>(d);
        if (b < lo_ || b > hi_) continue;
        s.add(model_, static_cast<std::uint32_t>(b));
      }
    }
  }

  // Worst error, or something above `limit` as soon as it is passed.
  double judge(const Section& section, const Samples& s, double limit) const {
    double worst = 0;
    constexpr std::size_t kBlock = 32;
    for (std::size_t i = 0; i < s.v.size();) {
      const std::size_t end = std::min(i + kBlock, s.v.size());
      float low = INFINITY;
      float high = -INFINITY;
      for (; i < end; ++i) {
        const float y = evaluate_cubic(section, s.v[i]);
        worst = std::max(worst, std::fabs(static_cast<double>(y) - s.f[i]) * s.weight[i]);
        low = std::min(low, y);
        high = std::max(high, y);
      }
      if (low < range_.lowest || high > range_.highest) return kOutside + worst;
      if (worst > limit) return worst;
    }
    return worst;
  }

  // Walks to neighbouring coefficients while that helps.
  void improve(Attempt& a, const Samples& s, int rounds) const {
    for (int round = 0; round < rounds; ++round) {
      bool better = false;
      for (float Section::*member : {&Section::d0, &Section::d1, &Section::d2, &Section::d3}) {
        for (const int step : {1, -1, 3, -3}) {
          Attempt b = a;
          b.section.*member = next(a.section.*member, step);
          b.error = judge(b.section, s, a.error);
          if (b.error < a.error) {
            a = b;
            better = true;
          }
        }
      }
      if (!better) return;
    }
  }

  void consider(const Section& section) {
    Attempt a{section, judge(section, samples_, INFINITY)};
    improve(a, samples_, effort_.steps);
    const auto better = [](const Attempt& l, const Attempt& r) { return l.error < r.error; };
    best_.insert(std::upper_bound(best_.begin(), best_.end(), a, better), a);
    if (best_.size() > static_cast<std::size_t>(effort_.finalists)) best_.pop_back();
  }

  // The real cubic about x, its coefficients rounded; where the upper ones leave binary32 the lower ones are
  // refitted.
  Section round_about(const Cubic& real, float x) {
    const double about = has_root_ ? static_cast<double>(root_) : centre();
    const Cubic moved = shifted(real, static_cast<double>(x) - about);
    Section s;
    s.x = x;
    s.d3 = to_float(moved[3]);
    s.d2 = to_float(moved[2]);
    s.d1 = to_float(moved[1]);
    s.d0 = to_float(moved[0]);
    if (leaves_range(moved[3]) || leaves_range(moved[2])) refit(s);
    return s;
  }
  static bool leaves_range(double c) {
    return std::fabs(c) > std::numeric_limits<float>::max() || (std::fabs(c) < 0x1p-127 && c != 0);
  }

  // d3 or d2 does not fit binary32: the others take over what they can.
  void refit(Section& s) {
    const std::vector<FitPoint> points = about_point(s.x);
    Cubic fixed{0, 0, 0, static_cast<double>(s.d3)};
    if (std::fabs(s.d3) >= std::numeric_limits<float>::max()) fixed[3] = 0;
    s.d3 = to_float(fixed[3]);
    MinimaxFit f = minimax_fit(points, kQuadratic, fixed);
    if (std::fabs(f.c[2]) > std::numeric_limits<float>::max()) f.c[2] = 0;
    fixed[2] = static_cast<double>(to_float(f.c[2]));
    f = minimax_fit(points, kLine, fixed);
    s.d2 = to_float(fixed[2]);
    s.d1 = to_float(f.c[1]);
    s.d0 = to_float(f.c[0]);
  }

  void try_near(const Cubic& real) {
    struct Place {
      float x = 0;
      double penalty = 0;
    };
    const std::uint32_t mid = lo_ + (hi_ - lo_) / 2;
    const double about = centre();
    const double half =
        std::fabs(static_cast<double>(bits_float(hi_)) - static_cast<double>(bits_float(lo_))) / 2;
    std::vector<Place> places;
    // Stay in the octave, where steps of the input are even.
    const int below = std::min<int>(kNearRange, static_cast<int>(mid & 0x7fffff));
    const int above = std::min<int>(kNearRange, static_cast<int>(0x7fffff - (mid & 0x7fffff)));
    for (int j = -below; j <= above; ++j) {
      const float x = bits_float(static_cast<std::uint32_t>(static_cast<std::int64_t>(mid) + j));
      const Cubic c = shifted(real, static_cast<double>(x) - about);
      const double weight = 1 / ulp_of(static_cast<float>(c[0]));
      const double penalty = std::fabs(c[0] - static_cast<double>(to_float(c[0]))) * weight +
                             std::fabs(c[1] - static_cast<double>(to_float(c[1]))) * half * weight;
      places.push_back({x, penalty});
    }
    const auto keep = std::min<std::size_t>(places.size(), static_cast<std::size_t>(effort_.near_x));
    std::partial_sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(keep), places.end(),
                      by_penalty<Place>);
    for (std::size_t i = 0; i < keep; ++i) consider(round_about(real, places[i].x));
  }

  void find_peaks(const MinimaxFit& real) {
    const double about = centre();
    for (const FitPoint& p : points_) {
      if (std::fabs(p.f - cubic_at(real.c, p.t)) * p.weight < 0.93 * real.error) continue;
      peaks_.push_back(float_bits(static_cast<float>(p.t + about)));
    }
  }

  // With a slope of few bits the product d1 t is exact, and with d0 on the grid of the results so is the sum:
  // the first stage adds no error, and little more than the final rounding remains. The slope decides the
  // expansion point, which may lie outside the section; it must stay near enough for t to be exact.
  void try_exact_stage(const Cubic& real) {
    double grid = INFINITY;
    for (const FitPoint& p : points_) grid = std::min(grid, ulp_of(static_cast<float>(p.f)));
    const double step = ulp_of(bits_float(lo_));  // between inputs
    const double slope_step = grid / step;
    const double about = centre();
    const double middle = std::floor(real[1] / slope_step);
    if (std::fabs(middle) > 0x1p12) return;
    for (int k = -1; k <= 2; ++k) {
      const double slope = (middle + k) * slope_step;
      double h = 0;
      const bool meets = expansion_point(real, slope, h);
      const double x = std::nearbyint((about + h) / step) * step;
      if (std::fabs(h) > 0x1p23 * step || std::fabs(x) > 0x1p24 * step) continue;
      if (meets) {
        exact_stage_about(real, x, slope, step, grid);
      } else if (effort_.fine > 0) {
        near_miss(x, slope, step, grid);
      }
    }
  }

  // The slope of the real cubic comes near the wanted one at x but never meets it, as at the inflection of an
  // odd function: a cubic with that slope somewhere around x may still be close enough.
  void near_miss(double x, double slope, double step, double grid) {
    const double width =
        std::fabs(static_cast<double>(bits_float(hi_)) - static_cast<double>(bits_float(lo_)));
    const auto place = [&](double at) { return std::nearbyint(at / step) * step; };
    double best_error = INFINITY;
    double best = x;
    double reach = width;
    for (int round = 0; round < 8; ++round, reach /= 2) {
      const double middle = best;
      for (int i = -2; i <= 2; ++i) {
        const double at = place(middle + i * reach / 2);
        const double error = fixed_slope(at, slope).error;
        if (error >= best_error) continue;
        best_error = error;
        best = at;
      }
    }
    if (best_error > kNearMiss) return;
    for (int i = -2; i <= 2; ++i) {
      const double at = place(best + i * reach);
      const double d0 = std::nearbyint(fixed_slope(at, slope).c[0] / grid) * grid;
      if (std::fabs(d0) >= 0x1p24 * grid) continue;
      consider(refit_upper({to_float(d0), to_float(slope), 0, 0, to_float(at)}));
    }
  }

  // The minimax cubic about x with this slope; only for x outside the section, where 1, t^2, t^3 are a
  // Chebyshev system.
  MinimaxFit fixed_slope(double x, double slope) const {
    const double lo = bits_float(lo_);
    const double hi = bits_float(hi_);
    MinimaxFit none;
    none.error = INFINITY;
    if (x >= std::min(lo, hi) && x <= std::max(lo, hi)) return none;
    return minimax_fit(about_point(x), kCubic & ~2U, {0, slope, 0, 0});
  }

  // The points with abscissas counted from x.
  std::vector<FitPoint> about_point(double x) const {
    std::vector<FitPoint> points = points_;
    const double about = has_root_ ? static_cast<double>(root_) : centre();
    for (FitPoint& p : points) p.t += about - x;
    return points;
  }

  // The nearest h with real'(h) = slope; where there is none, false and the h where the slope comes nearest.
  static bool expansion_point(const Cubic& real, double slope, double& h) {
    const double a = 3 * real[3];
    const double b = 2 * real[2];
    const double c = real[1] - slope;
    const double d = b * b - 4 * a * c;
    if (!(d >= 0)) {
      h = -b / (2 * a);
      return false;
    }
    const double q = -(b + std::copysign(std::sqrt(d), b)) / 2;  // the root of smaller size is c / q
    h = q != 0 ? c / q : INFINITY;
    return true;
  }

  void exact_stage_about(const Cubic& real, double x0, double slope, double step, double grid) {
    struct Place {
      double x = 0, d0 = 0, penalty = 0;
    };
    const double about = centre();
    const double half =
        std::fabs(static_cast<double>(bits_float(hi_)) - static_cast<double>(bits_float(lo_))) / 2;
    std::vector<Place> places;
    for (int j = -kExactRange; j <= kExactRange; ++j) {
      const double x = x0 + j * step;
      const Cubic c = shifted(real, x - about);
      const double d0 = std::nearbyint(c[0] / grid) * grid;
      if (std::fabs(d0) >= 0x1p24 * grid) continue;
      const double penalty = (std::fabs(c[0] - d0) + std::fabs(c[1] - slope) * half) / grid;
      places.push_back({x, d0, penalty});
    }
    const auto keep = std::min<std::size_t>(places.size(), static_cast<std::size_t>(effort_.exact_x));
    std::partial_sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(keep), places.end(),
                      by_penalty<Place>);
    for (std::size_t i = 0; i < keep; ++i) {
      const Cubic c = shifted(real, places[i].x - about);
      Section s{to_float(places[i].d0), to_float(slope), to_float(c[2]), to_float(c[3]),
                to_float(places[i].x)};
      consider(s);
      if (effort_.fine > 0 && std::fabs(places[i].x - about) > half) consider(refit_upper(s));
    }
  }

  // d2 and d3 fitted anew to the rounded d0 and d1; t keeps its sign over the section.
  Section refit_upper(Section s) {
    const std::vector<FitPoint> points = about_point(s.x);
    Cubic fixed{s.d0, s.d1, 0, 0};
    MinimaxFit f = minimax_fit(points, 0b1100, fixed);
    fixed[3] = static_cast<double>(to_float(f.c[3]));
    f = minimax_fit(points, 0b0100, fixed);
    s.d3 = to_float(fixed[3]);
    s.d2 = to_float(f.c[2]);
    return s;
  }

  double try_root() {
    const MinimaxFit fit = root_minimax();
    Section s;
    s.x = root_;
    s.d0 = to_float(root_value_);
    s.d1 = to_float(fit.c[1]);
    s.d2 = to_float(fit.c[2]);
    s.d3 = to_float(fit.c[3]);
    consider(s);
    return fit.error;
  }

  Model& model_;
  std::uint32_t lo_, hi_;
  Effort effort_;
  ValueRange range_;
  bool has_root_ = false;
  float root_ = 0;
  double root_value_ = 0;
  std::vector<FitPoint> points_;
  std::vector<std::uint32_t> peaks_;
  Samples samples_;
  std::vector<Attempt> best_;
};

}  // namespace

SectionFit fit_section(Model& model, std::uint32_t lo, std::uint32_t hi, const Effort& effort,
                       const ValueRange& range) {
  return Fitter(model, lo, hi, effort, range).run();
}

double section_minimax(Model& model, std::uint32_t lo, std::uint32_t hi) {
  return Fitter(model, lo, hi, kDraft, {}).minimax();
}

}  // namespace act::fit
