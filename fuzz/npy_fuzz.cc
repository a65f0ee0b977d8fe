// Any bytes as a .npy file: an error, or an array that is written and read back unchanged.
#include <cstdlib>

#include "act/files/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto array = act::parse_npy({data, size});
  if (!array) return 0;
  const auto file = act::format_npy(*array);
  if (!file) std::abort();
  const auto again = act::parse_npy(*file);
  if (!again || again->data != array->data || again->shape != array->shape || !(again->type == array->type))
    std::abort();
  return 0;
}
