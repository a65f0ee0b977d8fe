#include "fit/pieces.h"

#include <algorithm>

namespace act::fit {
namespace {

constexpr std::uint32_t kSignBit = 0x80000000, kMantissa = 0x7fffff;

// Largest run of inputs from `first` on that may share a section: to the end of the octave's section or the
// input before the next threshold.
std::uint32_t run_end(const Side& side, std::uint32_t magnitude) {
  std::uint32_t end = magnitude | kMantissa;
  const std::uint32_t high = side.high.sat_point << 23 | side.high.mantissa_point;
  if (magnitude < high) end = std::min(end, high - 1);
  const std::uint32_t low = side.low.sat_point << 23 | side.low.mantissa_point;
  if (magnitude <= low) end = std::min(end, low);
  if (side.octaves.empty() || magnitude >= high || magnitude <= low) return end;
  const int index = static_cast<int>(magnitude >> 23) - 127 - side.octaves.front().exponent;
  if (index < 0 || static_cast<std::size_t>(index) >= side.octaves.size()) return end;
  const std::uint32_t width = 1U << (23 - side.octaves[static_cast<std::size_t>(index)].extract_size);
  return std::min(end, magnitude | (width - 1));
}

}  // namespace

std::vector<Piece> pieces(const FunctionTable& table, bool negative, std::uint32_t biased_exponent) {
  std::vector<Piece> found;
  const std::uint32_t sign = negative ? kSignBit : 0;
  std::uint32_t at = std::max(biased_exponent << 23, 1U);
  const std::uint32_t last = biased_exponent << 23 | kMantissa;
  while (at <= last) {
    const float v = bits_float(at | sign);
    const float selected = fold(table, v);
    EvalPath path = EvalPath::unhandled;
    Piece piece;
    piece.section = find_section(table, selected, path);
    piece.mirrored = table.symmetry.enabled && (v < 0) != (selected < 0);
    const std::uint32_t end = std::min(run_end(table.side(selected < 0), at), last);
    piece.first = at | sign;
    piece.last = end | sign;
    found.push_back(piece);
    at = end + 1;
  }
  return found;
}

}  // namespace act::fit
