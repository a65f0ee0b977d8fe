#include "pattern_table.h"

#include <algorithm>
#include <cstring>

#include "act/numeric/alu_block.h"
#include "act/numeric/clones.h"

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

// Whether a pattern is in an interval, without branches on the way.
template <class In>
inline bool any_within(const std::vector<PatternTable::Interval>& intervals, const std::uint8_t* in,
                       unsigned n) {
  In found = 0;
  for (const PatternTable::Interval& interval : intervals) {
    const auto from = static_cast<In>(interval.first), most = static_cast<In>(interval.count - 1);
    for (unsigned k = 0; k < n; ++k) {
      In pattern;
      std::memcpy(&pattern, in + k * sizeof(In), sizeof pattern);
      found |= static_cast<In>(static_cast<In>(pattern - from) <= most);
    }
  }
  return found != 0;
}

}  // namespace

PatternTable::PatternTable(const Exec& x, const FunctionStage& f, const Key& key)
    : key_(key), in_bytes_(dtype_bits(key.in) / 8), out_bytes_(dtype_bits(key.out) / 8) {
  const std::size_t patterns = std::size_t{1} << (8 * in_bytes_);
  const NumericPolicy policy = x.policies().numeric();
  std::vector<float> v(patterns);
  for (std::size_t p = 0; p < patterns; ++p) v[p] = widen(key.in, p, policy);
  multiply_add(v.data(), f32(key.factor), f32(key.addend), key.fused, static_cast<unsigned>(patterns),
               v.data());
  std::vector<std::uint8_t> flags;
  f.find_outside(v, flags);
  for (std::size_t p = 0; p < flags.size(); ++p) {
    if (flags[p] == 0) continue;
    const std::size_t first = p;
    while (p < flags.size() && flags[p] != 0) ++p;
    outside_.push_back({first, p - first});
  }
  f.evaluate(v, f32(key.slope));
  results_.resize(patterns);
  for (std::size_t p = 0; p < patterns; ++p)
    results_[p] = static_cast<std::uint16_t>(narrow(key.out, v[p], policy));
}

ACT_VECTOR_CLONES void PatternTable::apply(const std::uint8_t* in, unsigned n, std::uint8_t* out) const {
  const std::uint16_t* results = results_.data();
  if (in_bytes_ == 1 && out_bytes_ == 1) return look_up<std::uint8_t, std::uint8_t>(results, in, n, out);
  if (in_bytes_ == 1) return look_up<std::uint8_t, std::uint16_t>(results, in, n, out);
  if (out_bytes_ == 1) return look_up<std::uint16_t, std::uint8_t>(results, in, n, out);
  look_up<std::uint16_t, std::uint16_t>(results, in, n, out);
}

ACT_VECTOR_CLONES bool PatternTable::any_outside(const std::uint8_t* in, unsigned n) const {
  if (outside_.empty()) return false;
  return in_bytes_ == 1 ? any_within<std::uint8_t>(outside_, in, n)
                        : any_within<std::uint16_t>(outside_, in, n);
}

}  // namespace act::sim::ops
