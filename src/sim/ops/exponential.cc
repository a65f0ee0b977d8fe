// 0x30 Exponential: dst[k] = e^(src[k] - imm0), correctly rounded after the rounded difference, without a table; the sum
// of the results may run in the accumulators of DVE (01 section 8.8).
#include "accumulation.h"
#include "act/numeric/functions.h"
#include "ops.h"

namespace act::sim::ops {

void exponential(Exec& x, const S3d3Ts& i) {
  const unsigned n = i.num_active_channels;
  const Operand s = x.source(i.src_mem_pattern, i.in_dtype, "src_mem_pattern", n);
  const Operand d = x.destination(i.dst_mem_pattern, i.out_dtype, "dst_mem_pattern", n);
  const Scalar shift = x.scalar(i.imm0, i.imm0_src, Dtype::fp32, "imm0", n);
  const AccumCommand command{i.accumulator_cmd};
  if (!command.known()) x.fail(Code::bad_value, "no such accumulator command", "accumulator_cmd");
  Scalar seed;
  if (command.loads()) seed = x.scalar(i.imm1, i.imm1_src, Dtype::fp32, "imm1", n);
  if (x.failed()) return;
  Accumulation sum(x, x.machine.accumulators(Engine::DVE), AluOp::add, command.folds());
  if (command.zeroes()) sum.set(n, 0.0F);
  if (command.loads()) sum.set(n, seed);
  x.elements({&s}, d, [&](const Block& at) {
    float buffer[kBlock], v[kBlock];
    const float* in = x.read(s, at, buffer);
    x.alu(AluOp::subtract, in, shift.at(at.channel), false, at.count, v);
    for (unsigned k = 0; k < at.count; ++k) v[k] = f32_exp(v[k]);
    x.write(d, at, v);
    sum.add(at, d.count, v);
  });
}

}  // namespace act::sim::ops
