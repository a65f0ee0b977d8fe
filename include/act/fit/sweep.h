// All 2^32 inputs of a function table through the vector path, in shards that may run anywhere.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "act/fit/accuracy.h"
#include "act/tables/functions.h"
#include "act/tables/vector_evaluate.h"

namespace act::fit {

inline constexpr std::uint64_t kAllInputs = std::uint64_t{1} << 32;

// Consecutive input patterns [begin, end).
struct InputRange {
  std::uint64_t begin = 0, end = kAllInputs;
};
// Shard `index` of `count` of a range; together they cover it once, sizes differ by one at most.
// Precondition: index < count, count at most 2^31.
InputRange shard_range(const InputRange& whole, std::uint64_t index, std::uint64_t count);

struct SweepResult {
  std::uint64_t inputs = 0;  // evaluated
  std::uint64_t mismatches =
      0;  // results whose bits differ from what they are compared with; any two NaN count as equal
  std::optional<std::uint32_t> first_mismatch;  // least input pattern
  // The shard's share of result_digest(): shares add up modulo 2^64, in any order, to the digest of all
  // inputs.
  std::uint64_t digest = 0;
};
// Of two shards together.
SweepResult combine(const SweepResult& a, const SweepResult& b);

// Called now and then with the number of inputs done so far, from any thread, one call at a time.
using SweepProgress = std::function<void(std::uint64_t done)>;

// Evaluates the range on `threads` threads (0: all processors) and compares each result: with the scalar
// reference where `compared` is `&table`, with the values of another table, or (nullptr) with nothing.
SweepResult sweep(const FunctionTable& table, const FunctionTable* compared, const InputRange& range,
                  unsigned threads, const SweepProgress& progress = {});

// The error against the function, over its documented range, of shard `index` of `count`: octaves are dealt
// out in turn.
Measurement sweep_exact(const FunctionInfo& function, const FunctionTable& table, std::uint64_t index,
                        std::uint64_t count, unsigned threads, const SweepProgress& progress = {});
// Inputs that its progress counts up to: all of its octaves, whether the function is defined there or not.
std::uint64_t exact_inputs(std::uint64_t index, std::uint64_t count);
Measurement combine(const Measurement& a, const Measurement& b);

}  // namespace act::fit
