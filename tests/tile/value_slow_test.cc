// All 2^32 codes of the 32-bit types.
#include <gtest/gtest.h>

#include "act/tile/trelu.h"
#include "plain_value.h"

namespace act::tile {
namespace {

template <class Plain>
void sweep(const Plain& plain_type) {
  const TileType& t = *find_type(plain_type.name);
  std::uint64_t wrong = 0, first = 0, invalid = 0;
  for (std::uint64_t w = 0; w < std::uint64_t{1} << 32; ++w) {
    const plain::Value want = plain::value_of(plain_type, w);
    const Rectified got = rectify(t, w);
    invalid += got.invalid;
    if (got.result != want.result || got.invalid != want.invalid) {
      if (wrong == 0) first = w;
      ++wrong;
    }
  }
  EXPECT_EQ(wrong, 0u) << plain_type.name << ", first at 0x" << std::hex << first;
  // Signaling NaNs: both signs, quiet bit clear, the rest of the fraction not zero; low bits of the short
  // forms are free here.
  const std::uint64_t kinds = plain_type.name == "FP32"   ? 2 * ((1u << 22) - 1)
                              : plain_type.name == "TF32" ? 2 * ((1u << 9) - 1) << 13
                              : plain_type.name == "HF32" ? 2 * ((1u << 10) - 1) << 12
                                                          : 0;
  EXPECT_EQ(invalid, kinds) << plain_type.name;
}

TEST(ValueExhaustive, Fp32) { sweep(plain::kFloats[2]); }
TEST(ValueExhaustive, Tf32) { sweep(plain::kFloats[3]); }
TEST(ValueExhaustive, Hf32) { sweep(plain::kFloats[4]); }
TEST(ValueExhaustive, S32) { sweep(plain::kIntegers[2]); }
TEST(ValueExhaustive, U32) { sweep(plain::kIntegers[6]); }

}  // namespace
}  // namespace act::tile
