// actkit check: validates instructions, text, JSON lines, containers and catalogs.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "act/asm/json_lines.h"
#include "act/asm/text.h"
#include "act/ir/json.h"
#include "act/ir/verify.h"
#include "act/isa/check.h"
#include "act/passes/act_sets.h"
#include "act/tables/check.h"
#include "input.h"
#include "pwp.h"

namespace act::tool {
namespace {

struct CheckArguments {
  std::vector<std::string> files;
  std::string catalog{kDefaultCatalog};
  bool catalog_given = false;
  std::optional<Generation> generation;
  StreamChoice choice;
  bool lenient = false, final_stream = false, json = false;
};

// Where the last custom-op header stood: what is missing behind it is told at a later line.
struct HeaderPlace {
  std::optional<std::uint64_t> instruction;
  std::uint32_t line = 0;
  std::string text;

  void note(const Bundle& b, std::uint64_t index, std::uint32_t number, std::string_view source = {}) {
    if (b.opcode() == static_cast<std::uint8_t>(Opcode::CUSTOM_OP_HEADER)) *this = {index, number, std::string(source)};
  }
  bool holds(const Diagnostic& d) const { return instruction.has_value() && d.where.instruction == instruction; }
};

// Counts what a file gave, and passes it on.
class FileReport {
 public:
  FileReport(std::string label, Reporter& reporter) : label_(std::move(label)), reporter_(reporter) {}

  void add(Diagnostic d, std::string_view line = {}) {
    if (d.where.file.empty()) d.where.file = label_;
    if (d.severity != Severity::note) ++(d.severity == Severity::error ? errors_ : warnings_);
    reporter_.report(d, line);
  }
  // The one line that a clean file prints: how much was looked at, and what came of it.
  void finish(const std::string& what) const {
    if (!reporter_.json()) fmt::print("{}: {}, {}, {}\n", label_, what, count(errors_, "error"), count(warnings_, "warning"));
  }
  void finish(std::uint64_t instructions) const { finish(count(instructions, "instruction")); }
  const std::string& label() const { return label_; }

 private:
  static std::string count(std::uint64_t n, std::string_view what) {
    return fmt::format("{} {}{}", n == 0 ? "no" : std::to_string(n), what, n == 1 ? "" : "s");
  }

  std::string label_;
  Reporter& reporter_;
  std::uint64_t errors_ = 0, warnings_ = 0;
};

class Checker {
 public:
  Checker(const CheckArguments& arguments, Reporter& reporter) : arguments_(arguments), reporter_(reporter) {}
  void file(const std::string& path);

 private:
  void directory(const std::string& path);
  void bundles(Input& input);
  void text(Input& input);
  void json_lines(Input& input);
  void container(Input& input);
  void module(Input& input);
  void stream(const neff::StreamView& view, Generation g, const CheckOptions& options);
  bool options_for_catalog();
  // Sets of a container's roster, which is what its loads count (03 section 4).
  std::vector<KnownSet> container_sets(const neff::Container& container, const neff::StreamView& view, const Catalog* catalog) const;

