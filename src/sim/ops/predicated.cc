// 0x72 CopyPredicated and 0x99 CastPredicated: dst[k] = src1[k] where src0[k] is not zero; elsewhere dst keeps what it
// holds and is not touched. 0x99 converts through FP32 (seed "Gap-Cluster", section 9).
#include "ops.h"

namespace act::sim::ops {
namespace {

// Calls body(begin, count) for the runs of elements whose predicate is not zero.
template <class Body>
void for_runs(const std::uint64_t* predicate, unsigned count, Body&& body) {
  for (unsigned k = 0; k < count;) {
    if (predicate[k] == 0) {
      ++k;
      continue;
    }
    const unsigned begin = k;
    while (k < count && predicate[k] != 0) ++k;
    body(begin, k - begin);
  }
}

}  // namespace

void copy_predicated(Exec& x, const S3s3d3Tt& i) {
  const unsigned n = i.num_active_channels;
  const Dtype data = i.in0_in1_dtype.hi();
  const Operand p = x.source(i.src0_mem_pattern, i.in0_in1_dtype.lo(), "src0_mem_pattern", n);
  const Operand s = x.source(i.src1_mem_pattern, data, "src1_mem_pattern", n);
  const Operand d = x.destination(i.dst_mem_pattern, i.out_dtype, "dst_mem_pattern", n);
  const bool raw = data == i.out_dtype;
  if (!raw && static_cast<Opcode>(i.opcode) == Opcode::COPY_PREDICATED) return x.fail(Code::bad_value, "a copy keeps its type", "out_dtype");
  x.elements({&p, &s}, d, [&](const Block& at) {
    std::uint64_t predicate[kBlock], bits[kBlock];
    float buffer[kBlock];
    x.read_bits(p, at, predicate);
    for_runs(predicate, at.count, [&](unsigned begin, unsigned count) {
      const Block run{at.channel, at.begin + begin, count};
      if (raw) {
        x.read_bits(s, run, bits);
        x.write_bits(d, run, bits);
      } else {
        x.write(d, run, x.read(s, run, buffer));
      }
    });
  });
}

}  // namespace act::sim::ops
