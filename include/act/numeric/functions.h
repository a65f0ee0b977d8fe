// Functions of FP32 values, correctly rounded to nearest even: the same bits on every processor and C
// library. NaN results are the canonical NaN.
#pragma once

namespace act {

// 1 / sqrt(x); +0 and -0 give the infinity of their sign, other negative values NaN (D-32).
float f32_rsqrt(float x);

// x to the power y, special cases as in C99 Annex F: pow(1, y) and pow(x, 0) are 1 even for NaN.
float f32_pow(float x, float y);

// e to the power x.
float f32_exp(float x);

}  // namespace act
