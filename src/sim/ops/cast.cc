// 0x46 Copy and 0x47 Cast: dst[k] = src[k], through FP32 when the types differ, as raw bits when they are equal (01 section 5.5).
#include "ops.h"

namespace act::sim::ops {

void cast(Exec& x, const S4d4Tr& i) {
  const Operand s = x.source(i.src_mem_pattern, i.in_dtype, "src_mem_pattern", i.num_active_channels);
  const Operand d = x.destination(i.dst_mem_pattern, i.out_dtype, "dst_mem_pattern", i.num_active_channels);
  x.elements({&s}, d, [&](const Block& at) {
    if (i.in_dtype == i.out_dtype) {
      std::uint64_t raw[kBlock];
      x.read_bits(s, at, raw);
      x.write_bits(d, at, raw);
    } else {
      float values[kBlock];
      x.write(d, at, x.read(s, at, values));
    }
  });
}

void copy(Exec& x, const S4d4Tr& i) {
  if (i.in_dtype != i.out_dtype) return x.fail(Code::bad_value, "a copy keeps its type", "out_dtype");
  cast(x, i);
}

}  // namespace act::sim::ops
