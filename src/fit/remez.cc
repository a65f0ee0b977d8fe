#include "fit/remez.h"

#include <algorithm>
#include <cmath>

namespace act::fit {
namespace {

constexpr int kMaxFree = 4;
constexpr int kMaxExchanges = 40;
// The levelled error of the reference is a lower bound of the minimax error; this close to the largest error
// it is it.
constexpr double kConverged = 1e-6;

struct Basis {
  std::array<int, kMaxFree> power{};
  int size = 0;
  double scale = 1;  // a power of two near max |t|: columns of similar size

  explicit Basis(unsigned mask) {
    for (int k = 0; k < kMaxFree; ++k) {
      if ((mask >> k & 1U) != 0) power[static_cast<std::size_t>(size++)] = k;
    }
  }
  double at(int column, double t) const {
    const double s = t * scale;
    switch (power[static_cast<std::size_t>(column)]) {
      case 0:
        return 1;
      case 1:
        return s;
      case 2:
        return s * s;
      default:
        return s * s * s;
    }
  }
};

using Row = std::array<double, kMaxFree + 2>;  // columns, the levelled error, right-hand side

// Gaussian elimination with row pivoting of `n` equations; false when singular.
bool solve(std::array<Row, kMaxFree + 1>& a, int n, std::array<double, kMaxFree + 1>& x) {
  const auto at = [&](int r, int c) -> double& {
    return a[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
  };
  for (int c = 0; c < n; ++c) {
    int pivot = c;
    for (int r = c + 1; r < n; ++r) {
      if (std::fabs(at(r, c)) > std::fabs(at(pivot, c))) pivot = r;
    }
    if (at(pivot, c) == 0) return false;
    std::swap(a[static_cast<std::size_t>(pivot)], a[static_cast<std::size_t>(c)]);
    for (int r = c + 1; r < n; ++r) {
      const double q = at(r, c) / at(c, c);
      if (q == 0) continue;
      for (int k = c; k <= n; ++k) at(r, k) -= q * at(c, k);
    }
  }
  for (int r = n - 1; r >= 0; --r) {
    double sum = at(r, n);
    for (int k = r + 1; k < n; ++k) sum -= at(r, k) * x[static_cast<std::size_t>(k)];
    x[static_cast<std::size_t>(r)] = sum / at(r, r);
  }
  return true;
}

class Exchange {
 public:
  Exchange(std::span<const FitPoint> points, unsigned mask, const Cubic& fixed)
      : points_(points), basis_(mask), fixed_(fixed), count_(basis_.size + 1) {
    double largest = 0;
    for (const FitPoint& p : points_) largest = std::max(largest, std::fabs(p.t));
    if (largest > 0) basis_.scale = std::ldexp(1.0, -std::ilogb(largest));
    for (unsigned k = 0; k < kMaxFree; ++k) {
      if ((mask >> k & 1U) != 0) fixed_[k] = 0;
    }
  }

  MinimaxFit run() {
    if (points_.size() < static_cast<std::size_t>(count_)) return interpolate();
    start();
    MinimaxFit fit;
    MinimaxFit best;
    best.error = INFINITY;
    for (int i = 0; i < kMaxExchanges; ++i) {
      if (!level(fit.c)) break;
      fit.error = worst(fit.c);
      fit.iterations = best.iterations = i + 1;
      if (fit.error < best.error) best = fit;
      if (fit.error <= std::fabs(level_) * (1 + kConverged) || !exchange()) break;
    }
    return best.error < INFINITY ? best : interpolate();
  }

 private:
  double residual(const FitPoint& p) const { return p.f - cubic_at(fixed_, p.t); }

  // First reference: points spread like the extrema of a Chebyshev polynomial over the index range.
  void start() {
    static constexpr std::array<std::array<double, 5>, 5> kSpread = {
        {{0}, {0, 1}, {0, 0.5, 1}, {0, 0.25, 0.75, 1}, {0, 0.146, 0.5, 0.854, 1}}};
    const auto last = static_cast<double>(points_.size() - 1);
    for (int i = 0; i < count_; ++i) {
      const double where = kSpread[static_cast<std::size_t>(basis_.size)][static_cast<std::size_t>(i)] * last;
      ref_[static_cast<std::size_t>(i)] = static_cast<std::size_t>(where + 0.5);
    }
    for (int i = 1; i < count_; ++i) {  // distinct, ascending
      auto& here = ref_[static_cast<std::size_t>(i)];
      here = std::max(here, ref_[static_cast<std::size_t>(i - 1)] + 1);
    }
  }

  // Solves for the polynomial whose weighted errors on the reference are equal and alternate.
  bool level(Cubic& c) {
    std::array<Row, kMaxFree + 1> a{};
    std::array<double, kMaxFree + 1> x{};
    for (int i = 0; i < count_; ++i) {
      const FitPoint& p = points_[ref_[static_cast<std::size_t>(i)]];
      Row& row = a[static_cast<std::size_t>(i)];
      for (int k = 0; k < basis_.size; ++k) row[static_cast<std::size_t>(k)] = basis_.at(k, p.t) * p.weight;
      row[static_cast<std::size_t>(basis_.size)] = i % 2 == 0 ? 1 : -1;
      row[static_cast<std::size_t>(count_)] = residual(p) * p.weight;
    }
    if (!solve(a, count_, x)) return false;
    level_ = x[static_cast<std::size_t>(basis_.size)];
    c = fixed_;
    for (int k = 0; k < basis_.size; ++k) {
      const int power = basis_.power[static_cast<std::size_t>(k)];
      double value = x[static_cast<std::size_t>(k)];
      for (int n = 0; n < power; ++n) value *= basis_.scale;
      c[static_cast<std::size_t>(power)] = value;
    }
    return true;
  }

  double worst(const Cubic& c) {
    double largest = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const FitPoint& p = points_[i];
      const double e = (p.f - cubic_at(c, p.t)) * p.weight;
      errors_[i] = e;
      if (std::fabs(e) > largest) {
        largest = std::fabs(e);
        worst_ = i;
      }
    }
    return largest;
  }

  // Brings the worst point into the reference so that the signs still alternate. False when it is there
  // already.
  bool exchange() {
    const auto at = [&](int i) -> std::size_t& { return ref_[static_cast<std::size_t>(i)]; };
    const bool sign = errors_[worst_] > 0;
    int after = 0;
    while (after < count_ && at(after) < worst_) ++after;
    if (after < count_ && at(after) == worst_) return false;
    const auto ref_sign = [&](int i) { return (level_ > 0) == (i % 2 == 0); };
    if (after == 0) {
      if (ref_sign(0) == sign) {
        at(0) = worst_;
      } else {
        for (int i = count_ - 1; i > 0; --i) at(i) = at(i - 1);
        at(0) = worst_;
      }
    } else if (after == count_) {
      if (ref_sign(count_ - 1) == sign) {
        at(count_ - 1) = worst_;
      } else {
        for (int i = 0; i + 1 < count_; ++i) at(i) = at(i + 1);
        at(count_ - 1) = worst_;
      }
    } else {
      at(ref_sign(after) == sign ? after : after - 1) = worst_;
    }
    return true;
  }

  // Few points: a polynomial of lower degree through all of them.
  MinimaxFit interpolate() {
    MinimaxFit fit;
    fit.c = fixed_;
    const int n = std::min<int>(basis_.size, static_cast<int>(points_.size()));
    std::array<Row, kMaxFree + 1> a{};
    std::array<double, kMaxFree + 1> x{};
    for (int i = 0; i < n; ++i) {
      const FitPoint& p = points_[static_cast<std::size_t>(i)];
      for (int k = 0; k < n; ++k)
        a[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)] = basis_.at(k, p.t);
      a[static_cast<std::size_t>(i)][static_cast<std::size_t>(n)] = residual(p);
    }
    if (n > 0 && solve(a, n, x)) {
      for (int k = 0; k < n; ++k) {
        const int power = basis_.power[static_cast<std::size_t>(k)];
        double value = x[static_cast<std::size_t>(k)];
        for (int m = 0; m < power; ++m) value *= basis_.scale;
        fit.c[static_cast<std::size_t>(power)] = value;
      }
    }
    fit.error = worst(fit.c);
    return fit;
  }

  std::span<const FitPoint> points_;
  Basis basis_;
  Cubic fixed_;
  int count_;
  double level_ = 0;
  std::size_t worst_ = 0;
  std::array<std::size_t, kMaxFree + 1> ref_{};
  std::array<double, kMaxPoints> errors_{};
};

}  // namespace

Cubic shifted(const Cubic& p, double s) {
  return {cubic_at(p, s), p[1] + s * (2 * p[2] + s * 3 * p[3]), p[2] + 3 * s * p[3], p[3]};
}

MinimaxFit minimax_fit(std::span<const FitPoint> points, unsigned free_powers, const Cubic& fixed) {
  return Exchange(points.first(std::min(points.size(), kMaxPoints)), free_powers, fixed).run();
}

}  // namespace act::fit
