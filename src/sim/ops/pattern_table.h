// An activation of 8- or 16-bit inputs with one scale and bias, tabulated: the stored result of every input
// pattern. Pays for itself on a large tensor, and whatever the function, an element costs one lookup then.
#pragma once

#include <vector>

#include "function_stage.h"

namespace act::sim::ops {

class PatternTable {
 public:
  struct Key {
    const FunctionTable* table = nullptr;
    std::uint32_t factor = 0, addend = 0, slope = 0;  // FP32 patterns
    bool fused = false;
    Dtype in = Dtype::invalid, out = Dtype::invalid;
    friend bool operator==(const Key&, const Key&) = default;
  };
  // Patterns [first, first + count).
  struct Interval {
    std::size_t first, count;
  };
  // Results there are (pattern & keep) ^ flip: the pattern with bits flipped, or one value.
  struct Run {
    Interval where;
    std::uint16_t keep, flip;
  };
  // Functions like relu, abs and sign are so few runs that comparing is cheaper than looking up.
  static constexpr std::size_t kFewRuns = 4, kMostRuns = 6;

  // Whether an instruction is of this kind and large enough.
  static bool pays(const Exec& x, const Operand& s, const Operand& d) {
    constexpr std::uint64_t kPerPattern =
        4;  // elements from which computing a pattern in advance is worth it
    return s.dense() && d.dense() && s.bytes <= 2 && d.bytes <= 2 && !x.policies().adjusts_values() &&
           d.count * d.channels >= kPerPattern << (8 * s.bytes);
  }

  PatternTable(const Exec& x, const FunctionStage& f, const Key& key);

  const Key& key() const { return key_; }
  // Stored results of `n` stored inputs; the buffers are the same or disjoint.
  void apply(const std::uint8_t* in, unsigned n, std::uint8_t* out) const;
  // Whether one of the inputs leaves the documented range of the function.
  bool any_outside(const std::uint8_t* in, unsigned n) const;

 private:
  Key key_;
  unsigned in_bytes_, out_bytes_;
  std::vector<std::uint16_t> results_;
  std::vector<Run> runs_;              // none, kFewRuns or kMostRuns of them
  std::vector<std::uint8_t> outside_;  // by pattern: it leaves the documented range; empty when none does
  Interval inside_{};                  // the most patterns in a row that do not: most tensors have no other
};

}  // namespace act::sim::ops
