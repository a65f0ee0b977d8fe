#include "input.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "act/ir/json.h"

namespace act::tool {
namespace {

constexpr std::size_t kHead = std::size_t{64} << 10;
// Larger than any container the limits let through (05 N-06).
constexpr std::uint64_t kMaxContainer = std::uint64_t{2} << 30;

bool is_control(std::uint8_t c) { return (c < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f') || c == 0x7F; }

}  // namespace

InputKind kind_of(std::span<const std::uint8_t> head) {
  if (neff::looks_like_container(head)) return InputKind::container;
  if (head.empty() || std::ranges::any_of(head, is_control)) return InputKind::bundles;
  std::string_view text = as_text(head);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \t\r\n\f");
  if (first != std::string_view::npos && text[first] == '{') return ir::looks_like_module(text) ? InputKind::module : InputKind::json_lines;
  return InputKind::text;
}

std::optional<InputKind> directory_kind(const std::string& path) {
  std::error_code ec;
  if (path == "-" || !std::filesystem::is_directory(path, ec)) return std::nullopt;
  return InputKind::directory;
}

std::optional<Input> open_input(const std::string& path, Reporter& reporter) {
  auto stream = value_or_report(FileReader::open(path), reporter);
  if (!stream || !ok_or_report(stream->fill(kHead), reporter)) return std::nullopt;
  const InputKind kind = kind_of(stream->window());
  return Input{kind, std::move(*stream)};
}

Result<Bytes> read_rest(FileReader& stream, std::uint64_t limit) {
  Bytes out;
  for (;;) {
    if (Status s = stream.fill(1); !s) return std::move(s).error();
    const auto window = stream.window();
    if (window.empty()) return out;
    if (out.size() + window.size() > limit) {
      Diagnostic d = make_error(Code::too_large, fmt::format("the file has more than {} bytes", limit));
      d.where.file = stream.path();
      return d;
    }
    out.insert(out.end(), window.begin(), window.end());
    stream.consume(window.size());
  }
}

std::optional<neff::Container> read_container_or_report(Input& input, Reporter& reporter) {
  const auto bytes = value_or_report(read_rest(input.stream, kMaxContainer), reporter);
  if (!bytes) return std::nullopt;
  Diagnostics problems;
  auto container = neff::read_container(*bytes, input.stream.path(), neff::Limits{}, problems);
  reporter.report(problems);
  return value_or_report(std::move(container), reporter);
}

void add_generation_option(CLI::App& command, std::optional<Generation>& generation) {
  command
      .add_option_function<std::string>(
          "--gen",
          [&generation](const std::string& name) {
            generation = find_generation(name);
            if (!generation) throw CLI::ValidationError("--gen", "no generation is called " + name);
          },
          "Generation: sunda, cayman, mariana, maverick, or v2 to v5 (default cayman)")
      ->type_name("G");
}

Generation generation_of(const neff::Container& container) {
  return find_generation(container.target).value_or(kDefaultGeneration);
}

Engine engine_of(const neff::EngineRow& row) {
  constexpr std::pair<std::string_view, Engine> kEngines[] = {
      {"act", Engine::ACT}, {"pool", Engine::POOL}, {"pe", Engine::PE}, {"dve", Engine::DVE}, {"sp", Engine::SP}};
  for (const auto& [key, engine] : kEngines)
    if (row.key == key) return engine;
  return Engine::ANY;
}

bool for_each_bundle(FileReader& stream, Reporter& reporter, const std::function<bool(const Bundle&)>& take) {
  constexpr std::size_t kBatch = std::size_t{256} << 10;
  for (;;) {
    if (!ok_or_report(stream.fill(kBatch), reporter)) return false;
    const auto window = stream.window();
    if (window.size() < kBundleBytes) return true;
    const std::size_t whole = window.size() / kBundleBytes;
    Bundle b;
    for (std::size_t i = 0; i < whole; ++i) {
      std::memcpy(b.bytes.data(), window.data() + i * kBundleBytes, kBundleBytes);
      if (!take(b)) return false;
    }
    stream.consume(whole * kBundleBytes);
  }
}

std::optional<std::string_view> LineReader::next() {
  stream_.consume(previous_);
  previous_ = 0;
  ++number_;
  for (std::size_t wanted = 1;;) {
    if (!ok_or_report(stream_.fill(wanted), reporter_)) {
      failed_ = true;
      return std::nullopt;
    }
    const std::string_view window = as_text(stream_.window());
    const std::size_t end = window.find('\n', wanted - 1);
    if (end != std::string_view::npos || stream_.at_end()) {
      if (window.empty()) return std::nullopt;
      const std::size_t length = std::min(end, window.size());
      previous_ = std::min(length + 1, window.size());
      return window.substr(0, length);
    }
    if (window.size() > kMaxLine) {
      Diagnostic d = make_error(Code::too_large, fmt::format("a line has more than {} bytes", kMaxLine));
      d.where.file = stream_.path();
      d.where.line = number_;
      reporter_.report(d);
      failed_ = true;
      return std::nullopt;
    }
    wanted = window.size() + 1;
  }
}

}  // namespace act::tool
