// What the machine reports: bounds, definedness, registers, placement, overlap, table sets, events, deadlocks, tensors.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "build.h"

namespace act::sim::plain {
namespace {

using testing::HasSubstr;

const Diagnostic* find(const Simulator& s, Code code) {
  for (const Diagnostic& d : s.reports())
    if (d.code == code) return &d;
  return nullptr;
}

// A copy of four FP32 values from 0 to 0x100, with the set that has it.
void add_copy(Twins& t, std::uint32_t src = 0, std::uint32_t dst = 0x100, int count = 4, unsigned channels = 1) {
  t.load_set("small");
  t.add(activation(code_of_function("small", "copy"), src, dst, count, channels));
}

// --- bounds and definedness --------------------------------------------------------------------------------------

TEST(Bounds, TheFirstElementBehindThePartitionIsNamed) {
  Twins t;
  add_copy(t, 0x37FF8);  // cayman: 0x38000 bytes
  EXPECT_FALSE(t.run());
  const Diagnostic* d = find(*t.simulator, Code::out_of_bounds);
  ASSERT_NE(d, nullptr) << t.reports();
  EXPECT_EQ(d->where.instruction, 1u);
  EXPECT_EQ(d->field, "src_mem_pattern");
  EXPECT_THAT(d->message, HasSubstr("channel 0, element 2"));
  EXPECT_EQ(d->value, "0x38000");
}

TEST(Bounds, NegativeAddressesAndPsumEnds) {
  for (std::uint32_t src : {0x0u, 0x2000000u + 0x3FF8}) {
    Twins t;
    t.load_set("small");
    auto i = activation(code_of_function("small", "copy"), src, 0x100, 4, 1);
    if (src == 0) i.src_mem_pattern.step[0] = -1;
    t.add(i);
    EXPECT_FALSE(t.run());
    EXPECT_TRUE(t.reported(Code::out_of_bounds)) << t.reports();
  }
}

TEST(Bounds, PaddingBetweenPartitionsHasNoStorage) {
  Twins t;
  add_copy(t, 0x38000);
  EXPECT_FALSE(t.run());
  EXPECT_TRUE(t.reported(Code::out_of_bounds)) << t.reports();
}

TEST(Definedness, UndefinedReadsWarnWithPlaceAndGiveTheFill) {
  Twins t;
  add_copy(t, 0, 0x100, 4, 2);
  for (unsigned k : {0u, 1u, 3u}) t.set(4 * k, Dtype::fp32, 1);
  for (unsigned k = 0; k < 4; ++k) t.set(0x40000 + 4 * k, Dtype::fp32, 1);
  EXPECT_TRUE(t.run());
  const Diagnostic* d = find(*t.simulator, Code::undefined_read);
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->severity, Severity::warning);
  EXPECT_THAT(d->message, HasSubstr("channel 0, element 2"));
  EXPECT_EQ(d->value, "0x8");
  EXPECT_TRUE(std::isnan(t.get(0x108)));
  EXPECT_EQ(t.get(0x104), 1.0F);
}

TEST(Definedness, PoliciesIgnoreOrStopAndFillWithZero) {
  Policies p;
  p.undefined = UndefinedPolicy::ignore;
  p.fill = FillPolicy::zero;
  Twins quiet(Generation::cayman, p);
  add_copy(quiet);
  EXPECT_TRUE(quiet.run());
  EXPECT_TRUE(quiet.simulator->reports().empty()) << quiet.reports();
  EXPECT_EQ(quiet.code(0x100, Dtype::fp32), 0u);
  p.undefined = UndefinedPolicy::error;
  Twins strict(Generation::cayman, p);
  add_copy(strict);
  EXPECT_FALSE(strict.run());
  EXPECT_TRUE(strict.reported(Code::undefined_read));
}

TEST(Definedness, ReadingDoesNotDefine) {
  Twins t;
  add_copy(t);
  t.run();
  EXPECT_FALSE(t.machine().memory.store(Space::sbuf).defined(0, 0, 1));
  EXPECT_TRUE(t.machine().memory.store(Space::sbuf).defined(0, 0x100, 16));
  EXPECT_FALSE(t.machine().memory.store(Space::sbuf).defined(0, 0x110, 1));
}

// --- placement ---------------------------------------------------------------------------------------------------

TEST(Placement, RegisterAddressesAreCheckedAtRunTime) {
  struct Case {
    std::uint32_t address;
    unsigned channels;
    Dtype out;
    Code code;
  };
  // Misaligned; partition 32 with 33 channels; two-byte type into PSUM; nowhere.
  for (const Case& c : {Case{0x102, 1, Dtype::fp32, Code::misplaced_operand}, Case{0x800000, 33, Dtype::fp32, Code::misplaced_operand},
                        Case{0x2000000, 1, Dtype::bfloat16, Code::misplaced_operand}, Case{0x4000000, 1, Dtype::fp32, Code::out_of_bounds}}) {
    Twins t;
    t.load_set("small");
    auto i = activation(code_of_function("small", "copy"), 0, 0, 1, c.channels, Dtype::fp32, c.out);
    i.dst_mem_pattern.addr = 0x80000007;
    t.add(i);
    t.program.registers = {{7, c.address}};
    EXPECT_FALSE(t.run());
    EXPECT_TRUE(t.reported(c.code)) << std::hex << c.address << t.reports();
  }
}

TEST(Placement, ARegisterWithoutValueIsNamed) {
  Twins t;
  t.load_set("small");
  auto i = activation(code_of_function("small", "copy"), 0, 0, 1, 1);
  i.src_mem_pattern.addr = 0x80000009;
  t.add(i);
  EXPECT_FALSE(t.run());
  const Diagnostic* d = find(*t.simulator, Code::register_not_set);
  ASSERT_NE(d, nullptr);
  EXPECT_THAT(d->message, HasSubstr("register 9"));
}

TEST(Placement, ShapeRegistersGiveStepsAndCounts) {
  for (const bool bound : {true, false}) {
    Twins t;
    t.load_set("small");
    auto i = activation(code_of_function("small", "copy"), 0, 0x100, 3, 1);
    i.src_mem_pattern.addr = 0x40000000;
    i.src_mem_pattern.step = {5, 0, 0};
    i.src_mem_pattern.num = {0, 0, 0};
    t.add(i);
    if (bound) {
      TensorView shape;
      shape.dims = 3;
      shape.step = {2, 1, 1};
      shape.num = {3, 1, 1};
      t.program.shape_registers.push_back({5, shape});
    }
    for (unsigned k = 0; k < 6; ++k) t.set(4 * k, Dtype::fp32, static_cast<float>(k));
    EXPECT_EQ(t.run(), bound);
    if (!bound) {
      EXPECT_TRUE(t.reported(Code::register_not_set));
    }
    if (bound) {
      EXPECT_EQ(t.get(0x108), 4.0F);
    }
  }
}

TEST(Placement, SundaHasNoShapeRegisters) {
  Twins t(Generation::sunda);
  t.load_set("small");
  auto i = activation(code_of_function("small", "copy"), 0, 0x100, 3, 1);
  i.src_mem_pattern.addr = 0x40000000;
  t.add(i);
  t.program.shape_registers.push_back({0, {}});
  EXPECT_FALSE(t.run());
}

// --- gather and scatter ------------------------------------------------------------------------------------------

S3d3Ts scaled(std::uint32_t src, std::uint32_t dst, int count) {
  auto i = make<S3d3Ts>(Opcode::TENSOR_SCALAR_ARITH_OP);
  Walk{src, Dtype::fp32, {1}, {count}}.put(i.src_mem_pattern);
  Walk{dst, Dtype::fp32, {1}, {count}}.put(i.dst_mem_pattern);
  i.in_dtype = i.out_dtype = Dtype::fp32;
  i.num_active_channels = 2;
  i.op0 = AluOp::mult;
  i.imm0.bits = bits_of(10.0F);
  return i;
}
template <class Pattern>
void make_indirect(Pattern& p, std::uint32_t index, std::uint32_t data, std::uint16_t count) {
  p.addr = index | 0x20000000;
  p.step = {static_cast<std::int16_t>(data & 0xFFFF), static_cast<std::int16_t>(data >> 16), static_cast<std::int16_t>(count)};
  p.num = {0, 0, 0};
}

TEST(Indirect, GathersAndScattersByAnIndexPerChannel) {
  for (const bool scatter : {false, true}) {
    Twins t(Generation::mariana);
    auto i = scaled(0, 0x100, 3);
    make_indirect(scatter ? i.dst_mem_pattern : i.src_mem_pattern, 0x200, scatter ? 0x100 : 0, 3);
    t.add(i);
    const std::uint32_t index[2][3] = {{2, 0, 5}, {1, 1, 3}};
    for (unsigned p = 0; p < 2; ++p) {
      for (unsigned k = 0; k < 6; ++k) t.set(p * 0x40000 + 4 * k, Dtype::fp32, static_cast<float>(k + 1));
      for (unsigned k = 0; k < 3; ++k) t.set_code(p * 0x40000 + 0x200 + 4 * k, Dtype::uint32, index[p][k]);
    }
    for (unsigned p = 0; p < 2; ++p)
      for (unsigned k = 0; k < 3; ++k) {
        const std::uint32_t from = scatter ? k : index[p][k], to = scatter ? index[p][k] : k;
        t.twin.set(p * 0x40000 + 0x100 + 4 * to, Dtype::fp32, 10 * t.twin.get(p * 0x40000 + 4 * from, Dtype::fp32));
      }
    ASSERT_TRUE(t.run()) << t.reports();
    t.expect_equal(4);
  }
}

TEST(Indirect, AnIndexBeyondThePartitionIsAnError) {
  Twins t(Generation::mariana);
  auto i = scaled(0, 0x100, 1);
  i.num_active_channels = 1;
  make_indirect(i.src_mem_pattern, 0x200, 0, 1);
  t.add(i);
  t.set_code(0x200, Dtype::uint32, 0x10000000);
  EXPECT_FALSE(t.run());
  EXPECT_TRUE(t.reported(Code::out_of_bounds)) << t.reports();
}

TEST(Indirect, CaymanHasNone) {
  Twins t;
  auto i = scaled(0, 0x100, 1);
  make_indirect(i.src_mem_pattern, 0x200, 0, 1);
  t.add(i);
  EXPECT_FALSE(t.run());
  EXPECT_TRUE(t.reported(Code::bad_value));
}

// --- overlap and order -------------------------------------------------------------------------------------------

TEST(Overlap, ElementsRunInOrderAndAWarningIsGiven) {
  // dst = src + one element: a value travels through the row.
  Twins t;
  t.load_set("small");
  t.add(activation(code_of_function("small", "copy"), 0, 4, 8, 2));
  for (unsigned p = 0; p < 2; ++p)
    for (unsigned k = 0; k < 9; ++k) t.set(p * 0x40000 + 4 * k, Dtype::fp32, static_cast<float>(k + 1));
  ASSERT_TRUE(t.run());
  EXPECT_TRUE(t.reported(Code::operand_overlap));
  for (unsigned k = 0; k < 9; ++k) EXPECT_EQ(t.get(4 * k), 1.0F) << k;
}

TEST(Overlap, BackwardsReadsWhatWasThere) {
  Twins t;
  t.load_set("small");
  t.add(activation(code_of_function("small", "copy"), 4, 0, 8, 1));
  for (unsigned k = 0; k < 9; ++k) t.set(4 * k, Dtype::fp32, static_cast<float>(k + 1));
  ASSERT_TRUE(t.run());
  for (unsigned k = 0; k < 8; ++k) EXPECT_EQ(t.get(4 * k), static_cast<float>(k + 2)) << k;
}

TEST(Overlap, InPlaceAndInterleavedAreNoOverlap) {
  Twins t;
  t.load_set("small");
  t.add(activation(code_of_function("small", "square"), 0, 0, 8, 4));
  auto even_to_odd = activation(code_of_function("small", "copy"), 0, 4, 4, 4);
  even_to_odd.src_mem_pattern.step[0] = even_to_odd.dst_mem_pattern.step[0] = 2;
  t.add(even_to_odd);
  for (unsigned p = 0; p < 4; ++p)
    for (unsigned k = 0; k < 8; ++k) t.set(p * 0x40000 + 4 * k, Dtype::fp32, static_cast<float>(k));
  ASSERT_TRUE(t.run());
  EXPECT_FALSE(t.reported(Code::operand_overlap)) << t.reports();
  for (unsigned k = 0; k < 8; ++k) EXPECT_EQ(t.get(4 * k), static_cast<float>((k & ~1u) * (k & ~1u)));
}

TEST(Overlap, ChannelsShiftedByAQuadrantRunInChannelOrder) {
  // 33 channels from partition 0 to partition 64 do not meet; 64 channels from 0 onto 64 do not either; the same bytes of
  // partitions 32..63 as source and destination of 32 channels do not meet 0..31.
  Twins t;
  t.load_set("small");
  t.add(activation(code_of_function("small", "copy"), 0, 32 * 0x40000, 4, 32));
  for (unsigned p = 0; p < 32; ++p)
    for (unsigned k = 0; k < 4; ++k) t.set(p * 0x40000 + 4 * k, Dtype::fp32, static_cast<float>(p));
  ASSERT_TRUE(t.run());
  EXPECT_FALSE(t.reported(Code::operand_overlap));
  EXPECT_EQ(t.get(63 * 0x40000), 31.0F);
}

TEST(Overlap, StepZeroDestinationKeepsTheLastValue) {
  Twins t;
  t.load_set("small");
  auto i = activation(code_of_function("small", "copy"), 0, 0x100, 8, 1);
  i.dst_mem_pattern.step[0] = 0;
  t.add(i);
  for (unsigned k = 0; k < 8; ++k) t.set(4 * k, Dtype::fp32, static_cast<float>(k));
  ASSERT_TRUE(t.run());
  EXPECT_EQ(t.get(0x100), 7.0F);
}

// --- table sets --------------------------------------------------------------------------------------------------

TEST(TableSets, NoSetAndTheWrongSetAreNamed) {
  Twins none;
  none.add(activation(code_of_function("exp_and_others", "exp"), 0, 0x100, 1, 1));
  none.set(0, Dtype::fp32, 0);
  EXPECT_TRUE(none.run());
  EXPECT_TRUE(none.reported(Code::no_table_set));
  EXPECT_EQ(none.get(0x100), 1.0F);

  Twins wrong;
  wrong.load_set("small");
  wrong.add(activation(code_of_function("exp_and_others", "exp"), 0, 0x100, 1, 1));
  wrong.set(0, Dtype::fp32, 0);
  EXPECT_TRUE(wrong.run());
  const Diagnostic* d = find(*wrong.simulator, Code::wrong_table_set);
  ASSERT_NE(d, nullptr);
  EXPECT_THAT(d->message, HasSubstr("exp"));
  EXPECT_THAT(d->message, HasSubstr("small"));
  EXPECT_THAT(d->message, HasSubstr("exp_and_others"));
}

TEST(TableSets, MissingTablesByPolicy) {
  Policies p;
  p.missing_table = MissingTablePolicy::nan;
  Twins t(Generation::cayman, p);
  t.load_set("small");
  t.add(activation(code_of_function("exp_and_others", "exp"), 0, 0x100, 1, 1));
  t.set(0, Dtype::fp32, -2);
  EXPECT_TRUE(t.run());
  EXPECT_TRUE(std::isnan(t.get(0x100)));
  p.missing_table = MissingTablePolicy::error;
  Twins stop(Generation::cayman, p);
  stop.add(activation(code_of_function("exp_and_others", "exp"), 0, 0x100, 1, 1));
  EXPECT_FALSE(stop.run());
}

TEST(TableSets, UnknownCodesAndIndicesAreErrors) {
  Twins code;
  code.load_set("small");
  code.add(activation(200, 0, 0x100, 1, 1));
  EXPECT_FALSE(code.run());
  EXPECT_TRUE(code.reported(Code::unknown_function));
  Twins index;
  auto i = make<CtrlNo>(Opcode::ACTIVATION_TABLE_LOAD);
  i.act_tbl_sel = static_cast<std::uint8_t>(trainium().sets.size());
  index.add(i);
  EXPECT_FALSE(index.run());
  EXPECT_TRUE(index.reported(Code::unknown_set));
}

TEST(TableSets, LoadsByNameNeedTheirOption) {
  for (const bool allowed : {false, true}) {
    Twins t;
    auto i = make<PseudoLoadActFuncSet>(Opcode::PSEUDO_LOAD_ACT_FUNC_SET);
    std::memcpy(i.act_set_name.chars.data(), "exp_and_others", 14);
    t.add(i);
    t.options.limits.load_by_name = allowed;
    EXPECT_EQ(t.run(), allowed);
    if (allowed) {
      EXPECT_EQ(t.machine().functions.resident()->name(), "exp_and_others");
    }
  }
  Twins wrong;
  auto i = make<PseudoLoadActFuncSet>(Opcode::PSEUDO_LOAD_ACT_FUNC_SET);
  std::memcpy(i.act_set_name.chars.data(), "nothing", 7);
  wrong.add(i);
  wrong.options.limits.load_by_name = true;
  EXPECT_FALSE(wrong.run());
  EXPECT_TRUE(wrong.reported(Code::unknown_set));
}

TEST(TableSets, OtherEnginesDoNotReachTheTables) {
  for (const Generation g : {Generation::cayman, Generation::maverick}) {
    Twins t(g);
    add_copy(t);
    t.program.streams[0].engine = Engine::DVE;
    for (unsigned k = 0; k < 4; ++k) {
      const std::uint8_t zero[4] = {};
      t.machine().memory.write(t.machine().memory.locate(4 * k), zero);
    }
    EXPECT_EQ(t.run(), g == Generation::maverick);
    EXPECT_EQ(t.reported(Code::wrong_engine), g == Generation::cayman);
  }
}

TEST(TableSets, InputsOutsideTheDocumentedRangeWarnOnce) {
  Twins t;
  t.load_set("trig_and_small");
  t.add(activation(code_of_function("trig_and_small", "sin"), 0, 0x100, 3, 1));
  for (unsigned k = 0; k < 3; ++k) t.set(4 * k, Dtype::fp32, k == 0 ? 1.0F : 9.0F);
  EXPECT_TRUE(t.run());
  ASSERT_EQ(t.simulator->reports().size(), 1u) << t.reports();
  const Diagnostic* d = find(*t.simulator, Code::out_of_range);
  ASSERT_NE(d, nullptr);
  EXPECT_THAT(d->message, HasSubstr("sin"));
  EXPECT_THAT(d->message, HasSubstr("element 1"));
}

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
