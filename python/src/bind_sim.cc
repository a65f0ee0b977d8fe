// The simulator: policies, runs, traces, comparisons with the exact functions.
#include <fmt/format.h>

#include "act/sim/compare.h"
#include "act/sim/module_run.h"
#include "act/sim/simulator.h"
#include "common.h"

namespace act::python {
namespace {

// Both texts of a trace, and one record per retired instruction.
class Recorder final : public sim::TraceSink {
 public:
  void begin(const Program& program, const sim::Policies& policies, const std::string& catalog) override {
    text_.begin(program, policies, catalog);
    chrome_.begin(program, policies, catalog);
  }
  void retire(const sim::Retired& r) override {
    text_.retire(r);
    chrome_.retire(r);
    records.push_back({r.source->name, engine_name(r.source->engine), r.index, r.line, r.bundle, r.resident, r.function, r.channels, r.elements, r.accumulators, r.note, r.start_ns, r.duration_ns});
  }
  std::string finish() override { return text_.finish(); }
  std::string finish_chrome() { return chrome_.finish(); }

  struct Record {
    std::string stream;
    std::string_view engine;
    std::size_t index;
    std::uint32_t line;
    Bundle bundle;
    std::string resident, function;
    unsigned channels;
    std::uint64_t elements;
    std::vector<float> accumulators;
    std::string note;
    double start_ns, duration_ns;
  };
  std::vector<Record> records;

