// Sweeps: digests of shards against the plain definition, mismatches where they were put, results for any
// number of threads.
#include "act/fit/sweep.h"

#include <gtest/gtest.h>

#include "act/tables/embedded.h"

namespace act::fit {
namespace {

const FunctionTable& table(const char* name, const char* catalog_name = "trainium") {
  static std::vector<std::unique_ptr<Catalog>> kept;
  Diagnostics warnings;
  kept.push_back(std::make_unique<Catalog>(open_catalog(catalog_name, warnings).value()));
  return *kept.back()->set_with(name)->find(name);
}

// The definition, one result after the other.
std::uint64_t plain_digest(const FunctionTable& t, const InputRange& range) {
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;
  std::uint64_t h = 0, power = 1;
  for (std::uint64_t b = range.begin; b < range.end; ++b)
    h = h * kFactor + float_bits(evaluate(t, bits_float(static_cast<std::uint32_t>(b))));
  std::uint64_t n = kAllInputs - range.end, p = kFactor;
  for (; n != 0; n >>= 1, p *= p)
    if ((n & 1) != 0) power *= p;
  return h * power;
}

TEST(Sweep, ShardsTileTheInputs) {
  for (const std::uint64_t count : {1, 2, 3, 7, 64, 1000}) {
    std::uint64_t at = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      const InputRange r = shard_range({}, i, count);
      EXPECT_EQ(r.begin, at);
      EXPECT_LE(r.end - r.begin, kAllInputs / count + 1);
      at = r.end;
    }
    EXPECT_EQ(at, kAllInputs);
  }
}

TEST(Sweep, DigestIsTheDefinitionsForAnyThreadsAndSplit) {
  const FunctionTable& t = table("exp");
  const InputRange range{0x3f000123, 0x3f000123 + 3000001};
  const std::uint64_t expected = plain_digest(t, range);
  for (const unsigned threads : {1u, 2u}) {
    const SweepResult r = sweep(t, &t, range, threads);
    EXPECT_EQ(r.digest, expected);
    EXPECT_EQ(r.inputs, 3000001u);
    EXPECT_EQ(r.mismatches, 0u);
  }
  SweepResult sum;
  for (const std::uint64_t i : {2, 0, 4, 1, 3})
    sum = combine(sweep(t, nullptr, shard_range(range, i, 5), 1), sum);
  EXPECT_EQ(sum.digest, expected);
  EXPECT_EQ(sum.inputs, 3000001u);
}

// exp has one value over nearly all inputs of a sign, which repeats are made for; the other inputs go through
// the sweep.
TEST(Sweep, MismatchesAreFoundWhereTheyAre) {
  const FunctionTable& t = table("tanh");
  FunctionTable changed = t;
  Section& s = changed.pos.octaves[10].sections[0];
  s.d0 = bits_float(float_bits(s.d0) + 1);
  const auto begin = static_cast<std::uint64_t>(changed.pos.octaves[10].exponent + 127) << 23;
  const std::uint64_t in_section = (std::uint64_t{1} << 23) >> changed.pos.octaves[10].extract_size;
  const SweepResult r = sweep(t, &changed, {begin - 1000, begin + in_section + 1000}, 2);
  EXPECT_GT(r.mismatches, in_section / 2);
  EXPECT_LE(r.mismatches, in_section);
  ASSERT_TRUE(r.first_mismatch);
  EXPECT_GE(*r.first_mismatch, begin);
  EXPECT_LT(*r.first_mismatch, begin + 100);
}

TEST(Sweep, CombiningKeepsTheFirstMismatch) {
  SweepResult a{10, 1, 77, 5}, b{20, 2, 12, ~std::uint64_t{0}};
  const SweepResult both = combine(a, b);
  EXPECT_EQ(both.inputs, 30u);
  EXPECT_EQ(both.mismatches, 3u);
  EXPECT_EQ(*both.first_mismatch, 12u);
  EXPECT_EQ(both.digest, 4u);
  EXPECT_EQ(*combine(a, SweepResult{}).first_mismatch, 77u);
}

TEST(Sweep, ExactShardsTogetherAreTheMeasurement) {
  const FunctionTable& t = table("erf");
  const FunctionInfo& f = *find_function("erf");
  // Three octaves with sections and one clamp: shard i of 510 is octave i, negative ones first.
  Measurement shards;
  for (const std::uint64_t octave : {255 + 122, 255 + 125, 255 + 128, 255 + 140}) {
    const Measurement m = sweep_exact(f, t, octave, 510, 1);
    const Measurement expected = measure_octave(f, t, false, static_cast<int>(octave) - 255 - 127);
    EXPECT_EQ(m.inner.error, expected.inner.error);
    EXPECT_EQ(float_bits(m.inner.input), float_bits(expected.inner.input));
    shards = combine(shards, m);
  }
  EXPECT_GT(shards.inner.error, 0);
}

}  // namespace
}  // namespace act::fit
