// A second model of the machine, written as plainly as possible and without the simulator's code: bytes in one flat array,
// nested loops over descriptors, conversions by arithmetic on values. Tests compare the simulator with it.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "act/sim/simulator.h"
#include "act/tables/embedded.h"

namespace act::sim::plain {

// --- numbers -------------------------------------------------------------------------------------------------

struct PlainFormat {
  int exponent_bits, mantissa_bits, bias;
};

inline bool plain_format(Dtype t, PlainFormat& f) {
  switch (t) {
    case Dtype::fp32: f = {8, 23, 127}; return true;
    case Dtype::bfloat16: f = {8, 7, 127}; return true;
    case Dtype::fp16: f = {5, 10, 15}; return true;
    case Dtype::fp8_exp3: f = {3, 4, 3}; return true;
    case Dtype::fp8_exp4: f = {4, 3, 7}; return true;
    case Dtype::fp8_exp5: f = {5, 2, 15}; return true;
    default: return false;
  }
}

inline int plain_bytes(Dtype t) {
  switch (t) {
    case Dtype::fp32: case Dtype::fp32r: case Dtype::int32: case Dtype::uint32: return 4;
    case Dtype::bfloat16: case Dtype::fp16: case Dtype::int16: case Dtype::uint16: return 2;
    case Dtype::uint64: case Dtype::int64: return 8;
    default: return 1;
  }
}

inline bool plain_is_int(Dtype t, bool& is_signed, int& bits) {
  switch (t) {
    case Dtype::int8: is_signed = true; bits = 8; return true;
    case Dtype::uint8: is_signed = false; bits = 8; return true;
    case Dtype::int16: is_signed = true; bits = 16; return true;
    case Dtype::uint16: is_signed = false; bits = 16; return true;
    case Dtype::int32: is_signed = true; bits = 32; return true;
    case Dtype::uint32: is_signed = false; bits = 32; return true;
    default: return false;
  }
}

// The value of a code, as the FP32 that the machine computes with.
inline float plain_widen(Dtype t, std::uint64_t code) {
  if (t == Dtype::fp32 || t == Dtype::fp32r) {
    const auto b = static_cast<std::uint32_t>(code);
    float v;
    std::memcpy(&v, &b, 4);
    return v;
  }
  bool is_signed;
  int bits;
  if (plain_is_int(t, is_signed, bits)) {
    std::int64_t v = static_cast<std::int64_t>(code & ((std::uint64_t{1} << bits) - 1));
    if (is_signed && v >= (std::int64_t{1} << (bits - 1))) v -= std::int64_t{1} << bits;
    return static_cast<float>(v);
  }
  PlainFormat f{};
  if (!plain_format(t, f)) return 0;
  const int e = static_cast<int>(code >> f.mantissa_bits) & ((1 << f.exponent_bits) - 1);
  const int m = static_cast<int>(code) & ((1 << f.mantissa_bits) - 1);
  const bool negative = (code >> (f.exponent_bits + f.mantissa_bits) & 1) != 0;
  double v;
  if (e == (1 << f.exponent_bits) - 1) {
    if (m != 0) return std::nanf("");
    v = INFINITY;
  } else if (e == 0) {
    v = std::ldexp(m, 1 - f.bias - f.mantissa_bits);
  } else {
    v = std::ldexp(m + (1 << f.mantissa_bits), e - f.bias - f.mantissa_bits);
  }
  return static_cast<float>(negative ? -v : v);
}

// Nearest, ties to even; overflow to infinity; integers clamp and NaN becomes 0.
inline std::uint64_t plain_narrow(Dtype t, float x) {
  bool is_signed;
  int bits;
  if (plain_is_int(t, is_signed, bits)) {
    if (std::isnan(x)) return 0;
    const double lowest = is_signed ? -std::ldexp(1, bits - 1) : 0, highest = std::ldexp(1, is_signed ? bits - 1 : bits) - 1;
    const double r = std::nearbyint(static_cast<double>(x));
    const double clamped = r < lowest ? lowest : r > highest ? highest : r;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(clamped)) & ((std::uint64_t{1} << bits) - 1);
  }
  std::uint32_t raw;
  std::memcpy(&raw, &x, 4);
  if (t == Dtype::fp32) return raw;
  if (t == Dtype::fp32r) {  // 13 mantissa bits kept in FP32
    if (std::isnan(x)) return 0x7FC00000;
    if (std::isinf(x)) return raw;
    if (std::fabs(x) < std::ldexp(1.0, -126)) {
      const double q = std::ldexp(1.0, -139);
      const auto v = static_cast<float>(std::nearbyint(static_cast<double>(x) / q) * q);
      std::memcpy(&raw, &v, 4);
      return raw | (std::signbit(x) ? 0x80000000u : 0u);
    }
    const int e = std::ilogb(x);
    const double q = std::ldexp(1.0, e - 13);
    const double v = std::nearbyint(static_cast<double>(x) / q) * q;
    const float r = std::fabs(v) > 3.4028234663852886e38 ? std::copysign(INFINITY, x) : static_cast<float>(v);
    std::memcpy(&raw, &r, 4);
    return raw;
  }
  PlainFormat f{};
  if (!plain_format(t, f)) return 0;
  const std::uint64_t sign = std::signbit(x) ? std::uint64_t{1} << (f.exponent_bits + f.mantissa_bits) : 0;
  const std::uint64_t inf = static_cast<std::uint64_t>((1 << f.exponent_bits) - 1) << f.mantissa_bits;
  if (std::isnan(x)) return inf | std::uint64_t{1} << (f.mantissa_bits - 1);
  if (std::isinf(x)) return sign | inf;
  if (x == 0) return sign;
  const double a = std::fabs(static_cast<double>(x));
  const int e = std::max(std::ilogb(a), 1 - f.bias);
  double n = std::nearbyint(std::ldexp(a, f.mantissa_bits - e));
  int exponent = e;
  if (n >= std::ldexp(1, f.mantissa_bits + 1)) {
    n /= 2;
    ++exponent;
  }
  if (n < std::ldexp(1, f.mantissa_bits)) return sign | static_cast<std::uint64_t>(n);  // subnormal
  const int biased = exponent + f.bias;
  if (biased >= (1 << f.exponent_bits) - 1) return sign | inf;
  return sign | static_cast<std::uint64_t>(biased) << f.mantissa_bits | (static_cast<std::uint64_t>(n) - (std::uint64_t{1} << f.mantissa_bits));
}

