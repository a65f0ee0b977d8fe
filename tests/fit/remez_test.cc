#include "fit/remez.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace act::fit {
namespace {

template <class F>
std::vector<FitPoint> sampled(F f, double lo, double hi, int count) {
  std::vector<FitPoint> points;
  for (int i = 0; i < count; ++i) {
    // Crowded towards the ends, as the extrema are.
    const double s = static_cast<double>(i) / (count - 1);
    const double t = lo + (hi - lo) * s * s * (3 - 2 * s);
    points.push_back({t, f(t), 1});
  }
  return points;
}

// The best cubic approximation of t^4 on [-1, 1] errs by 1/8: the monic Chebyshev polynomial of degree 4.
TEST(Remez, ChebyshevPolynomialOfDegreeFour) {
  const auto points = sampled([](double t) { return t * t * t * t; }, -1, 1, 129);
  const MinimaxFit fit = minimax_fit(points, kCubic);
  EXPECT_NEAR(fit.error, 0.125, 1e-4);
  EXPECT_NEAR(fit.c[0], -0.125, 1e-4);
  EXPECT_NEAR(fit.c[1], 0, 1e-9);
  EXPECT_NEAR(fit.c[2], 1, 1e-3);
}

// |t| on [-1, 1]: the best quadratic is t^2 + 1/8, and the best cubic is the same.
TEST(Remez, AbsoluteValue) {
  const auto points = sampled([](double t) { return std::fabs(t); }, -1, 1, 257 - 2);
  EXPECT_NEAR(minimax_fit(points, kQuadratic).error, 0.125, 1e-3);
  EXPECT_NEAR(minimax_fit(points, kCubic).error, 0.125, 1e-3);
}

// A published value: the degree-1 minimax of exp on [0, 1] errs by 0.1059 (slope e - 1, contact at ln(e -
// 1)).
TEST(Remez, LineThroughExp) {
  const auto points = sampled([](double t) { return std::exp(t); }, 0, 1, 201);
  const MinimaxFit fit = minimax_fit(points, kLine);
  const double slope = std::exp(1.0) - 1;
  EXPECT_NEAR(fit.c[1], slope, 1e-3);
  EXPECT_NEAR(fit.error, (1 - slope + slope * std::log(slope)) / 2, 1e-4);
}

// De la Vallee-Poussin: no other cubic does better. Random neighbours of the result all err more.
TEST(Remez, NoNeighbourIsBetter) {
  const auto points = sampled([](double t) { return std::sin(3 * t) / (t + 2); }, -1, 1, 101);
  const MinimaxFit fit = minimax_fit(points, kCubic);
  std::uint32_t state = 1;
  const auto random = [&state] {
    state = state * 1664525 + 1013904223;
    return static_cast<double>(state >> 8) / 0x1p24 - 0.5;
  };
  for (int i = 0; i < 500; ++i) {
    Cubic c = fit.c;
    for (double& k : c) k += random() * 0.01;
    double worst = 0;
    for (const FitPoint& p : points) worst = std::max(worst, std::fabs(p.f - cubic_at(c, p.t)));
    EXPECT_GE(worst, fit.error);
  }
}

// The error equioscillates: at least five extrema of alternating sign, weights included.
TEST(Remez, EquioscillationUnderWeights) {
  auto points = sampled([](double t) { return std::exp(t); }, 0, 1.5, 151);
  for (FitPoint& p : points) p.weight = p.f < 2 ? 2 : 1;  // the jump of an ULP
  const MinimaxFit fit = minimax_fit(points, kCubic);
  int alternations = 0;
  int last = 0;
  for (const FitPoint& p : points) {
    const double e = (p.f - cubic_at(fit.c, p.t)) * p.weight;
    if (std::fabs(e) < 0.999 * fit.error) continue;
    const int sign = e > 0 ? 1 : -1;
    if (sign != last) ++alternations;
    last = sign;
  }
  EXPECT_GE(alternations, 5);
}

TEST(Remez, PinnedPowersStay) {
  const auto points = sampled([](double t) { return std::sin(t); }, 0.01, 0.5, 99);
  const MinimaxFit fit = minimax_fit(points, 0b1100, {0, 1, 0, 0});
  EXPECT_EQ(fit.c[0], 0);
  EXPECT_EQ(fit.c[1], 1);
  EXPECT_NEAR(fit.c[3], -1.0 / 6, 5e-3);
  EXPECT_LT(fit.error, 2e-5);
}

TEST(Remez, FewPointsAreInterpolated) {
  const std::vector<FitPoint> one = {{0.5, 3, 1}};
  EXPECT_EQ(minimax_fit(one, kCubic).c, (Cubic{3, 0, 0, 0}));
  const std::vector<FitPoint> two = {{0, 1, 1}, {2, 5, 1}};
  const MinimaxFit line = minimax_fit(two, kCubic);
  EXPECT_NEAR(line.c[0], 1, 1e-12);
  EXPECT_NEAR(line.c[1], 2, 1e-12);
  EXPECT_NEAR(line.error, 0, 1e-12);
}

TEST(Remez, ShiftedPolynomial) {
  const Cubic p = {1, -2, 3, -4};
  const Cubic q = shifted(p, 0.75);
  for (const double t : {-1.0, -0.25, 0.0, 0.5, 2.0})
    EXPECT_NEAR(cubic_at(q, t), cubic_at(p, t + 0.75), 1e-12);
}

}  // namespace
}  // namespace act::fit
