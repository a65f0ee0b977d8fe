// What the members of a container mean: graphs, engines, streams, table sets (05 sections 3-5).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "act/neff/archive.h"

namespace act::neff {

// One row per engine: its key in def.json, and the stem of its files.
struct EngineRow {
  std::string_view key, stem;
};
inline constexpr EngineRow kEngines[] = {
    {"act", "Activation"}, {"pool", "Pool"}, {"pe", "PE"}, {"dve", "DVE"}, {"sp", "SP"}};
inline constexpr std::string_view kActivationKey = kEngines[0].key;
// The row whose key or stem is `name`, ASCII case ignored; nullptr when there is none.
const EngineRow* find_engine(std::string_view name);

inline constexpr std::size_t kBundleBytes = 64;

// A set of the roster, or one that an engine names.
struct TableSet {
  std::string name;
  std::string bkt_bin, ctrl_bin, profile_json;  // members of the archive
  bool present = false;                         // all three are there
};

struct Engine {
  const EngineRow* row = nullptr;
  std::string description;  // member: the engine JSON
  std::string stream;       // member: the bundles
  std::size_t dma_entries = 0;
  std::optional<std::uint64_t> act_semaphore;         // Activation only
  std::vector<std::string> activation_function_sets;  // Activation only: names, in the file's order
};

struct DmaQueue {
  std::string name, owner, type;
  std::vector<std::uint64_t> semaphore_set;
};

struct Graph {
  std::string name;
  std::string definition;  // member: def.json
  std::vector<Engine> engines;
  std::vector<DmaQueue> queues;
  std::vector<std::string> neff_features;
  std::map<std::string, std::int64_t> fp8_conversion_config;  // booleans as 0 and 1
  std::optional<std::uint64_t> runtime_semaphore_count, runtime_event_count;
  std::string roster;          // member: act_info.json; empty when no engine names one
  std::vector<TableSet> sets;  // of the roster; the position is the set's index
};

struct Tensor {
  std::string name, dtype;
  std::vector<std::uint64_t> shape;
  bool output = false;
};

// One engine's bundles; views into the container.
struct StreamView {
  std::string_view graph;
  const EngineRow* engine = nullptr;
  std::string_view member;
  std::span<const std::uint8_t> bytes;
};

struct Container {
  Archive archive;
  std::string name, tool_version;    // info.json
  std::string target, kelf_version;  // kelf-0.json
  std::vector<Graph> graphs;
  std::vector<Tensor> tensors;  // neff.json, signature "default"

  // The streams of the graphs and engines asked for (empty = all), graph by graph in the order of kEngines.
  // Errors: unknown-name, with the names there are.
  Result<std::vector<StreamView>> streams(std::string_view graph = {}, std::string_view engine = {}) const;
  // The queue of `graph` whose semaphore_set holds `semaphore` (05 N-04); nullptr when there is none.
  const DmaQueue* queue_of(std::string_view graph, std::uint64_t semaphore) const;
};

// The bytes of a container file. The limits are those of its archive: a small one does not stop the file from being read.
Result<Bytes> read_container_bytes(const std::string& path, const Limits& limits = {});
// Reads a whole file, called `label` in messages. `problems` takes warnings and the errors that concern one
// part only (a missing stream, a stream that is no multiple of 64 bytes, a set without its files, JSON that
// cannot be read); the rest is there. The result fails only as read_archive does.
Result<Container> read_container(std::span<const std::uint8_t> file, const std::string& label,
                                 const Limits& limits, Diagnostics& problems);
// The same from a path ("-" is standard input).
Result<Container> read_container_file(const std::string& path, const Limits& limits, Diagnostics& problems);

// The table catalog of a container (05 N-03): the files beside the roster of the first graph that has one; a
// file that is not there is looked for beside the rosters of the other graphs.
class ContainerFolder final : public Folder {
 public:
  explicit ContainerFolder(std::shared_ptr<const Container> container);
  Result<Bytes> read(std::string_view name, std::uint64_t limit = kDefaultReadLimit) const override;
  bool contains(std::string_view name) const override { return find(name) != nullptr; }
  std::string label() const override { return container_->archive.label; }

 private:
  const Member* find(std::string_view name) const;
  std::shared_ptr<const Container> container_;
  std::vector<std::string> folders_;
};

}  // namespace act::neff