// 02 section 12 in the words of the book, octaves and sections found by search.
inline float plain_function(const FunctionTable& t, float v, float alpha) {
  if (t.fma_indirection_src_sel == 2) return v > 0 ? v : v * alpha;
  if (v == 0) return t.specials.zero;
  if (std::isinf(v)) return v > 0 ? t.specials.pinf : t.specials.ninf;
  if (std::isnan(v)) return t.specials.nan;
  float sel = v;
  if (t.symmetry.enabled) sel = t.symmetry.use_neg_region ? -std::fabs(v) : std::fabs(v);
  std::uint32_t b;
  std::memcpy(&b, &sel, 4);
  const std::uint32_t e = b >> 23 & 255, m = b & 0x7FFFFF;
  const Side& side = sel < 0 ? t.neg : t.pos;
  const Section* s = nullptr;
  if (e > side.high.sat_point || (e == side.high.sat_point && m >= side.high.mantissa_point)) {
    s = &side.high.section;
  } else if (e < side.low.sat_point || (e == side.low.sat_point && m <= side.low.mantissa_point)) {
    s = &side.low.section;
  } else {
    for (const Octave& o : side.octaves)
      if (o.exponent + 127 == static_cast<int>(e)) s = &o.sections.at(m >> (23 - o.extract_size));
  }
  const float d = sel - s->x;
  const float line = d * s->d1 + s->d0;
  double r = static_cast<double>(line) + static_cast<double>(d) * static_cast<double>(d) * static_cast<double>(s->d2);
  const __float128 wide = d;
  r = static_cast<double>(wide * wide * wide) * static_cast<double>(s->d3) + r;
  float result = static_cast<float>(r);
  if (t.symmetry.enabled && (v < 0) != (sel < 0)) {
    if (t.symmetry.invert_sign) result = -result;
    result = result + t.symmetry.point;
  }
  return result;
}

// --- memory and walks ------------------------------------------------------------------------------------------

// The first bytes of each partition of SBUF and PSUM (v2 to v4); tests keep their data there.
inline constexpr std::uint32_t kWindow = 4096;

// A strided descriptor with up to four dimensions, as numbers.
struct Walk {
  std::uint32_t addr = 0;
  Dtype dtype = Dtype::fp32;
  std::vector<int> step, num;  // dimension 0 first

