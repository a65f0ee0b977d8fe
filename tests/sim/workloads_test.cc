// The workload programs of examples/ give the committed bits, which workloads.py computes on its own.
#include <filesystem>

#include "act/asm/text.h"
#include "act/sim/compare.h"
#include "plain.h"

namespace act::sim::plain {
namespace {

class Workload : public testing::TestWithParam<const char*> {
 protected:
  // Runs the program with the inputs beside it; 0 = success.
  void run(unsigned threads) {
    const std::string name = GetParam(), root = std::string(ACTKIT_SOURCE_DIR) + "/examples/";
    folder_ = root + "data/" + name + "/";
    const Result<std::string> text = read_text(root + name + ".act");
    ASSERT_TRUE(text);
    Result<Program> parsed = parse_text(*text, name + ".act");
    if (!parsed) {
      for (const Diagnostic& d : parsed.error()) ADD_FAILURE() << to_text(d);
      return;
    }
    program_ = std::move(*parsed);
    options_.catalog = &trainium();
    options_.limits.threads = threads;
    simulator_ = std::make_unique<Simulator>(program_, options_);
    for (std::size_t t = 0; t < program_.tensors.size(); ++t) {
      const TensorBinding& b = program_.tensors[t];
      if (b.role != TensorBinding::Role::input) continue;
      Result<NpyArray> array = read_npy(folder_ + b.name + ".npy");
      ASSERT_TRUE(array) << b.name;
      const Status loaded = simulator_->load(b, *array);
      ASSERT_TRUE(loaded) << to_text(loaded.error().front());
      inputs_.emplace_back(t, std::move(*array));
    }
    const bool clean = simulator_->run();
    for (const Diagnostic& d : simulator_->reports()) EXPECT_EQ(d.code, Code::out_of_range) << to_text(d);
    ASSERT_TRUE(clean);
  }

  std::string folder_;
  Program program_;
  RunOptions options_;
  std::vector<std::pair<std::size_t, NpyArray>> inputs_;
  std::unique_ptr<Simulator> simulator_;
};

TEST_P(Workload, GivesTheCommittedBits) {
  for (unsigned threads : {1u, 2u}) {
    run(threads);
    if (HasFatalFailure() || HasNonfatalFailure()) return;
    unsigned outputs = 0;
    for (const TensorBinding& b : program_.tensors) {
      if (b.role != TensorBinding::Role::output) continue;
      ++outputs;
      const Result<NpyArray> got = simulator_->store(b), expected = read_npy(folder_ + "expected_" + b.name + ".npy");
      ASSERT_TRUE(got) << b.name;
      ASSERT_TRUE(expected) << b.name;
      ASSERT_EQ(got->type, expected->type) << b.name;
      ASSERT_EQ(got->data.size(), expected->data.size()) << b.name;
      for (std::uint64_t i = 0; i < got->count(); ++i) ASSERT_EQ(got->bits(i), expected->bits(i)) << b.name << " element " << i;
    }
    EXPECT_GT(outputs, 0u);
  }
}

TEST_P(Workload, StaysNearTheExactFunctions) {
  run(1);
  const Result<std::vector<Comparison>> compared = compare_exact(program_, options_, inputs_, *simulator_);
  ASSERT_TRUE(compared);
  for (const Comparison& c : *compared) EXPECT_GT(c.elements, 0u) << to_text(c);
}

INSTANTIATE_TEST_SUITE_P(Examples, Workload,
                         testing::Values("softmax", "w1_flash_attention", "w2_rmsnorm", "w3_layernorm", "w4_mlp_gate", "w5_rope",
                                         "w7_router", "w9_quantise", "w10_predicated"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace act::sim::plain
