// 0x43, 0x53 and 0x93 TensorScalar: dst[k] = (src[k] op0 imm0) op1 imm1, each stage reversed where reverse_operands says
// so; 0x93 reads its source transposed in blocks of 32 by 32 (01 sections 6.7 and 8.8; seed "Gap-Cluster", section 12).
#include "integer_stage.h"
#include "ops.h"
#include "transpose.h"

namespace act::sim::ops {
namespace {

bool reverses_first(RevOps r) { return r == RevOps::FIRST || r == RevOps::BOTH; }
bool reverses_second(RevOps r) { return r == RevOps::SECOND || r == RevOps::BOTH; }

void float_stages(Exec& x, const S3d3Ts& i, const Operand& s, const Operand& d) {
  const unsigned n = i.num_active_channels;
  const Scalar imm0 = x.scalar(i.imm0, i.imm0_src, Dtype::fp32, "imm0", n);
  const Scalar imm1 = x.scalar(i.imm1, i.imm1_src, Dtype::fp32, "imm1", n);
  const auto stages = [&](unsigned channel, const float* in, float* v, unsigned count) {
    const AluStage first{i.op0, imm0.at(channel), reverses_first(i.reverse_operands)};
    x.alu(first, {i.op1, imm1.at(channel), reverses_second(i.reverse_operands)}, in, count, v);
  };
  if (static_cast<Opcode>(i.opcode) == Opcode::TRANSPOSE_TENSOR_SCALAR_ARITH_OP) {
    return transposed_tiles<float>(x, s, d, [&](unsigned channel, float* v, unsigned count) { stages(channel, v, v, count); });
  }
  const auto body = [&](const Block& at) {
    float buffer[kBlock], results[kBlock];
    float* v = x.place_for(d, at, results);
    stages(at.channel, x.read(s, at, buffer), v, at.count);
    x.write(d, at, v);
  };
  x.elements({&s}, d, body, x.block_for({&s, &d}));
}

void raw_stages(Exec& x, const S3d3Ts& i, const Operand& s, const Operand& d, AluDomain domain) {
  const unsigned n = i.num_active_channels;
  const ScalarBits imm0 = x.scalar_bits(i.imm0, i.imm0_src, i.in_dtype, "imm0", n);
  const ScalarBits imm1 = x.scalar_bits(i.imm1, i.imm1_src, i.in_dtype, "imm1", n);
  IntegerStage first(x, i.op0, i.in_dtype, domain), second(x, i.op1, i.in_dtype, domain);
  x.elements({&s}, d, [&](const Block& at) {
    std::uint64_t v[kBlock];
    x.read_bits(s, at, v);
    const std::uint64_t a = first.widen(i.in_dtype, imm0.at(at.channel)), b = second.widen(i.in_dtype, imm1.at(at.channel));
    for (unsigned k = 0; k < at.count; ++k)
      v[k] = second.store(second(first(v[k], a, reverses_first(i.reverse_operands)), b, reverses_second(i.reverse_operands)), i.out_dtype);
    x.write_bits(d, at, v);
  });
}

}  // namespace

void tensor_scalar(Exec& x, const S3d3Ts& i) {
  const Operand s = x.source(i.src_mem_pattern, i.in_dtype, "src_mem_pattern", i.num_active_channels);
  const Operand d = x.destination(i.dst_mem_pattern, i.out_dtype, "dst_mem_pattern", i.num_active_channels);
  const bool bits = static_cast<Opcode>(i.opcode) == Opcode::TENSOR_SCALAR_BITVEC_OP;
  const AluOp telling = i.op0 == AluOp::bypass ? i.op1 : i.op0;
  const AluDomain domain = domain_of(x, telling, i.in_dtype, bits);
  if (!alu_computes(i.op0, domain) && i.op0 != AluOp::bypass) return x.fail(Code::not_simulated, "the operation has no result here", "op0");
  if (!alu_computes(i.op1, domain) && i.op1 != AluOp::bypass) return x.fail(Code::not_simulated, "the operation has no result here", "op1");
  if (x.failed()) return;
  if (domain == AluDomain::floating) return float_stages(x, i, s, d);
  raw_stages(x, i, s, d, domain);
}

}  // namespace act::sim::ops
