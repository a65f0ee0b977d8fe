// actkit pwp: the group of the table commands.
#include "pwp.h"

namespace act::tool {

#define ACT_PWP_COMMAND(add) void add(CLI::App& pwp, Reporter& reporter);
#include "pwp_commands.def"
#undef ACT_PWP_COMMAND

void add_pwp(CLI::App& app, Reporter& reporter) {
  CLI::App* pwp = add_command(app, "pwp", "Function tables: list, evaluate, check, compare, build",
                              "  actkit pwp eval exp 0.5\n  actkit pwp COMMAND --help");
  pwp->require_subcommand(1);
#define ACT_PWP_COMMAND(add) add(*pwp, reporter);
#include "pwp_commands.def"
#undef ACT_PWP_COMMAND
}

}  // namespace act::tool
