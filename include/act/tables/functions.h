// The function catalog: one row per function with all that is known of it, and its reference values.
// Source: 02 sections 1, 2, 11 and 13. The rows stand in src/tables/functions.cc.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "act/tables/records.h"

namespace act {

// Slope of leaky_relu, and the alpha that parametric functions take when none is given (02 section 13).
inline constexpr float kLeakySlope = 0.01F;

enum class FunctionKind : std::uint8_t {
  resident,  // no sections: clamp slots only, budget 1
  table,     // a piecewise cubic
};

// Who knows the function.
enum class FunctionOrigin : std::uint8_t {
  shipped,    // one of the 36 functions of the vendor catalogs
  extension,  // ours, for tables a user builds
};

// Octaves a side stores: `lowest` is the unbiased exponent of the first; count 0 = the side stores nothing.
struct OctaveRange {
  int lowest = 0;
  int count = 0;
};

// Results for special inputs, as binary32 patterns.
struct SpecialBits {
  std::uint32_t pinf = 0, ninf = 0, zero = 0, nan = 0x7fc00000;
};

// One shipped variant: the N of the file name and the sections of its body.
struct FunctionBudget {
  int budget = 0;  // 0 = no such variant
  int lut_size = 0;
};

// d0, d1, d2 of a slot of a resident; d3 and x are zero.
using ResidentSlot = std::array<std::uint32_t, 3>;

// What a clamp slot of a table function holds (02 section 11).
enum class ClampRule : std::uint8_t {
  none,      // the side stores nothing: all members zero
  constant,  // d0 = bits
  edge,      // d0 = f at the first input that clamps
  identity,  // d1 = 1: the input itself
  taylor,    // Taylor polynomial about 0 up to degree `bits`
  chord,     // the line through the origin and f at the edge
  carry_on,  // Taylor cubic about the input whose pattern is `bits`, terms that only its rounding makes non-zero left out
};
struct Clamp {
  ClampRule rule = ClampRule::none;
  std::uint32_t bits = 0;
};

enum class Monotone : std::uint8_t { no, rising, falling };

// A zero of f: a table that keeps relative accuracy pins value and slope there.
struct Root {
  double x = 0;  // nearest binary64
  bool exists = false;
};

class Mp;
struct Jet;

// Reference bodies of one function; call them through the functions below.
struct FunctionBodies {
  double (*fast)(double x) = nullptr;                  // accurate binary64
  double (*closed)(double x, double alpha) = nullptr;  // the formula of 02 section 13, as written
  Mp (*exact)(const Mp& x) = nullptr;                  // value in MPFR
  Jet (*taylor)(const Jet& x) = nullptr;               // value and three derivatives in MPFR
};

struct FunctionInfo {
  std::string_view name;      // PWP name, "silu"
  std::string_view bir_name{};  // "Silu"; empty without an enum member
  int bir_ordinal = -1;       // -1 without an enum member
  int neuron_code = 0;        // = sunda_id: wire code of byte 0x23. Extensions carry placeholders from 192 on.
  int tonga_id = 0;           // published first-generation code; 0 = not published
  FunctionKind kind = FunctionKind::table;
  FunctionOrigin origin = FunctionOrigin::shipped;
  std::array<FunctionBudget, 2> budgets{};  // shipped variants, first the one of the simulator; extensions: none
  Symmetry symmetry{};
  OctaveRange neg{}, pos{};  // shipped octaves of a table function; suggested ones for an extension
  int resident_words = 0;  // ctrl words of a resident: 0..2
  SpecialBits specials{};
  Clamp low_neg{}, low_pos{}, high_neg{}, high_pos{};
  std::array<ResidentSlot, 4> slots{};  // residents: pos_low, neg_low, pos_high, neg_high
  float lower_bound = 0, upper_bound = 0;  // documented input range (P-30), not folded
  double lowest_value = 0, highest_value = 0;  // range of f over the bounds, for shape checks (G-9)
  Monotone monotone = Monotone::no;            // over the whole domain
  std::array<Root, 2> roots{};                 // roots of f, 0 included
  int shipped_degree = 3;     // of the shipped sections (sqrt: tangents, G-3)
  bool imm_bias = false;      // manifest field 11
  float fma_const0 = 0;       // manifest field 13
  int fma_selector = 0;       // manifest field 15
  std::string_view formula{};                    // closed form as text
  double rel_bound = 0;  // |reference - f| <= rel_bound * |f| + abs_bound wherever f is a normal binary32 number
  double abs_bound = 0;
  FunctionBodies bodies{};

  bool has_table() const { return kind == FunctionKind::table; }
  // Declared octaves of both sides = ctrl words.
  int octaves() const { return has_table() ? neg.count + pos.count : resident_words; }
  // Only inputs > 0 have a value (sqrt: >= 0).
  bool positive_only() const { return has_table() && !symmetry.enabled && neg.count == 0; }
  // The tonga id where published, else the neuron code (P-29).
  int tonga_func_id() const { return tonga_id != 0 ? tonga_id : neuron_code; }
};

// All functions: shipped ones first, in the order of 02 section 2, then the extensions.
std::span<const FunctionInfo> all_functions();

// By PWP name ("gelu_apprx_tanh") or BIR name ("Gelu_apprx_tanh"), exact spelling; nullptr when there is none.
const FunctionInfo* find_function(std::string_view name);
const FunctionInfo* find_function_by_code(int neuron_code);
const FunctionInfo* find_function_by_ordinal(int bir_ordinal);

// f(x) in binary64, error within rel_bound and abs_bound. Special inputs follow f itself, not the stored specials:
// NaN outside the domain, limits at infinity. parametric_relu uses kLeakySlope.
double reference(const FunctionInfo& function, double x);

// The closed form of 02 section 13 exactly as written there, cancellation included: binary64 from the binary32 input,
// rounded once to binary32 (P-18). Extensions: the reference, rounded. `alpha` is read by parametric functions only.
double closed_form64(const FunctionInfo& function, float x, float alpha = kLeakySlope);
float closed_form(const FunctionInfo& function, float x, float alpha = kLeakySlope);

// f(x) rounded to nearest-even binary32 (MPFR). Not for inner loops.
float correctly_rounded(const FunctionInfo& function, double x);

// f(x) as an unevaluated sum hi + lo (MPFR): about 106 bits.
struct DoubleDouble {
  double hi = 0, lo = 0;
};
DoubleDouble exact_value(const FunctionInfo& function, double x);

// Taylor coefficients f^(k)(x)/k!, k = 0..3, each rounded to nearest binary32 (02 section 17, G-2). One
// beyond binary32 becomes an infinity here; G-4 replaces it by 0.
std::array<float, 4> taylor_binary32(const FunctionInfo& function, double x);
// The same in binary64.
std::array<double, 4> taylor_binary64(const FunctionInfo& function, double x);

// Magnitude of the error of `got` in ULP of the correctly rounded f(x), measured against the exact value (the metric of
// numeric/ulp.h). 0 when both are NaN or the same infinity, infinite when only one of them is.
double ulp_error(const FunctionInfo& function, float x, float got);

}  // namespace act
