// The stream of numpy.random.default_rng(seed).random(): SeedSequence and PCG64, written from their published descriptions,
// for experiments whose inputs are given that way.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace act::sim::plain {

class NumpyRandom {
 public:
  explicit NumpyRandom(std::uint32_t seed) {
    // SeedSequence: a pool of four words mixed from the entropy, then eight words drawn from it.
    std::uint32_t constant = 0x43b0d7e5;
    const auto hash = [&](std::uint32_t v) {
      v ^= constant;
      constant *= 0x931e8875;
      v *= constant;
      return v ^ v >> 16;
    };
    const auto mix = [](std::uint32_t x, std::uint32_t y) {
      const std::uint32_t r = 0xca01f9dd * x - 0x4973f715 * y;
      return r ^ r >> 16;
    };
    std::array<std::uint32_t, 4> pool{};
    for (unsigned i = 0; i < 4; ++i) pool[i] = hash(i == 0 ? seed : 0);
    for (unsigned from = 0; from < 4; ++from)
      for (unsigned to = 0; to < 4; ++to)
        if (from != to) pool[to] = mix(pool[to], hash(pool[from]));
    std::uint32_t out = 0x8b51f9dd;
    std::array<std::uint32_t, 8> words{};
    for (unsigned i = 0; i < 8; ++i) {
      std::uint32_t v = pool[i % 4] ^ out;
      out *= 0x58f38ded;
      v *= out;
      words[i] = v ^ v >> 16;
    }
    const auto word64 = [&](unsigned i) { return std::uint64_t{words[2 * i]} | std::uint64_t{words[2 * i + 1]} << 32; };
    increment_ = (static_cast<Wide>(word64(2)) << 64 | word64(3)) << 1 | 1;
    step();
    state_ += static_cast<Wide>(word64(0)) << 64 | word64(1);
    step();
  }

  // Uniform in [0, 1), 53 bits.
  double random() {
    step();
    const auto high = static_cast<std::uint64_t>(state_ >> 64), low = static_cast<std::uint64_t>(state_);
    const auto turn = static_cast<unsigned>(state_ >> 122);
    const std::uint64_t x = high ^ low;
    return static_cast<double>((x >> turn | x << (64 - turn) % 64) >> 11) * 0x1p-53;
  }

 private:
  __extension__ using Wide = unsigned __int128;
  void step() { state_ = state_ * (static_cast<Wide>(2549297995355413924ULL) << 64 | 4865540595714422341ULL) + increment_; }
  Wide state_ = 0, increment_ = 0;
};

}  // namespace act::sim::plain
