#include "act/fit/rule.h"

#include <tbb/parallel_for.h>

#include <algorithm>

#include "act/fit/frame.h"
#include "act/fit/taylor.h"
#include "act/fit/threshold.h"
#include "act/tables/evaluate.h"
#include "fit/pieces.h"
#include "tables/function_math.h"

namespace act::fit {
namespace {

constexpr std::uint32_t kLargestSize = 10;
// A first look at a size before every input is compared.
constexpr std::uint32_t kProbes = 64;

// 1.702 as binary32.
constexpr double kRoundedSlope = 1.702F;

class OctaveSearch {
 public:
  OctaveSearch(const FunctionInfo& function, int budget, bool negative, int exponent, std::uint32_t last,
               std::uint32_t stride)
      : f_(function), budget_(budget), negative_(negative), exponent_(exponent), last_(last), stride_(stride) {}

  std::uint32_t smallest_size() const {
    for (std::uint32_t size = 0; size < kLargestSize; ++size)
      if (holds(size, (1U << (23 - size)) / kProbes + 1) && holds(size, stride_)) return size;
    return kLargestSize;
  }

 private:
  bool holds(std::uint32_t size, std::uint32_t stride) const {
    for (std::size_t i = 0; i >> size == 0; ++i) {
      const SectionRange range = section_range(exponent_, size, i);
      if (range.lo > last_) return true;
      const Section section = taylor_section(f_, negative_, exponent_, size, i);
      const std::uint32_t hi = std::min(range.hi, last_);
      for (std::uint32_t m = range.lo; m <= hi; m += stride)
        if (!near(section, m)) return false;
      if (!near(section, hi)) return false;
    }
    return true;
  }

  bool near(const Section& section, std::uint32_t magnitude) const {
    static const FunctionTable kNoFold;
    const float x = bits_float(magnitude | (negative_ ? 0x80000000U : 0U));
    return within_ulps(piece_value(kNoFold, {0, 0, &section, false}, x), rule_value(f_, x), budget_);
  }

  const FunctionInfo& f_;
  int budget_;
  bool negative_;
  int exponent_;
  std::uint32_t last_, stride_;
};

SideStructure search_side(const FunctionInfo& function, int budget, bool negative, std::uint32_t stride) {
  const OctaveRange& range = negative ? function.neg : function.pos;
  if (range.count == 0) return {};
  const std::uint32_t threshold = high_threshold(function, negative, 0x7f800000, budget, rule_value, kUnsteadyInputs);
  SideStructure side{range.lowest, {}, threshold >> 23, threshold & 0x7fffff};
  // The octave of the threshold is declared even where it starts with it (reciprocal).
  const int top = static_cast<int>(threshold >> 23) - 127;
  side.extract_sizes.resize(static_cast<std::size_t>(top - range.lowest + 1));
  tbb::parallel_for(std::size_t{0}, side.extract_sizes.size(), [&](std::size_t i) {
    if (side.sections(i) == 0) return;
    const int exponent = range.lowest + static_cast<int>(i);
    const std::uint32_t end = static_cast<std::uint32_t>(exponent + 127) << 23 | 0x7fffff;
    side.extract_sizes[i] =
        OctaveSearch(function, budget, negative, exponent, std::min(end, threshold - 1), stride).smallest_size();
  });
  return side;
}

}  // namespace

float rule_value(const FunctionInfo& function, float x) {
  if (function.name == "gelu_apprx_sigmoid") return static_cast<float>(x * (1 / (std::exp(-(kRoundedSlope * x)) + 1)));
  if (function.name == "derivative_gelu_apprx_sigmoid")
    return static_cast<float>(math::closed_d_silu(kRoundedSlope * x));
  return closed_form(function, x);
}

Structure rule_structure(const FunctionInfo& function, int budget, std::uint32_t stride) {
  return {search_side(function, budget, true, stride), search_side(function, budget, false, stride),
          StructureSource::rule};
}

}  // namespace act::fit
