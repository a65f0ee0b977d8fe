// Structures of our own for `taylor`, where only the counts of the shipped ones are known.
#include <algorithm>

#include "act/fit/frame.h"
#include "act/fit/taylor.h"
#include "act/fit/threshold.h"
#include "fit/allocate.h"
#include "fit/measure.h"

namespace act::fit {
namespace {

constexpr int kSamples = 9;

float exactly_rounded(const FunctionInfo& function, float x) { return correctly_rounded(function, x); }

// An octave to be cut.
struct OpenOctave {
  bool negative = false;
  std::size_t index = 0;  // within its side
  int exponent = 0;
};

SideStructure uncut_side(const FunctionInfo& function, bool negative, int budget) {
  const OctaveRange& range = negative ? function.neg : function.pos;
  if (range.count == 0) return {};
  const auto limit = static_cast<std::uint32_t>(range.lowest + range.count + 127) << 23;
  const std::uint32_t threshold = high_threshold(function, negative, limit, budget, exactly_rounded);
  return {range.lowest, std::vector<std::uint32_t>(static_cast<std::size_t>(range.count)), threshold >> 23,
          threshold & 0x7fffff};
}

double octave_error(Model& model, const OpenOctave& octave, std::uint32_t last, int size) {
  double worst = 0;
  const auto extract_size = static_cast<std::uint32_t>(size);
  for (std::size_t i = 0;; ++i) {
    const SectionRange range = section_range(octave.exponent, extract_size, i);
    if (i >> extract_size != 0 || range.lo > last) return worst;
    const Section section = taylor_section(model.function(), octave.negative, octave.exponent, extract_size, i);
    worst = std::max(worst, sampled_error(model, section, octave.negative, range.lo, std::min(range.hi, last), kSamples));
  }
}

}  // namespace

std::optional<Structure> taylor_structure(const FunctionInfo& function, int budget, int sections) {
  Structure structure{uncut_side(function, true, budget), uncut_side(function, false, budget),
                      StructureSource::counted};
  std::vector<OpenOctave> open;
  std::vector<OctaveDemand> demands;
  for (const bool negative : {true, false}) {
    const SideStructure& side = negative ? structure.neg : structure.pos;
    for (std::size_t i = 0; i < side.extract_sizes.size(); ++i) {
      if (side.sections(i) == 0) continue;
      const int exponent = side.lowest + static_cast<int>(i);
      const bool top = static_cast<std::uint32_t>(exponent + 127) == side.sat_point;
      open.push_back({negative, i, exponent});
      demands.push_back({false, top ? side.mantissa_point - 1 : 0x7fffff});
    }
  }
  const std::vector<OctaveDemand> ends = demands;
  Model model(function);
  Allocator allocator(std::move(demands), sections, 0, [&](std::size_t i, int size) {
    const std::uint32_t last = static_cast<std::uint32_t>(open[i].exponent + 127) << 23 | ends[i].last_mantissa;
    return octave_error(model, open[i], last, size);
  });
  if (!allocator.settle()) return std::nullopt;
  allocator.spend();
  for (std::size_t i = 0; i < open.size(); ++i) {
    SideStructure& side = open[i].negative ? structure.neg : structure.pos;
    side.extract_sizes[open[i].index] = static_cast<std::uint32_t>(allocator.size(i));
  }
  return structure;
}

}  // namespace act::fit
