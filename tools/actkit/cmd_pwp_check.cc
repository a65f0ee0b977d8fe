// actkit pwp check: rules V-01 to V-19 over catalogs.
#include <fmt/format.h>

#include <algorithm>

#include "accuracy_check.h"
#include "act/fit/certificate.h"
#include "act/tables/check.h"
#include "pwp.h"

namespace act::tool {
namespace {

struct PwpCheckOptions {
  std::vector<std::string> catalogs;
  CatalogCheckOptions check;
  bool strict = false, json = false, accuracy = false;
  std::uint32_t stride = 4099;
};

Diagnostic no_certificates(const std::string& catalog) {
  Diagnostic d = make_error(Code::missing_member, fmt::format("the catalog has no {} to measure against", fit::kCertificateFile));
  d.where.file = catalog;
  d.allowed = "a catalog built with `actkit pwp build --certify`";
  return d;
}

void run(const PwpCheckOptions& options, Reporter& reporter) {
  reporter.set_json(options.json);
  for (const std::string& name : options.catalogs) {
    const auto folder = open_folder_or_report(name, reporter);
    if (!folder) continue;
    Diagnostics found = check_catalog(**folder, options.check);
    if (options.accuracy && !(*folder)->contains(fit::kCertificateFile)) found.push_back(no_certificates(name));
    reporter.report(found);
    const auto errors = std::count_if(found.begin(), found.end(),
                                      [](const Diagnostic& d) { return d.severity == Severity::error; });
    if (!options.json) fmt::print("{}: {}\n", name, errors == 0 ? "sound" : fmt::format("{} errors", errors));
    if (options.accuracy && errors == 0) check_accuracy(**folder, options.stride, reporter);
  }
}

}  // namespace

void add_pwp_check(CLI::App& pwp, Reporter& reporter) {
  auto options = std::make_shared<PwpCheckOptions>();
  CLI::App* check = add_command(pwp, "check", "Checks catalogs against the rules V-01 to V-19",
                                "  actkit pwp check trainium with_ln\n  actkit pwp check trainium-minimax "
                                "--accuracy\n  actkit pwp check my_pwp_bin_trainium --strict --json");
  check->add_option("CATALOG", options->catalogs, "Embedded catalog, directory or container")->required();
  check->add_flag("--strict", options->strict, "Unknown JSON members are errors");
  check->add_flag("--partial", options->check.allow_absent_sets, "Sets of the roster may lack their files");
  check->add_flag("--strict-control-128", options->check.strict_control_128,
                  "More than 128 control entries are an error");
  check->add_flag("--accuracy", options->accuracy, "Measure every table against its certificate");
  check
      ->add_option(
          "--stride", options->stride,
          "With --accuracy: look at every N-th input; 1 looks at all and compares digests, minutes a table")
      ->check(CLI::Range(1u, 1u << 24))
      ->capture_default_str();
  check->add_flag("--json", options->json, "Diagnostics as JSON objects");
  check->callback([options, &reporter] {
    if (options->strict) options->check.strictness = Strictness::strict;
    run(*options, reporter);
  });
}

}  // namespace act::tool
