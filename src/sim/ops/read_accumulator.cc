// 0x24 and 0x9B: one FP32 accumulator per lane, converted to dtype; 0x9B may negate it.
#include "ops.h"

namespace act::sim::ops {

void read_accumulator(Exec& x, const D1Rd& i) {
  const bool dve = static_cast<Opcode>(i.opcode) == Opcode::DVE_READ_ACCUMULATOR;
  const Accumulators& accumulators = x.machine.accumulators(dve ? Engine::DVE : Engine::ACT);
  const Operand d = x.destination(i.dst_mem_pattern, i.dtype, "dst_mem_pattern", i.num_active_channels);
  if (d.valid() && d.count != 1) x.fail(Code::bad_value, "one element per channel is written", "dst_mem_pattern");
  x.elements({}, d, [&](const Block& at) {
    const float value = accumulators[at.channel];
    const float stored = dve && i.negated != 0 ? -value : value;
    x.write(d, at, &stored);
  });
}

}  // namespace act::sim::ops
