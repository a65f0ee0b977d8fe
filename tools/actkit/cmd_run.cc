// actkit run: simulates a program.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "act/isa/check.h"
#include "act/passes/passes.h"
#include "act/sim/compare.h"
#include "act/sim/module_run.h"
#include "act/sim/simulator.h"
#include "act/tables/embedded.h"
#include "command.h"
#include "program_input.h"

namespace act::tool {
namespace {

struct Options {
  ProgramInput program;
  std::string generation, catalog{kDefaultCatalog}, trace, compare, tables = "catalog", fill, undefined;
  std::vector<std::string> in, out, registers, shape_registers, policies;
  bool allow_tonga_ids = false, list_policies = false, dump_state = false, load_by_name = false, unchecked = false, json = false;
  unsigned threads = 1, print = 0;
};

Diagnostic usage(std::string field, std::string message, std::string value) {
  Diagnostic d = make_error(Code::bad_value, std::move(message));
  d.field = std::move(field);
  d.value = std::move(value);
  return d;
}

bool parse_number(std::string_view text, std::uint64_t& value) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

// NAME, or ADDRESS:DTYPE[:SHAPE] with the shape as 128x512; the shape may be left out where an array gives it.
Result<TensorBinding> address_form(const std::string& text, const std::string& option, const NpyArray* array) {
  const auto [address, rest] = split(text, ':');
  const auto [type, shape] = split(rest, ':');
  std::uint64_t addr = 0;
  if (!parse_number(address, addr) || addr > kAddressMask) return usage(option, "neither a tensor of the program nor ADDRESS:DTYPE[:SHAPE]", text);
  TensorBinding b;
  b.name = text;
  b.addr = static_cast<std::uint32_t>(addr);
  const DtypeRow* dtype = find_dtype(type);
  if (dtype == nullptr) return usage(option, "no such data type", type);
  b.dtype = dtype->dtype;
  if (shape.empty() && array != nullptr) b.shape = array->shape;
  for (std::string left = shape; !left.empty();) {
    const auto [first, others] = split(left, 'x');
    std::uint64_t n = 0;
    if (!parse_number(first, n)) return usage(option, "a shape is numbers with x between them", shape);
    b.shape.push_back(n);
    left = others;
  }
  if (b.shape.empty()) return usage(option, "the shape is missing", text);
  return b;
}

const TensorBinding* named(const Program& program, const std::string& name) {
  for (const TensorBinding& t : program.tensors)
    if (t.name == name) return &t;
  return nullptr;
}

// Where an --in or --out goes: a tensor of the program by name, or one described on the command line, which joins them.
Result<std::size_t> binding(Program& program, const std::string& name, const std::string& option, TensorBinding::Role role, const NpyArray* array) {
  if (const TensorBinding* t = named(program, name)) return static_cast<std::size_t>(t - program.tensors.data());
  Result<TensorBinding> described = address_form(name, option, array);
  if (!described) return std::move(described).error();
  described->role = role;
  program.tensors.push_back(std::move(*described));
  return program.tensors.size() - 1;
}

Status set_registers(Program& program, const Options& o) {
  for (const std::string& text : o.registers) {
    const auto [number, value] = split(text, '=');
    std::uint64_t n = 0, v = 0;
    if (!parse_number(number, n) || n >= kAddressRegisters || !parse_number(value, v) || v > 0xFFFFFFFF)
      return usage("--reg", "a register is N=VALUE with N 0..63 and a 32-bit value", text);
    program.registers.push_back({static_cast<std::uint8_t>(n), static_cast<std::uint32_t>(v)});
  }
  for (const std::string& text : o.shape_registers) {
    const auto [number, dims] = split(text, '=');
    std::uint64_t n = 0;
    ShapeRegisterInit init;
    bool ok = parse_number(number, n) && n < kAddressRegisters && !dims.empty();
    for (std::string left = dims; ok && !left.empty();) {
      const auto [first, others] = split(left, ',');
      const auto [count, step] = split(first, ':');
      std::uint64_t c = 0, s = 0;
      const bool negative = step.starts_with('-');
      ok = init.shape.dims < 4 && parse_number(count, c) && c >= 1 && c <= 65535 && parse_number(negative ? step.substr(1) : step, s) && s <= 32767;
      if (!ok) break;
      init.shape.num[init.shape.dims] = static_cast<std::uint16_t>(c);
      init.shape.step[init.shape.dims++] = static_cast<std::int16_t>(negative ? -static_cast<int>(s) : static_cast<int>(s));
      left = others;
    }
    if (!ok) return usage("--shape-reg", "a shape register is N=COUNT:STEP[,COUNT:STEP…], up to four dimensions, dimension 0 first", text);
    init.number = static_cast<std::uint8_t>(n);
    program.shape_registers.push_back(init);
  }
  return Done{};
}

void print_policies(const sim::Policies& policies) {
  const auto rows = sim::all_policies();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::printf("%.*s: %.*s\n", static_cast<int>(rows[i].name.size()), rows[i].name.data(), static_cast<int>(rows[i].doc.size()), rows[i].doc.data());
    for (std::size_t c = 0; c < rows[i].choices.size(); ++c) {
      const sim::PolicyChoice& choice = rows[i].choices[c];
      std::printf("  %c %-16.*s %.*s%s\n", c == sim::policy_choice(policies, i) ? '*' : ' ', static_cast<int>(choice.name.size()), choice.name.data(),
                  static_cast<int>(choice.doc.size()), choice.doc.data(), c == 0 ? " (default)" : "");
    }
  }
}

std::optional<sim::Policies> policies_of(const Options& o, Reporter& reporter) {
  sim::Policies policies;
  std::vector<std::string> all = o.policies;
  if (!o.fill.empty()) all.push_back("fill=" + o.fill);
  if (!o.undefined.empty()) all.push_back("undefined=" + o.undefined);
  for (const std::string& p : all)
    if (!ok_or_report(sim::set_policy(policies, p), reporter)) return std::nullopt;
  return policies;
}

// The first elements of channel 0 of every input and output; outputs with their exact values where they were compared.
void print_tensors(const Program& program, const sim::Simulator& simulator, const std::vector<sim::Comparison>& comparisons, unsigned count) {
  const NumericPolicy policy = simulator.machine().policies().numeric();
  for (const TensorBinding& t : program.tensors) {
    if (t.role == TensorBinding::Role::scratch) continue;
    const Result<NpyArray> array = simulator.store(t);
    if (!array) continue;
    const sim::Comparison* compared = nullptr;
    for (const sim::Comparison& c : comparisons)
      if (c.tensor == t.name) compared = &c;
    std::printf("%s %s, channel 0\n", t.role == TensorBinding::Role::input ? "input" : "output", t.name.c_str());
    const std::uint64_t shown = std::min<std::uint64_t>(count, array->count() / t.shape[0]);
    for (std::uint64_t i = 0; i < shown; ++i) {
      std::printf("  [%llu] %-16.9g", static_cast<unsigned long long>(i), static_cast<double>(widen(t.dtype, array->bits(i), policy)));
      if (compared != nullptr) {
        const std::uint64_t exact = compared->exact_values.bits(i);
        std::printf(" exact %-16.9g %llu ULP", static_cast<double>(widen(t.dtype, exact, policy)),
                    static_cast<unsigned long long>(sim::code_distance(t.dtype, array->bits(i), exact)));
      }
      std::printf("\n");
    }
  }
}

void print_summary(const Options& o, const sim::Simulator& simulator, const std::vector<sim::Comparison>& comparisons) {
  if (o.json) {
    nlohmann::ordered_json j;
    j["instructions"] = simulator.retired();
    j["estimated_ns"] = simulator.estimated_ns();
    for (const sim::Comparison& c : comparisons) {
      nlohmann::ordered_json entry{{"tensor", c.tensor}, {"elements", c.elements}, {"max_ulp", c.max_ulp}, {"mean_ulp", c.mean_ulp}, {"channel", c.channel}, {"element", c.element}};
      j["compare"].push_back(entry);
    }
    std::printf("%s\n", j.dump().c_str());
    return;
  }
  for (const sim::Comparison& c : comparisons) std::printf("%s\n", sim::to_text(c).c_str());
}

// Rules whose violation the machine reports itself when it gets there, with channel, element and address.
bool machine_reports(std::string_view rule) {
  return rule == rule_info(Rule::tensor_bounds).name || rule == rule_info(Rule::has_valid_neuron_header).name || rule == rule_info(Rule::unsupported_opcode).name;
}

// Refuses instructions that break rules; with --unchecked they are warnings.
bool check_rules(const Program& program, const Options& o, Reporter& reporter) {
  bool clean = true;
  for (Diagnostic& d : check_program(program, {})) {
    if (d.severity != Severity::error || machine_reports(d.rule)) continue;  // the run itself warns of what it meets
    if (o.unchecked) d.severity = Severity::warning;
    if (d.where.file.empty()) d.where.file = o.program.path;
    clean = clean && o.unchecked;
    reporter.report(d);
  }
  return clean;
}

// A module without loads gets them by the default passes.
bool lower_module(ir::Module& module, const Catalog& catalog, const std::string& path, Reporter& reporter) {
  if (module.lowered) return true;
  passes::Options options;
  options.sets = passes::act_sets(catalog);
  Diagnostics notes;
  Result<ir::Module> lowered = passes::lower(std::move(module), options, notes);
  if (!lowered) notes.insert(notes.end(), lowered.error().begin(), lowered.error().end());
  for (Diagnostic& d : notes) {
    if (d.where.file.empty()) d.where.file = path;
    reporter.report(d);
  }
  if (!lowered) return false;
  module = std::move(*lowered);
  return true;
}

void run(const Options& o, Reporter& reporter) {
  reporter.set_json(o.json);
  const std::optional<sim::Policies> policies = policies_of(o, reporter);
  if (!policies) return;
  if (o.list_policies) return print_policies(*policies);
  ProgramInput input = o.program;
  if (!o.generation.empty()) input.generation = find_generation(o.generation);
  std::optional<LoadedProgram> loaded = read_program(input, reporter);
  if (!loaded) return;
  Program* const program = &loaded->program;
  std::optional<ir::Module>& module = loaded->module;
  Diagnostics warnings;
  const std::optional<Catalog> catalog = value_or_report(open_catalog(o.catalog, warnings, container_opener()), reporter);
  reporter.report(warnings);
  if (!catalog) return;
  if (catalog->id_space == IdSpace::tonga && !o.allow_tonga_ids)
    return reporter.report(usage("--catalog", "the function codes of this catalog are those of the first generation; --allow-tonga-ids accepts them", o.catalog));
  if (!check_rules(*program, o, reporter) || !ok_or_report(set_registers(*program, o), reporter)) return;
  if (module && !lower_module(*module, *catalog, input.path, reporter)) return;
  const auto execute = [&](sim::Simulator& s) {
    if (module) return sim::run_module(*module, {}, s);
    return (loaded->act_set.empty() || sim::make_resident(loaded->act_set, s)) && s.run();
  };

  std::vector<std::pair<std::size_t, NpyArray>> inputs;
  for (const std::string& text : o.in) {
    const auto [name, file] = split(text, '=');
    if (file.empty()) return reporter.report(usage("--in", "an input is NAME=FILE.npy or ADDRESS:DTYPE[:SHAPE]=FILE.npy", text));
    std::optional<NpyArray> array = value_or_report(read_npy(file), reporter);
    if (!array) return;
    const std::optional<std::size_t> at = value_or_report(binding(*program, name, "--in", TensorBinding::Role::input, &*array), reporter);
    if (!at) return;
    inputs.emplace_back(*at, std::move(*array));
  }
  std::vector<std::pair<std::size_t, std::string>> outputs;
  for (const std::string& text : o.out) {
    const auto [name, file] = split(text, '=');
    if (file.empty()) return reporter.report(usage("--out", "an output is NAME=FILE.npy or ADDRESS:DTYPE:SHAPE=FILE.npy", text));
    const std::optional<std::size_t> at = value_or_report(binding(*program, name, "--out", TensorBinding::Role::output, nullptr), reporter);
    if (!at) return;
    outputs.emplace_back(*at, file);
  }

  std::unique_ptr<sim::TraceSink> trace;
  if (!o.trace.empty()) {
    if (o.trace.ends_with(".json")) trace = std::make_unique<sim::ChromeTrace>();
    else trace = std::make_unique<sim::TextTrace>();
  }
  sim::RunOptions options;
  options.policies = *policies;
  options.catalog = &*catalog;
  options.limits.threads = o.threads;
  options.limits.load_by_name = o.load_by_name;
  options.source = o.tables == "device" ? sim::FunctionSource::device : sim::FunctionSource::catalog;
  options.trace = trace.get();
  sim::Simulator simulator(*program, options);
  const auto report_all = [&](Diagnostics list) {
    for (Diagnostic& d : list) {
      if (d.where.file.empty()) d.where.file = input.path;
      reporter.report(d);
    }
  };
  for (const auto& [at, array] : inputs)
    if (const Status filled = simulator.load(program->tensors[at], array); !filled) return report_all(filled.error());
  const bool clean = execute(simulator);
  report_all(simulator.reports());
  if (trace != nullptr && !ok_or_report(write_text(o.trace, trace->finish()), reporter)) return;
  if (o.dump_state) std::printf("%s", simulator.machine().dump().c_str());
  if (!clean) return;
  std::vector<NpyArray> results;  // all of them before the first is written
  for (const auto& [at, file] : outputs) {
    Result<NpyArray> array = simulator.store(program->tensors[at]);
    if (!array) return report_all(array.error());
    results.push_back(std::move(*array));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (!ok_or_report(write_npy(outputs[i].second, results[i]), reporter)) return;
  std::vector<sim::Comparison> comparisons;
  if (!o.compare.empty()) {
    std::optional<std::vector<sim::Comparison>> made = value_or_report(sim::compare_exact(*program, options, inputs, simulator, execute), reporter);
    if (!made) return;
    comparisons = std::move(*made);
  }
  if (o.print != 0) print_tensors(*program, simulator, comparisons, o.print);
  print_summary(o, simulator, comparisons);
}

}  // namespace

void add_run(CLI::App& app, Reporter& reporter) {
  auto options = std::make_shared<Options>();
  Options& o = *options;
  CLI::App* c = add_command(app, "run", "Simulates a program, bit for bit with the tables of a catalog",
                            "  actkit run examples/softmax.act --in rows=rows.npy --out y=y.npy --trace -\n"
                            "  actkit run examples/w7_router.json --in logits=examples/data/w7_router/logits.npy --print 8 --compare exact\n"
                            "  actkit run prog.bin --in 0x0:fp32=x.npy --out 0x1000:bf16:128x512=y.npy\n"
                            "  actkit run --policies");
  c->add_option("program", o.program.path, "bundles, text, JSON lines, a directory of engine streams, a container, a module, or - for standard input");
  c->add_option("--gen", o.generation, "generation: sunda, cayman, mariana, maverick or v2..v5 (default: what the program says, else cayman)")
      ->check([](const std::string& name) { return find_generation(name) ? std::string{} : "no such generation: " + name; });
  c->add_option("--catalog", o.catalog, "table catalog: an embedded one, a directory or a container")->capture_default_str();
  c->add_flag("--allow-tonga-ids", o.allow_tonga_ids, "accept a catalog with first-generation function codes");
  c->add_option("--in", o.in, "NAME=FILE.npy, or ADDRESS:DTYPE[:SHAPE]=FILE.npy: data before the run")->allow_extra_args(false);
  c->add_option("--out", o.out, "NAME=FILE.npy, or ADDRESS:DTYPE:SHAPE=FILE.npy: data after the run")->allow_extra_args(false);
  c->add_option("--reg", o.registers, "N=VALUE: content of address register N")->allow_extra_args(false);
  c->add_option("--shape-reg", o.shape_registers, "N=COUNT:STEP[,COUNT:STEP…]: content of shape register N")->allow_extra_args(false);
  add_stream_options(*c, o.program.streams);
  c->add_option("--policy", o.policies, "NAME=CHOICE: decide a point that the documentation leaves open")->allow_extra_args(false);
  c->add_flag("--policies", o.list_policies, "list all policies with their choices and stop");
  c->add_option("--fill", o.fill, "what unwritten memory holds: nan or zero (policy fill)");
  c->add_option("--undefined", o.undefined, "reads of unwritten memory: ignore, warn or error (policy undefined)");
  c->add_option("--tables", o.tables, "evaluate through the catalog or through the four device tables")->check(CLI::IsMember({"catalog", "device"}));
  c->add_flag("--unchecked", o.unchecked, "execute instructions that break rules of `check` too, with warnings");
  c->add_flag("--load-by-name", o.load_by_name, "execute PSEUDO_LOAD_ACT_FUNC_SET");
  c->add_option("--trace", o.trace, "one line per instruction; with a name in .json a Chrome trace with estimated times");
  c->add_option("--compare", o.compare, "exact: error of every output tensor against the same program with exact functions")->check(CLI::IsMember({"exact"}));
  c->add_option("--print", o.print, "print the first N elements of every input and output; with --compare beside the exact values");
  c->add_flag("--dump-state", o.dump_state, "print the state of the machine after the run");
  c->add_option("--threads", o.threads, "threads; the results do not depend on their number")->check(CLI::Range(1, 256));
  c->add_flag("--json", o.json, "machine-readable reports and summary");
  c->callback([options, &reporter] {
    if (options->program.path.empty() && !options->list_policies) throw CLI::RequiredError("program");
    run(*options, reporter);
  });
}

}  // namespace act::tool
