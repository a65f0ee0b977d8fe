#include "act/tile/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace act::tile {
namespace {

constexpr std::string_view kLayoutNames[] = {"RowMajor", "ColumnMajor", "ZN",     "NZ",
                                             "CubeM32",  "CubeM16",     "CubeN8", "ImplementationDefined"};

struct FaultRow {
  std::string_view name;
  unsigned trap;
  Code code;
};
constexpr FaultRow kFaults[] = {
    {"none", 0, Code::illegal_instruction},
    {"Fault_IllegalInstruction", 4, Code::illegal_instruction},
    {"Fault_BundleControl", 5, Code::bundle_control},
    {"Fault_TileLegality", 5, Code::tile_legality},
    {"Fault_TileAllocation", 5, Code::tile_allocation},
    {"Fault_InstructionPC", 32, Code::instruction_pc},
};
const FaultRow& row(Fault fault) { return kFaults[static_cast<std::size_t>(fault)]; }

}  // namespace

std::string register_name(unsigned index) {
  return fmt::format("{}#{}", kHandTable.choices[index / kHandSize % 4].name, index % kHandSize + 1);
}

std::string_view layout_name(TileLayout layout) { return kLayoutNames[static_cast<std::size_t>(layout)]; }

std::optional<TileLayout> find_layout(std::string_view name) {
  const auto* found = std::find(std::begin(kLayoutNames), std::end(kLayoutNames), name);
  if (found == std::end(kLayoutNames)) return std::nullopt;
  return static_cast<TileLayout>(found - std::begin(kLayoutNames));
}

std::string_view fault_name(Fault fault) { return row(fault).name; }
unsigned trap_number(Fault fault) { return row(fault).trap; }
Code fault_code(Fault fault) { return row(fault).code; }

std::optional<std::uint32_t> derived_rows(std::uint64_t capacity_bytes, std::uint64_t columns,
                                          unsigned element_bits) {
  if (columns > kMaxDimension || !std::has_single_bit(columns) || capacity_bytes > kMaxCapacity)
    return std::nullopt;
  const std::uint64_t bits = capacity_bytes * 8, per_row = columns * element_bits;
  const std::uint64_t rows = bits / per_row;
  if (bits % per_row != 0 || rows < 1 || rows > kMaxDimension) return std::nullopt;
  return static_cast<std::uint32_t>(rows);
}

std::optional<Descriptor> make_descriptor(std::uint64_t capacity_bytes, std::uint64_t columns,
                                          std::uint64_t valid_rows, std::uint64_t valid_columns,
                                          const TileType& type, TileLayout layout,
                                          std::uint64_t tile_capacity) {
  const bool capacity_legal = capacity_bytes % kMinCapacity == 0 && capacity_bytes >= kMinCapacity &&
                              capacity_bytes <= kMaxCapacity && capacity_bytes <= tile_capacity;
  if (!capacity_legal) return std::nullopt;
  const auto rows = derived_rows(capacity_bytes, columns, type.bits);
  if (!rows || valid_rows > *rows || valid_columns > columns) return std::nullopt;
  Descriptor d;
  d.capacity_bytes = static_cast<std::uint32_t>(capacity_bytes);
  d.rows = *rows;
  d.columns = static_cast<std::uint32_t>(columns);
  d.valid_rows = static_cast<std::uint32_t>(valid_rows);
  d.valid_columns = static_cast<std::uint32_t>(valid_columns);
  d.type = &type;
  d.layout = layout;
  return d;
}

bool descriptor_legal(const Descriptor& d, std::uint64_t tile_capacity) {
  if (d.type == nullptr) return false;
  const auto made = make_descriptor(d.capacity_bytes, d.columns, d.valid_rows, d.valid_columns, *d.type,
                                    d.layout, tile_capacity);
  return made && made->rows == d.rows;
}

bool Register::contents_defined() const {
  if (!allocated) return false;
  for (std::uint32_t r = 0; r < shape.valid_rows; ++r)
    for (std::uint32_t c = 0; c < shape.valid_columns; ++c)
      if (!defined[index(r, c)]) return false;
  return true;
}

