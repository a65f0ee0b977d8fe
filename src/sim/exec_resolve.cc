// Operands: from descriptor and registers to a checked walk (01 sections 3, 4 and 8.5).
#include <fmt/format.h>

#include <limits>

#include "act/sim/exec.h"
#include "walk.h"

namespace act::sim {
namespace {

std::string hex(std::uint64_t v) { return fmt::format("{:#x}", v); }

// Allowed first partitions by channel count (D-11).
bool start_allowed(unsigned partition, unsigned channels) {
  if (channels <= 32) return partition % 32 == 0;
  return channels <= 64 ? partition == 0 || partition == 64 : partition == 0;
}

// D-50.
bool narrow_psum_write_allowed(std::uint8_t opcode) {
  const auto op = static_cast<Opcode>(opcode);
  return op == Opcode::ACTIVATE_QUANTIZE || op == Opcode::ACTIVATION_READ_ACCUMULATOR || op == Opcode::DVE_READ_ACCUMULATOR;
}

}  // namespace

std::string Exec::place_text(Space space, unsigned partition, std::int64_t offset) const {
  if (space == Space::off_chip) return "off-chip";
  std::string text = fmt::format("{} partition {} offset {}", space_name(space), partition,
                                 offset < 0 ? fmt::format("-{:#x}", -offset) : hex(static_cast<std::uint64_t>(offset)));
  if (space == Space::psum && offset >= 0 && offset < kPsumActive) text += fmt::format(" (bank {})", offset / kPsumBankBytes);
  return text;
}

std::uint32_t Exec::register_value(unsigned number, std::string_view field) {
  if (number >= kAddressRegisters) {
    fail(Code::bad_value, "register number is beyond the 64 address registers", field, std::to_string(number));
    return 0;
  }
  if (!machine.registers[number]) {
    fail(Code::register_not_set, fmt::format("register {} is read and has no value", number), field);
    return 0;
  }
  return *machine.registers[number];
}

// Sets space, partition and offset from an address word of the plain forms.
bool Exec::place(std::uint32_t word, Operand& o) {
  const bool from_register = (word & addr4::kAddrReg) != 0;
  std::uint32_t address = word & kAddressMask;
  if (from_register) {
    address = register_value(addr4::regnum(word), o.name) & kAddressMask;
    if (failed_) return false;
  }
  const Location at = machine.memory.locate(address);
  o.space = at.space;
  o.partition = at.partition;
  o.offset = at.offset;
  return check_placement(o, address);
}

// Run-time form of the placement rules, which the checker cannot apply to register forms.
bool Exec::check_placement(const Operand& o, std::uint32_t address) {
  if (o.space == Space::off_chip) {
    fail(Code::out_of_bounds, "address is neither in SBUF nor in PSUM", o.name, hex(address));
    return false;
  }
  const unsigned alignment = dtype_row(o.dtype).alignment;
  if (alignment == 0 || address % alignment != 0) {
    fail(Code::misplaced_operand, fmt::format("address is not aligned to {}", dtype_name(o.dtype)), o.name, hex(address));
    return false;
  }
  if (o.offset >= active_bytes(o.space, generation())) {
    fail(Code::out_of_bounds, "no storage at " + place_text(o.space, o.partition, o.offset), o.name, hex(address));
    return false;
  }
  if (o.writes && o.space == Space::psum && o.bytes != 4 && !narrow_psum_write_allowed(opcode_)) {
    fail(Code::misplaced_operand, fmt::format("{} is written to PSUM, which takes 4-byte types", dtype_name(o.dtype)), o.name, hex(address));
    return false;
  }
  if (!start_allowed(o.partition, o.channels)) {
    fail(Code::misplaced_operand, fmt::format("{} channels cannot start at partition {}", o.channels, o.partition), o.name,
         hex(address));
    return false;
  }
  return true;
}

// Neighbouring dimensions that continue each other become one; those of count 1 go.
void Exec::join_dimensions(Operand& o, const TensorView& shape) {
  o.dims = 0;
  o.count = 1;
  for (unsigned d = 0; d < shape.dims; ++d) {
    const std::uint32_t n = shape.num[d];
    const std::int64_t step = std::int64_t{shape.step[d]} * o.bytes;
    o.written_num[d] = n;
    o.written_step[d] = shape.step[d];
    o.count *= n;
    if (n == 1) continue;
    const unsigned last = o.dims - 1;
    const bool joins = o.dims > 0 && step == o.step[last] * o.num[last] &&
                       std::uint64_t{o.num[last]} * n <= std::numeric_limits<std::uint32_t>::max();
    if (joins) {
      o.num[last] *= n;
      continue;
    }
    o.step[o.dims] = step;
    o.num[o.dims] = n;
    ++o.dims;
  }
  o.written_dims = shape.dims;
  if (o.dims == 0) {
    o.dims = 1;
    o.step[0] = o.bytes;
    o.num[0] = 1;
  }
}

// Every element must lie inside the active bytes of its partition (D-14); says which one does not.
namespace {

// The first element, in the order of the walk, that reaches beyond bytes [0, active) of the partition. Precondition: there is
// one. From the outermost dimension inwards: of its steps, which move evenly, the first whose elements do not all lie inside.
std::uint64_t first_outside(const Operand& o, std::int64_t active) {
  std::uint64_t k = 0;
  std::int64_t base = o.offset;
  for (unsigned d = o.dims; d-- > 0;) {
    std::uint64_t inner = 1;  // elements of one step
    std::int64_t low = base, high = base + o.bytes;
    for (unsigned e = 0; e < d; ++e) {
      inner *= o.num[e];
      const std::int64_t reach = o.step[e] * (std::int64_t{o.num[e]} - 1);
      (reach < 0 ? low : high) += reach;
    }
    std::int64_t i = 0;
    if (low >= 0 && high <= active && o.step[d] > 0) i = (active - high) / o.step[d] + 1;
    if (low >= 0 && high <= active && o.step[d] < 0) i = low / -o.step[d] + 1;
    k += static_cast<std::uint64_t>(i) * inner;
    base += i * o.step[d];
  }
  return k;
}

}  // namespace

bool Exec::check_bounds(Operand& o) {
  std::int64_t low = o.offset, high = std::int64_t{o.offset} + o.bytes;
  for (unsigned d = 0; d < o.dims; ++d) {
    const std::int64_t reach = o.step[d] * (std::int64_t{o.num[d]} - 1);
    (reach < 0 ? low : high) += reach;
  }
  o.low = low;
  o.high = high;
  const std::int64_t active = active_bytes(o.space, generation());
  if (low < 0 || high > active) {
    const std::uint64_t k = first_outside(o, active);
    const std::int64_t at = element_offset(o, k);
    fail(Code::out_of_bounds,
         fmt::format("channel 0, element {} leaves its partition: {} of {} bytes", k, place_text(o.space, o.partition, at), active),
         o.name, hex(machine.memory.address(o.space, o.partition, 0) + static_cast<std::uint64_t>(at)));
    return false;
  }
  if (o.partition + o.channels > kPartitions) {
    fail(Code::out_of_bounds, fmt::format("channel {} is beyond partition {}", kPartitions - o.partition, kPartitions - 1), o.name);
    return false;
  }
  return true;
}

// D-17: an index vector of UINT32 per channel, packed; the data address has plain form.
bool Exec::resolve_indirect(const Descriptor& d, Operand& o) {
  const TensorView& t = d.t;
  const auto low_half = [](std::int16_t v) { return std::uint32_t{static_cast<std::uint16_t>(v)}; };
  const std::uint32_t data_word = low_half(t.step[0]) | low_half(t.step[1]) << 16;
  o.count = static_cast<std::uint16_t>(t.step[2]);
  if (o.count == 0) {
    fail(Code::bad_value, "a gather of no elements", o.name, "count = 0");
    return false;
  }
  Operand index = o;
  index.dtype = Dtype::uint32;
  index.bytes = 4;
  index.dims = 1;
  index.step[0] = 4;
  index.num[0] = static_cast<std::uint32_t>(o.count);
  if (!place(t.addr & ~addr4::kIndirect, index) || !check_bounds(index) || !place(data_word & kAddressMask, o)) return false;
  o.indirect = true;
  o.index_space = index.space;
  o.index_partition = index.partition;
  o.index_offset = index.offset;
  o.dims = 1;
  o.num[0] = static_cast<std::uint32_t>(o.count);
  o.step[0] = o.bytes;
  o.written_dims = 1;
  o.written_num[0] = o.num[0];
  o.low = 0;  // data-dependent; elements are checked when they are reached
  o.high = active_bytes(o.space, generation());
  return true;
}

Operand Exec::resolve(const Descriptor& d, Dtype dtype, std::string_view name, unsigned channels, bool writes, bool union_field) {
  Operand o;
  if (failed_) return o;
  o.name = name;
  o.dtype = dtype;
  o.channels = channels;
  o.writes = writes;
  const DtypeRow& row = dtype_row(dtype);
  if (row.bits < 8 || row.role == DtypeRole::scale_only || row.role == DtypeRole::transport_only) {
    fail(Code::bad_value, "no element of this type can be read or written", name, std::string(dtype_name(dtype)));
    return o;
  }
  if (channels == 0 || channels > kPartitions) {
    fail(Code::bad_value, "number of channels is not 1..128", "num_active_channels", std::to_string(channels));
    return o;
  }
  o.bytes = row.bits / 8;
  const std::uint32_t word = d.t.addr;
  const bool both_markers = (word & addr4::kIndirect) != 0 && (word & addr4::kShapeReg) != 0;
  const bool indirect = !both_markers && addr4::is_indirect(word);
  if (both_markers || (indirect && (!union_field || generation() < Generation::mariana || d.t.dims < 3))) {
    fail(Code::bad_value, "address form that this field does not have", name, hex(word));
    o.bytes = 0;
    return o;
  }
  bool ok = true;
  if (indirect) {
    ok = resolve_indirect(d, o);
  } else {
    TensorView shape = d.t;
    if ((word & addr4::kShapeReg) != 0) {
      const unsigned number = static_cast<std::uint16_t>(d.t.step[0]) & 0xFF;
      if (generation() == Generation::sunda || number >= kAddressRegisters || !machine.shape_registers[number]) {
        fail(Code::register_not_set, fmt::format("shape register {} is read and has no value", number), name, hex(word));
        o.bytes = 0;
        return o;
      }
      shape = *machine.shape_registers[number];
    }
    for (unsigned i = 0; i < shape.dims; ++i)
      if (shape.num[i] == 0) {
        fail(Code::bad_value, fmt::format("dimension {} has no elements", i), name, "num = 0");
        ok = false;
      }
    if (ok) {
      join_dimensions(o, shape);
      ok = place(word & ~addr4::kShapeReg, o) && check_bounds(o);
    }
  }
  if (ok && o.count > limits_.elements / channels) {
    fail(Code::too_large, fmt::format("an operand of {} elements in {} channels is beyond the limit of {}", o.count, channels, limits_.elements), name);
    ok = false;
  }
  if (!ok) {
    o.bytes = 0;
    return o;
  }
  operands_.push_back(o);
  if (watcher_) watcher_(o);
  return o;
}

// --- scalars -------------------------------------------------------------------------------------------------

std::uint32_t Exec::pointer_of(std::uint32_t field, ImmSrc source, std::string_view name) {
  return (source == ImmSrc::REG_PTR_IMMEDIATE ? register_value(field & 0xFF, name) : field) & kAddressMask;
}

// Calls fetch(channel, pattern) with the element of each channel.
template <class Fetch>
void Exec::fetch_per_channel(std::uint32_t pointer, Dtype dtype, std::string_view name, unsigned channels, Fetch&& fetch) {
  if (failed_) return;
  TensorN<1> one;
  one.addr = pointer;
  one.step[0] = 1;
  one.num[0] = 1;
  const Operand o = source(one, dtype, name, channels);
  if (!o.valid() || !plan_reads({&o})) return;
  for (unsigned c = 0; c < channels; ++c) {
    std::uint64_t bits = 0;
    read_bits(o, {c, 0, 1}, &bits);
    fetch(c, bits);
  }
}

Scalar Exec::scalar(Immediate field, ImmSrc source, Dtype dtype, std::string_view name, unsigned channels) {
  Scalar s;
  if (source == ImmSrc::INSTRUCTION_IMMEDIATE) {
    s.value = f32(field.bits);
    return s;
  }
  s.uniform = false;
  const NumericPolicy policy = policies().numeric();
  fetch_per_channel(pointer_of(field.bits, source, name), dtype, name, channels,
                    [&](unsigned c, std::uint64_t bits) { s.values[c] = widen(dtype, bits, policy); });
  return s;
}

ScalarBits Exec::scalar_bits(Immediate field, ImmSrc source, Dtype dtype, std::string_view name, unsigned channels) {
  return scalar_bits(Immediate64{field.bits}, source, dtype, name, channels);
}

ScalarBits Exec::scalar_bits(Immediate64 field, ImmSrc source, Dtype dtype, std::string_view name, unsigned channels) {
  ScalarBits s;
  if (source == ImmSrc::INSTRUCTION_IMMEDIATE) {
    s.value = field.bits & element_mask(dtype);
    return s;
  }
  s.uniform = false;
  fetch_per_channel(pointer_of(static_cast<std::uint32_t>(field.bits), source, name), dtype, name, channels,
                    [&](unsigned c, std::uint64_t bits) { s.values[c] = bits; });
  return s;
}

}  // namespace act::sim
