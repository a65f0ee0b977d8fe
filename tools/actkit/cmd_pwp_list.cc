// actkit pwp list: sets, functions, sections, octaves, sizes.
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "act/tables/layout.h"
#include "pwp.h"

namespace act::tool {
namespace {

struct ListOptions {
  std::string catalog;
  bool json = false;
};

nlohmann::ordered_json set_json(const TableSet& set, std::size_t index, std::size_t stride) {
  const SetLayout layout = layout_of(set.functions);
  nlohmann::ordered_json j = {{"index", index}, {"set", set.name()}, {"present", set.present}};
  if (set.present) {
    j["bkt_entries"] = layout.bkt_entries;
    j["bkt_bytes"] = layout.bkt_entries * kBktStride;
    j["ctrl_entries"] = layout.ctrl_entries;
    j["ctrl_bytes"] = layout.ctrl_entries * stride;
  }
  j["functions"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < set.functions.size(); ++i) {
    const FunctionTable& f = set.functions[i];
    const FunctionLayout& l = layout.functions[i];
    j["functions"].push_back({{"function", f.name},
                              {"budget", f.budget},
                              {"func_id", f.func_id},
                              {"sections", f.lut_size()},
                              {"octaves", f.octave_count()},
                              {"bkt_start", l.bkt_start},
                              {"ctrl_start", l.ctrl_start}});
  }
  if (!set.present)
    for (const auto& [name, budget] : set.row.act)
      j["functions"].push_back({{"function", name}, {"budget", budget}});
  return j;
}

void print_set(const TableSet& set, std::size_t index, std::size_t stride) {
  if (!set.present) {
    fmt::print("{:>3} {} (files absent)\n", index, set.name());
    return;
  }
  const SetLayout layout = layout_of(set.functions);
  fmt::print("{:>3} {}: {} functions, bkt {} entries {} bytes, ctrl {} entries {} bytes\n", index, set.name(),
             set.functions.size(), layout.bkt_entries, layout.bkt_entries * kBktStride, layout.ctrl_entries,
             layout.ctrl_entries * stride);
  for (std::size_t i = 0; i < set.functions.size(); ++i) {
    const FunctionTable& f = set.functions[i];
    fmt::print("      {:<36} id {:>3}  sections {:>4}  octaves {:>3}  bkt {:>4}  ctrl {:>3}\n",
               budgeted_name(f), f.func_id, f.lut_size(), f.octave_count(), layout.functions[i].bkt_start,
               layout.functions[i].ctrl_start);
  }
}

void run(const ListOptions& options, Reporter& reporter) {
  reporter.set_json(options.json);
  const auto catalog = open_catalog_or_report(options.catalog, reporter);
  if (!catalog) return;
  const std::size_t stride = ctrl_stride(catalog->id_space);
  if (!options.json)
    fmt::print("{}: {} sets, {} ids, ctrl stride {}\n", catalog->label, catalog->sets.size(),
               catalog->id_space == IdSpace::tonga ? "tonga" : "sunda", stride);
  for (std::size_t i = 0; i < catalog->sets.size(); ++i) {
    if (options.json)
      fmt::print("{}\n", set_json(catalog->sets[i], i, stride)
                             .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
    else
      print_set(catalog->sets[i], i, stride);
  }
}

}  // namespace

void add_pwp_list(CLI::App& pwp, Reporter& reporter) {
  auto options = std::make_shared<ListOptions>();
  CLI::App* list = add_command(pwp, "list", "Sets of a catalog, their functions, sections, octaves and sizes",
                               "  actkit pwp list --catalog with_ln\n  actkit pwp list --json | head -1");
  add_catalog_option(*list, options->catalog);
  list->add_flag("--json", options->json, "One object a set");
  list->callback([options, &reporter] { run(*options, reporter); });
}

}  // namespace act::tool
