// Tensors of more elements a channel than a block has, at the ways that take long blocks or whole ones: against one element
// at a time.
#include "act/numeric/alu.h"
#include "act/numeric/convert.h"
#include "build.h"

namespace act::sim::plain {
namespace {

constexpr unsigned kCount = 16384 + 1024 + 77;  // a long block, one of the usual length, a rest
constexpr unsigned kChannels = 3;
constexpr std::uint32_t kRow = 0x40000, kFirst = 0x40, kSecond = 0x12000, kTo = 0x24000;

std::uint64_t input(Dtype t, unsigned p, unsigned k, unsigned salt = 0) {
  return ((std::uint64_t{p + 7 * salt} * 65536 + k) * 0x9e3779b97f4a7c15u >> 24) & element_mask(t);
}

class LongBlocks : public ::testing::TestWithParam<unsigned> {
 protected:
  LongBlocks() : t(Generation::cayman, {}, GetParam()) {}

  void fill(std::uint32_t at, Dtype type, unsigned salt = 0) {
    const unsigned bytes = dtype_bits(type) / 8;
    for (unsigned p = 0; p < kChannels; ++p) {
      std::vector<std::uint8_t> row(kCount * bytes);
      for (unsigned k = 0; k < kCount; ++k) {
        const std::uint64_t code = input(type, p, k, salt);
        std::memcpy(row.data() + k * bytes, &code, bytes);
      }
      t.machine().memory.write(t.machine().memory.locate(p * kRow + at), row);
    }
  }
  // Runs, and expects expected(p, k) as the code of element k of channel p, and nothing written beside.
  template <class Expect>
  void expect(std::uint32_t at, Dtype type, const Expect& expected) {
    ASSERT_TRUE(t.run()) << t.reports();
    const unsigned bytes = dtype_bits(type) / 8;
    for (unsigned p = 0; p < kChannels; ++p) {
      for (unsigned k = 0; k < kCount; ++k)
        ASSERT_EQ(t.code(p * kRow + at + k * bytes, type), expected(p, k)) << "channel " << p << " element " << k;
      const Store& store = t.machine().memory.store(Space::sbuf);
      EXPECT_TRUE(store.defined(p, at, std::size_t{kCount} * bytes));
      EXPECT_TRUE(store.untouched(p, at + kCount * bytes, 64));
    }
  }
  static float value(unsigned p, unsigned k, unsigned salt = 0) { return f32(static_cast<std::uint32_t>(input(Dtype::fp32, p, k, salt))); }

