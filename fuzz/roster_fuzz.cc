// A roster (act_info.json) from a stranger: what is accepted must be written and read back the same.
#include <cstdlib>

#include "act/tables/catalog_io.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  act::Diagnostics warnings;
  const auto rows = act::parse_roster(text, "act_info.json", act::Strictness::lenient, warnings);
  if (!rows) return 0;
  const auto back =
      act::parse_roster(act::print_roster(*rows), "act_info.json", act::Strictness::strict, warnings);
  if (!back || !(*back == *rows)) std::abort();
  return 0;
}
