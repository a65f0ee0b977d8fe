// 0x49 Memset: one bit pattern into every element; and the loads of engine state: 0x66, 0x67, 0x69, 0x7A.
#include <cstring>

#include "ops.h"

namespace act::sim::ops {

void memset(Exec& x, const D4Mr& i) {
  const Operand d = x.destination(i.dst_mem_pattern, i.dtype, "dst_mem_pattern", i.num_active_channels);
  if (!d.valid()) return;
  if (!d.dense()) {
    std::uint64_t pattern[kBlock];
    std::fill_n(pattern, kBlock, i.set_value);
    return x.elements({}, d, [&](const Block& at) { x.write_bits(d, at, pattern); });
  }
  const std::uint64_t value = i.set_value;
  std::array<std::uint8_t, kBlock * sizeof value> bytes;
  for (unsigned k = 0; k < kBlock; ++k) std::memcpy(bytes.data() + k * d.bytes, &value, d.bytes);
  x.elements({}, d, [&](const Block& at) {
    std::memcpy(x.dense_destination(d, at), bytes.data(), std::size_t{at.count} * d.bytes);
    x.wrote(d, at);
  });
}

void load_parameter_ram(Exec& x, const CtrlIm& i) {
  std::copy(i.immediate.begin(), i.immediate.end(), x.machine.parameter_ram.begin() + i.param_ram_offset);
}

// Raw elements, not converted, in element order (seed "Gap-Cluster", section 6).
void pool_buffer_load(Exec& x, const S4Pb& i) {
  const Operand s = x.source(i.src_mem_pattern, i.in_dtype, "src_mem_pattern", i.num_active_channels);
  if (s.valid() && s.space != Space::sbuf) return x.fail(Code::misplaced_operand, "must be in SBUF", s.name);
  if (s.valid() && s.count > kPoolBufferElements) return x.fail(Code::bad_value, "the buffer holds 512 elements per channel", s.name);
  if (x.failed()) return;
  PoolBuffer& buffer = x.machine.pool_buffer;
  buffer.start_index = i.start_index;
  buffer.mask = i.mask;
  buffer.element_bytes = s.bytes;
  buffer.channels = s.channels;
  buffer.count = static_cast<unsigned>(s.count);
  x.channels({&s}, s.channels, [&](unsigned channel) {
    buffer.elements[channel].resize(s.count);
    x.read_bits(s, {channel, 0, buffer.count}, buffer.elements[channel].data());
  });
}

void load_mask_select(Exec& x, const CtrlIm& i) { std::copy(i.immediate.begin(), i.immediate.end(), x.machine.mask_select.begin()); }

// Word by word: the value itself, or the UINT32 in SBUF that it points to.
void load_pool_argument(Exec& x, const CtrlIm& i) {
  for (unsigned slot = 0; slot < x.machine.pool_arguments.size() && !x.failed(); ++slot) {
    std::uint32_t word;
    std::memcpy(&word, i.immediate.data() + 4 * slot, sizeof word);
    if (i.imm_ptr_select >> slot & 1) word = static_cast<std::uint32_t>(x.scalar_bits(Immediate{word}, ImmSrc::POINTER_IMMEDIATE, Dtype::uint32, "immediate", 1).at(0));
    x.machine.pool_arguments[slot] = word;
  }
}

}  // namespace act::sim::ops
