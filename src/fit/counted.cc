// Structures of the shipped functions of which only the counts are known: our own cut within those counts.
#include <algorithm>
#include <limits>

#include "act/fit/allocate.h"
#include "act/fit/frame.h"
#include "act/fit/measure.h"
#include "act/fit/taylor.h"
#include "act/fit/threshold.h"

namespace act::fit {
namespace {

constexpr std::uint32_t kLargestSize = 10;
constexpr int kSamples = 9;
// Below this an octave needs no finer cut: the rounding of the last steps is all that is left.
constexpr double kFloor = 1.0;

float accurately_rounded(const FunctionInfo& function, float x) {
  return static_cast<float>(reference(function, x));
}

SideStructure frame_of(const FunctionInfo& function, bool negative, int budget) {
  const OctaveRange& range = negative ? function.neg : function.pos;
  if (range.count == 0) return {};
  SideStructure side{range.lowest, std::vector<std::uint32_t>(static_cast<std::size_t>(range.count)), 0, 0};
  const auto limit = static_cast<std::uint32_t>(range.lowest + range.count + 127) << 23;
  const std::uint32_t threshold = high_threshold(function, negative, limit, budget, accurately_rounded);
  side.sat_point = threshold >> 23;
  side.mantissa_point = threshold & 0x7fffff;
  return side;
}

OctaveChoices choices_of(const FunctionInfo& function, bool negative, SideStructure side, std::size_t octave) {
  OctaveChoices choices;
  const int exponent = side.lowest + static_cast<int>(octave);
  for (std::uint32_t size = 0; size <= kLargestSize; ++size) {
    side.extract_sizes[octave] = size;
    const std::size_t count = side.sections(octave);
    double worst = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const SectionRange range = section_range(exponent, size, i);
      const Section section = taylor_section(function, negative, exponent, size, i);
      worst = std::max(worst, sampled_error(function, section, negative, range.lo, range.hi, kSamples));
    }
    choices.error.push_back(worst);
    choices.sections.push_back(count);
    if (worst <= kFloor) break;
  }
  return choices;
}

}  // namespace

std::optional<Structure> taylor_structure(const FunctionInfo& function, int budget, std::size_t sections) {
  Structure structure{frame_of(function, true, budget), frame_of(function, false, budget), StructureSource::counted};
  std::vector<OctaveChoices> choices;
  for (const bool negative : {true, false}) {
    const SideStructure& side = negative ? structure.neg : structure.pos;
    for (std::size_t i = 0; i < side.extract_sizes.size(); ++i)
      choices.push_back(choices_of(function, negative, side, i));
  }
  const auto sizes = allocate_budget(choices, sections);
  if (!sizes) return std::nullopt;
  std::size_t at = 0;
  for (SideStructure* side : {&structure.neg, &structure.pos})
    for (std::uint32_t& size : side->extract_sizes) size = static_cast<std::uint32_t>((*sizes)[at++]);
  return structure;
}

}  // namespace act::fit
