#include "act/passes/artifacts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "act/neff/writer.h"

namespace act::passes {
namespace {

constexpr std::string_view kRoster = "act_info.json";

Bytes bytes_of(std::span<const Bundle> bundles) {
  Bytes out(bundles.size() * kBundleBytes);
  if (!bundles.empty()) std::memcpy(out.data(), bundles.data(), out.size());
  return out;
}

const neff::EngineRow& row_of(Engine engine) { return *neff::find_engine(engine_stem(engine)); }

const Stream* stream_of(const GeneratedCode& code, const neff::EngineRow& row) {
  const auto it = std::ranges::find_if(code.program.streams, [&](const Stream& s) { return &row_of(s.engine) == &row; });
  return it == code.program.streams.end() ? nullptr : &*it;
}

// Data types as containers spell them.
std::string container_dtype(Dtype t) {
  if (t == Dtype::fp32) return "float32";
  if (t == Dtype::fp16) return "float16";
  return std::string(dtype_row(t).short_name);
}

std::vector<neff::Tensor> tensors_of(const ir::Module& m) {
  std::vector<neff::Tensor> out;
  for (const TensorBinding& t : m.tensors) {
    if (t.role == TensorBinding::Role::scratch) continue;
    if (t.role != TensorBinding::Role::output) out.push_back({t.name, container_dtype(t.dtype), t.shape, false});
    if (t.role != TensorBinding::Role::input) out.push_back({t.name, container_dtype(t.dtype), t.shape, true});
  }
  return out;
}

// The roster and the files of the sets in use, as they are.
Result<std::vector<neff::Member>> table_files(std::span<const std::string> used_sets, const Folder& catalog) {
  std::vector<neff::Member> files;
  const auto add = [&](std::string_view name) -> Status {
    Result<Bytes> data = catalog.read(name, kMaxBlobBytes * 16);
    if (!data) return std::move(data).error();
    files.push_back({std::string(name), std::move(*data)});
    return Done{};
  };
  if (Status ok = add(kRoster); !ok) return std::move(ok).error();
  Diagnostics warnings;
  const auto roster = parse_roster(as_text(files[0].data), catalog.label(), Strictness::lenient, warnings);
  if (!roster) return roster.error();
  for (const std::string& name : used_sets) {
    const auto row = std::ranges::find(*roster, name, &RosterRow::name);
    if (row == roster->end()) {
      Diagnostic d = make_error(Code::unknown_set, fmt::format("unable to find used act set {}", name));
      d.where.file = catalog.label();
      return d;
    }
    for (const std::string& file : {row->profile_json, row->bkt_bin, row->ctrl_bin})
      if (Status ok = add(file); !ok) return std::move(ok).error();
  }
  return files;
}

Bytes idle_stream(const ir::Module& m, const ContainerOptions& o) {
  if (!o.stream_prologue) return {};
  const std::vector<Bundle> bundles = prologue_of(m.generation);
  return bytes_of(bundles);
}

}  // namespace

std::vector<std::string> used_set_names(const ir::Module& lowered, const GeneratedCode& code, std::span<const std::string> catalog_sets) {
  std::set<std::size_t> used(code.used_sets.begin(), code.used_sets.end());
  if (const auto it = std::ranges::find(catalog_sets, lowered.act_set); it != catalog_sets.end()) used.insert(static_cast<std::size_t>(it - catalog_sets.begin()));
  std::vector<std::string> names;
  for (const std::size_t index : used)
    if (index < catalog_sets.size()) names.push_back(catalog_sets[index]);
  return names;
}

std::vector<NamedFile> engine_files(const GeneratedCode& code, std::span<const std::string> used_sets, bool per_instruction) {
  std::vector<NamedFile> files;
  for (const Stream& s : code.program.streams) {
    const neff::EngineRow& row = row_of(s.engine);
    const std::string description = neff::engine_description(row, used_sets);
    files.emplace_back(fmt::format("{}.bin", row.stem), bytes_of(s.bundles));
    files.emplace_back(fmt::format("{}.json", row.stem), Bytes(description.begin(), description.end()));
  }
  if (!per_instruction) return files;
  for (std::size_t k = 0; k < code.ranges.size(); ++k) {
    const CodeRange& r = code.ranges[k];
    const Stream& s = code.program.streams[r.stream];
    files.emplace_back(instruction_file_name(s.engine, k, r.inst->name), bytes_of(std::span(s.bundles).subspan(r.first, r.count)));
  }
  return files;
}

Result<Bytes> container_of(const ir::Module& lowered, const GeneratedCode& code, std::span<const std::string> used_sets, const Folder& catalog, const ContainerOptions& options) {
  neff::ContainerSpec spec;
  spec.name = options.name;
  spec.target = generation_name(code.program.generation);
  if (options.dynamic_pwp && lowered.dynamic_pwp) spec.extra_feature_bits = neff::kFeatures[0].mask;
  spec.tensors = tensors_of(lowered);
  neff::GraphSpec graph;
  for (const neff::EngineRow& row : neff::kEngines) {
    const Stream* s = stream_of(code, row);
    graph.engines.push_back({std::string(row.key), s != nullptr ? bytes_of(s->bundles) : idle_stream(lowered, options)});
  }
  graph.activation_function_sets.assign(used_sets.begin(), used_sets.end());
  auto files = table_files(used_sets, catalog);
  if (!files) return std::move(files).error();
  graph.files = std::move(*files);
  spec.graphs.push_back(std::move(graph));
  return neff::write_container(spec);
}

}  // namespace act::passes
