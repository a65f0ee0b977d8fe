// The 32 by 32 transpose of 0x6B and 0x93 (D-53): within channel group q and run t of 32 elements, element 32t+e of channel
// 32q+c takes element 32t+c of channel 32q+e.
#pragma once

#include <type_traits>

#include "act/sim/exec.h"

namespace act::sim::ops {

inline constexpr unsigned kTile = 32;

// Reads a tile of each run, transposes it, gives every row to change(channel, row, count), and writes the first d.count
// elements of each channel. T is float (values) or std::uint64_t (raw patterns). A tile is read whole before it is written.
template <class T, class Change>
void transposed_tiles(Exec& x, const Operand& s, const Operand& d, Change&& change) {
  constexpr bool kRaw = std::is_same_v<T, std::uint64_t>;
  if (!s.valid() || !d.valid()) return;
  if (s.count % kTile != 0 || s.channels % kTile != 0)
    return x.fail(Code::bad_value, "a transpose works on whole tiles of 32 channels and 32 elements", s.name);
  if (d.count > s.count) return x.fail(Code::bad_value, "more elements are written than read", d.name);
  x.channels({&s}, d, [&](unsigned first) {
    if (first % kTile != 0) return;  // the first channel of a group works for all of it
    T tile[kTile][kTile], row[kTile];
    for (std::uint64_t run = 0; run < d.count && !x.failed(); run += kTile) {
      for (unsigned c = 0; c < kTile; ++c) {
        if constexpr (kRaw) {
          x.read_bits(s, {first + c, run, kTile}, tile[c]);
        } else {
          const T* in = x.read(s, {first + c, run, kTile}, tile[c]);
          if (in != tile[c]) std::copy_n(in, kTile, tile[c]);
        }
      }
      const auto count = static_cast<unsigned>(std::min<std::uint64_t>(kTile, d.count - run));
      for (unsigned c = 0; c < kTile; ++c) {
        for (unsigned e = 0; e < count; ++e) row[e] = tile[e][c];
        change(first + c, row, count);
        if constexpr (kRaw) {
          x.write_bits(d, {first + c, run, count}, row);
        } else {
          x.write(d, {first + c, run, count}, row);
        }
      }
    }
  });
}

}  // namespace act::sim::ops