 private:
  sim::TextTrace text_;
  sim::ChromeTrace chrome_;
};

py::dict record_dict(const Recorder::Record& r) {
  py::dict d;
  d["stream"] = r.stream;
  d["engine"] = r.engine;
  d["index"] = r.index;
  d["line"] = r.line;
  d["opcode"] = opcode_name(r.bundle.opcode());
  d["bytes"] = to_bytes(r.bundle.bytes);
  d["resident"] = r.resident;
  d["function"] = r.function;
  d["channels"] = r.channels;
  d["elements"] = r.elements;
  d["accumulators"] = r.accumulators;
  d["note"] = r.note;
  d["start_ns"] = r.start_ns;
  d["duration_ns"] = r.duration_ns;
  return d;
}

py::dict comparison_dict(sim::Comparison c) {
  py::dict d;
  d["tensor"] = c.tensor;
  d["elements"] = c.elements;
  d["max_ulp"] = c.max_ulp;
  d["mean_ulp"] = c.mean_ulp;
  d["channel"] = c.channel;
  d["element"] = c.element;
  d["value"] = c.value;
  d["exact"] = c.exact;
  d["nan_mismatches"] = c.nan_mismatches;
  d["exact_values"] = to_array(std::move(c.exact_values));
  return d;
}

sim::Policies policies_of(const std::map<std::string, std::string>& choices) {
  sim::Policies policies;
  for (const auto& [name, choice] : choices) unwrap(sim::set_policy(policies, name + "=" + choice));
  return policies;
}

py::list policy_rows() {
  py::list rows;
  for (const sim::PolicyRow& row : sim::all_policies()) {
    py::dict choices;
    for (const sim::PolicyChoice& c : row.choices) choices[py::str(std::string(c.name))] = c.doc;
    py::dict d;
    d["name"] = row.name;
    d["doc"] = row.doc;
    d["choices"] = choices;
    d["default"] = row.choices[0].name;
    rows.append(d);
  }
  return rows;
}

using Inputs = std::vector<std::pair<std::size_t, NpyArray>>;

Inputs inputs_of(const Program& program, const py::dict& arrays) {
  Inputs inputs;
  for (const auto& [key, value] : arrays) {
    const auto name = key.cast<std::string>();
    std::size_t at = 0;
    while (at < program.tensors.size() && program.tensors[at].name != name) ++at;
    if (at == program.tensors.size()) {
      std::string names;
      for (const TensorBinding& t : program.tensors) names += (names.empty() ? "" : ", ") + t.name;
      throw bad_argument(Code::bad_binding, "inputs", name, names, "the program has no tensor of this name");
    }
    inputs.emplace_back(at, from_array(value.cast<py::array>()));
  }
  return inputs;
}

void set_accumulators(sim::Machine& machine, const py::object& values) {
  if (values.is_none()) return;
  for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(values)) {
    const auto array = value.cast<py::array_t<float, py::array::c_style | py::array::forcecast>>();
    sim::Accumulators& bank = machine.accumulators(engine_of(key.cast<std::string>()));
    if (static_cast<std::size_t>(array.size()) != bank.size())
      throw bad_argument(Code::bad_binding, "accumulators", std::to_string(array.size()), std::to_string(bank.size()), "an accumulator bank has one value a channel");
    std::copy_n(array.data(), bank.size(), bank.begin());
  }
}

py::dict accumulators_dict(sim::Machine& machine) {
  py::dict d;
  for (const Engine engine : {Engine::ACT, Engine::DVE}) {
    const sim::Accumulators& bank = machine.accumulators(engine);
    d[py::str(std::string(engine_name(engine)))] = py::array_t<float>(static_cast<py::ssize_t>(bank.size()), bank.data());
  }
  return d;
}

struct RunFlags {
  unsigned threads = 1;
  bool load_by_name = false, device_tables = false, trace = false, compare = false;
};

// `module`: executed in program order, with `program` the frame of its tensors; none: the program's streams.
py::dict run(const std::shared_ptr<Program>& program, const std::shared_ptr<ir::Module>& module, const std::shared_ptr<Catalog>& catalog, const std::map<std::string, std::string>& choices,
             const py::dict& arrays, const py::object& accumulators, const std::string& resident, const RunFlags& flags) {
  Recorder recorder;
  sim::RunOptions options;
  options.policies = policies_of(choices);
  options.catalog = catalog.get();
  options.limits.threads = flags.threads;
  options.limits.load_by_name = flags.load_by_name;
  options.source = flags.device_tables ? sim::FunctionSource::device : sim::FunctionSource::catalog;
  options.trace = flags.trace ? &recorder : nullptr;
  const Inputs inputs = inputs_of(*program, arrays);
  sim::Simulator simulator(*program, options);
  set_accumulators(simulator.machine(), accumulators);
  std::vector<std::pair<std::string, NpyArray>> outputs;
  std::vector<sim::Comparison> comparisons;
  {
    py::gil_scoped_release release;
    for (const auto& [at, array] : inputs) unwrap(simulator.load(program->tensors[at], array));
    const auto execute = [&](sim::Simulator& x) {
      if (!resident.empty() && !sim::make_resident(resident, x)) return false;
      return module != nullptr ? sim::run_module(*module, {}, x) : x.run();
    };
    if (!execute(simulator)) throw Failure(simulator.reports());
    for (const TensorBinding& t : program->tensors)
      if (t.role == TensorBinding::Role::output || t.role == TensorBinding::Role::both) outputs.emplace_back(t.name, unwrap(simulator.store(t)));
    if (flags.compare) comparisons = unwrap(sim::compare_exact(*program, options, inputs, simulator, execute));
  }
  py::dict result, named;
  for (auto& [name, array] : outputs) named[py::str(name)] = to_array(std::move(array));
  result["outputs"] = named;
  result["warnings"] = simulator.reports();
  py::list records, compared;
  for (const Recorder::Record& r : recorder.records) records.append(record_dict(r));
  for (sim::Comparison& c : comparisons) compared.append(comparison_dict(std::move(c)));
  result["records"] = records;
  result["text"] = flags.trace ? recorder.finish() : "";
  result["chrome"] = flags.trace ? recorder.finish_chrome() : "";
  result["comparisons"] = compared;
  result["accumulators"] = accumulators_dict(simulator.machine());
  result["instructions"] = simulator.retired();
  result["estimated_ns"] = simulator.estimated_ns();
  return result;
}

}  // namespace

void bind_sim(py::module_& m) {
  m.def("module_frame", [](const ir::Module& module, bool streams) {
    auto frame = std::make_shared<Program>(sim::frame_of(module));
    if (!streams) frame->streams.clear();
    return frame;
  }, py::arg("module"), py::arg("streams"), "Generation, tensors and registers of a module, with an empty stream per engine or with none.");
  m.def("policies", &policy_rows);
  m.def("check_policies", [](const std::map<std::string, std::string>& choices) { (void)policies_of(choices); });
  m.def("run", [](const std::shared_ptr<Program>& program, const std::shared_ptr<ir::Module>& module, const std::shared_ptr<Catalog>& catalog, const std::map<std::string, std::string>& policies,
                  const py::dict& inputs, const py::object& accumulators, const std::string& resident, unsigned threads, bool load_by_name, bool device_tables, bool trace, bool compare) {
    return run(program, module, catalog, policies, inputs, accumulators, resident, {threads, load_by_name, device_tables, trace, compare});
  }, py::arg("program"), py::arg("module"), py::arg("catalog"), py::arg("policies"), py::arg("inputs"), py::arg("accumulators"), py::arg("resident"), py::arg("threads"), py::arg("load_by_name"),
        py::arg("device_tables"), py::arg("trace"), py::arg("compare"));
}

}  // namespace act::python
