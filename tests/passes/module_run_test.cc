// Module runs: the examples give the bits that workloads.py computes, whatever the cover; control flow does what it says.
#include <gtest/gtest.h>

#include "../../examples/kernels.h"
#include "passes/running.h"

namespace act::passes {
namespace {

class ModuleRun : public testing::TestWithParam<examples::Example> {};

TEST_P(ModuleRun, GivesTheCommittedBitsWithEveryCover) {
  const auto module = GetParam().make();
  ASSERT_TRUE(module);
  Options options = options_for("trainium");
  for (const Cover cover : {Cover::greedy, Cover::first_fit, Cover::optimal}) {
    Diagnostics notes;
    options.cover = cover;
    const auto lowered = lower(*module, options, notes);
    ASSERT_TRUE(lowered) << to_text(lowered.error()[0]);
    ExampleRun run(GetParam().name);
    run.run(*lowered);
    if (HasFatalFailure()) return;
    const auto flat = unroll(*lowered, options, notes);
    ASSERT_TRUE(flat);
    ExampleRun again(GetParam().name);
    again.run(*flat);
    EXPECT_EQ(again.retired, run.retired);
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, ModuleRun, testing::ValuesIn(examples::kExamples), [](const auto& test) { return std::string(test.param.name); });

// A module of one column that counts what it executes: every "step" adds 1 to it.
struct Counter {
  ir::Builder b{"counter"};
  ir::View count = b.output("count", Dtype::fp32, {1, 1});

  Counter() { b.memset(count, 0); }
  void step(float by = 1) { b.tensor_scalar(count, count, AluOp::add, by); }

  // The count, or -1 and the message of the first error.
  std::pair<float, std::string> run(const std::function<void(ir::Module&)>& change = {}, sim::ModuleRunOptions options = {}) {
    auto m = b.finish();
    EXPECT_TRUE(m) << to_text(m.error()[0]);
    if (change) change(*m);
    sim::RunOptions run_options;
    run_options.catalog = &trainium();
    const Program frame = sim::frame_of(*m);
    sim::Simulator s(frame, run_options);
    if (!sim::run_module(*m, options, s)) return {-1, to_text(s.reports().back())};
    return {std::bit_cast<float>(static_cast<std::uint32_t>(s.store(frame.tensors[0])->bits(0))), {}};
  }
};

TEST(ModuleRunControl, LoopsAndCalls) {
  Counter c;
  c.b.loop("i", 5, [&] {
    c.step();
    c.b.loop("j", 3, [&] { c.step(100); });
    c.b.call("f");
  });
  c.b.loop("i", 0, [&] { c.step(1e6); });
  c.b.function("f", [&] { c.step(1000); });
  EXPECT_EQ(c.run().first, 5.0F + 1500.0F + 5000.0F);
}

TEST(ModuleRunControl, BranchesOnRegisters) {
  using Compare = ir::Condition::Compare;
  struct Case {
    Compare compare;
    std::uint32_t left, right;
    bool taken;
  };
  for (const Case& k : {Case{Compare::LT, 1, 2, true}, Case{Compare::LT, 2, 2, false}, Case{Compare::LE, 2, 2, true}, Case{Compare::EQ, 3, 3, true}, Case{Compare::NE, 3, 3, false},
                        Case{Compare::GE, 0x80000000, 1, true}, Case{Compare::GT, 1, 0xFFFFFFFF, false}, Case{Compare::ALWAYS, 0, 0, true}}) {
    for (const bool against : {false, true}) {
      Counter c;
      ir::Condition condition{k.compare, 7, against, against ? 9 : k.right};
      c.b.reg(7, k.left);
      c.b.reg(9, k.right);
      c.b.branch(condition, [&] { c.step(1); }, [&] { c.step(2); });
      EXPECT_EQ(c.run().first, k.taken ? 1.0F : 2.0F);
    }
  }
  Counter unset;
  unset.b.branch({Compare::EQ, 7, false, 0}, [&] { unset.step(); });
  EXPECT_NE(unset.run().second.find("register 7, which has no value"), std::string::npos);
}

TEST(ModuleRunControl, SetExpressionsFollowTheLoop) {
  // Sets 0 and 2 in turn: exp is found in set 0 only.
  ir::Builder b("turns");
  const ir::View x = b.scratch("x", Dtype::fp32, {1, 1}), y = b.output("y", Dtype::fp32, {1, 1});
  b.memset(x, 0);
  b.loop("i", 4, [&] {
    b.load(ir::Affine{0, {{"i", 2, ir::Affine::Op::mod, 2}}});
    b.activate("Tanh", x, y);  // both sets hold tanh
  });
  const auto m = b.finish();
  ASSERT_TRUE(m);
  sim::RunOptions options;
  options.catalog = &trainium();
  const Program frame = sim::frame_of(*m);
  sim::Simulator s(frame, options);
  ASSERT_TRUE(sim::run_module(*m, {}, s)) << to_text(s.reports()[0]);
  EXPECT_TRUE(s.reports().empty());
  EXPECT_EQ(s.machine().functions.resident_index(), 2);
}

TEST(ModuleRunControl, EndsOfARun) {
  Counter endless;
  endless.b.loop("i", INT64_MAX, [&] { endless.step(); });
  sim::ModuleRunOptions few;
  few.limit = 1000;
  EXPECT_NE(endless.run({}, few).second.find("more than 1000"), std::string::npos);

  Counter waits;
  waits.step();
  waits.b.tensor_scalar(waits.count, waits.count, AluOp::add, 1.0F).wait(77, 1);
  EXPECT_NE(waits.run().second.find("waits for ever"), std::string::npos);

  Counter synced;
  synced.b.tensor_scalar(synced.count, synced.count, AluOp::add, 1.0F).increment(77);
  synced.b.tensor_scalar(synced.count, synced.count, AluOp::add, 1.0F).wait(77, 1);
  EXPECT_EQ(synced.run().first, 2.0F);

  Counter halted;
  halted.step();
  halted.b.isa(Opcode::HALT, ir::EngineId::DVE);
  halted.step();
  EXPECT_EQ(halted.run().first, 1.0F);

  Counter bad;
  bad.step();
  const auto failed = bad.run([](ir::Module& m) {
    m.functions[0].body[0].instructions[1].line = 42;
    m.functions[0].body[0].instructions[1].engine = ir::EngineId::DMA;
  });
  EXPECT_NE(failed.second.find("line 42"), std::string::npos) << failed.second;
}

TEST(ModuleRunControl, StaticModeStartsWithItsSet) {
  const auto module = examples::softmax();
  ASSERT_TRUE(module);
  Options options = options_for("trainium");
  options.table_mode = TableMode::fixed;
  Diagnostics notes;
  const auto lowered = lower(*module, options, notes);
  ASSERT_TRUE(lowered);
  EXPECT_EQ(executed(lowered->functions[0].body), 0u);
  ExampleRun run("softmax");
  run.run(*lowered);
}

}  // namespace
}  // namespace act::passes
