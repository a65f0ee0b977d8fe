// Any text as a JSON line of an instruction: errors, or bytes that come back through their own line.
#include <cstdlib>

#include "act/asm/json_lines.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = act::bundle_from_json_line({reinterpret_cast<const char*>(data), size}, "-", 1, act::JsonSource::fields_or_bytes);
  if (!read) return read.error().empty() ? (std::abort(), 0) : 0;
  const auto again = act::bundle_from_json_line(act::to_json_line(std::span(read->bundle.bytes).first(read->size), 0, act::kDefaultGeneration), "-", 1);
  if (!again || !(again->bundle == read->bundle) || again->size != read->size) std::abort();
  return 0;
}
