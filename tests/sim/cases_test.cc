// Cases from public bug reports and documentation of this and of neighbouring hardware; names as in the list of cases.
#include <algorithm>

#include "build.h"

namespace act::sim::plain {
namespace {

// One activation of a row in channel 0: inputs as FP32 patterns, result patterns of `out`.
struct RowRun {
  std::vector<std::uint64_t> codes;
  float accumulator = 0;
  bool warned_range = false;
};

RowRun run_row(std::string_view set, std::string_view function, const std::vector<std::uint64_t>& in, Dtype in_type, Dtype out, float scale = 1, float bias = 0,
               AccumCmd command = AccumCmd::IDLE, Policies policies = {}) {
  Twins t(Generation::cayman, policies);
  t.load_set(set);
  auto i = activation(code_of_function(set, function), 0, 0x400, static_cast<int>(in.size()), 1, in_type, out);
  i.scale_value.bits = bits_of(scale);
  i.bias.bits = bits_of(bias);
  i.accumulator_cmd = command;
  t.add(i);
  for (std::size_t k = 0; k < in.size(); ++k) t.set_code(static_cast<std::uint32_t>(k) * static_cast<std::uint32_t>(plain_bytes(in_type)), in_type, in[k]);
  EXPECT_TRUE(t.run()) << t.reports();
  RowRun r;
  for (std::size_t k = 0; k < in.size(); ++k) r.codes.push_back(t.code(0x400 + static_cast<std::uint32_t>(k) * static_cast<std::uint32_t>(plain_bytes(out)), out));
  r.accumulator = t.machine().accumulators(Engine::ACT)[0];
  r.warned_range = t.reported(Code::out_of_range);
  return r;
}

std::uint64_t one(std::string_view set, std::string_view function, std::uint32_t x, float scale = 1, float bias = 0) {
  return run_row(set, function, {x}, Dtype::fp32, Dtype::fp32, scale, bias).codes[0];
}

std::vector<std::uint64_t> bits_list(std::initializer_list<float> values) {
  std::vector<std::uint64_t> codes;
  for (float v : values) codes.push_back(bits_of(v));
  return codes;
}

TEST(Cases, A1_CopyAddsTheBias) {
  EXPECT_EQ(one("small", "copy", bits_of(1.0F), 1.0F, 2.0F), 0x40400000u);
  EXPECT_EQ(one("small", "relu", bits_of(1.0F), 1.0F, 2.0F), 0x40400000u);
}

TEST(Cases, A8_AThreeDimensionalPatternRunsInnermostFirst) {
  Twins t;
  t.load_set("small");
  auto i = activation(code_of_function("small", "copy"), 0, 0x400, 24, 1);
  Walk{0, Dtype::fp32, {12, 1, 3}, {2, 3, 4}}.put(i.src_mem_pattern);
  t.add(i);
  for (unsigned k = 0; k < 24; ++k) t.set(4 * k, Dtype::fp32, static_cast<float>(k));
  ASSERT_TRUE(t.run()) << t.reports();
  unsigned k = 0;
  for (unsigned z = 0; z < 4; ++z)
    for (unsigned y = 0; y < 3; ++y)
      for (unsigned x = 0; x < 2; ++x) EXPECT_EQ(t.get(0x400 + 4 * k++), static_cast<float>(12 * x + y + 3 * z));
}

TEST(Cases, A10_MaskedRows) {
  // (-inf) - (-inf) is NaN and stays NaN; with the lowest finite mask the row is uniform.
  const RowRun nan = run_row("exp_and_others", "exp", {0xFF800000, 0xFF800000}, Dtype::fp32, Dtype::fp32, 1, INFINITY);
  for (std::uint64_t c : nan.codes) EXPECT_EQ(c, 0x7FC00000u);
  const RowRun uniform = run_row("exp_and_others", "exp", {0xFF7FFFFF, 0xFF7FFFFF}, Dtype::fp32, Dtype::fp32, 1, f32(0x7F7FFFFF));
  for (std::uint64_t c : uniform.codes) EXPECT_EQ(c, 0x3F800000u);
}

TEST(Cases, A11_ReduceCommands) {
  Twins t;
  t.load_set("small");
  const std::uint8_t copy = code_of_function("small", "copy");
  const auto with = [&](AccumCmd c, std::uint32_t src) {
    auto i = activation(copy, src, 0x400, 2, 1);
    i.accumulator_cmd = c;
    t.add(i);
  };
  with(AccumCmd::ZERO, 0);
  t.add(drain(0x500));  // reset, then read: 0
  with(AccumCmd::ACCUMULATE, 0);
  with(AccumCmd::ACCUMULATE, 8);
  t.add(drain(0x504));  // old + sum, once: 3 + 30
  with(AccumCmd::ZERO_ACCUMULATE, 0);
  with(AccumCmd::ZERO_ACCUMULATE, 8);
  t.add(drain(0x508));  // the second only
  with(AccumCmd::IDLE, 0);
  t.add(drain(0x50C));  // untouched
  const float values[] = {1, 2, 10, 20};
  for (unsigned k = 0; k < 4; ++k) t.set(4 * k, Dtype::fp32, values[k]);
  t.machine().accumulators(Engine::ACT)[0] = 99;
  ASSERT_TRUE(t.run()) << t.reports();
  EXPECT_EQ(t.get(0x500), 0.0F);
  EXPECT_EQ(t.get(0x504), 33.0F);
  EXPECT_EQ(t.get(0x508), 30.0F);
  EXPECT_EQ(t.get(0x50C), 30.0F);
}

TEST(Cases, A12_ShuffleMask255KeepsTheDestination) {
  Twins t;
  auto mask = make<CtrlIm>(Opcode::LOAD_MASK_SELECT);
  mask.immediate[0] = 255;
  for (std::uint8_t k = 1; k < 32; ++k) mask.immediate[k] = static_cast<std::uint8_t>(k - 1);
  t.add(mask);
  t.add(transfer(Opcode::STREAM_SHUFFLE, Dtype::fp32, 0, Dtype::fp32, 0x40, 1, 32));
  for (unsigned p = 0; p < 32; ++p) {
    t.set(p * 0x40000, Dtype::fp32, static_cast<float>(100 + p));
    t.set(p * 0x40000 + 0x40, Dtype::fp32, 7);
  }
  ASSERT_TRUE(t.run()) << t.reports();
  EXPECT_EQ(t.get(0x40), 7.0F);
  for (unsigned p = 1; p < 32; ++p) EXPECT_EQ(t.get(p * 0x40000 + 0x40), static_cast<float>(99 + p));
}

TEST(Cases, A13_FloatToIntegerRoundsAndSaturates) {
  const std::vector<std::uint64_t> in = bits_list({2.5F, -2.5F, 300, -5});
  EXPECT_EQ(run_row("small", "copy", in, Dtype::fp32, Dtype::uint8).codes, (std::vector<std::uint64_t>{2, 0, 255, 0}));
  EXPECT_EQ(run_row("small", "copy", in, Dtype::fp32, Dtype::int8).codes, (std::vector<std::uint64_t>{2, 0xFE, 127, 0xFB}));
}

TEST(Cases, A14_SineOutsideItsRangeWarnsAndExtrapolates) {
  const RowRun r = run_row("trig_and_small", "sin", {bits_of(9.0F)}, Dtype::fp32, Dtype::fp32);
  EXPECT_TRUE(r.warned_range);
  EXPECT_NEAR(f32(static_cast<std::uint32_t>(r.codes[0])), 27.6526F, 1e-4F);
}

TEST(Cases, A19_SmallShapes) {
  for (unsigned channels : {1u, 127u}) {
    Twins t;
    t.load_set("exp_and_others");
    auto i = activation(code_of_function("exp_and_others", "exp"), 0, 0x400, 1, channels);
    i.accumulator_cmd = AccumCmd::ZERO_ACCUMULATE;
    t.add(i);
    t.add(drain(0x500, channels));
    for (unsigned p = 0; p < channels; ++p) t.set(p * 0x40000, Dtype::fp32, 0);
    ASSERT_TRUE(t.run()) << t.reports();
    EXPECT_EQ(t.get((channels - 1) * 0x40000 + 0x500), 1.0F);
  }
}

TEST(Cases, N7_NaNSurvivesNarrowing) {
  // bf16 NaN stays NaN; FP32 0x7F800001 narrowed must not become infinity by cutting the payload.
  Twins t;
  t.add(transfer(Opcode::CAST, Dtype::fp32, 0, Dtype::bfloat16, 0x40, 1));
  t.add(transfer(Opcode::CAST, Dtype::bfloat16, 0x10, Dtype::fp32, 0x50, 1));
  t.set_code(0, Dtype::fp32, 0x7F800001);
  t.set_code(0x10, Dtype::bfloat16, 0x7FC0);
  ASSERT_TRUE(t.run()) << t.reports();
  EXPECT_EQ(t.code(0x40, Dtype::bfloat16), 0x7FC0u);
  EXPECT_EQ(t.code(0x50, Dtype::fp32), 0x7FC00000u);
  auto subtract = make<S3s3d3Tt>(Opcode::TENSOR_TENSOR_ARITH_OP);
  Walk{0x2000000, Dtype::bfloat16, {1}, {1}}.put(subtract.src0_mem_pattern);
  Walk{0x10, Dtype::bfloat16, {1}, {1}}.put(subtract.src1_mem_pattern);
  Walk{0x40, Dtype::bfloat16, {1}, {1}}.put(subtract.dst_mem_pattern);
  subtract.in0_in1_dtype = DtypePair::of(Dtype::bfloat16, Dtype::bfloat16);
  subtract.out_dtype = Dtype::bfloat16;
  subtract.op = AluOp::subtract;
  subtract.num_active_channels = 1;
  Twins inf;
  inf.add(subtract);
  inf.set_code(0x2000000, Dtype::bfloat16, 0x7F80);
  inf.set_code(0x10, Dtype::bfloat16, 0x7F80);
  ASSERT_TRUE(inf.run()) << inf.reports();
  EXPECT_EQ(inf.code(0x40, Dtype::bfloat16), 0x7FC0u);
}

TEST(Cases, N9_ResultsAreRoundedToBf16NotCut) {
  const RowRun r = run_row("small", "copy", {0x48B98A00, 0x3F808000, 0x3F818000, 0x7F7F7FFF, 0x7F7F8000}, Dtype::fp32, Dtype::bfloat16);
  EXPECT_EQ(r.codes, (std::vector<std::uint64_t>{0x48BA, 0x3F80, 0x3F82, 0x7F7F, 0x7F80}));
}

TEST(Cases, N11_TheTableReciprocalWarnsOutsideItsRange) {
  for (std::uint32_t x : {0x7E800000u, 0xFE800000u}) {
    const RowRun r = run_row("reciprocal_and_small", "reciprocal", {x}, Dtype::fp32, Dtype::fp32);
    EXPECT_TRUE(r.warned_range) << std::hex << x;
  }
  EXPECT_FALSE(run_row("reciprocal_and_small", "reciprocal", {bits_of(3.0F)}, Dtype::fp32, Dtype::fp32).warned_range);
}

TEST(Cases, N11_VectorReciprocalIsExactToTheEnds) {
  Twins t;
  const std::pair<std::uint32_t, std::uint32_t> pairs[] = {{0x7E800000, 0x00800000}, {0xFE800000, 0x80800000}, {0x7F000000, 0x00400000}, {0x00400000, 0x7F000000},
                                                           {0x00200000, 0x7F800000}, {0x80000000, 0xFF800000}, {0x40400000, 0x3EAAAAAB}};
  t.add(transfer(Opcode::RECIPROCAL, Dtype::fp32, 0, Dtype::fp32, 0x100, static_cast<int>(std::size(pairs))));
  std::uint32_t at = 0;
  for (const auto& [x, y] : pairs) t.set_code(4 * at++, Dtype::fp32, x);
  ASSERT_TRUE(t.run()) << t.reports();
  at = 0;
  for (const auto& [x, y] : pairs) EXPECT_EQ(t.code(0x100 + 4 * at++, Dtype::fp32), y) << std::hex << x;
}

TEST(Cases, N19_ReluOfNaNAndOfMinusZero) {
  // The table stores NaN for NaN and +0 for both zeros.
  const RowRun r = run_row("small", "relu", {0x7FC00000, 0x80000000, 0xFFC00001}, Dtype::fp32, Dtype::fp32);
  EXPECT_EQ(r.codes, (std::vector<std::uint64_t>{0x7FC00000, 0, 0x7FC00000}));
  EXPECT_EQ(run_row("small", "relu", {0x7FC00000}, Dtype::fp32, Dtype::uint8).codes[0], 0u);
  Policies p;
  p.int_nan = IntNanPolicy::max;
  EXPECT_EQ(run_row("small", "relu", {0x7FC00000}, Dtype::fp32, Dtype::uint8, 1, 0, AccumCmd::IDLE, p).codes[0], 255u);
}

TEST(Cases, N22_EveryBitOfTheInputMatters) {
  EXPECT_NE(one("gelu_and_others", "gelu", 0x3F800001), one("gelu_and_others", "gelu", 0x3F800000));
}

TEST(Cases, N23_OnlyZeroIsFalse) {
  for (const auto& [type, value, taken] : {std::tuple{Dtype::uint8, 0u, false}, {Dtype::uint8, 1u, true}, {Dtype::uint8, 2u, true}, {Dtype::uint8, 255u, true},
                                           {Dtype::int16, 0x0100u, true}, {Dtype::int16, 0u, false}}) {
    auto i = make<S3s3d3Tt>(Opcode::COPY_PREDICATED);
    Walk{0, type, {1}, {1}}.put(i.src0_mem_pattern);
    Walk{0x10, Dtype::fp32, {1}, {1}}.put(i.src1_mem_pattern);
    Walk{0x20, Dtype::fp32, {1}, {1}}.put(i.dst_mem_pattern);
    i.in0_in1_dtype = DtypePair::of(type, Dtype::fp32);
    i.out_dtype = Dtype::fp32;
    i.num_active_channels = 1;
    Twins t;
    t.add(i);
    t.set_code(0, type, value);
    t.set(0x10, Dtype::fp32, 5);
    t.set(0x20, Dtype::fp32, 9);
    ASSERT_TRUE(t.run()) << t.reports();
    EXPECT_EQ(t.get(0x20), taken ? 5.0F : 9.0F) << value;
  }
}

TEST(Cases, Q1_TiesClampsAndNegatives) {
  const std::vector<std::uint64_t> in = bits_list({-5, -0.5F, 0.5F, 1.5F, 2.5F, 3.5F, 126.5F, 127.5F, 254.5F, 255.5F, 300, -128.5F, -129});
  const std::vector<int> u8 = {0, 0, 0, 2, 2, 4, 126, 128, 254, 255, 255, 0, 0}, i8 = {-5, 0, 0, 2, 2, 4, 126, 127, 127, 127, 127, -128, -128};
  const auto check = [&](Dtype t, const std::vector<int>& expected) {
    const RowRun r = run_row("small", "copy", in, Dtype::fp32, t);
    for (std::size_t k = 0; k < in.size(); ++k) EXPECT_EQ(r.codes[k], static_cast<std::uint64_t>(expected[k] & 255)) << k;
  };
  check(Dtype::uint8, u8);
  check(Dtype::int8, i8);
}

std::uint64_t quantise(std::uint64_t x, Dtype in, float dequantise, float bias, std::string_view function, float scale, float zero, Policies policies = {}) {
  Twins t(Generation::cayman, policies);
  t.load_set("small");
  auto i = make<S3d3Aq>(Opcode::ACTIVATE_QUANTIZE);
  Walk{0x2000000, in, {1}, {1}}.put(i.src_mem_pattern);
  Walk{0x40, Dtype::uint8, {1}, {1}}.put(i.dst_mem_pattern);
  i.in_bias_dtype = DtypePair::of(in, Dtype::fp32);
  i.out_dtype = Dtype::uint8;
  i.num_active_channels = 1;
  i.activation_func = code_of_function("small", function);
  i.dequant_scale_value.bits = bits_of(dequantise);
  i.quant_scale_value.bits = bits_of(scale);
  i.quant_zero_value.bits = bits_of(zero);
  i.bias_addr.word = 0x80;
  t.add(i);
  t.set_code(0x2000000, in, x);
  t.set(0x80, Dtype::fp32, bias);
  EXPECT_TRUE(t.run()) << t.reports();
  return t.code(0x40, Dtype::uint8);
}

TEST(Cases, Q3_ZeroPointBeforeRounding) {
  EXPECT_EQ(quantise(1000, Dtype::int32, 0.01F, -2, "relu", 10, 3), 83u);
  // 0.5 + 1 rounds to 2; rounding first would give 0 + 1.
  EXPECT_EQ(quantise(bits_of(0.5F), Dtype::fp32, 1, 0, "copy", 1, 1), 2u);
  EXPECT_EQ(quantise(bits_of(NAN), Dtype::fp32, 1, 0, "copy", 1, 7), 0u);
}

TEST(Cases, Q4_Fp8Edges) {
  const RowRun cast = run_row("small", "copy", bits_list({247.9F, 248, 17, 19, 0x1p-10F, 0x1p-9F}), Dtype::fp32, Dtype::fp8_exp4);
  EXPECT_EQ(cast.codes, (std::vector<std::uint64_t>{0x77, 0x78, 0x58, 0x5A, 0x00, 0x01}));
  const RowRun e5 = run_row("small", "copy", bits_list({61439, 61440}), Dtype::fp32, Dtype::fp8_exp5);
  EXPECT_EQ(e5.codes, (std::vector<std::uint64_t>{0x7B, 0x7C}));
  const RowRun half = run_row("small", "copy", {bits_of(65519.99F), bits_of(65520.0F)}, Dtype::fp32, Dtype::fp16);
  EXPECT_EQ(half.codes, (std::vector<std::uint64_t>{0x7BFF, 0x7C00}));
  Policies ocp;
  ocp.fp8_mode = Fp8ModePolicy::ocp;
  EXPECT_EQ(run_row("small", "copy", bits_list({464, 464.01F}), Dtype::fp32, Dtype::fp8_exp4, 1, 0, AccumCmd::IDLE, ocp).codes, (std::vector<std::uint64_t>{0x7E, 0x7F}));
  ocp.fp_saturate = FpSaturatePolicy::on;
  EXPECT_EQ(run_row("small", "copy", bits_list({464.01F}), Dtype::fp32, Dtype::fp8_exp4, 1, 0, AccumCmd::IDLE, ocp).codes[0], 0x7Eu);
}

TEST(Cases, Q4_SignOfZeroInCasts) {
  Twins t;
  t.add(transfer(Opcode::CAST, Dtype::fp32, 0, Dtype::fp8_exp4, 0x40, 1));
  t.set(0, Dtype::fp32, -0x1p-10F);
  ASSERT_TRUE(t.run());
  EXPECT_EQ(t.code(0x40, Dtype::fp8_exp4), 0x80u);
}

TEST(Cases, Q5_BigIntegersGoThroughFp32) {
  Twins t;
  t.add(transfer(Opcode::CAST, Dtype::int32, 0, Dtype::fp32, 0x40, 2));
  t.add(transfer(Opcode::CAST, Dtype::fp32, 0x40, Dtype::int32, 0x80, 2));
  t.add(transfer(Opcode::COPY, Dtype::int32, 0, Dtype::int32, 0xC0, 2));
  t.set_code(0, Dtype::int32, 2147483647);
  t.set_code(4, Dtype::int32, 16777217);
  ASSERT_TRUE(t.run()) << t.reports();
  EXPECT_EQ(t.code(0x40, Dtype::fp32), 0x4F000000u);
  EXPECT_EQ(t.code(0x44, Dtype::fp32), 0x4B800000u);
  EXPECT_EQ(t.code(0x80, Dtype::int32), 2147483647u);
  EXPECT_EQ(t.code(0xC4, Dtype::int32), 16777217u);
}

TEST(Cases, Q6_FusedOrSeparateIsAPolicy) {
  const std::vector<std::uint64_t> in = {0x3F800800};
  const float scale = f32(0x3F800800), bias = f32(0xBF801000);
  EXPECT_EQ(run_row("small", "identity", in, Dtype::fp32, Dtype::fp32, scale, bias).codes[0], 0u);
  Policies p;
  p.affine = AffinePolicy::fused;
  EXPECT_EQ(run_row("small", "identity", in, Dtype::fp32, Dtype::fp32, scale, bias, AccumCmd::IDLE, p).codes[0], 0x33800000u);
}

TEST(Cases, Q7_OrderOfAccumulationIsAPolicy) {
  const std::vector<std::uint64_t> in = bits_list({16777216, 1, 1});
  EXPECT_EQ(run_row("small", "copy", in, Dtype::fp32, Dtype::fp32, 1, 0, AccumCmd::ZERO_ACCUMULATE).accumulator, 16777216.0F);
  Policies p;
  p.accumulation = AccumulationPolicy::pairwise;
  EXPECT_EQ(run_row("small", "copy", in, Dtype::fp32, Dtype::fp32, 1, 0, AccumCmd::ZERO_ACCUMULATE, p).accumulator, 16777218.0F);
}

TEST(Cases, Q8_TheVarianceCancels) {
  const std::vector<std::uint64_t> in = bits_list({4096, 4097, 4096, 4097});
  const float mean = run_row("small", "copy", in, Dtype::fp32, Dtype::fp32, 1, 0, AccumCmd::ZERO_ACCUMULATE).accumulator / 4;
  const float squares = run_row("small", "square", in, Dtype::fp32, Dtype::fp32, 1, 0, AccumCmd::ZERO_ACCUMULATE).accumulator / 4;
  EXPECT_EQ(squares - mean * mean, 0.0F);
}

TEST(Cases, Q10_ResetOfAMaximumIsItsIdentity) {
  auto i = make<S2d2Ac>(Opcode::ACTIVATE2);
  Walk{0, Dtype::fp32, {1}, {2}}.put(i.src_mem_pattern);
  Walk{0x40, Dtype::fp32, {1}, {2}}.put(i.dst_mem_pattern);
  i.in_dtype = i.out_dtype = i.imm_dtype = Dtype::fp32;
  i.num_active_channels = 1;
  i.activation_func = code_of_function("small", "copy");
  i.reduce_cmd = ReduceCmd::RESET_REDUCE;
  i.reduce_op = AluOp::max;
  Twins t(Generation::mariana);
  t.load_set("small");
  t.add(i);
  t.add(drain(0x80));
  t.set(0, Dtype::fp32, -3);
  t.set(4, Dtype::fp32, -2);
  ASSERT_TRUE(t.run()) << t.reports();
  EXPECT_EQ(t.get(0x80), -2.0F);
}

TEST(Cases, T8_TheBiasSelectorIsInverted) {
  // The same three codes select differently for scale and bias: 0 and 1 are exchanged.
  struct Expectation {
    unsigned code;
    float with_scale, with_bias;  // x = 1; inline operand 8, pointer operand 2, register pointer operand 4
  };
  for (const Expectation& e : {Expectation{0, 8, 3}, Expectation{1, 2, 9}, Expectation{2, 4, 5}}) {
    Twins t;
    t.load_set("small");
    auto scale = activation(code_of_function("small", "copy"), 0, 0x40, 1, 1);
    scale.scale_src = static_cast<ImmSrc>(e.code);
    scale.scale_value.bits = e.code == 0 ? bits_of(8.0F) : e.code == 1 ? 0x100 : 5;
    auto bias = activation(code_of_function("small", "copy"), 0, 0x44, 1, 1);
    bias.bias_src_n = static_cast<ImmSrcN>(e.code);
    bias.bias.bits = e.code == 1 ? bits_of(8.0F) : e.code == 0 ? 0x100 : 5;
    t.add(scale);
    t.add(bias);
    t.program.registers = {{5, 0x104}};
    t.set(0, Dtype::fp32, 1);
    t.set(0x100, Dtype::fp32, 2);
    t.set(0x104, Dtype::fp32, 4);
    ASSERT_TRUE(t.run()) << t.reports();
    EXPECT_EQ(t.get(0x40), e.with_scale) << e.code;
    EXPECT_EQ(t.get(0x44), e.with_bias) << e.code;
  }
}

TEST(Policies, SubnormalsNegativeZeroAndMinMaxNaN) {
  Policies flush;
  flush.subnormals = SubnormalPolicy::flush;
  EXPECT_EQ(run_row("small", "copy", {1, 0x80000001}, Dtype::fp32, Dtype::fp32, 1, 0, AccumCmd::IDLE, flush).codes, (std::vector<std::uint64_t>{0, 0}));
  EXPECT_EQ(run_row("small", "copy", {1}, Dtype::fp32, Dtype::fp32).codes[0], 1u);
  for (const bool positive : {false, true}) {
    Policies p;
    p.negative_zero = positive ? NegativeZeroPolicy::positive : NegativeZeroPolicy::keep;
    for (const std::uint32_t too_small : {0x80000000u, 0x80000001u, 0xB0000000u}) {  // -0, -2^-149, -2^-31
      Twins t(Generation::cayman, p);
      t.add(transfer(Opcode::CAST, Dtype::fp32, 0, Dtype::fp16, 0x40, 1));
      t.set_code(0, Dtype::fp32, too_small);
      ASSERT_TRUE(t.run());
      EXPECT_EQ(t.code(0x40, Dtype::fp16), positive ? 0u : 0x8000u) << too_small;
    }
  }
  Policies propagate;
  propagate.minmax_nan = MinMaxNanPolicy::propagate;
  for (const bool nan : {false, true}) {
    Twins t(Generation::cayman, nan ? propagate : Policies{});
    auto i = make<S3s3d3Tt>(Opcode::TENSOR_TENSOR_ARITH_OP);
    Walk{0, Dtype::fp32, {1}, {1}}.put(i.src0_mem_pattern);
    Walk{4, Dtype::fp32, {1}, {1}}.put(i.src1_mem_pattern);
    Walk{0x40, Dtype::fp32, {1}, {1}}.put(i.dst_mem_pattern);
    i.in0_in1_dtype = DtypePair::of(Dtype::fp32, Dtype::fp32);
    i.out_dtype = Dtype::fp32;
    i.op = AluOp::max;
    i.num_active_channels = 1;
    t.add(i);
    t.set(0, Dtype::fp32, NAN);
    t.set(4, Dtype::fp32, 3);
    ASSERT_TRUE(t.run());
    EXPECT_EQ(std::isnan(t.get(0x40)), nan);
  }
  // Either stage of two.
  for (const auto& [op0, op1] : {std::pair{AluOp::max, AluOp::add}, std::pair{AluOp::add, AluOp::max}})
    for (const bool nan : {false, true}) {
      Twins t(Generation::cayman, nan ? propagate : Policies{});
      auto i = make<S3d3Ts>(Opcode::TENSOR_SCALAR_ARITH_OP);
      Walk{0, Dtype::fp32, {1}, {1}}.put(i.src_mem_pattern);
      Walk{0x40, Dtype::fp32, {1}, {1}}.put(i.dst_mem_pattern);
      i.in_dtype = i.out_dtype = Dtype::fp32;
      i.op0 = op0;
      i.op1 = op1;
      i.imm0.bits = i.imm1.bits = bits_of(3.0F);
      i.num_active_channels = 1;
      t.add(i);
      t.set(0, Dtype::fp32, NAN);
      ASSERT_TRUE(t.run());
      EXPECT_EQ(t.code(0x40, Dtype::fp32), nan ? 0x7FC00000u : bits_of(op0 == AluOp::max ? 6.0F : 3.0F));
    }
}

TEST(Policies, PsumOfMaverick) {
  for (const bool window : {false, true}) {
    Policies p;
    p.psum_v5 = window ? PsumV5Policy::window : PsumV5Policy::absent;
    const Memory m(Generation::maverick, p);
    EXPECT_EQ(m.locate(0x2008004).space, window ? Space::psum : Space::sbuf);
    EXPECT_EQ(m.locate(0x2008004).partition, window ? 1u : 32u);
  }
}

}  // namespace
}  // namespace act::sim::plain
