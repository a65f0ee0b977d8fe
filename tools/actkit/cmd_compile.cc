// actkit compile: a module through the lowering passes and code generation.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "act/ir/json.h"
#include "act/ir/verify.h"
#include "act/passes/artifacts.h"
#include "act/passes/passes.h"
#include "act/passes/report.h"
#include "act/sim/cost.h"
#include "input.h"
#include "pwp.h"

namespace act::tool {
namespace {

constexpr std::string_view kLoweredFile = "lowered.json", kReportFile = "residency.json";

struct CompileArguments {
  std::string input, output, neff;
  std::string catalog{kDefaultCatalog};
  std::string cover = "greedy", table_mode = "dynamic", load_form = "index", mode = "generate";
  std::string idle_accumulator = "idle", prologue = "off", dynamic_pwp = "off";
  std::optional<std::string> passes;
  std::vector<std::string> print_after;
  std::optional<Generation> generation;
  std::uint64_t optimal_limit_ms = 10000, unroll_limit = passes::Options{}.unroll_limit;
  bool allow_tonga_ids = false, allow_named_loads = false, constant_registers = false, per_instruction = false;
  bool report = false, json = false, force = false;
};

bool is_on(const std::string& text) { return text == "on"; }

// Everything of one run; each step reports what is wrong and returns false.
class Compiler {
 public:
  Compiler(const CompileArguments& a, Reporter& reporter) : a_(a), reporter_(reporter) {}

  void run() {
    settings();
    if (!open_tables() || !read() || !lower() || !generate() || !write()) return;
    if (a_.report) print_report();
    else print_summary();
  }

 private:
  bool fail(Diagnostic d) {
    reporter_.report(d);
    return false;
  }
  bool usage(std::string field, std::string message, std::string value) {
    Diagnostic d = make_error(Code::bad_value, std::move(message));
    d.field = std::move(field);
    d.value = std::move(value);
    return fail(std::move(d));
  }
  // Errors of the library know no file.
  bool fail_all(Diagnostics list) {
    for (Diagnostic& d : list) {
      if (d.where.file.empty()) d.where.file = a_.input;
      reporter_.report(d);
    }
    return false;
  }

  // Wrong options are told like those that the parser finds.
  template <class T>
  static T value_or_throw(const std::string& option, Result<T> result) {
    if (result) return std::move(*result);
    const Diagnostic& d = result.error()[0];
    throw CLI::ValidationError(option, fmt::format("{}; found {}, allowed {}", d.message, d.value, d.allowed));
  }

  void settings() {
    codegen_.mode = value_or_throw("--mode", passes::find_codegen_mode(a_.mode));
    const bool generates = codegen_.mode == passes::CodegenMode::generate;
    if (generates && a_.output.empty()) throw CLI::RequiredError("--output");
    if (!generates && !a_.neff.empty()) throw CLI::ValidationError("--neff", "a container is written only in the mode generate");
    if (a_.passes) {
      passes_ = value_or_throw("--passes", passes::parse_pass_list(*a_.passes));
    } else {
      for (const passes::Pass& p : passes::all_passes()) passes_.push_back(&p);
    }
    for (const std::string& name : a_.print_after)
      if (name != "all" && std::ranges::find(passes_, name, &passes::Pass::name) == passes_.end()) throw CLI::ValidationError("--print-after", "no pass of this name runs: " + name);
    options_.cover = a_.cover == "optimal" ? passes::Cover::optimal : a_.cover == "first-fit" ? passes::Cover::first_fit : passes::Cover::greedy;
    options_.table_mode = a_.table_mode == "static" ? passes::TableMode::fixed : passes::TableMode::dynamic;
    options_.load_form = a_.load_form == "name" ? passes::LoadForm::name : passes::LoadForm::index;
    options_.allow_named_loads = a_.allow_named_loads;
    options_.optimal_limit = std::chrono::milliseconds(a_.optimal_limit_ms);
    options_.unroll_limit = a_.unroll_limit;
    options_.constant_registers = a_.constant_registers;
    codegen_.stream_prologue = is_on(a_.prologue);
  }

  bool open_tables() {
    auto folder = open_folder_or_report(a_.catalog, reporter_);
    const auto catalog = open_catalog_or_report(a_.catalog, reporter_);
    if (!folder || !catalog) return false;
    folder_ = std::move(*folder);
    if (catalog->id_space == IdSpace::tonga && !a_.allow_tonga_ids)
      return usage("--catalog", "the function codes of this catalog are those of the first generation; --allow-tonga-ids accepts them", a_.catalog);
    options_.sets = passes::act_sets(*catalog);
    for (const passes::ActSet& s : options_.sets) codegen_.encode.sets.push_back(s.name);
    codegen_.encode.functions = ir::function_codes(*catalog);
    codegen_.encode.load_form = options_.load_form;
    codegen_.encode.allow_named_loads = a_.allow_named_loads;
    codegen_.encode.idle_clears = a_.idle_accumulator == "clear";
    return true;
  }

