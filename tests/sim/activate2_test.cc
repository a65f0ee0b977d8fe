// 0x25, 0x26, 0x24 and 0x9B against the plain model.
#include <algorithm>

#include "plain.h"

namespace act::sim::plain {
namespace {

// The v4 machine has the same strides as v3, so the plain model's memory fits.
constexpr std::uint32_t kImm0At = 3200, kImm1At = 3216, kSlopeAt = 3232;

float plain_alu(AluOp op, float a, float b) {
  const auto larger = [](float x, float y) {
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) ? canonical_nan(y) : x;
    if (x == 0 && y == 0) return std::signbit(x) ? y : x;
    return x > y ? x : y;
  };
  float r = 0;
  switch (op) {
    case AluOp::bypass: return a;
    case AluOp::add: r = a + b; break;
    case AluOp::subtract: r = a - b; break;
    case AluOp::mult: r = a * b; break;
    case AluOp::max: return larger(a, b);
    case AluOp::min: return -larger(-a, -b);
    case AluOp::abs_max: return larger(std::fabs(a), std::fabs(b));
    case AluOp::abs_min: return -larger(-std::fabs(a), -std::fabs(b));
    default: ADD_FAILURE() << "operation not in the test"; break;
  }
  return canonical_nan(r);
}

float plain_identity(AluOp op) {
  switch (op) {
    case AluOp::mult: return 1;
    case AluOp::max: return -INFINITY;
    case AluOp::min: case AluOp::abs_min: return INFINITY;
    default: return 0;
  }
}

bool same_value(float a, float b) { return bits_of(a) == bits_of(b) || (std::isnan(a) && std::isnan(b)); }

TEST(Activate2, EqualsThePlainModelOnRandomInstructions) {
  constexpr std::pair<AluOp, AluOp> kPairs[] = {{AluOp::mult, AluOp::add}, {AluOp::mult, AluOp::subtract}, {AluOp::mult, AluOp::bypass},
                                                {AluOp::add, AluOp::bypass}, {AluOp::subtract, AluOp::bypass}, {AluOp::bypass, AluOp::bypass}};
  constexpr AluOp kReductions[] = {AluOp::add, AluOp::max, AluOp::min, AluOp::abs_max, AluOp::abs_min, AluOp::mult, AluOp::subtract};
  constexpr Dtype kTypes[] = {Dtype::fp32, Dtype::bfloat16, Dtype::fp16, Dtype::int16, Dtype::uint8, Dtype::int32, Dtype::fp8_exp4};
  constexpr Dtype kImm[] = {Dtype::fp32, Dtype::bfloat16, Dtype::fp16};
  std::mt19937_64 rng(25);
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(round);
    const Dtype in = kTypes[rng() % std::size(kTypes)], out = kTypes[rng() % std::size(kTypes)], imm_type = kImm[rng() % 3];
    unsigned channels, from;
    random_channels(rng, channels, from);
    const std::vector<int> num = random_counts(rng, 2);
    const bool psum = rng() % 2 == 0;
    const Walk source = random_walk(rng, in, num, psum ? 0x2000000 + from * 0x8000 : from * 0x40000, 0, 1024, true);
    const Walk destination = random_walk(rng, out, reshaped(rng, num), from * 0x40000, 1024, 2048, false);
    const auto [op0, op1] = kPairs[rng() % std::size(kPairs)];
    const TableSet& set = trainium().sets[rng() % trainium().sets.size()];
    const FunctionTable& function = set.functions[rng() % set.functions.size()];
    const std::uint32_t base = from * 0x40000;

    auto i = make<S2d2Ac>(Opcode::ACTIVATE2);
    source.put(i.src_mem_pattern);
    destination.put(i.dst_mem_pattern);
    i.in_dtype = in;
    i.out_dtype = out;
    i.imm_dtype = imm_type;
    i.op0 = op0;
    i.op1 = op1;
    i.num_active_channels = static_cast<std::uint8_t>(channels);
    i.activation_func = static_cast<std::uint8_t>(function.func_id);
    i.reverse_operands = static_cast<RevOps>(rng() % 4);
    i.reduce_cmd = static_cast<ReduceCmd>(rng() % 4);
    if (i.reduce_cmd != ReduceCmd::IDLE) i.reduce_op = kReductions[rng() % std::size(kReductions)];
    unsigned from_kind[3];
    std::uint32_t inline_bits[3];
    for (int v = 0; v < 3; ++v) {
      from_kind[v] = static_cast<unsigned>(rng() % 3);
      inline_bits[v] = static_cast<std::uint32_t>(random_code(rng, Dtype::fp32));
    }
    const std::uint32_t at[3] = {base + kImm0At, base + kImm1At, base + kSlopeAt};
    const auto field = [&](int v) { return from_kind[v] == 0 ? inline_bits[v] : from_kind[v] == 1 ? at[v] : static_cast<std::uint32_t>(10 + v); };
    i.imm0_src = static_cast<ImmSrc>(from_kind[0]);
    i.imm1_src = static_cast<ImmSrc>(from_kind[1]);
    i.relu_param_src = static_cast<ImmSrc>(from_kind[2]);
    i.imm0.bits = field(0);
    i.imm1.bits = field(1);
    i.relu_param.bits = field(2);

    Twins t(Generation::mariana);
    for (int v = 0; v < 3; ++v) t.program.registers.push_back({static_cast<std::uint8_t>(10 + v), at[v]});
    t.load_set(set.name());
    t.add(i);
    t.fill(source, channels, rng);
    for (unsigned p = 0; p < channels; ++p)
      for (std::uint32_t place : at) t.set_code(place + p * 0x40000, imm_type, random_code(rng, imm_type));
    std::array<float, 128> acc;
    for (float& a : acc) a = plain_widen(Dtype::fp32, random_code(rng, Dtype::fp32));
    t.machine().accumulators(Engine::ACT) = acc;

    const bool reset = i.reduce_cmd == ReduceCmd::RESET || i.reduce_cmd == ReduceCmd::RESET_REDUCE;
    const bool reduce = i.reduce_cmd == ReduceCmd::REDUCE || i.reduce_cmd == ReduceCmd::RESET_REDUCE;
    for (unsigned p = 0; p < channels; ++p) {
      float imm[3];
      for (int v = 0; v < 3; ++v) imm[v] = from_kind[v] == 0 ? plain_widen(Dtype::fp32, inline_bits[v]) : t.twin.get(at[v] + p * 0x40000, imm_type);
      if (reset) acc[p] = plain_identity(i.reduce_op);
      for (std::uint64_t k = 0; k < source.count(); ++k) {
        const float x = t.twin.get(source.at(p, k), in);
        const int reverse = static_cast<int>(i.reverse_operands);
        const float a = op0 == AluOp::bypass ? x : (reverse & 1) != 0 ? plain_alu(op0, imm[0], x) : plain_alu(op0, x, imm[0]);
        const float b = op1 == AluOp::bypass ? a : (reverse & 2) != 0 ? plain_alu(op1, imm[1], a) : plain_alu(op1, a, imm[1]);
        const float v = canonical_nan(plain_function(function, b, imm[2]));
        t.twin.set(destination.at(p, k), out, v);
        if (reduce) acc[p] = plain_alu(i.reduce_op, acc[p], v);
      }
    }
    ASSERT_TRUE(t.run()) << t.reports();
    t.expect_equal(std::min(128u, from + channels + 2));
    for (unsigned p = 0; p < 128; ++p)
      ASSERT_TRUE(same_value(t.machine().accumulators(Engine::ACT)[p], acc[p])) << "accumulator " << p << " " << acc[p];
    if (HasFailure()) return;
  }
}

