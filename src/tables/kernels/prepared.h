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

struct Prepared {
  // Keys above `high_after` take the high slot; of the others those up to `low_upto` the low slot.
  PerSide high_after{}, low_upto{};
  PerSide high_slot{}, low_slot{};  // record numbers
  // Keys cut to [least, greatest] have an octave: word number (key >> 23) + octave_base.
  PerSide least{}, greatest{}, octave_base{};
  // One word per octave: base << 5 | shift; the record of a key is base + (key >> shift).
  std::vector<std::int32_t> words;
  Lookup lookup = Lookup::joint;
  std::vector<Row> rows;  // all records

  bool folds = false, to_negative = false;  // step 2
  bool recon_positive = false;              // step 7 is for inputs above zero instead of below
  bool invert_sign = false;
  float point = 0;
  float zero = 0, nan = 0, pinf = 0, ninf = 0;
  std::array<Row, 2> direct{};  // the high slots, for the direct form
  bool direct_linear = false;   // no square term
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

}  // namespace act::kernels
