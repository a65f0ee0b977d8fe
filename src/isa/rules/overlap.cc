// Source and destination that share bytes (01 section 4.3, D-15).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <memory>

#include "isa/rules/context.h"

namespace act::rules {
namespace {

// First byte of a walk in its partition, and one behind the last.
struct Extent {
  std::int64_t low = 0, high = 0;
};

// A walk in its shortest form: dimensions of one element are gone, contiguous ones are one. Two walks visit the same
// bytes in the same order exactly when these are equal.
struct Walk {
  std::int64_t offset = 0, size = 0;  // of the first element, of an element; bytes
  unsigned dims = 0;
  std::array<std::int64_t, 4> step{};  // bytes
  std::array<std::int64_t, 4> num{};
  friend bool operator==(const Walk&, const Walk&) = default;
};

// Empty where another rule refuses the walk.
Extent extent_of(const TypedOperand& o, const Location& at, std::int64_t size, Generation g) {
  Extent e{at.offset, at.offset + size};
  for (std::size_t d = 0; d < o.num.size(); ++d) {
    if (o.num[d] == 0) return {};
    const std::int64_t reach = size * o.step[d] * (o.num[d] - 1);
    (reach < 0 ? e.low : e.high) += reach;
  }
  return e.low >= 0 && e.high <= static_cast<std::int64_t>(active_bytes(at.space, g)) ? e : Extent{};
}

Walk walk_of(const TypedOperand& o, std::int64_t offset, std::int64_t size) {
  Walk w{offset, size};
  for (std::size_t d = 0; d < o.num.size(); ++d) {
    const std::int64_t step = size * o.step[d], num = o.num[d];
    if (num == 1) continue;
    if (w.dims > 0 && step == w.step[w.dims - 1] * w.num[w.dims - 1]) {
      w.num[w.dims - 1] *= num;
      continue;
    }
    w.step[w.dims] = step;
    w.num[w.dims++] = num;
  }
  return w;
}

// The bytes of a partition, of the largest there is.
using Bytes = std::bitset<active_bytes(Space::sbuf, Generation::maverick)>;

// What a walk touches. Each step doubles the reach, so that a count costs its logarithm.
std::unique_ptr<Bytes> touched(const Walk& w) {
  auto bytes = std::make_unique<Bytes>();
  const auto spread = [&](std::int64_t step, std::int64_t num) {
    for (std::int64_t have = 1; have < num;) {
      const std::int64_t more = std::min(have, num - have), shift = step * more;
      *bytes |= shift < 0 ? *bytes >> static_cast<std::size_t>(-shift) : *bytes << static_cast<std::size_t>(shift);
      have += more;
    }
  };
  bytes->set(static_cast<std::size_t>(w.offset));
  spread(1, w.size);
  for (unsigned d = 0; d < w.dims; ++d)
    if (w.step[d] != 0) spread(w.step[d], w.num[d]);
  return bytes;
}

}  // namespace

void check_overlap(const Context& c, const TypedOperand& source, const TypedOperand& destination, unsigned channels) {
  if ((source.addr | destination.addr) >> 29 != 0) return;
  const Location s = locate(source.addr, c.generation), d = locate(destination.addr, c.generation);
  const unsigned apart = s.partition > d.partition ? s.partition - d.partition : d.partition - s.partition;
  const std::int64_t in = dtype_bytes(source.dtype), out = dtype_bytes(destination.dtype);
  if (s.space != d.space || !s.active || !d.active || apart >= channels || in == 0 || out == 0) return;
  const Extent from = extent_of(source, s, in, c.generation), to = extent_of(destination, d, out, c.generation);
  if (from.low >= to.high || to.low >= from.high) return;
  const Walk a = walk_of(source, s.offset, in), b = walk_of(destination, d.offset, out);
  if ((apart == 0 && a == b) || (*touched(a) & *touched(b)).none()) return;
  Diagnostic& report = c.warn(Rule::operand_overlap, source.field, fmt::format("{} and {} overlap with different address sequences", source.field, destination.field), "the same walk, or places apart");
  report.code = Code::operand_overlap;
}

}  // namespace act::rules
