// All 2^32 FP32 values through the blocks, for every type that an operand can have and every policy that it can tell, against
// the conversion of single values.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "act/numeric/convert_block.h"
#include "numeric/block_policies.h"

namespace act {
namespace {

class BlocksOfAll : public ::testing::TestWithParam<Dtype> {};

TEST_P(BlocksOfAll, NarrowAsSingleValues) {
  constexpr std::size_t kPiece = 1 << 16;
  const Dtype t = GetParam();
  const unsigned bytes = dtype_bits(t) / 8;
  std::vector<float> in(kPiece);
  std::vector<std::uint8_t> got(kPiece * bytes), expected(kPiece * bytes);
  for (std::uint32_t high = 0; high < 0x10000; ++high) {
    for (std::uint32_t low = 0; low < kPiece; ++low) in[low] = f32(high << 16 | low);
    for (const NumericPolicy& policy : block_policies(t)) {
      narrow_block(t, in.data(), kPiece, policy, got.data());
      for (std::size_t k = 0; k < kPiece; ++k) {
        const std::uint64_t code = narrow(t, in[k], policy);
        std::memcpy(expected.data() + k * bytes, &code, bytes);
      }
      ASSERT_EQ(got, expected) << "upper half 0x" << std::hex << high;
    }
  }
}

std::vector<Dtype> operand_types() {
  std::vector<Dtype> types = block_types();
  std::erase_if(types, [](Dtype t) { return dtype_row(t).role == DtypeRole::scale_only; });
  return types;
}

INSTANTIATE_TEST_SUITE_P(Narrow, BlocksOfAll, ::testing::ValuesIn(operand_types()),
                         [](const auto& test) { return std::string(dtype_row(test.param).short_name); });

}  // namespace
}  // namespace act
