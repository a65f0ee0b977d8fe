// Blocks of FP32 values through one ALU operation: the results are those of the functions on single values
// (alu.h), the loops are ones that compilers turn into vector code.
#pragma once

#include <cstddef>
#include <cstdint>

#include "act/numeric/alu.h"

namespace act {

// out[k] = alu_stage(op, in[k], operand, reversed). `in` and `out` are the same or disjoint.
void alu_block(AluOp op, const float* in, float operand, bool reversed, std::size_t n, float* out);
// One ALU stage with an operand for the whole block.
struct AluStage {
  AluOp op = AluOp::bypass;
  float operand = 0;
  bool reversed = false;
};
// out[k] = the second stage of the first of in[k], in one pass over memory. `in` and `out` are the same or disjoint.
void alu_block(const AluStage& first, const AluStage& second, const float* in, std::size_t n, float* out);
// out[k] = alu_float(op, a[k], b[k]); `out` is one of the two or disjoint from both.
void alu_block(AluOp op, const float* a, const float* b, std::size_t n, float* out);
// acc = alu_float(op, acc, v[k]) for k = 0..n-1 in this order, or in any order where that gives the same bits
// (MAX, MIN and their kin on more than one value).
float alu_fold(AluOp op, float acc, const float* v, std::size_t n);

// out[k] = round(round(in[k] * factor) + addend). `in` and `out` are the same or disjoint.
void multiply_add(const float* in, float factor, float addend, std::size_t n, float* out);

}  // namespace act
