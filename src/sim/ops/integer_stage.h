// One stage of the bit and integer domains on raw patterns (01 sections 6.1 and 6.3).
#pragma once

#include <atomic>

#include "act/sim/exec.h"

namespace act::sim::ops {

// Bit operations of a bitvec opcode see patterns; integer-band operations on integer types see integers; everything
// else goes through FP32 (D-29).
inline AluDomain domain_of(const Exec& x, AluOp op, Dtype in, bool bitvec) {
  if (bitvec) return AluDomain::bits;
  const bool band = is_valid_int_aluop(op, x.generation()) || is_valid_int_aluop_dve(op, x.generation());
  return band && op != AluOp::bypass && is_valid_int_dtype(in) ? AluDomain::integer : AluDomain::floating;
}

class IntegerStage {
 public:
  IntegerStage(Exec& x, AluOp op, Dtype type, AluDomain domain) : x_(x), op_(op), type_(type), domain_(domain), width_(dtype_bits(type)) {}

  // `running` op `operand`, both patterns of the stage's type; reversed puts the operand first, except for BYPASS (D-35).
  std::uint64_t operator()(std::uint64_t running, std::uint64_t operand, bool reversed) {
    if (domain_ == AluDomain::bits) return alu_stage_bits(op_, running, operand, width_, reversed);
    if (op_ == AluOp::bypass) return running;
    if (reversed) std::swap(running, operand);
    if (operand == 0 && divides_integers(op_) && !warned_.exchange(true)) x_.warn(Code::division_by_zero, "quotient 0, remainder the dividend", "op");
    return alu_int(op_, running, operand, type_);
  }
  // A pattern of another type as a pattern of the stage's: sign- or zero-extended, then cut to the width.
  std::uint64_t widen(Dtype from, std::uint64_t bits) const {
    const unsigned have = dtype_bits(from);
    if (is_signed_int(from) && have < 64 && (bits >> (have - 1) & 1)) bits |= ~std::uint64_t{0} << have;
    return width_ >= 64 ? bits : bits & ((std::uint64_t{1} << width_) - 1);
  }
  // How a result is stored: integers are clamped into the output type (D-45), patterns are cut or zero-extended.
  std::uint64_t store(std::uint64_t result, Dtype out) const {
    return domain_ == AluDomain::integer ? clamp_int(type_, result, out) : result;
  }

 private:
  Exec& x_;
  AluOp op_;
  Dtype type_;
  AluDomain domain_;
  unsigned width_;
  std::atomic<bool> warned_ = false;
};

}  // namespace act::sim::ops
