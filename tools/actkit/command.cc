#include "command.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace act::tool {

void Reporter::report(const Diagnostic& d, std::string_view source_line) {
  const std::string text = json_ ? to_json(d) : to_text(d, source_line);
  std::fprintf(output_, "%s\n", text.c_str());
  if (d.severity != Severity::error) return;
  exit_ = std::max<int>(exit_, d.code == Code::io_error || d.field.starts_with("--") ? kUsage : kDiagnostics);
}

void Reporter::report(const Diagnostics& list) {
  for (const Diagnostic& d : list) report(d);
}

void Reporter::report_usage(const Diagnostics& list) {
  report(list);
  exit_ = kUsage;
}

void require_whole_numbers(CLI::App& app) {
  const auto whole = [](const std::string& text) {
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    const char* const end = text.data() + text.size();
    std::uint64_t n = 0;
    const auto [stop, error] = std::from_chars(text.data() + (hex ? 2 : 0), end, n, hex ? 16 : 10);
    return error == std::errc{} && stop == end ? std::string{} : text + " is no whole number from 0 to 18446744073709551615";
  };
  for (CLI::Option* option : app.get_options())
    if (option->get_type_name().starts_with("UINT")) option->check(whole);
  for (CLI::App* sub : app.get_subcommands([](CLI::App*) { return true; })) require_whole_numbers(*sub);
}

bool report_unknown_command(const CLI::App& app, int argc, const char* const* argv) {
  const CLI::App* at = &app;
  for (int i = 1; i < argc && at->get_require_subcommand_min() != 0; ++i) {
    const std::string_view word = argv[i];
    if (word.starts_with('-')) return false;
    const CLI::App* next = nullptr;
    std::string names;
    for (const CLI::App* sub : at->get_subcommands([](const CLI::App*) { return true; })) {
      if (sub->get_name() == word) next = sub;
      names += (names.empty() ? "" : ", ") + sub->get_name();
    }
    if (next == nullptr) {
      std::fprintf(stderr, "%s has no command \"%.200s\"; there are %s\nRun with --help for more information.\n", at->get_name().c_str(), argv[i], names.c_str());
      return true;
    }
    at = next;
  }
  return false;
}

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& examples) {
  CLI::App* command = app.add_subcommand(name, description);
  command->footer("Example:\n" + examples + "\n");
  return command;
}

}  // namespace act::tool
