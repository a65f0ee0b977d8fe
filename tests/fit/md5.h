// MD5 (RFC 1321) for comparing files with published digests.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

namespace act::testing_support {

inline std::string md5(std::span<const std::uint8_t> data) {
  constexpr int kShift[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  std::vector<std::uint8_t> padded(data.begin(), data.end());
  padded.push_back(0x80);
  while (padded.size() % 64 != 56) padded.push_back(0);
  const std::uint64_t bits = std::uint64_t{data.size()} * 8;
  for (int i = 0; i < 8; ++i) padded.push_back(static_cast<std::uint8_t>(bits >> (8 * i)));
  std::array<std::uint32_t, 4> state{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  for (std::size_t block = 0; block < padded.size(); block += 64) {
    std::uint32_t m[16];
    for (std::size_t i = 0; i < 16; ++i) {
      m[i] = 0;
      for (std::size_t k = 0; k < 4; ++k) m[i] |= std::uint32_t{padded[block + 4 * i + k]} << (8 * k);
    }
    auto [a, b, c, d] = state;
    for (int i = 0; i < 64; ++i) {
      std::uint32_t f;
      int g;
      if (i < 16) {
        f = (b & c) | (~b & d), g = i;
      } else if (i < 32) {
        f = (d & b) | (~d & c), g = (5 * i + 1) % 16;
      } else if (i < 48) {
        f = b ^ c ^ d, g = (3 * i + 5) % 16;
      } else {
        f = c ^ (b | ~d), g = 7 * i % 16;
      }
      const auto k = static_cast<std::uint32_t>(std::floor(std::fabs(std::sin(i + 1.0)) * 4294967296.0));
      f += a + k + m[g];
      a = d, d = c, c = b;
      b += std::rotl(f, kShift[i / 16][i % 4]);
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
  }
  std::string text;
  for (const std::uint32_t word : state)
    for (int i = 0; i < 4; ++i) {
      char pair[3];
      std::snprintf(pair, sizeof pair, "%02x", word >> (8 * i) & 0xff);
      text += pair;
    }
  return text;
}

}  // namespace act::testing_support
