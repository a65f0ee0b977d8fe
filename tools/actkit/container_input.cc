#include "container_input.h"

namespace act::tool {

void add_limit_options(CLI::App& command, neff::Limits& limits) {
  const auto size = [&](const char* name, std::uint64_t& value, const char* what) {
    command.add_option(name, value, what)
        ->transform(CLI::AsSizeValue(false))
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
  command.add_option("--engine", choice.engine, "Of a container: only this engine (act, pool, pe, dve, sp)");
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
  const auto streams = value_or_report(read->streams(choice.graph, choice.engine), reporter);
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
