// Any text as a program: errors with a place, or a program whose own text gives it again.
#include <cstdlib>

#include "act/asm/text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  act::Diagnostics warnings;
  const auto program = act::parse_text(text, act::TextOptions{}, warnings);
  if (!program) {
    if (program.error().empty()) std::abort();
    for (const act::Diagnostic& d : program.error()) {
      if (d.where.line == 0) std::abort();
      (void)act::to_text(d, act::source_line(text, d));
    }
    return 0;
  }
  const auto again = act::parse_text(act::print_text(*program), act::TextOptions{}, warnings);
  if (!again || again->streams.size() != program->streams.size() || again->tensors.size() != program->tensors.size()) std::abort();
  for (std::size_t i = 0; i < program->streams.size(); ++i)
    if (again->streams[i].bundles != program->streams[i].bundles) std::abort();
  return 0;
}
