#include "pattern_table.h"

#include <algorithm>
#include <cstring>

#include "act/numeric/alu_block.h"
#include "act/numeric/clones.h"
#include "act/numeric/convert_block.h"

namespace act::sim::ops {
namespace {

// Values side by side, as the compiler has them on every processor.
template <class T, unsigned kCount>
struct Lanes {
  typedef T Vector __attribute__((vector_size(kCount * sizeof(T))));
};

// Eight results at a time, so that a store takes as many: the list becomes insertions from memory.
template <class In, class Out>
inline void look_up(const std::uint16_t* results, const std::uint8_t* in, unsigned n, std::uint8_t* out) {
  const auto result = [&](unsigned k) {
    In pattern;
    std::memcpy(&pattern, in + k * sizeof(In), sizeof pattern);
    return static_cast<Out>(results[pattern]);
  };
  unsigned k = 0;
  for (; k + 8 <= n; k += 8) {
    const typename Lanes<Out, 8>::Vector eight = {result(k),     result(k + 1), result(k + 2), result(k + 3),
                                                  result(k + 4), result(k + 5), result(k + 6), result(k + 7)};
    std::memcpy(out + k * sizeof(Out), &eight, sizeof eight);
  }
  for (; k < n; ++k) {
    const Out value = result(k);
    std::memcpy(out + k * sizeof(Out), &value, sizeof value);
  }
}

// Results that follow from the pattern on each of kRuns intervals: comparisons in vector code instead of
// lookups.
template <class T, std::size_t kRuns>
inline void follow_runs(const PatternTable::Run* runs, const std::uint8_t* in, unsigned n,
                        std::uint8_t* out) {
  T first[kRuns], last[kRuns], keep[kRuns], flip[kRuns];
  for (std::size_t r = 0; r < kRuns; ++r) {
    first[r] = static_cast<T>(runs[r].where.first);
    last[r] = static_cast<T>(runs[r].where.count - 1);
    keep[r] = static_cast<T>(runs[r].keep);
    flip[r] = static_cast<T>(runs[r].flip);
  }
  ACT_INDEPENDENT_TURNS
  for (unsigned k = 0; k < n; ++k) {
    T pattern, result = 0;
    std::memcpy(&pattern, in + k * sizeof(T), sizeof pattern);
    for (std::size_t r = 0; r < kRuns; ++r) {
      const auto distance = static_cast<T>(pattern - first[r]);
      const auto value = static_cast<T>((pattern & keep[r]) ^ flip[r]);
      result = static_cast<T>(result | (distance <= last[r] ? value : T{0}));
    }
    std::memcpy(out + k * sizeof(T), &result, sizeof result);
  }
}

// The intervals on which results are the pattern with some bits flipped, or one value; empty when there are
// many.
std::vector<PatternTable::Run> runs_of(const std::vector<std::uint16_t>& results) {
  std::vector<PatternTable::Run> runs;
  for (std::size_t p = 0; p < results.size();) {
    std::size_t same = p + 1, flipped = p + 1;
    while (same < results.size() && results[same] == results[p]) ++same;
    const auto flip = static_cast<std::uint16_t>(results[p] ^ p);
    while (flipped < results.size() && (results[flipped] ^ flipped) == flip) ++flipped;
    const bool constant = same >= flipped;
    const std::size_t end = constant ? same : flipped;
    if (runs.size() == PatternTable::kMostRuns) return {};
    runs.push_back(
        {{p, end - p}, static_cast<std::uint16_t>(constant ? 0 : 0xFFFF), constant ? results[p] : flip});
    p = end;
  }
  return runs;
}

// Whether a pattern is outside the interval, without branches on the way.
template <class In>
inline bool any_not_within(const PatternTable::Interval& interval, const std::uint8_t* in, unsigned n) {
  const auto first = static_cast<In>(interval.first), last = static_cast<In>(interval.count - 1);
  In found = 0;
  for (unsigned k = 0; k < n; ++k) {
    In pattern;
    std::memcpy(&pattern, in + k * sizeof(In), sizeof pattern);
    found |= static_cast<In>(static_cast<In>(pattern - first) > last);
  }
  return found != 0;
}

// Whether a pattern is flagged.
template <class In>
inline bool any_flagged(const std::vector<std::uint8_t>& flags, const std::uint8_t* in, unsigned n) {
  for (unsigned k = 0; k < n; ++k) {
    In pattern;
    std::memcpy(&pattern, in + k * sizeof(In), sizeof pattern);
    if (flags[pattern] != 0) return true;
  }
  return false;
}

// The longest interval without a flag.
PatternTable::Interval longest_clear(const std::vector<std::uint8_t>& flags) {
  PatternTable::Interval best{0, 0};
  for (std::size_t p = 0; p < flags.size();) {
    std::size_t end = p;
    while (end < flags.size() && flags[end] == 0) ++end;
    if (end - p > best.count) best = {p, end - p};
    p = end + 1;
  }
  return best;
}

}  // namespace

PatternTable::PatternTable(const Exec& x, const FunctionStage& f, const Key& key)
    : key_(key), in_bytes_(dtype_bits(key.in) / 8), out_bytes_(dtype_bits(key.out) / 8) {
  const std::size_t patterns = std::size_t{1} << (8 * in_bytes_);
  const NumericPolicy policy = x.policies().numeric();
  std::vector<float> v(patterns);
  std::vector<std::uint8_t> codes(patterns * in_bytes_);
  for (std::size_t p = 0; p < patterns; ++p) std::memcpy(codes.data() + p * in_bytes_, &p, in_bytes_);
  widen_block(key.in, codes.data(), patterns, policy, v.data());
  multiply_add(v.data(), f32(key.factor), f32(key.addend), key.fused, static_cast<unsigned>(patterns),
               v.data());
  f.find_outside(v, outside_);
  inside_ = longest_clear(outside_);
  f.evaluate(v, f32(key.slope));
  std::vector<std::uint8_t> stored(patterns * out_bytes_);
  narrow_block(key.out, v.data(), patterns, policy, stored.data());
  results_.resize(patterns);
  for (std::size_t p = 0; p < patterns; ++p)
    std::memcpy(&results_[p], stored.data() + p * out_bytes_, out_bytes_);
  if (in_bytes_ == out_bytes_) runs_ = runs_of(results_);
  if (runs_.empty()) return;
  while (runs_.size() != kFewRuns && runs_.size() != kMostRuns)
    runs_.push_back(runs_.back());  // changes nothing
}

ACT_VECTOR_CLONES void PatternTable::apply(const std::uint8_t* in, unsigned n, std::uint8_t* out) const {
  const bool bytes = in_bytes_ == 1;
  if (runs_.size() == kFewRuns)
    return bytes ? follow_runs<std::uint8_t, kFewRuns>(runs_.data(), in, n, out)
                 : follow_runs<std::uint16_t, kFewRuns>(runs_.data(), in, n, out);
  if (runs_.size() == kMostRuns)
    return bytes ? follow_runs<std::uint8_t, kMostRuns>(runs_.data(), in, n, out)
                 : follow_runs<std::uint16_t, kMostRuns>(runs_.data(), in, n, out);
  const std::uint16_t* results = results_.data();
  if (bytes && out_bytes_ == 1) return look_up<std::uint8_t, std::uint8_t>(results, in, n, out);
  if (bytes) return look_up<std::uint8_t, std::uint16_t>(results, in, n, out);
  if (out_bytes_ == 1) return look_up<std::uint16_t, std::uint8_t>(results, in, n, out);
  look_up<std::uint16_t, std::uint16_t>(results, in, n, out);
}

ACT_VECTOR_CLONES bool PatternTable::any_outside(const std::uint8_t* in, unsigned n) const {
  if (outside_.empty()) return false;
  const bool bytes = in_bytes_ == 1;
  if (inside_.count != 0 &&
      !(bytes ? any_not_within<std::uint8_t>(inside_, in, n) : any_not_within<std::uint16_t>(inside_, in, n)))
    return false;
  return bytes ? any_flagged<std::uint8_t>(outside_, in, n) : any_flagged<std::uint16_t>(outside_, in, n);
}

}  // namespace act::sim::ops
