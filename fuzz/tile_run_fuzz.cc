// Any bytes as a program on a machine with a few tiles: it ends, a fault leaves the tiles alone, and the
// capacity holds.
#include <cstdlib>

#include "act/tile/block.h"
#include "act/tile/report.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  act::tile::State state;
  const char* types[] = {"FP32", "S8", "TF32", "U64"};
  for (unsigned i = 0; i < 4; ++i) {
    if (!act::tile::configure_tile(state, i, 128, 2, 1, 2, *act::tile::find_type(std::string_view(types[i]))))
      std::abort();
    act::tile::write_element(state, i, 0, 0, 0x7F80000100000001);
    act::tile::write_element(state, i, 0, 1, ~act::tile::Word{0} << 13);
  }
  const auto fault = act::tile::run(state, act::Record(data, size));
  if (state.core_charge() > state.tile_capacity) std::abort();
  if (fault.has_value() != (state.last_fault != act::tile::Fault::none)) std::abort();
  (void)act::tile::state_text(state);
  (void)act::tile::state_json(state);
  return 0;
}
