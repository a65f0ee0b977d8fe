#include "fit/allocate.h"

#include <gtest/gtest.h>

#include <cmath>

namespace act::fit {
namespace {

// An octave whose error falls by 16 per halving down to a floor.
double ideal(double start, int size, double floor = 1) {
  return std::max(floor, start * std::pow(16.0, -size));
}

TEST(Allocate, TruncatedOctavesCountWhatTheyHold) {
  OctaveDemand o;
  EXPECT_EQ(o.sections(0), 1);
  EXPECT_EQ(o.sections(5), 32);
  o.last_mantissa = 3240471;  // exp's positive side ends before mantissa 3240472 (02 section 8.7)
  EXPECT_EQ(o.sections(8), 99);
  o.last_mantissa = 4362890;
  EXPECT_EQ(o.sections(8), 134);
}

TEST(Allocate, NeedsOneSectionAnOctave) {
  const auto error = [](std::size_t, int size) { return ideal(100, size); };
  EXPECT_FALSE(Allocator(std::vector<OctaveDemand>(5), 4, 0, error).settle());
  EXPECT_TRUE(Allocator(std::vector<OctaveDemand>(5), 5, 0, error).settle());
}

// Brute force over all sizes: nothing within the budget has a smaller worst error.
TEST(Allocate, SmallestWorstError) {
  const double start[] = {20, 3000, 150, 7};
  const auto error = [&](std::size_t i, int size) { return ideal(start[i], size, 0.5); };
  for (int budget = 4; budget <= 60; ++budget) {
    Allocator a(std::vector<OctaveDemand>(4), budget, 0, error);
    ASSERT_TRUE(a.settle());
    double best = INFINITY;
    for (int code = 0; code < 6 * 6 * 6 * 6; ++code) {
      const int s[] = {code % 6, code / 6 % 6, code / 36 % 6, code / 216};
      int used = 0;
      double worst = 0;
      for (std::size_t i = 0; i < 4; ++i) {
        used += 1 << s[i];
        worst = std::max(worst, error(i, s[i]));
      }
      if (used <= budget) best = std::min(best, worst);
    }
    EXPECT_DOUBLE_EQ(a.worst(false), best) << budget;
    EXPECT_LE(a.used(), budget);
    const double settled = a.worst(false);
    a.spend();
    EXPECT_LE(a.used(), budget);
    EXPECT_LE(a.worst(false), settled);
  }
}

// More sections never make it worse, and the first octave that blocks does not starve the others.
TEST(Allocate, MoreSectionsNeverHurt) {
  const auto error = [](std::size_t i, int size) { return ideal(i == 2 ? 1e6 : 40, size); };
  double before = INFINITY;
  for (int budget = 6; budget < 200; ++budget) {
    Allocator a(std::vector<OctaveDemand>(6), budget, 0, error);
    ASSERT_TRUE(a.settle());
    EXPECT_LE(a.worst(false), before);
    before = a.worst(false);
  }
}

TEST(Allocate, SpendReachesTheOctavesThatDoNotHoldTheWorstErrorUp) {
  // Octave 0 can have 8 sections and no more; the rest of the budget is for the others.
  const auto error = [](std::size_t i, int size) { return i == 0 ? ideal(1e6, size) : ideal(10, size); };
  Allocator a(std::vector<OctaveDemand>(3), 12, 0, error);
  ASSERT_TRUE(a.settle());
  EXPECT_EQ(a.size(0), 3);
  a.spend();
  EXPECT_EQ(a.size(0), 3);
  EXPECT_EQ(a.size(1), 1);
  EXPECT_EQ(a.size(2), 1);
}

// A steep tail is lost whole until its sections are narrow: the error stands still, then falls.
TEST(Allocate, SeesThroughAPlateau) {
  const auto error = [](std::size_t i, int size) { return i == 1 && size < 5 ? 1e7 : ideal(10, size); };
  Allocator a(std::vector<OctaveDemand>(2), 40, 0, error);
  ASSERT_TRUE(a.settle());
  EXPECT_EQ(a.size(1), 5);
}

TEST(Allocate, OuterOctavesHaveAToleranceOfTheirOwn) {
  std::vector<OctaveDemand> octaves(4);
  octaves[0].outer = octaves[3].outer = true;
  const auto error = [](std::size_t i, int size) {
    return i == 0 || i == 3 ? 1e5 * std::pow(2.0, -2 * size) : ideal(300, size);
  };
  Allocator a(octaves, 200, 2000, error);
  ASSERT_TRUE(a.settle());
  EXPECT_LE(a.worst(true), 2000);
  EXPECT_LE(a.worst(false), 1.6);
  Allocator tight(octaves, 8, 2000, error);
  EXPECT_FALSE(tight.settle());
}

TEST(Allocate, AnOctaveThatGrowsIsCharged) {
  std::vector<OctaveDemand> octaves(1);
  octaves[0].last_mantissa = (1U << 20) - 1;  // an eighth
  const auto error = [](std::size_t, int size) { return ideal(1e5, size); };
  Allocator a(octaves, 8, 0, error);
  ASSERT_TRUE(a.settle());
  const int before = a.used();
  a.extend(0, (1U << 21) - 1);
  EXPECT_EQ(a.used(), 2 * before);
}

}  // namespace
}  // namespace act::fit
