// The overlap warning against walks spelled out address by address (01 section 4.3, D-15).
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "act/isa/check.h"
#include "act/isa/program.h"

namespace act {
namespace {

struct Pattern {
  std::int64_t start;
  std::array<std::int16_t, 4> step;
  std::array<std::uint16_t, 4> num;
};

// First byte of every element of one channel, dimension 0 fastest.
std::vector<std::int64_t> addresses(const Pattern& p, std::int64_t size) {
  std::vector<std::int64_t> out;
  for (int i3 = 0; i3 < p.num[3]; ++i3)
    for (int i2 = 0; i2 < p.num[2]; ++i2)
      for (int i1 = 0; i1 < p.num[1]; ++i1)
        for (int i0 = 0; i0 < p.num[0]; ++i0) out.push_back(p.start + size * (i0 * p.step[0] + i1 * p.step[1] + i2 * p.step[2] + i3 * p.step[3]));
  return out;
}

std::set<std::int64_t> bytes(const Pattern& p, std::int64_t size) {
  std::set<std::int64_t> out;
  for (const std::int64_t at : addresses(p, size))
    for (std::int64_t b = 0; b < size; ++b) out.insert(at + b);
  return out;
}

bool warns(const Pattern& src, Dtype in, const Pattern& dst, Dtype out, std::uint32_t dst_partition, std::uint8_t channels) {
  S4d4Tr x{};
  x.opcode = static_cast<OpcodeByte>(Opcode::CAST);
  x.inst_word_len = kInstWordLen;
  x.in_dtype = in;
  x.out_dtype = out;
  x.num_active_channels = channels;
  x.src_mem_pattern = {{static_cast<std::uint32_t>(src.start), src.step, src.num}};
  x.dst_mem_pattern = {{static_cast<std::uint32_t>(dst.start) + dst_partition * 0x40000, dst.step, dst.num}};
  Diagnostics out_list;
  check_bundle(encode(x), Generation::cayman, {}, out_list);
  return std::ranges::any_of(out_list, [](const Diagnostic& d) { return d.rule == "operand_overlap"; });
}

TEST(Overlap, WarnsExactlyWhereBytesMeetAndAddressesDiffer) {
  std::mt19937 random(1);
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  constexpr std::pair<Dtype, int> kTypes[] = {{Dtype::uint8, 1}, {Dtype::fp16, 2}, {Dtype::fp32, 4}};
  int warned = 0;
  for (int round = 0; round < 20000; ++round) {
    const auto pattern = [&](int size) {
      Pattern p{0x400 + size * draw(-8, 8), {}, {}};
      for (int d = 0; d < 4; ++d) {
        p.step[static_cast<std::size_t>(d)] = static_cast<std::int16_t>(draw(-6, 6));
        p.num[static_cast<std::size_t>(d)] = static_cast<std::uint16_t>(draw(1, d == 0 ? 5 : 2));
      }
      return p;
    };
    const auto [in, in_size] = kTypes[draw(0, 2)];
    auto [out, out_size] = kTypes[draw(0, 2)];
    const Pattern src = pattern(in_size);
    Pattern dst = pattern(out_size);
    if (round % 4 == 0) {  // the same walk, in another spelling where a dimension has one element
      dst = src;
      out = in;
      out_size = in_size;
      for (std::size_t d = 0; d < 4; ++d)
        if (dst.num[d] == 1) dst.step[d] = static_cast<std::int16_t>(draw(-6, 6));
    }
    const std::set<std::int64_t> a = bytes(src, in_size), b = bytes(dst, out_size);
    const bool meet = std::ranges::any_of(a, [&](std::int64_t at) { return b.contains(at); });
    const bool same = in_size == out_size && addresses(src, in_size) == addresses(dst, out_size);
    EXPECT_EQ(warns(src, in, dst, out, 0, 32), meet && !same) << round;
    EXPECT_EQ(warns(src, in, dst, out, 32, 64), meet) << round;  // channels 32 to 63 are read and written
    EXPECT_FALSE(warns(src, in, dst, out, 32, 32)) << round;
    warned += meet && !same;
  }
  EXPECT_GT(warned, 5000);
}

TEST(Overlap, HugeCountsAreJudgedAtOnce) {
  const Pattern everything{0, {0, 0, 1, 1}, {65535, 65535, 65535, 2}};
  EXPECT_TRUE(warns(everything, Dtype::uint8, {0x100, {0, 0, 0, 0}, {65535, 65535, 65535, 1}}, Dtype::uint8, 0, 32));
}

}  // namespace
}  // namespace act
