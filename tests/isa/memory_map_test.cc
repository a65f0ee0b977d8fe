#include "act/isa/memory_map.h"

#include <gtest/gtest.h>

namespace act {
namespace {

// 01 section 3.3: the windows where a tensor may start, v2 to v5, SBUF and PSUM.
TEST(MemoryMap, QuadrantHeadWindows) {
  struct Row { Generation g; Space s; std::uint32_t first[4], last[4]; };
  const Row rows[] = {
      {Generation::sunda, Space::sbuf, {0, 0x800000, 0x1000000, 0x1800000}, {0x2FFFF, 0x82FFFF, 0x102FFFF, 0x182FFFF}},
      {Generation::cayman, Space::sbuf, {0, 0x800000, 0x1000000, 0x1800000}, {0x37FFF, 0x837FFF, 0x1037FFF, 0x1837FFF}},
      {Generation::mariana, Space::sbuf, {0, 0x800000, 0x1000000, 0x1800000}, {0x3FFFF, 0x83FFFF, 0x103FFFF, 0x183FFFF}},
      {Generation::maverick, Space::sbuf, {0, 0x2000000, 0x4000000, 0x6000000}, {0x7FFFF, 0x207FFFF, 0x407FFFF, 0x607FFFF}},
      {Generation::sunda, Space::psum, {0x2000000, 0x2100000, 0x2200000, 0x2300000}, {0x2003FFF, 0x2103FFF, 0x2203FFF, 0x2303FFF}},
      {Generation::mariana, Space::psum, {0x2000000, 0x2100000, 0x2200000, 0x2300000}, {0x2003FFF, 0x2103FFF, 0x2203FFF, 0x2303FFF}}};
  for (const Row& r : rows)
    for (unsigned q = 0; q < 4; ++q) {
      const Location first = locate(r.first[q], r.g), last = locate(r.last[q], r.g);
      EXPECT_EQ(first.space, r.s);
      EXPECT_EQ(first.partition, 32 * q);
      EXPECT_EQ(first.offset, 0u);
      EXPECT_TRUE(first.active && last.active);
      EXPECT_EQ(last.partition, 32 * q);
      EXPECT_EQ(first.quadrant(), q);
      EXPECT_EQ(make_address(r.s, 32 * q, last.offset, r.g), r.last[q]);
      const Location past = locate(r.last[q] + 1, r.g);
      EXPECT_FALSE(past.partition == 32 * q && past.active);
    }
}

TEST(MemoryMap, WorkedPsumAddress) {
  const Location l = locate(0x02201808, Generation::cayman);
  EXPECT_EQ(l.space, Space::psum);
  EXPECT_EQ(l.partition, 64u);
  EXPECT_EQ(l.offset, 0x1808u);
  EXPECT_EQ(l.bank(), 3u);
  EXPECT_EQ(l.quadrant(), 2u);
}

TEST(MemoryMap, OffChipAndNoPsumOnMaverick) {
  EXPECT_EQ(locate(0x2400000, Generation::cayman).space, Space::off_chip);
  EXPECT_EQ(locate(0x8000000, Generation::maverick).space, Space::off_chip);
  const Location l = locate(0x2000000, Generation::maverick);
  EXPECT_EQ(l.space, Space::sbuf);
  EXPECT_EQ(l.partition, 32u);
}

// 01 section 3.1: the test masks on byte 3 of the worked words.
TEST(Addr4, MarkersOfTheWorkedWords) {
  EXPECT_TRUE(addr4::addr_from_register(0x80000005));
  EXPECT_TRUE(addr4::shape_from_register(0x40000400));
  EXPECT_FALSE(addr4::addr_from_register(0x40000400));
  EXPECT_TRUE(addr4::is_indirect(0x20000040) && addr4::is_indirect_imm(0x20000040));
  EXPECT_TRUE(addr4::is_indirect(0xA0000009) && !addr4::is_indirect_imm(0xA0000009));
  EXPECT_FALSE(addr4::is_indirect(0x02201808) || addr4::shape_from_register(0x02201808) || addr4::addr_from_register(0x02201808));
}

}  // namespace
}  // namespace act
