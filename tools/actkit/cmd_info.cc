// actkit info [NAME]: what is known of an opcode, format, enumeration, data type, generation, rule, function or set.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "act/isa/describe.h"
#include "act/tables/embedded.h"
#include "act/tables/functions.h"
#include "act/tile/report.h"
#include "command.h"
#include "matrix.h"

namespace act::tool {
namespace {

using Json = nlohmann::ordered_json;

std::string line_of(const Json& j) { return j.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

std::string sides(const FunctionInfo& f) {
  if (!f.has_table()) return fmt::format("resident, {} control words", f.resident_words);
  return fmt::format("{} octaves below zero, {} above", f.neg.count, f.pos.count);
}

std::string describe_function(const FunctionInfo& f) {
  std::string out = fmt::format("function {}: {}\n  BIR name: {}; wire code {}; first-generation code {}\n  table: {}\n  documented inputs: {} to {}\n", f.name, f.formula,
                                f.bir_name.empty() ? "none" : f.bir_name, f.neuron_code, f.tonga_id == 0 ? "not published" : std::to_string(f.tonga_id), sides(f), f.lower_bound, f.upper_bound);
  for (const FunctionBudget& b : f.budgets)
    if (b.budget != 0) out += fmt::format("  shipped variant {}p: {} sections\n", b.budget, b.lut_size);
  return out + fmt::format("  results: f(0) 0x{:08x}, f(+inf) 0x{:08x}, f(-inf) 0x{:08x}, f(NaN) 0x{:08x}\n", f.specials.zero, f.specials.pinf, f.specials.ninf, f.specials.nan);
}

// The embedded catalogs, the default one first.
std::vector<Catalog> catalogs() {
  std::vector<Catalog> out;
  const auto add = [&out](std::string_view name) {
    Diagnostics warnings;
    if (auto catalog = open_catalog(std::string(name), warnings)) out.push_back(std::move(*catalog));
  };
  add(kDefaultCatalog);
  for (const std::string_view name : embedded_catalogs())
    if (name != kDefaultCatalog) add(name);
  return out;
}

std::string function_names(const TableSet& set) {
  std::string out;
  for (const auto& f : set.row.act) out += fmt::format(" {}", f.first);
  return out;
}

std::string describe_catalog(const Catalog& catalog) {
  std::string out = fmt::format("catalog {}{}: {} table sets\n", catalog.label, catalog.label == kDefaultCatalog ? ", the default" : "", catalog.sets.size());
  for (std::size_t i = 0; i < catalog.sets.size(); ++i) out += fmt::format("  {:>2} {}:{}\n", i, catalog.sets[i].name(), function_names(catalog.sets[i]));
  return out;
}

// The set's place and functions in every embedded catalog that has it, and the catalog of that name.
void add_tables(std::string_view name, std::vector<Description>& out) {
  for (const Catalog& catalog : catalogs()) {
    if (catalog.label == name) out.push_back({"catalog", catalog.label, describe_catalog(catalog)});
    for (std::size_t i = 0; i < catalog.sets.size(); ++i) {
      const TableSet& set = catalog.sets[i];
      if (set.name() == name) out.push_back({"set", set.name(), fmt::format("set {} is number {} of catalog {}; functions:{}\n", name, i, catalog.label, function_names(set))});
    }
  }
}

std::vector<Description> everything(std::string_view name) {
  std::vector<Description> out = descriptions(name);
  if (const FunctionInfo* f = find_function(name)) out.push_back({"function", std::string(f->name), describe_function(*f)});
  add_tables(name, out);
  if (auto text = tile::describe(name)) out.push_back({"tile command", std::string(name), std::move(*text)});
  return out;
}

Json generations_json(GenerationSet set) {
  Json out = Json::array();
  for (const Generation g : kGenerations)
    if (set.contains(g)) out.push_back(generation_name(g));
  return out;
}

Json opcode_json(const OpcodeInfo& row) {
  return {{"name", row.name}, {"code", row.code()}, {"format", format_of(row.format).name}, {"engine", engine_name(row.engine)}, {"generations", generations_json(row.generations)}, {"doc", row.doc}};
}

Json format_json(const Format& format) {
  Json fields = Json::array();
  for (const Field& f : format.fields) fields.push_back({{"name", f.name}, {"byte", f.byte()}, {"bytes", f.bytes()}, {"type", f.type}, {"doc", f.doc}});
  Json reserved = Json::array();
  for (const Reserved& r : format.reserved) reserved.push_back({{"byte", r.byte}, {"bytes", r.bytes}});
  return {{"name", format.name}, {"bytes", format.bytes}, {"fields", std::move(fields)}, {"reserved", std::move(reserved)}, {"doc", format.doc}};
}

Json enum_json(const EnumTable& table) {
  Json values = Json::array();
  for (const Choice& c : table.choices) values.push_back({{"name", c.name}, {"value", c.value}, {"generations", generations_json(c.generations)}, {"doc", c.doc}});
  return {{"name", table.name}, {"values", std::move(values)}, {"doc", table.doc}};
}

Json function_json(const FunctionInfo& f) {
  return {{"name", f.name}, {"code", f.neuron_code}, {"bir_name", f.bir_name}, {"formula", f.formula}};
}

// The text, and the rows behind it where there are some.
Json description_json(const Description& d) {
  Json rows = Json::object();
  if (d.kind == "opcode")
    if (const OpcodeInfo* row = find_opcode(std::string_view(d.name))) rows = opcode_json(*row);
  if (d.kind == "format") rows = format_json(*find_format(d.name));
  if (d.kind == "function") rows = function_json(*find_function(d.name));
  if (d.kind == "enumeration")
    for (const EnumTable* t : all_enums())
      if (t->name == d.name) rows = enum_json(*t);
  Json out = {{"kind", d.kind}, {"name", d.name}};
  out.update(rows);
  out["text"] = d.text;
  return out;
}

Json roster_json() {
  Json out = {{"opcodes", Json::array()}, {"formats", Json::array()}, {"enumerations", Json::array()}, {"functions", Json::array()}};
  for (const OpcodeInfo& row : all_opcodes()) out["opcodes"].push_back(opcode_json(row));
  for (const Format* f : all_formats()) out["formats"].push_back(format_json(*f));
  for (const EnumTable* t : all_enums()) out["enumerations"].push_back(enum_json(*t));
  for (const FunctionInfo& f : all_functions()) out["functions"].push_back(function_json(f));
  out["tile_commands"] = tile::described_names();
  out["catalogs"] = embedded_catalogs();
  out["generations"] = generations_json(GenerationSet::all());
  return out;
}

std::string roster() {
  std::string out = "Opcodes (actkit info NAME tells more)\n" + opcode_roster() + "\nFunctions\n";
  for (const FunctionInfo& f : all_functions()) out += fmt::format("  {:<32} code {:<4} {}\n", f.name, f.neuron_code, f.formula);
  out += "\nEnumerations:";
  for (const EnumTable* t : all_enums()) out += fmt::format(" {}", t->name);
  out += "\nCatalogs:";
  for (const std::string_view name : embedded_catalogs()) out += fmt::format(" {}", name);
  out += "\nTile blocks:";
  for (const std::string_view name : tile::described_names()) out += fmt::format(" {}", name);
  out += "\nGenerations:";
  for (const Generation g : kGenerations) out += fmt::format(" {}", generation_name(g));
  return out + "\n";
}

}  // namespace

void add_info(CLI::App& app, Reporter& reporter) {
  CLI::App* command = add_command(app, "info", "All that is known of an opcode, format, enumeration, data type, generation, rule, function, set, catalog, engine or tile command",
                                  "  actkit info ACTIVATE\n  actkit info s3d3_ac_bias_checks\n  actkit info gelu\n  actkit info --json s3d3_ac");
  struct Options {
    std::string name;
    bool matrix = false, json = false;
  };
  auto options = std::make_shared<Options>();
  auto* name = command->add_option("NAME", options->name, "What to explain; without it, the roster is listed");
  auto* matrix = command->add_flag("--matrix", options->matrix, "Print instruction x {generations, engine, encode, check, simulate} as Markdown")->excludes(name);
  command->add_flag("--json", options->json, "One object: the rows of the roster, or what has the name, with its rows and text")->excludes(matrix);
  command->callback([options, name, &reporter] {
    reporter.set_json(options->json);
    std::string text = options->matrix ? instruction_matrix() : roster();
    if (options->json) text = line_of(roster_json());
    if (name->count() != 0) {
      const std::vector<Description> found = everything(options->name);
      if (found.empty()) {
        Diagnostic d = make_error(Code::unknown_name, "nothing is called so; `actkit info` without a name lists what there is");
        d.value = options->name.substr(0, 200);
        reporter.report_usage({d});
        return;
      }
      text.clear();
      Json list = Json::array();
      for (const Description& d : found) {
        text += d.text;
        list.push_back(description_json(d));
      }
      if (options->json) text = line_of({{"name", options->name}, {"found", std::move(list)}});
    }
    std::fwrite(text.data(), 1, text.size(), stdout);
  });
}

}  // namespace act::tool
