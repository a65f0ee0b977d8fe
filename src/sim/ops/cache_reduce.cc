// 0x9A TensorScalarCacheReduce and 0xE6 TensorScalarCacheCumulative: per lane acc = acc op1 (src[k] op0 imm0) in ascending k.
// The accumulator of DVE starts from the identity of op1, from imm1 or from what it holds, and keeps the end (01 section
// 8.8). 0xE6 writes every intermediate value, 0x9A the last one into every element (D-57).
#include "ops.h"

namespace act::sim::ops {
namespace {

bool reverses(RevOps r, RevOps stage) { return r == stage || r == RevOps::BOTH; }

}  // namespace

void cache_reduce(Exec& x, const S3d3Ts& i) {
  const unsigned n = i.num_active_channels;
  const Operand s = x.source(i.src_mem_pattern, i.in_dtype, "src_mem_pattern", n);
  const Operand d = x.destination(i.dst_mem_pattern, i.out_dtype, "dst_mem_pattern", n);
  const Scalar imm0 = x.scalar(i.imm0, i.imm0_src, Dtype::fp32, "imm0", n);
  const bool loads = i.accumulator_cmd == AccumCmd::LOAD_ACCUMULATE;
  Scalar seed;
  if (loads) seed = x.scalar(i.imm1, i.imm1_src, Dtype::fp32, "imm1", n);
  if (!loads && i.accumulator_cmd != AccumCmd::ACCUMULATE && i.accumulator_cmd != AccumCmd::ZERO_ACCUMULATE)
    return x.fail(Code::bad_value, "the accumulator must be loaded, zeroed or continued", "accumulator_cmd");
  if (!alu_computes(i.op0, AluDomain::floating) || !cache_fold_accepts(i.op1)) return x.fail(Code::not_simulated, "the operations have no result here", "op1");
  if (x.failed()) return;
  if (s.count != d.count) return x.fail(Code::bad_value, "source and destination have different counts", "dst_mem_pattern");

  const bool cumulative = static_cast<Opcode>(i.opcode) == Opcode::TENSOR_SCALAR_CACHE_CUMULATIVE;
  Accumulators& accumulators = x.machine.accumulators(Engine::DVE);
  x.channels({&s}, d, [&](unsigned channel) {
    float acc = loads ? seed.at(channel) : i.accumulator_cmd == AccumCmd::ZERO_ACCUMULATE ? reduce_identity(i.op1) : accumulators[channel];
    const unsigned width = x.overlapping() ? 1 : kBlock;
    float buffer[kBlock], v[kBlock];
    for (std::uint64_t k = 0; k < s.count && !x.failed(); k += width) {
      const Block at{channel, k, static_cast<unsigned>(std::min<std::uint64_t>(width, s.count - k))};
      const float* in = x.read(s, at, buffer);
      for (unsigned j = 0; j < at.count; ++j) {
        acc = x.alu(i.op1, acc, x.alu(i.op0, in[j], imm0.at(channel), reverses(i.reverse_operands, RevOps::FIRST)), reverses(i.reverse_operands, RevOps::SECOND));
        v[j] = acc;
      }
      if (cumulative) x.write(d, at, v);
    }
    accumulators[channel] = acc;
    if (cumulative) return;
    std::fill_n(v, kBlock, acc);
    for (std::uint64_t k = 0; k < d.count && !x.failed(); k += kBlock) x.write(d, {channel, k, static_cast<unsigned>(std::min<std::uint64_t>(kBlock, d.count - k))}, v);
  });
}

}  // namespace act::sim::ops
