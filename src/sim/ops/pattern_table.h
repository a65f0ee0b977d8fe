// An activation of 8- or 16-bit inputs with one scale and bias, tabulated: the stored result of every input
// pattern. Pays for itself on a large tensor, and whatever the function, an element costs one lookup then.
#pragma once

#include <cstring>
#include <utility>
#include <vector>

#include "act/numeric/alu_block.h"
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

  // Whether an instruction is of this kind and large enough.
  static bool pays(const Exec& x, const Operand& s, const Operand& d) {
    constexpr std::uint64_t kPerPattern =
        4;  // elements from which computing a pattern in advance is worth it
    return s.dense() && d.dense() && s.bytes <= 2 && d.bytes <= 2 && !x.policies().adjusts_values() &&
           d.count * d.channels >= kPerPattern << (8 * s.bytes);
  }

  PatternTable(const Exec& x, const FunctionStage& f, const Key& key)
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
      outside_.emplace_back(first, p - first);
    }
    f.evaluate(v, f32(key.slope));
    results_.resize(patterns);
    if (key.out == Dtype::bfloat16) {
      narrow_bf16(v.data(), patterns, policy, results_.data());
    } else {
      for (std::size_t p = 0; p < patterns; ++p)
        results_[p] = static_cast<std::uint16_t>(narrow(key.out, v[p], policy));
    }
  }

  const Key& key() const { return key_; }
  // Stored results of `n` stored inputs; the buffers are the same or disjoint.
  void apply(const std::uint8_t* in, unsigned n, std::uint8_t* out) const {
    if (in_bytes_ == 1)
      return out_bytes_ == 1 ? apply_as<std::uint8_t, std::uint8_t>(in, n, out)
                             : apply_as<std::uint8_t, std::uint16_t>(in, n, out);
    out_bytes_ == 1 ? apply_as<std::uint16_t, std::uint8_t>(in, n, out)
                    : apply_as<std::uint16_t, std::uint16_t>(in, n, out);
  }

  // Whether one of the inputs leaves the documented range of the function.
  bool any_outside(const std::uint8_t* in, unsigned n) const {
    if (outside_.empty()) return false;
    return in_bytes_ == 1 ? any_outside_as<std::uint8_t>(in, n) : any_outside_as<std::uint16_t>(in, n);
  }

 private:
  // The patterns outside are a few intervals: cheaper to compare with than to look up.
  template <class In>
  bool any_outside_as(const std::uint8_t* in, unsigned n) const {
    constexpr unsigned kPiece = 256;
    In patterns[kPiece];
    for (unsigned k = 0; k < n; k += kPiece) {
      const unsigned count = n - k < kPiece ? n - k : kPiece;
      std::memcpy(patterns, in + k * sizeof(In), count * sizeof(In));
      In found = 0;
      for (const auto& [first, length] : outside_) {
        const auto from = static_cast<In>(first), most = static_cast<In>(length);
        for (unsigned i = 0; i < count; ++i)
          found |= static_cast<In>(static_cast<In>(patterns[i] - from) < most);
      }
      if (found != 0) return true;
    }
    return false;
  }

  template <class In, class Out>
  void apply_as(const std::uint8_t* in, unsigned n, std::uint8_t* out) const {
    const std::uint16_t* results = results_.data();
    for (unsigned k = 0; k < n; ++k) {
      In pattern;
      std::memcpy(&pattern, in + k * sizeof(In), sizeof pattern);
      const auto value = static_cast<Out>(results[pattern]);
      std::memcpy(out + k * sizeof(Out), &value, sizeof value);
    }
  }

  Key key_;
  unsigned in_bytes_, out_bytes_;
  std::vector<std::uint16_t> results_;
  std::vector<std::pair<std::size_t, std::size_t>>
      outside_;  // patterns outside the range: first and how many
};

}  // namespace act::sim::ops
