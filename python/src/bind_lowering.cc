// Modules, the lowering passes with their report, and code generation.
#include <fmt/format.h>

#include "act/files/memory_folder.h"
#include "act/ir/json.h"
#include "act/ir/verify.h"
#include "act/passes/artifacts.h"
#include "act/passes/report.h"
#include "act/sim/cost.h"
#include "act/tables/catalog_io.h"
#include "common.h"

namespace act::python {
namespace {

using Handle = std::shared_ptr<ir::Module>;
using Passes = std::vector<const passes::Pass*>;

Handle read(const std::string& text, const std::string& file) {
  std::optional<Result<ir::Module>> module;
  {
    py::gil_scoped_release release;
    module.emplace(ir::read_module(text, file));
  }
  return std::make_shared<ir::Module>(unwrap(std::move(*module)));
}

template <class Enum>
Enum choice_of(const std::string& field, const std::string& name, std::initializer_list<std::pair<const char*, Enum>> choices) {
  std::string names;
  for (const auto& [known, value] : choices) {
    if (name == known) return value;
    names += (names.empty() ? "" : ", ") + std::string(known);
  }
  throw bad_argument(Code::unknown_name, field, name, names, "no such choice");
}

passes::Options options_of(const Catalog& catalog, const py::dict& given) {
  const auto text = [&given](const char* key) { return given[key].cast<std::string>(); };
  passes::Options options;
  options.sets = passes::act_sets(catalog);
  options.cover = choice_of<passes::Cover>("cover", text("cover"), {{"greedy", passes::Cover::greedy}, {"first-fit", passes::Cover::first_fit}, {"optimal", passes::Cover::optimal}});
  options.table_mode = choice_of<passes::TableMode>("table_mode", text("table_mode"), {{"dynamic", passes::TableMode::dynamic}, {"static", passes::TableMode::fixed}});
  options.load_form = choice_of<passes::LoadForm>("load_form", text("load_form"), {{"index", passes::LoadForm::index}, {"name", passes::LoadForm::name}});
  options.allow_named_loads = given["allow_named_loads"].cast<bool>();
  options.constant_registers = given["constant_registers"].cast<bool>();
  return options;
}

// unroll and sync only prepare code generation; the module before them is the lowered one.
bool is_lowering(const passes::Pass* p) { return p->name != "unroll" && p->name != "sync"; }

struct Lowered {
  ir::Module module;
  passes::Report report;
  Diagnostics notes;
};

// Runs passes and watches what they do to the loads.
Lowered lower(ir::Module module, const Passes& list, const passes::Options& options) {
  Lowered out;
  passes::ReportTracker tracker;
  tracker.start(module);
  out.module = unwrap(passes::run_passes(std::move(module), list, options, out.notes, [&](const passes::Pass& p, const ir::Module& m) { tracker.after(p.name, m); }));
  const double load_ns = sim::estimated_ns(static_cast<std::uint8_t>(Opcode::ACTIVATION_TABLE_LOAD), Engine::ACT, 0);
  out.report = tracker.finish(out.module, options, load_ns);
  return out;
}

Passes passes_of(const std::string& list) {
  if (!list.empty()) return unwrap(passes::parse_pass_list(list));
  Passes all;
  for (const passes::Pass& p : passes::all_passes())
    if (is_lowering(&p)) all.push_back(&p);
  return all;
}

py::tuple report_of(const passes::Report& report) {
  return py::make_tuple(to_python(Json::parse(passes::report_json(report), nullptr, false)), passes::report_text(report));
}

py::tuple lower_module(const Handle& module, const std::shared_ptr<Catalog>& catalog, const py::dict& given, const std::string& list) {
  const passes::Options options = options_of(*catalog, given);
  const Passes chosen = passes_of(list);
  Lowered out;
  {
    py::gil_scoped_release release;
    out = lower(*module, chosen, options);
  }
  return py::make_tuple(std::make_shared<ir::Module>(std::move(out.module)), report_of(out.report), out.notes);
}

passes::CodegenOptions codegen_options(const ir::Module& module, const Catalog& catalog, const passes::Options& options, const py::dict& given) {
  passes::CodegenOptions codegen;
  codegen.encode.generation = module.generation;
  for (const passes::ActSet& s : options.sets) codegen.encode.sets.push_back(s.name);
  codegen.encode.functions = ir::function_codes(catalog);
  codegen.encode.load_form = options.load_form;
  codegen.encode.allow_named_loads = options.allow_named_loads;
  codegen.encode.idle_clears = given["idle_clears"].cast<bool>();
  codegen.stream_prologue = given["stream_prologue"].cast<bool>();
  return codegen;
}

// A straight-line module: what code is generated from.
ir::Module straight(ir::Module lowered, const passes::Options& options, Diagnostics& notes) {
  const passes::Pass* const list[] = {passes::find_pass("unroll"), passes::find_pass("sync")};
  return unwrap(passes::run_passes(std::move(lowered), list, options, notes));
}

MemoryFolder folder_of(const Catalog& catalog) {
  MemoryFolder folder(catalog.label);
  for (auto& [name, data] : unwrap(catalog_files(catalog))) folder.add(name, std::move(data));
  return folder;
}

py::dict compile(const Handle& module, const std::shared_ptr<Catalog>& catalog, const py::dict& given) {
  const passes::Options options = options_of(*catalog, given);
  const passes::CodegenOptions codegen = codegen_options(*module, *catalog, options, given);
  const auto name = given["neff"].cast<std::string>();
  Lowered lowered;
  passes::GeneratedCode code;
  std::vector<std::string> used;
  Bytes container;
  {
    py::gil_scoped_release release;
    lowered = lower(*module, passes_of({}), options);
    const ir::Module flat = straight(lowered.module, options, lowered.notes);
    code = unwrap(passes::generate_code(flat, codegen));
    used = passes::used_set_names(flat, code, codegen.encode.sets);
    if (!name.empty()) {
      container = unwrap(passes::container_of(flat, code, used, folder_of(*catalog), {.name = name, .stream_prologue = codegen.stream_prologue}));
    }
  }
  py::dict files, out;
  for (const auto& [file, data] : passes::engine_files(code, used, false)) files[py::str(file)] = to_bytes(data);
  out["module"] = std::make_shared<ir::Module>(std::move(lowered.module));
  out["report"] = report_of(lowered.report);
  out["notes"] = lowered.notes;
  out["program"] = std::make_shared<Program>(std::move(code.program));
  out["files"] = files;
  out["sets"] = used;
  out["container"] = to_bytes(container);
  return out;
}

void write_files(const std::map<std::string, std::string>& files, const std::string& path, bool replace) {
  py::gil_scoped_release release;
  StagedDirectory out = unwrap(StagedDirectory::create(path, replace));
  for (const auto& [name, data] : files) unwrap(out.write(name, std::string_view(data)));
  unwrap(out.commit());
}

std::vector<Diagnostic> verify(const ir::Module& module, const std::string& file) {
  Diagnostics found;
  py::gil_scoped_release release;
  ir::verify_module(module, file, found);
  return found;
}

}  // namespace

void bind_lowering(py::module_& m) {
  py::class_<ir::Module, Handle>(m, "Module")
      .def_property_readonly("name", [](const ir::Module& x) { return x.name; })
      .def_property_readonly("gen", [](const ir::Module& x) { return generation_name(x.generation); })
      .def_property_readonly("lowered", [](const ir::Module& x) { return x.lowered; })
      .def_property_readonly("dynamic_pwp", [](const ir::Module& x) { return x.dynamic_pwp; })
      .def_property_readonly("act_set", [](const ir::Module& x) { return x.act_set; })
      .def("to_json", [](const ir::Module& x) { return ir::write_module(x); })
      .def("verify", &verify);
  m.def("read_module", &read);
  m.def("passes", [] {
    py::list rows;
    for (const passes::Pass& p : passes::all_passes()) rows.append(py::make_tuple(std::string(p.name), std::string(p.doc)));
    return rows;
  });
  m.def("lower", &lower_module);
  m.def("compile", &compile);
  m.def("write_files", &write_files);
}

}  // namespace act::python
