// What the subcommands of `actkit pwp` share.
#include "pwp.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace act::tool {

void add_catalog_option(CLI::App& command, std::string& name) {
  name = kDefaultCatalog;
  command.add_option("--catalog", name, "Embedded catalog, directory with act_info.json, or container")
      ->capture_default_str();
}

std::optional<std::unique_ptr<Folder>> open_folder_or_report(const std::string& name, Reporter& reporter) {
  return value_or_report(open_catalog_folder(name, container_opener()), reporter);
}

std::optional<Catalog> open_catalog_or_report(const std::string& name, Reporter& reporter) {
  Diagnostics warnings;
  auto catalog = open_catalog(name, warnings, container_opener());
  reporter.report(warnings);
  return value_or_report(std::move(catalog), reporter);
}

std::optional<ChosenTable> choose_table(const Catalog& catalog, const std::string& function,
                                        const std::string& set, Reporter& reporter) {
  const auto refuse = [&](Code code, std::string message, std::string field, std::string value,
                          std::string allowed) {
    Diagnostic d = make_error(code, std::move(message));
    d.where.file = catalog.label;
    d.field = std::move(field);
    d.value = std::move(value);
    d.allowed = std::move(allowed);
    code == Code::set_absent ? reporter.report(d) : reporter.report_usage({d});
    return std::nullopt;
  };
  const FunctionInfo* info = find_function(function);
  const std::string name = info != nullptr ? std::string(info->name) : function;
  if (!set.empty() && catalog.find_set(set) == nullptr) {
    std::vector<std::string> names;
    for (const TableSet& s : catalog.sets) names.push_back(s.name());
    return refuse(Code::unknown_name, "the catalog has no set of this name", "set", set,
                  fmt::format("{}", fmt::join(names, ", ")));
  }
  const TableSet* chosen = set.empty() ? catalog.set_with(name) : catalog.find_set(set);
  if (chosen != nullptr && !chosen->present)
    return refuse(Code::set_absent, "the files of the set are not there", "set", set, "");
  const FunctionTable* table = chosen != nullptr ? chosen->find(name) : nullptr;
  if (table != nullptr) return ChosenTable{chosen, table};
  std::vector<std::string> names;
  for (const TableSet& s : catalog.sets)
    for (const FunctionTable& f : s.functions)
      if ((set.empty() || &s == chosen) && std::find(names.begin(), names.end(), f.name) == names.end())
        names.push_back(f.name);
  return refuse(
      Code::unknown_name,
      fmt::format("no {} has the function", set.empty() ? "present set of the catalog" : "such set"),
      "function", function, fmt::format("{}", fmt::join(names, ", ")));
}

std::optional<float> parse_input(const std::string& text) {
  const char* begin = text.data();
  const char* const end = begin + text.size();
  if (text.starts_with("0x") || text.starts_with("0X")) {
    std::uint32_t bits = 0;
    const auto [stop, problem] = std::from_chars(begin + 2, end, bits, 16);
    if (problem != std::errc{} || stop != end || text.size() > 10) return std::nullopt;
    return bits_float(bits);
  }
  if (begin != end && *begin == '+') ++begin;
  float value = 0;
  const auto [stop, problem] = std::from_chars(begin, end, value);
  if (stop != end || begin == end) return std::nullopt;
  if (problem == std::errc{}) return value;
  // Too large or too small for binary32: the rounded value, an infinity or a zero.
  return problem == std::errc::result_out_of_range ? std::optional(std::strtof(begin, nullptr))
                                                   : std::nullopt;
}

std::string number_text(float value) {
  if (std::isnan(value)) return "nan";
  return fmt::format("{}", value);
}

}  // namespace act::tool
