// Descriptors, addresses and immediates (01 sections 8.4 to 8.7).
#include <fmt/format.h>

#include <algorithm>

#include "isa/rules/context.h"

namespace act::rules {
namespace {

// Start partitions for a channel count, as a step: 0, step, 2*step … below 128 (D-11).
unsigned start_step(unsigned channels) { return channels <= 32 ? 32 : channels <= 64 ? 64 : 128; }

bool start_allowed(const Location& at, unsigned channels) {
  return at.space != Space::off_chip && at.active && at.partition % start_step(channels) == 0;
}

std::string starts_for(unsigned channels) {
  const unsigned step = start_step(channels);
  return fmt::format("partition {} for {} channels", step == 32 ? "0, 32, 64 or 96" : step == 64 ? "0 or 64" : "0", channels);
}

void check_start(const Context& c, std::string_view field, const Location& at, unsigned channels) {
  if (channels < 1 || channels > kPartitions || start_allowed(at, channels)) return;
  std::string detail = fmt::format("{} partition {}, offset 0x{:x}, {} channels", space_name(at.space), at.partition, at.offset, channels);
  const unsigned step = start_step(channels), below = at.partition / step * step;
  if (!at.active) {
    detail += fmt::format("; the partition stores {} bytes", active_bytes(at.space, c.generation));
  } else if (below + step < kPartitions) {
    detail += fmt::format("; nearest starts are {} and {}", below, below + step);
  } else {
    detail += fmt::format("; nearest start is {}", below);
  }
  c.fail(Rule::start_addr_active_channels, field, std::move(detail), starts_for(channels));
}

// The word of a register-family address (markers 0x80, 0xA0, 0xC0): exact form (D-09).
bool register_word_ok(std::uint32_t word) { return (word & 0x1FFFFF00u) == 0 && addr4::regnum(word) < kAddressRegisters; }

// Placement of an immediate address: space, alignment, PSUM width. True when the address is on chip and allowed.
bool check_place(const Context& c, std::string_view field, std::uint32_t word, Dtype dtype, const OperandRules& r) {
  const Location at = locate(word, c.generation);
  const unsigned alignment = dtype_alignment(dtype, c.generation);
  if (alignment != 0 && (word & kAddressMask) % alignment != 0)
    c.fail(Rule::addr_aligned_dtype, field, fmt::format("address 0x{:x} of {}", word & kAddressMask, dtype_name(dtype)), fmt::format("a multiple of {}", alignment));
  if (at.space == Space::off_chip) {
    c.fail(r.valid, field, fmt::format("address 0x{:x} is not on the chip of {}", word & kAddressMask, generation_name(c.generation)));
    return false;
  }
  if (at.space == Space::psum && !r.psum) {
    c.fail(r.valid, field, "the operand may not be in PSUM", "SBUF");
    return false;
  }
  if (r.write && at.space == Space::psum && find_dtype(static_cast<std::uint8_t>(dtype)) != nullptr && dtype_bytes(dtype) != 4 && dtype != Dtype::invalid)
    c.fail(Rule::psum_write_needs_4_byte_dtype, field, fmt::format("{} into PSUM", dtype_name(dtype)), "INT32, UINT32, FP32, FP32R",
           r.narrow_psum_warns && dtype_bytes(dtype) < 4 ? Severity::warning : Severity::error);
  return true;
}

// First and last byte of a channel's walk against the partition's storage.
void check_bounds(const Context& c, std::string_view field, const TensorView& t, Dtype dtype) {
  const Location at = locate(t.addr, c.generation);
  const std::int64_t size = dtype_bytes(dtype);
  if (size == 0 || !at.active) return;
  std::int64_t low = at.offset, high = at.offset + size;
  for (unsigned d = 0; d < t.dims; ++d) {
    if (t.num[d] == 0) return;
    const std::int64_t reach = size * t.step[d] * (t.num[d] - 1);
    (reach < 0 ? low : high) += reach;
  }
  const std::int64_t active = active_bytes(at.space, c.generation);
  if (low < 0)
    c.fail(Rule::tensor_bounds, field, fmt::format("the walk reaches {} bytes before the partition's start", -low), "offset 0 or above");
  if (high > active)
    c.fail(Rule::tensor_bounds, field, fmt::format("the walk reaches byte 0x{:x} of the partition, storage ends before 0x{:x}", high - 1, active), fmt::format("below 0x{:x}", active));
}

void check_indirect(const Context& c, std::string_view field, Dtype dtype, unsigned channels, const OperandRules& r) {
  const Field& row = *c.format.find(field);
  const IndirectView v = get_indirect(c.bundle, row);
  if (v.count == 0) c.fail(r.valid, field, "a gather of 0 elements", "1..65535");
  if (!indirect_is_exact(c.bundle, row)) c.fail(Rule::reserved_zero, field, "the bytes behind the count of a gather", "0", c.options.lenient ? Severity::warning : Severity::error);
  const OperandRules as_index{.valid = r.valid};
  const bool by_register = (v.index_addr & addr4::kAddrReg) != 0;
  if (by_register) {
    c.require(register_word_ok(v.index_addr), r.valid, field, "the index register word is malformed", "0xA0000000 + register 0..63");
  } else if (check_place(c, field, v.index_addr, Dtype::uint32, as_index)) {
    check_start(c, field, locate(v.index_addr, c.generation), channels);
  }
  if ((v.data_addr & ~kAddressMask) != 0) {
    c.fail(r.valid, field, "the data word of a gather has marker bits", "bits 29..31 zero");
  } else if (check_place(c, field, v.data_addr, dtype, r)) {
    const Location data = locate(v.data_addr, c.generation), index = locate(v.index_addr, c.generation);
    check_start(c, field, data, channels);
    if (!by_register && data.space == Space::sbuf &&
        !(index.space == Space::sbuf && index.partition % kQuadrantPartitions == 0 && data.partition == index.partition))
      c.fail(r.quadrant, field, fmt::format("indices at {} partition {}, data at SBUF partition {}", space_name(index.space), index.partition, data.partition));
  }
}

void check_shape_register(const Context& c, std::string_view field, const TensorView& t, Rule valid) {
  if (c.generation == Generation::sunda) c.fail(valid, field, "sunda has no shape registers", "a shape in the descriptor");
  if ((t.step[0] & 0xFF) >= static_cast<int>(kAddressRegisters)) c.fail(Rule::shape_register, field, fmt::format("shape register {}", t.step[0] & 0xFF), "0..63");
  if (std::any_of(t.num.begin(), t.num.begin() + t.dims, [](std::uint16_t n) { return n != 0; })) c.warn(Rule::shape_register, field, "counts are ignored", "0");
}

bool tensor_is_indirect(const Context& c, std::string_view field) {
  return c.v4() && holds_indirect(c.bundle, *c.format.find(field));
}

}  // namespace

void check_tensor(const Context& c, std::string_view field, Dtype dtype, unsigned channels, const OperandRules& given) {
  const Field& row = *c.format.find(field);
  const TensorView t = get_tensor(c.bundle, row);
  if (given.mem_pattern && tensor_is_indirect(c, field)) return check_indirect(c, field, dtype, channels, given);
  const std::uint32_t marker = t.addr >> 29;
  if ((marker & 1) != 0) {
    c.fail(given.valid, field, (marker & 2) != 0 ? "bits 29 and 30 are both set" : "a gather is not possible here", "markers 0x00, 0x40, 0x80, 0xC0");
    return;
  }
  const bool shape_register = (t.addr & addr4::kShapeReg) != 0;
  if (shape_register) {
    check_shape_register(c, field, t, given.valid);
  } else {
    for (unsigned d = 0; d < t.dims; ++d)
      if (t.num[d] == 0) c.fail(given.valid, field, fmt::format("the count of dimension {} is 0", d), "1..65535");
  }
  if ((t.addr & addr4::kAddrReg) != 0) {
    c.require(register_word_ok(t.addr), given.valid, field, "the register word is malformed", "marker byte, two zero bytes, register 0..63");
    return;
  }
  if (shape_register && (t.addr & (1u << 28)) != 0) c.fail(given.valid, field, "bit 28 must be clear with the shape from a register");
  if (!check_place(c, field, t.addr, dtype, given)) return;
  check_start(c, field, locate(t.addr, c.generation), channels);
  if (!shape_register) check_bounds(c, field, t, dtype);
}

Count element_count(const Context& c, std::string_view field) {
  const Field& row = *c.format.find(field);
  const TensorView t = get_tensor(c.bundle, row);
  if (c.generation != Generation::sunda && addr4::count_unknown(t.addr)) return {false, 0};
  if (tensor_is_indirect(c, field)) return {true, get_indirect(c.bundle, row).count};
  std::uint64_t n = 1;
  for (unsigned d = 0; d < t.dims; ++d) n *= t.num[d];
  return {true, n};
}

void check_counts(const Context& c, Rule rule, std::string_view src, std::string_view dst, bool fewer) {
  const Count a = element_count(c, src), b = element_count(c, dst);
  if (!a.known || !b.known || a.value == b.value || (fewer && b.value < a.value)) return;
  c.fail(rule, dst, fmt::format("{} elements against {} of {}", b.value, a.value, src), fmt::format("{}{} elements", fewer ? "at most " : "", a.value));
}

void check_pointer(const Context& c, Rule rule, std::string_view field, std::uint32_t pointer, unsigned alignment, unsigned channels) {
  if ((pointer & ~kAddressMask) != 0) {
    c.fail(rule, field, "a pointer has no marker bits", "bits 29..31 zero");
    return;
  }
  const Location at = locate(pointer, c.generation);
  if (alignment != 0 && pointer % alignment != 0) c.fail(rule, field, fmt::format("pointer 0x{:x}", pointer), fmt::format("a multiple of {}", alignment));
  if (at.space == Space::off_chip || !at.active) {
    c.fail(rule, field, fmt::format("pointer 0x{:x} has no storage on {}", pointer, generation_name(c.generation)));
  } else if (channels >= 1 && channels <= kPartitions && !start_allowed(at, channels)) {
    c.fail(rule, field, fmt::format("pointer at {} partition {}", space_name(at.space), at.partition), starts_for(channels));
  }
}

void check_register(const Context& c, Rule rule, std::string_view field, std::uint64_t word) {
  c.require(word < kAddressRegisters, rule, field, "is_valid_imm_reg", "register 0..63, other bytes zero");
}

void check_immediate(const Context& c, Rule rule, std::string_view field, ImmSrc source, std::uint32_t bits, unsigned alignment, unsigned channels) {
  if (source == ImmSrc::POINTER_IMMEDIATE) check_pointer(c, rule, field, bits, alignment, channels);
  if (source == ImmSrc::REG_PTR_IMMEDIATE) check_register(c, rule, field, bits);
}

}  // namespace act::rules
