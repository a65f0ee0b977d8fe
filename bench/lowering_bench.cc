// A generated module through reader, lowering and code generation.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include <sys/resource.h>

#include "act/ir/json.h"
#include "act/passes/codegen.h"
#include "act/passes/passes.h"
#include "act/tables/embedded.h"

namespace {

// `blocks` blocks of `per_block` activations of functions that change often, each from one tensor to another, with a copy
// of the vector engine now and then.
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
double seconds_since(double start) { return cpu_seconds() - start; }

}  // namespace

int main(int argc, char** argv) {
  using namespace act;
  const unsigned instructions = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 1'000'000;
  const std::string text = module_text(std::max(1u, instructions / 100), 100);
  Diagnostics notes;
  const auto catalog = open_catalog("trainium", notes);
  passes::Options options;
  options.sets = passes::act_sets(*catalog);
  passes::CodegenOptions codegen;
  for (const passes::ActSet& s : options.sets) codegen.encode.sets.push_back(s.name);

  const auto t0 = cpu_seconds();
  auto module = ir::read_module(text, "bench");
  if (!module) return std::fprintf(stderr, "%s\n", to_text(module.error()[0]).c_str()), 1;
  const double read = seconds_since(t0);
  const auto t1 = cpu_seconds();
  auto lowered = passes::lower(std::move(*module), options, notes);
  if (!lowered) return std::fprintf(stderr, "%s\n", to_text(lowered.error()[0]).c_str()), 1;
  const double lower = seconds_since(t1);
  const auto t2 = cpu_seconds();
  const auto code = passes::generate_code(*lowered, codegen);
  if (!code) return std::fprintf(stderr, "%s\n", to_text(code.error()[0]).c_str()), 1;
  const double generate = seconds_since(t2);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%u instructions, %zu bytes of JSON: read %.3f s, lower %.3f s, generate %.3f s, sum %.3f s; %.2f GiB at most\n", instructions, text.size(), read, lower, generate, read + lower + generate,
              static_cast<double>(usage.ru_maxrss) / (1024.0 * 1024.0));
  return 0;
}
