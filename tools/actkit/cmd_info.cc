// actkit info [NAME]: what is known of an opcode, format, enumeration, data type, generation, rule, function or set.
#include <fmt/format.h>

#include <memory>

#include "act/isa/describe.h"
#include "act/tables/embedded.h"
#include "act/tables/functions.h"
#include "act/tile/report.h"
#include "command.h"
#include "matrix.h"

namespace act::tool {
namespace {

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

// The set's place and functions in every embedded catalog that has it.
std::string describe_set(std::string_view name) {
  std::string out;
  for (const std::string_view catalog_name : embedded_catalogs()) {
    Diagnostics warnings;
    const auto catalog = open_catalog(std::string(catalog_name), warnings);
    if (!catalog) continue;
    for (std::size_t i = 0; i < catalog->sets.size(); ++i) {
      const TableSet& set = catalog->sets[i];
      if (set.name() != name) continue;
      out += fmt::format("set {} is number {} of catalog {}; functions:", name, i, catalog_name);
      for (const auto& f : set.row.act) out += fmt::format(" {}", f.first);
      out += '\n';
    }
  }
  return out;
}

std::string everything(std::string_view name) {
  std::string out = describe(name).value_or("");
  if (const FunctionInfo* f = find_function(name)) out += describe_function(*f);
  return out + describe_set(name) + tile::describe(name).value_or("");
}

std::string roster() {
  std::string out = "Opcodes (actkit info NAME tells more)\n" + opcode_roster() + "\nFunctions\n";
  for (const FunctionInfo& f : all_functions()) out += fmt::format("  {:<32} code {:<4} {}\n", f.name, f.neuron_code, f.formula);
  out += "\nEnumerations:";
  for (const EnumTable* t : all_enums()) out += fmt::format(" {}", t->name);
  out += "\nTile blocks:";
  for (const std::string_view name : tile::described_names()) out += fmt::format(" {}", name);
  out += "\nGenerations:";
  for (const Generation g : kGenerations) out += fmt::format(" {}", generation_name(g));
  return out + "\n";
}

}  // namespace

void add_info(CLI::App& app, Reporter& reporter) {
  CLI::App* command = add_command(app, "info", "All that is known of an opcode, format, enumeration, data type, generation, rule, function, set or tile command",
                                  "  actkit info ACTIVATE\n  actkit info s3d3_ac_bias_checks\n  actkit info gelu");
  struct Options {
    std::string name;
    bool matrix = false;
  };
  auto options = std::make_shared<Options>();
  auto* name = command->add_option("NAME", options->name, "What to explain; without it, the roster is listed");
  command->add_flag("--matrix", options->matrix, "Print instruction x {generations, engine, encode, check, simulate} as Markdown")->excludes(name);
  command->callback([options, &reporter] {
    const std::string text = options->matrix ? instruction_matrix() : options->name.empty() ? roster() : everything(options->name);
    if (text.empty()) {
      Diagnostic d = make_error(Code::unknown_name, "nothing is called so; `actkit info` without a name lists what there is");
      d.value = options->name;
      reporter.report(d);
      return;
    }
    std::fwrite(text.data(), 1, text.size(), stdout);
  });
}

}  // namespace act::tool
