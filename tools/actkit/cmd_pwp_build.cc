// actkit pwp build: fits functions and packs sets after a specification.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "act/fit/certificate.h"
#include "act/fit/generate.h"
#include "act/tables/catalog_io.h"
#include "act/tables/layout.h"
#include "pwp.h"

namespace act::tool {
namespace {

constexpr std::uint64_t kMaxSpecBytes = std::uint64_t{1} << 20;

struct BuildOptions {
  std::string spec, output;
  bool replace = false, certify = false, json = false;
};

// One line that overwrites itself, on a terminal only.
class ProgressLine {
 public:
  void tell(std::string_view stem) {
    if (!shown_) return;
    std::fprintf(stderr, "\r\033[K%zu tables, %.*s", ++done_, static_cast<int>(stem.size()), stem.data());
    std::fflush(stderr);
  }
  ~ProgressLine() {
    if (done_ > 0) std::fputs("\r\033[K", stderr);
  }

 private:
  bool shown_ = isatty(STDERR_FILENO) != 0;
  std::size_t done_ = 0;
};

std::string goal_error(const fit::TableOrigin& o) {
  if (o.fitted_error == 0) return "";
  return fmt::format("  {:.6g} {}", o.fitted_error, fit::metric_name(o.goal.metric));
}

const FunctionTable& table_of(const Catalog& catalog, const fit::TableOrigin& o) {
  for (const TableSet& set : catalog.sets)
    for (const FunctionTable& f : set.functions)
      if (f.name == o.function && f.budget == o.budget) return f;
  std::abort();  // every origin has its table
}

std::string certify_all(const fit::BuildSpec& spec, const fit::BuiltCatalog& built) {
  ProgressLine progress;
  std::vector<fit::Certificate> certificates;
  for (const fit::TableOrigin& o : built.origins) {
    certificates.push_back(fit::certify(*find_function(o.function), table_of(built.catalog, o), o));
    progress.tell(budgeted_name(o.function, o.budget));
  }
  return fit::print_certificates(spec.name, certificates);
}

void print_summary(const fit::BuiltCatalog& built, bool json) {
  for (const fit::TableOrigin& o : built.origins) {
    const FunctionTable& table = table_of(built.catalog, o);
    if (json) {
      nlohmann::ordered_json j = {{"function", budgeted_name(table)}, {"method", fit::method_name(o.method)},
                                  {"structure", fit::source_name(o.source)}, {"sections", table.lut_size()},
                                  {"octaves", table.octave_count()}};
      if (o.fitted_error != 0) j["error"] = o.fitted_error, j["metric"] = fit::metric_name(o.goal.metric);
      fmt::print("{}\n", j.dump());
    } else {
      fmt::print("{:<38} {:<8} {:<17} sections {:>4}  octaves {:>3}{}\n", budgeted_name(table), fit::method_name(o.method),
                 fit::source_name(o.source), table.lut_size(), table.octave_count(), goal_error(o));
    }
  }
}

void run(const BuildOptions& options, Reporter& reporter) {
  reporter.set_json(options.json);
  const auto text = value_or_report(read_text(options.spec, kMaxSpecBytes), reporter);
  if (!text) return;
  Diagnostics warnings;
  const auto spec = value_or_report(fit::parse_build_spec(*text, options.spec, warnings), reporter);
  if (!spec) return;
  std::optional<fit::BuiltCatalog> built;
  {
    ProgressLine progress;
    built = value_or_report(fit::build_catalog(*spec, warnings, [&](std::string_view stem) { progress.tell(stem); }), reporter);
  }
  reporter.report(warnings);
  if (!built) return;
  const std::string certificates = options.certify ? certify_all(*spec, *built) : "";
  auto out = value_or_report(StagedDirectory::create(options.output, options.replace), reporter);
  if (!out) return;
  if (!ok_or_report(write_catalog(built->catalog, *out), reporter)) return;
  if (options.certify && !ok_or_report(out->write(fit::kCertificateFile, certificates), reporter)) return;
  if (!ok_or_report(out->commit(), reporter)) return;
  print_summary(*built, options.json);
}

}  // namespace

void add_pwp_build(CLI::App& pwp, Reporter& reporter) {
  auto options = std::make_shared<BuildOptions>();
  CLI::App* build = add_command(pwp, "build", "Fit functions and pack sets after a specification",
                                "  echo '{\"name\": \"mine\", \"sets\": [{\"name\": \"wave\", \"act\": {\"cos\": 2, \"identity\": 1}}]}' |\n"
                                "    actkit pwp build - -o mine\n"
                                "  actkit pwp build data/catalogs/trainium.json -o trainium");
  build->add_option("SPEC", options->spec, "Specification, docs/table-specification.md; - for standard input")->required();
  build->add_option("-o,--output", options->output, "Directory to make; an existing one must be empty")->required();
  build->add_flag("--replace", options->replace, "Replace what the directory holds");
  build->add_flag("--certify", options->certify, "Measure every table at every input and write certificates.json; takes minutes a table");
  build->add_flag("--json", options->json, "One object a table");
  build->callback([options, &reporter] { run(*options, reporter); });
}

}  // namespace act::tool
