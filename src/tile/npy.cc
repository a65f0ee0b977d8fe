#include "act/tile/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace act::tile {
namespace {

struct ArrayType {
  NpyType array;
  std::string_view type;
};
constexpr ArrayType kArrayTypes[] = {{{'f', 8}, "FP64"}, {{'f', 4}, "FP32"}, {{'f', 2}, "FP16"},
                                     {{'i', 8}, "S64"},  {{'i', 4}, "S32"},  {{'i', 2}, "S16"},
                                     {{'i', 1}, "S8"},   {{'u', 8}, "U64"},  {{'u', 4}, "U32"},
                                     {{'u', 2}, "U16"},  {{'u', 1}, "U8"}};

Diagnostic setup_error(unsigned index, std::string message, std::string value = {},
                       std::string allowed = {}) {
  Diagnostic d = make_error(
      Code::tile_setup, fmt::format("{}: {}", index < kRegisters ? register_name(index) : "tile", message));
  d.value = std::move(value);
  d.allowed = std::move(allowed);
  return d;
}

// Whole bytes that hold one element; half-byte types take a byte each.
unsigned element_bytes(const TileType& type) { return (type.bits + 7u) / 8; }

std::string shape_text(const NpyArray& a) { return fmt::format("({})", fmt::join(a.shape, ", ")); }

// The smallest legal capacity that gives at least `rows` rows; the largest one when there is none.
std::uint32_t smallest_capacity(std::uint64_t columns, std::uint64_t rows, unsigned bits) {
  for (std::uint32_t capacity = kMinCapacity; capacity < kMaxCapacity; capacity *= 2)
    if (const auto r = derived_rows(capacity, columns, bits); r && *r >= rows) return capacity;
  return kMaxCapacity;
}

}  // namespace

const TileType* type_of_array(NpyType type) {
  for (const ArrayType& row : kArrayTypes)
    if (row.array == type) return find_type(row.type);
  return nullptr;
}

bool array_holds(NpyType array, const TileType& type) {
  if (array.bytes != element_bytes(type)) return false;
  if (array.kind == 'f') return type.floating();
  if (array.kind == 'i') return type.kind == DtypeKind::signed_integer;
  return array.kind == 'u' || array.kind == 'V';
}

Status load_tile(State& state, const TileSetup& setup, const NpyArray& array, const NpyArray* defined) {
  const TileType* type = setup.type != nullptr ? setup.type : type_of_array(array.type);
  if (type == nullptr)
    return setup_error(setup.index, "the array's type names no tile type, give one", array.type.name());
  if (!array_holds(array.type, *type))
    return setup_error(
        setup.index, fmt::format("the array cannot hold {}", type->name), array.type.name(),
        fmt::format("elements of {} bytes of the same kind, or unsigned or opaque ones as bit patterns",
                    element_bytes(*type)));
  if (array.shape.empty() || array.shape.size() > 2)
    return setup_error(setup.index, "an array for a tile has one or two dimensions", shape_text(array));
  const std::uint64_t rows = array.shape.size() == 2 ? array.shape[0] : 1, columns = array.shape.back();
  if (rows == 0 || columns == 0 || rows > kMaxDimension || columns > kMaxDimension)
    return setup_error(setup.index, "a dimension of the array is out of range", shape_text(array),
                       fmt::format("1..{}", kMaxDimension));
  if (defined != nullptr && (defined->type.kind != 'b' || defined->shape != array.shape))
    return setup_error(setup.index, "the array of defined elements has another shape or is not boolean",
                       shape_text(*defined), shape_text(array));
  const std::uint32_t physical = setup.columns.value_or(static_cast<std::uint32_t>(std::bit_ceil(columns)));
  const std::uint32_t capacity = setup.capacity_bytes.value_or(smallest_capacity(physical, rows, type->bits));
  if (Status s = configure_tile(state, setup.index, capacity, physical, rows, columns, *type, setup.layout,
                                setup.mask);
      !s)
    return s;
  for (std::uint64_t i = 0; i < rows * columns; ++i)
    if (defined == nullptr || defined->bits(i) != 0)
      write_element(state, setup.index, static_cast<std::uint32_t>(i / columns),
                    static_cast<std::uint32_t>(i % columns), array.bits(i));
  return Done{};
}

Result<NpyArray> tile_array(const State& state, unsigned index) {
  if (index >= kRegisters || !state.tiles[index].allocated)
    return setup_error(index, "the register holds no tile");
  const Register& tile = state.tiles[index];
  const TileType& type = *tile.shape.type;
  NpyArray out;
  out.type = {'V', element_bytes(type)};
  for (const ArrayType& row : kArrayTypes)
    if (row.type == type.name) out.type = row.array;
  if (type.floating() && type.bits == 32) out.type = npy_type<float>();
  out.shape = {tile.shape.valid_rows, tile.shape.valid_columns};
  out.data.resize(out.count() * out.type.bytes);
  for (std::uint32_t r = 0; r < tile.shape.valid_rows; ++r)
    for (std::uint32_t c = 0; c < tile.shape.valid_columns; ++c) {
      const auto value = read_element(state, index, r, c);
      if (!value)
        return setup_error(
            index, fmt::format("element ({}, {}) is undefined and cannot be written to an array", r, c));
      out.set_bits(std::uint64_t{r} * tile.shape.valid_columns + c, *value);
    }
  return out;
}

}  // namespace act::tile
