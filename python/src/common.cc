#include "common.h"

#include <fmt/format.h>

#include "act/rows/check.h"

namespace act::python {

Failure bad_argument(Code code, std::string field, std::string value, std::string allowed, std::string message) {
  Diagnostic d = make_error(code, std::move(message));
  d.field = std::move(field);
  d.value = std::move(value);
  d.allowed = std::move(allowed);
  return Failure(std::move(d));
}

Generation generation_of(std::string_view name) {
  if (const auto g = find_generation(name)) return *g;
  std::string names;
  for (const GenerationRow& row : kGenerationRows) names += (names.empty() ? "" : ", ") + std::string(row.name);
  throw bad_argument(Code::unknown_name, "gen", std::string(name), names, "no such generation");
}

Dtype dtype_of(std::string_view name) {
  if (const DtypeRow* row = find_dtype(name)) return row->dtype;
  throw bad_argument(Code::unknown_name, "dtype", std::string(name), allowed_values(Field{.name = "dtype", .choices = &kDtypeTable}), "no such data type");
}

Engine engine_of(std::string_view name) {
  for (const Engine e : {Engine::PE, Engine::ACT, Engine::POOL, Engine::DVE, Engine::SP})
    if (numeric_detail::same_name(engine_name(e), name)) return e;
  throw bad_argument(Code::unknown_name, "engine", std::string(name), "PE, ACT, POOL, DVE, SP", "no such engine");
}

py::object to_python(const Json& value) {
  switch (value.type()) {
    case Json::value_t::object: {
      py::dict d;
      for (const auto& [key, item] : value.items()) d[py::str(key)] = to_python(item);
      return d;
    }
    case Json::value_t::array: {
      py::list l;
      for (const Json& item : value) l.append(to_python(item));
      return l;
    }
    case Json::value_t::string: {
      const std::string& s = value.get_ref<const std::string&>();
      return py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(s.data(), static_cast<py::ssize_t>(s.size()), "replace"));
    }
    case Json::value_t::boolean: return py::bool_(value.get<bool>());
    case Json::value_t::number_integer: return py::int_(value.get<std::int64_t>());
    case Json::value_t::number_unsigned: return py::int_(value.get<std::uint64_t>());
    case Json::value_t::number_float: return py::float_(value.get<double>());
    default: return py::none();
  }
}

namespace {

constexpr int kMaxDepth = 64;

Json integer_from_python(py::handle value) {
  int overflow = 0;
  const long long n = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
  if (overflow == 0) return n >= 0 ? Json(static_cast<std::uint64_t>(n)) : Json(static_cast<std::int64_t>(n));
  const unsigned long long u = PyLong_AsUnsignedLongLong(value.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw bad_argument(Code::bad_value, "", py::str(value), "-2^63..2^64-1", "the number does not fit");
  }
  return Json(static_cast<std::uint64_t>(u));
}

Json from_python_at(py::handle value, int depth) {
  if (depth > kMaxDepth) throw bad_argument(Code::json_syntax, "", "", fmt::format("{} levels", kMaxDepth), "nested too deeply");
  if (value.is_none()) return nullptr;
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>();
  if (PyIndex_Check(value.ptr()) != 0) return integer_from_python(py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr())));
  if (py::isinstance<py::float_>(value)) return value.cast<double>();
  if (py::isinstance<py::str>(value)) return value.cast<std::string>();
  if (py::isinstance<py::dict>(value)) {
    Json object = Json::object();
    for (const auto& [key, item] : py::reinterpret_borrow<py::dict>(value)) object[py::str(key).cast<std::string>()] = from_python_at(item, depth + 1);
    return object;
  }
  if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value)) {
    Json array = Json::array();
    for (const py::handle item : value) array.push_back(from_python_at(item, depth + 1));
    return array;
  }
  throw bad_argument(Code::json_type, "", py::str(py::type::handle_of(value)), "dict, list, str, int, float, bool, None", "a value of this type is not understood");
}

}  // namespace

Json from_python(py::handle value) { return from_python_at(value, 0); }

Bytes bytes_of(const py::buffer& buffer) {
  Py_buffer view;
  if (PyObject_GetBuffer(buffer.ptr(), &view, PyBUF_FULL_RO) != 0) throw py::error_already_set();
  Bytes bytes(static_cast<std::size_t>(view.len));
  const int failed = PyBuffer_ToContiguous(bytes.data(), &view, view.len, 'C');
  PyBuffer_Release(&view);
  if (failed != 0) throw py::error_already_set();
  return bytes;
}

py::bytes to_bytes(std::span<const std::uint8_t> bytes) { return py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size()); }

std::vector<Bundle> bundles_of(const py::buffer& buffer) {
  const Bytes bytes = bytes_of(buffer);
  if (bytes.size() % kBundleBytes != 0) throw bad_argument(Code::bad_size, "", fmt::format("{} bytes", bytes.size()), "a multiple of 64 bytes", "a stream of instructions is a multiple of 64 bytes long");
  std::vector<Bundle> bundles(bytes.size() / kBundleBytes);
  if (!bytes.empty()) std::memcpy(bundles.data(), bytes.data(), bytes.size());
  return bundles;
}

py::array to_array(NpyArray array) {
  const char kind = array.type.kind == 'V' ? 'u' : array.type.kind;
  std::vector<py::ssize_t> shape(array.shape.begin(), array.shape.end());
  auto owner = std::make_unique<Bytes>(std::move(array.data));
  void* data = owner->data();
  const py::capsule base(owner.get(), [](void* p) { delete static_cast<Bytes*>(p); });
  owner.release();
  return py::array(py::dtype(fmt::format("<{}{}", kind, array.type.bytes)), shape, data, base);
}

NpyArray from_array(const py::array& array) {
  const py::dtype dtype = array.dtype();
  const char kind = dtype.kind();
  if (std::string_view("biufV").find(kind) == std::string_view::npos || dtype.attr("fields").is_none() == false)
    throw bad_argument(Code::bad_binding, "dtype", py::repr(dtype), "bool, integers, floats, opaque bytes", "arrays of this data type are not supported");
  const auto ascontiguous = py::module_::import("numpy").attr("ascontiguousarray");
  const py::array c = kind == 'V' ? ascontiguous(array) : ascontiguous(array, dtype.attr("newbyteorder")("<"));
  NpyArray out{{kind, static_cast<unsigned>(dtype.itemsize())}, {}, Bytes(static_cast<std::size_t>(c.nbytes()))};
  out.shape.assign(array.shape(), array.shape() + array.ndim());
  if (!out.data.empty()) std::memcpy(out.data.data(), c.data(), out.data.size());
  return out;
}

}  // namespace act::python
