// The Remez exchange on a finite set of points, for polynomials of degree three and less in any selection of
// powers. Everything is plain binary64 arithmetic: the same bits on every processor.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace act::fit {

// One point to fit: abscissa, value, and the weight its error counts with (1 / ULP for an error in ULP).
struct FitPoint {
  double t = 0, f = 0, weight = 1;
};

// Coefficients of 1, t, t^2, t^3.
using Cubic = std::array<double, 4>;

inline double cubic_at(const Cubic& c, double t) { return c[0] + t * (c[1] + t * (c[2] + t * c[3])); }

// The same polynomial written about a point moved by `shift`: q(t) = p(t + shift).
Cubic shifted(const Cubic& p, double shift);

// Which powers of t are free, as a mask: bit k stands for t^k.
enum Powers : unsigned { kCubic = 0b1111, kQuadratic = 0b0111, kLine = 0b0011, kConstant = 0b0001 };

// No call takes more points.
inline constexpr std::size_t kMaxPoints = 256;

struct MinimaxFit {
  Cubic c{};
  double error = 0;    // largest weighted error over the points
  int iterations = 0;  // exchanges made
};

// The polynomial  fixed(t) + sum over free powers of c_k t^k  whose largest weighted error over `points` is
// least. `fixed` gives the coefficients of the powers that are not free. The points stand in ascending order
// of t, and the free powers form a Chebyshev system on them: any run 0..n, or any selection when no two
// points differ in sign of t. With fewer points than free powers plus one the polynomial interpolates them
// all (highest powers zero).
MinimaxFit minimax_fit(std::span<const FitPoint> points, unsigned free_powers, const Cubic& fixed = {});

}  // namespace act::fit
