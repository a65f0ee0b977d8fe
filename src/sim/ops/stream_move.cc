// 0x6A StreamShuffle and 0x6B StreamTranspose: elements change lanes within groups of 32 channels (01 section 8.8, D-48, D-53).
#include <fmt/format.h>

#include <vector>

#include "ops.h"
#include "transpose.h"

namespace act::sim::ops {
namespace {

constexpr std::uint8_t kKeep = 255;  // mask entry: the lane stays as it is

}  // namespace

void stream_shuffle(Exec& x, const S4d4Tr& i) {
  const Operand s = x.source(i.src_mem_pattern, i.in_dtype, "src_mem_pattern", i.num_active_channels);
  const Operand d = x.destination(i.dst_mem_pattern, i.out_dtype, "dst_mem_pattern", i.num_active_channels);
  const auto& mask = x.machine.mask_select;
  for (unsigned lane = 0; lane < mask.size(); ++lane)
    if (mask[lane] >= kTile && mask[lane] != kKeep)
      return x.fail(Code::bad_value, fmt::format("mask entry {} selects lane {}, a group has 32", lane, mask[lane]), "immediate");
  if (x.failed()) return;
  if (i.num_active_channels % kTile != 0 || s.count != d.count || i.in_dtype != i.out_dtype)
    return x.fail(Code::bad_value, "a shuffle moves equal types and counts in whole groups of 32 channels", "num_active_channels");
  x.channels({&s}, d, [&](unsigned first) {
    if (first % kTile != 0) return;
    // Whole columns are read before they are written, so that a shuffle in place is one.
    const unsigned width = x.overlapping() ? 1 : 256;
    std::vector<std::uint64_t> columns(kTile * width);
    for (std::uint64_t k = 0; k < d.count && !x.failed(); k += width) {
      const auto count = static_cast<unsigned>(std::min<std::uint64_t>(width, d.count - k));
      for (unsigned lane = 0; lane < kTile; ++lane) x.read_bits(s, {first + lane, k, count}, &columns[lane * width]);
      for (unsigned lane = 0; lane < kTile; ++lane)
        if (mask[lane] != kKeep) x.write_bits(d, {first + lane, k, count}, &columns[mask[lane] * width]);
    }
  });
}

void stream_transpose(Exec& x, const S4d4Tr& i) {
  if (i.mask_enable != 0) return x.fail(Code::not_simulated, "the geometry of partial tiles is not documented", "mask_enable");
  const Operand s = x.source(i.src_mem_pattern, i.in_dtype, "src_mem_pattern", i.num_active_channels);
  const Operand d = x.destination(i.dst_mem_pattern, i.out_dtype, "dst_mem_pattern", i.num_active_channels);
  if (i.in_dtype != i.out_dtype) return x.fail(Code::bad_value, "a transpose moves equal types", "out_dtype");
  transposed_tiles<std::uint64_t>(x, s, d, [](unsigned, std::uint64_t*, unsigned) {});
}

}  // namespace act::sim::ops
