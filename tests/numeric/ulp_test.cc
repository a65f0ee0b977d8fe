#include "act/numeric/ulp.h"

#include <gtest/gtest.h>

#include <cmath>

namespace act {
namespace {

TEST(Ulp, NeighboursAreOneApart) {
  for (std::uint32_t bits : {0x00000000u, 0x00000001u, 0x007FFFFFu, 0x00800000u, 0x3F7FFFFFu, 0x7F7FFFFFu}) {
    EXPECT_EQ(ulp_distance(f32(bits), f32(bits + 1)), 1u);
    EXPECT_EQ(ulp_distance(-f32(bits), -f32(bits + 1)), 1u);
  }
  EXPECT_EQ(ulp_distance(0.0f, -0.0f), 0u);
  EXPECT_EQ(ulp_distance(f32(1), -f32(1)), 2u);
  EXPECT_EQ(ulp_distance(f32(0x7F800000), f32(0xFF800000)), 0xFF000000u);
}

TEST(Ulp, NanIsEqualOnlyToNan) {
  EXPECT_EQ(ulp_distance(f32(0x7FC00000), f32(0xFFC00001)), 0u);
  EXPECT_EQ(ulp_distance(f32(0x7FC00000), 1.0f), ~std::uint64_t{0});
  EXPECT_TRUE(std::isnan(ulp_error(f32(0x7FC00000), 1.0)));
  EXPECT_TRUE(std::isnan(ulp_error(1.0f, std::nan(""))));
  EXPECT_EQ(ulp_error(f32(0x7FC00000), std::nan("")), 0.0);
}

TEST(Ulp, UnitOfValues) {
  EXPECT_EQ(ulp_of(1.0f), 0x1p-23);
  EXPECT_EQ(ulp_of(-1.5f), 0x1p-23);
  EXPECT_EQ(ulp_of(std::nextafter(1.0f, 0.0f)), 0x1p-24);
  EXPECT_EQ(ulp_of(0.0f), 0x1p-149);
  EXPECT_EQ(ulp_of(0x1p-126f), 0x1p-149);
  EXPECT_EQ(ulp_of(0x1p127f), 0x1p104);
}

TEST(Ulp, ErrorAgainstMorePreciseValues) {
  EXPECT_EQ(ulp_error(1.0f, 1.0), 0.0);
  EXPECT_EQ(ulp_error(1.0f, 1.0 + 0x1p-24), -0.5);
  EXPECT_EQ(ulp_error(f32(0x3F800003), 1.0), 3.0);
  EXPECT_EQ(ulp_error(f32(0x00000002), 0x1p-150), 1.5);
  EXPECT_EQ(ulp_error(f32(0x7F800000), 1e39), 0.0);
  EXPECT_EQ(ulp_error(f32(0x7F7FFFFF), 1e39), -HUGE_VAL);
  EXPECT_EQ(ulp_error(f32(0x7F800000), 1.0), HUGE_VAL);
}

TEST(Bits, RoundingToIntegers) {
  EXPECT_EQ(round_to_integer(0.5f), 0.0f);
  EXPECT_EQ(bits_of(round_to_integer(-0.25f)), 0x80000000u);
  EXPECT_EQ(round_to_integer(8388607.5f), 8388608.0f);
  EXPECT_EQ(round_to_integer(-8388606.5f), -8388606.0f);
  EXPECT_EQ(truncate_to_integer(8388607.5f), 8388607.0f);
  EXPECT_EQ(bits_of(truncate_to_integer(-0.75f)), 0x80000000u);
  EXPECT_EQ(bits_of(round_to_integer(f32(0x7F800001))), 0x7F800001u);
  for (std::uint64_t i = 0; i < std::uint64_t{1} << 32; i += 9973) {
    const float x = f32(static_cast<std::uint32_t>(i));
    if (std::isnan(x)) continue;
    ASSERT_EQ(bits_of(round_to_integer(x)), bits_of(std::nearbyint(x))) << i;
    ASSERT_EQ(bits_of(truncate_to_integer(x)), bits_of(std::trunc(x))) << i;
  }
}

TEST(Bits, ShiftRightRoundsTiesToEven) {
  EXPECT_EQ(shift_right_rne(5, 1), 2u);
  EXPECT_EQ(shift_right_rne(7, 1), 4u);
  EXPECT_EQ(shift_right_rne(6, 2), 2u);
  EXPECT_EQ(shift_right_rne(5, 2), 1u);
  EXPECT_EQ(shift_right_rne(9, 0), 9u);
  EXPECT_EQ(shift_right_rne(~std::uint64_t{0}, 63), 2u);
}

}  // namespace
}  // namespace act
