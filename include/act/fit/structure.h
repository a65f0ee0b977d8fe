// The structure of a table: how its octaves are cut and where it clamps. What is known of the shipped structures (02
// section 17, G-5).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "act/tables/functions.h"

namespace act::fit {

// Cut of one side: octaves ascend from `lowest` in steps of one.
struct SideStructure {
  int lowest = 0;
  std::vector<std::uint32_t> extract_sizes;
  // First magnitude that takes the high slot: biased exponent and mantissa.
  std::uint32_t sat_point = 0, mantissa_point = 0;

  friend bool operator==(const SideStructure&, const SideStructure&) = default;

  // Octave i holds the sections that start below the threshold: all of them, fewer in the octave of the
  // threshold, none above it.
  std::size_t sections(std::size_t octave) const;
  std::size_t total() const;
  bool empty() const { return extract_sizes.empty(); }
};

// How sure the structure of a shipped table is.
enum class StructureSource : std::uint8_t {
  digest,   // reproduces a published digest
  rule,     // the rule G-4 finds it, and the published counts agree
  counted,  // only octaves and sections are known; the cut is ours
  own,      // a table without a shipped counterpart
};
std::string_view source_name(StructureSource source);  // "published digest", ...

struct Structure {
  SideStructure neg, pos;
  StructureSource source = StructureSource::own;

  std::size_t total() const { return neg.total() + pos.total(); }
};

// The shipped structure of a function and budget, where G-5 has one.
std::optional<Structure> known_structure(std::string_view function, int budget);

}  // namespace act::fit
