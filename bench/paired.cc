#include "paired.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string_view>

#include "report.h"

namespace act::bench {
namespace {

// Processor time: what another process takes does not count, what it leaves in the caches does.
double now() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.empty() ? 0 : (v[v.size() / 2] + v[(v.size() - 1) / 2]) / 2;
}

double load() {
  std::ifstream in("/proc/loadavg");
  double l = 0;
  in >> l;
  return l;
}

// Seconds of one call, averaged over a turn.
double turn(const std::function<void()>& call, std::uint64_t calls) {
  const double begin = now();
  for (std::uint64_t i = 0; i < calls; ++i) call();
  return (now() - begin) / static_cast<double>(calls);
}

// What the clock of the core is while it works: dependent additions take one cycle each. 0 where that is not known.
double clock_ghz() {
#if defined(__x86_64__)
  constexpr std::uint64_t kAdditions = 200'000'000;
  std::uint64_t x = 0;
  const double begin = now();
  for (std::uint64_t i = 0; i < kAdditions; i += 4)
    asm volatile("add $1, %0\n\tadd $1, %0\n\tadd $1, %0\n\tadd $1, %0" : "+r"(x));
  return static_cast<double>(kAdditions) / (now() - begin) * 1e-9;
#else
  return 0;
#endif
}

std::uint64_t calls_for(const std::function<void()>& call, double seconds) {
  call();
  const double once = std::max(turn(call, 1), 1e-8);
  return static_cast<std::uint64_t>(std::max(1.0, std::ceil(seconds / once)));
}

}  // namespace

Buffer::Buffer(std::size_t floats) : memory_(floats + 4096, 0.0F), data_(nullptr), size_(floats) {
  constexpr std::uintptr_t kLine = 64;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory_.data() + 1024);
  data_ = reinterpret_cast<float*>((begin + kLine - 1) / kLine * kLine);
}

PairResult measure(const Pair& pair, int rounds, double turn_seconds) {
  const std::uint64_t ours_calls = calls_for(pair.ours, turn_seconds);
  const std::uint64_t other_calls = pair.other ? calls_for(pair.other, turn_seconds) : 0;
  const auto other = [&] { return pair.other ? turn(pair.other, other_calls) : pair.other_seconds(); };
  std::vector<double> a, b, ratios, differences;
  other();
  for (int r = 0; r < rounds; ++r) {
    const double first = turn(pair.ours, ours_calls), between = other(), second = turn(pair.ours, ours_calls);
    const double mean = (first + second) / 2;
    a.push_back(mean);
    b.push_back(between);
    ratios.push_back(pair.at_most > 0 ? mean / between : between / mean);
    differences.push_back(std::fabs(first - second) / mean);
  }
  PairResult result{median(a) / pair.items * 1e9, median(b) / pair.items * 1e9, median(ratios),
                    median(differences), true};
  if (pair.at_least > 0) result.reached = result.ratio >= pair.at_least;
  if (pair.at_most > 0) result.reached = result.ratio <= pair.at_most;
  return result;
}

std::string table_head() {
  return "| what | against | ns an element | other | ratio | wanted | noise "
         "|\n|---|---|---:|---:|---:|---:|---:|\n";
}

std::string table_line(const Pair& p, const PairResult& r) {
  const std::string wanted =
      p.at_least > 0  ? fmt::format("at least {}{}", p.at_least, r.reached ? "" : " (missed)")
      : p.at_most > 0 ? fmt::format("at most {}{}", p.at_most, r.reached ? "" : " (missed)")
                      : "";
  return fmt::format("| {} | {} | {:.3g} | {:.3g} | {:.2f} | {} | {:.0f} % |\n", p.what, p.against, r.ours_ns,
                     r.other_ns, r.ratio, wanted, 100 * r.noise);
}

int run_pairs(int argc, char** argv, const PairSection& section,
              const std::function<std::vector<Pair>()>& make) {
  std::string only, target;
  int rounds = 15;
  double seconds = 0.02;
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    if (arg.starts_with("--only=")) only = arg.substr(7);
    if (arg.starts_with("--write=")) target = arg.substr(8);
    if (arg == "--quick") rounds = 5, seconds = 0.004;
  }
  std::string table = table_head();
  std::fputs(table.c_str(), stdout);
  std::vector<double> loads;
  for (const Pair& p : make()) {
    if ((p.what + p.against).find(only) == std::string::npos) continue;
    loads.push_back(load());
    const std::string line = table_line(p, measure(p, rounds, seconds));
    std::fputs(line.c_str(), stdout);
    std::fflush(stdout);
    table += line;
  }
  if (target.empty()) return 0;
  const double busiest = loads.empty() ? 0 : *std::max_element(loads.begin(), loads.end());
  table += fmt::format(
      "\nRatio: other / ours where \"at least\" is wanted or nothing, ours / other where \"at most\" is. "
      "Median of {} rounds A-B-A of at least {:g} ms a turn, processor time. "
      "Noise: median difference of the two turns of A. Clock of the core: {:.1f} GHz. Load of the machine while it was "
      "measured: {:.1f} to {:.1f}{}.\n",
      rounds, seconds * 1e3, clock_ghz(), loads.empty() ? 0 : *std::min_element(loads.begin(), loads.end()), busiest,
      busiest > 1.5 ? ", so it was noisy: other processes shared cores and caches" : "");
  for (const std::string& note : section.notes) table += "\n" + note + "\n";
  return write_table(target, section.marker, section.title, section.text, section.command, table) ? 0 : 2;
}

}  // namespace act::bench
