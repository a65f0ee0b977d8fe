// actkit pwp image: the four device tables of a set.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "act/tables/check.h"
#include "act/tables/device_image.h"
#include "pwp.h"

namespace act::tool {
namespace {

struct ImageOptions {
  std::string catalog, set, generation{generation_name(kDefaultGeneration)}, out;
  bool allow_tonga_ids = false, strict_control_128 = false, replace = false, json = false;
};

void refuse(Reporter& reporter, Code code, std::string message, std::string field, std::string value,
            std::string allowed) {
  Diagnostic d = make_error(code, std::move(message));
  d.field = std::move(field);
  d.value = std::move(value);
  d.allowed = std::move(allowed);
  reporter.report(d);
}

void write_image(const ImageOptions& options, const TableSet& set, const DeviceImage& image,
                 Reporter& reporter) {
  auto out = value_or_report(StagedDirectory::create(options.out, options.replace), reporter);
  if (!out) return;
  const std::string map = image_map(set, image);
  const std::pair<std::string_view, const Bytes*> tables[] = {{"cam.bin", &image.cam},
                                                              {"profile.bin", &image.profile},
                                                              {"control.bin", &image.control},
                                                              {"bucket.bin", &image.bucket}};
  for (const auto& [name, bytes] : tables)
    if (!ok_or_report(out->write(name, *bytes), reporter)) return;
  if (!ok_or_report(out->write("map.json", map), reporter)) return;
  if (ok_or_report(out->commit(), reporter) && options.json) fmt::print("{}", map);
}

void run(const ImageOptions& options, Reporter& reporter) {
  const auto catalog = open_catalog_or_report(options.catalog, reporter);
  if (!catalog) return;
  const auto generation = find_generation(options.generation);
  if (!generation)
    return refuse(reporter, Code::unknown_name, "there is no generation of this name", "--gen",
                  options.generation, "sunda, cayman, mariana, maverick, v2..v5");
  const TableSet* set = catalog->find_set(options.set);
  if (set == nullptr || !set->present) {
    std::vector<std::string> names;
    for (const TableSet& s : catalog->sets)
      if (s.present) names.push_back(s.name());
    return refuse(reporter, Code::unknown_name, "the catalog has no files of this set", "--set", options.set,
                  fmt::format("{}", fmt::join(names, ", ")));
  }
  if (catalog->id_space == IdSpace::tonga && !options.allow_tonga_ids)
    return refuse(reporter, Code::bad_value,
                  "the catalog carries first-generation function codes, which this generation does not send",
                  "catalog", catalog->label, "a catalog with a ctrl stride of 32, or --allow-tonga-ids");
  CatalogCheckOptions check;
  check.strict_control_128 = options.strict_control_128;
  const Diagnostics found = check_tables(*set, catalog->id_space, check);
  reporter.report(found);
  if (has_errors(found)) return;
  if (const auto image = value_or_report(build_image(*set, *generation), reporter))
    write_image(options, *set, *image, reporter);
}

}  // namespace

void add_pwp_image(CLI::App& pwp, Reporter& reporter) {
  auto options = std::make_shared<ImageOptions>();
  CLI::App* image = add_command(pwp, "image",
                                "The four device tables of a set (cam.bin, profile.bin, control.bin, "
                                "bucket.bin) and map.json with their addresses.\n"
                                "Follows public documentation; most bit positions of PROFILE are this "
                                "project's placement (layout OPEN-1).",
                                "  actkit pwp image trainium --set exp_and_others --gen cayman -o exp_image");
  image->add_option("CATALOG", options->catalog, "Embedded catalog, directory or container")->required();
  image->add_option("--set", options->set, "Name of the set")->required();
  image->add_option("--gen", options->generation, "Generation")->capture_default_str();
  image->add_option("-o,--output", options->out, "Directory to create")->required();
  image->add_flag("--allow-tonga-ids", options->allow_tonga_ids,
                  "Take a catalog with first-generation function codes");
  image->add_flag("--strict-control-128", options->strict_control_128,
                  "More than 128 control entries are an error");
  image->add_flag("--force", options->replace, "Replace an existing directory");
  image->add_flag("--json", options->json, "Print map.json; diagnostics as JSON objects");
  image->callback([options, &reporter] {
    reporter.set_json(options->json);
    run(*options, reporter);
  });
}

}  // namespace act::tool
