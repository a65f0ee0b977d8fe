// What the machine reports about streams: events, deadlocks, tensors, limits, threads, traces, state.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "build.h"

namespace act::sim::plain {
namespace {

using testing::HasSubstr;

// --- events ------------------------------------------------------------------------------------------------------

Raw semaphore(WaitMode wait, std::uint8_t wait_idx, UpdateMode update, std::uint8_t update_idx, std::uint32_t value) {
  auto i = make<Raw>(Opcode::EVENT_SEMAPHORE);
  i.wait_mode = wait;
  i.wait_idx = wait_idx;
  i.update_mode = update;
  i.update_idx = update_idx;
  i.sync_value = value;
  return i;
}

TEST(Events, EveryUpdateAndWaitMode) {
  struct Case {
    UpdateMode update;
    std::uint32_t before, value, after;
  };
  // Register 3 holds 100.
  for (const Case& c : {Case{UpdateMode::SEM_INC_COMPLETE, 5, 0, 6}, Case{UpdateMode::SEM_DEC_COMPLETE, 0, 0, 0xFFFFFFFF},
                        Case{UpdateMode::SEM_ADD_IMM_READ, 5, 7, 12}, Case{UpdateMode::SEM_SUB_IMM_COMPLETE, 5, 7, 0xFFFFFFFE},
                        Case{UpdateMode::SEM_WR_IMM_COMPLETE, 5, 7, 7}, Case{UpdateMode::SEM_ADD_REG_COMPLETE, 5, 3, 105},
                        Case{UpdateMode::SEM_SUB_REG_READ, 5, 3, 5u - 100}, Case{UpdateMode::SEM_WR_REG_COMPLETE, 5, 3, 100}}) {
    Twins t;
    t.program.registers = {{3, 100}};
    t.add(semaphore(WaitMode::NONE, 0, c.update, 9, c.value));
    t.machine().semaphores[9] = c.before;
    EXPECT_TRUE(t.run());
    EXPECT_EQ(t.machine().semaphores[9], c.after);
  }
  struct Wait {
    WaitMode mode;
    std::uint32_t holds, fails;
  };
  for (const Wait& w : {Wait{WaitMode::SEM_EQ_IMM, 5, 6}, Wait{WaitMode::SEM_LT_IMM, 4, 5}, Wait{WaitMode::SEM_LE_IMM, 5, 6},
                        Wait{WaitMode::SEM_GT_IMM, 0x80000000, 5}, Wait{WaitMode::SEM_GE_IMM, 5, 4}}) {
    for (const bool by_register : {false, true}) {
      for (const bool holds : {true, false}) {
        Twins t;
        t.program.registers = {{3, 5}};
        const auto mode = static_cast<WaitMode>(static_cast<int>(w.mode) | (by_register ? 0x80 : 0));
        t.add(semaphore(mode, 9, UpdateMode::NONE, 0, by_register ? 3 : 5));
        t.machine().semaphores[9] = holds ? w.holds : w.fails;
        EXPECT_EQ(t.run(), holds) << static_cast<int>(mode);
        EXPECT_EQ(t.reported(Code::deadlock), !holds);
      }
    }
  }
}

TEST(Events, BitsAreSetClearedAndTaken) {
  Twins t;
  t.add(semaphore(WaitMode::EVT_CLEAR_THEN_SET, 1, UpdateMode::EVT_SET_COMPLETE, 2, 0));
  t.add(semaphore(WaitMode::EVT_SET_THEN_CLEAR, 1, UpdateMode::EVT_CLR_READ, 2, 0));
  t.add(semaphore(WaitMode::EVT_CLEAR, 1, UpdateMode::EVT_SET_READ, 3, 0));
  t.add(semaphore(WaitMode::EVT_SET, 3, UpdateMode::NONE, 0, 0));
  t.add(semaphore(WaitMode::UNORDERED, 0, UpdateMode::NONE, 0, 0));
  ASSERT_TRUE(t.run()) << t.reports();
  EXPECT_FALSE(t.machine().events[1]);
  EXPECT_FALSE(t.machine().events[2]);
  EXPECT_TRUE(t.machine().events[3]);
}

TEST(Events, IllegalModesAndUnsetRegistersAreErrors) {
  for (const auto& [wait, update] : {std::pair{WaitMode::INVALID, UpdateMode::NONE}, std::pair{WaitMode::NONE, UpdateMode::INVALID},
                                     std::pair{static_cast<WaitMode>(0x08), UpdateMode::NONE}, std::pair{WaitMode::SEM_GE_REG, UpdateMode::NONE},
                                     std::pair{WaitMode::NONE, UpdateMode::SEM_ADD_REG_READ}}) {
    Twins t;
    t.add(semaphore(wait, 0, update, 0, 1));
    EXPECT_FALSE(t.run());
    EXPECT_TRUE(t.reported(Code::bad_value));
  }
}

TEST(Events, TheSecondBandOfAnEventSemaphoreWaitsAndUpdatesToo) {
  auto i = semaphore(WaitMode::SEM_GE_IMM, 1, UpdateMode::NONE, 0, 2);
  // Bytes 32..43: wait for semaphore 4 >= 3, add 9 to semaphore 6.
  const std::uint8_t band[12] = {0x05, 4, 0x15, 6, 3, 0, 0, 0, 9, 0, 0, 0};
  std::memcpy(i.payload.data() + 20, band, sizeof band);
  for (const std::uint32_t second : {2u, 3u}) {
    Twins t;
    t.add(i);
    t.machine().semaphores[1] = 2;
    t.machine().semaphores[4] = second;
    EXPECT_EQ(t.run(), second == 3);
    if (second == 3) {
      EXPECT_EQ(t.machine().semaphores[6], 9u);
    }
    if (second == 2) {
      EXPECT_THAT(t.reports(), HasSubstr("semaphore 4 >= 3, which is 2"));
    }
  }
}

// --- streams -----------------------------------------------------------------------------------------------------

TEST(Streams, TakeTurnsBySemaphores) {
  Program p;
  p.streams.resize(2);
  p.streams[0].engine = Engine::ACT;
  p.streams[1].engine = Engine::DVE;
  p.streams[0].bundles = {encode(semaphore(WaitMode::NONE, 0, UpdateMode::SEM_INC_COMPLETE, 4, 0)),
                          encode(semaphore(WaitMode::SEM_GE_IMM, 6, UpdateMode::SEM_INC_COMPLETE, 4, 1))};
  p.streams[1].bundles = {encode(semaphore(WaitMode::SEM_GE_IMM, 4, UpdateMode::SEM_INC_COMPLETE, 6, 1)),
                          encode(semaphore(WaitMode::SEM_GE_IMM, 4, UpdateMode::SEM_INC_COMPLETE, 6, 2))};
  Simulator s(p, {});
  EXPECT_TRUE(s.run());
  EXPECT_EQ(s.machine().semaphores[4], 2u);
  EXPECT_EQ(s.machine().semaphores[6], 2u);
  EXPECT_EQ(s.retired(), 4u);
}

TEST(Streams, ADeadlockSaysWhatEachWaitsFor) {
  Program p;
  p.streams.resize(2);
  p.streams[0].engine = Engine::ACT;
  p.streams[1].engine = Engine::DVE;
  p.streams[0].bundles = {encode(semaphore(WaitMode::SEM_GE_IMM, 6, UpdateMode::SEM_INC_COMPLETE, 4, 1))};
  p.streams[1].bundles = {encode(semaphore(WaitMode::EVT_SET, 7, UpdateMode::SEM_INC_COMPLETE, 6, 0))};
  Simulator s(p, {});
  EXPECT_FALSE(s.run());
  ASSERT_EQ(s.reports().size(), 2u);
  EXPECT_THAT(s.reports()[0].message, HasSubstr("semaphore 6 >= 1, which is 0"));
  EXPECT_THAT(s.reports()[1].message, HasSubstr("event 7 to be set"));
}

TEST(Streams, UnknownAndUnsupportedOpcodesStop) {
  for (const std::uint8_t opcode : {0x00, 0x01, 0x02, 0xC1, 0xD4, 0x25}) {  // 0x25 does not exist on cayman
    Program p;
    p.streams.resize(1);
    Bundle b;
    b.bytes[0] = opcode;
    b.bytes[1] = 16;
    p.streams[0].bundles = {b};
    Simulator s(p, {});
    EXPECT_FALSE(s.run()) << int{opcode};
    EXPECT_EQ(s.reports().at(0).code, Code::not_simulated);
  }
}

// --- tensors -----------------------------------------------------------------------------------------------------

TensorBinding tensor(std::string name, TensorBinding::Role role, std::uint32_t addr, Dtype t, std::vector<std::uint64_t> shape) {
  return {std::move(name), role, addr, t, std::move(shape), 0};
}

TEST(Tensors, UnwrittenOutputsAndUnreadInputsAreNamed) {
  Twins t;
  t.load_set("small");
  t.add(activation(code_of_function("small", "copy"), 0, 0x100, 2, 1));
  t.program.tensors = {tensor("x", TensorBinding::Role::input, 0, Dtype::fp32, {1, 2}), tensor("y", TensorBinding::Role::output, 0x100, Dtype::fp32, {1, 4}),
                       tensor("never", TensorBinding::Role::output, 0x200, Dtype::fp32, {1, 4}), tensor("unused", TensorBinding::Role::input, 0x300, Dtype::fp32, {1, 4})};
  for (unsigned k = 0; k < 2; ++k) t.set(4 * k, Dtype::fp32, 1);
  EXPECT_TRUE(t.run());
  EXPECT_THAT(t.reports(), HasSubstr("output never is never written"));
  EXPECT_THAT(t.reports(), HasSubstr("2 elements of output y are never written"));
  EXPECT_THAT(t.reports(), HasSubstr("input unused is never read"));
  EXPECT_THAT(t.reports(), testing::Not(HasSubstr("input x")));
  const Result<NpyArray> never = t.simulator->store(t.program.tensors[2]);
  ASSERT_TRUE(never);
  EXPECT_EQ(never->bits(0), 0xFFFFFFFFu);  // the fill pattern shows
}

TEST(Tensors, ArraysOfEveryKindGoInAndComeOut) {
  Program p;
  Simulator s(p, {});
  const auto round_trip = [&](Dtype t, const NpyArray& in) {
    const TensorBinding b = tensor("t", TensorBinding::Role::both, 0x40, t, in.shape);
    const Status loaded = s.load(b, in);
    EXPECT_TRUE(loaded);
    return *s.store(b);
  };
  EXPECT_EQ(round_trip(Dtype::fp32, NpyArray::from<float>({2, 2}, {1, -2, 3.5F, 0})).values<float>(), (std::vector<float>{1, -2, 3.5F, 0}));
  EXPECT_EQ(round_trip(Dtype::bfloat16, NpyArray::from<std::uint16_t>({1, 2}, {0x3F80, 0xC000})).values<std::uint16_t>(), (std::vector<std::uint16_t>{0x3F80, 0xC000}));
  EXPECT_EQ(round_trip(Dtype::bfloat16, NpyArray::from<float>({1, 2}, {f32(0x3F808000), f32(0x3F818000)})).values<std::uint16_t>(), (std::vector<std::uint16_t>{0x3F80, 0x3F82}));
  EXPECT_EQ(round_trip(Dtype::fp8_exp4, NpyArray::from<std::uint8_t>({1, 2}, {0x38, 0x77})).values<std::uint8_t>(), (std::vector<std::uint8_t>{0x38, 0x77}));
  EXPECT_EQ(round_trip(Dtype::int32, NpyArray::from<std::int32_t>({1, 1}, {-5})).values<std::int32_t>(), (std::vector<std::int32_t>{-5}));
  EXPECT_EQ(round_trip(Dtype::fp16, NpyArray::from<double>({1, 1}, {0.1})).bits(0), 0x2E66u);
}

// A row a channel: an array that only has the right number of elements would land in the wrong channels.
TEST(Tensors, TheFirstDimensionOfAnArrayRunsOverChannels) {
  Program p;
  Simulator s(p, {});
  const TensorBinding two = tensor("two", TensorBinding::Role::input, 0, Dtype::fp32, {2, 4}), one = tensor("one", TensorBinding::Role::input, 0, Dtype::fp32, {1, 8});
  const auto shaped = [](std::vector<std::uint64_t> shape) { return NpyArray::from<float>(std::move(shape), {1, 2, 3, 4, 5, 6, 7, 8}); };
  EXPECT_TRUE(s.load(two, shaped({2, 4})));
  EXPECT_TRUE(s.load(two, shaped({2, 2, 2})));
  EXPECT_TRUE(s.load(one, shaped({8})));
  for (const auto& shape : std::vector<std::vector<std::uint64_t>>{{4, 2}, {8, 1}, {1, 8}, {8}}) EXPECT_FALSE(s.load(two, shaped(shape)));
}

TEST(Tensors, OnesThatCannotBeWhereTheyAreBoundEndARunBeforeItBegins) {
  for (const std::vector<std::uint64_t>& shape : std::vector<std::vector<std::uint64_t>>{{128, 65535, 65535}, {1, 5000000000}, {5000000000, 1}, {1, 60000}, {129, 1}, {1, ~0ull, ~0ull}}) {
    Twins t;
    add_copy(t);
    t.set(0, Dtype::fp32, 1);
    t.program.tensors = {tensor("y", TensorBinding::Role::output, 0x100, Dtype::fp32, shape)};
    EXPECT_FALSE(t.run());
    EXPECT_TRUE(t.reported(Code::bad_binding)) << t.reports();
    EXPECT_EQ(t.simulator->retired(), 0u);
  }
}

TEST(Tensors, BindingsThatDoNotFitAreRefused) {
  Program p;
  Simulator s(p, {});
  const NpyArray four = NpyArray::from<float>({1, 4}, {1, 2, 3, 4});
  for (const TensorBinding& b : {tensor("shape", TensorBinding::Role::input, 0, Dtype::fp32, {1, 5}), tensor("type", TensorBinding::Role::input, 0, Dtype::int32, {1, 4}),
                                 tensor("nowhere", TensorBinding::Role::input, 0x10000000, Dtype::fp32, {1, 4}), tensor("end", TensorBinding::Role::input, 0x37FF8, Dtype::fp32, {1, 4}),
                                 tensor("channels", TensorBinding::Role::input, 0, Dtype::fp32, {129, 4}), tensor("last", TensorBinding::Role::input, 127 * 0x40000, Dtype::fp32, {2, 2}),
                                 tensor("none", TensorBinding::Role::input, 0, Dtype::fp32, {}), tensor("huge", TensorBinding::Role::input, 0, Dtype::fp32, {1, 1ull << 40, 1ull << 40})}) {
    const Status loaded = s.load(b, four);
    ASSERT_FALSE(loaded) << b.name;
    EXPECT_EQ(loaded.error().front().code, Code::bad_binding) << b.name;
  }
}

// --- limits, threads, traces, policies ----------------------------------------------------------------------------

TEST(Limits, HugeWalksAreRefused) {
  Twins t;
  t.load_set("small");
  auto i = activation(code_of_function("small", "copy"), 0, 0x100, 1, 1);
  i.src_mem_pattern.step = i.dst_mem_pattern.step = {0, 0, 0};
  i.src_mem_pattern.num = i.dst_mem_pattern.num = {65535, 65535, 65535};
  t.add(i);
  EXPECT_FALSE(t.run());
  EXPECT_TRUE(t.reported(Code::too_large));
}

TEST(Threads, GiveTheSameBitsAndReports) {
  std::mt19937_64 rng(77);
  std::vector<std::vector<float>> sums;
  std::vector<std::string> reports;
  std::vector<std::uint64_t> bits[2];
  for (unsigned threads : {1u, 2u}) {
    std::mt19937_64 same(7);
    Twins t(Generation::cayman, {}, threads);
    t.load_set("trig_and_small");
    auto i = activation(code_of_function("trig_and_small", "sin"), 0, 0x8000, 1024, 128, Dtype::fp32, Dtype::bfloat16);
    i.accumulator_cmd = AccumCmd::ZERO_ACCUMULATE;
    t.add(i);
    for (unsigned p = 0; p < 128; ++p)
      for (unsigned k = 0; k < 1024; ++k) {
        const float v = static_cast<float>(same() % 9000) / 1000 - 4.5F;
        std::uint8_t raw[4];
        std::memcpy(raw, &v, 4);
        t.machine().memory.write(t.machine().memory.locate(p * 0x40000 + 4 * k), raw);
      }
    ASSERT_TRUE(t.run());
    const Accumulators& a = t.machine().accumulators(Engine::ACT);
    sums.emplace_back(a.begin(), a.end());
    reports.push_back(t.reports());
    for (unsigned p = 0; p < 128; ++p)
      for (unsigned k = 0; k < 1024; k += 7) bits[threads - 1].push_back(t.code(p * 0x40000 + 0x8000 + 2 * k, Dtype::bfloat16));
  }
  EXPECT_EQ(sums[0], sums[1]);
  EXPECT_EQ(reports[0], reports[1]);
  EXPECT_EQ(bits[0], bits[1]);
}


TEST(Trace, BothFormsCarryEveryRetiredInstruction) {
  for (const bool json : {false, true}) {
    Twins t;
    TextTrace text;
    ChromeTrace chrome;
    t.options.trace = json ? static_cast<TraceSink*>(&chrome) : &text;
    t.load_set("small");
    auto i = activation(code_of_function("small", "copy"), 0, 0x100, 4, 1);
    i.accumulator_cmd = AccumCmd::ZERO_ACCUMULATE;
    t.add(i);
    for (unsigned k = 0; k < 4; ++k) t.set(4 * k, Dtype::fp32, static_cast<float>(k) + 0.5F);
    ASSERT_TRUE(t.run());
    const std::string out = t.options.trace->finish();
    if (!json) {
      for (const char* part : {"affine=two_roundings", "generation cayman", "catalog trainium", "ACTIVATION_TABLE_LOAD", "set=small", "func=copy", "fp32@0x0[1,1,1][4,1,1]",
                               "channels=1 elements=4", "in:0.5,1.5,2.5,3.5", "out:0.5,1.5,2.5,3.5", "acc:8", "estimates"})
        EXPECT_THAT(out, HasSubstr(part));
      continue;
    }
    // The rules of the trace-event format: an array of events, complete events with times, numbers for process and thread.
    const auto j = nlohmann::json::parse(out);
    ASSERT_TRUE(j.at("traceEvents").is_array());
    unsigned complete = 0;
    for (const auto& e : j.at("traceEvents")) {
      ASSERT_TRUE(e.at("name").is_string() && e.at("ph").is_string() && e.at("pid").is_number() && e.at("tid").is_number());
      if (e.at("ph") != "X") continue;
      ++complete;
      EXPECT_GE(e.at("ts").get<double>(), 0.0);
      EXPECT_GT(e.at("dur").get<double>(), 0.0);
      EXPECT_TRUE(e.at("cname").is_string());
    }
    EXPECT_EQ(complete, 2u);
    EXPECT_THAT(j.at("otherData").at("times").get<std::string>(), HasSubstr("estimate"));
    EXPECT_DOUBLE_EQ(j.at("traceEvents").at(1).at("dur").get<double>(), 1.283);
  }
}

TEST(PolicyTable, EveryChoiceCanBeSetAndIsPrinted) {
  for (const PolicyRow& row : all_policies()) {
    for (const PolicyChoice& choice : row.choices) {
      Policies p;
      const std::string text = std::string(row.name) + "=" + std::string(choice.name);
      ASSERT_TRUE(set_policy(p, text)) << text;
      EXPECT_THAT(to_text(p), HasSubstr(text));
    }
  }
  Policies p;
  EXPECT_FALSE(set_policy(p, "affine=triple"));
  EXPECT_FALSE(set_policy(p, "nothing=1"));
  EXPECT_FALSE(set_policy(p, "affine"));
  EXPECT_EQ(p, Policies{});
}

TEST(Dump, NamesTheWholeState) {
  Twins t;
  add_copy(t);
  for (unsigned k = 0; k < 4; ++k) t.set(4 * k, Dtype::fp32, 1);
  t.machine().accumulators(Engine::DVE)[3] = 2.5F;
  t.machine().semaphores[9] = 4;
  t.machine().events[5] = true;
  ASSERT_TRUE(t.run());
  const std::string dump = t.machine().dump();
  for (const char* part : {"resident set: small (4)", "DVE accumulators: [3]=2.5", "ACT accumulators: all 0", "semaphore 9 = 4", "event 5 set", "mask select: 0 1 2",
                           "pool arguments", "HBM", "SBUF partitions 0..0: bytes 0x0..0xf 0x100..0x10f", "PSUM nothing written"})
    EXPECT_THAT(dump, HasSubstr(part));
}

}  // namespace
}  // namespace act::sim::plain
