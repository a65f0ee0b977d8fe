// 0x21 Activate: dst[k] = f(scale * src[k] + bias), scale and bias per channel; the results may be added up in the
// accumulators of ACT (01 sections 7 and 8.8; seed "Activate", section 3).
#include "accumulation.h"
#include "function_stage.h"
#include "ops.h"
#include "pattern_table.h"

namespace act::sim::ops {
namespace {
static_assert(Accumulation::kGroup * 256 <= 2 * kBlock);

// The bias selector has 0 and 1 exchanged against the others.
ImmSrc source_of(ImmSrcN n) {
  switch (n) {
    case ImmSrcN::POINTER: return ImmSrc::POINTER_IMMEDIATE;
    case ImmSrcN::INSTRUCTION: return ImmSrc::INSTRUCTION_IMMEDIATE;
    case ImmSrcN::REG_PTR: return ImmSrc::REG_PTR_IMMEDIATE;
  }
  return static_cast<ImmSrc>(n);
}

void activate_patterns(Exec& x, const Operand& s, const Operand& d, FunctionStage& f, const PatternTable::Key& key) {
  // Kept for the next instruction, which often does the same to another tensor.
  std::shared_ptr<const PatternTable>& table = x.machine.pattern_table;
  if (table == nullptr || table->key() != key) table = std::make_shared<PatternTable>(x, f, key);
  x.elements({&s}, d, [&](const Block& at) {
    const std::uint8_t* in = x.dense_source(s, at);
    if (!f.remembers(at.channel) && table->any_outside(in, at.count)) {
      float buffer[kBlock], v[kBlock];
      multiply_add(x.read(s, at, buffer), f32(key.factor), f32(key.addend), key.fused, at.count, v);
      f.remember_outside(at, v);
    }
    table->apply(in, at.count, x.dense_destination(d, at));
    x.wrote(d, at);
  });
}

}  // namespace

void activate(Exec& x, const S3d3Ac& i) {
  const unsigned n = i.num_active_channels;
  const Operand s = x.source(i.src_mem_pattern, i.in_bias_dtype.lo(), "src_mem_pattern", n);
  const Operand d = x.destination(i.dst_mem_pattern, i.out_dtype, "dst_mem_pattern", n);
  const Scalar scale = x.scalar(i.scale_value, i.scale_src, Dtype::fp32, "scale_value", n);
  const Scalar bias = x.scalar(i.bias, source_of(i.bias_src_n), i.in_bias_dtype.hi(), "bias", n);
  const AccumCommand command{i.accumulator_cmd};
  if (!command.known()) x.fail(Code::bad_value, "no such accumulator command", "accumulator_cmd");
  FunctionStage f(x, i.activation_func);
  Scalar imm;  // fetched only where it means something
  if (command.loads() || f.parametric()) imm = x.scalar(i.imm, i.imm_src, Dtype::fp32, "imm", n);
  if (x.failed()) return;

  Accumulation sum(x, x.machine.accumulators(Engine::ACT), AluOp::add, command.folds());
  if (command.zeroes()) sum.set(n, 0.0F);
  if (command.loads()) sum.set(n, imm);
  const bool fused = x.policies().affine == AffinePolicy::fused;
  if (!command.folds() && !f.on_device() && scale.uniform && bias.uniform && imm.uniform && PatternTable::pays(x, s, d))
    return activate_patterns(x, s, d, f, {&f.table(), bits_of(scale.value), bits_of(bias.value), bits_of(imm.value), fused, s.dtype, d.dtype});
  // With a running sum, eight channels at a time by pieces that stay in the first cache; else one after the other.
  const unsigned width = command.folds() ? Accumulation::kGroup : 1, piece = command.folds() ? 256 : kBlock;
  const bool unit = f.ignores_unit_affine();
  x.groups({&s}, d, width, piece, [&](const Block& first, unsigned channels) {
    float buffer[kBlock], space[2 * kBlock];
    const float* results[Accumulation::kGroup];
    for (unsigned c = 0; c < channels; ++c) {
      const Block at{first.channel + c, first.begin, first.count};
      float* v = x.place_for(d, at, space + c * piece);
      float factor = scale.at(at.channel), addend = bias.at(at.channel);
      f.fuse(factor, addend);
      const float* in = x.read(s, at, buffer);
      if (unit && factor == 1 && addend == 0) {
        f.apply(at, in, v);
      } else {
        multiply_add(in, factor, addend, fused, at.count, v);
        f.apply(at, v, imm.at(at.channel));
      }
      x.write(d, at, v);
      results[c] = v;
    }
    sum.add_group(first, channels, d.count, results);
  });
}

}  // namespace act::sim::ops
