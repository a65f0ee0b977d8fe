// What the machine reports about memory: bounds, definedness, registers, placement, overlap, table sets.
#include <gmock/gmock.h>

#include <random>

#include "build.h"

namespace act::sim::plain {
namespace {

using testing::HasSubstr;

const Diagnostic* find(const Simulator& s, Code code) {
  for (const Diagnostic& d : s.reports())
    if (d.code == code) return &d;
  return nullptr;
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

// Against the walk spelled out element by element.
TEST(Bounds, TheFirstElementOutsideIsTheFirstOfTheWalk) {
  std::mt19937 random(9);
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  int outside = 0;
  for (int round = 0; round < 2000; ++round) {
    Twins t;
    t.load_set("small");
    auto i = activation(code_of_function("small", "copy"), round % 2 == 0 ? 0x40 : 0x37FC0, 0x100, 1, 1);
    const std::int64_t start = round % 2 == 0 ? 0x40 : 0x37FC0;
    for (std::size_t d = 0; d < 3; ++d) {
      i.src_mem_pattern.step[d] = static_cast<std::int16_t>(draw(-9, 9));
      i.src_mem_pattern.num[d] = static_cast<std::uint16_t>(draw(1, 5));
    }
    i.dst_mem_pattern.num = i.src_mem_pattern.num;
    i.dst_mem_pattern.step = {1, 5, 25};
    std::int64_t first = -1, k = 0;
    for (int z = 0; z < i.src_mem_pattern.num[2]; ++z)
      for (int y = 0; y < i.src_mem_pattern.num[1]; ++y)
        for (int x = 0; x < i.src_mem_pattern.num[0]; ++x, ++k) {
          const std::int64_t at = start + 4 * (x * i.src_mem_pattern.step[0] + y * i.src_mem_pattern.step[1] + z * i.src_mem_pattern.step[2]);
          if (first < 0 && (at < 0 || at + 4 > 0x38000)) first = k;
        }
    t.add(i);
    const bool clean = t.run();
    EXPECT_EQ(clean, first < 0);
    if (first < 0) continue;
    ++outside;
    const Diagnostic* d = find(*t.simulator, Code::out_of_bounds);
    ASSERT_NE(d, nullptr) << t.reports();
    EXPECT_THAT(d->message, HasSubstr("element " + std::to_string(first) + " leaves"));
  }
  EXPECT_GT(outside, 500);
}

// 1.2e12 elements: told at once.
TEST(Bounds, HugeWalksOutsideAreToldAtOnce) {
  Twins t;
  auto i = make<S4d4Tr>(Opcode::STREAM_TRANSPOSE);
  i.src_mem_pattern = {{0, {1, 1, 1, 0}, {64, 4609, 65281, 1}}};
  i.dst_mem_pattern = {{0x400, {1, 1, 1, 0}, {64, 1, 1, 1}}};
  i.in_dtype = i.out_dtype = Dtype::fp32;
  i.num_active_channels = 64;
  t.add(i);
  EXPECT_FALSE(t.run());
  EXPECT_TRUE(t.reported(Code::out_of_bounds)) << t.reports();
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

// What cannot be read is not written either, computed in place or in a buffer, as values or as bits. A gather from the memory
// that is written goes by single elements, one from the other memory by blocks.
TEST(Indirect, NothingIsWrittenFromAnElementOnThatCannotBeRead) {
  for (const Space space : {Space::sbuf, Space::psum})
    for (const Dtype in : {Dtype::fp32, Dtype::bfloat16, Dtype::int32})
      for (const Dtype out : {Dtype::fp32, Dtype::fp32r, Dtype::int32}) {
        const std::uint32_t to = space == Space::psum ? 0x2000100 : 0x100;
        Twins t(Generation::mariana);
        auto i = transfer(Opcode::CAST, in, 0, out, to, 3);
        make_indirect(i.src_mem_pattern, 0x200, 0, 3);
        t.add(i);
        for (unsigned k = 0; k < 6; ++k) t.set(4 * k, Dtype::fp32, 1);
        const std::uint32_t index[3] = {1, 0x10000000, 2};
        for (unsigned k = 0; k < 3; ++k) t.set_code(0x200 + 4 * k, Dtype::uint32, index[k]);
        EXPECT_FALSE(t.run());
        EXPECT_TRUE(t.reported(Code::out_of_bounds)) << t.reports();
        const std::uint32_t written = space == Space::sbuf ? static_cast<std::uint32_t>(plain_bytes(out)) : 0;
        const Store& store = t.machine().memory.store(space);
        EXPECT_TRUE(store.defined(0, 0x100, written));
        EXPECT_TRUE(store.untouched(0, 0x100 + written, 0x40)) << dtype_name(in) << " " << dtype_name(out);
      }
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

}  // namespace
}  // namespace act::sim::plain
