// Blocks equal the conversions of single values: every type, every policy, every code of 8 and 16 bits.
#include "act/numeric/convert_block.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "numeric/block_policies.h"

namespace act {
namespace {

class EveryType : public ::testing::TestWithParam<Dtype> {
 protected:
  Dtype type() const { return GetParam(); }
  unsigned bytes() const { return dtype_bits(type()) / 8; }
  std::uint64_t code_at(const std::vector<std::uint8_t>& codes, std::size_t k) const {
    std::uint64_t code = 0;
    std::memcpy(&code, codes.data() + k * bytes(), bytes());
    return code;
  }
  void expect_widened(const std::vector<std::uint64_t>& codes) const {
    std::vector<std::uint8_t> memory(codes.size() * bytes());
    for (std::size_t k = 0; k < codes.size(); ++k) std::memcpy(memory.data() + k * bytes(), &codes[k], bytes());
    std::vector<float> out(codes.size());
    for (const NumericPolicy& policy : block_policies()) {
      widen_block(type(), memory.data(), codes.size(), policy, out.data());
      for (std::size_t k = 0; k < codes.size(); ++k)
        ASSERT_EQ(bits_of(out[k]), bits_of(widen(type(), code_at(memory, k), policy))) << std::hex << codes[k];
    }
  }
  void expect_narrowed(const std::vector<float>& in) const {
    std::vector<std::uint8_t> codes(in.size() * bytes());
    for (const NumericPolicy& policy : block_policies()) {
      narrow_block(type(), in.data(), in.size(), policy, codes.data());
      for (std::size_t k = 0; k < in.size(); ++k)
        ASSERT_EQ(code_at(codes, k), narrow(type(), in[k], policy)) << std::hex << bits_of(in[k]);
    }
  }
};

TEST_P(EveryType, WidensEveryCodeOrManyOfThem) {
  std::mt19937_64 gen(11);
  std::vector<std::uint64_t> codes;
  if (bytes() <= 2)
    for (std::uint64_t code = 0; code >> (8 * bytes()) == 0; ++code) codes.push_back(code);
  else
    for (unsigned bit = 0; bit < 8 * bytes(); ++bit)
      for (int near = -2; near <= 2; ++near) codes.push_back((std::uint64_t{1} << bit) + static_cast<std::uint64_t>(near));
  for (int i = 0; i < 50000; ++i) codes.push_back(gen() >> gen() % 64);
  expect_widened(codes);
}

// All upper halves with lower halves around zero, one half and one; this holds the ties of all types of up to 7 bits of
// mantissa. Those of the others are in the next test.
TEST_P(EveryType, NarrowsAllUpperHalves) {
  std::vector<float> in;
  for (const std::uint32_t low : {0u, 1u, 0x7FFFu, 0x8000u, 0x8001u, 0xFFFFu})
    for (std::uint32_t high = 0; high < 0x10000; ++high) in.push_back(f32(high << 16 | low));
  expect_narrowed(in);
}

TEST_P(EveryType, NarrowsTiesOfEveryExponent) {
  std::mt19937 gen(12);
  std::vector<float> in;
  for (std::uint32_t top = 0; top < 512; ++top)  // sign and exponent
    for (unsigned place = 0; place < 23; ++place)
      for (int i = 0; i < 4; ++i)
        for (const std::uint32_t near : {0u, 1u, ~0u}) {
          const std::uint32_t kept = (gen() & 0x7FFFFFu) >> place << place;
          in.push_back(f32((top << 23 | kept | (1u << place) >> 1) + near));
        }
  expect_narrowed(in);
}

TEST_P(EveryType, AnyLengthAndAlignmentAndNothingBeside) {
  std::mt19937 gen(13);
  for (std::size_t n = 0; n < 150; ++n) {
    const std::size_t shift = 1 + n % 7;
    std::vector<float> in(n), back(n + 1, 7.0F);
    for (float& x : in) x = f32(static_cast<std::uint32_t>(gen()));
    std::vector<std::uint8_t> codes(shift + n * bytes() + 1, 0xA5);
    narrow_block(type(), in.data(), n, {}, codes.data() + shift);
    ASSERT_EQ(codes[shift - 1], 0xA5);
    ASSERT_EQ(codes.back(), 0xA5);
    widen_block(type(), codes.data() + shift, n, {}, back.data());
    ASSERT_EQ(back[n], 7.0F);
    for (std::size_t k = 0; k < n; ++k) {
      std::uint64_t code = 0;
      std::memcpy(&code, codes.data() + shift + k * bytes(), bytes());
      ASSERT_EQ(code, narrow(type(), in[k]));
      ASSERT_EQ(bits_of(back[k]), bits_of(widen(type(), code)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Blocks, EveryType, ::testing::ValuesIn(block_types()),
                         [](const auto& test) { return std::string(dtype_row(test.param).short_name); });

// Types as wide as FP32 may be converted where they stand.
TEST(FourByteTypes, InPlace) {
  for (const Dtype t : block_types()) {
    if (dtype_bits(t) != 32) continue;
    std::mt19937 gen(14);
    std::vector<float> in(1001);
    for (float& x : in) x = f32(static_cast<std::uint32_t>(gen()));
    std::vector<float> same = in;
    narrow_block(t, same.data(), same.size(), {}, same.data());
    for (std::size_t k = 0; k < in.size(); ++k) ASSERT_EQ(bits_of(same[k]), narrow(t, in[k]));
    std::vector<float> codes = same;
    widen_block(t, same.data(), same.size(), {}, same.data());
    for (std::size_t k = 0; k < in.size(); ++k) ASSERT_EQ(bits_of(same[k]), bits_of(widen(t, bits_of(codes[k]))));
  }
}

}  // namespace
}  // namespace act
