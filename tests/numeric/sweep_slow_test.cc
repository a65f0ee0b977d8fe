// All 2^32 FP32 inputs to every narrow type. narrow_digests.txt holds the digests of what the independent
// method of reference.h gives, in the order of the input patterns; they change only when a rule of the book
// does.
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <map>
#include <thread>

#include "numeric/sweep.h"

namespace act::sweep {
namespace {

constexpr unsigned kChunkBits = 24;
constexpr unsigned kChunks = 1u << (32 - kChunkBits);

std::vector<Outcome> run_all(const Target& target) {
  std::vector<Outcome> outcomes(kChunks);
  std::atomic<unsigned> next = 0;
  const auto work = [&] {
    for (unsigned i = next++; i < kChunks; i = next++) {
      const std::uint64_t first = std::uint64_t{i} << kChunkBits;
      outcomes[i] = target.run({first, first + (std::uint64_t{1} << kChunkBits), 1});
    }
  };
  std::vector<std::thread> threads(std::max(1u, std::thread::hardware_concurrency()));
  for (std::thread& t : threads) t = std::thread(work);
  for (std::thread& t : threads) t.join();
  return outcomes;
}

std::map<std::string, std::uint64_t> committed_digests() {
  std::ifstream file(std::string(ACTKIT_SOURCE_DIR) + "/tests/numeric/narrow_digests.txt");
  std::map<std::string, std::uint64_t> digests;
  std::string label;
  for (std::uint64_t digest; file >> label >> std::hex >> digest;) digests[label] = digest;
  return digests;
}

class All : public ::testing::TestWithParam<Target> {};

TEST_P(All, EqualTheIndependentMethodAndTheDigest) {
  std::uint64_t digest = 0xcbf29ce484222325u;
  for (const Outcome& outcome : run_all(GetParam())) {
    EXPECT_EQ(outcome.mismatches, 0u) << "first at 0x" << std::hex << outcome.first_mismatch;
    digest = (digest ^ outcome.digest) * 0x100000001b3u;
  }
  const auto digests = committed_digests();
  const auto committed = digests.find(GetParam().label);
  ASSERT_NE(committed, digests.end()) << "digest line: " << GetParam().label << " " << std::hex << digest;
  EXPECT_EQ(digest, committed->second) << "digest line: " << GetParam().label << " " << std::hex << digest;
}

INSTANTIATE_TEST_SUITE_P(Narrow, All, ::testing::ValuesIn(all_targets()), [](const auto& test) {
  std::string name = test.param.label;
  std::replace(name.begin(), name.end(), '+', '_');
  return name;
});

}  // namespace
}  // namespace act::sweep
