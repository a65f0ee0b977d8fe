// What every subcommand shares: registration, reporting, exit status.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "act/diag/result.h"

namespace act::tool {

enum Exit : int { kClean = 0, kDiagnostics = 1, kUsage = 2 };

// Prints diagnostics (to standard error, unless they are the product) and remembers the worst of them for the exit status.
class Reporter {
 public:
  // `json`: one object a line (to standard error, or to standard output for `check`, whose product they are).
  void set_json(bool json) { json_ = json; }
  bool json() const { return json_; }
  void set_output(std::FILE* output) { output_ = output; }
  void report(const Diagnostic& d, std::string_view source_line = {});
  void report(const Diagnostics& list);
  // What is wrong with the command line itself: exit status 2.
  void report_usage(const Diagnostics& list);
  // Clean, diagnostics of severity error, or usage: a failure to read or write, a diagnostic about an option (whose field
  // starts with "--").
  int exit_code() const { return exit_; }

 private:
  bool json_ = false;
  std::FILE* output_ = stderr;
  int exit_ = kClean;
};

// Adds a subcommand with its description and runnable examples, which --help prints below the options.
CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& examples);

// Makes every option of whole numbers, of all subcommands, refuse signs and what does not fit 64 bits; the command-line parser
// would wrap or clip them.
void require_whole_numbers(CLI::App& app);

// Tells a word that stands where a subcommand is wanted and is none; false when there is none.
bool report_unknown_command(const CLI::App& app, int argc, const char* const* argv);

// What stands before and behind the first `at`; all of it and nothing where there is none.
inline std::pair<std::string, std::string> split(std::string_view text, char at) {
  const std::size_t i = text.find(at);
  return {std::string(text.substr(0, i)), std::string(i == text.npos ? std::string_view() : text.substr(i + 1))};
}

// The value of a Result, or reports its errors and returns nothing.
template <class T>
std::optional<T> value_or_report(Result<T>&& result, Reporter& reporter) {
  if (result) return std::move(*result);
  reporter.report(result.error());
  return std::nullopt;
}

inline bool ok_or_report(const Status& status, Reporter& reporter) {
  if (status) return true;
  reporter.report(status.error());
  return false;
}

}  // namespace act::tool