// --- 0x26 ------------------------------------------------------------------------------------------------------

S1s2d2Am multipass(std::uint8_t code, std::uint32_t src, std::uint32_t prev, std::uint32_t dst, std::uint16_t count, std::uint16_t prev_count) {
  auto i = make<S1s2d2Am>(Opcode::ACTIVATE_MULTIPASS);
  i.src_mem_pattern.addr = src;
  i.src_mem_pattern.step = {1, 1};
  i.src_mem_pattern.num = {count, 1};
  i.dst_mem_pattern.addr = dst;
  i.dst_mem_pattern.step = {1, 1};
  i.dst_mem_pattern.num = {count, 1};
  i.prev_pass_mem_pattern.addr = prev;
  i.prev_pass_mem_pattern.step = {1};
  i.prev_pass_mem_pattern.num = {prev_count};
  i.in_dtype = i.out_dtype = i.imm_dtype = Dtype::fp32;
  i.num_active_channels = 2;
  i.activation_func = code;
  return i;
}

void put_f32(Twins& t, std::uint32_t addr, float v) {
  std::uint8_t raw[4];
  std::memcpy(raw, &v, 4);
  t.machine().memory.write(t.machine().memory.locate(addr), raw);
}
float get_f32(Twins& t, std::uint32_t addr) {
  std::uint8_t raw[4];
  t.machine().memory.read(t.machine().memory.locate(addr), raw);
  float v;
  std::memcpy(&v, raw, 4);
  return v;
}
constexpr std::uint32_t kV5Stride = 0x100000;

