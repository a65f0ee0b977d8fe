// Reading and writing the fields of a record through its rows. A record is a span of bytes, little-endian.
#pragma once

#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <type_traits>

#include "act/rows/field.h"

namespace act {

using Record = std::span<const std::uint8_t>;
using MutableRecord = std::span<std::uint8_t>;

namespace detail {
constexpr std::uint64_t width_mask(unsigned width) { return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1; }
}  // namespace detail

// Bits [bit, bit + width) as an unsigned number; width 1..64.
constexpr std::uint64_t get_bits(Record r, unsigned bit, unsigned width) {
  std::uint64_t v = 0;
  // Whole bytes, as nearly every field has them, are one load.
  if (!std::is_constant_evaluated() && bit % 8 == 0 && width % 8 == 0 && width <= 64) {
    static_assert(std::endian::native == std::endian::little);
    switch (width) {
      case 8: return r[bit / 8];
      case 16: std::memcpy(&v, r.data() + bit / 8, 2); return v;
      case 32: std::memcpy(&v, r.data() + bit / 8, 4); return v;
      default: std::memcpy(&v, r.data() + bit / 8, width / 8); return v;
    }
  }
  const unsigned first = bit / 8, last = (bit + width - 1) / 8, shift = bit % 8;
  for (unsigned i = last + 1; i-- > first;) {
    // A 64-bit field that is not byte-aligned spans nine bytes; its lowest byte is added below.
    if (i == first && last - first == 8) return ((v << (8 - shift)) | (r[i] >> shift)) & detail::width_mask(width);
    v = v << 8 | r[i];
  }
  return v >> shift & detail::width_mask(width);
}

constexpr void put_bits(MutableRecord r, unsigned bit, unsigned width, std::uint64_t value) {
  for (unsigned done = 0; done < width;) {
    const unsigned at = (bit + done) / 8, shift = (bit + done) % 8;
    const unsigned n = width - done < 8 - shift ? width - done : 8 - shift;
    const std::uint8_t mask = static_cast<std::uint8_t>(detail::width_mask(n) << shift);
    r[at] = static_cast<std::uint8_t>((r[at] & ~mask) | (static_cast<std::uint8_t>(value >> done << shift) & mask));
    done += n;
  }
}

// Whether every fixed bit of the format has its value; the record has at least format.bytes bytes.
constexpr bool matches(Record r, const Format& format) {
  for (const FixedBits& x : format.fixed)
    if (get_bits(r, x.bit, x.width) != x.value) return false;
  return true;
}
constexpr void put_fixed(MutableRecord r, const Format& format) {
  for (const FixedBits& x : format.fixed) put_bits(r, x.bit, x.width, x.value);
}

// The same as two numbers, for formats of at most 8 bytes: a record matches when (number & mask) == match.
constexpr std::uint64_t fixed_mask(const Format& format) {
  std::uint64_t mask = 0;
  for (const FixedBits& x : format.fixed) mask |= detail::width_mask(x.width) << x.bit;
  return mask;
}
constexpr std::uint64_t fixed_match(const Format& format) {
  std::uint64_t match = 0;
  for (const FixedBits& x : format.fixed) match |= x.value << x.bit;
  return match;
}

// Scalar kinds only (width up to 64); sinteger comes back sign-extended.
constexpr std::uint64_t get(Record r, const Field& f) {
  std::uint64_t v = get_bits(r, f.bit, f.width);
  if (f.kind == Kind::sinteger && f.width < 64 && (v >> (f.width - 1) & 1)) v |= ~detail::width_mask(f.width);
  return v;
}
constexpr void put(MutableRecord r, const Field& f, std::uint64_t value) { put_bits(r, f.bit, f.width, value); }

// The bytes of a byte-aligned field.
constexpr Record bytes_of(Record r, const Field& f) { return r.subspan(f.byte(), f.bytes()); }
constexpr MutableRecord bytes_of(MutableRecord r, const Field& f) { return r.subspan(f.byte(), f.bytes()); }

// A tensor descriptor of N dimensions: start address word, then all steps, then all counts (01 section 4.1). Steps are in
// elements, dimension 0 is the innermost.
template <unsigned N>
struct TensorN {
  std::uint32_t addr = 0;
  std::array<std::int16_t, N> step{};
  std::array<std::uint16_t, N> num{};
  friend constexpr bool operator==(const TensorN&, const TensorN&) = default;
};

// The same with the number of dimensions known only at run time.
struct TensorView {
  std::uint32_t addr = 0;
  unsigned dims = 0;
  std::array<std::int16_t, 4> step{};
  std::array<std::uint16_t, 4> num{};
};

constexpr TensorView get_tensor(Record r, const Field& f) {
  TensorView t;
  t.dims = f.dims;
  t.addr = static_cast<std::uint32_t>(get_bits(r, f.bit, 32));
  for (unsigned d = 0; d < f.dims; ++d) {
    t.step[d] = static_cast<std::int16_t>(get_bits(r, f.bit + 32 + 16 * d, 16));
    t.num[d] = static_cast<std::uint16_t>(get_bits(r, f.bit + 32 + 16 * (f.dims + d), 16));
  }
  return t;
}

constexpr void put_tensor(MutableRecord r, const Field& f, const TensorView& t) {
  put_bits(r, f.bit, 32, t.addr);
  for (unsigned d = 0; d < f.dims; ++d) {
    put_bits(r, f.bit + 32 + 16 * d, 16, static_cast<std::uint16_t>(t.step[d]));
    put_bits(r, f.bit + 32 + 16 * (f.dims + d), 16, t.num[d]);
  }
}

// The gather form of a 3-D or 4-D slot (01 section 4.5): two address words, a count, then unused bytes.
struct IndirectView {
  std::uint32_t index_addr = 0, data_addr = 0;
  std::uint16_t count = 0;
};

// True when the bytes of a union field are in the gather form: bit 29 set and bit 30 clear in the first word.
constexpr bool holds_indirect(Record r, const Field& f) {
  return f.indirect && f.dims >= 3 && (get_bits(r, f.bit, 32) >> 29 & 3) == 1;
}
// True when, besides, the bytes behind the count are zero, so that IndirectView holds everything.
constexpr bool indirect_is_exact(Record r, const Field& f) {
  if (!holds_indirect(r, f)) return false;
  for (unsigned bit = f.bit + 80; bit < f.bit + f.width; bit += 8)
    if (get_bits(r, bit, 8) != 0) return false;
  return true;
}
constexpr IndirectView get_indirect(Record r, const Field& f) {
  return {static_cast<std::uint32_t>(get_bits(r, f.bit, 32)), static_cast<std::uint32_t>(get_bits(r, f.bit + 32, 32)),
          static_cast<std::uint16_t>(get_bits(r, f.bit + 64, 16))};
}
constexpr void put_indirect(MutableRecord r, const Field& f, const IndirectView& v) {
  for (std::uint8_t& b : bytes_of(r, f)) b = 0;
  put_bits(r, f.bit, 32, v.index_addr);
  put_bits(r, f.bit + 32, 32, v.data_addr);
  put_bits(r, f.bit + 64, 16, v.count);
}

}  // namespace act
