// Exact order of a power and a dyadic number, through base-2 logarithms in 256-bit fixed point.
#pragma once

#include <array>
#include <cstdint>

namespace act::numeric_detail {

// Two's complement with 216 fraction bits, least significant limb first. The numbers here stay below 2^33.
inline constexpr unsigned kFraction = 216;
using Fixed = std::array<std::uint64_t, 4>;

inline constexpr Fixed kLog2OfE = {0x51bad2b4b1164a2c, 0xa0d23a7d11d6aef5, 0x52b82fe1777d0ffd,
                                   0x0000000001715476};

// value = odd * 2^exponent, odd > 0.
struct Dyadic {
  std::uint32_t odd;
  int exponent;
};

// Precondition: x is finite, positive, and has at most 32 significant bits.
Dyadic dyadic(double x);

// The base-2 logarithm, at most two units of the last place too small.
Fixed log2_of(const Dyadic& x);

// Sign of x^y - c. Preconditions: x and c positive, y not 0, all with at most 25 significant bits;
// 2^-151 <= x^y < 2^129, the range in which rounding to FP32 has anything to decide.
int compare_power(double x, double y, double c);

// Sign of e^x - c. Preconditions as above.
int compare_exp(double x, double c);

}  // namespace act::numeric_detail
