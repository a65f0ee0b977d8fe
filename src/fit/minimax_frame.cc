#include "fit/minimax_frame.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "act/numeric/ulp.h"
#include "fit/remez.h"

namespace act::fit {
namespace {

// Where the shipped octaves clamp too early for a small error (P-31); the number of octaves stays.
struct Shift {
  std::string_view name;
  OctaveRange neg, pos;
};
constexpr std::array kShifts = {
    Shift{"tanh", {}, {-13, 17}},
    Shift{"arctan", {}, {-5, 27}},
    Shift{"mish", {-6, 13}, {-6, 11}},
    Shift{"gelu_apprx_sigmoid", {-6, 12}, {-6, 11}},
    Shift{"gelu_apprx_tanh", {-6, 10}, {-6, 10}},
};

// Octaves where f'''/6 is a normal binary32 number or nearly so (G-7).
struct Inner {
  std::string_view name;
  OctaveRange range;
};
constexpr std::array kInner = {
    Inner{"sqrt", {-52, 104}}, Inner{"reciprocal_sqrt", {-37, 75}}, Inner{"abs_reciprocal_sqrt", {-37, 75}},
    Inner{"ln", {-43, 87}},    Inner{"reciprocal", {-31, 65}},
};

// derivative_gelu's sections cannot hold its tail relatively: from here on an error counts in this unit: a
// 128th of an ULP of 1.
constexpr std::string_view kAbsoluteTail = "derivative_gelu";
constexpr float kAbsoluteBeyond = 4;
constexpr double kAbsoluteUnit = 0x1p-30;

// The bounds of arctan say where its values lie; its figures are about every input (G-8).
constexpr std::string_view kArctan = "arctan";

// arctan clamps to the binary32 number below pi/2: half the error of the one above at the edge of the table.
constexpr std::uint32_t kBelowHalfPi = 0x3fc90fda;

// A clamp whose value is this close to f, in ULP, is as good as a section.
constexpr double kClampError = 0.75;

constexpr std::uint32_t kSignBit = 0x80000000;

std::uint32_t power_bits(int exponent) { return static_cast<std::uint32_t>(exponent + 127) << 23; }

// First magnitude pattern in [lo, hi] from which on `holds` is true; hi + 1 when it never is. `holds` is
// monotone.
template <class Predicate>
std::uint32_t first_where(std::uint32_t lo, std::uint32_t hi, Predicate holds) {
  ++hi;
  while (lo < hi) {
    const std::uint32_t mid = lo + (hi - lo) / 2;
    if (holds(mid)) {
      hi = mid;
    } else {
      lo = mid + 1;
    }
  }
  return lo;
}

class Framer {
 public:
  Framer(const FunctionInfo& function, Model& model) : f_(function), model_(model) {}

  Frame run() {
    Frame frame;
    frame.neg.range = f_.neg;
    frame.pos.range = f_.pos;
    for (const Shift& s : kShifts) {
      if (s.name != f_.name) continue;
      frame.neg.range = s.neg;
      frame.pos.range = s.pos;
    }
    frame.inner = error_domain(f_).inner;
    if (f_.name == kAbsoluteTail) model_.count_absolutely(kAbsoluteBeyond, kAbsoluteUnit);
    side(frame.neg, true);
    side(frame.pos, false);
    return frame;
  }

 private:
  double exact(std::uint32_t bits) const { return exact_value(f_, bits_float(bits)).hi; }

  void side(SideFrame& s, bool negative) {
    const Clamp& low = negative ? f_.low_neg : f_.low_pos;
    Clamp high = negative ? f_.high_neg : f_.high_pos;
    if (f_.name == kArctan && !negative) high.bits = kBelowHalfPi;
    const std::uint32_t sign = negative ? kSignBit : 0;
    if (s.range.count == 0) {  // nothing stored: every input of this sign takes the high slot
      s.low.d0 = low.rule == ClampRule::constant ? bits_float(low.bits) : 0;
      s.high.d0 = high.rule == ClampRule::constant ? bits_float(high.bits) : 0;
      return;
    }
    const std::uint32_t begin = power_bits(s.range.lowest) | sign;
    const std::uint32_t top = power_bits(s.range.lowest + s.range.count) | sign;
    s.low = low_slot(low, begin);
    high_slot(high, begin, top, s);
    s.threshold &= ~kSignBit;
    s.tail_end &= ~kSignBit;
  }

  Section low_slot(const Clamp& low, std::uint32_t edge) {
    Section s;
    switch (low.rule) {
      case ClampRule::constant:
        s.d0 = bits_float(low.bits);
        break;
      case ClampRule::edge:
        s.d0 = static_cast<float>(exact(edge));
        break;
      case ClampRule::identity:
        s.d1 = 1;
        break;
      case ClampRule::chord:
        s.d1 = static_cast<float>(exact(edge) / bits_float(edge));
        break;
      case ClampRule::taylor:
        s = low_cubic(edge);
        break;
      default:
        break;
    }
    return s;
  }

