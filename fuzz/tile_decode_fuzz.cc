// Any bytes as a stream of block commands: its text assembles to the same bytes, and so do its JSON lines.
#include <cstdlib>

#include "act/tile/text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  const act::Record stream(data, size);
  act::Diagnostics warnings;
  const auto text = act::tile::assemble(act::tile::disassemble(stream), warnings);
  if (!text || !std::equal(stream.begin(), stream.end(), text->begin(), text->end())) std::abort();
  std::string lines;
  std::uint64_t index = 0;
  for (std::uint64_t at = 0; at < size; ++index) {
    const act::tile::Line line = act::tile::line_at(stream, at, index);
    lines += act::tile::line_json(line) + '\n';
    at += line.bytes.size();
  }
  const auto json = act::tile::assemble_json(lines);
  if (!json || !std::equal(stream.begin(), stream.end(), json->begin(), json->end())) std::abort();
  return 0;
}
