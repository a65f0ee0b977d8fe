// Any bundles at all: the simulator reports, it never crashes, hangs or runs out of memory.
#include <algorithm>
#include <cstdint>

#include "act/sim/simulator.h"
#include "act/tables/embedded.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace act;
  static const Catalog catalog = [] {
    Diagnostics warnings;
    return *open_catalog("trainium", warnings);
  }();
  if (size < 1) return 0;
  Program program;
  program.generation = kGenerations[data[0] % kGenerations.size()];
  program.streams.resize(2);
  program.streams[1].engine = Engine::DVE;
  for (std::size_t at = 1; at + kBundleBytes <= size && at < 32 * kBundleBytes; at += kBundleBytes) {
    Bundle b;
    std::copy_n(data + at, kBundleBytes, b.bytes.begin());
    program.streams[at / kBundleBytes % 2].bundles.push_back(b);
  }
  program.registers = {{0, 0}, {1, 0x2000000}, {2, 0x800000}};
  sim::RunOptions options;
  options.catalog = &catalog;
  options.limits.elements = std::uint64_t{1} << 14;
  options.source = (data[0] & 0x80) != 0 ? sim::FunctionSource::device : sim::FunctionSource::catalog;
  sim::TextTrace trace;
  options.trace = &trace;
  sim::Simulator simulator(program, options);
  simulator.run();
  return 0;
}
