// actkit pwp diff: where two catalogs differ.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "act/tables/compare.h"
#include "pwp.h"

namespace act::tool {
namespace {

struct DiffOptions {
  std::string first, second;
  bool json = false;
};

void print_json(const CatalogDifference& difference) {
  for (const std::string& name : difference.only_first)
    fmt::print("{}\n", nlohmann::ordered_json{{"only_first", name}}.dump());
  for (const std::string& name : difference.only_second)
    fmt::print("{}\n", nlohmann::ordered_json{{"only_second", name}}.dump());
  for (const TableDifference& d : difference.tables) {
    nlohmann::ordered_json j = {{"function", d.function},
                                {"sets", d.sets},
                                {"sections", {d.sections[0], d.sections[1]}},
                                {"octaves", {d.octaves[0], d.octaves[1]}},
                                {"records", d.records},
                                {"parameters", d.parameters},
                                {"worst_steps", d.worst_steps}};
    if (std::isfinite(d.worst_absolute)) j["worst_absolute"] = d.worst_absolute;
    j["worst_input"] = fmt::format("0x{:08x}", float_bits(d.worst_input));
    fmt::print("{}\n", j.dump());
  }
}

void print_text(const CatalogDifference& difference) {
  for (const std::string& name : difference.only_first) fmt::print("only in the first: {}\n", name);
  for (const std::string& name : difference.only_second) fmt::print("only in the second: {}\n", name);
  for (const TableDifference& d : difference.tables) {
    fmt::print("{} in {}\n    sections {} and {}, octaves {} and {}, {} records differ{}\n", d.function,
               fmt::join(d.sets, ", "), d.sections[0], d.sections[1], d.octaves[0], d.octaves[1], d.records,
               d.parameters ? "; parameters differ" : "");
    if (d.worst_steps != 0)
      fmt::print("    worst difference {} steps of binary32 ({:.6g}) at {} (0x{:08x})\n", d.worst_steps,
                 d.worst_absolute, number_text(d.worst_input), float_bits(d.worst_input));
    else
      fmt::print("    no difference of values found\n");
  }
  fmt::print("{} tables are identical, {} differ\n", difference.identical, difference.tables.size());
}

void run(const DiffOptions& options, Reporter& reporter) {
  reporter.set_json(options.json);
  const auto first = open_catalog_or_report(options.first, reporter);
  const auto second = open_catalog_or_report(options.second, reporter);
  if (!first || !second) return;
  const CatalogDifference difference = compare_catalogs(*first, *second);
  if (options.json)
    print_json(difference);
  else
    print_text(difference);
}

}  // namespace

void add_pwp_diff(CLI::App& pwp, Reporter& reporter) {
  auto options = std::make_shared<DiffOptions>();
  CLI::App* diff = add_command(
      pwp, "diff",
      "Where two catalogs differ, function by function. Values are compared at the edges of all sections and "
      "at 1024\n"
      "inputs of every exponent and sign.",
      "  actkit pwp diff trainium trainium-minimax\n  actkit pwp diff trainium my_pwp_bin_trainium --json");
  diff->add_option("FIRST", options->first, "Embedded catalog, directory or container")->required();
  diff->add_option("SECOND", options->second, "The one it is compared with")->required();
  diff->add_flag("--json", options->json, "One object a difference");
  diff->callback([options, &reporter] { run(*options, reporter); });
}

}  // namespace act::tool