TEST(ActivateMultipass, OneElementPerChannelSeedsTheAccumulator) {
  Twins t(Generation::maverick);
  t.load_set("small");
  auto i = multipass(static_cast<std::uint8_t>(trainium().find_set("small")->find("square")->func_id), 0, 0x100, 0x200, 3, 1);
  i.reduce_cmd = ReduceCmd::REDUCE;
  i.reduce_op = AluOp::add;
  t.add(i);
  for (unsigned p = 0; p < 2; ++p) {
    for (unsigned k = 0; k < 3; ++k) put_f32(t, p * kV5Stride + 4 * k, static_cast<float>(k + p + 1));
    put_f32(t, p * kV5Stride + 0x100, 100.0F * static_cast<float>(p + 1));
  }
  ASSERT_TRUE(t.run()) << t.reports();
  EXPECT_EQ(t.machine().accumulators(Engine::ACT)[0], 100.0F + 1 + 4 + 9);
  EXPECT_EQ(t.machine().accumulators(Engine::ACT)[1], 200.0F + 4 + 9 + 16);
}

// A catalog with one two-pass function "step": pass 0 gives 10 + x below 1, pass 1 gives 20 + x from 1 on.
Catalog two_passes() {
  std::vector<FunctionTable> passes;
  for (unsigned k = 0; k < 2; ++k) {
    FunctionTable f;
    f.name = "step_" + std::to_string(k) + "mp";
    f.func_id = 40 + k;
    f.use_multipass = true;
    f.lower_bound = static_cast<float>(k);
    f.upper_bound = k == 0 ? 1.0F : 100.0F;
    f.specials = {-1, -2, -3, -4};
    for (Side* side : {&f.neg, &f.pos}) {
      side->high.section.d0 = 10.0F * static_cast<float>(k + 1);
      side->high.section.d1 = 1;
    }
    passes.push_back(f);
  }
  Catalog c;
  c.label = "test";
  c.sets.push_back(make_set("two", passes));
  return c;
}

TEST(ActivateMultipass, AsManyElementsAsTheDestinationAreThePreviousPass) {
  const Catalog catalog = two_passes();
  Program program;
  program.generation = Generation::maverick;
  program.streams.push_back({});
  auto load = make<CtrlNo>(Opcode::ACTIVATION_TABLE_LOAD);
  program.streams[0].bundles = {encode(load), encode(multipass(40, 0, 0x100, 0x200, 4, 4)), encode(multipass(41, 0, 0x200, 0x300, 4, 4))};
  RunOptions options;
  options.catalog = &catalog;
  Simulator s(program, options);
  const float in[] = {0.5F, 2.0F, 0.0F, INFINITY};
  for (unsigned p = 0; p < 2; ++p)
    for (unsigned k = 0; k < 4; ++k) {
      const float none = NAN;
      s.machine().memory.write(s.machine().memory.locate(p * kV5Stride + 4 * k), {reinterpret_cast<const std::uint8_t*>(&in[k]), 4});
      s.machine().memory.write(s.machine().memory.locate(p * kV5Stride + 0x100 + 4 * k), {reinterpret_cast<const std::uint8_t*>(&none), 4});
    }
  ASSERT_TRUE(s.run());
  const auto get = [&](std::uint32_t addr) {
    float v;
    std::uint8_t raw[4];
    s.machine().memory.read(s.machine().memory.locate(addr), raw);
    std::memcpy(&v, raw, 4);
    return v;
  };
  // After pass 0: its own input, nothing yet, the special results.
  EXPECT_EQ(get(0x200), 10.5F);
  EXPECT_TRUE(std::isnan(get(0x204)));
  EXPECT_EQ(get(0x208), -1.0F);
  EXPECT_EQ(get(0x20C), -3.0F);
  // After pass 1: the others are handed through.
  EXPECT_EQ(get(0x300), 10.5F);
  EXPECT_EQ(get(0x304), 22.0F);
  EXPECT_EQ(get(0x308), -1.0F);
  EXPECT_EQ(get(0x30C), -3.0F);
}