std::uint64_t Register::charge_bytes() const {
  return allocated ? std::uint64_t{shape.capacity_bytes} * static_cast<unsigned>(std::popcount(mask)) : 0;
}

std::uint64_t State::core_charge() const {
  std::uint64_t sum = shared_charge_bytes;
  for (const Register& r : tiles) sum += r.charge_bytes();
  return sum;
}

void reset(State& state) { state = State{}; }

Status configure_tile(State& state, unsigned index, std::uint64_t capacity_bytes, std::uint64_t columns,
                      std::uint64_t valid_rows, std::uint64_t valid_columns, const TileType& type,
                      TileLayout layout, std::uint8_t mask) {
  const auto refuse = [](std::string message, std::string value, std::string allowed) {
    Diagnostic d = make_error(Code::tile_setup, std::move(message));
    d.value = std::move(value);
    d.allowed = std::move(allowed);
    return d;
  };
  if (index >= kRegisters) return refuse("there is no such tile register", fmt::format("{}", index), "0..63");
  const auto shape =
      make_descriptor(capacity_bytes, columns, valid_rows, valid_columns, type, layout, state.tile_capacity);
  if (!shape)
    return refuse(fmt::format("{}: the shape is illegal for this capacity", register_name(index)),
                  fmt::format("{} bytes, {} columns, valid {}x{}, {}", capacity_bytes, columns, valid_rows,
                              valid_columns, type.name),
                  "capacity a multiple of 128 up to 65536, columns a power of two, 1 to 65535 rows that fill "
                  "the capacity and "
                  "hold the valid rectangle");
  Register fresh;
  fresh.allocated = true;
  fresh.shape = *shape;
  fresh.mask = mask & 15;
  const std::uint64_t others = state.core_charge() - state.tiles[index].charge_bytes();
  if (others + fresh.charge_bytes() > state.tile_capacity)
    return refuse(fmt::format("{}: the tiles together exceed TILE_CAPACITY", register_name(index)),
                  fmt::format("{} bytes", others + fresh.charge_bytes()),
                  fmt::format("{} bytes", state.tile_capacity));
  fresh.payload.assign(shape->elements(), 0);
  fresh.defined.assign(shape->elements(), false);
  state.tiles[index] = std::move(fresh);
  return Done{};
}

namespace {
const Register* holding(const State& state, unsigned index, std::uint32_t row, std::uint32_t column) {
  if (index >= kRegisters || !state.tiles[index].allocated || !state.tiles[index].shape.inside(row, column))
    return nullptr;
  return &state.tiles[index];
}
}  // namespace

bool write_element(State& state, unsigned index, std::uint32_t row, std::uint32_t column, Word value) {
  if (holding(state, index, row, column) == nullptr) return false;
  Register& r = state.tiles[index];
  r.payload[r.index(row, column)] = value & r.shape.type->element_mask();
  r.defined[r.index(row, column)] = true;
  return true;
}

std::optional<Word> read_element(const State& state, unsigned index, std::uint32_t row,
                                 std::uint32_t column) {
  const Register* r = holding(state, index, row, column);
  if (r == nullptr || !r->defined[r->index(row, column)]) return std::nullopt;
  return r->payload[r->index(row, column)];
}

bool element_defined(const State& state, unsigned index, std::uint32_t row, std::uint32_t column) {
  return read_element(state, index, row, column).has_value();
}

void set_dimension(State& state, unsigned which, Word value) { state.block.dimension.at(which) = value; }
void set_data_attributes(State& state, const DataAttributes& attributes) {
  state.block.attributes = attributes;
}

Verdict add_binding(State& state, Binding binding) {
  auto& list = state.block.bindings;
  if (std::any_of(list.begin(), list.end(), [](const Binding& b) { return b.last; }))
    return Refusal{Fault::bundle_control, 0, "an earlier B.IOT closed the sequence with <last>"};
  if (list.size() >= kMaxTileBindings)
    return Refusal{Fault::tile_legality, 0,
                   fmt::format("the block has {} tile bindings already", kMaxTileBindings)};
  list.push_back(binding);
  return std::nullopt;
}

}  // namespace act::tile
