// Any text as a block program, plain or JSON lines: errors, or a stream whose canonical text gives it again.
#include <cstdlib>

#include "act/tile/text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  act::Diagnostics warnings;
  const auto stream = act::tile::assemble(text, warnings);
  (void)act::tile::assemble_json(text);
  if (!stream) return stream.error().empty() ? (std::abort(), 0) : 0;
  const auto again = act::tile::assemble(act::tile::disassemble(*stream), warnings);
  if (!again || *again != *stream) std::abort();
  return 0;
}
