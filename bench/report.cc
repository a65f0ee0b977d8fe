#include "report.h"

#include <benchmark/benchmark.h>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string_view>
#include <thread>

namespace act::bench {
namespace {

// Prints as usual and keeps every repetition of every benchmark; their median is what counts.
class Collector final : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs)
      if (run.run_type == Run::RT_Iteration && !run.error_occurred) keep(run);
  }
  std::vector<Row> rows() const {
    std::vector<Row> out;
    for (const Rates& r : rates_) out.push_back({r.name, median(r.items), median(r.bytes)});
    return out;
  }

 private:
  static double counter(const Run& run, const char* name) {
    const auto it = run.counters.find(name);
    return it == run.counters.end() ? 0 : it->second.value;
  }
  static double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  }
  void keep(const Run& run) {
    const std::string name = run.run_name.function_name;
    auto r = std::find_if(rates_.begin(), rates_.end(), [&](const Rates& known) { return known.name == name; });
    if (r == rates_.end()) r = rates_.insert(rates_.end(), Rates{name, {}, {}});
    r->items.push_back(counter(run, "items_per_second"));
    r->bytes.push_back(counter(run, "bytes_per_second"));
  }

  struct Rates {
    std::string name;
    std::vector<double> items, bytes;  // one a repetition
  };
  std::vector<Rates> rates_;
};

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

std::string compiler() {
#ifdef __clang__
  return fmt::format("clang {}", __clang_version__);
#else
  return fmt::format("g++ {}", __VERSION__);
#endif
}

std::string document(const Section& s, const std::vector<Row>& rows) {
  const std::time_t now = std::time(nullptr);
  return fmt::format("<!-- {0} -->\n## {1}\n\n{2}\n\n{3}\n`{4}`, {5}, {6} threads seen, one used; {7}, {8}; {9:%Y-%m-%d}.\n<!-- /{0} -->\n", s.marker, s.title,
                     s.text, s.table(rows), s.command, processor(), std::thread::hardware_concurrency(), compiler(), ACTKIT_BUILD_TYPE, fmt::gmtime(now));
}

bool write_section(const std::string& path, const Section& s, const std::vector<Row>& rows) {
  std::string text = read(path);
  if (text.empty()) text = "# Performance\n\nMeasured, not promised; every table names the command that makes it.\n";
  const std::string open = fmt::format("<!-- {} -->\n", s.marker), close = fmt::format("<!-- /{} -->\n", s.marker);
  const std::size_t begin = text.find(open), end = text.find(close);
  if (begin == std::string::npos || end == std::string::npos) {
    text.append("\n").append(document(s, rows));
  } else {
    text.replace(begin, end + close.size() - begin, document(s, rows));
  }
  std::ofstream out(path, std::ios::binary);
  out << text;
  return static_cast<bool>(out.flush());
}

}  // namespace

bool write_table(const std::string& path, const std::string& marker, const std::string& title, const std::string& text, const std::string& command,
                 const std::string& table) {
  return write_section(path, {.marker = marker, .title = title, .text = text, .command = command, .table = [&table](const auto&) { return table; }}, {});
}

Row find(const std::vector<Row>& rows, const std::string& name) {
  const auto it = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.name == name; });
  return it == rows.end() ? Row{name} : *it;
}

int run(int argc, char** argv, const Section& section) {
  std::string target;
  std::vector<char*> rest;
  constexpr std::string_view kWrite = "--write=";
  for (int i = 0; i < argc; ++i) {
    if (std::string_view(argv[i]).starts_with(kWrite)) {
      target = argv[i] + kWrite.size();
    } else {
      rest.push_back(argv[i]);
    }
  }
  int count = static_cast<int>(rest.size());
  benchmark::Initialize(&count, rest.data());
  if (benchmark::ReportUnrecognizedArguments(count, rest.data())) return 2;
  Collector collector;
  benchmark::RunSpecifiedBenchmarks(&collector);
  if (target.empty()) return 0;
  if (write_section(target, section, collector.rows())) return 0;
  std::fprintf(stderr, "cannot write %s\n", target.c_str());
  return 2;
}

}  // namespace act::bench
