#include "act/fit/accuracy.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "act/fit/sweep.h"
#include "act/numeric/ulp.h"
#include "fit/digest.h"
#include "fit/minimax_frame.h"
#include "fit/model.h"
#include "fit/pieces.h"

namespace act::fit {
namespace {

constexpr std::size_t kBlock = 2048;
constexpr float kSmallestNormal = std::numeric_limits<float>::min();

class Sweep {
 public:
  Sweep(const FunctionInfo& function, const FunctionTable& table, const ErrorDomain& domain,
        std::uint32_t stride)
      : table_(table), vector_(table), stride_(stride), domain_(domain), model_(function) {}

  void octave(bool negative, std::uint32_t biased) {
    if (!reaches(negative, biased)) return;
    const std::vector<Piece> all = pieces(table_, negative, biased);
    if (all.size() == 1 && all[0].section != nullptr && settled(all[0])) return;
    for (const Piece& piece : all) {
      std::uint32_t at = piece.first;
      while (true) {
        const std::uint32_t left = (piece.last - at) / stride_ + 1;
        const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(left, kBlock));
        block(at, count, stride_);
        if (count == left) break;
        at += count * stride_;
      }
      if (stride_ > 1) block(piece.last, 1, 1);
    }
  }
  Measurement result() const { return m_; }

 private:
  // Whether the octave has inputs of the domain; the mirrored half of an odd or even function repeats the
  // other.
  bool reaches(bool negative, std::uint32_t biased) const {
    const Symmetry& s = table_.symmetry;
    if (s.enabled && s.point == 0 && negative != s.use_neg_region) return false;
    const float least = bits_float(std::max(biased << 23, 1U));
    const float most = bits_float(biased << 23 | 0x7fffff);
    if (most < domain_.least_magnitude) return false;
    return negative ? -least >= domain_.lowest : least <= domain_.highest && most >= domain_.lowest;
  }

  // Octaves deep inside a clamp need no sweep. Where the slot gives one value and f is a line the worst input
  // is at an end. Where slot and f are both multiples of the input, results and errors repeat those of the
  // octave next to it, scaled: one such octave is swept for all.
  bool settled(const Piece& piece) {
    const Section& s = *piece.section;
    const double t = std::max(std::fabs(bits_float(piece.first)), std::fabs(bits_float(piece.last)));
    const double higher = std::fabs(s.d2) * t * t + std::fabs(s.d3) * t * t * t;
    const auto line = model_.line(piece.first);
    if (!line) return false;
    const bool normal = (piece.first >> 23 & 0xff) != 0;
    if (std::fabs(s.d1) * t + higher < ulp_of(s.d0) / 8 && s.x == 0) {
      block(piece.first, 1, 1);
      block(piece.last, 1, 1);
      m_.inputs += piece.last - piece.first - 1;
      return true;
    }
    if (!normal || s.d0 != 0 || s.x != 0 || higher > kReferenceError * std::fabs(s.d1) * t) return false;
    const double least = std::min(std::fabs(bits_float(piece.first)), std::fabs(bits_float(piece.last)));
    if (std::fabs(line->a) > kReferenceError * std::fabs(line->b) * least) return false;
    if (std::fabs(line->b) * least < 2 * kSmallestNormal) return false;  // results may be subnormal
    double& swept = swept_slope_[piece.first >> 31];
    if (std::fabs(swept - line->b) <= kReferenceError * std::fabs(line->b) && swept_slot_ == piece.section) {
      m_.inputs += piece.last - piece.first + 1;
      return true;
    }
    swept = line->b;
    swept_slot_ = piece.section;
    return false;  // this one is swept
  }

  void block(std::uint32_t first, std::uint32_t count, std::uint32_t step) {
    model_.values(first, step, count, f_values_.data());
    for (std::uint32_t i = 0; i < count; ++i) results_[i] = bits_float(first + i * step);
    vector_.evaluate({results_.data(), count}, {results_.data(), count});
    for (std::uint32_t i = 0; i < count; ++i)
      errors_[i] = std::fabs(static_cast<double>(results_[i]) - f_values_[i]);
    // Compared as long as nothing is worse than before; NaN never is "not worse".
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto nearest = static_cast<float>(f_values_[i]);
      ulps_[i] = errors_[i] / ulp_of(nearest);
      normal_[i] = std::fabs(nearest) >= kSmallestNormal;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      if (normal_[i] && ulps_[i] <= bar_ &&
          errors_[i] <= m_.absolute.error + kReferenceError * std::fabs(f_values_[i]))
        continue;
      classify(first + i * step, errors_[i], ulps_[i], normal_[i], f_values_[i]);
    }
    m_.inputs += count;
  }

  static void raise(WorstCase& worst, double error, float input) {
    if (error <= worst.error) return;
    worst = {error, input};
  }

