#include "program_input.h"

#include <algorithm>
#include <filesystem>

#include "act/asm/json_lines.h"
#include "act/asm/text.h"
#include "act/ir/json.h"
#include "act/ir/verify.h"
#include "act/sim/module_run.h"

namespace act::tool {
namespace {

Engine engine_of(std::string_view name) {
  const neff::EngineRow* row = neff::find_engine(name);
  if (row == nullptr) return Engine::ACT;
  if (row->key == "pool") return Engine::POOL;
  if (row->key == "pe") return Engine::PE;
  if (row->key == "dve") return Engine::DVE;
  return row->key == "sp" ? Engine::SP : Engine::ACT;
}

std::optional<Stream> stream_of(std::span<const std::uint8_t> bytes, std::string_view engine, const std::string& name, Reporter& reporter) {
  if (bytes.size() % kBundleBytes != 0) {
    Diagnostic d = make_error(Code::bad_size, "a stream of bundles is a multiple of 64 bytes long");
    d.where.file = name;
    d.value = std::to_string(bytes.size());
    reporter.report(d);
    return std::nullopt;
  }
  Stream s;
  s.engine = engine_of(engine);
  s.name = name;
  s.bundles.resize(bytes.size() / kBundleBytes);
  for (std::size_t i = 0; i < s.bundles.size(); ++i) std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(i * kBundleBytes), kBundleBytes, s.bundles[i].bytes.begin());
  return s;
}

std::optional<ir::Module> module_from(const ProgramInput& input, const std::string& path, std::string_view text, Reporter& reporter);

std::optional<LoadedProgram> from_directory(const ProgramInput& input, Reporter& reporter) {
  LoadedProgram loaded;
  Program& program = loaded.program;
  if (const std::string lowered = (std::filesystem::path(input.path) / "lowered.json").string(); std::filesystem::exists(lowered)) {
    const std::optional<std::string> text = value_or_report(read_text(lowered), reporter);
    const std::optional<ir::Module> module = text ? module_from(input, lowered, *text, reporter) : std::nullopt;
    if (!module) return std::nullopt;
    program = sim::frame_of(*module);
    program.streams.clear();
    loaded.act_set = module->act_set;
  }
  for (const neff::EngineRow& row : neff::kEngines) {
    if (!input.streams.engine.empty() && neff::find_engine(input.streams.engine) != &row) continue;
    const std::filesystem::path file = std::filesystem::path(input.path) / (std::string(row.stem) + ".bin");
    if (!std::filesystem::exists(file)) continue;
    const std::optional<Bytes> bytes = value_or_report(read_file(file.string()), reporter);
    if (!bytes) return std::nullopt;
    std::optional<Stream> stream = stream_of(*bytes, row.key, file.string(), reporter);
    if (!stream) return std::nullopt;
    program.streams.push_back(std::move(*stream));
  }
  if (!program.streams.empty()) return loaded;
  Diagnostic d = make_error(Code::io_error, "the directory holds none of Activation.bin, Pool.bin, PE.bin, DVE.bin, SP.bin");
  d.where.file = input.path;
  reporter.report(d);
  return std::nullopt;
}

std::optional<Program> from_json_lines(const ProgramInput& input, std::string_view text, Reporter& reporter) {
  Program program;
  program.streams.push_back({engine_of(input.streams.engine), input.path, {}, {}});
  std::uint32_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const std::optional<JsonBundle> bundle = value_or_report(bundle_from_json_line(line, input.path, number), reporter);
    if (!bundle) return std::nullopt;
    if (bundle->generation) program.generation = *bundle->generation;
    program.streams[0].bundles.push_back(bundle->bundle);
    program.streams[0].lines.push_back(number);
  }
  return program;
}

std::optional<Program> from_text(const ProgramInput& input, std::string_view text, Reporter& reporter) {
  TextOptions options;
  options.file = input.path;
  if (input.generation) options.generation = *input.generation;
  Diagnostics warnings;
  Result<Program> program = parse_text(text, options, warnings);
  for (const Diagnostic& d : warnings) reporter.report(d, source_line(text, d));
  if (program) return std::move(*program);
  for (const Diagnostic& d : program.error()) reporter.report(d, source_line(text, d));
  return std::nullopt;
}

std::optional<ir::Module> module_from(const ProgramInput& input, const std::string& path, std::string_view text, Reporter& reporter) {
  ir::ReadLimits limits;
  limits.generation = input.generation;
  std::optional<ir::Module> module = value_or_report(ir::read_module(text, path, limits), reporter);
  if (!module) return std::nullopt;
  Diagnostics faults;
  ir::verify_module(*module, path, faults);
  reporter.report(faults);
  if (has_errors(faults)) return std::nullopt;
  return module;
}

std::optional<LoadedProgram> from_module(const ProgramInput& input, std::string_view text, Reporter& reporter) {
  std::optional<ir::Module> module = module_from(input, input.path, text, reporter);
  if (!module) return std::nullopt;
  return LoadedProgram{sim::frame_of(*module), std::move(module), {}};
}

std::optional<Program> from_bundles(const ProgramInput& input, Bytes bytes, Reporter& reporter) {
  std::shared_ptr<const neff::Container> container;
  const std::optional<std::vector<InputStream>> streams = streams_of(std::move(bytes), input.path, input.streams, reporter, &container);
  if (!streams) return std::nullopt;
  Program program;
  if (container != nullptr)
    if (const std::optional<Generation> target = find_generation(container->target)) program.generation = *target;
  for (const InputStream& s : *streams) {
    std::optional<Stream> stream = stream_of(s.bytes, container != nullptr ? s.engine : input.streams.engine, s.label, reporter);
    if (!stream) return std::nullopt;
    program.streams.push_back(std::move(*stream));
  }
  return program;
}

// Bundles have zero bytes early on (the events and reserved bytes); text has none.
bool is_text(std::span<const std::uint8_t> b) { return std::find(b.begin(), b.end(), 0) == b.end(); }

}  // namespace

std::optional<LoadedProgram> read_program(const ProgramInput& input, Reporter& reporter) {
  if (input.path != "-" && std::filesystem::is_directory(input.path)) {
    std::optional<LoadedProgram> loaded = from_directory(input, reporter);
    if (loaded && input.generation) loaded->program.generation = *input.generation;
    return loaded;
  }
  std::optional<Bytes> bytes = value_or_report(read_file(input.path), reporter);
  if (!bytes) return std::nullopt;
  const std::string_view text = as_text(*bytes);
  const bool bundles = input.path.ends_with(".bin") || !is_text(*bytes);
  if (!bundles && ir::looks_like_module(text)) return from_module(input, text, reporter);
  std::optional<Program> program;
  if (bundles) program = from_bundles(input, std::move(*bytes), reporter);
  else if (text.substr(0, text.find_first_not_of(" \t\r\n") + 1).ends_with('{')) program = from_json_lines(input, text, reporter);
  else program = from_text(input, text, reporter);
  if (!program) return std::nullopt;
  if (input.generation) program->generation = *input.generation;
  return LoadedProgram{std::move(*program), std::nullopt, {}};
}

}  // namespace act::tool
