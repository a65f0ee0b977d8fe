// Number formats: rows, conversions of whole arrays, distances in ULP.
#include "act/numeric/convert.h"
#include "act/numeric/ulp.h"
#include "common.h"

namespace act::python {
namespace {

py::dict dtype_row_dict(const DtypeRow& row) {
  py::dict d;
  d["name"] = row.name;
  d["code"] = code_of(row.dtype);
  d["bits"] = row.bits;
  d["alignment"] = row.alignment;
  d["floating"] = row.kind == DtypeKind::floating;
  d["signed_integer"] = row.kind == DtypeKind::signed_integer;
  d["unsigned_integer"] = row.kind == DtypeKind::unsigned_integer;
  d["has_values"] = has_values(row.dtype);
  d["doc"] = row.doc;
  return d;
}

NumericPolicy policy_of(const std::string& fp8_mode, bool saturate) {
  NumericPolicy policy;
  if (fp8_mode != "neuron" && fp8_mode != "ocp") throw bad_argument(Code::unknown_name, "fp8_mode", fp8_mode, "neuron, ocp", "no such mode");
  policy.fp8_mode = fp8_mode == "ocp" ? Fp8Mode::ocp : Fp8Mode::neuron;
  policy.fp_saturate = saturate;
  return policy;
}

Dtype with_values(const std::string& name) {
  const Dtype t = dtype_of(name);
  if (!has_values(t) || dtype_bits(t) < 8) throw bad_argument(Code::bad_value, "dtype", name, "a type of whole bytes that holds numbers", "elements of this type cannot be converted");
  return t;
}

template <class Code>
void widen_all(Dtype t, const void* codes, float* out, std::size_t n, const NumericPolicy& policy) {
  for (std::size_t i = 0; i < n; ++i) {
    Code code;
    std::memcpy(&code, static_cast<const char*>(codes) + i * sizeof code, sizeof code);
    out[i] = widen(t, code, policy);
  }
}

template <class Code>
void narrow_all(Dtype t, const float* in, void* codes, std::size_t n, const NumericPolicy& policy) {
  for (std::size_t i = 0; i < n; ++i) {
    const auto code = static_cast<Code>(narrow(t, in[i], policy));
    std::memcpy(static_cast<char*>(codes) + i * sizeof code, &code, sizeof code);
  }
}

template <class F>
void by_width(unsigned bytes, F&& f) {
  switch (bytes) {
    case 1: return f(std::uint8_t{});
    case 2: return f(std::uint16_t{});
    case 4: return f(std::uint32_t{});
    default: return f(std::uint64_t{});
  }
}

std::vector<py::ssize_t> shape_of(const py::array& a) { return {a.shape(), a.shape() + a.ndim()}; }

py::array widen_array(const py::array& codes, const std::string& name, const std::string& fp8_mode) {
  const Dtype t = with_values(name);
  const unsigned bytes = dtype_bytes(t);
  if (static_cast<unsigned>(codes.itemsize()) != bytes)
    throw bad_argument(Code::bad_value, "codes", py::str(codes.dtype()), std::to_string(bytes) + "-byte elements", "the codes have another size than the data type");
  const py::array c = py::array::ensure(codes, py::array::c_style);
  py::array_t<float> out(shape_of(c));
  const NumericPolicy policy = policy_of(fp8_mode, false);
  const void* in = c.data();
  float* to = out.mutable_data();
  const auto n = static_cast<std::size_t>(c.size());
  py::gil_scoped_release release;
  by_width(bytes, [&](auto code) { widen_all<decltype(code)>(t, in, to, n, policy); });
  return out;
}

py::array narrow_array(const py::array_t<float, py::array::c_style | py::array::forcecast>& values, const std::string& name,
                       const std::string& fp8_mode, bool saturate) {
  const Dtype t = with_values(name);
  const unsigned bytes = dtype_bytes(t);
  py::array out(py::dtype("u" + std::to_string(bytes)), shape_of(values));
  const NumericPolicy policy = policy_of(fp8_mode, saturate);
  const float* in = values.data();
  void* to = out.mutable_data();
  const auto n = static_cast<std::size_t>(values.size());
  py::gil_scoped_release release;
  by_width(bytes, [&](auto code) { narrow_all<decltype(code)>(t, in, to, n, policy); });
  return out;
}

// Distances of same-shaped arrays; infinite where only one side is NaN.
py::array ulp_distances(const py::array_t<float, py::array::c_style | py::array::forcecast>& a,
                        const py::array_t<float, py::array::c_style | py::array::forcecast>& b) {
  if (shape_of(a) != shape_of(b)) throw bad_argument(Code::bad_value, "shape", py::str(a.attr("shape")), py::str(b.attr("shape")), "the arrays have different shapes");
  py::array_t<double> out(shape_of(a));
  const float* x = a.data();
  const float* y = b.data();
  double* to = out.mutable_data();
  const auto n = static_cast<std::size_t>(a.size());
  py::gil_scoped_release release;
  for (std::size_t i = 0; i < n; ++i)
    to[i] = is_nan(x[i]) != is_nan(y[i]) ? std::numeric_limits<double>::infinity() : static_cast<double>(ulp_distance(x[i], y[i]));
  return out;
}

}  // namespace

void bind_numeric(py::module_& m) {
  m.def("dtype_row", [](const std::string& name) { return dtype_row_dict(dtype_row(dtype_of(name))); }, py::arg("dtype"));
  m.def("dtypes", [] {
    py::list rows;
    for (const DtypeRow& row : kDtypeRows) rows.append(dtype_row_dict(row));
    return rows;
  });
  m.def("widen", &widen_array, py::arg("codes"), py::arg("dtype"), py::arg("fp8_mode") = "neuron",
        "float32 values of the raw codes of a data type; same shape. Errors: unknown-name, bad-value.");
  m.def("narrow", &narrow_array, py::arg("values"), py::arg("dtype"), py::arg("fp8_mode") = "neuron", py::arg("saturate") = false,
        "Raw codes (unsigned integers) of float32 values rounded to nearest even, integers saturating; same shape.");
  m.def("ulp_distance", &ulp_distances, py::arg("a"), py::arg("b"), "Steps between float32 values as float64; inf where only one is NaN, 0 where both are.");
}

}  // namespace act::python