  bool read() {
    const auto bytes = value_or_report(read_file(a_.input, std::uint64_t{4} << 30), reporter_);
    if (!bytes) return false;
    ir::ReadLimits limits;
    limits.generation = a_.generation;
    auto module = ir::read_module(as_text(*bytes), a_.input, limits);
    if (!module) return fail_all(std::move(module).error());
    Diagnostics problems;
    ir::verify_module(*module, a_.input, problems);
    if (!problems.empty()) fail_all(problems);
    if (has_errors(problems)) return false;
    codegen_.encode.generation = module->generation;
    module_ = std::move(*module);
    return true;
  }

  // Passes that prepare code generation; the module before them is the one that is written as lowered.
  static bool is_preparation(const passes::Pass& p) { return p.name == "unroll" || p.name == "sync"; }

  bool lower() {
    tracker_.start(module_);
    const auto last = std::find_if(passes_.rbegin(), passes_.rend(), [](const passes::Pass* p) { return !is_preparation(*p); }).base();
    const std::size_t lowering = static_cast<std::size_t>(last - passes_.begin());
    const auto after = [&](const passes::Pass& p, const ir::Module& m) {
      tracker_.after(p.name, m);
      for (const std::string& name : a_.print_after)
        if (name == "all" || name == p.name) fmt::print("after {}:\n{}", p.name, ir::write_module(m));
    };
    const auto step = [&](std::span<const passes::Pass* const> list) {
      Diagnostics notes;
      auto m = passes::run_passes(std::move(module_), list, options_, notes, after);
      fail_all(std::move(notes));
      if (!m) return fail_all(std::move(m).error());
      module_ = std::move(*m);
      return true;
    };
    if (!step(std::span(passes_).first(lowering))) return false;
    lowered_text_ = ir::write_module(module_);
    report_ = tracker_.finish(module_, options_, sim::estimated_ns(static_cast<std::uint8_t>(Opcode::ACTIVATION_TABLE_LOAD), Engine::ACT, 0));
    if (!step(std::span(passes_).subspan(lowering))) return false;
    if (passes::is_straight_line(module_)) return true;
    const passes::Pass* const unroll[] = {passes::find_pass("unroll")};
    return step(unroll);
  }

  bool generate() {
    auto code = passes::generate_code(module_, codegen_);
    if (!code) return fail_all(std::move(code).error());
    code_ = std::move(*code);
    used_sets_ = passes::used_set_names(module_, code_, codegen_.encode.sets);
    return true;
  }

