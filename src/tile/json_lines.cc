#include <algorithm>

#include "act/files/json.h"
#include "act/tile/text.h"

namespace act::tile {
namespace {

// The bytes that one JSON line stands for.
Result<Bytes> line_bytes(std::string_view text) {
  const auto object = parse_ordered_json(text, "");
  if (!object) return object.error();
  const auto opcode = object->find("opcode");
  if (object->is_object() && opcode != object->end() && opcode->is_null()) {
    const auto bytes = object->find("bytes");
    if (bytes == object->end() || !bytes->is_string())
      return make_error(Code::json_missing, "a line without opcode needs \"bytes\"");
    return from_hex(bytes->get_ref<const std::string&>());
  }
  auto command = command_from_json(*object);
  if (!command) return std::move(command).error();
  return Bytes(command->bytes().begin(), command->bytes().end());
}

}  // namespace

Result<Bytes> assemble_json(std::string_view lines) {
  constexpr std::size_t kMaxErrors = 100;
  Bytes out;
  Diagnostics errors;
  std::uint32_t number = 0;
  while (!lines.empty() && errors.size() < kMaxErrors) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    ++number;
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    auto bytes = line_bytes(line);
    if (bytes) {
      out.insert(out.end(), bytes->begin(), bytes->end());
      continue;
    }
    for (Diagnostic& d : bytes.error()) {
      d.where.line = number;
      errors.push_back(std::move(d));
    }
  }
  if (!errors.empty()) return errors;
  return out;
}

}  // namespace act::tile
