// Which bytes are defined, against one flag per byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "act/sim/memory.h"

namespace act::sim {
namespace {

constexpr unsigned kRows = 3;
constexpr std::uint32_t kActive = 8192;

class Flags {
 public:
  void set(unsigned p, std::uint32_t offset, std::size_t n, bool value) { std::fill_n(at(p, offset), n, value); }
  bool all(unsigned p, std::uint32_t offset, std::size_t n) { return std::all_of(at(p, offset), at(p, offset) + n, [](char f) { return f != 0; }); }
  bool none(unsigned p, std::uint32_t offset, std::size_t n) { return std::all_of(at(p, offset), at(p, offset) + n, [](char f) { return f == 0; }); }

 private:
  char* at(unsigned p, std::uint32_t offset) { return flags_.data() + p * kActive + offset; }
  std::vector<char> flags_ = std::vector<char>(kRows * kActive);
};

struct Range {
  unsigned p;
  std::uint32_t offset;
  std::size_t n;
};

// Short and long ones, many that begin or end with a line or a partition.
Range any_range(std::mt19937& gen) {
  const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(gen() % end); };
  const auto edge = [&] {
    const std::uint32_t x = below(kActive + 1);
    return gen() % 3 == 0 ? x / 64 * 64 : x;
  };
  std::uint32_t a = edge(), b = gen() % 2 == 0 ? edge() : std::min(kActive, a + below(200));
  if (a > b) std::swap(a, b);
  return {below(kRows), a, b - a};
}

TEST(Store, DefinedBytesAreThoseWritten) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 gen(seed);
    Store store(kRows, kActive);
    Flags flags;
    for (int turn = 0; turn < 3000; ++turn) {
      const Range r = any_range(gen);
      if (gen() % 2 == 0) {
        const bool define = gen() % 3 != 0;
        define ? store.mark_defined(r.p, r.offset, r.n) : store.mark_undefined(r.p, r.offset, r.n);
        flags.set(r.p, r.offset, r.n, define);
      }
      const Range q = any_range(gen);
      ASSERT_EQ(store.defined(q.p, q.offset, q.n), flags.all(q.p, q.offset, q.n)) << seed << " " << turn;
      ASSERT_EQ(store.untouched(q.p, q.offset, q.n), flags.none(q.p, q.offset, q.n)) << seed << " " << turn;
    }
  }
}

TEST(Store, ByteAfterByteFillsALine) {
  Store store(1, 4096);
  for (std::uint32_t at = 0; at < 128; ++at) {
    EXPECT_FALSE(store.defined(0, 0, at + 1));
    store.mark_defined(0, at, 1);
    EXPECT_TRUE(store.defined(0, 0, at + 1));
    EXPECT_TRUE(store.untouched(0, at + 1, 1));
  }
  store.mark_undefined(0, 5, 1);
  EXPECT_FALSE(store.defined(0, 0, 64));
  EXPECT_TRUE(store.defined(0, 6, 122));
}

}  // namespace
}  // namespace act::sim
