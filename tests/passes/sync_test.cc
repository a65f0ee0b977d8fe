// Order between engines. What the simulator touched, in program order, is the truth about dependences; a checker of its own
// decides from the waits and updates in the encoded streams what is complete when. Then the streams run in hostile orders.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <set>

#include "../../examples/kernels.h"
#include "act/passes/sync.h"
#include "act/ir/json.h"
#include "act/sim/events.h"
#include "passes/running.h"

namespace act::passes {
namespace {

using ir::EngineId;
using ir::Module;

// --- the checker -------------------------------------------------------------------------------------------------------

struct Executed {
  std::size_t engine = 0;
  Bundle bundle;
  std::vector<sim::Operand> operands;
};

struct Recorder final : sim::TraceSink {
  std::vector<Executed> list;
  void begin(const Program&, const sim::Policies&, const std::string&) override {}
  void retire(const sim::Retired& r) override {
    Executed e{r.stream, r.bundle, {}};
    for (const sim::TracedOperand& o : r.operands) e.operands.push_back(o.operand);
    list.push_back(std::move(e));
  }
  std::string finish() override { return {}; }
};

bool share_bytes(const sim::Operand& a, const sim::Operand& b) {
  if (a.space != b.space || a.partition >= b.partition + b.channels || b.partition >= a.partition + a.channels) return false;
  const auto bytes = [](const sim::Operand& o) {
    std::set<std::int64_t> out;
    for (std::uint64_t k = 0; k < o.count; ++k) {
      std::int64_t at = o.offset;
      std::uint64_t rest = k;
      for (unsigned d = 0; d < o.dims; ++d) {
        at += static_cast<std::int64_t>(rest % o.num[d]) * o.step[d];
        rest /= o.num[d];
      }
      for (unsigned i = 0; i < o.bytes; ++i) out.insert(at + i);
    }
    return out;
  };
  const auto x = bytes(a), y = bytes(b);
  return std::ranges::any_of(x, [&](std::int64_t at) { return y.contains(at); });
}

// What the second has to wait for: nothing, that the first has read, or its results.
enum class Conflict { none, on_readers, on_results };
Conflict conflict(const Executed& first, const Executed& second) {
  Conflict worst = Conflict::none;
  for (const sim::Operand& a : first.operands)
    for (const sim::Operand& b : second.operands) {
      if ((!a.writes && !b.writes) || !share_bytes(a, b)) continue;
      if (a.writes) return Conflict::on_results;
      worst = Conflict::on_readers;
    }
  return worst;
}

// complete[j][i]: i is complete when j starts, by waits alone. A count of v on an engine's semaphore says that its first v
// counted instructions, and what stands before them in their stream, are complete.
std::vector<std::vector<bool>> completions(const std::vector<Executed>& list) {
  const std::size_t n = list.size();
  std::vector<std::vector<bool>> complete(n, std::vector<bool>(n, false));
  std::map<unsigned, std::vector<std::size_t>> counted;  // by semaphore
  std::map<std::size_t, std::size_t> previous;           // by engine
  for (std::size_t j = 0; j < n; ++j) {
    const Executed& x = list[j];
    if (const auto p = previous.find(x.engine); p != previous.end()) complete[j] = complete[p->second];
    const auto wait = [&](unsigned mode, unsigned semaphore, std::uint32_t value) {
      if (mode == 0) return;
      EXPECT_EQ(mode, 5u);
      ASSERT_GE(counted[semaphore].size(), value) << "waits for what comes later";
      if (value == 0) return;
      const std::size_t last = counted[semaphore][value - 1];
      for (std::size_t i = 0; i <= last; ++i)
        if ((list[i].engine == list[last].engine) || complete[last][i]) complete[j][i] = true;
    };
    wait(x.bundle.bytes[4], x.bundle.bytes[5], static_cast<std::uint32_t>(get_bits(x.bundle, 64, 32)));
    if (x.bundle.opcode() == 0xA0) wait(x.bundle.bytes[32], x.bundle.bytes[33], static_cast<std::uint32_t>(get_bits(x.bundle, 36 * 8, 32)));
    if (x.bundle.bytes[6] != 0) {
      EXPECT_EQ(x.bundle.bytes[6], 0x13);
      counted[x.bundle.bytes[7]].push_back(j);
    }
    previous[x.engine] = j;
  }
  return complete;
}

// The first dependence that no wait orders, as text; empty when all are. A fused drain follows its activation at once.
std::string open_dependence(const std::vector<Executed>& list) {
  const auto complete = completions(list);
  for (std::size_t j = 0; j < list.size(); ++j)
    for (std::size_t i = 0; i < j; ++i) {
      if (complete[j][i] || (j == i + 1 && list[j].bundle.opcode() == 0x24)) continue;
      const Conflict c = conflict(list[i], list[j]);
      if (c == Conflict::on_results || (c == Conflict::on_readers && list[i].engine != list[j].engine)) return fmt::format("instruction {} does not wait for {}", j, i);
    }
  return {};
}

// --- running ---------------------------------------------------------------------------------------------------------------

Program streams_of(const Module& m) {
  Program p = sim::frame_of(m);
  ir::EncodeOptions options;
  options.generation = m.generation;
  for (const TableSet& set : trainium().sets) options.sets.push_back(set.name());
  for (const ir::Node& n : m.functions[0].body)
    for (const ir::Inst& i : n.instructions) {
      const auto encoded = ir::encode(i, options);
      EXPECT_TRUE(encoded) << to_text(encoded.error()[0]);
      for (Stream& s : p.streams)
        if (encoded && s.engine == *ir::device_engine(i.engine)) s.bundles.insert(s.bundles.end(), encoded->span().begin(), encoded->span().end());
    }
  return p;
}

sim::RunOptions run_options() {
  sim::RunOptions o;
  o.catalog = &trainium();
  o.policies.undefined = sim::UndefinedPolicy::ignore;
  return o;
}

// Runs the streams, each time letting the engine that `choose` picks among those that can go on do one instruction.
// The content of the first tensor, or nothing after a deadlock.
template <class Choose>
std::optional<std::vector<std::uint8_t>> run_streams(const Program& p, Choose&& choose) {
  sim::Simulator s(p, run_options());
  std::vector<std::size_t> at(p.streams.size(), 0);
  for (;;) {
    std::vector<std::size_t> ready;
    bool done = true;
    for (std::size_t k = 0; k < at.size(); ++k) {
      if (at[k] >= p.streams[k].bundles.size()) continue;
      done = false;
      const Bundle& b = p.streams[k].bundles[at[k]];
      const bool two = b.opcode() == 0xA0;
      if (sim::holds(sim::header_band(b), s.machine()) && (!two || sim::holds(sim::second_band(b), s.machine()))) ready.push_back(k);
    }
    if (done) break;
    if (ready.empty()) return std::nullopt;
    const std::size_t k = choose(ready);
    const std::size_t taken = s.execute(p.streams[k], at[k], k);
    EXPECT_GT(taken, 0u) << to_text(s.reports().back());
    if (taken == 0) return std::nullopt;
    at[k] += taken;
  }
  return s.store(p.tensors[0])->data;
}

std::vector<std::uint8_t> run_in_order(const Module& m, Recorder* recorder = nullptr) {
  sim::RunOptions o = run_options();
  o.trace = recorder;
  const Program frame = sim::frame_of(m);
  sim::Simulator s(frame, o);
  EXPECT_TRUE(sim::run_module(m, {}, s)) << to_text(s.reports().back());
  return s.store(frame.tensors[0])->data;
}

// Straight-line programs of three engines on overlapping pieces of one tensor and some columns.
Module overlapping_module(std::mt19937& random, int instructions) {
  ir::Builder b("random");
  const ir::View all = b.output("all", Dtype::fp32, {64, 96});
  b.memset(all, 0x3F000000).on(EngineId::Pool);
  const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  // 32 channels of one of the two quadrants.
  const auto piece = [&](unsigned width, unsigned quadrant) {
    const unsigned begin = pick(96 - width + 1);
    return all.columns(begin, begin + width).channels(32 * quadrant, 32 * quadrant + 32);
  };
  for (int k = 0; k < instructions; ++k) {
    // Sources share a quadrant, as pointers and second operands must.
    const unsigned width = 1 + pick(12), quadrant = pick(2);
    const ir::View x = piece(width, quadrant), y = piece(width, quadrant), z = piece(width, pick(2));
    const ir::View one = piece(1, quadrant), sums = piece(1, pick(2));
    switch (pick(9)) {
      case 0: b.memset(z, 0x3E000000 + pick(64)).on(pick(2) == 0 ? EngineId::Pool : EngineId::DVE); break;
      case 1: b.copy(x, z).on(EngineId::Activation); break;
      case 2: b.tensor_tensor(AluOp::add, x, y, z); break;
      case 3: b.activate("Tanh", x, z).scale(0.5F); break;
      case 4: b.activate("Exp", x, z).scale(-1.0F).bias(one); break;
      case 5: b.activate("Square", x, z).accumulate(ir::Accumulation::ZeroAccumulate).drain(sums); break;
      case 6: b.tensor_scalar(x, z, AluOp::mult, one, AluOp::add, 0.25F); break;
      case 7: b.stream_shuffle(x, z); break;
      case 8: b.reduce(AluOp::max, TensorSubdim::X, x, one); break;
    }
  }
  auto m = b.finish();
  EXPECT_TRUE(m) << to_text(m.error()[0]);
  Diagnostics notes;
  Options options;
  options.sets = act_sets(trainium());
  auto lowered = lower(std::move(*m), options, notes);
  EXPECT_TRUE(lowered) << to_text(lowered.error()[0]);
  return std::move(*lowered);
}

Module synchronised(const Module& m) {
  Diagnostics notes;
  auto s = sync(m, {}, notes);
  EXPECT_TRUE(s) << to_text(s.error()[0]);
  return std::move(*s);
}

std::size_t first_of_order(const std::vector<std::size_t>& ready, const std::vector<std::size_t>& order) {
  for (const std::size_t k : order)
    if (std::ranges::find(ready, k) != ready.end()) return k;
  return ready[0];
}

// --- tests -----------------------------------------------------------------------------------------------------------------

TEST(Sync, EveryDependenceIsOrderedWhateverTheInterleaving) {
  std::mt19937 random(21);
  for (int round = 0; round < 60; ++round) {
    const Module m = overlapping_module(random, 4 + static_cast<int>(random() % 24));
    const auto wanted = run_in_order(m);
    const Module s = synchronised(m);
    Recorder recorder;
    ASSERT_EQ(run_in_order(s, &recorder), wanted);
    ASSERT_EQ(open_dependence(recorder.list), "") << ir::write_module(s);
    const Program p = streams_of(s);
    for (const std::vector<std::size_t>& order : {std::vector<std::size_t>{0, 1, 3}, {0, 3, 1}, {1, 0, 3}, {1, 3, 0}, {3, 0, 1}, {3, 1, 0}}) {
      const auto got = run_streams(p, [&](const std::vector<std::size_t>& ready) { return first_of_order(ready, order); });
      ASSERT_TRUE(got) << "deadlock\n" << ir::write_module(s);
      ASSERT_EQ(*got, wanted) << ir::write_module(s);
    }
    for (int k = 0; k < 10; ++k) {
      const auto got = run_streams(p, [&](const std::vector<std::size_t>& ready) { return ready[random() % ready.size()]; });
      ASSERT_TRUE(got);
      ASSERT_EQ(*got, wanted) << ir::write_module(s);
    }
  }
}

// The checker and the hostile orders notice what is missing: with any wait taken away, dependences are open.
TEST(Sync, AMissingWaitIsNoticed) {
  std::mt19937 random(22);
  unsigned noticed = 0, waits = 0;
  for (int round = 0; round < 40; ++round) {
    const Module s = synchronised(overlapping_module(random, 12));
    Recorder recorder;
    run_in_order(s, &recorder);
    for (std::size_t k = 0; k < recorder.list.size(); ++k) {
      if (recorder.list[k].bundle.bytes[4] == 0) continue;
      ++waits;
      auto list = recorder.list;
      list[k].bundle.bytes[4] = 0;
      noticed += open_dependence(list).empty() ? 0 : 1;
    }
  }
  EXPECT_GT(waits, 100u);
  EXPECT_GT(noticed * 10, waits * 8) << noticed << " of " << waits << ": most waits are needed, the rest follow from what is not known exactly";
}

TEST(Sync, IsIdempotentAndChecksWhatItFinds) {
  std::mt19937 random(23);
  for (int round = 0; round < 100; ++round) {
    Module s = synchronised(overlapping_module(random, 16));
    Diagnostics notes;
    const auto again = sync(s, {}, notes);
    ASSERT_TRUE(again) << to_text(again.error()[0]) << ir::write_module(s);
    EXPECT_EQ(again->functions, s.functions);
  }
  // An own order that lacks a wait.
  ir::Builder b("hand");
  const ir::View x = b.output("x", Dtype::fp32, {4, 4}), y = b.scratch("y", Dtype::fp32, {4, 4});
  b.memset(x, 0).increment(6);
  b.copy(x, y).on(EngineId::Activation).wait(6, 1).increment(4);
  b.memset(x, 0);
  const auto hand = b.finish();
  ASSERT_TRUE(hand);
  Diagnostics notes;
  const auto open = sync(*hand, {}, notes);
  ASSERT_FALSE(open);
  EXPECT_NE(open.error()[0].message.find("Activation"), std::string::npos) << open.error()[0].message;
}

TEST(Sync, NumbersAndFormsOfRealStreams) {
  EXPECT_EQ(engine_semaphore(EngineId::Activation), 4);
  EXPECT_EQ(engine_semaphore(EngineId::PE), 5);
  EXPECT_EQ(engine_semaphore(EngineId::DVE), 6);
  EXPECT_FALSE(engine_semaphore(EngineId::DMA));
  const auto softmax = examples::softmax();
  Diagnostics notes;
  Options options = options_for("trainium");
  const auto lowered = lower(*softmax, options, notes);
  ASSERT_TRUE(lowered);
  const Module s = synchronised(*lowered);
  std::string text;
  for (const ir::Inst& i : s.functions[0].body[0].instructions) {
    const auto encoded = ir::encode(i, [&] { ir::EncodeOptions o; for (const auto& set : options.sets) o.sets.push_back(set.name); return o; }());
    ASSERT_TRUE(encoded);
    const Bundle& x = encoded->bundles[0];
    EXPECT_TRUE(x.bytes[4] == 0 || x.bytes[4] == 5) << "waits only 0x00 and 0x05";
    EXPECT_TRUE(x.bytes[6] == 0 || x.bytes[6] == 0x13) << "updates only 0x00 and 0x13";
    text += fmt::format("{}:{}>={}:{} ", i.name, x.bytes[5], get_bits(x, 64, 32), x.bytes[7]);
  }
  // The load carries no events (L-06); each of the others counts on its engine's semaphore. That the weights are there follows
  // for the last one from the reciprocal, which has waited for what came behind them.
  EXPECT_EQ(text, "weights-PWP:0>=0:0 row-max:0>=0:6 weights:6>=1:4 row-sum:0>=0:4 row-reciprocal:4>=2:6 normalise:6>=2:4 ");
}

TEST(Sync, MoreWaitsThanABundleHolds) {
  ir::Builder b("many");
  const ir::View x = b.scratch("x", Dtype::fp32, {4, 4}), y = b.scratch("y", Dtype::fp32, {4, 4}), z = b.output("z", Dtype::fp32, {4, 4});
  b.memset(x, 0).on(EngineId::Pool);
  b.memset(y, 0).on(EngineId::SP);
  b.memset(z, 0);
  b.tensor_tensor(AluOp::add, x, y, z).name("sum");
  const auto m = b.finish();
  ASSERT_TRUE(m);
  const Module s = synchronised(*m);
  const auto& list = s.functions[0].body[0].instructions;
  ASSERT_EQ(list.size(), 5u);
  const Bundle& event = list[3].bundle();
  EXPECT_EQ(event.opcode(), 0xA0);
  EXPECT_EQ(event.bytes[4], 5);
  EXPECT_EQ(event.bytes[32], 5);
  EXPECT_EQ(event.bytes[6], 0) << "a pure wait";
  const std::set<unsigned> semaphores{event.bytes[5], event.bytes[33], list[4].bundle().bytes[5]};
  EXPECT_EQ(semaphores, (std::set<unsigned>{3, 6, 7}));
  EXPECT_EQ(list[3].name, "sum-wait");
}

TEST(Sync, EventsOfTheModuleStay) {
  ir::Builder b("own");
  const ir::View x = b.scratch("x", Dtype::fp32, {4, 4}), y = b.output("y", Dtype::fp32, {4, 4});
  b.memset(x, 0).name("fill").increment(20);
  b.copy(x, y).on(EngineId::Activation).name("use").wait(24, 16);
  const auto m = b.finish();
  ASSERT_TRUE(m);
  const Module s = synchronised(*m);
  std::string text;
  for (const ir::Inst& i : s.functions[0].body[0].instructions) text += fmt::format("{}:{}:{} ", i.name, i.bundle().bytes[5], i.bundle().bytes[7]);
  EXPECT_EQ(text, "fill:0:20 fill-done:0:6 use-wait:6:0 use:24:4 ");
}

TEST(Sync, WantsStraightLines) {
  Diagnostics notes;
  EXPECT_FALSE(sync(module_of({loop("i", 2, {})}), {}, notes));
}

// Far more distinct pieces of memory than are told apart: still in order, in little time.
TEST(Sync, ManyPieces) {
  Module m = module_of({block({})});
  auto& list = m.functions[0].body[0].instructions;
  std::mt19937 random(24);
  for (int k = 0; k < 30000; ++k) {
    ir::Inst i = activation("Exp", fmt::format("I-{}", k));
    i.ins[0] = pattern(4 * static_cast<std::uint32_t>(random() % 4000), static_cast<std::uint16_t>(1 + random() % 4000));
    i.outs[0] = pattern(4 * static_cast<std::uint32_t>(random() % 4000), static_cast<std::uint16_t>(1 + random() % 4000));
    list.push_back(std::move(i));
  }
  const Module s = synchronised(m);
  EXPECT_GE(s.functions[0].body[0].instructions.size(), 30000u);
}

class SyncedExamples : public testing::TestWithParam<examples::Example> {};

TEST_P(SyncedExamples, StreamsGiveTheCommittedBits) {
  const auto module = GetParam().make();
  ASSERT_TRUE(module);
  Options options = options_for("trainium");
  Diagnostics notes;
  auto m = lower(*module, options, notes);
  ASSERT_TRUE(m);
  m = unroll(std::move(*m), options, notes);
  ASSERT_TRUE(m);
  m = sync(std::move(*m), options, notes);
  ASSERT_TRUE(m) << to_text(m.error()[0]);
  ExampleRun(GetParam().name).run(*m);
  const Program p = streams_of(*m);
  ExampleRun(GetParam().name).run(p, [](sim::Simulator& s) { return s.run(); });
  Program reversed = p;
  std::ranges::reverse(reversed.streams);
  ExampleRun(GetParam().name).run(reversed, [](sim::Simulator& s) { return s.run(); });
}

INSTANTIATE_TEST_SUITE_P(All, SyncedExamples, testing::ValuesIn(examples::kExamples), [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace act::passes
