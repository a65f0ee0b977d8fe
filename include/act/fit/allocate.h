// Dividing a section budget over octaves (02 section 17, G-7).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>


namespace act::fit {

// What one octave costs and yields at every extract size.
struct OctaveChoices {
  std::vector<double> error;          // worst error at extract_size 0, 1, ...; infinite where impossible
  std::vector<std::size_t> sections;  // sections it takes there
  // A tolerance of its own: the octave takes the smallest size that meets it, or its best one (outer octaves of G-7).
  double own_tolerance = 0;  // 0 = shares the common one
};

// Smallest size whose error is at most `tolerance`, else the size of the smallest error.
std::size_t smallest_size(const OctaveChoices& octave, double tolerance);

// The sizes that meet a tolerance, whatever they cost. Octaves that cannot meet it take their best.
std::vector<std::size_t> allocate_tolerance(const std::vector<OctaveChoices>& octaves, double tolerance);

// The smallest worst error within `budget` sections; then the octaves that hold it up keep their size and the others are
// minimised again with what is left, until nothing improves. nullopt when even size 0 everywhere is too much.
std::optional<std::vector<std::size_t>> allocate_budget(const std::vector<OctaveChoices>& octaves, std::size_t budget);

}  // namespace act::fit
