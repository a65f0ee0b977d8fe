// Containers where other commands take a bundle file or a catalog.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "act/neff/container.h"
#include "act/tables/embedded.h"
#include "command.h"

namespace act::tool {

// --max-total, --max-member, --max-members, --max-ratio, --max-json: how much a container may ask for.
void add_limit_options(CLI::App& command, neff::Limits& limits);

// --graph and --engine; empty = all.
struct StreamChoice {
  std::string graph, engine;
};
void add_stream_options(CLI::App& command, StreamChoice& choice);
// The chosen streams; a graph that the container does not have is a mistake on the command line.
std::optional<std::vector<neff::StreamView>> streams_or_report(const neff::Container& container, const StreamChoice& choice, Reporter& reporter);

// The bundles of one engine, or a whole bundle file.
struct InputStream {
  std::string label;          // for messages: FILE, or FILE(MEMBER)
  std::string graph, engine;  // empty for a bundle file; the engine by its key ("act")
  Bytes bytes;
};

// The file's content as one stream, or, for a container, the chosen streams; then `container` is set when it
// is asked for. Everything that is wrong is reported; nothing is returned when there is nothing to work on.
std::optional<std::vector<InputStream>> load_streams(
    const std::string& path, const StreamChoice& choice, Reporter& reporter,
    std::shared_ptr<const neff::Container>* container = nullptr);
// The same for bytes that are read already.
std::optional<std::vector<InputStream>> streams_of(
    Bytes bytes, const std::string& label, const StreamChoice& choice, Reporter& reporter,
    std::shared_ptr<const neff::Container>* container = nullptr);

// Opens a container as a catalog (05 N-03), for open_catalog.
FolderOpener container_opener();

}  // namespace act::tool
