#include "act/neff/listing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "names.h"

namespace act::neff {
namespace {

using Json = nlohmann::ordered_json;

std::size_t bundle_count(const Container& c, const Engine& e) {
  const Member* stream = c.archive.find(e.stream);
  return stream == nullptr ? 0 : stream->data.size() / kBundleBytes;
}

// "8-23, 30": runs of consecutive numbers, in the order given.
std::string ranges_text(const std::vector<std::uint64_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    if (!text.empty()) text += ", ";
    text += end - i == 1 ? fmt::to_string(numbers[i]) : fmt::format("{}-{}", numbers[i], numbers[end - 1]);
    i = end;
  }
  return text;
}

std::string names_text(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += ' ';
    text += printable(name);
  }
  return text;
}

template <class... Args>
void line(std::string& out, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
  out.erase(out.find_last_not_of(' ') + 1);  // an empty last column
  out += '\n';
}

void put_head(std::string& out, const Container& c) {
  const Header& h = c.archive.header;
  line(out, "{}: {} bytes, gzip {}, tar {}, {} files", c.archive.label, c.archive.file_bytes,
       c.archive.gzip_bytes, c.archive.tar_bytes, c.archive.members.size());
  line(out, "  name      {}", printable(h.text(header_field("network_name"))));
  line(out, "  tool      {}", printable(c.tool_version));
  line(out, "  target    {}, header version {}.{}, kelf {}", printable(c.target),
       h.number(header_field("major_version")), h.number(header_field("minor_version")),
       printable(c.kelf_version));
  line(out, "  features  {:#x} {}", h.feature_mask(), fmt::join(feature_names(h.feature_mask()), " "));
  line(out, "  digest    {} ({})", hex(c.archive.payload_md5), digest_form_name(c.archive.digest));
  line(out, "  uuid      {}", hex(h.bytes(header_field("uuid"))));
  line(out, "  cores     {} logical of {} physical", h.number(header_field("logical_cores")),
       h.number(header_field("physical_cores_per_logical")));
  for (const Tensor& t : c.tensors)
    line(out, "  {}    {} {} [{}]", t.output ? "output" : "input ", printable(t.name), printable(t.dtype),
         fmt::join(t.shape, ", "));
}

void put_graph(std::string& out, const Container& c, const Graph& g) {
  line(out, "graph {} ({})", printable(g.name), printable(g.definition));
  line(out, "  engine  {:<28} {:>8}  table sets", "stream", "bundles");
  for (const Engine& e : g.engines)
    line(out, "  {:<6}  {:<28} {:>8}  {}", e.row->key, e.stream.empty() ? "(absent)" : printable(e.stream),
         bundle_count(c, e), names_text(e.activation_function_sets));
  if (!g.roster.empty()) {
    std::string present;
    for (std::size_t i = 0; i < g.sets.size(); ++i)
      if (g.sets[i].present)
        present += fmt::format("{}{} (index {})", present.empty() ? "" : ", ", printable(g.sets[i].name), i);
    line(out, "  roster  {} of {} sets; with files: {}", printable(g.roster), g.sets.size(),
         present.empty() ? "none" : present);
  }
  for (const DmaQueue& q : g.queues)
    line(out, "  queue   {} of {}, {}, semaphores {}", printable(q.name), printable(q.owner),
         printable(q.type), ranges_text(q.semaphore_set));
}

Json header_json(const Header& h) {
  Json json = Json::object();
  for (const HeaderField& f : kHeaderFields) {
    switch (f.kind) {
      case HeaderKind::number:
        json[std::string(f.name)] = h.number(f);
        break;
      case HeaderKind::text:
        json[std::string(f.name)] = h.text(f);
        break;
      case HeaderKind::bytes:
        json[std::string(f.name)] = hex(h.bytes(f));
        break;
      case HeaderKind::zero:
        break;
    }
  }
  return json;
}

Json engine_json(const Container& c, const Engine& e) {
  Json json = {
      {"engine", e.row->key}, {"stream", nullptr}, {"bundles", bundle_count(c, e)}, {"description", nullptr}};
  if (!e.stream.empty()) json["stream"] = e.stream;
  if (!e.description.empty()) json["description"] = e.description;
  if (e.act_semaphore) json["act_semaphore"] = *e.act_semaphore;
  if (e.row->key == kActivationKey) json["activation_function_sets"] = e.activation_function_sets;
  return json;
}

Json graph_json(const Container& c, const Graph& g) {
  Json engines = Json::array(), sets = Json::array(), queues = Json::array();
  for (const Engine& e : g.engines) engines.push_back(engine_json(c, e));
  for (std::size_t i = 0; i < g.sets.size(); ++i)
    sets.push_back({{"index", i}, {"name", g.sets[i].name}, {"present", g.sets[i].present}});
  for (const DmaQueue& q : g.queues)
    queues.push_back(
        {{"name", q.name}, {"owner", q.owner}, {"type", q.type}, {"semaphore_set", q.semaphore_set}});
  return {{"name", g.name},
          {"definition", g.definition},
          {"neff_features", g.neff_features},
          {"engines", engines},
          {"roster", g.roster},
          {"sets", sets},
          {"dma_queue", queues},
          {"fp8_conversion_config", g.fp8_conversion_config}};
}

}  // namespace

std::string listing_text(const Container& container) {
  std::string out;
  put_head(out, container);
  for (const Graph& graph : container.graphs) put_graph(out, container, graph);
  return out;
}

Json listing_json(const Container& c) {
  Json graphs = Json::array(), tensors = Json::array(), members = Json::array();
  for (const Graph& g : c.graphs) graphs.push_back(graph_json(c, g));
  for (const Tensor& t : c.tensors)
    tensors.push_back({{"name", t.name}, {"dtype", t.dtype}, {"shape", t.shape}, {"output", t.output}});
  for (const Member& m : c.archive.members) members.push_back({{"name", m.name}, {"size", m.data.size()}});
  return {{"file", c.archive.label},
          {"header", header_json(c.archive.header)},
          {"digest", {{"form", digest_form_name(c.archive.digest)}, {"md5", hex(c.archive.payload_md5)}}},
          {"features", feature_names(c.archive.header.feature_mask())},
          {"sizes",
           {{"file", c.archive.file_bytes}, {"gzip", c.archive.gzip_bytes}, {"tar", c.archive.tar_bytes}}},
          {"name", c.name},
          {"tool_version", c.tool_version},
          {"target", c.target},
          {"kelf_version", c.kelf_version},
          {"tensors", tensors},
          {"graphs", graphs},
          {"members", members}};
}

}  // namespace act::neff