  std::string collected_json() const {
    std::string out;
    for (const passes::CollectedOpcodes& c : code_.collected) out += nlohmann::ordered_json{{"name", c.name}, {"opcodes", c.codes}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    return out;
  }

  bool write() {
    Bytes container;
    if (!a_.neff.empty()) {
      passes::ContainerOptions o;
      o.name = std::filesystem::path(a_.neff).filename().string();
      o.dynamic_pwp = is_on(a_.dynamic_pwp);
      o.stream_prologue = codegen_.stream_prologue;
      auto bytes = passes::container_of(module_, code_, used_sets_, *folder_, o);
      if (!bytes) return fail_all(std::move(bytes).error());
      container = std::move(*bytes);
    }
    if (a_.output.empty()) return true;
    auto staged = value_or_report(StagedDirectory::create(a_.output, a_.force), reporter_);
    if (!staged || !fill(*staged)) return false;
    if (!a_.neff.empty() && !ok_or_report(write_file(a_.neff, container), reporter_)) return false;
    return ok_or_report(staged->commit(), reporter_);
  }

  bool fill(StagedDirectory& out) {
    for (const auto& [name, data] : passes::engine_files(code_, used_sets_, a_.per_instruction))
      if (!ok_or_report(out.write(name, data), reporter_)) return false;
    if (codegen_.mode == passes::CodegenMode::collect && !ok_or_report(out.write("opcodes.jsonl", collected_json()), reporter_)) return false;
    return ok_or_report(out.write(kLoweredFile, lowered_text_), reporter_) && ok_or_report(out.write(kReportFile, passes::report_json(report_) + "\n"), reporter_);
  }

  void print_report() const {
    if (a_.json) fmt::print("{}\n", passes::report_json(report_));
    else fmt::print("{}", passes::report_text(report_));
  }

  void print_summary() const {
    if (codegen_.mode == passes::CodegenMode::collect) return print_collected();
    nlohmann::ordered_json streams = nlohmann::ordered_json::object(), histogram = nlohmann::ordered_json::object();
    for (const Stream& s : code_.program.streams) streams[s.name] = s.bundles.size();
    for (unsigned c = 0; c < 256; ++c)
      if (code_.histogram[c] != 0) histogram[opcode_name(static_cast<std::uint8_t>(c))] = code_.histogram[c];
    if (a_.json) {
      fmt::print("{}\n", nlohmann::ordered_json{{"instructions", code_.instructions}, {"streams", streams}, {"opcodes", histogram}, {"sets", used_sets_}, {"loads", report_.loads()}}.dump());
      return;
    }
    fmt::print("{}: {} instruction{}, {} table load{}\n", a_.input, code_.instructions, code_.instructions == 1 ? "" : "s", report_.loads(), report_.loads() == 1 ? "" : "s");
    for (const Stream& s : code_.program.streams) fmt::print("  {}.bin: {} bundle{}\n", s.name, s.bundles.size(), s.bundles.size() == 1 ? "" : "s");
  }

  void print_collected() const {
    if (a_.json) return fmt::print("{}", collected_json());
    for (const passes::CollectedOpcodes& c : code_.collected) {
      fmt::print("{}:", c.name);
      for (const std::uint8_t code : c.codes) fmt::print(" {} ({})", code, opcode_name(code));
      fmt::print("\n");
    }
  }

  const CompileArguments& a_;
  Reporter& reporter_;
  passes::Options options_;
  passes::CodegenOptions codegen_;
  std::vector<const passes::Pass*> passes_;
  std::unique_ptr<Folder> folder_;
  ir::Module module_;
  std::string lowered_text_;
  passes::ReportTracker tracker_;
  passes::Report report_;
  passes::GeneratedCode code_;
  std::vector<std::string> used_sets_;
};

void add_options(CLI::App& c, CompileArguments& a) {
  c.add_option("MODULE", a.input, "A module as JSON; - is standard input")->required();
  c.add_option("-o,--output", a.output, "Directory for engine streams, lowered.json and residency.json; made by this command, or empty");
  c.add_flag("--force", a.force, "Replace a directory that is not empty");
  add_generation_option(c, a.generation);
  c.add_option("--catalog", a.catalog, "Table catalog: an embedded one, a directory or a container")->capture_default_str();
  c.add_flag("--allow-tonga-ids", a.allow_tonga_ids, "Accept a catalog with first-generation function codes, and encode those");
  c.add_option("--cover", a.cover, "How table sets are chosen")->check(CLI::IsMember({"greedy", "first-fit", "optimal"}))->capture_default_str();
  c.add_option("--optimal-limit", a.optimal_limit_ms, "Milliseconds after which the optimal cover gives way to the greedy one")->capture_default_str();
  c.add_option("--act-table-mode", a.table_mode, "Loads in the stream, or one set that is resident from the start")->check(CLI::IsMember({"dynamic", "static"}))->capture_default_str();
  c.add_option("--act-load-form", a.load_form, "Loads by set index (0x23) or by set name (0xC6)")->check(CLI::IsMember({"index", "name"}))->capture_default_str();
  c.add_flag("--allow-named-loads", a.allow_named_loads, "Loads by name below core_v5 and for several sets");
  c.add_option("--idle-accumulator", a.idle_accumulator, "clear writes ZERO_ACCUMULATE for the accumulate type Idle")->check(CLI::IsMember({"idle", "clear"}))->capture_default_str();
  c.add_option("--stream-prologue", a.prologue, "Begin every stream as those of real containers do")->check(CLI::IsMember({"on", "off"}))->capture_default_str();
  c.add_option("--neff", a.neff, "Also write a whole container");
  c.add_option("--neff-dynamic-pwp", a.dynamic_pwp, "Feature bit 0x40 in the container")->check(CLI::IsMember({"on", "off"}))->capture_default_str();
  c.add_option("--mode", a.mode, "generate, check or collect, or the published name: write streams, only check the bundles, only list opcodes")->capture_default_str();
  c.add_option("--passes", a.passes, "Passes to run, in this order, with commas between them (default: all)");
  c.add_option("--print-after", a.print_after, "Print the module behind this pass; all: behind every pass")->allow_extra_args(false);
  c.add_option("--unroll-limit", a.unroll_limit, "Instructions of the straight-line module at most")->capture_default_str();
  c.add_flag("--constant-registers", a.constant_registers, "Let the module's register values decide branches");
  c.add_flag("--dump-bin-per-inst", a.per_instruction, "One more file for each instruction");
  c.add_flag("--report", a.report, "Print the residency report in place of the summary");
  c.add_flag("--json", a.json, "Machine-readable output and diagnostics");
}

}  // namespace

void add_compile(CLI::App& app, Reporter& reporter) {
  auto arguments = std::make_shared<CompileArguments>();
  CLI::App* command = add_command(app, "compile", "Lower a module: choose table sets, place loads, generate engine streams and a report of what is resident when",
                                  "  actkit compile examples/attention.json -o out --report\n"
                                  "  actkit compile examples/attention.json --cover optimal --neff attention.neff -o out");
  add_options(*command, *arguments);
  command->callback([arguments, &reporter] {
    reporter.set_json(arguments->json);
    Compiler(*arguments, reporter).run();
  });
}

}  // namespace act::tool
