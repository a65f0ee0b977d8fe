// What the bindings share: results to exceptions, JSON and arrays to Python and back.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <exception>
#include <memory>
#include <string>

#include "act/diag/result.h"
#include "act/files/npy.h"
#include "act/isa/program.h"
#include "act/rows/json.h"
#include "act/tables/records.h"

namespace act::python {

namespace py = pybind11;

// Carries diagnostics to the translator in bind_diag.cc, which raises actkit.ActkitError with them.
struct Failure : std::exception {
  explicit Failure(Diagnostics diagnostics) : list(std::move(diagnostics)) {}
  explicit Failure(Diagnostic d) : list{std::move(d)} {}
  const char* what() const noexcept override { return "actkit diagnostics"; }
  Diagnostics list;
};

template <class T>
T unwrap(Result<T> result) {
  if (!result) throw Failure(std::move(result).error());
  return std::move(result).value();
}
inline void unwrap(Status result) {
  if (!result) throw Failure(std::move(result).error());
}

// An error about an argument of a Python call.
Failure bad_argument(Code code, std::string field, std::string value, std::string allowed, std::string message);

Generation generation_of(std::string_view name);
Dtype dtype_of(std::string_view name);
Engine engine_of(std::string_view name);

py::object to_python(const Json& value);
Json from_python(py::handle value);

// Contiguous bytes of anything with the buffer protocol.
Bytes bytes_of(const py::buffer& buffer);
py::bytes to_bytes(std::span<const std::uint8_t> bytes);

// Bytes of whole instructions. Error: bad-size.
std::vector<Bundle> bundles_of(const py::buffer& buffer);

// An array whose memory is the NpyArray's: nothing is copied. Opaque elements become unsigned integers.
py::array to_array(NpyArray array);
// A copy in C order; a dtype of kind 'V' keeps its size and is opaque. Error: bad-binding for other kinds.
NpyArray from_array(const py::array& array);

void bind_diag(py::module_& m);
void bind_numeric(py::module_& m);
void bind_isa(py::module_& m);
void bind_asm(py::module_& m);
void bind_tables(py::module_& m);
void bind_fit(py::module_& m);
void bind_sim(py::module_& m);
void bind_neff(py::module_& m);
void bind_tile(py::module_& m);
void bind_builder(py::module_& m);
void bind_lowering(py::module_& m);

}  // namespace act::python
