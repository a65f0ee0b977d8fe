#include "sweep_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "act/tables/evaluate.h"

namespace act::tool {
namespace {

// A bar with rate and time left, on a terminal only.
class ProgressBar {
 public:
  explicit ProgressBar(std::uint64_t total) : total_(total) {}
  ~ProgressBar() {
    if (shown_) std::fputs("\r\033[K", stderr);
  }
  void tell(std::uint64_t done) {
    const auto now = Clock::now();
    if (!shown_ || (now - last_ < std::chrono::milliseconds(100) && done < total_)) return;
    last_ = now;
    const double seconds = std::chrono::duration<double>(now - start_).count(),
                 part = static_cast<double>(done) / static_cast<double>(total_);
    const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
    constexpr std::size_t kWidth = 30;
    const auto full = static_cast<std::size_t>(part * kWidth);
    fmt::print(stderr, "\r\033[K[{:#<{}}{:.<{}}] {:.0f} %, {:.0f} million inputs/s, {:.0f} s left", "", full,
               "", kWidth - full, 100 * part, rate / 1e6,
               rate > 0 ? static_cast<double>(total_ - done) / rate : 0);
    std::fflush(stderr);
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::uint64_t total_;
  bool shown_ = isatty(STDERR_FILENO) != 0;
  Clock::time_point start_ = Clock::now(), last_ = start_;
};

struct NamedFigure {
  const char* name;
  const char* unit;
  fit::WorstCase fit::Measurement::*member;
};
constexpr NamedFigure kFigures[] = {
    {"max_ulp", "ULP", &fit::Measurement::inner},
    {"max_ulp_outer", "ULP in octaves without a full cubic", &fit::Measurement::outer},
    {"max_absolute_tail", "absolute where the error counts so", &fit::Measurement::tail},
    {"max_subnormal_steps", "units of 2^-149 for subnormal results", &fit::Measurement::subnormal}};

constexpr std::uint64_t kMostShards = 1 << 20;

// "i/n" with i below n.
bool parse_shard(const std::string& text, Shard& s) {
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, s.index);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '/') return false;
  const auto second = std::from_chars(first.ptr + 1, end, s.count);
  return second.ec == std::errc{} && second.ptr == end && s.count <= kMostShards && s.index < s.count;
}

std::string pattern(std::uint32_t bits) { return fmt::format("0x{:08x}", bits); }

std::string against_text(const SweepOptions& options) {
  if (options.against == "reference") return "the scalar reference";
  return options.against == "exact" ? "the exact value" : options.against;
}

void print_text(const PreparedSweep& sweep, const SweepOptions& options, const SweepOutcome& o) {
  const std::string shard =
      sweep.shard.count == 1 ? "" : fmt::format("shard {}/{}, ", sweep.shard.index, sweep.shard.count);
  const std::string found =
      sweep.compared != nullptr
          ? fmt::format(", {} mismatches against {}", o.result.mismatches, against_text(options))
          : "";
  fmt::print("{}: {}{} inputs{}, digest {:016x}\n", budgeted_name(*sweep.chosen.table), shard,
             o.result.inputs, found, o.result.digest);
  if (sweep.exact == nullptr) return;
  for (const NamedFigure& f : kFigures) {
    const fit::WorstCase& worst = o.errors.*f.member;
    if (worst.error != 0)
      fmt::print("  at most {:.6g} {}, at {} ({})\n", worst.error, f.unit, number_text(worst.input),
                 pattern(float_bits(worst.input)));
  }
}

void print_json(const PreparedSweep& sweep, const SweepOptions& options, const SweepOutcome& o) {
  nlohmann::ordered_json j = {{"function", sweep.chosen.table->name},
                              {"set", sweep.chosen.set->name()},
                              {"catalog", options.catalog},
                              {"against", options.against},
                              {"shard", fmt::format("{}/{}", sweep.shard.index, sweep.shard.count)},
                              {"inputs", o.result.inputs}};
  if (sweep.compared != nullptr) j["mismatches"] = o.result.mismatches;
  if (o.result.first_mismatch) j["first_mismatch"] = pattern(*o.result.first_mismatch);
  if (sweep.exact != nullptr)
    for (const NamedFigure& f : kFigures) {
      const fit::WorstCase& worst = o.errors.*f.member;
      if (worst.error == 0) continue;
      j[f.name] = {{"error", std::isfinite(worst.error) ? nlohmann::ordered_json(worst.error) : "inf"},
                   {"input", pattern(float_bits(worst.input))}};
    }
  j["digest"] = fmt::format("{:016x}", o.result.digest);
  fmt::print("{}\n", j.dump());
}

void report_mismatch(const PreparedSweep& sweep, const SweepOptions& options, const fit::SweepResult& r,
                     Reporter& reporter) {
  const float input = bits_float(*r.first_mismatch);
  float got = 0;
  // As the sweep computed it: a call of one input would take the scalar path.
  const std::vector<float> in(64, input);
  std::vector<float> out(in.size());
  VectorTable(*sweep.chosen.table).evaluate(in, out);
  got = out[0];
  Diagnostic d = make_error(Code::bad_value,
                            fmt::format("{} of {} results differ from {}, first at input {}", r.mismatches,
                                        r.inputs, against_text(options), pattern(*r.first_mismatch)));
  d.where.file = sweep.chosen.table->name;
  d.value = pattern(float_bits(got));
  d.allowed = pattern(float_bits(evaluate(*sweep.compared, input)));
  reporter.report(d);
}

}  // namespace