  // The minimax cubic over (0, edge], f(0) pinned, and the slope where f(0) = 0.
  Section low_cubic(std::uint32_t edge) {
    // Enough octaves for the shape; below them only the pinned terms count, whose own rounding must not be
    // spread upwards.
    constexpr int kPerOctave = 16;
    constexpr int kOctaves = 4;
    std::vector<FitPoint> points;
    const auto add = [&](std::uint32_t bits) {
      const double f = exact(bits);
      points.push_back({bits_float(bits), f, 1 / ulp_of(static_cast<float>(f))});
    };
    for (int o = kOctaves; o > 0; --o) {
      for (std::uint32_t i = 0; i < kPerOctave; ++i) {
        add(edge - (static_cast<std::uint32_t>(o) << 23) + (i << 23) / kPerOctave);
      }
    }
    add(edge);
    if ((edge & kSignBit) != 0) std::reverse(points.begin(), points.end());
    const bool root = f_.specials.zero == 0;
    Section s;
    s.d0 = bits_float(f_.specials.zero);
    Cubic fixed{s.d0, 0, 0, 0};
    unsigned free = kCubic & ~1U;
    if (root) {
      s.d1 = taylor_binary32(f_, 0)[1];
      fixed[1] = s.d1;
      free &= ~2U;
    }
    // Fit from the top power down, each rounded before the next.
    for (int k = 3; k >= (root ? 2 : 1); --k) {
      const MinimaxFit fit = minimax_fit(points, free, fixed);
      const auto power = static_cast<std::size_t>(k);
      const float rounded = static_cast<float>(fit.c[power]);
      fixed[power] = rounded;
      free &= ~(1U << k);
      (k == 3 ? s.d3 : k == 2 ? s.d2 : s.d1) = rounded;
    }
    return s;
  }

  void high_slot(const Clamp& high, std::uint32_t begin, std::uint32_t top, SideFrame& s) {
    s.threshold = s.tail_end = top;
    switch (high.rule) {
      case ClampRule::edge:
        // An octave that begins at the bound of the input range stays empty.
        if ((top & kSignBit) == 0) s.threshold = s.tail_end = std::min(top, float_bits(f_.upper_bound));
        s.high.d0 = static_cast<float>(exact(s.threshold));
        return;
      case ClampRule::carry_on: {
        const auto d = taylor_binary32(f_, bits_float(high.bits));
        s.high = {d[0], d[1], d[2], d[3], bits_float(high.bits)};
        s.threshold = s.tail_end = high.bits;
        return;
      }
      case ClampRule::identity:
        s.high.d1 = 1;
        break;
      case ClampRule::constant:
        s.high.d0 = bits_float(high.bits);
        break;
      default:
        return;
    }
    if (s.high.d0 == 0 && s.high.d1 == 0) {
      tail(begin, top, s);
    } else if (std::isinf(s.high.d0)) {
      s.threshold = s.tail_end = first_where(
          begin, top - 1, [&](std::uint32_t b) { return std::isinf(static_cast<float>(exact(b))); });
    } else {
      s.threshold = s.tail_end = first_where(begin, top - 1, [&](std::uint32_t b) {
        const float y = s.high.d1 != 0 ? bits_float(b) : s.high.d0;
        return std::fabs(ulp_error(y, exact(b))) <= kClampError;
      });
      // No octave stays empty above the threshold: the top one is used in full instead.
      if (s.threshold <= top - (1U << 23)) s.threshold = s.tail_end = top;
    }
  }

  // A tail that runs to zero: from its first subnormal value on it may be clamped, and at its last non-zero
  // one it ends.
  void tail(std::uint32_t begin, std::uint32_t top, SideFrame& s) {
    // Past the last extremum |f| falls, so the predicates are monotone there; f is normal before.
    s.threshold = first_where(
        begin, top - 1, [&](std::uint32_t b) { return falls_below(b, std::numeric_limits<float>::min()); });
    s.tail_end = first_where(begin, top - 1, [&](std::uint32_t b) {
      return falls_below(b, std::numeric_limits<float>::denorm_min());
    });
  }

  bool falls_below(std::uint32_t bits, float limit) const {
    // A root of f is no tail: only inputs beyond every root count.
    for (const Root& r : f_.roots) {
      if (r.exists && std::fabs(bits_float(bits)) <= std::fabs(r.x) * 1.5) return false;
    }
    return std::fabs(static_cast<float>(exact(bits))) < limit;
  }

  const FunctionInfo& f_;
  Model& model_;
};

}  // namespace

ErrorDomain error_domain(const FunctionInfo& function) {
  ErrorDomain d;
  d.lowest = function.lower_bound;
  d.highest = function.upper_bound;
  if (function.name == kArctan) {
    d.lowest = -std::numeric_limits<float>::max();
    d.highest = std::numeric_limits<float>::max();
  }
  if (function.low_pos.rule == ClampRule::edge)
    d.least_magnitude = bits_float(power_bits(function.pos.lowest));
  for (const Inner& i : kInner) {
    if (i.name == function.name) d.inner = i.range;
  }
  if (function.name == kAbsoluteTail) d.absolute_beyond = kAbsoluteBeyond;
  return d;
}

Frame minimax_frame(const FunctionInfo& function, Model& model) { return Framer(function, model).run(); }

}  // namespace act::fit
