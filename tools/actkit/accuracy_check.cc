#include "accuracy_check.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "act/fit/certificate.h"
#include "act/tables/catalog_io.h"
#include "act/tables/functions.h"

namespace act::tool {
namespace {

constexpr double kPrinted = 1e-5;  // certificates are printed to six digits

const FunctionTable* table_of(const Catalog& catalog, const fit::Certificate& c) {
  for (const TableSet& set : catalog.sets)
    if (const FunctionTable* t = set.find(c.function); t != nullptr && t->budget == c.budget) return t;
  return nullptr;
}

struct Figure {
  const char* name;
  fit::WorstCase fit::Measurement::*member;
};
constexpr Figure kFigures[] = {{"ULP", &fit::Measurement::inner},
                               {"ULP in the outer octaves", &fit::Measurement::outer},
                               {"absolute in the tail", &fit::Measurement::tail},
                               {"units of 2^-149 below the normal range", &fit::Measurement::subnormal}};

class AccuracyCheck {
 public:
  AccuracyCheck(const Folder& folder, std::uint32_t stride, Reporter& reporter)
      : folder_(folder), stride_(stride), reporter_(reporter) {}

  void run(const Catalog& catalog, const std::vector<fit::Certificate>& certificates) {
    for (const fit::Certificate& c : certificates) {
      const FunctionTable* table = table_of(catalog, c);
      const FunctionInfo* info = find_function(c.function);
      if (table == nullptr || info == nullptr) {
        differs(c, "the catalog has no such table", "", "");
        continue;
      }
      compare(c, fit::measure_parallel(*info, *table, c.domain, stride_));
      if (table->lut_size() != c.sections)
        differs(c, "another number of sections", std::to_string(table->lut_size()),
                std::to_string(c.sections));
      if (stride_ != 1) continue;
      if (const std::uint64_t digest = fit::result_digest(*table); digest != c.digest)
        differs(c, "another digest of all results", fmt::format("0x{:016x}", digest),
                fmt::format("0x{:016x}", c.digest));
    }
  }

 private:
  void compare(const fit::Certificate& c, const fit::Measurement& measured) {
    std::string line;
    for (const Figure& figure : kFigures) {
      const fit::WorstCase &got = measured.*figure.member, &certified = c.measured.*figure.member;
      const bool larger = got.error > certified.error * (1 + kPrinted),
                 smaller = got.error < certified.error * (1 - kPrinted);
      if (larger || (stride_ == 1 && smaller))
        differs(c, fmt::format("another error ({})", figure.name),
                fmt::format("{:.9g} at {}", got.error, got.input), fmt::format("{:.9g}", certified.error));
      if (certified.error != 0)
        line += fmt::format("{}{:.4g} of {:.4g} {}", line.empty() ? "" : ", ", got.error, certified.error,
                            figure.name);
    }
    if (!reporter_.json())
      fmt::print("  {:<36} {}\n", budgeted_name(c.function, c.budget), line.empty() ? "exact" : line);
  }

  void differs(const fit::Certificate& c, const std::string& what, std::string value, std::string allowed) {
    Diagnostic d =
        make_error(Code::table_rule, fmt::format("{}: {}", budgeted_name(c.function, c.budget), what));
    d.rule = "G-11";
    d.where.file = folder_.label();
    d.value = std::move(value);
    d.allowed = std::move(allowed);
    reporter_.report(d);
  }

  const Folder& folder_;
  std::uint32_t stride_;
  Reporter& reporter_;
};

}  // namespace

void check_accuracy(const Folder& folder, std::uint32_t stride, Reporter& reporter) {
  auto text = folder.read(fit::kCertificateFile, std::uint64_t{4} << 20);
  if (!text) return reporter.report(text.error());
  Diagnostics warnings;
  const auto certificates = fit::parse_certificates(
      as_text(*text), fmt::format("{}/{}", folder.label(), fit::kCertificateFile), warnings);
  const auto catalog = read_catalog(folder, {}, warnings);
  std::erase_if(warnings, [](const Diagnostic& d) { return d.code == Code::set_absent; });
  reporter.report(warnings);
  if (!certificates) return reporter.report(certificates.error());
  if (!catalog) return reporter.report(catalog.error());
  AccuracyCheck(folder, stride, reporter).run(*catalog, *certificates);
}

}  // namespace act::tool
