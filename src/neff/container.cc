#include "act/neff/container.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "json_part.h"
#include "names.h"

namespace act::neff {
namespace {

using Need = JsonPart::Need;
using Type = Json::value_t;

class Reader {
 public:
  Reader(Container& out, const Limits& limits, Diagnostics& problems)
      : out_(out), limits_(limits), budget_(4 * limits.json.bytes), problems_(problems) {}

  void read() {
    read_info();
    read_tensors();
    read_graph_list();
    for (Graph& graph : out_.graphs) read_graph(graph);
  }

 private:
  JsonPart part() { return JsonPart(out_.archive, limits_, budget_, problems_); }
  void read_info();
  void read_tensors();
  void read_graph_list();
  void check_target(JsonPart& kelf);
  void read_graph(Graph& graph);
  void read_queues(JsonPart& part, const Json& definition, Graph& graph);
  void read_engine(Engine& engine, Graph& graph);
  void read_roster(Graph& graph);
  void check_sets(const Engine& engine, const Graph& graph);
  void check_stream(const Engine& engine);

  Container& out_;
  const Limits& limits_;
  std::uint64_t budget_;
  Diagnostics& problems_;
};

void Reader::read_info() {
  JsonPart info = part();
  const auto json = info.load("info.json", Severity::warning);
  if (!json) return;
  out_.name = info.text(*json, "", "name", Need::optional);
  out_.tool_version = info.text(*json, "", "tool_version", Need::optional);
}

void Reader::read_tensors() {
  JsonPart neff = part();
  const auto json = neff.load("neff.json", Severity::warning);
  if (!json) return;
  const Json* at = &*json;
  std::string pointer;
  for (const char* key : {"metadata", "signatures", "default"}) {
    at = neff.any(*at, pointer, key, Type::object, Need::optional);
    if (at == nullptr) return;
    pointer += fmt::format("/{}", key);
  }
  for (const bool output : {false, true}) {
    const Json* tensors = neff.any(*at, pointer, output ? "outputs" : "inputs", Type::object, Need::optional);
    if (tensors == nullptr) continue;
    for (const auto& [name, tensor] : tensors->items()) {
      if (!tensor.is_object()) continue;
      const std::string where = fmt::format("{}/{}/{}", pointer, output ? "outputs" : "inputs", name);
      out_.tensors.push_back({name, neff.text(tensor, where, "dtype", Need::optional),
                              neff.numbers(tensor, where, "shape"), output});
    }
  }
}

void Reader::read_graph_list() {
  JsonPart kelf = part();
  const auto json = kelf.load("kelf-0.json");
  if (!json) return;
  out_.target = kelf.text(*json, "", "target");
  out_.kelf_version = kelf.text(*json, "", "version", Need::optional);
  check_target(kelf);
  const Json* graphs = kelf.any(*json, "", "graphs", Type::array, Need::required);
  if (graphs == nullptr) return;
  if (graphs->size() > limits_.graphs)
    kelf.report(Code::too_large, "/graphs",
                fmt::format("the container has more than {} graphs", limits_.graphs),
                fmt::to_string(graphs->size()));
  for (std::size_t i = 0; i < std::min<std::size_t>(graphs->size(), limits_.graphs); ++i) {
    const std::string pointer = fmt::format("/graphs/{}", i);
    const Json& item = (*graphs)[i];
    if (!item.is_object()) {
      kelf.report(Code::json_type, pointer, "it must be an object", item.type_name());
      continue;
    }
    Graph graph;
    graph.name = kelf.text(item, pointer, "name");
    if (const std::string value = kelf.text(item, pointer, "definition"); !value.empty())
      graph.definition = kelf.member_named(value, pointer + "/definition");
    if (!graph.definition.empty()) out_.graphs.push_back(std::move(graph));
  }
}

void Reader::check_target(JsonPart& kelf) {
  constexpr const HeaderField& major = header_field("major_version");
  const Target* target = find_target(out_.target);
  const std::uint64_t found = out_.archive.header.number(major);
  if (target == nullptr || target->major_version == found) return;
  Diagnostic d =
      make_warning(Code::bad_value, fmt::format("the header does not fit the target {}", target->name));
  d.field = major.name;
  d.where.file = out_.archive.label;
  d.where.byte = major.offset;
  d.value = fmt::to_string(found);
  d.allowed = fmt::to_string(target->major_version);
  kelf.report(std::move(d));
}

void Reader::read_graph(Graph& graph) {
  JsonPart def = part();
  const auto json = def.load(graph.definition);
  if (!json) return;
  graph.neff_features = def.texts(*json, "", "neff_features", Need::optional);
  graph.runtime_semaphore_count = def.number(*json, "", "runtime_semaphore_count");
  graph.runtime_event_count = def.number(*json, "", "runtime_event_count");
  read_queues(def, *json, graph);
  if (const Json* fp8 = def.any(*json, "", "fp8_conversion_config", Type::object, Need::optional))
    for (const auto& [name, value] : fp8->items())
      if (value.is_boolean() || value.is_number_integer())
        graph.fp8_conversion_config[name] =
            value.is_boolean() ? value.get<bool>() : value.get<std::int64_t>();
  for (const EngineRow& row : kEngines) {
    Engine engine;
    engine.row = &row;
    const std::string stream_key = fmt::format("{}_instr", row.key);
    if (const std::string name = def.text(*json, "", stream_key); !name.empty())
      engine.stream = def.member_named(name, "/" + stream_key);
    if (const std::string name = def.text(*json, "", row.key); !name.empty())
      engine.description = def.member_named(name, fmt::format("/{}", row.key));
    if (!engine.stream.empty()) check_stream(engine);
    if (!engine.description.empty()) read_engine(engine, graph);
    graph.engines.push_back(std::move(engine));
  }
  if (!graph.roster.empty()) read_roster(graph);
  for (const Engine& engine : graph.engines) check_sets(engine, graph);
}

void Reader::read_queues(JsonPart& def, const Json& definition, Graph& graph) {
  const Json* queues = def.any(definition, "", "dma_queue", Type::object, Need::optional);
  if (queues == nullptr) return;
  for (const auto& [name, queue] : queues->items()) {
    const std::string pointer = "/dma_queue/" + name;
    if (!queue.is_object()) {
      def.report(Code::json_type, pointer, "it must be an object", queue.type_name());
      continue;
    }
    graph.queues.push_back({name, def.text(queue, pointer, "owner", Need::optional),
                            def.text(queue, pointer, "type", Need::optional),
                            def.numbers(queue, pointer, "semaphore_set")});
  }
}

void Reader::check_stream(const Engine& engine) {
  const std::size_t size = out_.archive.find(engine.stream)->data.size();
  if (size % kBundleBytes == 0) return;
  Diagnostic d = make_error(Code::bad_size, "an engine stream holds whole bundles and nothing else");
  d.where.file = member_label(out_.archive.label, engine.stream);
  d.value = fmt::format("{} bytes", size);
  d.allowed = fmt::format("a multiple of {}", kBundleBytes);
  problems_.push_back(std::move(d));
}

void Reader::read_engine(Engine& engine, Graph& graph) {
  JsonPart json_part = part();
  const auto json = json_part.load(engine.description);
  if (!json) return;
  if (const Json* dma = json_part.any(*json, "", "dma", Type::array, Need::optional))
    engine.dma_entries = dma->size();
  const std::string instr = json_part.text(*json, "", "instr");
  if (!instr.empty() && !engine.stream.empty()) {
    if (const std::string named = json_part.member_named(instr, "/instr");
        !named.empty() && named != engine.stream)
      json_part.report(Code::bad_value, "/instr", "def.json names another stream for this engine", instr);
  }
  if (engine.row->key != kActivationKey) return;
  engine.act_semaphore = json_part.number(*json, "", "act_semaphore");
  engine.activation_function_sets = json_part.texts(*json, "", "activation_function_sets", Need::required);
  if (const std::string name = json_part.text(*json, "", "act_info"); !name.empty())
    graph.roster = json_part.member_named(name, "/act_info");
}

void Reader::read_roster(Graph& graph) {
  JsonPart roster = part();
  const auto json = roster.load(graph.roster);
  if (!json) return;
  const Json* sets = roster.any(*json, "", "act_func_sets", Type::array, Need::required);
  if (sets == nullptr) return;
  for (std::size_t i = 0; i < sets->size(); ++i) {
    const Json& item = (*sets)[i];
    const std::string pointer = fmt::format("/act_func_sets/{}", i);
    TableSet set;  // one that cannot be read keeps its index
    if (item.is_object()) {
      set.name = roster.text(item, pointer, "name");
      set.present = true;
      for (const auto& [key, file] : {std::pair{"bkt_bin", &TableSet::bkt_bin},
                                      {"ctrl_bin", &TableSet::ctrl_bin},
                                      {"profile_json", &TableSet::profile_json}}) {
        if (const std::string name = roster.text(item, pointer, key); !name.empty())
          set.*file = roster.name_inside(name, fmt::format("{}/{}", pointer, key));
        set.present = set.present && out_.archive.contains(set.*file);
      }
    } else {
      roster.report(Code::json_type, pointer, "it must be an object", item.type_name());
    }
    graph.sets.push_back(std::move(set));
  }
}

// Every set that the engine names must be in the roster and have its three files.
void Reader::check_sets(const Engine& engine, const Graph& graph) {
  JsonPart report = part();
  std::unordered_map<std::string_view, const TableSet*> by_name;
  if (!engine.activation_function_sets.empty())
    for (const TableSet& set : graph.sets) by_name.emplace(set.name, &set);
  const std::string label = member_label(out_.archive.label, engine.description);
  for (std::size_t i = 0; i < engine.activation_function_sets.size(); ++i) {
    const std::string& name = engine.activation_function_sets[i];
    const auto at = by_name.find(name);
    if (at != by_name.end() && at->second->present) continue;
    Diagnostic d = at == by_name.end()
                       ? make_error(Code::unknown_name, "the roster has no such set")
                       : make_error(Code::missing_member, "a file of the set is not in the archive");
    d.where.file = label;
    d.where.pointer = fmt::format("/activation_function_sets/{}", i);
    d.value = printable(name);
    if (at != by_name.end())
      d.allowed = fmt::format("{}, {} and {}", printable(at->second->profile_json),
                              printable(at->second->bkt_bin), printable(at->second->ctrl_bin));
    report.report(std::move(d));
  }
}

}  // namespace

const EngineRow* find_engine(std::string_view name) {
  const std::string wanted = fold_case(name);
  const auto* row = std::ranges::find_if(
      kEngines, [&](const EngineRow& r) { return wanted == r.key || wanted == fold_case(r.stem); });
  return row == std::end(kEngines) ? nullptr : row;
}

Result<std::vector<StreamView>> Container::streams(std::string_view graph, std::string_view engine) const {
  const EngineRow* row = engine.empty() ? nullptr : find_engine(engine);
  const auto unknown = [&](std::string_view what, std::string_view value, std::string allowed) {
    Diagnostic d = make_error(Code::unknown_name, fmt::format("no such {}", what));
    d.where.file = archive.label;
    d.value = printable(value);
    d.allowed = std::move(allowed);
    return d;
  };
  if (!engine.empty() && row == nullptr) {
    std::string names;
    for (const EngineRow& r : kEngines) names += (names.empty() ? "" : ", ") + std::string(r.key);
    return unknown("engine", engine, names);
  }
  std::vector<StreamView> list;
  std::string graph_names;
  bool graph_found = graph.empty();
  for (const Graph& g : graphs) {
    if (graph_names.size() < 200) graph_names += (graph_names.empty() ? "" : ", ") + printable(g.name);
    if (!graph.empty() && g.name != graph) continue;
    graph_found = true;
    for (const Engine& e : g.engines)
      if (!e.stream.empty() && (row == nullptr || e.row == row))
        list.push_back({g.name, e.row, e.stream, archive.find(e.stream)->data});
  }
  if (!graph_found) return unknown("graph", graph, graph_names);
  return list;
}

const DmaQueue* Container::queue_of(std::string_view graph, std::uint64_t semaphore) const {
  for (const Graph& g : graphs) {
    if (g.name != graph) continue;
    for (const DmaQueue& q : g.queues)
      if (std::ranges::find(q.semaphore_set, semaphore) != q.semaphore_set.end()) return &q;
  }
  return nullptr;
}

Result<Container> read_container(std::span<const std::uint8_t> file, const std::string& label,
                                 const Limits& limits, Diagnostics& problems) {
  Result<Archive> archive = read_archive(file, label, limits, problems);
  if (!archive) return std::move(archive).error();
  Container container;
  container.archive = std::move(*archive);
  Reader(container, limits, problems).read();
  return container;
}

Result<Bytes> read_container_bytes(const std::string& path, const Limits& limits) {
  return read_file(path, std::max(limits.total_bytes, kDefaultReadLimit));
}

Result<Container> read_container_file(const std::string& path, const Limits& limits, Diagnostics& problems) {
  Result<Bytes> bytes = read_container_bytes(path, limits);
  if (!bytes) return std::move(bytes).error();
  return read_container(*bytes, path, limits, problems);
}

ContainerFolder::ContainerFolder(std::shared_ptr<const Container> container)
    : container_(std::move(container)) {
  for (const Graph& graph : container_->graphs)
    if (!graph.roster.empty()) folders_.push_back(folder_of(graph.roster));
}

const Member* ContainerFolder::find(std::string_view name) const {
  if (!check_inner_name(name)) return nullptr;
  for (const std::string& folder : folders_)
    if (const Member* m = container_->archive.find(folder + std::string(name)); m != nullptr) return m;
  return nullptr;
}

Result<Bytes> ContainerFolder::read(std::string_view name, std::uint64_t limit) const {
  if (Status ok = check_inner_name(name); !ok) return std::move(ok).error();
  const Member* member = find(name);
  Diagnostic d = make_error(Code::missing_member, "the container has no such file");
  d.where.file = member_label(label(), name);
  if (member == nullptr) return d;
  if (member->data.size() <= limit) return member->data;
  d.code = Code::too_large;
  d.message = fmt::format("the file has more than {} bytes", limit);
  return d;
}

}  // namespace act::neff
