// What a command is given: the kind of a file, told by its content, and its instructions.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "act/files/files.h"
#include "act/files/stream.h"
#include "act/isa/opcode.h"
#include "container_input.h"

namespace act::tool {

enum class InputKind {
  bundles,     // a stream of 64-byte instructions; everything that is nothing else
  text,        // assembly
  json_lines,  // instructions as JSON lines
  module,      // a JSON module of the lowering passes
  container,
  directory,
};

// From the first bytes (all of them, or at least 64 KiB).
InputKind kind_of(std::span<const std::uint8_t> head);

struct Input {
  InputKind kind;
  FileReader stream;  // not for directories
};
// Opens `path` and looks into it; a directory is told without opening. Failures are reported.
std::optional<InputKind> directory_kind(const std::string& path);
std::optional<Input> open_input(const std::string& path, Reporter& reporter);

// The rest of a stream, up to `limit` bytes.
Result<Bytes> read_rest(FileReader& stream, std::uint64_t limit = kDefaultReadLimit);

// The container of an input, with the problems that concern a part of it reported.
std::optional<neff::Container> read_container_or_report(Input& input, Reporter& reporter);

// --gen; nothing when it is not given. Unknown names are usage errors.
void add_generation_option(CLI::App& command, std::optional<Generation>& generation);
// Generation of a container's target, cayman when it names none that is known.
Generation generation_of(const neff::Container& container);
// The isa engine of a container's stream.
Engine engine_of(const neff::EngineRow& row);

// Calls `take` for every whole bundle; the rest (fewer than 64 bytes) stays in the window. False when reading failed.
bool for_each_bundle(FileReader& stream, Reporter& reporter, const std::function<bool(const Bundle&)>& take);

// Lines of a text, without their ends, in memory that depends on the longest line only.
class LineReader {
 public:
  static constexpr std::size_t kMaxLine = std::size_t{1} << 20;
  LineReader(FileReader& stream, Reporter& reporter) : stream_(stream), reporter_(reporter) {}
  // The next line; nothing at the end, or after a failure (which is reported).
  std::optional<std::string_view> next();
  bool failed() const { return failed_; }

 private:
  FileReader& stream_;
  Reporter& reporter_;
  std::size_t previous_ = 0;  // bytes of the line handed out last
  std::uint32_t number_ = 0;
  bool failed_ = false;
};

}  // namespace act::tool
