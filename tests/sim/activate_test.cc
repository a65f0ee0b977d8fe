// 0x21 and 0x22 against the plain model: random shapes, steps, data types, sources of scale and bias, accumulator commands.
#include <algorithm>

#include "plain.h"

namespace act::sim::plain {
namespace {

constexpr Dtype kInputs[] = {Dtype::fp32, Dtype::bfloat16, Dtype::fp16, Dtype::int32, Dtype::uint32, Dtype::int16, Dtype::uint16,
                             Dtype::int8, Dtype::uint8, Dtype::fp8_exp3, Dtype::fp8_exp4, Dtype::fp8_exp5};
constexpr Dtype kOutputs[] = {Dtype::fp32, Dtype::fp32r, Dtype::bfloat16, Dtype::fp16, Dtype::int32, Dtype::uint32, Dtype::int16,
                              Dtype::uint16, Dtype::int8, Dtype::uint8, Dtype::fp8_exp3, Dtype::fp8_exp4, Dtype::fp8_exp5};
constexpr Dtype kBias[] = {Dtype::fp32, Dtype::bfloat16, Dtype::fp16};

// Places of one test: source in the first kilobytes, destination behind, pointers at the end of the window.
constexpr std::uint32_t kSourceLow = 0, kSourceHigh = 1536, kDestLow = 1536, kDestHigh = 3072, kScaleAt = 3200, kBiasAt = 3216, kImmAt = 3232;

struct Scenario {
  unsigned channels = 1, from = 0, to = 0;  // start partitions
  Walk source, destination;
};

Scenario random_scenario(std::mt19937_64& rng, Dtype in, Dtype out, bool psum_destination_ok, std::size_t dims) {
  Scenario s;
  random_channels(rng, s.channels, s.from);
  unsigned ignored;
  do random_channels(rng, ignored, s.to);
  while (s.to + s.channels > 128 || (s.channels > 32 && s.to % 64 != 0) || (s.channels > 64 && s.to != 0));
  const std::vector<int> num = random_counts(rng, dims);
  const bool from_psum = rng() % 2 == 0;
  const bool to_psum = rng() % 2 == 0 && psum_destination_ok && plain_bytes(out) == 4;
  const auto base = [](bool psum, unsigned p) { return psum ? 0x2000000 + p * 0x8000 : p * 0x40000; };
  s.source = random_walk(rng, in, num, base(from_psum, s.from), kSourceLow, kSourceHigh, true);
  s.destination = random_walk(rng, out, reshaped(rng, num), base(to_psum, s.to), kDestLow, kDestHigh, false);
  return s;
}

const FunctionTable& random_function(std::mt19937_64& rng, const TableSet*& set) {
  const Catalog& c = trainium();
  set = &c.sets[rng() % c.sets.size()];
  return set->functions[rng() % set->functions.size()];
}

TEST(Activate, EqualsThePlainModelOnRandomInstructions) {
  std::mt19937_64 rng(21);
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(round);
    const Dtype in = kInputs[rng() % std::size(kInputs)], out = kOutputs[rng() % std::size(kOutputs)], bias_type = kBias[rng() % 3];
    const Scenario s = random_scenario(rng, in, out, true, 3);
    const TableSet* set = nullptr;
    const FunctionTable& function = random_function(rng, set);

    auto i = make<S3d3Ac>(Opcode::ACTIVATE);
    s.source.put(i.src_mem_pattern);
    s.destination.put(i.dst_mem_pattern);
    i.in_bias_dtype = DtypePair::of(in, bias_type);
    i.out_dtype = out;
    i.num_active_channels = static_cast<std::uint8_t>(s.channels);
    i.activation_func = static_cast<std::uint8_t>(function.func_id);
    i.accumulator_cmd = static_cast<AccumCmd>(rng() % 5);
    // 0 inline, 1 pointer, 2 register pointer; the bias counts 1, 0, 2.
    const unsigned scale_from = rng() % 3, bias_from = rng() % 3, imm_from = rng() % 3;
    const std::uint32_t base = s.from * 0x40000;
    const std::uint32_t scale_bits = static_cast<std::uint32_t>(random_code(rng, Dtype::fp32)), bias_bits = static_cast<std::uint32_t>(random_code(rng, Dtype::fp32));
    const std::uint32_t imm_bits = static_cast<std::uint32_t>(random_code(rng, Dtype::fp32));
    i.scale_src = static_cast<ImmSrc>(scale_from);
    i.bias_src_n = static_cast<ImmSrcN>(bias_from == 2 ? 2 : 1 - bias_from);
    i.imm_src = static_cast<ImmSrc>(imm_from);
    i.scale_value.bits = scale_from == 0 ? scale_bits : scale_from == 1 ? base + kScaleAt : 3;
    i.bias.bits = bias_from == 0 ? bias_bits : bias_from == 1 ? base + kBiasAt : 4;
    i.imm.bits = imm_from == 0 ? imm_bits : imm_from == 1 ? base + kImmAt : 5;

    Twins t;
    t.program.registers = {{3, base + kScaleAt}, {4, base + kBiasAt}, {5, base + kImmAt}};
    t.load_set(set->name());
    t.add(i);
    t.fill(s.source, s.channels, rng);
    for (unsigned p = 0; p < s.channels; ++p) {
      t.set_code(base + p * 0x40000 + kScaleAt, Dtype::fp32, random_code(rng, Dtype::fp32));
      t.set_code(base + p * 0x40000 + kBiasAt, bias_type, random_code(rng, bias_type));
      t.set_code(base + p * 0x40000 + kImmAt, Dtype::fp32, random_code(rng, Dtype::fp32));
    }
    std::array<float, 128> acc;
    for (float& a : acc) a = plain_widen(Dtype::fp32, random_code(rng, Dtype::fp32));
    t.machine().accumulators(Engine::ACT) = acc;

    for (unsigned p = 0; p < s.channels; ++p) {
      const std::uint32_t row = base + p * 0x40000;
      const float scale = scale_from == 0 ? plain_widen(Dtype::fp32, scale_bits) : t.twin.get(row + kScaleAt, Dtype::fp32);
      const float bias = bias_from == 0 ? plain_widen(Dtype::fp32, bias_bits) : t.twin.get(row + kBiasAt, bias_type);
      const float imm = imm_from == 0 ? plain_widen(Dtype::fp32, imm_bits) : t.twin.get(row + kImmAt, Dtype::fp32);
      const int command = static_cast<int>(i.accumulator_cmd);
      if (command == 1 || command == 3) acc[p] = 0;
      if (command == 4) acc[p] = imm;
      for (std::uint64_t k = 0; k < s.source.count(); ++k) {
        const float x = t.twin.get(s.source.at(p, k), in);
        const float product = x * scale;
        const float v = canonical_nan(plain_function(function, product + bias, imm));
        t.twin.set(s.destination.at(p, k), out, v);
        if (command >= 2) acc[p] = canonical_nan(acc[p] + v);
      }
    }
    ASSERT_TRUE(t.run()) << t.reports();
    t.expect_equal();
    const Accumulators& got = t.machine().accumulators(Engine::ACT);
    for (unsigned p = 0; p < 128; ++p) ASSERT_EQ(bits_of(got[p]), bits_of(acc[p])) << "accumulator " << p;
    if (HasFailure()) return;
  }
}

TEST(ActivateQuantize, EqualsThePlainModelOnRandomInstructions) {
  std::mt19937_64 rng(22);
  for (int round = 0; round < 150; ++round) {
    SCOPED_TRACE(round);
    const Dtype in = rng() % 2 == 0 ? Dtype::fp32 : Dtype::int32, bias_type = kBias[rng() % 3];
    Scenario s = random_scenario(rng, in, Dtype::uint8, false, 3);
    const TableSet* set = nullptr;
    const FunctionTable* function = &random_function(rng, set);
    while (function->fma_indirection_src_sel == 2) function = &random_function(rng, set);
    const float dequantise = std::ldexp(static_cast<float>(1 + rng() % 255), -8), requantise = static_cast<float>(rng() % 400) - 199.5F;
    const float zero = static_cast<float>(rng() % 1024) / 4;
    const std::uint32_t base = s.from * 0x40000;

    auto i = make<S3d3Aq>(Opcode::ACTIVATE_QUANTIZE);
    s.source.put(i.src_mem_pattern);
    s.destination.put(i.dst_mem_pattern);
    i.in_bias_dtype = DtypePair::of(in, bias_type);
    i.out_dtype = Dtype::uint8;
    i.num_active_channels = static_cast<std::uint8_t>(s.channels);
    i.activation_func = static_cast<std::uint8_t>(function->func_id);
    i.dequant_scale_value.bits = bits_of(dequantise);
    i.quant_scale_value.bits = bits_of(requantise);
    i.quant_zero_value.bits = bits_of(zero);
    i.bias_addr.word = base + kBiasAt;
    Twins t;
    t.load_set(set->name());
    t.add(i);
    t.fill(s.source, s.channels, rng);
    for (unsigned p = 0; p < s.channels; ++p) t.set_code(base + p * 0x40000 + kBiasAt, bias_type, random_code(rng, bias_type));
    for (unsigned p = 0; p < s.channels; ++p)
      for (std::uint64_t k = 0; k < s.source.count(); ++k) {
        const float bias = t.twin.get(base + p * 0x40000 + kBiasAt, bias_type);
        const float product = t.twin.get(s.source.at(p, k), in) * dequantise;
        const float v = plain_function(*function, product + bias, 0);
        const float scaled = v * requantise;
        t.twin.set(s.destination.at(p, k), Dtype::uint8, scaled + zero);
      }
    ASSERT_TRUE(t.run()) << t.reports();
    t.expect_equal();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace act::sim::plain
