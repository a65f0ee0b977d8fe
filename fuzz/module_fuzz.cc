// Any text as a module: read, checked, written and read again, lowered with every cover, unrolled, synchronised and run. What
// the checks let pass must go through all of it, and what is written must be read back as the same.
#include <cstdint>
#include <cstdlib>

#include "act/ir/json.h"
#include "act/ir/verify.h"
#include "act/passes/codegen.h"
#include "act/passes/passes.h"
#include "act/sim/module_run.h"
#include "act/tables/embedded.h"

namespace {

using namespace act;

const Catalog& catalog() {
  static const Catalog c = [] {
    Diagnostics warnings;
    return *open_catalog("trainium", warnings);
  }();
  return c;
}

void run(const ir::Module& m) {
  sim::RunOptions options;
  options.catalog = &catalog();
  options.limits.elements = std::uint64_t{1} << 12;
  sim::ModuleRunOptions limits;
  limits.limit = 64;
  const Program frame = sim::frame_of(m);
  sim::Simulator simulator(frame, options);
  sim::run_module(m, limits, simulator);
}

// What is generated is what is checked: either both modes take the module, or neither does, and bundles keep the rules.
void generate(const ir::Module& m, const passes::Options& options) {
  passes::CodegenOptions codegen;
  codegen.encode.generation = m.generation;
  for (const passes::ActSet& s : options.sets) codegen.encode.sets.push_back(s.name);
  codegen.mode = passes::CodegenMode::check;
  const bool checked = passes::generate_code(m, codegen).has_value();
  codegen.mode = passes::CodegenMode::generate;
  const auto code = passes::generate_code(m, codegen);
  if (code.has_value() != checked) std::abort();
  if (!code) return;
  Diagnostics found;
  for (const Stream& s : code->program.streams)
    for (const Bundle& b : s.bundles) check_bundle(b, m.generation, {}, found);
  if (has_errors(found)) std::abort();
}

// Whatever lowering makes must satisfy the residency check and stay what it is when it is written and read.
void lower_and_go_on(const ir::Module& m, passes::Options options) {
  Diagnostics notes;
  const auto lowered = passes::lower(m, options, notes);
  if (!lowered) return;
  if (!passes::verify_act(*lowered, options, notes)) std::abort();
  const std::string text = ir::write_module(*lowered);
  const auto back = ir::read_module(text, "lowered");
  if (!back || ir::write_module(*back) != text) std::abort();
  options.unroll_limit = 1000;
  const auto flat = passes::unroll(*lowered, options, notes);
  if (!flat) return;
  const auto synced = passes::sync(*flat, options, notes);
  if (!synced) return;
  const auto again = passes::sync(*synced, options, notes);
  if (!again || again->functions != synced->functions) std::abort();
  generate(*synced, options);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto m = ir::read_module({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!m) return 0;
  const std::string text = ir::write_module(*m);
  const auto back = ir::read_module(text, "again");
  if (!back || ir::write_module(*back) != text) std::abort();
  Diagnostics faults;
  ir::verify_module(*m, "fuzz", faults);
  if (has_errors(faults)) return 0;
  passes::Options options;
  options.sets = passes::act_sets(catalog());
  options.optimal_limit = std::chrono::milliseconds(200);
  for (const passes::Cover cover : {passes::Cover::greedy, passes::Cover::first_fit, passes::Cover::optimal}) {
    options.cover = cover;
    lower_and_go_on(*m, options);
  }
  run(*m);
  return 0;
}
