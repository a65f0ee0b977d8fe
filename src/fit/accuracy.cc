#include "act/fit/accuracy.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "act/numeric/ulp.h"
#include "fit/minimax_frame.h"
#include "fit/model.h"
#include "fit/pieces.h"

namespace act::fit {
namespace {

constexpr std::size_t kBlock = 2048;
constexpr float kSmallestNormal = std::numeric_limits<float>::min();

class Sweep {
 public:
  Sweep(const FunctionInfo& function, const FunctionTable& table, std::uint32_t stride)
      : f_(function), table_(table), stride_(stride), domain_(error_domain(function)), model_(function) {}

  void octave(bool negative, std::uint32_t biased) {
    if (!reaches(negative, biased)) return;
    for (const Piece& piece : pieces(table_, negative, biased)) {
      std::uint32_t at = piece.first;
      while (true) {
        const std::uint32_t left = (piece.last - at) / stride_ + 1;
        const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(left, kBlock));
        block(piece, at, count, stride_);
        if (count == left) break;
        at += count * stride_;
      }
      if (stride_ > 1) block(piece, piece.last, 1, 1);
    }
  }
  Measurement result() const { return m_; }

 private:
  // Whether the octave has inputs of the domain; the mirrored half of an odd or even function repeats the other.
  bool reaches(bool negative, std::uint32_t biased) const {
    const Symmetry& s = table_.symmetry;
    if (s.enabled && s.point == 0 && negative != s.use_neg_region) return false;
    const float least = bits_float(std::max(biased << 23, 1U));
    const float most = bits_float(biased << 23 | 0x7fffff);
    if (most < domain_.least_magnitude) return false;
    return negative ? -least >= domain_.lowest : least <= domain_.highest && most >= domain_.lowest;
  }

  void block(const Piece& piece, std::uint32_t first, std::uint32_t count, std::uint32_t step) {
    model_.values(first, step, count, f_values_.data());
    for (std::uint32_t i = 0; i < count; ++i) {
      const float y = piece.section == nullptr ? std::nanf("") : piece_value(table_, piece, bits_float(first + i * step));
      errors_[i] = std::fabs(static_cast<double>(y) - f_values_[i]);
    }
    // Compared as long as nothing is worse than before; NaN never is "not worse".
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto nearest = static_cast<float>(f_values_[i]);
      ulps_[i] = errors_[i] / ulp_of(nearest);
      normal_[i] = std::fabs(nearest) >= kSmallestNormal;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      if (normal_[i] && ulps_[i] <= worst_.ulps && errors_[i] <= m_.absolute.error + kReferenceError * std::fabs(f_values_[i])) continue;
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
    worst_.ulps = inner.count > 0 ? std::min(m_.inner.error, m_.outer.error) : m_.inner.error;
    if (domain_.absolute_beyond < INFINITY) worst_.ulps = 0;
  }

  const FunctionInfo& f_;
  const FunctionTable& table_;
  std::uint32_t stride_;
  ErrorDomain domain_;
  Model model_;
  Measurement m_;
  struct {
    double ulps = 0;
  } worst_;
  std::array<double, kBlock> f_values_{}, errors_{}, ulps_{};
  std::array<bool, kBlock> normal_{};
};

}  // namespace

Measurement measure(const FunctionInfo& function, const FunctionTable& table, std::uint32_t stride) {
  Sweep sweep(function, table, stride);
  for (const bool negative : {true, false}) {
    for (std::uint32_t biased = 0; biased < 255; ++biased) sweep.octave(negative, biased);
  }
  return sweep.result();
}

Measurement measure_octave(const FunctionInfo& function, const FunctionTable& table, bool negative, int exponent,
                           std::uint32_t stride) {
  Sweep sweep(function, table, stride);
  sweep.octave(negative, static_cast<std::uint32_t>(exponent + 127));
  return sweep.result();
}

std::uint64_t result_digest(const FunctionTable& table) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto take = [&hash](float y) {
    // Any NaN that arithmetic made has the one pattern evaluate() gives it.
    hash = (hash ^ (std::isnan(y) ? kQuietNanBits : float_bits(y))) * 0x100000001b3;
  };
  for (const bool negative : {false, true}) {
    const std::uint32_t sign = negative ? 0x80000000 : 0;
    take(evaluate(table, bits_float(sign)));
    for (std::uint32_t biased = 0; biased < 255; ++biased) {
      for (const Piece& piece : pieces(table, negative, biased)) {
        for (std::uint32_t b = piece.first; b != piece.last + 1; ++b) {
          take(piece.section == nullptr ? bits_float(kQuietNanBits) : piece_value(table, piece, bits_float(b)));
        }
      }
    }
    const float infinite = evaluate(table, bits_float(sign | 0x7f800000));
    hash = (hash ^ float_bits(infinite)) * 0x100000001b3;
    for (std::uint32_t m = 1; m <= 0x7fffff; ++m) {
      hash = (hash ^ float_bits(evaluate(table, bits_float(sign | 0x7f800000 | m)))) * 0x100000001b3;
    }
  }
  return hash;
}

}  // namespace act::fit
