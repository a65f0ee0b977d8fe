// The plain data of a table catalog: sections, octaves, clamp slots, function tables, sets, catalogs.
// Everything that a blob, a manifest or a profile says is derived from these types and from nothing else
// (02 sections 7, 8, 10). Index layout (starts, bases, pointers) is never stored; layout.h computes it.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace act {

inline std::uint32_t float_bits(float value) { return std::bit_cast<std::uint32_t>(value); }
inline float bits_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }

// One cubic: d0 + d1 t + d2 t^2 + d3 t^3 with t = input - x (02 section 8.1). The floats are carriers of bits: a
// NaN payload or a subnormal survives reading and writing.
struct Section {
  float d0 = 0, d1 = 0, d2 = 0, d3 = 0, x = 0;
  // Equality of bits: NaN equals itself, +0 and -0 differ.
  friend bool operator==(const Section& a, const Section& b) {
    return float_bits(a.d0) == float_bits(b.d0) && float_bits(a.d1) == float_bits(b.d1) &&
           float_bits(a.d2) == float_bits(b.d2) && float_bits(a.d3) == float_bits(b.d3) &&
           float_bits(a.x) == float_bits(b.x);
  }
};

// All inputs of one unbiased exponent, cut into 2^extract_size sections by the top mantissa bits. `sections` is the
// materialised part, possibly shorter than the capacity, and empty for an octave that stores nothing.
struct Octave {
  int exponent = 0;               // unbiased, -127..128
  std::uint32_t extract_size = 0;  // 0..11
  std::vector<Section> sections;

  std::size_t capacity() const { return std::size_t{1} << extract_size; }
  friend bool operator==(const Octave&, const Octave&) = default;
};

// A saturation region: where it starts, and the cubic used there.
struct ClampPoint {
  std::uint32_t sat_point = 0;       // biased exponent 0..255
  std::uint32_t mantissa_point = 0;  // 23 bits
  Section section;
  friend bool operator==(const ClampPoint&, const ClampPoint&) = default;
};

// The table of the inputs of one sign: octaves ascending in exponent from FunctionTable::exponent_offset in steps of
// one; none on a side that stores nothing.
struct Side {
  std::vector<Octave> octaves;
  ClampPoint low, high;

  std::size_t section_count() const {
    std::size_t n = 0;
    for (const Octave& o : octaves) n += o.sections.size();
    return n;
  }
  friend bool operator==(const Side&, const Side&) = default;
};

// Fold of the input onto one side and its undoing (02 section 12, steps 2 and 7).
struct Symmetry {
  bool enabled = false;
  bool invert_sign = false;
  bool use_neg_region = false;
  float point = 0;
  friend bool operator==(const Symmetry& a, const Symmetry& b) {
    return a.enabled == b.enabled && a.invert_sign == b.invert_sign && a.use_neg_region == b.use_neg_region &&
           float_bits(a.point) == float_bits(b.point);
  }
};

struct StoredSpecials {
  float zero = 0, nan = 0, pinf = 0, ninf = 0;
  friend bool operator==(const StoredSpecials& a, const StoredSpecials& b) {
    return float_bits(a.zero) == float_bits(b.zero) && float_bits(a.nan) == float_bits(b.nan) &&
           float_bits(a.pinf) == float_bits(b.pinf) && float_bits(a.ninf) == float_bits(b.ninf);
  }
};

inline constexpr int kNoOctaveOffset = 128;  // exponent_offset of a function without octaves (parametric_relu)

// One function of one budget: the content of a manifest record and of its part of the two blobs, and of a profile.
struct FunctionTable {
  std::string name;        // bare: "exp"
  std::uint32_t budget = 1;  // the N of "_Np"
  std::uint32_t func_id = 0;  // code in the id space of the catalog it came from
  Side neg, pos;
  Symmetry symmetry;
  StoredSpecials specials;
  std::uint32_t imm_bias = 0;
  int exponent_offset = kNoOctaveOffset;
  float fma_const0 = 0, fma_const1 = 0;
  std::uint32_t fma_indirection_src_sel = 0;
  float lower_bound = 0, upper_bound = 0;  // as stored: of the folded input where it is folded onto its magnitude
  bool use_multipass = false;

