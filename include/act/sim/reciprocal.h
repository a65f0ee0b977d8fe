// The reciprocal of opcode 0x48: exact, or as the processor's instruction set has it, a seed of about 8 bits and two
// refinement stages (seed page "Gap-Cluster", section 4). The seed table of the hardware is not published; ours takes the
// reciprocal of the middle of each of 128 intervals of the mantissa, rounded to 8 bits. Not verified on silicon.
#pragma once

namespace act::sim {

// 1 / x rounded to nearest even; 1/0 is the infinity of its sign, NaN gives the canonical NaN.
float reciprocal_exact(float x);

// The pieces of the FP32 form for a mantissa m in [1, 2): relative error of the seed at most 2^-7.98, of each stage the
// square of the one before plus three roundings.
float reciprocal_seed(float m);
float reciprocal_stage(float m, float y);  // y * (2 - m * y), every operation rounded to FP32

// Seed and two stages for any x; zeros, infinities, NaN and subnormals as reciprocal_exact.
float reciprocal_refined_f32(float x);
// The FP16 form: seed and one stage whose operations are rounded to FP16 (11 bits need no second). x is an FP16 value.
float reciprocal_refined_f16(float x);

}  // namespace act::sim
