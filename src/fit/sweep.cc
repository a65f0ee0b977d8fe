#include "act/fit/sweep.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <mutex>

#include "fit/digest.h"

namespace act::fit {
namespace {

constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;  // inputs of one task
constexpr std::size_t kBlock = 4096;                      // inputs that stay in the first cache

// Counts what is done, and tells.
class Counter {
 public:
  explicit Counter(const SweepProgress& progress) : progress_(progress) {}
  void add(std::uint64_t n) {
    if (!progress_) return;
    const std::lock_guard lock(mutex_);
    done_ += n;
    progress_(done_);
  }

 private:
  const SweepProgress& progress_;
  std::mutex mutex_;
  std::uint64_t done_ = 0;
};

constexpr std::uint64_t kOctaves = 255, kOctaveInputs = std::uint64_t{1} << 23;  // finite octaves of one sign

bool is_nan_pattern(std::uint32_t bits) { return (bits & 0x7fffffff) > 0x7f800000; }

class PieceSweep {
 public:
  // `other`: the layout of `compared` where that is not the table itself, whose reference is scalar.
  PieceSweep(const VectorTable& table, const FunctionTable* compared, const VectorTable* other)
      : table_(table), compared_(compared), other_(other) {}

  SweepResult run(const InputRange& range) {
    SweepResult result;
    Digest digest;
    for (std::uint64_t at = range.begin; at < range.end; at += kBlock) {
      const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, range.end - at));
      for (std::size_t i = 0; i < n; ++i)
        in_[i] = bits_float(static_cast<std::uint32_t>(at) + static_cast<std::uint32_t>(i));
      table_.evaluate({in_.data(), n}, {out_.data(), n});
      digest.take(std::span<const float>(out_.data(), n));
      if (compared_ != nullptr) compare(n, result);
      result.inputs += n;
    }
    result.digest = digest.value() * Digest::power(kAllInputs - range.end);
    return result;
  }

 private:
  void compare(std::size_t n, SweepResult& result) {
    if (other_ != nullptr) {
      other_->evaluate({in_.data(), n}, {expected_.data(), n});
    } else {
      for (std::size_t i = 0; i < n; ++i) expected_[i] = evaluate(*compared_, in_[i]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t expected = float_bits(expected_[i]), got = float_bits(out_[i]);
      if (expected == got || (is_nan_pattern(expected) && is_nan_pattern(got))) continue;
      ++result.mismatches;
      if (!result.first_mismatch) result.first_mismatch = float_bits(in_[i]);
    }
  }

  const VectorTable& table_;
  const FunctionTable* compared_;
  const VectorTable* other_;
  std::array<float, kBlock> in_{}, out_{}, expected_{};
};

// use(i) for i < count on so many threads; 0: all processors.
template <class Use>
void parallel(std::uint64_t count, unsigned threads, const Use& use) {
  tbb::task_arena arena(threads == 0 ? tbb::task_arena::automatic : static_cast<int>(threads));
  arena.execute([&] { tbb::parallel_for(std::uint64_t{0}, count, use); });
}

}  // namespace

InputRange shard_range(const InputRange& whole, std::uint64_t index, std::uint64_t count) {
  const std::uint64_t part = (whole.end - whole.begin) / count, more = (whole.end - whole.begin) % count;
  const auto start = [&](std::uint64_t i) { return whole.begin + i * part + std::min(i, more); };
  return {start(index), start(index + 1)};
}

SweepResult combine(const SweepResult& a, const SweepResult& b) {
  SweepResult all{a.inputs + b.inputs, a.mismatches + b.mismatches, a.first_mismatch, a.digest + b.digest};
  if (b.first_mismatch && (!all.first_mismatch || *b.first_mismatch < *all.first_mismatch))
    all.first_mismatch = b.first_mismatch;
  return all;
}

SweepResult sweep(const FunctionTable& table, const FunctionTable* compared, const InputRange& range,
                  unsigned threads, const SweepProgress& progress) {
  const VectorTable vector(table);
  std::optional<VectorTable> other;
  if (compared != nullptr && compared != &table) other.emplace(*compared);
  const std::uint64_t pieces = (range.end - range.begin + kPiece - 1) / kPiece;
  tbb::enumerable_thread_specific<SweepResult> parts;
  Counter counter(progress);
  parallel(pieces, threads, [&](std::uint64_t i) {
    const std::uint64_t begin = range.begin + i * kPiece, end = std::min(begin + kPiece, range.end);
    SweepResult& mine = parts.local();
    mine = combine(mine, PieceSweep(vector, compared, other ? &*other : nullptr).run({begin, end}));
    counter.add(end - begin);
  });
  SweepResult all;
  for (const SweepResult& part : parts) all = combine(all, part);
  return all;
}

Measurement combine(const Measurement& a, const Measurement& b) {
  Measurement all = a;
  for (WorstCase Measurement::*figure : {&Measurement::inner, &Measurement::outer, &Measurement::tail,
                                         &Measurement::subnormal, &Measurement::absolute})
    if ((b.*figure).error > (all.*figure).error) all.*figure = b.*figure;
  all.inputs += b.inputs;
  return all;
}

std::uint64_t exact_inputs(std::uint64_t index, std::uint64_t count) {
  return index < 2 * kOctaves ? ((2 * kOctaves - 1 - index) / count + 1) * kOctaveInputs : 0;
}

Measurement sweep_exact(const FunctionInfo& function, const FunctionTable& table, std::uint64_t index,
                        std::uint64_t count, unsigned threads, const SweepProgress& progress) {
  std::vector<std::uint64_t> mine;  // negative octaves first, as measure_parallel()
  for (std::uint64_t i = index; i < 2 * kOctaves; i += count) mine.push_back(i);
  std::vector<Measurement> parts(mine.size());
  Counter counter(progress);
  parallel(mine.size(), threads, [&](std::uint64_t i) {
    const std::uint64_t octave = mine[i];
    parts[i] = measure_octave(function, table, octave < kOctaves, static_cast<int>(octave % kOctaves) - 127);
    counter.add(kOctaveInputs);
  });
  Measurement all;
  for (const Measurement& part : parts) all = combine(all, part);
  return all;
}

}  // namespace act::fit
