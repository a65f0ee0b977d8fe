// Instructions as JSON lines (00 section 4): one object per bundle.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "act/isa/opcode.h"
#include "act/numeric/generation.h"

namespace act {

// {"index","offset","opcode","gen","format","fields","bytes"}, without line end. `fields` holds every field but the opcode,
// and reserved ranges that are not zero. A bundle whose opcode byte belongs to no generation is
// {"index","offset","opcode":null,"bytes","diagnostics"}. `bytes` may be shorter than a bundle: the rest of a stream.
std::string to_json_line(std::span<const std::uint8_t> bytes, std::uint64_t index, Generation generation);

// The bytes of one line. It needs "opcode" and "fields"; fields that are absent are zero, inst_word_len is 16; enumerators
// are names or integers; "gen", "graph" and "engine" are passed on, other members of the line ignored. With "opcode" null the member "bytes" is taken, which may
// be up to 64 bytes. Errors (all of the line): json-syntax, json-type, json-missing, unknown-name, unknown-field,
// bad-value; where.pointer names the member. `file` and `line` go into their places.
struct JsonBundle {
  // What `dis --json` says of the instruction's surroundings; absent or empty when the line does not.
  std::optional<Generation> generation;
  std::string graph, engine;
  Bundle bundle;
  std::size_t size = kBundleBytes;  // less than 64 only for "bytes" that are shorter
};
// What a line is read from: its fields, or, where it has none, its bytes (for checking lines that only quote bytes).
enum class JsonSource : std::uint8_t { fields, fields_or_bytes };
Result<JsonBundle> bundle_from_json_line(std::string_view text, const std::string& file, std::uint32_t line, JsonSource source = JsonSource::fields);

}  // namespace act
