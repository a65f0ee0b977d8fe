// A function table as the kernels want it: thresholds as integer keys, octaves as words, records as dense
// rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "act/tables/evaluate.h"
#include "act/tables/vector_evaluate.h"

namespace act::kernels {

// How a direct function is computed from its two slots.
enum class DirectKind : std::uint8_t {
  unit,       // no square term, slopes 0 or 1: the input or nothing, plus d0
  linear,     // no square term
  square,     // the square of the input and nothing else
  quadratic,  // anything
};

// Where the octave words are looked up.
enum class Lookup : std::uint8_t {
  joint,     // both sides together have at most kPermute octaves: one register permute
  per_side,  // each side has: two permutes and a choice; the words of the positive side start at kPermute
  gather,    // from memory
};
inline constexpr std::size_t kPermute = 32;

// Index 0: positive side, 1: negative side. A key is the magnitude of an input as an integer: exponent and
// mantissa.
using PerSide = std::array<std::int32_t, 2>;

// One record: the part in binary32, then the part that only binary64 arithmetic reads. Never across cache
// lines.
struct alignas(32) Row {
  float d0, d1, x, unused;
  double d2, d3;
};

// The coefficients of one record for the quick cubic (quick.h).
struct alignas(16) QuickRow {
  float d0, d1, d2, d3;
};

// What does not depend on where an input lies. Kernels copy it before a loop: the compiler cannot know that
// results are not stored over it.
struct Constants {
  bool folds = false, to_negative = false;  // step 2
  bool recon_positive = false;              // step 7 is for inputs above zero instead of below
  bool invert_sign = false;
  float point = 0;
  float zero = 0, nan = 0, pinf = 0, ninf = 0;
  std::array<Row, 2> direct{};  // the high slots, for the direct form
  DirectKind direct_kind = DirectKind::quadratic;
  bool specials_follow = false;  // the direct form gives zeros and infinities their stored results
};

struct Prepared : Constants {
  // Keys above `high_after` take the high slot; of the others those up to `low_upto` the low slot.
  PerSide high_after{}, low_upto{};
  PerSide high_slot{}, low_slot{};  // record numbers
  // Keys cut to [least, greatest] have an octave: word number (key >> 23) + octave_base.
  PerSide least{}, greatest{}, octave_base{};
  // One word per octave: base << 5 | shift; the record of a key is base + (key >> shift).
  std::vector<std::int32_t> words;
  Lookup lookup = Lookup::joint;
  std::vector<Row> rows;        // all records
  std::vector<QuickRow> quick;  // the same records; empty where the quick cubic is not for this table
  PerSide high_centre{};        // where the high slots expand, as FP32 patterns
  // Keys above take `beyond_slot`: the record of the high slot again, for inputs so far away that the quick
  // cubic has no proof for them.
  PerSide high_upto{}, beyond_slot{};
};

// The kernels of one instruction set; any count, spans equal or disjoint.
struct Kernels {
  void (*table)(const Prepared& p, bool linear, const float* in, float* out, std::size_t n);
  void (*direct)(const Prepared& p, const float* in, float* out, std::size_t n);
  void (*parametric)(float alpha, const float* in, float* out, std::size_t n);
};

// The kernels for the instruction set in use; nullptr when that is "scalar".
const Kernels* active_kernels();

// The layout of a table. False when some input reaches no section.
bool lay_out(const FunctionTable& table, const EvalPolicy& policy, Prepared& p);
// Whether all sections and slots have d2 = d3 = +0 and expand on their own side, so that binary32 arithmetic
// is enough.
bool is_linear(const FunctionTable& table);
// Whether every non-zero finite input takes a high slot of the form d0 + d1 v + d2 v^2.
bool is_direct(const FunctionTable& table);
// How, once it is laid out.
void choose_direct(Prepared& p);

}  // namespace act::kernels
