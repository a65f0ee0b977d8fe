// Rows of the instruction set, field access through them, and the validator.
#include <fmt/format.h>

#include "act/isa/check.h"
#include "act/isa/describe.h"
#include "act/isa/memory_map.h"
#include "act/rows/check.h"
#include "common.h"

namespace act::python {
namespace {

std::string_view kind_name(Kind kind) {
  constexpr std::string_view names[] = {"integer", "sinteger", "enumerator", "f32", "address", "immediate", "wide_immediate", "nibbles", "tensor", "bytes", "text"};
  return names[static_cast<unsigned>(kind)];
}

std::string_view support_name(Support support) {
  constexpr std::string_view names[] = {"full", "fields", "stream", "raw"};
  return names[static_cast<unsigned>(support)];
}

py::list names_of(GenerationSet set) {
  py::list names;
  for (const Generation g : kGenerations)
    if (set.contains(g)) names.append(generation_name(g));
  return names;
}

py::dict field_dict(const Field& f) {
  py::dict d;
  d["name"] = f.name;
  d["type"] = f.type;
  d["kind"] = kind_name(f.kind);
  d["byte"] = f.byte();
  d["bytes"] = f.bytes();
  d["dims"] = f.dims;
  d["indirect"] = f.indirect;
  d["choices"] = f.choices == nullptr ? py::object(py::none()) : py::object(py::str(std::string(f.choices->name)));
  d["doc"] = f.doc;
  return d;
}

py::dict format_dict(const Format& format) {
  py::list fields, reserved;
  for (const Field& f : format.fields) fields.append(field_dict(f));
  for (const Reserved& r : format.reserved) reserved.append(py::make_tuple(r.byte, r.bytes));
  py::dict d;
  d["name"] = format.name;
  d["doc"] = format.doc;
  d["fields"] = fields;
  d["reserved"] = reserved;
  return d;
}

py::dict opcode_dict(const OpcodeInfo& row) {
  py::dict d;
  d["name"] = row.name;
  d["code"] = row.code();
  d["format"] = row.format == FormatId::none ? std::string_view{} : format_of(row.format).name;
  d["engine"] = engine_name(row.engine);
  d["generations"] = names_of(row.generations);
  d["support"] = support_name(row.support);
  d["aliases"] = py::str(std::string(row.aliases)).attr("split")();
  d["doc"] = row.doc;
  return d;
}

py::dict enum_dict(const EnumTable& table) {
  py::dict values;
  for (const Choice& c : table.choices) values[py::str(std::string(c.name))] = c.value;
  py::dict d;
  d["name"] = table.name;
  d["doc"] = table.doc;
  d["values"] = values;
  return d;
}

py::dict generation_dict(const GenerationRow& row) {
  py::list aliases;
  for (const std::string_view a : row.aliases)
    if (!a.empty()) aliases.append(a);
  const Geometry& geo = geometry(row.generation);
  py::dict d;
  d["name"] = row.name;
  d["version"] = static_cast<unsigned>(row.generation);
  d["core"] = row.core;
  d["products"] = row.products;
  d["aliases"] = aliases;
  d["sbuf_bytes"] = geo.sbuf_active;
  d["psum_bytes"] = geo.psum_window == 0 ? 0U : kPsumActive;
  d["partitions"] = kPartitions;
  d["doc"] = row.doc;
  return d;
}

// One instruction in the bytes of a bytearray.
MutableRecord record_of(const py::bytearray& bytes) {
  if (PyByteArray_Size(bytes.ptr()) != kBundleBytes) throw bad_argument(Code::bad_size, "", fmt::format("{} bytes", PyByteArray_Size(bytes.ptr())), "64 bytes", "an instruction has 64 bytes");
  return {reinterpret_cast<std::uint8_t*>(PyByteArray_AsString(bytes.ptr())), kBundleBytes};
}

Bundle bundle_of(const py::buffer& buffer) {
  const Bytes bytes = bytes_of(buffer);
  if (bytes.size() != kBundleBytes) throw bad_argument(Code::bad_size, "", fmt::format("{} bytes", bytes.size()), "64 bytes", "an instruction has 64 bytes");
  Bundle b;
  std::copy(bytes.begin(), bytes.end(), b.bytes.begin());
  return b;
}

const Field& field_at(unsigned format, unsigned field) {
  const auto formats = all_formats();
  if (format >= formats.size() || field >= formats[format]->fields.size()) throw py::index_error("no such field");
  return formats[format]->fields[field];
}

py::object format_index(const py::buffer& buffer) {
  const Format* format = format_of(bundle_of(buffer));
  const auto formats = all_formats();
  for (std::size_t i = 0; i < formats.size(); ++i)
    if (formats[i] == format) return py::int_(i);
  return py::none();
}

// The generic text of a field, for repr().
std::string field_text(const py::bytearray& bytes, unsigned format, unsigned field) { return print_value(record_of(bytes), field_at(format, field)); }

std::vector<Diagnostic> check_bytes(const py::buffer& buffer, const std::string& gen, bool lenient, bool final_stream, std::vector<KnownSet> sets) {
  const Bytes bytes = bytes_of(buffer);
  const Generation g = generation_of(gen);
  const CheckOptions options{lenient, final_stream, std::move(sets)};
  py::gil_scoped_release release;
  return check_stream(bytes, g, options);
}

}  // namespace

void bind_isa(py::module_& m) {
  py::class_<KnownSet>(m, "KnownSet", "Name and function codes of one table set, for checks of loads.")
      .def_property_readonly("name", [](const KnownSet& s) { return s.name; });
  m.attr("DEFAULT_GENERATION") = generation_name(kDefaultGeneration);
  m.attr("INST_WORD_LEN") = kInstWordLen;
  m.attr("QUADRANT_PARTITIONS") = kQuadrantPartitions;
  m.def("generations", [] {
    py::list rows;
    for (const GenerationRow& row : kGenerationRows) rows.append(generation_dict(row));
    return rows;
  });
  m.def("generation", [](const std::string& name) { return generation_dict(generation_row(generation_of(name))); }, py::arg("name"));
  m.def("opcodes", [] {
    py::list rows;
    for (const OpcodeInfo& row : all_opcodes()) rows.append(opcode_dict(row));
    return rows;
  });
  m.def("formats", [] {
    py::list rows;
    for (const Format* f : all_formats()) rows.append(format_dict(*f));
    return rows;
  });
  m.def("enums", [] {
    py::list rows;
    for (const EnumTable* t : all_enums()) rows.append(enum_dict(*t));
    return rows;
  });
  m.def("rules", [] {
    py::dict rules;
    for (const RuleInfo& r : all_rules()) rules[py::str(std::string(r.name))] = r.why;
    return rules;
  });
  m.def("describe", [](const std::string& name) -> py::object {
    if (const auto text = describe(name)) return py::str(*text);
    return py::none();
  }, py::arg("name"));
  m.def("parse_opcode", [](const std::string& name) { return unwrap(parse_opcode(name)); }, py::arg("name"));
  m.def("opcode_name", [](unsigned code) { return opcode_name(static_cast<std::uint8_t>(code)); }, py::arg("code"));
  m.def("format_index", &format_index, py::arg("bytes"), "Position in formats() of the format of 64 bytes, or None.");
  m.def("get_field", [](const py::bytearray& bytes, unsigned format, unsigned field) { return to_python(field_to_json(record_of(bytes), field_at(format, field))); });
  m.def("set_field", [](const py::bytearray& bytes, unsigned format, unsigned field, const py::object& value) {
    unwrap(field_from_json(record_of(bytes), field_at(format, field), from_python(value)));
  });
  m.def("field_text", &field_text);
  m.def("check_bytes", &check_bytes, py::arg("bytes"), py::arg("gen"), py::arg("lenient"), py::arg("final"), py::arg("sets"));
}

}  // namespace act::python