  const CheckArguments& arguments_;
  Reporter& reporter_;
  CheckOptions options_;
  std::optional<Catalog> catalog_;
};

bool Checker::options_for_catalog() {
  options_.lenient = arguments_.lenient;
  options_.final_stream = arguments_.final_stream;
  if (!catalog_) {
    catalog_ = open_catalog_or_report(arguments_.catalog, reporter_);
    if (!catalog_) return false;
    options_.sets = passes::known_sets(*catalog_);
  }
  return true;
}

void Checker::directory(const std::string& path) {
  const DirectoryFolder folder(path);
  FileReport report(path, reporter_);
  if (!folder.contains("act_info.json")) {
    report.add(make_error(Code::bad_value, "a directory is checked as a catalog, and this one has no act_info.json"));
    return;
  }
  for (Diagnostic& d : check_catalog(folder)) report.add(std::move(d));
  report.finish("catalog");
}

void Checker::bundles(Input& input) {
  if (!options_for_catalog()) return;
  FileReport report(input.stream.path(), reporter_);
  StreamChecker checker(arguments_.generation.value_or(kDefaultGeneration), options_);
  Diagnostics found;
  const auto flush = [&] {
    for (Diagnostic& d : found) report.add(std::move(d));
    found.clear();
  };
  const bool whole = for_each_bundle(input.stream, reporter_, [&](const Bundle& b) {
    checker.feed(b, found);
    if (!found.empty()) flush();
    return true;
  });
  if (!whole) return;
  checker.finish(input.stream.window().size(), found);
  flush();
  report.finish(checker.count());
}

void Checker::text(Input& input) {
  if (!options_for_catalog()) return;
  FileReport report(input.stream.path(), reporter_);
  TextAssembler assembler({.file = input.stream.path(), .generation = arguments_.generation.value_or(kDefaultGeneration)},
                          [&report](const Diagnostic& d, std::string_view line) { report.add(d, line); });
  std::optional<StreamChecker> checker;
  Diagnostics found;
  std::uint64_t count = 0;
  HeaderPlace header;
  const auto start = [&] { checker.emplace(assembler.program().generation, options_); };
  const auto flush = [&](std::string_view current) {
    for (Diagnostic& d : found) {
      const std::string_view line = header.holds(d) ? header.text : current;
      d.where.line = header.holds(d) ? header.line : assembler.line_number();
      const Columns columns = line.empty() ? Columns{} : find_operand(line, d.field);
      d.where.column = columns.column;
      d.where.end_column = columns.end_column;
      report.add(std::move(d), line);
    }
    found.clear();
  };
  LineReader lines(input.stream, reporter_);
  std::size_t tail = 0;
  while (const auto line = lines.next()) {
    const auto statement = assembler.line(*line);
    if (statement == TextAssembler::Statement::instruction) {
      if (!checker) start();
      checker->feed(assembler.bundle(), found);
      const std::string_view source = line->ends_with('\r') ? line->substr(0, line->size() - 1) : *line;
      header.note(assembler.bundle(), checker->count() - 1, assembler.line_number(), source);
      ++count;
      flush(source);
    } else if (statement == TextAssembler::Statement::tail) {
      tail = assembler.tail().size();
    } else if (statement == TextAssembler::Statement::stream && checker) {
      checker->finish(0, found);
      flush({});
      header = {};
      start();
    }
    if (assembler.exhausted()) break;
  }
  if (tail != 0 && !checker) start();
  if (checker) checker->finish(tail, found);
  flush({});
  report.finish(count);
}

void Checker::json_lines(Input& input) {
  if (!options_for_catalog()) return;
  FileReport report(input.stream.path(), reporter_);
  // --gen, or what the lines say; a stream ends where they name another engine, graph or generation.
  std::optional<StreamChecker> checker;
  Generation current = kDefaultGeneration;
  std::string stream;
  std::uint64_t count = 0;
  Diagnostics found;
  LineReader lines(input.stream, reporter_);
  HeaderPlace header;
  std::uint32_t number = 0;
  std::size_t tail = 0;
  while (const auto line = lines.next()) {
    ++number;
    if (line->find_first_not_of(" \t\r") == std::string_view::npos) continue;
    auto parsed = bundle_from_json_line(*line, input.stream.path(), number, JsonSource::fields_or_bytes);
    if (!parsed) {
      for (Diagnostic& d : parsed.error()) report.add(std::move(d));
      continue;
    }
    const Generation g = arguments_.generation.value_or(parsed->generation.value_or(kDefaultGeneration));
    // The line of bytes that are no instruction says nothing of its generation.
    const bool other = checker && (stream != parsed->graph + '/' + parsed->engine || (parsed->generation && g != current));
    if (other) checker->finish(std::exchange(tail, 0), found);
    if (!checker || other) {
      checker.emplace(g, options_);
      current = g;
      stream = parsed->graph + '/' + parsed->engine;
    }
    if (parsed->size < kBundleBytes) {
      tail = parsed->size;
    } else {
      checker->feed(parsed->bundle, found);
      header.note(parsed->bundle, checker->count() - 1, number);
      ++count;
    }
    for (Diagnostic& d : found) {
      d.where.line = header.holds(d) ? header.line : number;
      report.add(std::move(d));
    }
    found.clear();
  }
  if (checker) checker->finish(tail, found);
  for (Diagnostic& d : found) report.add(std::move(d));
  report.finish(count);
}

std::vector<KnownSet> Checker::container_sets(const neff::Container& container, const neff::StreamView& view, const Catalog* catalog) const {
  std::vector<KnownSet> sets;
  for (const neff::Graph& graph : container.graphs) {
    if (graph.name != view.graph) continue;
    for (const neff::TableSet& row : graph.sets) {
      const TableSet* set = catalog == nullptr ? nullptr : catalog->find_set(row.name);
      if (set != nullptr) {
        sets.push_back(passes::known_set(*set));
      } else {
        sets.push_back({row.name, std::bitset<256>{}.set()});  // nothing is known of it, so nothing is missing
      }
    }
  }
  return sets;
}

void Checker::stream(const neff::StreamView& view, Generation g, const CheckOptions& options) {
  FileReport report(neff::member_label(arguments_.files.size() == 1 ? arguments_.files[0] : std::string(view.graph), view.member), reporter_);
  Diagnostics found;
  StreamChecker checker(g, options);
  const std::size_t whole = view.bytes.size() / kBundleBytes;
  Bundle b;
  for (std::size_t i = 0; i < whole; ++i) {
    std::memcpy(b.bytes.data(), view.bytes.data() + i * kBundleBytes, kBundleBytes);
    checker.feed(b, found);
    for (Diagnostic& d : found) report.add(std::move(d));
    found.clear();
  }
  checker.finish(view.bytes.size() % kBundleBytes, found);
  for (Diagnostic& d : found) report.add(std::move(d));
  report.finish(checker.count());
}

void Checker::container(Input& input) {
  auto read = read_container_or_report(input, reporter_);
  if (!read) return;
  const auto container = std::make_shared<const neff::Container>(std::move(*read));
  const auto streams = streams_or_report(*container, arguments_.choice, reporter_);
  if (!streams) return;
  std::optional<Catalog> own;
  if (arguments_.catalog_given) {
    if (!options_for_catalog()) return;
    own = catalog_;
  } else if (const neff::ContainerFolder folder(container); folder.contains("act_info.json")) {
    Diagnostics warnings;
    auto catalog = read_catalog(folder, {}, warnings);
    if (catalog) own = std::move(*catalog);
    // What is wrong with the tables themselves is said by `check` of the extracted catalog.
  }
  for (const neff::StreamView& view : *streams) {
    CheckOptions options;
    options.lenient = arguments_.lenient;
    options.final_stream = arguments_.final_stream;
    options.sets = container_sets(*container, view, own ? &*own : nullptr);
    stream(view, arguments_.generation.value_or(generation_of(*container)), options);
  }
}

void Checker::module(Input& input) {
  const auto bytes = value_or_report(read_rest(input.stream), reporter_);
  if (!bytes) return;
  FileReport report(input.stream.path(), reporter_);
  Diagnostics found;
  const auto module = ir::read_module(as_text(*bytes), report.label());
  if (module) {
    ir::verify_module(*module, report.label(), found);
  } else {
    found = module.error();
  }
  for (Diagnostic& d : found) report.add(std::move(d));
  report.finish("module");
}

void Checker::file(const std::string& path) {
  if (directory_kind(path)) return directory(path);
  auto input = open_input(path, reporter_);
  if (!input) return;
  switch (input->kind) {
    case InputKind::bundles: return bundles(*input);
    case InputKind::text: return text(*input);
    case InputKind::json_lines: return json_lines(*input);
    case InputKind::container: return container(*input);
    case InputKind::module: return module(*input);
    case InputKind::directory: break;
  }
}

}  // namespace

void add_check(CLI::App& app, Reporter& reporter) {
  auto arguments = std::make_shared<CheckArguments>();
  CLI::App* command = add_command(app, "check", "Validate instructions, text, JSON lines, containers, modules and catalog directories: every violation, with its rule and reason",
                                  "  actkit check --final --catalog trainium examples/first.act\n"
                                  "  actkit dis --json kernel.bin | actkit check --json -");
  command->add_option("FILE", arguments->files, "Files or catalog directories; - is standard input")->required();
  add_generation_option(*command, arguments->generation);
  command->add_flag("--lenient", arguments->lenient, "Unsupported opcodes, header flags of v5 and reserved bytes are warnings");
  command->add_flag("--final", arguments->final_stream, "Every file is a whole engine stream: what depends on the rest of it is an error");
  auto* catalog = command->add_option("--catalog", arguments->catalog, "Table sets that loads and activations are compared with; a container brings its own")
                      ->capture_default_str();
  add_stream_options(*command, arguments->choice);
  command->add_flag("--json", arguments->json, "One diagnostic a line, on standard output");
  command->callback([arguments, catalog, &reporter] {
    if (std::ranges::count(arguments->files, "-") > 1) throw CLI::ValidationError("FILE", "standard input can be read once, and - is given twice");
    reporter.set_json(arguments->json);
    if (arguments->json) reporter.set_output(stdout);
    arguments->catalog_given = catalog->count() != 0;
    Checker checker(*arguments, reporter);
    for (const std::string& file : arguments->files) checker.file(file);
  });
}

}  // namespace act::tool
