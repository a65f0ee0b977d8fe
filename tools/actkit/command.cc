#include "command.h"

#include <algorithm>
#include <cstdio>

namespace act::tool {

void Reporter::report(const Diagnostic& d, std::string_view source_line) {
  const std::string text = json_ ? to_json(d) : to_text(d, source_line);
  std::fprintf(output_, "%s\n", text.c_str());
  if (d.severity != Severity::error) return;
  exit_ = std::max<int>(exit_, d.code == Code::io_error ? kUsage : kDiagnostics);
}

void Reporter::report(const Diagnostics& list) {
  for (const Diagnostic& d : list) report(d);
}

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& examples) {
  CLI::App* command = app.add_subcommand(name, description);
  command->footer("Example:\n" + examples + "\n");
  return command;
}

}  // namespace act::tool
