// A manifest from a stranger: what is accepted must be written and read back the same.
#include <cstdlib>

#include "act/tables/manifest.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  act::Diagnostics warnings;
  const auto manifest = act::parse_manifest(text, "set.json", act::Strictness::lenient, warnings);
  if (!manifest) return 0;
  const auto back =
      act::parse_manifest(act::print_manifest(*manifest), "set.json", act::Strictness::strict, warnings);
  if (!back || !(*back == *manifest)) std::abort();
  return 0;
}
