// actkit neff: what is in a container; actkit neff extract: unpack it.
#include <fmt/format.h>

#include "act/neff/listing.h"
#include "command.h"
#include "container_input.h"

namespace act::tool {
namespace {

struct NeffOptions {
  std::string file, directory;
  bool json = false;
  neff::Limits limits;
};

void list(const NeffOptions& options, Reporter& reporter) {
  reporter.set_json(options.json);
  Diagnostics problems;
  Result<neff::Container> container = neff::read_container_file(options.file, options.limits, problems);
  reporter.report(problems);
  if (!container) {
    reporter.report(container.error());
    return;
  }
  if (options.json)
    fmt::print("{}\n",
               neff::listing_json(*container).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  else
    fmt::print("{}", neff::listing_text(*container));
}

void extract(const NeffOptions& options, Reporter& reporter) {
  reporter.set_json(options.json);
  const auto bytes = value_or_report(neff::read_container_bytes(options.file, options.limits), reporter);
  if (!bytes) return;
  Diagnostics problems;
  Result<neff::Archive> archive = neff::read_archive(*bytes, options.file, options.limits, problems);
  // extract() says again, as an error, what makes it impossible.
  std::erase_if(problems, [](const Diagnostic& d) { return d.code == Code::duplicate_name; });
  reporter.report(problems);
  if (!archive) {
    reporter.report(archive.error());
    return;
  }
  if (!ok_or_report(neff::extract(*archive, options.directory), reporter)) return;
  if (options.json)
    fmt::print("{}\n",
               nlohmann::ordered_json({{"directory", options.directory}, {"files", archive->members.size()}})
                   .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  else
    fmt::print("{}: {} files\n", options.directory, archive->members.size());
}

}  // namespace

void add_neff(CLI::App& app, Reporter& reporter) {
  auto options = std::make_shared<NeffOptions>();
  CLI::App* command =
      add_command(app, "neff", "What is in a container: header, features, graphs, engines, table sets",
                  "  actkit neff model.neff\n  actkit neff model.neff --json\n"
                  "  actkit neff extract model.neff -o model/");
  CLI::Option* file = command->add_option("FILE", options->file, "Container, or - for standard input");
  command->add_flag("--json", options->json, "One object, and diagnostics as JSON");
  add_limit_options(*command, options->limits);
  command->require_subcommand(0, 1);

  auto extract_options = std::make_shared<NeffOptions>();
  CLI::App* unpack = add_command(*command, "extract", "Unpacks a container into a new directory",
                                 "  actkit neff extract model.neff -o model/");
  unpack->add_option("FILE", extract_options->file, "Container, or - for standard input")->required();
  unpack->add_option("-o,--output", extract_options->directory, "Directory to make")->required();
  unpack->add_flag("--json", extract_options->json, "Result and diagnostics as JSON");
  add_limit_options(*unpack, extract_options->limits);
  unpack->callback([extract_options, &reporter] { extract(*extract_options, reporter); });

  command->callback([command, file, options, &reporter] {
    if (!command->get_subcommands().empty()) return;
    if (file->count() == 0) throw CLI::RequiredError("FILE");
    list(*options, reporter);
  });
}

}  // namespace act::tool
