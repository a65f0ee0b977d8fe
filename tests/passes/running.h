// Modules and programs on the simulator, with the arrays of examples/data.
#pragma once

#include <functional>

#include "act/sim/module_run.h"
#include "passes/modules.h"

namespace act::passes {

inline const Catalog& trainium() {
  static const Catalog catalog = [] {
    Diagnostics warnings;
    auto c = open_catalog("trainium", warnings);
    EXPECT_TRUE(c);
    return std::move(*c);
  }();
  return catalog;
}

// A run of something with the tensors of `frame`: inputs from the folder of an example, outputs compared with the arrays there.
struct ExampleRun {
  explicit ExampleRun(const std::string& example) : folder(std::string(ACTKIT_SOURCE_DIR) + "/examples/data/" + example + "/") { options.catalog = &trainium(); }

  void run(const Program& frame, const std::function<bool(sim::Simulator&)>& body) {
    sim::Simulator simulator(frame, options);
    for (const TensorBinding& b : frame.tensors) {
      if (b.role != TensorBinding::Role::input) continue;
      const auto array = read_npy(folder + b.name + ".npy");
      ASSERT_TRUE(array) << b.name;
      const Status loaded = simulator.load(b, *array);
      ASSERT_TRUE(loaded) << to_text(loaded.error()[0]);
    }
    const bool clean = body(simulator);
    for (const Diagnostic& d : simulator.reports()) EXPECT_EQ(d.code, Code::out_of_range) << to_text(d);
    ASSERT_TRUE(clean);
    retired = simulator.retired();
    unsigned outputs = 0;
    for (const TensorBinding& b : frame.tensors) {
      if (b.role != TensorBinding::Role::output) continue;
      ++outputs;
      const auto got = simulator.store(b), expected = read_npy(folder + "expected_" + b.name + ".npy");
      ASSERT_TRUE(got) << b.name;
      ASSERT_TRUE(expected) << b.name;
      ASSERT_EQ(got->type, expected->type) << b.name;
      ASSERT_EQ(got->data, expected->data) << b.name;
    }
    EXPECT_GT(outputs, 0u);
  }
  void run(const ir::Module& module) {
    run(sim::frame_of(module), [&](sim::Simulator& s) { return sim::run_module(module, {}, s); });
  }

  std::string folder;
  sim::RunOptions options;
  std::uint64_t retired = 0;
};

}  // namespace act::passes
