// Exact order of a power and a dyadic number, through base-2 logarithms in 256-bit fixed point.
#pragma once

#include <cstdint>

namespace act::numeric_detail {

// value = odd * 2^exponent, odd > 0.
struct Dyadic {
  std::uint32_t odd;
  int exponent;
};

// Precondition: x is finite, positive, and has at most 32 significant bits.
Dyadic dyadic(double x);

// Sign of x^y - c. Preconditions: x and c positive, y not 0, all with at most 25 significant bits;
// 2^-151 <= x^y < 2^129, the range in which rounding to FP32 has anything to decide.
int compare_power(double x, double y, double c);

// Sign of e^x - c. Preconditions as above.
int compare_exp(double x, double c);

}  // namespace act::numeric_detail