TEST(ActivateMultipass, AnyOtherCountIsRefused) {
  Twins t(Generation::maverick);
  t.load_set("small");
  t.add(multipass(static_cast<std::uint8_t>(trainium().find_set("small")->find("copy")->func_id), 0, 0x100, 0x200, 3, 2));
  EXPECT_FALSE(t.run());
  EXPECT_TRUE(t.reported(Code::bad_value)) << t.reports();
}

// --- 0x24 and 0x9B ---------------------------------------------------------------------------------------------

D1Rd read_accumulators(Opcode opcode, std::uint32_t dst, Dtype dtype, unsigned channels) {
  auto i = make<D1Rd>(opcode);
  i.dst_element_count = 1;
  i.dtype = dtype;
  i.num_active_channels = static_cast<std::uint8_t>(channels);
  i.dst_mem_pattern.addr = dst;
  i.dst_mem_pattern.step = {1};
  i.dst_mem_pattern.num = {1};
  return i;
}

TEST(ReadAccumulator, BanksAreSeparateAndOnlyTheVectorEngineNegates) {
  for (Dtype type : {Dtype::fp32, Dtype::fp32r, Dtype::bfloat16, Dtype::fp16}) {
    Twins t;
    t.add(read_accumulators(Opcode::ACTIVATION_READ_ACCUMULATOR, 0x0, type, 128));
    t.add(read_accumulators(Opcode::DVE_READ_ACCUMULATOR, 0x10, type, 128));
    auto negated = read_accumulators(Opcode::DVE_READ_ACCUMULATOR, 0x20, type, 128);
    negated.negated = 1;
    t.add(negated);
    std::mt19937_64 rng(24);
    for (unsigned p = 0; p < 128; ++p) {
      const float act = plain_widen(Dtype::fp32, random_code(rng, Dtype::fp32)), dve = plain_widen(Dtype::fp32, random_code(rng, Dtype::fp32));
      t.machine().accumulators(Engine::ACT)[p] = act;
      t.machine().accumulators(Engine::DVE)[p] = dve;
      t.twin.set(p * 0x40000, type, act);
      t.twin.set(p * 0x40000 + 0x10, type, dve);
      t.twin.set(p * 0x40000 + 0x20, type, -dve);
    }
    ASSERT_TRUE(t.run()) << t.reports();
    t.expect_equal();
  }
}

TEST(ReadAccumulator, MaverickHasOneBank) {
  Twins t(Generation::maverick);
  t.add(read_accumulators(Opcode::DVE_READ_ACCUMULATOR, 0x0, Dtype::fp32, 1));
  t.machine().accumulators(Engine::ACT)[0] = 5;
  ASSERT_TRUE(t.run());
  EXPECT_EQ(get_f32(t, 0), 5.0F);
}

TEST(ReadAccumulator, HalfWordsMayLandInPsum) {
  Twins t;
  t.add(read_accumulators(Opcode::ACTIVATION_READ_ACCUMULATOR, 0x2000000, Dtype::bfloat16, 4));
  EXPECT_TRUE(t.run()) << t.reports();
}

TEST(ReadAccumulator, DrainMayLandOnTheOutputOfTheSum) {
  // The sum of the row is written over the first element of the row that the activation has just stored.
  Twins t;
  t.load_set("small");
  auto i = make<S3d3Ac>(Opcode::ACTIVATE);
  Walk{0, Dtype::fp32, {1}, {4}}.put(i.src_mem_pattern);
  Walk{0x40, Dtype::fp32, {1}, {4}}.put(i.dst_mem_pattern);
  i.in_bias_dtype = DtypePair::of(Dtype::fp32, Dtype::fp32);
  i.out_dtype = Dtype::fp32;
  i.num_active_channels = 1;
  i.activation_func = static_cast<std::uint8_t>(trainium().find_set("small")->find("copy")->func_id);
  i.accumulator_cmd = AccumCmd::ZERO_ACCUMULATE;
  i.scale_value.bits = bits_of(1.0F);
  i.bias_src_n = ImmSrcN::INSTRUCTION;
  t.add(i);
  t.add(read_accumulators(Opcode::ACTIVATION_READ_ACCUMULATOR, 0x40, Dtype::fp32, 1));
  for (unsigned k = 0; k < 4; ++k) t.set(4 * k, Dtype::fp32, static_cast<float>(k + 1));
  ASSERT_TRUE(t.run()) << t.reports();
  EXPECT_EQ(get_f32(t, 0x40), 10.0F);
  EXPECT_EQ(get_f32(t, 0x44), 2.0F);
}

}  // namespace
}  // namespace act::sim::plain
