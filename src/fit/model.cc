#include "fit/model.h"

#include <algorithm>
#include <cmath>

namespace act::fit {
namespace {

constexpr std::size_t kNodes = 12;
// cos((2i + 1) pi / 24), i = 0..5: the positive zeros of the Chebyshev polynomial of degree 12.
constexpr std::array<double, kNodes / 2> kPositiveNodes = {0.99144486137381041, 0.92387953251128676,
                                                           0.79335334029123517, 0.60876142900872064,
                                                           0.38268343236508977, 0.13052619222005160};

// A coefficient that moves no value by more than this is left out.
constexpr double kNegligible = 0x1p-48;
// Far beyond binary32 in either direction the value itself no longer matters.
constexpr double kOverflow = 0x1p140, kUnderflow = 0x1p-200;

// Mantissa steps of the shortest leaf, 1/1024 octave.
constexpr double kUnit = 8192;
// Largest over smallest value of a leaf: more, and the rounding of the large ones shows in the small ones.
constexpr double kSpan = 256;

constexpr double node(std::size_t i) {
  return i < kNodes / 2 ? kPositiveNodes[i] : -kPositiveNodes[kNodes - 1 - i];
}

// Values at the nodes to Chebyshev coefficients.
std::array<double, kNodes> chebyshev_coefficients(const std::array<double, kNodes>& values) {
  std::array<double, kNodes> c{};
  for (std::size_t i = 0; i < kNodes; ++i) {
    double previous = 1;
    double current = node(i);
    c[0] += values[i];
    for (std::size_t k = 1; k < kNodes; ++k) {
      c[k] += values[i] * current;
      const double next = 2 * node(i) * current - previous;
      previous = current;
      current = next;
    }
  }
  for (std::size_t k = 0; k < kNodes; ++k) c[k] *= (k == 0 ? 1.0 : 2.0) / static_cast<double>(kNodes);
  return c;
}

// Chebyshev to monomial coefficients.
std::array<double, kNodes> monomial_coefficients(const std::array<double, kNodes>& c) {
  std::array<double, kNodes> sum{};
  std::array<double, kNodes> previous{1};
  std::array<double, kNodes> current{0, 1};
  sum[0] = c[0];
  for (std::size_t k = 1; k < kNodes; ++k) {
    for (std::size_t i = 0; i <= k; ++i) sum[i] += c[k] * current[i];
    std::array<double, kNodes> next{};
    for (std::size_t i = 0; i < kNodes; ++i) {
      next[i] = (i > 0 ? 2 * current[i - 1] : 0) - previous[i];
    }
    previous = current;
    current = next;
  }
  return sum;
}

// The number whose exponent and sign stand in `base` and whose mantissa field is m.
double number(std::uint32_t base, double m) {
  const int biased = static_cast<int>(base >> 23 & 0xff);
  const double scaled = std::ldexp(biased == 0 ? m : m + 0x1p23, std::max(biased, 1) - 127 - 23);
  return base >> 31 != 0 ? -scaled : scaled;
}

}  // namespace

std::optional<Model::Line> Model::line(std::uint32_t bits) {
  (void)(*this)(bits);
  const Octave& octave = octaves_[bits >> 31 & 1][bits >> 23 & 0xff];
  if (octave.leaves.size() != 1 || octave.leaves[0].degree > 1 || octave.leaves[0].exact) return std::nullopt;
  const Leaf& leaf = octave.leaves[0];
  const double first = number(bits & 0xff800000, 0);
  const double last = number(bits & 0xff800000, 0x1p23);
  const double low = leaf.c[0] - leaf.c[1] * leaf.centre * leaf.scale;
  const double high = leaf.c[0] + leaf.c[1] * (0x1p23 - leaf.centre) * leaf.scale;
  const double b = (high - low) / (last - first);
  return Line{low - b * first, b};
}

// One pass per coefficient: the compiler turns each into vector code.
void Model::leaf_values(const Leaf& leaf, std::uint32_t mantissa, std::uint32_t step, std::uint32_t count,
                        double* out) {
  constexpr std::uint32_t kChunk = 512;
  std::array<double, kChunk> t;
  for (std::uint32_t done = 0; done < count; done += kChunk) {
    const std::uint32_t n = std::min(kChunk, count - done);
    double* y = out + done;
    const double start = static_cast<double>(mantissa) - leaf.centre;
    for (std::uint32_t i = 0; i < n; ++i) {
      t[i] = (start + static_cast<double>(static_cast<std::int32_t>((done + i) * step))) * leaf.scale;
      y[i] = leaf.c[leaf.degree];
    }
    for (std::size_t k = leaf.degree; k-- > 0;) {
      const double c = leaf.c[k];
      for (std::uint32_t i = 0; i < n; ++i) y[i] = y[i] * t[i] + c;
    }
  }
}

void Model::values(std::uint32_t first, std::uint32_t step, std::uint32_t count, double* out) {
  std::uint32_t done = 0;
  while (done < count) {
    const std::uint32_t bits = first + done * step;
    const double here = (*this)(bits);  // builds the octave
    const Octave& octave = octaves_[bits >> 31 & 1][bits >> 23 & 0xff];
    const std::uint32_t last = bits | ((1U << octave.shift) - 1);  // of the leaf's cell
    const std::uint32_t run = std::min(count - done, (last - bits) / step + 1);
    const Leaf& leaf = octave.leaves[octave.index[(bits & 0x7fffff) >> octave.shift]];
    if (leaf.exact) {
      out[done] = here;
      for (std::uint32_t i = 1; i < run; ++i) out[done + i] = (*this)(bits + i * step);
    } else {
      leaf_values(leaf, bits & 0x7fffff, step, run, out + done);
    }
    done += run;
  }
}

// Whether f has a root, other than at 0, in this stretch of mantissas or within a unit of it: there rounding
// errors of the polynomial would be large beside f.
bool Model::near_root(std::uint32_t base, double lo, double hi) const {
  for (const Root& root : function_->roots) {
    if (!root.exists || root.x == 0 || std::signbit(root.x) != (base >> 31 != 0)) continue;
    const double first = std::fabs(number(base, 0));
    const double at =
        (std::fabs(root.x) - first) / std::fabs(number(base, 0x1p23) - number(base, 0)) * 0x1p23;
    if (at >= lo - kUnit && at <= hi + kUnit) return true;
  }
  return false;
}

// True when the polynomial is accurate enough.
bool Model::fit_leaf(std::uint32_t base, double lo, double hi, Leaf& leaf) const {
  if (near_root(base, lo, hi)) return false;
  leaf.centre = (lo + hi) / 2;
  leaf.scale = 2 / (hi - lo);
  std::array<double, kNodes> values{};
  double smallest = INFINITY;
  double largest = 0;
  for (std::size_t i = 0; i < kNodes; ++i) {
    values[i] = exact_value(*function_, number(base, leaf.centre + node(i) * (hi - lo) / 2)).hi;
    smallest = std::min(smallest, std::fabs(values[i]));
    largest = std::max(largest, std::fabs(values[i]));
  }
  if (smallest > kOverflow) {
    leaf.c = {values[0] > 0 ? kOverflow : -kOverflow};
    return true;
  }
  if (largest < kUnderflow) {
    leaf.c = {};
    return true;
  }
  const auto c = chebyshev_coefficients(values);
  leaf.degree = kDegree;
  while (leaf.degree > 0 && std::fabs(c[leaf.degree]) <= kNegligible * smallest) --leaf.degree;
  auto kept = c;
  std::fill(kept.begin() + static_cast<std::ptrdiff_t>(leaf.degree) + 1, kept.end(), 0.0);
  const auto m = monomial_coefficients(kept);
  std::copy(m.begin(), m.end(), leaf.c.begin());
  const double tail = std::fabs(c[kNodes - 1]) + std::fabs(c[kNodes - 2]) / 4;
  return tail <= kReferenceError / 4 * std::max(smallest, kUnderflow) &&
         largest <= kSpan * std::max(smallest, kUnderflow);
}

void Model::build(std::uint32_t bits) {
  Octave& octave = octaves_[bits >> 31 & 1][bits >> 23 & 0xff];
  const std::uint32_t base = bits & 0xff800000;
  struct Piece {
    std::uint32_t first = 0;  // in units of 1/1024 octave
    std::uint32_t width = 0;
  };
  constexpr std::uint32_t kUnits = 1U << kMaxDepth;
  std::vector<Piece> todo{{0, kUnits}};
  std::uint32_t finest = kUnits;
  std::vector<Piece> done;
  while (!todo.empty()) {
    const Piece piece = todo.back();
    todo.pop_back();
    Leaf leaf;
    const bool good = fit_leaf(base, piece.first * kUnit, (piece.first + piece.width) * kUnit, leaf);
    if (!good && piece.width > 1) {
      todo.push_back({piece.first + piece.width / 2, piece.width / 2});
      todo.push_back({piece.first, piece.width / 2});
      continue;
    }
    leaf.exact = !good;
    done.push_back(piece);
    octave.leaves.push_back(leaf);
    finest = std::min(finest, piece.width);
  }
  octave.shift = 23 - kMaxDepth;
  for (std::uint32_t w = finest; w > 1; w /= 2) ++octave.shift;
  octave.index.resize(std::size_t{1} << (23 - octave.shift));
  for (std::size_t i = 0; i < done.size(); ++i) {
    for (std::uint32_t u = done[i].first; u < done[i].first + done[i].width; u += finest) {
      octave.index[u / finest] = static_cast<std::uint16_t>(i);
    }
  }
}

}  // namespace act::fit
