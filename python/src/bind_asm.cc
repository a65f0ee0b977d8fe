// Programs and the assembly language.
#include <fmt/format.h>

#include "act/asm/json_lines.h"
#include "act/asm/profiler.h"
#include "act/asm/text.h"
#include "act/isa/check.h"
#include "act/isa/memory_map.h"
#include "common.h"

namespace act::python {
namespace {

constexpr std::string_view kRoles[] = {"input", "output", "both", "scratch"};

TensorBinding::Role role_of(const std::string& name) {
  for (std::size_t i = 0; i < std::size(kRoles); ++i)
    if (kRoles[i] == name) return static_cast<TensorBinding::Role>(i);
  throw bad_argument(Code::unknown_name, "role", name, "input, output, both, scratch", "no such role");
}

py::tuple assemble(const std::string& text, const std::string& file, const std::string& gen) {
  const TextOptions options{.file = file, .generation = generation_of(gen), .max_errors = 100};
  Diagnostics warnings;
  std::optional<Result<Program>> program;
  {
    py::gil_scoped_release release;
    program.emplace(parse_text(text, options, warnings));
  }
  auto made = std::make_shared<Program>(unwrap(std::move(*program)));
  return py::make_tuple(made, warnings);
}

// Places of a text check: the source line of each instruction, and the columns of the field where the line writes it.
void place(Diagnostic& d, const std::vector<std::uint32_t>& lines, std::string_view text) {
  if (!d.where.instruction || *d.where.instruction >= lines.size()) return;
  d.where.line = lines[*d.where.instruction];
  Diagnostic at_line;
  at_line.where.line = d.where.line;
  const Columns columns = find_operand(source_line(text, at_line), d.field);
  d.where.column = columns.column;
  d.where.end_column = columns.end_column;
}

std::vector<Diagnostic> check_program(const Program& program, const std::string& text, bool lenient, bool final_stream, std::vector<KnownSet> sets) {
  const CheckOptions options{lenient, final_stream, std::move(sets)};
  Diagnostics all;
  py::gil_scoped_release release;
  for (const Stream& s : program.streams) {
    Diagnostics found;
    StreamChecker checker(program.generation, options);
    for (const Bundle& b : s.bundles) checker.feed(b, found);
    checker.finish(0, found);
    for (Diagnostic& d : found) {
      if (d.where.file.empty()) d.where.file = s.name;
      place(d, s.lines, text);
      all.push_back(std::move(d));
    }
  }
  return all;
}

std::string disassemble(const py::buffer& buffer, const std::string& gen, bool profiler) {
  const Bytes bytes = bytes_of(buffer);
  const TextPrinter printer(generation_of(gen));
  std::string out;
  py::gil_scoped_release release;
  std::size_t at = 0;
  for (; at + kBundleBytes <= bytes.size(); at += kBundleBytes) {
    Bundle b;
    std::memcpy(b.bytes.data(), bytes.data() + at, kBundleBytes);
    if (profiler) out += print_profiler(b) + '\n';
    else printer.append(b, out);
  }
  if (at < bytes.size()) printer.append_bytes(std::span(bytes).subspan(at), out);
  return out;
}

py::bytes assemble_json(const std::string& text, const std::string& file) {
  Bytes out;
  Diagnostics errors;
  std::uint32_t number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    ++number;
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    const auto parsed = bundle_from_json_line(line, file, number);
    if (parsed) out.insert(out.end(), parsed->bundle.bytes.begin(), parsed->bundle.bytes.begin() + static_cast<std::ptrdiff_t>(parsed->size));
    else errors.insert(errors.end(), parsed.error().begin(), parsed.error().end());
  }
  if (!errors.empty()) throw Failure(std::move(errors));
  return to_bytes(out);
}

Stream make_stream(const std::string& engine, const py::buffer& bytes, const std::string& name) { return {engine_of(engine), name, bundles_of(bytes), {}}; }

py::bytes stream_bytes(const Stream& s) { return to_bytes({reinterpret_cast<const std::uint8_t*>(s.bundles.data()), s.bundles.size() * kBundleBytes}); }

void add_tensor(Program& p, const std::string& name, const std::string& role, std::uint32_t addr, const std::string& dtype, std::vector<std::uint64_t> shape) {
  if (shape.empty()) throw bad_argument(Code::bad_value, "shape", "()", "at least one dimension, channels first", "a tensor needs a shape");
  if (addr > kAddressMask) throw bad_argument(Code::bad_value, "addr", fmt::format("{:#x}", addr), fmt::format("0..{:#x}", kAddressMask), "no on-chip address");
  for (const TensorBinding& t : p.tensors)
    if (t.name == name) throw bad_argument(Code::duplicate_name, "name", name, "", "the program has a tensor of this name");
  p.tensors.push_back({name, role_of(role), addr, dtype_of(dtype), std::move(shape), 0});
}

void set_register(Program& p, unsigned number, std::uint32_t value) {
  if (number >= kAddressRegisters) throw bad_argument(Code::bad_value, "number", std::to_string(number), "0..63", "no such register");
  p.registers.push_back({static_cast<std::uint8_t>(number), value});
}

void bind_program(py::module_& m) {
  py::class_<Stream>(m, "Stream", "The instructions of one engine.")
      .def(py::init(&make_stream), py::arg("engine"), py::arg("data"), py::arg("name") = "")
      .def_property_readonly("engine", [](const Stream& s) { return engine_name(s.engine); }, "'PE', 'ACT', 'POOL', 'DVE' or 'SP'")
      .def_property_readonly("name", [](const Stream& s) { return s.name; })
      .def_property_readonly("data", &stream_bytes, "the bytes, 64 an instruction")
      .def_property_readonly("lines", [](const Stream& s) { return s.lines; }, "source line of each instruction; empty without a source")
      .def("__len__", [](const Stream& s) { return s.bundles.size(); });
  py::class_<TensorBinding>(m, "TensorBinding", "A named piece of on-chip memory.")
      .def_property_readonly("name", [](const TensorBinding& t) { return t.name; })
      .def_property_readonly("role", [](const TensorBinding& t) { return kRoles[static_cast<unsigned>(t.role)]; }, "'input', 'output', 'both' or 'scratch'")
      .def_property_readonly("addr", [](const TensorBinding& t) { return t.addr; }, "on-chip byte address of channel 0")
      .def_property_readonly("dtype", [](const TensorBinding& t) { return dtype_name(t.dtype); })
      .def_property_readonly("shape", [](const TensorBinding& t) { return py::tuple(py::cast(t.shape)); }, "channels first");
  py::class_<Program, std::shared_ptr<Program>>(m, "Program", "Engine streams, and the tensors and registers they are given.")
      .def(py::init([](const std::string& gen) {
             auto p = std::make_shared<Program>();
             p->generation = generation_of(gen);
             return p;
           }), py::arg("gen") = generation_name(kDefaultGeneration))
      .def_property("gen", [](const Program& p) { return generation_name(p.generation); },
                    [](Program& p, const std::string& gen) { p.generation = generation_of(gen); })
      .def_property_readonly("streams", [](const Program& p) { return p.streams; })
      .def_property_readonly("tensors", [](const Program& p) { return p.tensors; })
      .def("add_stream", [](Program& p, const std::string& engine, const py::buffer& data, const std::string& name) { p.streams.push_back(make_stream(engine, data, name)); },
           py::arg("engine"), py::arg("data"), py::arg("name") = "", "Adds the instructions of one engine. Errors: unknown-name, bad-size.")
      .def("add_tensor", &add_tensor, py::arg("name"), py::arg("role"), py::arg("addr"), py::arg("dtype"), py::arg("shape"),
           "Names memory: `addr` is the byte address of channel 0, the first dimension of `shape` runs over channels. Errors: unknown-name, bad-value, duplicate-name.")
      .def("set_register", &set_register, py::arg("number"), py::arg("value"), "Content of address register 0..63 at the start.")
      .def("to_text", [](const Program& p) { return print_text(p); }, "The program as text; assembling it gives the same program.");
}

}  // namespace

