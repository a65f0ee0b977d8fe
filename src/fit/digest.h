// The fingerprint of a sequence of results: h -> h K + r for one after the other, modulo 2^64
// (result_digest()).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "act/tables/evaluate.h"

namespace act::fit {

class Digest {
 public:
  void take(float y) { h_ = h_ * kFactor + pattern(y); }

  // The same result n times: h K^n + r (1 + K + ... + K^(n-1)), by doubling.
  void repeat(float y, std::uint64_t n) {
    std::uint64_t power = kFactor;
    std::uint64_t sum = pattern(y);
    for (; n != 0; n >>= 1) {
      if ((n & 1) != 0) h_ = h_ * power + sum;
      sum = sum * power + sum;
      power *= power;
    }
  }

  // Streams side by side: one alone would wait for its multiplications.
  void take(std::span<const float> results) {
    const std::size_t rounds = results.size() / kStreams;
    std::array<std::uint64_t, kStreams> h = {};
    for (std::size_t i = 0; i < rounds; ++i)
      for (std::size_t k = 0; k < kStreams; ++k)
        h[k] = h[k] * kStreamFactor + pattern(results[i * kStreams + k]);
    h_ *= power(rounds * kStreams);
    for (std::size_t k = 0; k < kStreams; ++k) h_ += h[k] * power(kStreams - 1 - k);
    for (std::size_t i = rounds * kStreams; i < results.size(); ++i) take(results[i]);
  }

  std::uint64_t value() const { return h_; }

  // K^n modulo 2^64.
  static constexpr std::uint64_t power(std::uint64_t n) {
    std::uint64_t result = 1;
    for (std::uint64_t p = kFactor; n != 0; n >>= 1, p *= p)
      if ((n & 1) != 0) result *= p;
    return result;
  }

 private:
  static constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;
  static constexpr std::size_t kStreams = 8;
  static constexpr std::uint64_t kStreamFactor = [] {
    std::uint64_t p = 1;
    for (std::size_t i = 0; i < kStreams; ++i) p *= kFactor;
    return p;
  }();
  // Any NaN that arithmetic made has the one pattern evaluate() gives it.
  static std::uint64_t pattern(float y) {
    const std::uint32_t bits = float_bits(y);
    return (bits & 0x7fffffff) > 0x7f800000 ? kQuietNanBits : bits;
  }
  std::uint64_t h_ = 0;
};

}  // namespace act::fit
