// Modules and the lowering passes.
#include "act/ir/json.h"
#include "act/ir/verify.h"
#include "act/passes/passes.h"
#include "common.h"

namespace act::python {
namespace {

using Handle = std::shared_ptr<ir::Module>;

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

passes::Options options_of(const Catalog& catalog, const std::string& cover, const std::string& table_mode, const std::string& load_form, bool named_loads) {
  passes::Options options;
  options.sets = passes::act_sets(catalog);
  options.cover = choice_of<passes::Cover>("cover", cover, {{"greedy", passes::Cover::greedy}, {"first-fit", passes::Cover::first_fit}, {"optimal", passes::Cover::optimal}});
  options.table_mode = choice_of<passes::TableMode>("table_mode", table_mode, {{"dynamic", passes::TableMode::dynamic}, {"static", passes::TableMode::fixed}});
  options.load_form = choice_of<passes::LoadForm>("load_form", load_form, {{"index", passes::LoadForm::index}, {"name", passes::LoadForm::name}});
  options.allow_named_loads = named_loads;
  return options;
}

py::tuple lower(const ir::Module& module, const passes::Options& options, const std::string& pass) {
  const passes::Pass* one = nullptr;
  if (!pass.empty()) {
    one = passes::find_pass(pass);
    if (one == nullptr) throw bad_argument(Code::unknown_name, "pass", pass, "a name of passes()", "no such pass");
  }
  Diagnostics notes;
  std::optional<Result<ir::Module>> lowered;
  {
    py::gil_scoped_release release;
    lowered.emplace(one == nullptr ? passes::lower(module, options, notes) : one->run(module, options, notes));
  }
  return py::make_tuple(std::make_shared<ir::Module>(unwrap(std::move(*lowered))), notes);
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
  m.def("lower", [](const Handle& module, const std::shared_ptr<Catalog>& catalog, const std::string& cover, const std::string& table_mode, const std::string& load_form,
                    bool named_loads, const std::string& pass) { return lower(*module, options_of(*catalog, cover, table_mode, load_form, named_loads), pass); });
}

}  // namespace act::python
