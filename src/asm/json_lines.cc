#include "act/asm/json_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "act/files/json.h"
#include "act/rows/json.h"

namespace act {
namespace {

constexpr JsonLimits kLineLimits = {.bytes = 1 << 20, .depth = 16, .values = 10'000, .unique_keys = true, .compares = 1'000'000};

Diagnostic line_error(Code code, std::string message, std::string pointer, const Json* value = nullptr) {
  Diagnostic d = make_error(code, std::move(message));
  d.where.pointer = std::move(pointer);
  if (value != nullptr) d.value = value->dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 200);
  return d;
}

std::string text_member(const Json& line, const char* key) {
  const auto member = line.find(key);
  return member != line.end() && member->is_string() ? member->get<std::string>() : std::string{};
}

Result<JsonBundle> from_bytes(const Json& line) {
  const auto bytes = line.find("bytes");
  if (bytes == line.end() || !bytes->is_string())
    return line_error(Code::json_missing, "without an opcode the member bytes is wanted", "/bytes");
  auto raw = from_hex(bytes->get_ref<const std::string&>());
  if (!raw || raw->empty() || raw->size() > kBundleBytes) {
    Diagnostic d = line_error(Code::bad_value, "the bytes are no hex text of an instruction", "/bytes", &*bytes);
    d.allowed = "128 hex digits";
    return d;
  }
  JsonBundle out;
  out.size = raw->size();
  std::copy(raw->begin(), raw->end(), out.bundle.bytes.begin());
  return out;
}

// Names by which the books also call header fields (D-03).
Status put_header_alias(Bundle& b, const std::string& key, const Json& value) {
  if (key == "semaphore_value") return field_from_json(b, *format_of(FormatId::RAW).find("sync_value"), value);
  const Field byte{.name = key, .type = "u8", .bit = (key == "debug_cmd" ? 2U : 3U) * 8, .width = 8};
  return field_from_json(b, byte, value);
}

bool is_header_alias(const std::string& key) { return key == "semaphore_value" || key == "debug_cmd" || key == "debug_hint"; }

Result<JsonBundle> from_fields(const Json& line, std::uint8_t opcode) {
  JsonBundle out;
  Bundle& b = out.bundle;
  b.bytes[0] = opcode;
  b.bytes[1] = kInstWordLen;
  const auto fields = line.find("fields");
  if (fields == line.end()) return line_error(Code::json_missing, "the member fields is absent", "/fields");
  if (!fields->is_object()) return line_error(Code::json_type, "fields is an object", "/fields", &*fields);
  Json own = Json::object();
  Diagnostics errors;
  const auto keep = [&errors](Status s) {
    if (!s) std::move(s.error().begin(), s.error().end(), std::back_inserter(errors));
  };
  for (const auto& [key, value] : fields->items()) {
    if (is_header_alias(key)) {
      keep(put_header_alias(b, key, value));
    } else if (key != "opcode") {
      own[key] = value;
    }
  }
  keep(fields_from_json(b, *format_of(b), own));
  for (Diagnostic& d : errors)
    if (d.where.pointer.empty()) d.where.pointer = "/fields/" + d.field;
  if (!errors.empty()) return errors;
  for (const auto& [key, value] : fields->items()) {
    Bundle again = b;
    if (!is_header_alias(key) || (put_header_alias(again, key, value) && again == b)) continue;
    Diagnostic d = line_error(Code::bad_value, fmt::format("{} and {} give one field different values", key, key == "semaphore_value" ? "sync_value" : "inst_flags"), "/fields/" + key, &value);
    d.field = key;
    errors.push_back(std::move(d));
  }
  if (!errors.empty()) return errors;
  return out;
}

Result<JsonBundle> from_line(const Json& line, JsonSource source) {
  if (!line.is_object()) return line_error(Code::json_type, "a line is an object", "");
  const auto opcode = line.find("opcode");
  if (opcode == line.end()) return line_error(Code::json_missing, "the member opcode is absent", "/opcode");
  if (opcode->is_null() || (source == JsonSource::fields_or_bytes && !line.contains("fields"))) return from_bytes(line);
  if (!opcode->is_string()) return line_error(Code::json_type, "an opcode is a name, or null", "/opcode", &*opcode);
  const auto code = parse_opcode(opcode->get_ref<const std::string&>());
  if (!code) {
    Diagnostics errors = code.error();
    for (Diagnostic& d : errors) d.where.pointer = "/opcode";
    return errors;
  }
  return from_fields(line, *code);
}

}  // namespace

std::string to_json_line(std::span<const std::uint8_t> bytes, std::uint64_t index, Generation generation) {
  Json line = {{"index", index}, {"offset", index * kBundleBytes}};
  Bundle b;
  std::copy_n(bytes.begin(), std::min(bytes.size(), b.bytes.size()), b.bytes.begin());
  const Format* format = bytes.size() < kBundleBytes ? nullptr : format_of(b);
  if (format != nullptr) {
    line["opcode"] = opcode_name(b.opcode());
    line["gen"] = generation_name(generation);
    line["format"] = format->name;
    Json fields = fields_to_json(b, *format);
    fields.erase("opcode");
    line["fields"] = std::move(fields);
    line["bytes"] = to_hex(bytes);
  } else {
    line["opcode"] = nullptr;
    line["bytes"] = to_hex(bytes);
    const bool whole = bytes.size() >= kBundleBytes;
    Diagnostic d = make_error(whole ? Code::unknown_name : Code::bad_size, whole ? "no opcode of any generation" : "the stream ends inside an instruction");
    d.field = whole ? "opcode" : "";
    d.where.instruction = index;
    d.where.byte = 0;
    d.value = whole ? fmt::format("0x{:02x}", b.opcode()) : fmt::format("{} bytes", bytes.size());
    line["diagnostics"] = Json::array({Json::parse(to_json(d), nullptr, false)});
  }
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<JsonBundle> bundle_from_json_line(std::string_view text, const std::string& file, std::uint32_t number, JsonSource source) {
  auto json = parse_ordered_json(text, file, kLineLimits);
  auto out = json ? from_line(*json, source) : Result<JsonBundle>(std::move(json).error());
  if (out) {
    out->generation = find_generation(text_member(*json, "gen"));
    out->graph = text_member(*json, "graph");
    out->engine = text_member(*json, "engine");
    return out;
  }
  for (Diagnostic& d : out.error()) {
    d.where.file = file;
    d.where.line = number;
  }
  return out;
}

}  // namespace act
