// A per-function profile from a stranger: what is accepted must be written and read back the same.
#include <cstdlib>

#include "act/tables/profile.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  act::Diagnostics warnings;
  const auto profile = act::parse_profile(text, "exp_400p.json", act::Strictness::lenient, warnings);
  if (!profile) return 0;
  const auto back =
      act::parse_profile(act::print_profile(*profile), "exp_400p.json", act::Strictness::strict, warnings);
  if (!back || !(back->table == profile->table)) std::abort();
  return 0;
}
