#include "act/fit/taylor.h"

#include <cmath>

#include "act/fit/frame.h"

namespace act::fit {

Section taylor_section(const FunctionInfo& function, bool negative, int exponent, std::uint32_t extract_size,
                       std::size_t index) {
  const float x = breakpoint(section_range(exponent, extract_size, index), negative);
  std::array<float, 4> d = taylor_binary32(function, x);
  bool storable = true;
  for (int k = 0; k < 4; ++k) {
    float& coefficient = d[static_cast<std::size_t>(k)];
    storable = storable && std::isfinite(coefficient) && k <= function.shipped_degree;
    if (!storable) coefficient = 0;
  }
  return {d[0], d[1], d[2], d[3], x};
}

FunctionTable taylor_table(const FunctionInfo& function, int budget, const Structure& structure, IdSpace ids) {
  FunctionTable table = table_frame(function, budget, ids);
  fill_octaves(table, structure, [&](bool negative, int exponent, std::uint32_t size, std::size_t index) {
    return taylor_section(function, negative, exponent, size, index);
  });
  place_clamps(table, function, structure);
  return table;
}

}  // namespace act::fit