void bind_asm(py::module_& m) {
  bind_program(m);
  m.def("assemble", &assemble, py::arg("text"), py::arg("file"), py::arg("gen"));
  m.def("assemble_json", &assemble_json, py::arg("text"), py::arg("file"));
  m.def("disassemble", &disassemble, py::arg("bytes"), py::arg("gen"), py::arg("profiler"));
  m.def("check_program", &check_program, py::arg("program"), py::arg("text"), py::arg("lenient"), py::arg("final"), py::arg("sets"));
  m.def("json_line", [](const py::buffer& buffer, std::uint64_t index, const std::string& gen) { return to_json_line(bytes_of(buffer), index, generation_of(gen)); },
        py::arg("bytes"), py::arg("index"), py::arg("gen"));
  m.def("make_address", [](const std::string& space, unsigned partition, std::uint32_t offset, const std::string& gen) {
    const Generation g = generation_of(gen);
    if (space != "sbuf" && space != "psum") throw bad_argument(Code::unknown_name, "space", space, "sbuf, psum", "no such memory");
    const Space s = space == "psum" ? Space::psum : Space::sbuf;
    if (partition >= kPartitions || offset >= active_bytes(s, g) || (s == Space::psum && geometry(g).psum_window == 0))
      throw bad_argument(Code::out_of_bounds, "addr", fmt::format("{} partition {} offset {:#x}", space, partition, offset), fmt::format("partition 0..127, offset below {:#x}", active_bytes(s, g)), "no such place");
    return make_address(s, partition, offset, g);
  }, py::arg("space"), py::arg("partition") = 0, py::arg("offset") = 0, py::arg("gen") = generation_name(kDefaultGeneration),
        "On-chip byte address of a place ('sbuf' or 'psum', partition 0..127, byte offset). Errors: unknown-name, out-of-bounds.");
}

}  // namespace act::python