  // Materialised sections of both sides (the lut_size of the books).
  std::size_t lut_size() const { return neg.section_count() + pos.section_count(); }
  // Declared octaves of both sides = ctrl words.
  std::size_t octave_count() const { return neg.octaves.size() + pos.octaves.size(); }
  // Records in the bkt blob: sections, then the four clamp slots.
  std::size_t record_count() const { return lut_size() + 4; }
  // A resident has no table body.
  bool resident() const { return lut_size() == 0; }
  const Side& side(bool negative) const { return negative ? neg : pos; }
  Side& side(bool negative) { return negative ? neg : pos; }

  friend bool operator==(const FunctionTable& a, const FunctionTable& b) {
    return a.name == b.name && a.budget == b.budget && a.func_id == b.func_id && a.neg == b.neg && a.pos == b.pos &&
           a.symmetry == b.symmetry && a.specials == b.specials && a.imm_bias == b.imm_bias &&
           a.exponent_offset == b.exponent_offset && float_bits(a.fma_const0) == float_bits(b.fma_const0) &&
           float_bits(a.fma_const1) == float_bits(b.fma_const1) &&
           a.fma_indirection_src_sel == b.fma_indirection_src_sel &&
           float_bits(a.lower_bound) == float_bits(b.lower_bound) &&
           float_bits(a.upper_bound) == float_bits(b.upper_bound) && a.use_multipass == b.use_multipass;
  }
};

// "exp_400p" for exp with budget 400; "ln_4p_1mp" for the pass "ln_1mp" of a multipass function (02 section 14).
std::string budgeted_name(std::string_view name, std::uint32_t budget);
inline std::string budgeted_name(const FunctionTable& f) { return budgeted_name(f.name, f.budget); }
// The inverse: {"exp", 400} of "exp_400p"; budget 0 when the name carries none (then the name is whole).
std::pair<std::string, std::uint32_t> split_budgeted_name(std::string_view name);

// A function table and what only the per-function profile file says of it (02 section 7).
struct Profile {
  FunctionTable table;
  std::uint32_t neuron_id = 0, sunda_id = 0, tonga_id = 0;
  float max_diff = 0;
};

// An ordered `act` map: function name -> budget.
using ActMap = std::vector<std::pair<std::string, std::uint32_t>>;

// One line of the roster (act_info.json). The file names are authoritative.
struct RosterRow {
  std::string name, bkt_bin, ctrl_bin, profile_json;
  ActMap act;
  friend bool operator==(const RosterRow&, const RosterRow&) = default;
};

// The row with the file names that follow from `name`: "<name>_bkt.bin", "<name>_ctrl.bin", "<name>.json".
RosterRow standard_row(std::string_view name, ActMap act = {});

// A loadable set. `functions` stand in layout order (manifest order = act order = block order in both blobs).
struct TableSet {
  RosterRow row;
  bool present = true;  // false: in the roster, its files absent (a catalog out of a container)
  std::vector<FunctionTable> functions;

  const std::string& name() const { return row.name; }
  // The table of a bare name, or nullptr.
  const FunctionTable* find(std::string_view function) const;
};

// A set whose roster row (file names, act map) follows from its name and functions.
TableSet make_set(std::string_view name, std::vector<FunctionTable> functions);

// Which codes a catalog carries in func_id; told by the ctrl stride alone (02 section 6).
enum class IdSpace : std::uint8_t { sunda, tonga };

inline constexpr std::size_t kBktStride = 32;
inline constexpr std::size_t ctrl_stride(IdSpace ids) { return ids == IdSpace::tonga ? 16 : 32; }

// A directory in the shipped layout. The position of a set in `sets` is the index that a load names.
struct Catalog {
  std::string label;  // what to call it in a message: directory, container, or embedded name
  IdSpace id_space = IdSpace::sunda;
  std::vector<TableSet> sets;

  // The set of a name, or nullptr; its index, or -1.
  const TableSet* find_set(std::string_view name) const;
  int set_index(std::string_view name) const;
  // First present set that holds the function, or nullptr.
  const TableSet* set_with(std::string_view function) const;
};

}  // namespace act
