// 0x48 Reciprocal: dst[k] = 1 / src[k], exact or by seed and refinement as the policy says.
#include "act/sim/reciprocal.h"

#include "ops.h"

namespace act::sim::ops {

void reciprocal(Exec& x, const S4d4Tr& i) {
  const Operand s = x.source(i.src_mem_pattern, i.in_dtype, "src_mem_pattern", i.num_active_channels);
  const Operand d = x.destination(i.dst_mem_pattern, i.out_dtype, "dst_mem_pattern", i.num_active_channels);
  const bool half = i.in_dtype == Dtype::fp16 && i.out_dtype == Dtype::fp16;
  const bool refined = x.policies().reciprocal == ReciprocalPolicy::seed_refine;
  x.elements({&s}, d, [&](const Block& at) {
    float buffer[kBlock], v[kBlock];
    const float* in = x.read(s, at, buffer);
    for (unsigned k = 0; k < at.count; ++k) v[k] = !refined ? reciprocal_exact(in[k]) : half ? reciprocal_refined_f16(in[k]) : reciprocal_refined_f32(in[k]);
    x.write(d, at, v);
  });
}

}  // namespace act::sim::ops
