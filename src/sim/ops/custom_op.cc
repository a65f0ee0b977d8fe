// 0x85 CustomOpHeader with its 0x86 payloads: a registered function of the user is called with its tensors and scratch
// space (01 appendix A, D-55). Outputs come before inputs; num_arguments counts the inputs.
#include "act/sim/custom_op.h"

#include <fmt/format.h>

#include <cstring>

#include "ops.h"

namespace act::sim::ops {
namespace {

constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 26;

template <class T>
T field(const ByteArray<48>& record, unsigned at) {
  T value;
  std::memcpy(&value, record.data() + at, sizeof value);
  return value;
}

// Byte range of one element of a tensor in SBUF: blocks of num_elem_per_block elements (the whole share of a partition when
// it is 0) go to the partitions in turn.
Location element_place(const Exec& x, const CustomTensor& t, std::uint64_t k) {
  const std::uint64_t parts = t.num_partitions;
  const std::uint64_t per = t.num_elem_per_block != 0 ? t.num_elem_per_block : (t.num_elem + parts - 1) / parts;
  const std::uint64_t block = k / per;
  Location at = x.machine.memory.locate(static_cast<std::uint32_t>(t.address));
  at.partition += static_cast<unsigned>(block % parts);
  at.offset += static_cast<std::uint32_t>((block / parts * per + k % per) * dtype_bytes(t.dtype));
  at.active = at.space != Space::off_chip && at.partition < kPartitions && at.offset + dtype_bytes(t.dtype) <= active_bytes(at.space, x.generation());
  return at;
}

// Moves the elements between memory and `t.elements`; false after a failure.
bool transfer(Exec& x, CustomTensor& t, bool store) {
  const unsigned bytes = dtype_bytes(t.dtype);
  std::uint8_t raw[8] = {};
  if (!store) t.elements.assign(t.num_elem, 0);
  for (std::uint64_t k = 0; k < t.num_elem; ++k) {
    const std::span<std::uint8_t> element(raw, bytes);
    if (store) std::memcpy(raw, &t.elements[k], bytes);
    if (t.location == CustomTensor::Location::hbm) {
      const std::uint64_t address = t.address + k * bytes;
      if (store) x.machine.hbm.write(address, element);
      if (!store && !x.machine.hbm.read(address, element)) x.warn(Code::undefined_read, fmt::format("device memory at 0x{:x} was never written", address), "arg");
    } else {
      const Location at = element_place(x, t, k);
      if (!at.active) {
        x.fail(Code::out_of_bounds, fmt::format("element {} of a custom-operation tensor has no storage", k), "arg");
        return false;
      }
      if (store) x.machine.memory.write(at, element);
      if (!store && !x.machine.memory.store(at.space).defined(at.partition, at.offset, bytes)) x.warn(Code::undefined_read, fmt::format("element {} was never written", k), "arg");
      if (!store) x.machine.memory.read(at, element);
    }
    if (!store) std::memcpy(&t.elements[k], raw, bytes);
  }
  return true;
}

// Shape by framework_shape_type: eight u16 in the record, a u32 address of eight u32 in device memory, or four u32.
void read_shape(Exec& x, const ByteArray<48>& record, CustomTensor& t) {
  constexpr unsigned kShape = 8;
  switch (record[1]) {
    case 0:
      for (unsigned d = 0; d < 8; ++d) t.shape.push_back(field<std::uint16_t>(record, kShape + 2 * d));
      return;
    case 1: {
      std::uint8_t raw[32] = {};
      if (!x.machine.hbm.read(field<std::uint32_t>(record, kShape), raw)) x.warn(Code::undefined_read, "the out-of-line shape was never written", "arg");
      for (unsigned d = 0; d < 8; ++d) {
        std::uint32_t extent;
        std::memcpy(&extent, raw + 4 * d, 4);
        t.shape.push_back(extent);
      }
      return;
    }
    case 2:
      for (unsigned d = 0; d < 4; ++d) t.shape.push_back(field<std::uint32_t>(record, kShape + 4 * d));
      return;
    default: x.fail(Code::bad_value, "no such kind of shape", "arg", std::to_string(record[1]));
  }
}

CustomTensor read_tensor(Exec& x, const ByteArray<48>& record) {
  constexpr unsigned kStorage = 24;
  CustomTensor t;
  t.dtype = static_cast<Dtype>(record[2]);
  read_shape(x, record, t);
  if (record[0] == 1) {
    t.address = field<std::uint32_t>(record, kStorage);
    t.num_elem = field<std::uint32_t>(record, kStorage + 4);
    t.num_partitions = record[kStorage + 8];
    t.num_elem_per_block = field<std::uint32_t>(record, kStorage + 12);
    if (t.num_partitions == 0) x.fail(Code::bad_value, "a tensor in no partition", "arg");
  } else if (record[0] == 2) {
    t.location = CustomTensor::Location::hbm;
    t.address = field<std::uint64_t>(record, kStorage);
    t.num_elem = field<std::uint32_t>(record, kStorage + 8);
  } else {
    x.fail(Code::bad_value, "a tensor is in SBUF (1) or HBM (2)", "arg", std::to_string(record[0]));
  }
  if (dtype_bytes(t.dtype) == 0) x.fail(Code::bad_value, "elements of whole bytes are needed", "arg");
  if (t.num_elem > kMaxElements) x.fail(Code::too_large, fmt::format("more than {} elements", kMaxElements), "arg", std::to_string(t.num_elem));
  if (!x.failed()) transfer(x, t, false);
  return t;
}

// One argument, and how many payloads it takes: a tensor, or an array record with its tensors behind it.
std::size_t read_argument(Exec& x, std::span<const Bundle> payloads, std::vector<CustomTensor>& argument) {
  const auto first = decode_as<CustomOpPayload>(payloads[0]);
  if (first.arg_type == CustomOpArgType::TENSOR) {
    argument.push_back(read_tensor(x, first.arg));
    return 1;
  }
  if (first.arg_type != CustomOpArgType::ARRAY_OF_TENSOR) {
    x.fail(Code::bad_value, "an argument is a tensor or an array of tensors", "arg_type");
    return 1;
  }
  const std::uint32_t count = field<std::uint32_t>(first.arg, 0);
  if (count >= payloads.size()) {
    x.fail(Code::bad_value, fmt::format("the array has {} tensors, {} payloads follow", count, payloads.size() - 1), "arg");
    return 1;
  }
  for (std::uint32_t k = 1; k <= count && !x.failed(); ++k) argument.push_back(read_tensor(x, decode_as<CustomOpPayload>(payloads[k]).arg));
  return count + 1;
}

}  // namespace

void custom_op(Exec& x, const CustomOpHeader& i) {
  const std::span<const Bundle> rest = x.following();
  for (std::size_t k = 0; k < i.num_payloads; ++k)
    if (k >= rest.size() || rest[k].opcode() != static_cast<std::uint8_t>(Opcode::CUSTOM_OP_PAYLOAD))
      return x.fail(Code::bad_value, fmt::format("payload {} of {} is missing", k + 1, i.num_payloads), "num_payloads");
  x.consume(i.num_payloads);
  const auto op = x.machine.custom_ops.find(i.function_id);
  if (op == x.machine.custom_ops.end()) return x.fail(Code::unknown_custom_op, "no custom operation is registered under this number", "function_id", std::to_string(i.function_id));

  CustomCall call{x.machine, i.function_id, {}, 0, 0, 0, 0};
  const std::span<const Bundle> payloads = rest.first(i.num_payloads);
  for (std::size_t k = 0; k < payloads.size() && !x.failed();) k += read_argument(x, payloads.subspan(k), call.arguments.emplace_back());
  if (x.failed()) return;
  if (i.num_arguments > call.arguments.size()) return x.fail(Code::bad_value, "more inputs than arguments", "num_arguments", std::to_string(i.num_arguments));
  call.outputs = static_cast<unsigned>(call.arguments.size() - i.num_arguments);
  if (i.has_scratch_space != 0) {
    call.scratch_addr = i.scratch_space_addr;
    call.scratch_bytes = i.scratch_space_size;
    call.scratch_partitions = i.scratch_space_num_partitions;
  }
  if (const Status done = op->second(call); !done) return x.fail(done.error()[0].code, done.error()[0].message, "function_id", std::to_string(i.function_id));
  for (unsigned k = 0; k < call.outputs; ++k)
    for (CustomTensor& t : call.arguments[k]) {
      t.elements.resize(t.num_elem);
      if (!transfer(x, t, true)) return;
    }
}

void custom_op_payload(Exec& x, const CustomOpPayload&) { x.fail(Code::bad_value, "a payload without its header", "opcode"); }

}  // namespace act::sim::ops
