// 0x22 ActivateQuantize: dst[k] = quant_scale * f(dequant_scale * src[k] + bias) + quant_zero, rounded and saturated to
// UINT8; the zero point is added before the rounding (seed "Activate", section 4).
#include "function_stage.h"
#include "ops.h"

namespace act::sim::ops {

void activate_quantize(Exec& x, const S3d3Aq& i) {
  const unsigned n = i.num_active_channels;
  const Operand s = x.source(i.src_mem_pattern, i.in_bias_dtype.lo(), "src_mem_pattern", n);
  const Operand d = x.destination(i.dst_mem_pattern, i.out_dtype, "dst_mem_pattern", n);
  const Scalar bias = x.scalar(Immediate{i.bias_addr.word}, ImmSrc::POINTER_IMMEDIATE, i.in_bias_dtype.hi(), "bias_addr", n);
  FunctionStage f(x, i.activation_func);
  if (x.failed()) return;
  if (f.parametric()) x.warn(Code::bad_value, "parametric_relu has no slope in this instruction; it is taken as 0", "activation_func");

  const float dequantise = f32(i.dequant_scale_value.bits), requantise = f32(i.quant_scale_value.bits);
  const float zero_point = f32(i.quant_zero_value.bits);
  const bool fused_in = x.policies().affine == AffinePolicy::fused;
  const bool fused_out = x.policies().requantise == RequantisePolicy::fused;
  x.elements({&s}, d, [&](const Block& at) {
    float buffer[kBlock], v[kBlock];
    const float* in = x.read(s, at, buffer);
    float factor = dequantise, addend = bias.at(at.channel);
    f.fuse(factor, addend);
    multiply_add(in, factor, addend, fused_in, at.count, v);
    f.apply(at, v, 0.0F);
    multiply_add(v, requantise, zero_point, fused_out, at.count, v);
    x.write(d, at, v);
  });
}

}  // namespace act::sim::ops
