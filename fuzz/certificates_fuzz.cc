// Certificate files: what parses prints, and prints the same after another round.
#include <cstdint>
#include <cstdlib>

#include "act/files/files.h"
#include "act/fit/certificate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  act::Diagnostics warnings;
  const auto read = [&](std::string_view text) { return act::fit::parse_certificates(text, "fuzz", warnings); };
  const auto first = read(act::as_text({data, size}));
  if (!first) return 0;
  const std::string once = act::fit::print_certificates("fuzz", *first);
  const auto second = read(once);
  if (!second || act::fit::print_certificates("fuzz", *second) != once) std::abort();
  return 0;
}
