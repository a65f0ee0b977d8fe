#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "act/files/json.h"
#include "act/neff/writer.h"
#include "names.h"

namespace act::neff {
namespace {

using Json = nlohmann::json;  // keys sorted, as the vendor writes engine JSON and def.json
using OrderedJson = nlohmann::ordered_json;

constexpr int kActSemaphore = 12;  // in every engine JSON seen (05 section 4)
constexpr std::string_view kRosterName = "act_info.json";

Diagnostic problem(Code code, std::string message, std::string_view value) {
  Diagnostic d = make_error(code, std::move(message));
  d.value = printable(value);
  return d;
}

// Strings that are no UTF-8 are repaired instead of thrown at the caller. `indent` -1: one line without
// blanks.
template <class Tree>
Member json_member(std::string name, const Tree& json, int indent) {
  const std::string text = json.dump(indent, ' ', false, Tree::error_handler_t::replace);
  return {std::move(name), Bytes(text.begin(), text.end())};
}

std::string def_key(const EngineRow& row, std::string_view what) {
  return fmt::format("{}_{}", row.key, what);
}

Json engine_json(const EngineRow& row, std::span<const std::string> sets) {
  Json json = {{"dma", Json::array()},
               {"instr", fmt::format("{}.bin", row.stem)},
               {"name", fmt::format("{}.json", row.stem)}};
  if (row.key == kActivationKey) {
    json["act_info"] = kRosterName;
    json["act_semaphore"] = kActSemaphore;
    json["activation_function_sets"] = std::vector<std::string>(sets.begin(), sets.end());
  }
  return json;
}

Json definition_json(const GraphSpec& graph, std::uint64_t feature_mask) {
  Json features = Json::array();
  for (const Feature& f : kFeatures)
    if ((feature_mask & f.mask) != 0 && !f.definition_name.empty()) features.push_back(f.definition_name);
  Json queues = Json::object();
  for (const DmaQueue& q : graph.queues)
    queues[q.name] = {{"owner", q.owner}, {"type", q.type}, {"semaphore_set", q.semaphore_set}};
  Json json = {
      {"name", "definition"}, {"version", "0.6"}, {"neff_features", features}, {"dma_queue", queues}};
  for (const EngineRow& row : kEngines) {
    json[std::string(row.key)] = fmt::format("{}.json", row.stem);
    json[def_key(row, "instr")] = fmt::format("{}.bin", row.stem);
  }
  return json;
}

const EngineSpec* find_spec(const GraphSpec& graph, const EngineRow& row) {
  const auto at =
      std::ranges::find_if(graph.engines, [&](const EngineSpec& e) { return find_engine(e.engine) == &row; });
  return at == graph.engines.end() ? nullptr : &*at;
}

Diagnostics check_engines(const GraphSpec& graph) {
  Diagnostics errors;
  for (const EngineSpec& e : graph.engines) {
    if (find_engine(e.engine) == nullptr)
      errors.push_back(problem(Code::unknown_name, "no such engine", e.engine));
    if (e.stream.size() % kBundleBytes != 0)
      errors.push_back(
          problem(Code::bad_size, "an engine stream holds whole bundles and nothing else", e.engine));
  }
  for (const EngineRow& row : kEngines)
    if (find_spec(graph, row) == nullptr)
      errors.push_back(problem(Code::missing_member,
                               fmt::format("graph {} has no stream for an engine", graph.name), row.key));
  return errors;
}

// The roster must be there, and every set that is named must be in it with its files.
Status check_sets(const GraphSpec& graph) {
  const auto file = [&](std::string_view name) {
    return std::ranges::find(graph.files, name, &Member::name);
  };
  const auto roster = file(kRosterName);
  if (roster == graph.files.end())
    return problem(Code::missing_member, fmt::format("graph {} has no roster", graph.name), kRosterName);
  Result<Json> json = parse_json(as_text(roster->data), graph.name + "/" + roster->name);
  if (!json) return std::move(json).error();
  Diagnostics errors;
  for (const std::string& name : graph.activation_function_sets) {
    const Json sets = json->is_object() ? json->value("act_func_sets", Json::array()) : Json::array();
    const auto set = std::ranges::find_if(
        sets, [&](const Json& s) { return s.is_object() && s.contains("name") && s["name"] == name; });
    if (set == sets.end()) {
      errors.push_back(problem(Code::unknown_name, "unable to find used act set", name));
      continue;
    }
    for (const char* key : {"profile_json", "bkt_bin", "ctrl_bin"})
      if (!set->contains(key) || !(*set)[key].is_string() ||
          file((*set)[key].get<std::string>()) == graph.files.end())
        errors.push_back(
            problem(Code::missing_member, fmt::format("the {} of a set is not given", key), name));
  }
  if (errors.empty()) return Done{};
  return errors;
}

OrderedJson info_json(const ContainerSpec& spec, std::span<const std::uint8_t> cores_per_node) {
  return {{"tool_version", spec.tool_version},
          {"name", spec.name},
          {"num_tpb", 1},
          {"num_tpb_requested", 1},
          {"num_tpb_per_node", std::vector<int>(cores_per_node.begin(), cores_per_node.end())}};
}

// The tensors twice, as real files have them: flat lists of attributes, and the signature by name.
OrderedJson neff_json(const ContainerSpec& spec) {
  OrderedJson nodes = OrderedJson::array(), shapes = OrderedJson::array(), types = OrderedJson::array();
  OrderedJson inputs = OrderedJson::object(), outputs = OrderedJson::object();
  for (std::size_t i = 0; i < spec.tensors.size(); ++i) {
    const Tensor& t = spec.tensors[i];
    nodes.push_back({{"op", "null"}, {"name", t.name}, {"inputs", OrderedJson::array()}});
    shapes.push_back(t.shape);
    types.push_back(t.dtype);
    (t.output ? outputs : inputs)[t.name] = {{"id", i}, {"dtype", t.dtype}, {"shape", t.shape}};
  }
  return {{"nodes", nodes},
          {"attrs",
           {{"shape", OrderedJson::array({"list_shape", shapes})},
            {"dltype", OrderedJson::array({"list_str", types})}}},
          {"metadata", {{"signatures", {{"default", {{"inputs", inputs}, {"outputs", outputs}}}}}}}};
}

void add_graph(const GraphSpec& graph, std::uint64_t feature_mask, std::vector<Member>& members) {
  const std::string folder = graph.name + "/";
  members.push_back(json_member(folder + "def.json", definition_json(graph, feature_mask), 4));
  for (const EngineRow& row : kEngines) {
    members.push_back({fmt::format("{}{}.bin", folder, row.stem), find_spec(graph, row)->stream});
    members.push_back(json_member(fmt::format("{}{}.json", folder, row.stem), engine_json(row, graph.activation_function_sets), -1));
  }
  for (const Member& file : graph.files) members.push_back({folder + file.name, file.data});
}

}  // namespace

std::string engine_description(const EngineRow& row, std::span<const std::string> sets) {
  return std::string(as_text(json_member({}, engine_json(row, sets), -1).data));
}

Result<Bytes> write_container(const ContainerSpec& spec) {
  const Target* target = find_target(spec.target);
  if (target == nullptr) {
    Diagnostic d = problem(Code::unknown_name, "the container of this target is not known", spec.target);
    for (const Target& t : kTargets) d.allowed += (d.allowed.empty() ? "" : ", ") + std::string(t.name);
    return d;
  }
  Header header;
  const std::uint64_t mask = target->feature_mask | spec.extra_feature_bits;
  const std::uint8_t one_core[] = {1};
  header.set_number(header_field("major_version"), target->major_version);
  header.set_text(header_field("network_name"), spec.name);
  header.set_number(header_field("logical_cores"), 1);
  header.set_bytes(header_field("cores_per_node"), one_core);
  header.set_number(header_field("feature_mask"), mask);
  header.set_number(header_field("physical_cores_per_logical"), target->physical_cores_per_logical);

  std::vector<Member> members;
  OrderedJson graphs = OrderedJson::array();
  for (const GraphSpec& graph : spec.graphs) {
    if (Diagnostics errors = check_engines(graph); !errors.empty()) return errors;
    if (Status sets = check_sets(graph); !sets) return std::move(sets).error();
    graphs.push_back({{"definition", graph.name + "/def.json"}, {"name", graph.name}});
    add_graph(graph, mask, members);
  }
  const OrderedJson kelf = {{"graphs", graphs}, {"version", "0.5"}, {"target", spec.target}};
  members.push_back(
      json_member("info.json", info_json(spec, header.bytes(header_field("cores_per_node"))), 2));
  members.push_back(json_member("kelf-0.json", kelf, 4));
  members.push_back(json_member("neff.json", neff_json(spec), 4));
  std::ranges::sort(members, {}, &Member::name);
  return pack(header, members);
}

}  // namespace act::neff