  std::uint64_t count() const {
    std::uint64_t n = 1;
    for (int v : num) n *= static_cast<std::uint64_t>(v);
    return n;
  }
  std::uint32_t stride() const { return addr >= 0x2000000 ? 0x8000 : 0x40000; }
  // Address of element k of channel p.
  std::uint32_t at(unsigned p, std::uint64_t k) const {
    std::int64_t a = std::int64_t{addr} + std::int64_t{p} * stride();
    for (std::size_t d = 0; d < num.size(); ++d) {
      a += static_cast<std::int64_t>(k % static_cast<std::uint64_t>(num[d])) * step[d] * plain_bytes(dtype);
      k /= static_cast<std::uint64_t>(num[d]);
    }
    return static_cast<std::uint32_t>(a);
  }
  template <class T>
  void put(T& t) const {
    t.addr = addr;
    for (std::size_t d = 0; d < t.num.size(); ++d) {
      t.step[d] = static_cast<std::int16_t>(d < step.size() ? step[d] : 1);
      t.num[d] = static_cast<std::uint16_t>(d < num.size() ? num[d] : 1);
    }
  }
};

class Plain {
 public:
  Plain() : bytes_(2 * 128 * kWindow, 0xFF) {}
  std::uint64_t code(std::uint32_t addr, Dtype t) const {
    std::uint64_t v = 0;
    std::memcpy(&v, bytes_.data() + index(addr), static_cast<std::size_t>(plain_bytes(t)));
    return v;
  }
  void set_code(std::uint32_t addr, Dtype t, std::uint64_t v) { std::memcpy(bytes_.data() + index(addr), &v, static_cast<std::size_t>(plain_bytes(t))); }
  float get(std::uint32_t addr, Dtype t) const { return plain_widen(t, code(addr, t)); }
  void set(std::uint32_t addr, Dtype t, float v) { set_code(addr, t, plain_narrow(t, v)); }
  const std::uint8_t* row(std::uint32_t addr) const { return bytes_.data() + index(addr); }

 private:
  static std::size_t index(std::uint32_t addr) {
    const bool psum = addr >= 0x2000000;
    const std::uint32_t stride = psum ? 0x8000 : 0x40000, a = psum ? addr - 0x2000000 : addr;
    EXPECT_LT(a % stride, kWindow) << "the test leaves its window";
    return ((psum ? 128 : 0) + std::size_t{a / stride}) * kWindow + a % stride % kWindow;
  }
  std::vector<std::uint8_t> bytes_;
};

inline const Catalog& trainium() {
  static const Catalog catalog = [] {
    Diagnostics warnings;
    Result<Catalog> opened = open_catalog("trainium", warnings);
    EXPECT_TRUE(opened.has_value());
    return std::move(opened).value();
  }();
  return catalog;
}

// Codes of a dtype that look like data: mostly numbers of moderate size, some special values.
inline std::uint64_t random_code(std::mt19937_64& rng, Dtype t) {
  if (rng() % 16 == 0) return rng() & (plain_bytes(t) == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * plain_bytes(t))) - 1);
  const double magnitude = std::ldexp(static_cast<double>(rng() % 4096) / 4096, static_cast<int>(rng() % 8) - 2);
  return plain_narrow(t, static_cast<float>(rng() % 2 == 0 ? magnitude : -magnitude));
}

// The machine under test and its plain twin, filled alike.
class Twins {
 public:
  explicit Twins(Generation g = Generation::cayman, Policies policies = {}, unsigned threads = 1) {
    program.generation = g;
    options.policies = policies;
    options.catalog = &trainium();
    options.limits.threads = threads;
    program.streams.push_back({});
  }

  Program program;
  RunOptions options;
  Plain twin;
  std::unique_ptr<Simulator> simulator;

