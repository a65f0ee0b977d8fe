// MD5 (RFC 1321) for the published digests of shipped files; tests only.

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace act::testing_support {

inline std::string md5(std::span<const std::uint8_t> data) {
  static constexpr int kShift[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  std::array<std::uint32_t, 4> state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  std::vector<std::uint8_t> text(data.begin(), data.end());
  text.push_back(0x80);
  while (text.size() % 64 != 56) text.push_back(0);
  for (int i = 0; i < 8; ++i)
    text.push_back(static_cast<std::uint8_t>(std::uint64_t{data.size()} * 8 >> (8 * i)));
  for (std::size_t block = 0; block < text.size(); block += 64) {
    auto [a, b, c, d] = state;
    for (unsigned i = 0; i < 64; ++i) {
      const unsigned round = i / 16;
      const std::uint32_t mix = round == 0   ? (b & c) | (~b & d)
                                : round == 1 ? (d & b) | (~d & c)
                                : round == 2 ? b ^ c ^ d
                                             : c ^ (b | ~d);
      const unsigned word = round == 0   ? i
                            : round == 1 ? (5 * i + 1) % 16
                            : round == 2 ? (3 * i + 5) % 16
                                         : 7 * i % 16;
      std::uint32_t m = 0;
      for (unsigned k = 4; k-- > 0;) m = m << 8 | text[block + 4 * word + k];
      const auto constant =
          static_cast<std::uint32_t>(std::floor(std::fabs(std::sin(i + 1.0)) * 4294967296.0));
      const std::uint32_t sum = a + mix + constant + m;
      a = d;
      d = c;
      c = b;
      b += std::rotl(sum, kShift[round][i % 4]);
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
  }
  std::string out;
  for (const std::uint32_t word : state)
    for (int i = 0; i < 4; ++i)
      for (const int nibble : {4, 0}) out += "0123456789abcdef"[word >> (8 * i + nibble) & 15];
  return out;
}

}  // namespace act::testing_support
