// A deterministic stand-in for a function while tables are fitted: per octave and sign, short polynomials
// through values rounded from MPFR. Building and evaluating use only correctly rounded operations, so that a
// fitted table has the same bytes on every processor, which the platform's libm could not promise.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "act/fit/accuracy.h"
#include "act/fit/metric.h"
#include "act/numeric/ulp.h"
#include "act/tables/functions.h"

namespace act::fit {

class Model {
 public:
  explicit Model(const FunctionInfo& function) : function_(&function) {}

  // f(x) for the finite, non-zero binary32 x given by its pattern, with relative error below kReferenceError.
  double operator()(std::uint32_t bits) {
    const Octave& octave = octaves_[bits >> 31 & 1][bits >> 23 & 0xff];
    if (octave.leaves.empty()) build(bits);
    const Leaf& leaf = octave.leaves[octave.index[(bits & 0x7fffff) >> octave.shift]];
    if (leaf.exact) return exact_value(*function_, bits_float(bits)).hi;
    const double t = (static_cast<double>(bits & 0x7fffff) - leaf.centre) * leaf.scale;
    double y = leaf.c[leaf.degree];
    for (std::size_t k = leaf.degree; k-- > 0;) y = y * t + leaf.c[k];
    return y;
  }
  // f at `count` inputs first, first + step, ... of one sign and exponent: the same values, faster.
  void values(std::uint32_t first, std::uint32_t step, std::uint32_t count, double* out);

  // Over the octave of this input f is a + b x to within kReferenceError.
  struct Line {
    double a = 0, b = 0;
  };
  std::optional<Line> line(std::uint32_t bits);

  const FunctionInfo& function() const { return *function_; }

  void set_metric(Metric metric) { metric_ = metric; }
  // Beyond this magnitude errors count in this unit at least: absolute where the results are smaller than it
  // says.
  void count_absolutely(float beyond, double unit) {
    absolute_beyond_ = float_bits(beyond);
    absolute_unit_ = unit;
  }
  // What an error at this input, with value f, is divided by: one ULP of f, or the unit of another metric.
  double unit(std::uint32_t bits, double f) const {
    const double ulp = metric_unit(metric_, f);
    return (bits & 0x7fffffff) >= absolute_beyond_ ? std::max(ulp, absolute_unit_) : ulp;
  }

 private:
  static constexpr std::size_t kDegree = 11;
  static constexpr int kMaxDepth = 10;
  struct Leaf {  // polynomial in (mantissa - centre) * scale, which runs over [-1, 1]
    double centre = 0, scale = 0;
    std::size_t degree = 0;  // higher coefficients do not count
    bool exact = false;      // no polynomial will do (a root or a kink of f): ask MPFR for every input
    std::array<double, kDegree + 1> c{};
  };
  struct Octave {
    int shift = 23;
    std::vector<std::uint16_t> index;  // by the leading mantissa bits
    std::vector<Leaf> leaves;
  };
  void build(std::uint32_t bits);
  static void leaf_values(const Leaf& leaf, std::uint32_t mantissa, std::uint32_t step, std::uint32_t count,
                          double* out);
  bool near_root(std::uint32_t base, double lo, double hi) const;
  bool fit_leaf(std::uint32_t base, double lo, double hi, Leaf& leaf) const;

  const FunctionInfo* function_;
  Metric metric_ = Metric::ulp;
  std::array<std::array<Octave, 256>, 2> octaves_;
  std::uint32_t absolute_beyond_ = 0xffffffff;
  double absolute_unit_ = 0;
};

}  // namespace act::fit