  Twins t;
};
INSTANTIATE_TEST_SUITE_P(Threads, LongBlocks, ::testing::Values(1u, 2u));

// Only FP32 on both sides needs no buffer.
TEST_P(LongBlocks, TwoStagesOfAnyTypes) {
  constexpr std::pair<Dtype, Dtype> kCases[] = {{Dtype::fp32, Dtype::fp32}, {Dtype::fp32, Dtype::bfloat16}, {Dtype::bfloat16, Dtype::fp32}};
  for (const auto& [in, out] : kCases) {
    t = Twins(Generation::cayman, {}, GetParam());
    auto i = make<S3d3Ts>(Opcode::TENSOR_SCALAR_ARITH_OP);
    Walk{kFirst, in, {1}, {kCount}}.put(i.src_mem_pattern);
    Walk{kTo, out, {1}, {kCount}}.put(i.dst_mem_pattern);
    i.in_dtype = in;
    i.out_dtype = out;
    i.num_active_channels = kChannels;
    i.op0 = AluOp::subtract;
    i.op1 = AluOp::mult;
    i.imm0.bits = bits_of(1.5F);
    i.imm1.bits = bits_of(-3.0F);
    i.reverse_operands = RevOps::FIRST;
    t.add(i);
    fill(kFirst, in);
    expect(kTo, out, [from = in, to = out](unsigned p, unsigned k) {
      const float first = alu_stage(AluOp::subtract, widen(from, input(from, p, k)), 1.5F, true);
      return narrow(to, alu_stage(AluOp::mult, first, -3.0F, false));
    });
  }
}

TEST_P(LongBlocks, TwoTensorsInPlaceOfTheSecond) {
  auto i = make<S3s3d3Tt>(Opcode::TENSOR_TENSOR_ARITH_OP);
  Walk{kFirst, Dtype::fp32, {1}, {kCount}}.put(i.src0_mem_pattern);
  Walk{kSecond, Dtype::fp32, {1}, {kCount}}.put(i.src1_mem_pattern);
  Walk{kSecond, Dtype::fp32, {1}, {kCount}}.put(i.dst_mem_pattern);
  i.in0_in1_dtype = DtypePair::of(Dtype::fp32, Dtype::fp32);
  i.out_dtype = Dtype::fp32;
  i.num_active_channels = kChannels;
  i.op = AluOp::max;
  t.add(i);
  fill(kFirst, Dtype::fp32);
  fill(kSecond, Dtype::fp32, 1);
  expect(kSecond, Dtype::fp32, [](unsigned p, unsigned k) { return bits_of(alu_float(AluOp::max, value(p, k), value(p, k, 1))); });
}

TEST_P(LongBlocks, CastsFromAndToFp32AndBetweenOthers) {
  constexpr std::pair<Dtype, Dtype> kCasts[] = {{Dtype::fp32, Dtype::bfloat16}, {Dtype::fp16, Dtype::fp32}, {Dtype::fp32, Dtype::int32},
                                                {Dtype::int8, Dtype::bfloat16}, {Dtype::fp32, Dtype::fp32}, {Dtype::uint8, Dtype::uint8}};
  for (const auto& [in, out] : kCasts) {
    t = Twins(Generation::cayman, {}, GetParam());
    t.add(transfer(Opcode::CAST, in, kFirst, out, kTo, kCount, kChannels));
    fill(kFirst, in);
    expect(kTo, out, [from = in, to = out](unsigned p, unsigned k) {
      return from == to ? input(from, p, k) : narrow(to, widen(from, input(from, p, k)));
    });
  }
}

// The same bytes with other types: read and written where they stand.
TEST_P(LongBlocks, CastInPlace) {
  t.add(transfer(Opcode::CAST, Dtype::fp32, kFirst, Dtype::int32, kFirst, kCount, kChannels));
  t.add(transfer(Opcode::CAST, Dtype::int32, kFirst, Dtype::fp32, kFirst, kCount, kChannels));
  fill(kFirst, Dtype::fp32);
  expect(kFirst, Dtype::fp32, [](unsigned p, unsigned k) { return bits_of(widen(Dtype::int32, narrow(Dtype::int32, value(p, k)))); });
}

// Every element is read after the one before it has been written: the first is everywhere in the end.
TEST_P(LongBlocks, ACopyOntoTheNextElementRunsInOrder) {
  t.add(transfer(Opcode::COPY, Dtype::fp32, kFirst, Dtype::fp32, kFirst + 4, kCount, kChannels));
  fill(kFirst, Dtype::fp32);
  expect(kFirst + 4, Dtype::fp32, [](unsigned p, unsigned) { return bits_of(value(p, 0)); });
  EXPECT_TRUE(t.reported(Code::operand_overlap));
}

TEST_P(LongBlocks, Memset) {
  for (const Dtype type : {Dtype::uint8, Dtype::bfloat16, Dtype::fp32}) {
    t = Twins(Generation::cayman, {}, GetParam());
    auto i = make<D4Mr>(Opcode::MEMSET);
    Walk{kTo, type, {1}, {kCount}}.put(i.dst_mem_pattern);
    i.dtype = type;
    i.set_value = 0x89ABCDEF;
    i.dst_element_count = kCount;
    i.num_active_channels = kChannels;
    t.add(i);
    expect(kTo, type, [mask = element_mask(type)](unsigned, unsigned) { return 0x89ABCDEF & mask; });
  }
}

// One sum over everything, its order the order of elements.
TEST_P(LongBlocks, Reduction) {
  auto i = transfer(Opcode::TENSOR_REDUCE_ARITH_OP, Dtype::fp32, kFirst, Dtype::fp32, kTo, kCount, kChannels);
  Walk{kTo, Dtype::fp32, {1}, {1}}.put(i.dst_mem_pattern);
  i.op = AluOp::add;
  i.op_dim = TensorSubdim::X;
  t.add(i);
  std::vector<std::uint32_t> sums;
  for (unsigned p = 0; p < kChannels; ++p) {
    std::vector<float> row(kCount);
    for (unsigned k = 0; k < kCount; ++k) row[k] = static_cast<float>(input(Dtype::uint16, p, k)) / 77;
    float sum = row[0];
    for (unsigned k = 1; k < kCount; ++k) sum = sum + row[k];
    sums.push_back(bits_of(sum));
    t.machine().memory.write(t.machine().memory.locate(p * kRow + kFirst), {reinterpret_cast<const std::uint8_t*>(row.data()), 4 * row.size()});
  }
  ASSERT_TRUE(t.run()) << t.reports();
  for (unsigned p = 0; p < kChannels; ++p) EXPECT_EQ(t.code(p * kRow + kTo, Dtype::fp32), sums[p]);
}

}  // namespace
}  // namespace act::sim::plain
