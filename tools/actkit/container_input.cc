#include "container_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace act::tool {
namespace {

// "512", "0x200", "16mb": a number and a binary multiple, at least 1 and below 2^64. Rewrites the text as plain digits.
std::string plain_size(std::string& text) {
  constexpr std::string_view kUnits = "bkmgtpe";
  const std::string wrong = fmt::format("{} is no number from 1 to 18446744073709551615, with or without b, kb, mb, gb", text);
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const char* const end = text.data() + text.size();
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data() + (hex ? 2 : 0), end, value, hex ? 16 : 10);
  if (error != std::errc{} || value == 0) return wrong;
  std::string unit(stop, end);
  std::ranges::transform(unit, unit.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::size_t power = 0;
  if (!unit.empty()) {
    power = kUnits.find(unit[0]);
    const bool known = unit.size() == 1 || (power != 0 && (unit.substr(1) == "b" || unit.substr(1) == "ib"));
    if (power == kUnits.npos || !known) return wrong;
  }
  if (power != 0 && value > std::numeric_limits<std::uint64_t>::max() >> (10 * power)) return wrong;
  text = std::to_string(value << (10 * power));
  return {};
}

}  // namespace

void add_limit_options(CLI::App& command, neff::Limits& limits) {
  const auto size = [&](const char* name, std::uint64_t& value, const char* what) {
    command.add_option(name, value, what)
        ->transform(CLI::Validator(plain_size, "SIZE [b, kb(=1024b), ...]"))
        ->capture_default_str()
        ->group("Limits");
  };
  size("--max-total", limits.total_bytes, "Bytes of the decompressed archive");
  size("--max-member", limits.member_bytes, "Bytes of one member");
  size("--max-members", limits.members, "Members of the archive");
  size("--max-ratio", limits.ratio, "Decompressed to compressed size, past 16 MiB");
  size("--max-json", limits.json.bytes, "Bytes of one JSON document");
  command.add_option("--max-depth", limits.json.depth, "Levels of a JSON document")
      ->capture_default_str()
      ->group("Limits");
}

void add_stream_options(CLI::App& command, StreamChoice& choice) {
  command.add_option("--graph", choice.graph, "Of a container: only this graph (sg00)");
  command.add_option("--engine", choice.engine, "Of a container: only this engine (act, pool, pe, dve, sp)")
      ->check([](const std::string& name) { return neff::find_engine(name) != nullptr ? std::string{} : "no engine is called " + name; });
}

std::optional<std::vector<neff::StreamView>> streams_or_report(const neff::Container& container, const StreamChoice& choice, Reporter& reporter) {
  auto streams = container.streams(choice.graph, choice.engine);
  if (streams) return std::move(*streams);
  reporter.report_usage(streams.error());
  return std::nullopt;
}

std::optional<std::vector<InputStream>> streams_of(Bytes bytes, const std::string& label,
                                                   const StreamChoice& choice, Reporter& reporter,
                                                   std::shared_ptr<const neff::Container>* container) {
  std::vector<InputStream> list;
  if (!neff::looks_like_container(bytes)) {
    list.push_back({label, "", "", std::move(bytes)});
    return list;
  }
  Diagnostics problems;
  Result<neff::Container> read = neff::read_container(bytes, label, {}, problems);
  reporter.report(problems);
  if (!read) {
    reporter.report(read.error());
    return std::nullopt;
  }
  const auto streams = streams_or_report(*read, choice, reporter);
  if (!streams) return std::nullopt;
  for (const neff::StreamView& s : *streams)
    list.push_back({neff::member_label(label, s.member), std::string(s.graph), std::string(s.engine->key),
                    Bytes(s.bytes.begin(), s.bytes.end())});
  if (container != nullptr) *container = std::make_shared<const neff::Container>(std::move(*read));
  return list;
}

std::optional<std::vector<InputStream>> load_streams(const std::string& path, const StreamChoice& choice,
                                                     Reporter& reporter,
                                                     std::shared_ptr<const neff::Container>* container) {
  auto bytes = value_or_report(read_file(path), reporter);
  if (!bytes) return std::nullopt;
  return streams_of(std::move(*bytes), path, choice, reporter, container);
}

FolderOpener container_opener() {
  return [](const std::string& path) -> Result<std::unique_ptr<Folder>> {
    Result<Bytes> bytes = read_file(path);
    if (!bytes) return std::move(bytes).error();
    if (!neff::looks_like_container(*bytes)) {
      Diagnostic d = make_error(Code::unknown_name, "neither a directory with act_info.json nor a container");
      d.where.file = path;
      return d;
    }
    // What is wrong elsewhere in the container does not concern a reader of its tables.
    Diagnostics problems;
    Result<neff::Container> read = neff::read_container(*bytes, path, {}, problems);
    if (!read) return std::move(read).error();
    return std::unique_ptr<Folder>(
        std::make_unique<neff::ContainerFolder>(std::make_shared<const neff::Container>(std::move(*read))));
  };
}

}  // namespace act::tool
