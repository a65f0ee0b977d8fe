// The machine that tile blocks run on: tile registers, general registers, status, and the block being
// collected (04 sections 5 and 6). It follows the public model and was not verified on hardware.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "act/diag/result.h"
#include "act/tile/forms.h"
#include "act/tile/operation.h"
#include "act/tile/types.h"

namespace act::tile {

inline constexpr unsigned kRegisters = 64, kHandSize = 16;
inline constexpr std::uint32_t kMinCapacity = 128, kMaxCapacity = 65536, kMaxDimension = 65535;
inline constexpr std::uint64_t kResetTileCapacity = 262144;
inline constexpr unsigned kMaxTileBindings = 16, kMaxSharedBindings = 4;

// "T#1" for register 0 (T-06); index 0..63.
std::string register_name(unsigned index);

enum class TileLayout : std::uint8_t {
  row_major,
  column_major,
  zn,
  nz,
  cube_m32,
  cube_m16,
  cube_n8,
  implementation_defined
};
std::string_view layout_name(TileLayout layout);  // "RowMajor"
std::optional<TileLayout> find_layout(std::string_view name);

enum class Storage : std::uint8_t { numeric, predicate };

// Shape and type of a tile.
struct Descriptor {
  Storage storage = Storage::numeric;
  std::uint32_t capacity_bytes = 0;  // per participating PE
  std::uint32_t rows = 0, columns = 0, valid_rows = 0, valid_columns = 0;
  const TileType* type = nullptr;
  TileLayout layout = TileLayout::row_major;

  bool inside(std::uint32_t row, std::uint32_t column) const { return row < rows && column < columns; }
  bool valid(std::uint32_t row, std::uint32_t column) const {
    return row < valid_rows && column < valid_columns;
  }
  std::size_t elements() const { return std::size_t{rows} * columns; }
};

// Rows that a capacity holds: capacity * 8 / (columns * bits). Nothing when columns is no power of two, the
// division is not exact, or the result is outside 1..65535.
std::optional<std::uint32_t> derived_rows(std::uint64_t capacity_bytes, std::uint64_t columns,
                                          unsigned element_bits);
// The descriptor with rows derived; nothing when the shape or the capacity is illegal (04 section 5.2).
std::optional<Descriptor> make_descriptor(std::uint64_t capacity_bytes, std::uint64_t columns,
                                          std::uint64_t valid_rows, std::uint64_t valid_columns,
                                          const TileType& type, TileLayout layout,
                                          std::uint64_t tile_capacity);
bool descriptor_legal(const Descriptor& d, std::uint64_t tile_capacity);

// One tile register. One payload whatever the mask (T-08); elements are stored row by row for every layout.
struct Register {
  bool allocated = false;
  Descriptor shape;
  std::uint8_t mask = 0;      // PEs of the allocation, PE0 the most significant of 4 bits
  std::vector<Word> payload;  // low bits of each carrier; 0 where undefined
  std::vector<bool> defined;

  std::size_t index(std::uint32_t row, std::uint32_t column) const {
    return std::size_t{row} * shape.columns + column;
  }
  // Every element of the valid rectangle is defined.
  bool contents_defined() const;
  std::uint64_t charge_bytes() const;  // popcount(mask) * capacity
};

enum class Pad : std::uint8_t { zero, max, min, null };

// B.DATR as collected.
struct DataAttributes {
  unsigned cmode = 0;
  Pad pad = Pad::zero;
  unsigned sat = 0, canonicalize = 0, data_type = 0, rmode = 0, layout = 0;
};
struct ScalarBinding {
  unsigned dst = 0, src0 = 0, src1 = 0, src2 = 0;
};
// One participating B.IOT.
struct Binding {
  std::optional<unsigned> hand;  // of the destination
  unsigned size_code = 0;
  std::uint8_t mask = 0;
  std::optional<unsigned> src0, src1;  // register indices
  bool last = false;
  std::optional<unsigned> allocated;  // the destination register, once the operation has been executed
};
struct SharedBinding {
  unsigned tid = 0, size_code = 0;
  std::uint8_t mask = 0;
};

struct Block {
  bool active = false;
  const Operation* operation = nullptr;
  const TileType* type = nullptr;
  bool zero_participation = false;
  std::optional<DataAttributes> attributes;
  std::array<std::optional<Word>, 3> dimension;  // LB0, LB1, LB2
  std::optional<ScalarBinding> scalar;
  std::vector<Binding> bindings;
  std::vector<SharedBinding> shared;

  // Null without a B.DATR (04 section 5.3).
  Pad pad() const { return attributes ? attributes->pad : Pad::null; }
};

enum class Fault : std::uint8_t {
  none,
  illegal_instruction,
  bundle_control,
  tile_legality,
  tile_allocation,
  instruction_pc
};
std::string_view fault_name(Fault fault);  // "Fault_TileLegality"
unsigned trap_number(Fault fault);         // 4, 5 or 32; 0 for none
Code fault_code(Fault fault);              // of a diagnostic; not for none

// Why a command was refused. `check` is the number of the commit check in 04 section 7.2, 0 while the header
// is collected.
struct Refusal {
  Fault fault = Fault::none;
  unsigned check = 0;
  std::string why;
};
using Verdict = std::optional<Refusal>;  // nothing = accepted

// Sticky status flags; bit 0 stands at CORE_STATE[32].
inline constexpr std::string_view kStatusNames[] = {"NV", "DZ", "OF", "UF", "NX"};
inline constexpr std::uint8_t kInvalidFlag = 1;

struct State {
  std::array<Register, kRegisters> tiles;
  std::array<Word, 24> gpr{};  // register 0 reads as zero whatever stands here
  std::uint64_t tile_capacity = kResetTileCapacity;
  std::uint64_t shared_charge_bytes = 0;  // of Shared tiles, which are not modelled otherwise
  std::uint8_t status = 0;
  Word pc = 0;
  Block block;
  Fault last_fault = Fault::none;  // of the last command
  Word fault_address = 0;          // PC of the command that faulted last

  Word core_state() const { return Word{status} << 32; }
  // Sum over all allocated Local tiles and the Shared ones.
  std::uint64_t core_charge() const;
};

void reset(State& state);

// Set-up, as tests and the program use it. Errors: tile-setup.
// Allocates register `index` with nothing defined; replaces what it held.
act::Status configure_tile(State& state, unsigned index, std::uint64_t capacity_bytes, std::uint64_t columns,
                           std::uint64_t valid_rows, std::uint64_t valid_columns, const TileType& type,
                           TileLayout layout = TileLayout::row_major, std::uint8_t mask = 0b0001);
// An element inside the physical shape becomes defined; only the low element bits are kept. False outside the
// shape.
bool write_element(State& state, unsigned index, std::uint32_t row, std::uint32_t column, Word value);
// Nothing when the element is undefined (T-11) or outside the shape.
std::optional<Word> read_element(const State& state, unsigned index, std::uint32_t row, std::uint32_t column);
bool element_defined(const State& state, unsigned index, std::uint32_t row, std::uint32_t column);

// Header state set directly, without a command: LB0..LB2 (which 0..2), B.DATR, one more B.IOT record.
void set_dimension(State& state, unsigned which, Word value);
void set_data_attributes(State& state, const DataAttributes& attributes);
// Refused with BundleControl after a binding with last, TileLegality when sixteen stand already.
Verdict add_binding(State& state, Binding binding);

}  // namespace act::tile