void add_sweep_options(CLI::App& command, SweepOptions& options) {
  command.add_option("FUNCTION", options.function, "Name of the function: gelu or Gelu")->required();
  add_catalog_option(command, options.catalog);
  command.add_option("--set", options.set,
                     "Set to take the table from; else the first that has the function");
  command
      .add_option("--against", options.against,
                  "What results are compared with: reference (the scalar evaluator), exact (the error in "
                  "ULP), none, or another catalog")
      ->capture_default_str();
  command.add_option("--shard", options.shard, "Only part i of n: i/n")->capture_default_str();
  command.add_option("--threads", options.threads, "Threads; 0 takes all processors")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
  command.add_flag("--json", options.json, "One object");
}

std::unique_ptr<PreparedSweep> prepare_sweep(const SweepOptions& options, Reporter& reporter) {
  reporter.set_json(options.json);
  auto sweep = std::make_unique<PreparedSweep>();
  if (!parse_shard(options.shard, sweep->shard)) {
    Diagnostic d = make_error(Code::bad_value, "no shard of this form");
    d.field = "shard";
    d.value = options.shard;
    d.allowed = fmt::format("i/n with 0 <= i < n <= {}", kMostShards);
    reporter.report(d);
    return nullptr;
  }
  auto catalog = open_catalog_or_report(options.catalog, reporter);
  if (!catalog) return nullptr;
  sweep->catalog = *std::move(catalog);
  const auto chosen = choose_table(sweep->catalog, options.function, options.set, reporter);
  if (!chosen) return nullptr;
  sweep->chosen = *chosen;
  if (options.against == "none") return sweep;
  if (options.against == "reference") {
    sweep->compared = chosen->table;
    return sweep;
  }
  if (options.against == "exact") {
    sweep->exact = find_function(chosen->table->name);
    if (sweep->exact != nullptr && sweep->exact->has_table()) return sweep;
    Diagnostic d =
        make_error(Code::bad_value, "only functions with a table body have an error against exact values");
    d.field = "against";
    d.value = chosen->table->name;
    reporter.report(d);
    return nullptr;
  }
  sweep->other = open_catalog_or_report(options.against, reporter);
  if (!sweep->other) return nullptr;
  const auto other = choose_table(*sweep->other, options.function, "", reporter);
  if (!other) return nullptr;
  sweep->compared = other->table;
  return sweep;
}

SweepOutcome run_part(const PreparedSweep& sweep, const SweepOptions& options, std::uint64_t part,
                      std::uint64_t parts) {
  SweepOutcome outcome;
  const fit::InputRange range =
      fit::shard_range(fit::shard_range({}, sweep.shard.index, sweep.shard.count), part, parts);
  {
    ProgressBar bar(range.end - range.begin);
    outcome.result = fit::sweep(*sweep.chosen.table, sweep.compared, range, options.threads,
                                [&](std::uint64_t done) { bar.tell(done); });
  }
  if (sweep.exact == nullptr) return outcome;
  const std::uint64_t index = sweep.shard.index + part * sweep.shard.count, count = sweep.shard.count * parts;
  ProgressBar bar(fit::exact_inputs(index, count));
  outcome.errors = fit::sweep_exact(*sweep.exact, *sweep.chosen.table, index, count, options.threads,
                                    [&](std::uint64_t done) { bar.tell(done); });
  return outcome;
}

SweepOutcome combine(const SweepOutcome& a, const SweepOutcome& b) {
  return {fit::combine(a.result, b.result), fit::combine(a.errors, b.errors)};
}

void tell_sweep(const PreparedSweep& sweep, const SweepOptions& options, const SweepOutcome& outcome,
                Reporter& reporter) {
  if (options.json) {
    print_json(sweep, options, outcome);
  } else {
    print_text(sweep, options, outcome);
  }
  if (outcome.result.mismatches > 0) report_mismatch(sweep, options, outcome.result, reporter);
}

}  // namespace act::tool
