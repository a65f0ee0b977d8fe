#include "tensor_io.h"

#include <fmt/format.h>

#include "act/numeric/convert.h"

namespace act::sim {
namespace {

Diagnostic fault(const TensorBinding& tensor, std::string message) {
  Diagnostic d = make_error(Code::bad_binding, std::move(message));
  d.field = tensor.name;
  d.where.line = tensor.line;
  return d;
}

std::uint64_t per_channel(const TensorBinding& tensor) {
  std::uint64_t n = 1;
  for (std::size_t d = 1; d < tensor.shape.size(); ++d) n *= tensor.shape[d];
  return n;
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  std::string text;
  for (std::uint64_t n : shape) text += fmt::format("{}{}", text.empty() ? "(" : ", ", n);
  return text.empty() ? "()" : text + ")";
}

// The array type in which elements of a dtype are stored.
NpyType stored_type(Dtype t) {
  const DtypeRow& row = dtype_row(t);
  const unsigned bytes = row.bits / 8;
  if (row.kind == DtypeKind::floating && (bytes == 4 || t == Dtype::fp16)) return {'f', bytes};
  return {row.kind == DtypeKind::signed_integer ? 'i' : 'u', bytes};
}

bool is_float(Dtype t) { return dtype_row(t).kind == DtypeKind::floating; }

// Element i of a floating array as FP32, by one rounding.
float float_element(const NpyArray& a, std::uint64_t i) {
  const std::uint64_t bits = a.bits(i);
  if (a.type.bytes == 2) return f32_from_fp16(static_cast<std::uint16_t>(bits));
  if (a.type.bytes == 4) return f32(static_cast<std::uint32_t>(bits));
  return round_to_f32(f64(bits));
}

}  // namespace

TensorExtent extent_of(const Machine& machine, const TensorBinding& tensor) {
  const Location at = machine.memory.locate(tensor.addr);
  const auto bytes = static_cast<std::int64_t>(per_channel(tensor) * dtype_bytes(tensor.dtype));
  return {at.space, at.partition, static_cast<unsigned>(tensor.shape.empty() ? 0 : tensor.shape[0]), at.offset, std::int64_t{at.offset} + bytes};
}

Status check_binding(const Machine& machine, const TensorBinding& tensor) {
  if (dtype_bits(tensor.dtype) < 8 || !has_values(tensor.dtype)) return fault(tensor, fmt::format("{} is no type of a tensor", dtype_name(tensor.dtype)));
  if (tensor.shape.empty() || tensor.shape[0] == 0 || tensor.shape[0] > kPartitions)
    return fault(tensor, "the first dimension runs over 1..128 channels; the shape is " + shape_text(tensor.shape));
  std::uint64_t elements = 1;
  for (std::size_t d = 1; d < tensor.shape.size(); ++d) {
    if (tensor.shape[d] > (std::uint64_t{1} << 24) || elements > (std::uint64_t{1} << 24))
      return fault(tensor, "the shape " + shape_text(tensor.shape) + " is larger than a partition");
    elements *= tensor.shape[d];
  }
  const Location at = machine.memory.locate(tensor.addr);
  if (at.space == Space::off_chip) return fault(tensor, fmt::format("address {:#x} is neither in SBUF nor in PSUM", tensor.addr));
  const TensorExtent e = extent_of(machine, tensor);
  if (!at.active || e.high > active_bytes(at.space, machine.generation()) || e.partition + e.channels > kPartitions)
    return fault(tensor, fmt::format("{} channels of {} bytes at {:#x} do not fit in {}", e.channels, e.high - e.low, tensor.addr, space_name(at.space)));
  return Done{};
}

Status load_tensor(Machine& machine, const TensorBinding& tensor, const NpyArray& array) {
  if (Status ok = check_binding(machine, tensor); !ok) return ok;
  const std::uint64_t row = per_channel(tensor);
  const bool rows_fit = tensor.shape[0] == 1 || (!array.shape.empty() && array.shape[0] == tensor.shape[0]);
  if (array.count() != row * tensor.shape[0] || !rows_fit)
    return fault(tensor, fmt::format("an array of shape {} does not fill a tensor of shape {}, a row a channel", shape_text(array.shape), shape_text(tensor.shape)));
  const unsigned bytes = dtype_bytes(tensor.dtype);
  const NpyType stored = stored_type(tensor.dtype);
  const bool raw_codes = is_float(tensor.dtype) && array.type.bytes == bytes && (array.type.kind == 'u' || array.type.kind == 'V');
  const bool same = array.type == stored || raw_codes || (array.type.kind == 'b' && tensor.dtype == Dtype::uint8);
  const bool rounded = !same && is_float(tensor.dtype) && array.type.kind == 'f';
  if (!same && !rounded) {
    return fault(tensor, fmt::format("an array of type {} cannot be a tensor of {}", array.type.name(), dtype_name(tensor.dtype)));
  }
  Bytes line(row * bytes);
  const NumericPolicy policy = machine.policies().numeric();
  for (std::uint64_t c = 0; c < tensor.shape[0]; ++c) {
    if (same) {
      std::memcpy(line.data(), array.data.data() + c * line.size(), line.size());
    } else {
      for (std::uint64_t k = 0; k < row; ++k) {
        const std::uint64_t code = narrow(tensor.dtype, float_element(array, c * row + k), policy);
        std::memcpy(line.data() + k * bytes, &code, bytes);
      }
    }
    Location at = machine.memory.locate(tensor.addr);
    at.partition += static_cast<unsigned>(c);
    machine.memory.write(at, line);
  }
  return Done{};
}

Result<NpyArray> store_tensor(const Machine& machine, const TensorBinding& tensor) {
  if (Status ok = check_binding(machine, tensor); !ok) return std::move(ok).error();
  NpyArray array;
  array.type = stored_type(tensor.dtype);
  array.shape = tensor.shape;
  const std::size_t line = per_channel(tensor) * dtype_bytes(tensor.dtype);
  array.data.resize(line * tensor.shape[0]);
  for (std::uint64_t c = 0; c < tensor.shape[0]; ++c) {
    Location at = machine.memory.locate(tensor.addr);
    at.partition += static_cast<unsigned>(c);
    machine.memory.read(at, std::span(array.data).subspan(c * line, line));
  }
  return array;
}

std::uint64_t undefined_elements(const Machine& machine, const TensorBinding& tensor) {
  const TensorExtent e = extent_of(machine, tensor);
  const Store& store = machine.memory.store(e.space);
  const unsigned bytes = dtype_bytes(tensor.dtype);
  std::uint64_t missing = 0;
  for (unsigned c = 0; c < e.channels; ++c) {
    if (store.defined(e.partition + c, static_cast<std::uint32_t>(e.low), static_cast<std::size_t>(e.high - e.low))) continue;
    for (std::int64_t at = e.low; at < e.high; at += bytes)
      missing += store.defined(e.partition + c, static_cast<std::uint32_t>(at), bytes) ? 0 : 1;
  }
  return missing;
}

}  // namespace act::sim
