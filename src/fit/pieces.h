// All inputs of one sign and exponent, cut where the section changes.
#pragma once

#include <cstdint>
#include <vector>

#include "act/tables/evaluate.h"

namespace act::fit {

// Inputs first..last (patterns) that one cubic answers.
struct Piece {
  std::uint32_t first = 0, last = 0;
  const Section* section = nullptr;  // nullptr: no section answers
  bool mirrored = false;             // the fold is undone: negate if asked, add the point
};

// Pieces of the finite, non-zero inputs with this sign and biased exponent, ascending.
std::vector<Piece> pieces(const FunctionTable& table, bool negative, std::uint32_t biased_exponent);

// Value of a piece at an input, as evaluate() gives it. Inline for sweeps.
inline float piece_value(const FunctionTable& table, const Piece& piece, float v) {
  const float y = evaluate_cubic(*piece.section, piece.mirrored ? -v : v);
  if (!piece.mirrored) return y;
  return (table.symmetry.invert_sign ? -y : y) + table.symmetry.point;
}

}  // namespace act::fit