  void classify(std::uint32_t bits, double error, double ulps, bool normal, double f) {
    const float v = bits_float(bits);
    const float magnitude = std::fabs(v);
    if (v < domain_.lowest || v > domain_.highest || magnitude < domain_.least_magnitude) return;
    if (std::isinf(static_cast<float>(f))) {  // an overflow is right or wrong
      if (error != 0 && !std::isinf(static_cast<double>(evaluate(table_, v)))) raise(m_.inner, INFINITY, v);
      return;
    }
    if (std::isnan(error)) error = ulps = INFINITY;
    if (error > kReferenceError * std::fabs(f)) raise(m_.absolute, error, v);
    const int exponent = static_cast<int>(float_bits(magnitude) >> 23) - 127;
    const OctaveRange& inner = domain_.inner;
    if (magnitude >= domain_.absolute_beyond) {
      raise(m_.tail, error, v);
    } else if (!normal) {
      raise(m_.subnormal, error / 0x1p-149, v);
    } else if (inner.count > 0 && (exponent < inner.lowest || exponent >= inner.lowest + inner.count)) {
      raise(m_.outer, ulps, v);
    } else {
      raise(m_.inner, ulps, v);
    }
    bar_ = inner.count > 0 ? std::min(m_.inner.error, m_.outer.error) : m_.inner.error;
    if (domain_.absolute_beyond < INFINITY) bar_ = 0;
  }

  const FunctionTable& table_;
  VectorTable vector_;
  std::uint32_t stride_;
  ErrorDomain domain_;
  Model model_;
  Measurement m_;
  std::array<double, 2> swept_slope_{};  // by sign: slope of f in the octave swept for its like
  const Section* swept_slot_ = nullptr;
  double bar_ = 0;  // errors up to here change nothing
  std::array<double, kBlock> f_values_{}, errors_{}, ulps_{};
  std::array<float, kBlock> results_{};
  std::array<bool, kBlock> normal_{};
};

}  // namespace

Measurement measure(const FunctionInfo& function, const FunctionTable& table, std::uint32_t stride) {
  Sweep sweep(function, table, error_domain(function), stride);
  for (const bool negative : {true, false}) {
    for (std::uint32_t biased = 0; biased < 255; ++biased) sweep.octave(negative, biased);
  }
  return sweep.result();
}

Measurement measure_octave(const FunctionInfo& function, const FunctionTable& table, bool negative,
                           int exponent, std::uint32_t stride) {
  return measure_octave(function, table, error_domain(function), negative, exponent, stride);
}

Measurement measure_octave(const FunctionInfo& function, const FunctionTable& table,
                           const ErrorDomain& domain, bool negative, int exponent, std::uint32_t stride) {
  Sweep sweep(function, table, domain, stride);
  sweep.octave(negative, static_cast<std::uint32_t>(exponent + 127));
  return sweep.result();
}

Measurement measure_parallel(const FunctionInfo& function, const FunctionTable& table,
                             const ErrorDomain& domain, std::uint32_t stride) {
  constexpr std::size_t kExponents = 255;
  std::vector<Measurement> parts(2 * kExponents);
  tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t i) {
    const int exponent = static_cast<int>(i % kExponents) - 127;
    parts[i] = measure_octave(function, table, domain, i < kExponents, exponent, stride);
  });
  Measurement all;
  for (const Measurement& part : parts) all = combine(all, part);
  return all;
}

namespace {

void take_piece(Digest& digest, const VectorTable& table, const Piece& piece) {
  std::array<float, kBlock> values;
  for (std::uint64_t at = piece.first; at <= piece.last; at += kBlock) {
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, piece.last - at + 1));
    for (std::size_t i = 0; i < n; ++i) values[i] = bits_float(static_cast<std::uint32_t>(at + i));
    table.evaluate({values.data(), n}, {values.data(), n});
    digest.take(std::span<const float>(values.data(), n));
  }
}

// Whether the piece has one value throughout: all but d0 too small to count, or a constant slot.
bool constant(const Piece& piece) {
  const Section& s = *piece.section;
  if (s.d1 == 0 && s.d2 == 0 && s.d3 == 0) return true;
  if (s.x != 0 || piece.mirrored) return false;
  const double t = std::max(std::fabs(bits_float(piece.first)), std::fabs(bits_float(piece.last)));
  return std::fabs(s.d1) * t + std::fabs(s.d2) * t * t + std::fabs(s.d3) * t * t * t < ulp_of(s.d0) / 8;
}

}  // namespace

std::uint64_t result_digest(const FunctionTable& table) {
  constexpr std::uint64_t kNans = 0x7fffff;
  const VectorTable vector(table);
  Digest digest;
  for (const bool negative : {false, true}) {
    const std::uint32_t sign = negative ? 0x80000000 : 0;
    digest.take(evaluate(table, bits_float(sign)));
    for (std::uint32_t biased = 0; biased < 255; ++biased) {
      for (const Piece& piece : pieces(table, negative, biased)) {
        const std::uint64_t count = std::uint64_t{piece.last - piece.first} + 1;
        if (piece.section == nullptr) {
          digest.repeat(bits_float(kQuietNanBits), count);
        } else if (constant(piece)) {
          digest.repeat(evaluate(table, bits_float(piece.first)), count);
        } else {
          take_piece(digest, vector, piece);
        }
      }
    }
    digest.take(evaluate(table, bits_float(sign | 0x7f800000)));
    digest.repeat(evaluate(table, bits_float(sign | 0x7fc00000)), kNans);
  }
  return digest.value();
}

}  // namespace act::fit
