// Any bytes as a stream: decoding and encoding, text, JSON and validation keep every bit and never crash.
#include <cstdlib>
#include <cstring>

#include "act/asm/json_lines.h"
#include "act/asm/profiler.h"
#include "act/asm/text.h"
#include "act/isa/check.h"

namespace {

void require(bool ok) {
  if (!ok) std::abort();
}

void check_one(const act::Bundle& b, act::Generation g) {
  require(act::encode(act::decode(b)) == b || act::format_of(b) == nullptr);
  std::string text;
  act::TextPrinter(g).append(b, text);
  act::Diagnostics warnings;
  const auto program = act::parse_text(text, act::TextOptions{.file = "-", .generation = g}, warnings);
  require(program && program->streams.size() == 1 && program->streams[0].bundles[0] == b);
  const auto line = act::bundle_from_json_line(act::to_json_line(b.bytes, 0, g), "-", 1);
  require(line && line->bundle == b);
  (void)act::print_profiler(b);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 64 * 64 + 1) return 0;
  const act::Generation g = act::kGenerations[data[0] % act::kGenerations.size()];
  const std::span<const std::uint8_t> stream(data + 1, size - 1);
  for (std::size_t at = 0; at + act::kBundleBytes <= stream.size(); at += act::kBundleBytes) {
    act::Bundle b;
    std::memcpy(b.bytes.data(), stream.data() + at, act::kBundleBytes);
    check_one(b, g);
  }
  act::CheckOptions options;
  options.lenient = (data[0] & 0x40) != 0;
  options.final_stream = (data[0] & 0x80) != 0;
  for (const act::Diagnostic& d : act::check_stream(stream, g, options)) require(!d.message.empty() && !act::to_json(d).empty());
  return 0;
}
