// What a table holds besides its fitted sections: names, codes, fold, specials, bounds, thresholds, clamp slots
// (02 section 11). Shared by every fitting method.
#pragma once

#include "act/fit/structure.h"
#include "act/tables/functions.h"
#include "act/tables/records.h"

namespace act::fit {

// Bounds as the manifest has them, those of the folded input: the one nearest to zero is 0, or the least documented
// magnitude of a function with a pole there (P-30; docs/decisions.md).
void store_bounds(FunctionTable& table, const FunctionInfo& function);

// Name, budget, code in the id space, fold, specials, bounds; no octaves yet.
FunctionTable table_frame(const FunctionInfo& function, int budget, IdSpace ids);

// The complete table of a resident.
FunctionTable resident_table(const FunctionInfo& function, IdSpace ids);

// Input patterns of one section, both ends inclusive, on the magnitude.
struct SectionRange {
  std::uint32_t lo = 0, hi = 0;
};
SectionRange section_range(int exponent, std::uint32_t extract_size, std::size_t index);

// G-1: centre of the section's full width, sign added.
float breakpoint(const SectionRange& range, bool negative);

// A clamp slot by the rule of its row. `edge` is the magnitude of the first input that clamps.
Section clamp_section(const FunctionInfo& function, const Clamp& clamp, bool negative, float edge);

// Thresholds (G-10) and clamp slots of both sides of a table function, from its structure and its row.
void place_clamps(FunctionTable& table, const FunctionInfo& function, const Structure& structure);

// Fills the octaves of both sides: `make(negative, exponent, extract_size, index)` gives one section.
template <class Make>
void fill_octaves(FunctionTable& table, const Structure& structure, Make make) {
  for (const bool negative : {true, false}) {
    const SideStructure& cut = negative ? structure.neg : structure.pos;
    Side& side = table.side(negative);
    side.octaves.clear();
    for (std::size_t i = 0; i < cut.extract_sizes.size(); ++i) {
      Octave octave{cut.lowest + static_cast<int>(i), cut.extract_sizes[i], {}};
      const std::size_t count = cut.sections(i);
      octave.sections.reserve(count);
      for (std::size_t s = 0; s < count; ++s)
        octave.sections.push_back(make(negative, octave.exponent, octave.extract_size, s));
      side.octaves.push_back(std::move(octave));
    }
  }
}

}  // namespace act::fit
