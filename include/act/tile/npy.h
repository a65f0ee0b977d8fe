// Tiles from and to .npy arrays.
#pragma once

#include "act/files/npy.h"
#include "act/tile/state.h"

namespace act::tile {

// Where an array goes. What is not given is chosen: the type from the array's (f4 -> FP32, i1 -> S8 …),
// columns as the smallest power of two that holds the array's, the smallest size that holds its rows.
struct TileSetup {
  unsigned index = 0;  // of the register
  const TileType* type = nullptr;
  std::optional<std::uint32_t> capacity_bytes, columns;
  TileLayout layout = TileLayout::row_major;
  std::uint8_t mask = 0b0001;
};

// Type that an array's elements have without further word; null for opaque and boolean ones.
const TileType* type_of_array(NpyType type);
// Whether elements of an array can be taken as bit patterns of a tile type: same size, and no number of the
// other kind (unsigned and opaque elements are patterns of anything).
bool array_holds(NpyType array, const TileType& type);

// Allocates the register with the array's rows and columns as its valid rectangle (a one-dimensional array is
// one row) and writes all of it, or, where `defined` is given (booleans of the same shape), what is true
// there. Errors: tile-setup.
Status load_tile(State& state, const TileSetup& setup, const NpyArray& array,
                 const NpyArray* defined = nullptr);

// The valid rectangle as an array of two dimensions: floats and integers that .npy knows as themselves, TF32
// and HF32 as f4, the others opaque. Error: tile-setup for an unallocated register or an undefined element.
Result<NpyArray> tile_array(const State& state, unsigned index);

}  // namespace act::tile
