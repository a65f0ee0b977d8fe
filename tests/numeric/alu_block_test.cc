// Blocks equal the functions on single values: every operation, special values among random ones.
#include "act/numeric/alu_block.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "act/numeric/bits.h"

namespace act {
namespace {

std::vector<float> values(std::mt19937& gen, std::size_t n) {
  const std::uint32_t special[] = {0,          0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000,
                                   0xFFC00001, 0x7F800001, 0x3F800000, 0xBF800000, 1,
                                   0x80000001, 0x7F7FFFFF, 0xFF7FFFFF};
  std::vector<float> v(n);
  for (float& x : v)
    x = f32(gen() % 3 == 0 ? special[gen() % std::size(special)] : static_cast<std::uint32_t>(gen()));
  return v;
}

void expect_bits(float got, float expected, AluOp op, std::size_t k) {
  EXPECT_EQ(bits_of(got), bits_of(expected))
      << std::hex << static_cast<unsigned>(op) << " element " << std::dec << k;
}

class EveryOperation : public ::testing::Test {
 protected:
  template <class Use>
  void for_each(const Use& use) {
    std::mt19937 gen(5);
    for (const AluOpRow& row : kAluOpRows) {
      if (row.sign != IntSign::none && row.op != AluOp::mod) continue;
      for (const std::size_t n : {0u, 1u, 2u, 15u, 31u, 32u, 33u, 255u, 256u, 257u, 1000u})
        use(row.op, values(gen, n), gen);
    }
  }
};

TEST_F(EveryOperation, WithOneOperandEitherWayRoundAndInPlace) {
  for_each([](AluOp op, std::vector<float> in, std::mt19937& gen) {
    for (const bool reversed : {false, true}) {
      const float operand = values(gen, 1)[0];
      std::vector<float> out(in.size()), same = in;
      alu_block(op, in.data(), operand, reversed, in.size(), out.data());
      alu_block(op, same.data(), operand, reversed, in.size(), same.data());
      for (std::size_t k = 0; k < in.size(); ++k) {
        expect_bits(out[k], alu_stage(op, in[k], operand, reversed), op, k);
        expect_bits(same[k], out[k], op, k);
      }
    }
  });
}

TEST_F(EveryOperation, WithTwoBlocks) {
  for_each([](AluOp op, std::vector<float> a, std::mt19937& gen) {
    const std::vector<float> b = values(gen, a.size());
    std::vector<float> out(a.size());
    alu_block(op, a.data(), b.data(), a.size(), out.data());
    for (std::size_t k = 0; k < a.size(); ++k) expect_bits(out[k], alu_float(op, a[k], b[k]), op, k);
  });
}

// Pairs with a loop of their own and others.
TEST_F(EveryOperation, TwoStages) {
  for_each([](AluOp op, std::vector<float> in, std::mt19937& gen) {
    for (const AluOp other : {AluOp::add, AluOp::subtract, AluOp::mult, AluOp::max, AluOp::bypass, op})
      for (unsigned reversed = 0; reversed < 4; ++reversed) {
        const std::vector<float> operands = values(gen, 2);
        const AluStage one{op, operands[0], (reversed & 1) != 0}, two{other, operands[1], (reversed & 2) != 0};
        for (const auto& [first, second] : {std::pair{one, two}, std::pair{two, one}}) {
          std::vector<float> out(in.size()), same = in;
          alu_block(first, second, in.data(), in.size(), out.data());
          alu_block(first, second, same.data(), same.size(), same.data());
          for (std::size_t k = 0; k < in.size(); ++k) {
            float v = alu_stage(first.op, in[k], first.operand, first.reversed);
            if (second.op != AluOp::bypass) v = alu_stage(second.op, v, second.operand, second.reversed);
            expect_bits(out[k], v, op, k);
            expect_bits(same[k], v, op, k);
          }
        }
      }
  });
}

TEST_F(EveryOperation, Folded) {
  for_each([](AluOp op, std::vector<float> v, std::mt19937& gen) {
    const float first = values(gen, 1)[0];
    float acc = first;
    for (const float x : v) acc = alu_float(op, acc, x);
    expect_bits(alu_fold(op, first, v.data(), v.size()), acc, op, v.size());
  });
}

TEST(MultiplyAdd, RoundsTwiceAndNeverFuses) {
  std::mt19937 gen(9);
  for (const std::size_t n : {0u, 1u, 255u, 256u, 1001u}) {
    const std::vector<float> in = values(gen, n);
    std::vector<float> out(n), same = in;
    const float factor = 1.0F + 0x1p-12F, addend = -3.0F;
    multiply_add(in.data(), factor, addend, n, out.data());
    multiply_add(same.data(), factor, addend, n, same.data());
    for (std::size_t k = 0; k < n; ++k) {
      const volatile float product = in[k] * factor;
      const float expected = product + addend;
      if (is_nan(expected)) {
        EXPECT_TRUE(is_nan(out[k]));
      } else {
        expect_bits(out[k], expected, AluOp::mult, k);
      }
      expect_bits(same[k], out[k], AluOp::mult, k);
    }
  }
}

// A row of NaN alone, and of zeros of both signs: where an order could show.
TEST(Fold, NanAndZeros) {
  for (const AluOp op : {AluOp::max, AluOp::min})
    for (const std::uint32_t other : {0xFFC00001u, 0x80000000u, 0u}) {
      std::vector<float> v(100, f32(other));
      v[37] = f32(other ^ 0x80000000u);
      float acc = v[0];
      for (std::size_t k = 1; k < v.size(); ++k) acc = alu_float(op, acc, v[k]);
      expect_bits(alu_fold(op, v[0], v.data() + 1, v.size() - 1), acc, op, 0);
    }
}

// Operands for which the block takes a shorter way, and running values and blocks that make the fold look twice.
TEST(Extremes, ZerosInfinitiesAndNanAlone) {
  const std::uint32_t odd[] = {0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 0x3F800000, 0xBF800000};
  for (const AluOp op : {AluOp::max, AluOp::min, AluOp::re_lu, AluOp::abs_max, AluOp::abs_min})
    for (const std::uint32_t a : odd)
      for (const std::uint32_t b : odd)
        for (const std::uint32_t first : odd)
          for (const std::size_t n : {1u, 63u, 64u, 200u}) {
            std::vector<float> v(n, f32(a)), out(n);
            v[n / 2] = f32(b);
            float acc = f32(first);
            for (const float x : v) acc = alu_float(op, acc, x);
            expect_bits(alu_fold(op, f32(first), v.data(), n), acc, op, n);
            for (const bool reversed : {false, true}) {
              alu_block(op, v.data(), f32(first), reversed, n, out.data());
              for (std::size_t k = 0; k < n; ++k) expect_bits(out[k], alu_stage(op, v[k], f32(first), reversed), op, k);
            }
          }
}

}  // namespace
}  // namespace act
