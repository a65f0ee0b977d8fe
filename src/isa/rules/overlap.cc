// Source and destination that share bytes (01 section 4.3, D-15).
#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <cstdlib>
#include <memory>

#include "isa/rules/context.h"

namespace act::rules {
namespace {

// A walk in its shortest form: dimensions of one element are gone, contiguous ones are one. Two walks visit the same
// bytes in the same order exactly when these are equal.
struct Walk {
  Location at;
  std::int64_t size = 0;        // bytes of an element
  std::int64_t low = 0, high = 0;  // first byte in the partition, one behind the last
  unsigned dims = 0;
  std::array<std::int64_t, 4> step{};  // bytes
  std::array<std::int64_t, 4> num{};
  bool valid = false;

  bool same_order(const Walk& o) const { return size == o.size && at.offset == o.at.offset && dims == o.dims && step == o.step && num == o.num; }
};

void append(Walk& w, std::int64_t step, std::int64_t num) {
  if (num == 1) return;
  if (w.dims > 0 && step == w.step[w.dims - 1] * w.num[w.dims - 1]) {
    w.num[w.dims - 1] *= num;
    return;
  }
  w.step[w.dims] = step;
  w.num[w.dims++] = num;
}

// Invalid for register, shape-register and indirect forms, and where another rule refuses the place.
Walk walk_of(const Context& c, const TypedOperand& o) {
  const TensorView t = get_tensor(c.bundle, *c.format.find(o.field));
  Walk w;
  w.size = dtype_bytes(o.dtype);
  if (t.addr >> 29 != 0 || w.size == 0) return w;
  w.at = locate(t.addr, c.generation);
  if (!w.at.active) return w;
  w.low = w.at.offset;
  w.high = w.low + w.size;
  for (unsigned d = 0; d < t.dims; ++d) {
    if (t.num[d] == 0) return w;
    const std::int64_t step = w.size * t.step[d], reach = step * (t.num[d] - 1);
    (reach < 0 ? w.low : w.high) += reach;
    append(w, step, t.num[d]);
  }
  w.valid = w.low >= 0 && w.high <= static_cast<std::int64_t>(active_bytes(w.at.space, c.generation));
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
  bytes->set(w.at.offset);
  spread(1, w.size);
  for (unsigned d = 0; d < w.dims; ++d)
    if (w.step[d] != 0) spread(w.step[d], w.num[d]);
  return bytes;
}

}  // namespace

void check_overlap(const Context& c, TypedOperand source, TypedOperand destination, unsigned channels) {
  const Walk s = walk_of(c, source), d = walk_of(c, destination);
  if (!s.valid || !d.valid || s.at.space != d.at.space || s.low >= d.high || d.low >= s.high) return;
  const auto apart = static_cast<unsigned>(std::abs(static_cast<int>(s.at.partition) - static_cast<int>(d.at.partition)));
  if (apart >= channels || (apart == 0 && s.same_order(d)) || (*touched(s) & *touched(d)).none()) return;
  Diagnostic& report = c.warn(Rule::operand_overlap, source.field, fmt::format("{} and {} overlap with different address sequences", source.field, destination.field), "the same walk, or places apart");
  report.code = Code::operand_overlap;
}

}  // namespace act::rules
