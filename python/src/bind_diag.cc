// Diagnostics as objects, and the one exception.
#include "common.h"

namespace act::python {
namespace {

Diagnostic make_diagnostic(const py::kwargs& members) {
  Diagnostic d;
  for (const auto& [key, value] : members) {
    const auto name = key.cast<std::string>();
    if (name == "severity") {
      const auto severity = value.cast<std::string>();
      d.severity = severity == "error" ? Severity::error : severity == "note" ? Severity::note : Severity::warning;
    } else if (name == "code") {
      const auto id = value.cast<std::string>();
      std::size_t i = 0;
      while (i < code_count() && code_id(static_cast<Code>(i)) != id) ++i;
      if (i == code_count()) throw py::value_error("no such diagnostic code: " + id);
      d.code = static_cast<Code>(i);
    } else if (name == "rule") d.rule = value.cast<std::string>();
    else if (name == "field") d.field = value.cast<std::string>();
    else if (name == "file") d.where.file = value.cast<std::string>();
    else if (name == "instruction") d.where.instruction = value.cast<std::uint64_t>();
    else if (name == "byte") d.where.byte = value.cast<std::uint64_t>();
    else if (name == "line") d.where.line = value.cast<std::uint32_t>();
    else if (name == "column") d.where.column = value.cast<std::uint32_t>();
    else if (name == "end_column") d.where.end_column = value.cast<std::uint32_t>();
    else if (name == "pointer") d.where.pointer = value.cast<std::string>();
    else if (name == "value") d.value = value.cast<std::string>();
    else if (name == "allowed") d.allowed = value.cast<std::string>();
    else if (name == "message") d.message = value.cast<std::string>();
    else throw py::type_error("Diagnostic has no member " + name);
  }
  return d;
}

py::object number_or_none(std::uint32_t n) {
  if (n == 0) return py::none();
  return py::int_(n);
}

void translate(std::exception_ptr p) {
  try {
    if (p) std::rethrow_exception(p);
  } catch (const Failure& failure) {
    const py::object type = py::module_::import("actkit._errors").attr("ActkitError");
    const py::object instance = type(py::cast(failure.list));
    PyErr_SetObject(type.ptr(), instance.ptr());
  }
}

}  // namespace

void bind_diag(py::module_& m) {
  py::class_<Diagnostic>(m, "Diagnostic", "One problem report; its attributes are the keys of the program's --json output. Absent ones are '' or None.")
      .def(py::init(&make_diagnostic))
      .def_property_readonly("severity", [](const Diagnostic& d) { return severity_name(d.severity); }, "'error', 'warning' or 'note'")
      .def_property_readonly("code", [](const Diagnostic& d) { return code_id(d.code); }, "stable id of the kind of problem")
      .def_property_readonly("rule", [](const Diagnostic& d) { return d.rule; })
      .def_property_readonly("field", [](const Diagnostic& d) { return d.field; })
      .def_property_readonly("file", [](const Diagnostic& d) { return d.where.file; })
      .def_property_readonly("instruction", [](const Diagnostic& d) { return d.where.instruction; }, "index in its stream, or None")
      .def_property_readonly("byte", [](const Diagnostic& d) { return d.where.byte; }, "offset in the instruction or file, or None")
      .def_property_readonly("line", [](const Diagnostic& d) { return number_or_none(d.where.line); })
      .def_property_readonly("column", [](const Diagnostic& d) { return number_or_none(d.where.column); })
      .def_property_readonly("pointer", [](const Diagnostic& d) { return d.where.pointer; }, "JSON pointer")
      .def_property_readonly("value", [](const Diagnostic& d) { return d.value; })
      .def_property_readonly("allowed", [](const Diagnostic& d) { return d.allowed; })
      .def_property_readonly("message", [](const Diagnostic& d) { return d.message; })
      .def("to_json", [](const Diagnostic& d) { return to_json(d); }, "The line that --json prints.")
      .def("to_dict", [](const Diagnostic& d) { return to_python(Json::parse(to_json(d), nullptr, false)); }, "The same as a dict.")
      .def("__reduce__", [](const py::object& self) {
        const py::object rebuild = py::module_::import("actkit._errors").attr("_diagnostic");
        return py::make_tuple(rebuild, py::make_tuple(self.attr("to_dict")()));
      })
      .def("__str__", [](const Diagnostic& d) { return to_text(d); })
      .def("__repr__", [](const Diagnostic& d) { return "<Diagnostic " + to_text(d) + ">"; })
      .def("__eq__", [](const Diagnostic& a, const Diagnostic& b) { return a == b; }, py::is_operator())
      .attr("__hash__") = py::none();
  py::register_exception_translator(&translate);
}

}  // namespace act::python
