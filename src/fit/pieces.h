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
  const float selected = piece.mirrored ? -v : v;
  const Section& s = *piece.section;
  const float t = selected - s.x;
  const float p = t * s.d1 + s.d0;
  const double wide = t;
  const double square = wide * wide;
  const double r = static_cast<double>(p) + square * static_cast<double>(s.d2);
  const float y = static_cast<float>(square * wide * static_cast<double>(s.d3) + r);
  if (!piece.mirrored) return y;
  return (table.symmetry.invert_sign ? -y : y) + table.symmetry.point;
}

}  // namespace act::fit
