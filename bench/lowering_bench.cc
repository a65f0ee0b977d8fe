// A generated module through reader, lowering and code generation.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <string>

#include "act/ir/json.h"
#include "act/passes/codegen.h"
#include "act/passes/passes.h"
#include "act/tables/embedded.h"
#include "report.h"

namespace act {
namespace {

// `blocks` blocks of `per_block` activations from one tensor to another, of functions that change every few instructions.
std::string module_text(unsigned blocks, unsigned per_block) {
  constexpr const char* kFunctions[] = {"Exp", "Tanh", "Exp", "Sigmoid", "Sigmoid", "Copy", "Gelu", "Silu"};
  std::string out =
      "{\"actkit_module\":1,\"name\":\"bench\",\"generation\":\"cayman\",\"tensors\":[\n"
      "{\"name\":\"x\",\"role\":\"input\",\"offset\":0,\"dtype\":\"fp32\",\"shape\":[128,512]},\n"
      "{\"name\":\"y\",\"role\":\"output\",\"offset\":4096,\"dtype\":\"fp32\",\"shape\":[128,512]}],\n"
      "\"functions\":[{\"name\":\"main\",\"body\":[";
  unsigned n = 0;
  for (unsigned b = 0; b < blocks; ++b) {
    out += fmt::format("{}\n{{\"block\":\"b{}\",\"instructions\":[", b == 0 ? "" : ",", b);
    for (unsigned k = 0; k < per_block; ++k, ++n)
      out += fmt::format(
          "{}\n{{\"opcode\":\"Activation\",\"engine\":\"Activation\",\"name\":\"I-{}\",\"line\":{},"
          "\"ins\":[{{\"tensor\":\"x\"}},{{\"immediate\":0}},{{\"immediate\":1}},{{\"immediate\":0}}],\"outs\":[{{\"tensor\":\"y\"}}],"
          "\"func\":\"{}\",\"acc\":\"Idle\",\"scale\":1,\"alpha\":0,\"op0\":\"bypass\",\"op1\":\"bypass\",\"reduce_op\":\"bypass\"}}",
          k == 0 ? "" : ",", n, n % 1000 + 1, kFunctions[(n / 3 + b) % 8]);
    out += "]}";
  }
  return out + "]}]}\n";
}

// Processor time of this thread, kernel included: other programs on the machine do not count.
double cpu_seconds() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); };
  return seconds(u.ru_utime) + seconds(u.ru_stime);
}

enum class Stage { read, lower, generate, all };
constexpr const char* kStages[] = {"read", "lower", "generate", "all"};
constexpr unsigned kSizes[] = {10'000, 100'000, 1'000'000};
constexpr unsigned kPerBlock = 100;

struct Settings {
  passes::Options lowering;
  passes::CodegenOptions codegen;
};
Settings settings() {
  Settings s;
  Diagnostics warnings;
  const auto catalog = open_catalog("trainium", warnings);
  s.lowering.sets = passes::act_sets(*catalog);
  for (const passes::ActSet& set : s.lowering.sets) s.codegen.encode.sets.push_back(set.name);
  return s;
}

// Runs all stages, and counts the time of one of them.
void run_stage(benchmark::State& state, Stage stage, unsigned instructions) {
  const std::string text = module_text(instructions / kPerBlock, kPerBlock);
  const Settings s = settings();
  for (auto _ : state) {
    Diagnostics notes;
    const double start = cpu_seconds();
    auto module = ir::read_module(text, "bench");
    const double read = cpu_seconds();
    auto lowered = passes::lower(std::move(*module), s.lowering, notes);
    const double lower = cpu_seconds();
    auto code = passes::generate_code(*lowered, s.codegen);
    const double end = cpu_seconds();
    if (!code) state.SkipWithError(code.error()[0].message.c_str());
    const double times[] = {read - start, lower - read, end - lower, end - start};
    state.SetIterationTime(times[static_cast<unsigned>(stage)]);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * instructions);
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}

std::string name_of(Stage stage, unsigned size) { return fmt::format("{}_{}", kStages[static_cast<unsigned>(stage)], size); }

std::string table(const std::vector<bench::Row>& rows) {
  std::string out = "| instructions | read s | lower s | generate s | all s |\n|---:|---:|---:|---:|---:|\n";
  const auto seconds = [&](Stage stage, unsigned size) { return size / bench::find(rows, name_of(stage, size)).items_per_second; };
  for (const unsigned size : kSizes)
    out += fmt::format("| {} | {:.3f} | {:.3f} | {:.3f} | {:.3f} |\n", size, seconds(Stage::read, size), seconds(Stage::lower, size), seconds(Stage::generate, size), seconds(Stage::all, size));
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  out += fmt::format("\nA hundred times the instructions take {:.0f} times as long: the work is the same for each, but 10000 of them fit into the caches. The program, the text included, held {:.2f} GiB at most.\n", seconds(Stage::all, kSizes[2]) / seconds(Stage::all, kSizes[0]),
                     static_cast<double>(usage.ru_maxrss) / (1024.0 * 1024.0));
  return out;
}


}  // namespace
}  // namespace act

int main(int argc, char** argv) {
  using namespace act;
  for (const unsigned size : kSizes)
    for (const Stage stage : {Stage::read, Stage::lower, Stage::generate, Stage::all})
      benchmark::RegisterBenchmark(name_of(stage, size).c_str(), [=](benchmark::State& state) { run_stage(state, stage, size); })->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(1)->Repetitions(3);
  return bench::run(argc, argv,
                    {.marker = "lowering",
                     .title = "Lowering",
                     .text = "A module of blocks of 100 activations whose functions change often, as JSON (270 bytes an instruction): reading, lowering with the greedy cover, and "
                             "code generation with all checks of the bundles. Processor time of one core, medians of three runs; the goal is 3 s and 2 GiB for a million.",
                     .command = "cmake --preset bench && cmake --build --preset bench --target lowering_bench && build/bench/bench/lowering_bench --write=docs/performance.md",
                     .table = table});
}
