#include "program_input.h"

#include <algorithm>
#include <filesystem>

#include "act/asm/text.h"
#include "act/files/files.h"
#include "act/neff/container.h"

namespace act::tool {
namespace {

Engine engine_of(std::string_view key) {
  if (key == "act") return Engine::ACT;
  if (key == "pool") return Engine::POOL;
  if (key == "pe") return Engine::PE;
  if (key == "dve") return Engine::DVE;
  return Engine::SP;
}

Result<Stream> stream_of(std::span<const std::uint8_t> bytes, Engine engine, const std::string& name) {
  if (bytes.size() % kBundleBytes != 0) {
    Diagnostic d = make_error(Code::bad_size, "a stream of bundles is a multiple of 64 bytes long", {.file = name});
    d.value = std::to_string(bytes.size());
    return d;
  }
  Stream s;
  s.engine = engine;
  s.name = name;
  s.bundles.resize(bytes.size() / kBundleBytes);
  for (std::size_t i = 0; i < s.bundles.size(); ++i) std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(i * kBundleBytes), kBundleBytes, s.bundles[i].bytes.begin());
  return s;
}

Result<Program> from_directory(const ProgramInput& input) {
  Program program;
  for (const neff::EngineRow& row : neff::kEngines) {
    if (!input.engine.empty() && neff::find_engine(input.engine) != &row) continue;
    const std::filesystem::path file = std::filesystem::path(input.path) / (std::string(row.stem) + ".bin");
    if (!std::filesystem::exists(file)) continue;
    Result<Bytes> bytes = read_file(file.string());
    if (!bytes) return std::move(bytes).error();
    Result<Stream> stream = stream_of(*bytes, engine_of(row.key), file.string());
    if (!stream) return std::move(stream).error();
    program.streams.push_back(std::move(*stream));
  }
  if (program.streams.empty())
    return make_error(Code::io_error, "the directory holds none of Activation.bin, Pool.bin, PE.bin, DVE.bin, SP.bin", {.file = input.path});
  return program;
}

Result<Program> from_container(const ProgramInput& input, std::span<const std::uint8_t> bytes, Diagnostics& warnings) {
  Result<neff::Container> container = neff::read_container(bytes, input.path, {}, warnings);
  if (!container) return std::move(container).error();
  Result<std::vector<neff::StreamView>> views = container->streams(input.graph, input.engine);
  if (!views) return std::move(views).error();
  Program program;
  if (const std::optional<Generation> target = find_generation(container->target)) program.generation = *target;
  for (const neff::StreamView& v : *views) {
    Result<Stream> stream = stream_of(v.bytes, engine_of(v.engine->key), input.path + ":" + std::string(v.member));
    if (!stream) return std::move(stream).error();
    program.streams.push_back(std::move(*stream));
  }
  return program;
}

// The header of a container: package version 2, header size 1024 (05 section 1).
bool is_container(std::span<const std::uint8_t> b) {
  return b.size() >= 1024 && b[0] == 2 && b[8] == 0 && b[9] == 4 && std::all_of(b.begin() + 1, b.begin() + 8, [](auto x) { return x == 0; });
}

// Bundles have zero bytes early on (the events and reserved bytes); text has none.
bool is_text(std::span<const std::uint8_t> b) { return std::find(b.begin(), b.end(), 0) == b.end(); }

}  // namespace

Result<Program> read_program(const ProgramInput& input, Diagnostics& warnings) {
  Result<Program> program = Program{};
  const bool names_bin = input.path.ends_with(".bin");
  if (input.path != "-" && std::filesystem::is_directory(input.path)) {
    program = from_directory(input);
  } else {
    Result<Bytes> bytes = read_file(input.path);
    if (!bytes) return std::move(bytes).error();
    if (is_container(*bytes)) {
      program = from_container(input, *bytes, warnings);
    } else if (!names_bin && is_text(*bytes)) {
      TextOptions options;
      options.file = input.path;
      if (input.generation) options.generation = *input.generation;
      program = parse_text(as_text(*bytes), options, warnings);
    } else {
      const neff::EngineRow* row = neff::find_engine(input.engine);
      Result<Stream> stream = stream_of(*bytes, row == nullptr ? Engine::ACT : engine_of(row->key), input.path);
      if (!stream) return std::move(stream).error();
      program->streams.push_back(std::move(*stream));
    }
  }
  if (program && input.generation) program->generation = *input.generation;
  return program;
}

}  // namespace act::tool