  template <class Inst>
  void add(const Inst& i) {
    program.streams[0].bundles.push_back(encode(i));
  }
  void load_set(std::string_view name) {
    auto i = make<CtrlNo>(Opcode::ACTIVATION_TABLE_LOAD);
    i.act_tbl_sel = static_cast<std::uint8_t>(trainium().set_index(name));
    add(i);
  }
  // Call after the program is complete, before data is set and run().
  Machine& machine() {
    if (simulator == nullptr) simulator = std::make_unique<Simulator>(program, options);
    return simulator->machine();
  }
  void set_code(std::uint32_t addr, Dtype t, std::uint64_t code) {
    twin.set_code(addr, t, code);
    const auto n = static_cast<std::size_t>(plain_bytes(t));
    std::uint8_t raw[8];
    std::memcpy(raw, &code, 8);
    machine().memory.write(machine().memory.locate(addr), {raw, n});
  }
  void set(std::uint32_t addr, Dtype t, float v) { set_code(addr, t, plain_narrow(t, v)); }
  // Random data in every element of a walk, and in the gaps between.
  void fill(const Walk& w, unsigned channels, std::mt19937_64& rng) {
    for (unsigned p = 0; p < channels; ++p)
      for (std::uint64_t k = 0; k < w.count(); ++k) set_code(w.at(p, k), w.dtype, random_code(rng, w.dtype));
  }
  std::uint64_t code(std::uint32_t addr, Dtype t) {
    std::uint8_t raw[8] = {};
    machine().memory.read(machine().memory.locate(addr), {raw, static_cast<std::size_t>(plain_bytes(t))});
    std::uint64_t v = 0;
    std::memcpy(&v, raw, 8);
    return v;
  }
  float get(std::uint32_t addr, Dtype t = Dtype::fp32) { return plain_widen(t, code(addr, t)); }
  bool run() {
    machine();
    return simulator->run();
  }
  std::string reports() const {
    std::string text;
    for (const Diagnostic& d : simulator->reports()) text += to_text(d) + "\n";
    return text;
  }
  bool reported(Code code) const {
    for (const Diagnostic& d : simulator->reports())
      if (d.code == code) return true;
    return false;
  }
  // Every byte of the window of the first `partitions` partitions, SBUF and PSUM, equals the twin's.
  void expect_equal(unsigned partitions = 128) {
    const Memory& m = machine().memory;
    std::vector<std::uint8_t> row(kWindow);
    for (std::uint32_t base : {0u, 0x2000000u}) {
      const std::uint32_t stride = base == 0 ? 0x40000 : 0x8000;
      for (unsigned p = 0; p < partitions; ++p) {
        const std::uint32_t addr = base + p * stride;
        m.read(m.locate(addr), row);
        if (std::memcmp(row.data(), twin.row(addr), kWindow) == 0) continue;
        for (std::uint32_t i = 0; i < kWindow; ++i)
          if (row[i] != twin.row(addr)[i]) {
            ADD_FAILURE() << "byte at " << std::hex << addr + i << " is " << int{row[i]} << ", expected " << int{twin.row(addr)[i]};
            return;
          }
      }
    }
  }
};

// A random walk whose elements stay in the first 4096 bytes of a partition at or after `low` (bytes), of `count` elements
// laid out in up to `dims` dimensions. Steps may be negative or, for sources, zero.
inline Walk random_walk(std::mt19937_64& rng, Dtype t, std::vector<int> num, std::uint32_t base, std::uint32_t low, std::uint32_t high, bool source) {
  for (;;) {
    Walk w;
    w.dtype = t;
    w.num = num;
    std::int64_t least = 0, most = 0;
    int dense = 1;
    for (std::size_t d = 0; d < num.size(); ++d) {
      int step = dense;
      switch (rng() % 5) {
        case 0: step = dense * (1 + static_cast<int>(rng() % 2)); break;
        case 1: step = -dense; break;
        case 2: step = source ? 0 : dense; break;
        default: break;
      }
      w.step.push_back(step);
      dense = std::max(dense, std::abs(step) * num[d] + (rng() % 2 == 0 ? 0 : 1));
      const std::int64_t reach = std::int64_t{step} * (num[d] - 1) * plain_bytes(t);
      (reach < 0 ? least : most) += reach;
    }
    most += plain_bytes(t);
    if (most - least > high - low) continue;
    const auto slack = static_cast<std::uint64_t>((high - low) - (most - least));
    std::int64_t offset = low - least + static_cast<std::int64_t>(rng() % (slack + 1));
    offset -= offset % plain_bytes(t);
    if (offset + least < low) offset += plain_bytes(t);
    if (offset + most > high) continue;
    w.addr = base + static_cast<std::uint32_t>(offset);
    return w;
  }
}

// Counts of three dimensions with a small product.
inline std::vector<int> random_counts(std::mt19937_64& rng, std::size_t dims) {
  std::vector<int> num;
  for (std::size_t d = 0; d < dims; ++d) num.push_back(1 + static_cast<int>(rng() % (dims > 3 ? 3 : 5)));
  return num;
}

// The same product, in another shape.
inline std::vector<int> reshaped(std::mt19937_64& rng, std::vector<int> num) {
  std::shuffle(num.begin(), num.end(), rng);
  if (rng() % 3 == 0) {
    int product = 1;
    for (int v : num) product *= v;
    for (int& v : num) v = 1;
    num[0] = product;
  }
  return num;
}

// Number of channels and a start partition that is legal for it.
inline void random_channels(std::mt19937_64& rng, unsigned& channels, unsigned& partition) {
  channels = 1 + static_cast<unsigned>(rng() % (rng() % 4 == 0 ? 128 : 6));
  const unsigned quadrant = static_cast<unsigned>(rng() % 4);
  partition = channels <= 32 ? 32 * quadrant : channels <= 64 ? 64 * (quadrant / 2) : 0;
}

inline float canonical_nan(float v) { return std::isnan(v) ? plain_widen(Dtype::fp32, 0x7FC00000) : v; }

}  // namespace act::sim::plain
