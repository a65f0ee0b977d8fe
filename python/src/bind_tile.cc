// PTO tile blocks: text, JSON lines, and the machine that runs them.
#include <fmt/format.h>

#include "act/tile/npy.h"
#include "act/tile/report.h"
#include "act/tile/text.h"
#include "common.h"

namespace act::python {
namespace {

py::tuple tile_assemble(const std::string& text) {
  Diagnostics warnings;
  const Bytes stream = unwrap(tile::assemble(text, warnings));
  return py::make_tuple(to_bytes(stream), warnings);
}

std::vector<Diagnostic> tile_check(const py::buffer& program) {
  const Bytes bytes = bytes_of(program);
  Diagnostics all;
  std::uint64_t index = 0;
  for (std::uint64_t at = 0; at < bytes.size(); ++index) {
    tile::Line line = tile::line_at(bytes, at, index);
    for (Diagnostic& d : line.problems) {
      d.severity = Severity::error;  // the machine refuses what does not decode
      all.push_back(std::move(d));
    }
    at += line.bytes.size();
  }
  return all;
}

py::list tile_lines(const py::buffer& program) {
  const Bytes bytes = bytes_of(program);
  py::list lines;
  std::uint64_t index = 0;
  for (std::uint64_t at = 0; at < bytes.size(); ++index) {
    const tile::Line line = tile::line_at(bytes, at, index);
    lines.append(to_python(Json::parse(tile::line_json(line), nullptr, false)));
    at += line.bytes.size();
  }
  return lines;
}

unsigned register_of(const std::string& name) {
  for (unsigned i = 0; i < tile::kRegisters; ++i)
    if (tile::register_name(i) == name) return i;
  throw bad_argument(Code::unknown_name, "register", name, fmt::format("{}..{}", tile::register_name(0), tile::register_name(tile::kRegisters - 1)), "no such tile register");
}

const tile::TileType* type_named(const std::string& name) {
  if (const tile::TileType* t = tile::find_type(name)) return t;
  std::string names;
  for (const tile::TileType& t : tile::kTypes) names += (names.empty() ? "" : ", ") + std::string(t.name);
  throw bad_argument(Code::unknown_name, "type", name, names, "no such tile type");
}

void load(tile::State& state, const std::string& name, const py::array& array, const std::string& type, std::optional<std::uint32_t> capacity,
          std::optional<std::uint32_t> columns, const std::string& layout, unsigned mask, const py::object& defined) {
  tile::TileSetup setup;
  setup.index = register_of(name);
  if (!type.empty()) setup.type = type_named(type);
  setup.capacity_bytes = capacity;
  setup.columns = columns;
  const auto found = tile::find_layout(layout);
  if (!found) throw bad_argument(Code::unknown_name, "layout", layout, "RowMajor, ColumnMajor, …", "no such layout");
  setup.layout = *found;
  if (mask == 0 || mask > 15) throw bad_argument(Code::bad_value, "mask", std::to_string(mask), "1..15", "a mask has four bits");
  setup.mask = static_cast<std::uint8_t>(mask);
  const NpyArray values = from_array(array);
  if (defined.is_none()) return unwrap(tile::load_tile(state, setup, values));
  const NpyArray where = from_array(defined.cast<py::array>());
  unwrap(tile::load_tile(state, setup, values, &where));
}

py::list run(tile::State& state, const py::buffer& program) {
  const Bytes bytes = bytes_of(program);
  std::vector<tile::Step> steps;
  std::optional<tile::Step> fault;
  {
    py::gil_scoped_release release;
    fault = tile::run(state, bytes, &steps);
  }
  if (fault) throw Failure(tile::fault_diagnostic(*fault));
  py::list list;
  for (const tile::Step& s : steps) list.append(to_python(tile::step_json(s)));
  return list;
}

}  // namespace

void bind_tile(py::module_& parent) {
  py::module_ m = parent.def_submodule("tile");
  m.def("assemble", &tile_assemble);
  m.def("disassemble", [](const py::buffer& b) { return tile::disassemble(bytes_of(b)); });
  m.def("check", &tile_check);
  m.def("lines", &tile_lines);
  m.def("assemble_json", [](const std::string& lines) { return to_bytes(unwrap(tile::assemble_json(lines))); });
  m.def("types", [] {
    std::vector<std::string> names;
    for (const tile::TileType& t : tile::kTypes) names.emplace_back(t.name);
    return names;
  });
  py::class_<tile::State>(m, "State")
      .def(py::init([](std::uint64_t capacity, std::uint64_t pc) {
             auto s = std::make_unique<tile::State>();
             s->tile_capacity = capacity;
             s->pc = pc;
             return s;
           }), py::arg("tile_capacity") = tile::kResetTileCapacity, py::arg("pc") = 0)
      .def("load", &load)
      .def("run", &run)
      .def("array", [](const tile::State& s, const std::string& name) { return to_array(unwrap(tile::tile_array(s, register_of(name)))); })
      .def("describe", [](const tile::State& s) { return to_python(tile::state_json(s)); })
      .def("text", [](const tile::State& s) { return tile::state_text(s); })
      .def_property_readonly("open_block", [](const tile::State& s) { return s.block.active; })
      .def_property("pc", [](const tile::State& s) { return s.pc; }, [](tile::State& s, std::uint64_t pc) { s.pc = pc; })
      .def("set_gpr", [](tile::State& s, const std::string& name, std::uint64_t value) {
        const Choice* gpr = tile::kGprTable.find(name);
        if (gpr == nullptr) throw bad_argument(Code::unknown_name, "gpr", name, "sp, a0..a7, ra, s0..s8, x0..x3", "no such register");
        s.gpr[gpr->value] = value;
      });
}

}  // namespace act::python
