// 0x46 Copy and 0x47 Cast: dst[k] = src[k], through FP32 when the types differ, as raw bits when they are equal (01 section 5.5).
#include "ops.h"

#include <cstring>

namespace act::sim::ops {
namespace {

void move(Exec& x, const Operand& s, const Operand& d) {
  if (s.dense() && d.dense()) {
    const auto body = [&](const Block& at) {
      std::memmove(x.dense_destination(d, at), x.dense_source(s, at), std::size_t{at.count} * d.bytes);
      x.wrote(d, at);
    };
    return x.elements({&s}, d, body, kLongBlock);
  }
  x.elements({&s}, d, [&](const Block& at) {
    std::uint64_t raw[kBlock];
    x.read_bits(s, at, raw);
    x.write_bits(d, at, raw);
  });
}

}  // namespace

void cast(Exec& x, const S4d4Tr& i) {
  const Operand s = x.source(i.src_mem_pattern, i.in_dtype, "src_mem_pattern", i.num_active_channels);
  const Operand d = x.destination(i.dst_mem_pattern, i.out_dtype, "dst_mem_pattern", i.num_active_channels);
  if (x.failed()) return;
  if (i.in_dtype == i.out_dtype) return move(x, s, d);
  const auto body = [&](const Block& at) {
    float values[kBlock];
    x.write(d, at, x.read(s, at, x.place_for(d, at, values)));
  };
  x.elements({&s}, d, body, x.in_memory(s) || x.in_memory(d) ? kLongBlock : kBlock);
}

void copy(Exec& x, const S4d4Tr& i) {
  if (i.in_dtype != i.out_dtype) return x.fail(Code::bad_value, "a copy keeps its type", "out_dtype");
  cast(x, i);
}

}  // namespace act::sim::ops
