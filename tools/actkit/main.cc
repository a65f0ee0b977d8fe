// The actkit program: reads the command line, runs one subcommand, turns its reports into an exit status.
#include <algorithm>
#include <cstdio>
#include <system_error>

#include "command.h"
#include "plain_inputs.h"

namespace act::tool {
#define ACT_COMMAND(add) void add(CLI::App& app, Reporter& reporter);
#include "commands.def"
#undef ACT_COMMAND

namespace {

// What was printed must have arrived: a full device is an error, not silence.
void require_output(Reporter& reporter) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  reporter.report(make_error(Code::io_error, "cannot write to standard output"));
}

}  // namespace
}  // namespace act::tool

int main(int argc, char** argv) {
  using namespace act::tool;
  CLI::App app{"actkit: the open toolchain for the activation engine of Trainium-class accelerators", "actkit"};
  app.set_version_flag("--version", "actkit " ACTKIT_VERSION);
  app.require_subcommand(1);
  Reporter reporter;
#define ACT_COMMAND(add) add(app, reporter);
#include "commands.def"
#undef ACT_COMMAND
  require_whole_numbers(app);
  if (report_unknown_command(app, argc, argv)) return kUsage;
  try {
    std::vector<std::string> arguments = with_plain_inputs({argv + std::min(argc, 1), argv + argc});
    std::reverse(arguments.begin(), arguments.end());  // as the parser takes a list
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& e) {
    const bool asked = e.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    app.exit(e);
    if (asked) require_output(reporter);
    return asked ? reporter.exit_code() : kUsage;
  } catch (const std::system_error&) {  // of fmt::print; require_output says so
  }
  require_output(reporter);
  return reporter.exit_code();
}
