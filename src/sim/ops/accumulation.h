// The running reduction behind an instruction: one FP32 accumulator per channel (01 section 7, D-47).
#pragma once

#include <vector>

#include "act/sim/exec.h"

namespace act::sim::ops {

class Accumulation {
 public:
  // Folds with `op`, the accumulator on the left, when `folds`; otherwise add() does nothing.
  Accumulation(const Exec& x, Accumulators& accumulators, AluOp op, bool folds)
      : x_(x), accumulators_(accumulators), op_(op), folds_(folds),
        pairwise_(folds && op == AluOp::add && x.policies().accumulation == AccumulationPolicy::pairwise) {
    if (pairwise_) rows_.resize(kPartitions);
  }

  // What the accumulators of channels 0..n-1 hold before the first element.
  void set(unsigned channels, float value) {
    for (unsigned c = 0; c < channels; ++c) accumulators_[c] = value;
  }
  void set(unsigned channels, const Scalar& value) {
    for (unsigned c = 0; c < channels; ++c) accumulators_[c] = value.at(c);
  }

  // The FP32 results of a block, before they are narrowed. `count` is the number of elements of the whole channel.
  void add(const Block& at, std::uint64_t count, const float* results) {
    if (!folds_) return;
    if (pairwise_) return add_pairwise(at, count, results);
    float& acc = accumulators_[at.channel];
    acc = op_ == AluOp::add ? sum_in_order(acc, results, at.count) : x_.fold(op_, acc, results, at.count);
  }

  static constexpr unsigned kGroup = 8;
  // The same for the block `first` and those of the `channels` - 1 (below kGroup) channels behind it. Every channel is summed
  // in its own order; side by side they hide the latency of the addition.
  void add_group(const Block& first, unsigned channels, std::uint64_t count, const float* const* results) {
    if (!folds_) return;
    if (channels == kGroup && op_ == AluOp::add && !pairwise_) return sum_side_by_side(first, results);
    for (unsigned c = 0; c < channels; ++c) add({first.channel + c, first.begin, first.count}, count, results[c]);
  }

 private:
  static float sum_in_order(float acc, const float* v, unsigned n) {
    for (unsigned k = 0; k < n; ++k) acc = acc + v[k];
    return canonical(acc);
  }
  void sum_side_by_side(const Block& first, const float* const* results) {
    float acc[kGroup];
    for (unsigned c = 0; c < kGroup; ++c) acc[c] = accumulators_[first.channel + c];
    for (unsigned k = 0; k < first.count; ++k)
      for (unsigned c = 0; c < kGroup; ++c) acc[c] = acc[c] + results[c][k];
    for (unsigned c = 0; c < kGroup; ++c) accumulators_[first.channel + c] = canonical(acc[c]);
  }
  void add_pairwise(const Block& at, std::uint64_t count, const float* results) {
    std::vector<float>& row = rows_[at.channel];
    row.insert(row.end(), results, results + at.count);
    if (at.begin + at.count < count) return;
    accumulators_[at.channel] = canonical(accumulators_[at.channel] + sum_by_halves(row.data(), row.size()));
    row.clear();
  }
  static float sum_by_halves(const float* v, std::size_t n) {
    return n == 1 ? v[0] : sum_by_halves(v, n / 2) + sum_by_halves(v + n / 2, n - n / 2);
  }

  const Exec& x_;
  Accumulators& accumulators_;
  AluOp op_;
  bool folds_, pairwise_;
  std::vector<std::vector<float>> rows_;
};

// ACCUM_CMD: a running sum; the seed of LOAD_ACCUMULATE is fetched by the caller only when loads() holds.
struct AccumCommand {
  AccumCmd command;
  bool zeroes() const { return command == AccumCmd::ZERO || command == AccumCmd::ZERO_ACCUMULATE; }
  bool loads() const { return command == AccumCmd::LOAD_ACCUMULATE; }
  bool folds() const { return command == AccumCmd::ACCUMULATE || command == AccumCmd::ZERO_ACCUMULATE || loads(); }
  // False for a code that is no command.
  bool known() const { return command <= AccumCmd::LOAD_ACCUMULATE; }
};

}  // namespace act::sim::ops
