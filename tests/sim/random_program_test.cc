// Random programs over several engines' instructions: the same bytes, accumulators and reports with 1 and 2 threads, whatever
// they overlap or leave undefined.
#include "build.h"

namespace act::sim::plain {
namespace {

// A tensor anywhere in the first kilobyte, so that operands of different instructions meet often.
Walk anywhere(std::mt19937_64& rng, Dtype t, const std::vector<int>& num, unsigned partition, bool source, bool psum) {
  return random_walk(rng, t, num, (psum ? 0x2000000 : 0) + partition * (psum ? 0x8000 : 0x40000), 0, 1024, source);
}

Bundle random_instruction(std::mt19937_64& rng) {
  constexpr Dtype kTypes[] = {Dtype::fp32, Dtype::bfloat16, Dtype::fp16, Dtype::int32, Dtype::uint8, Dtype::fp8_exp4};
  const Dtype in = kTypes[rng() % std::size(kTypes)];
  const bool psum = rng() % 3 == 0;
  const Dtype out = psum ? Dtype::fp32 : kTypes[rng() % std::size(kTypes)];
  unsigned channels, partition;
  random_channels(rng, channels, partition);
  const std::vector<int> num = random_counts(rng, 3);
  const Walk source = anywhere(rng, in, num, partition, true, rng() % 3 == 0), destination = anywhere(rng, out, reshaped(rng, num), partition, false, psum);
  switch (rng() % 5) {
    case 0: {
      auto i = make<CtrlNo>(Opcode::ACTIVATION_TABLE_LOAD);
      i.act_tbl_sel = static_cast<std::uint8_t>(rng() % trainium().sets.size());
      return encode(i);
    }
    case 1: {
      auto i = make<D1Rd>(rng() % 2 == 0 ? Opcode::ACTIVATION_READ_ACCUMULATOR : Opcode::DVE_READ_ACCUMULATOR);
      i.dst_element_count = 1;
      i.dtype = Dtype::fp32;
      i.num_active_channels = static_cast<std::uint8_t>(channels);
      anywhere(rng, Dtype::fp32, {1}, partition, false, psum).put(i.dst_mem_pattern);
      return encode(i);
    }
    case 2: {
      auto i = make<S3d3Ts>(Opcode::TENSOR_SCALAR_ARITH_OP);
      source.put(i.src_mem_pattern);
      destination.put(i.dst_mem_pattern);
      i.in_dtype = in;
      i.out_dtype = out;
      i.num_active_channels = static_cast<std::uint8_t>(channels);
      i.op0 = AluOp::mult;
      i.op1 = AluOp::max;
      i.imm0.bits = static_cast<std::uint32_t>(random_code(rng, Dtype::fp32));
      i.imm1.bits = static_cast<std::uint32_t>(random_code(rng, Dtype::fp32));
      return encode(i);
    }
    default: {
      auto i = make<S3d3Ac>(Opcode::ACTIVATE);
      source.put(i.src_mem_pattern);
      destination.put(i.dst_mem_pattern);
      i.in_bias_dtype = DtypePair::of(in, Dtype::fp32);
      i.out_dtype = out;
      i.num_active_channels = static_cast<std::uint8_t>(channels);
      const TableSet& set = trainium().sets[rng() % trainium().sets.size()];
      i.activation_func = static_cast<std::uint8_t>(set.functions[rng() % set.functions.size()].func_id);
      i.accumulator_cmd = static_cast<AccumCmd>(rng() % 5);
      i.bias_src_n = ImmSrcN::INSTRUCTION;
      i.scale_value.bits = static_cast<std::uint32_t>(random_code(rng, Dtype::fp32));
      i.imm.bits = static_cast<std::uint32_t>(random_code(rng, Dtype::fp32));
      return encode(i);
    }
  }
}

struct Outcome {
  std::vector<std::uint8_t> memory;
  std::vector<std::uint32_t> accumulators;
  std::string reports, dump;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome run(std::uint64_t seed, unsigned threads) {
  std::mt19937_64 rng(seed);
  Program program;
  program.streams.resize(1);
  for (int k = 0; k < 25; ++k) program.streams[0].bundles.push_back(random_instruction(rng));
  RunOptions options;
  options.catalog = &trainium();
  options.limits.threads = threads;
  options.limits.parallel_from = 1;
  Simulator s(program, options);
  Memory& m = s.machine().memory;
  std::vector<std::uint8_t> row(512);
  for (const std::uint32_t base : {0u, 0x2000000u})
    for (unsigned p = 0; p < 128; ++p) {
      for (std::uint8_t& b : row) b = static_cast<std::uint8_t>(rng());
      m.write(m.locate(base + p * (base == 0 ? 0x40000 : 0x8000)), row);
    }
  EXPECT_TRUE(s.run());
  Outcome o;
  row.resize(1024);
  for (const std::uint32_t base : {0u, 0x2000000u})
    for (unsigned p = 0; p < 128; ++p) {
      m.read(m.locate(base + p * (base == 0 ? 0x40000 : 0x8000)), row);
      o.memory.insert(o.memory.end(), row.begin(), row.end());
    }
  for (const Engine e : {Engine::ACT, Engine::DVE})
    for (const float a : s.machine().accumulators(e)) o.accumulators.push_back(bits_of(a));
  for (const Diagnostic& d : s.reports()) o.reports += to_text(d) + "\n";
  o.dump = s.machine().dump();
  return o;
}

TEST(RandomPrograms, OneAndTwoThreadsAgree) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Outcome one = run(seed, 1), two = run(seed, 2);
    ASSERT_EQ(one.reports, two.reports) << seed;
    ASSERT_TRUE(one == two) << seed;
  }
}

}  // namespace
}  // namespace act::sim::plain
