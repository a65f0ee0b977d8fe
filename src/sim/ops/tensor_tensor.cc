// 0x41 and 0x51 TensorTensor: dst[k] = src0[k] op src1[k] (01 section 8.8); the domain follows the operation (6.1).
#include "integer_stage.h"
#include "ops.h"

namespace act::sim::ops {

void tensor_tensor(Exec& x, const S3s3d3Tt& i) {
  const unsigned n = i.num_active_channels;
  const Dtype left = i.in0_in1_dtype.lo(), right = i.in0_in1_dtype.hi();
  const Operand a = x.source(i.src0_mem_pattern, left, "src0_mem_pattern", n);
  const Operand b = x.source(i.src1_mem_pattern, right, "src1_mem_pattern", n);
  const Operand d = x.destination(i.dst_mem_pattern, i.out_dtype, "dst_mem_pattern", n);
  const bool bits = static_cast<Opcode>(i.opcode) == Opcode::TENSOR_TENSOR_BITVEC_OP;
  const AluDomain domain = domain_of(x, i.op, left, bits);
  if (!alu_computes(i.op, domain)) return x.fail(Code::not_simulated, "the operation has no result here", "op");
  if (domain == AluDomain::floating) {
    const auto body = [&](const Block& at) {
      float u[kBlock], w[kBlock], results[kBlock];
      const float* p = x.read(a, at, u);
      const float* q = x.read(b, at, w);
      float* v = x.place_for(d, at, results);
      x.alu(i.op, p, q, at.count, v);
      x.write(d, at, v);
    };
    return x.elements({&a, &b}, d, body, x.block_for({&a, &b, &d}));
  }
  IntegerStage stage(x, i.op, left, domain);
  x.elements({&a, &b}, d, [&](const Block& at) {
    std::uint64_t u[kBlock], w[kBlock];
    x.read_bits(a, at, u);
    x.read_bits(b, at, w);
    for (unsigned k = 0; k < at.count; ++k) u[k] = stage.store(stage(u[k], stage.widen(right, w[k]), false), i.out_dtype);
    x.write_bits(d, at, u);
  });
}

}  // namespace act::sim::ops
