#include "json_reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace act {
namespace {

constexpr std::size_t kMaxErrors = 100;  // a hostile file must not produce a report larger than itself

// "~" and "/" escaped as JSON pointers ask.
std::string pointer_part(std::string_view key) {
  std::string out = "/";
  for (const char c : key.substr(0, 100)) {
    if (c == '~')
      out += "~0";
    else if (c == '/')
      out += "~1";
    else
      out += c;
  }
  return out;
}

std::string shown(const OrderedJson& value) {
  if (value.is_object() || value.is_array()) return value.is_object() ? "an object" : "an array";
  return value.dump(-1, ' ', true, OrderedJson::error_handler_t::replace).substr(0, 100);
}

}  // namespace

JsonPlace JsonPlace::at(std::string_view key, const OrderedJson& value) const {
  return {&value, pointer + pointer_part(key)};
}

JsonPlace JsonPlace::at(std::size_t index) const {
  return {&(*json)[index], fmt::format("{}/{}", pointer, index)};
}

Result<OrderedJson> parse_catalog_json(std::string_view text, const std::string& file) {
  if (text.starts_with("\xef\xbb\xbf")) {
    Diagnostic d = make_error(Code::json_syntax, "the file begins with a byte order mark");
    d.where.file = file;
    d.where.line = d.where.column = 1;
    d.allowed = "UTF-8 without one";
    return d;
  }
  return parse_ordered_json(text, file, kTableJsonLimits);
}

Diagnostic JsonReader::make(Code code, const JsonPlace& place, std::string message) const {
  Diagnostic d = make_error(code, std::move(message));
  d.where.file = file_;
  d.where.pointer = place.pointer;
  return d;
}

void JsonReader::error(Code code, const JsonPlace& place, std::string message, std::string value,
                       std::string allowed, std::string_view rule) {
  if (errors_.size() >= kMaxErrors) return;
  Diagnostic d = make(code, place, std::move(message));
  d.value = std::move(value);
  d.allowed = std::move(allowed);
  d.rule = rule;
  errors_.push_back(std::move(d));
}

bool JsonReader::is_object(const JsonPlace& place) {
  if (place.json->is_object()) return true;
  error(Code::json_type, place, "an object must stand here", shown(*place.json), "an object");
  return false;
}

bool JsonReader::is_array(const JsonPlace& place) {
  if (place.json->is_array()) return true;
  error(Code::json_type, place, "an array must stand here", shown(*place.json), "an array");
  return false;
}

std::optional<JsonPlace> JsonReader::member(const JsonPlace& object, std::string_view name,
                                            std::string_view rule) {
  const auto at = object.json->find(name);
  if (at != object.json->end()) return object.at(name, *at);
  error(Code::json_missing, object, fmt::format("the member \"{}\" is missing", name), {}, {}, rule);
  return std::nullopt;
}

void JsonReader::known_members(const JsonPlace& object, std::span<const std::string_view> known,
                               std::string_view rule) {
  for (const auto& item : object.json->items()) {
    if (std::find(known.begin(), known.end(), item.key()) != known.end()) continue;
    const JsonPlace place = object.at(item.key(), item.value());
    const std::string message = fmt::format("nothing reads the member {:?}", item.key().substr(0, 100));
    if (strictness_ == Strictness::strict) {
      error(Code::json_unknown, place, message, {}, {}, rule);
    } else if (warnings_.size() < kMaxErrors) {
      Diagnostic d = make(Code::json_unknown, place, message);
      d.severity = Severity::warning;
      d.rule = rule;
      warnings_.push_back(std::move(d));
    }
  }
}

std::optional<std::int64_t> JsonReader::integer(const JsonPlace& place, std::int64_t min, std::int64_t max) {
  const std::string allowed = fmt::format("an integer {}..{}", min, max);
  if (!place.json->is_number_integer()) {
    error(Code::json_type, place, "an integer must stand here", shown(*place.json), allowed);
    return std::nullopt;
  }
  // An unsigned value above the signed range is out of any range asked for here.
  const bool huge =
      place.json->is_number_unsigned() && place.json->get<std::uint64_t>() > std::uint64_t{INT64_MAX};
  const std::int64_t value = huge ? INT64_MAX : place.json->get<std::int64_t>();
  if (!huge && value >= min && value <= max) return value;
  error(Code::bad_value, place, "the number is out of range", shown(*place.json), allowed);
  return std::nullopt;
}

std::optional<std::string> JsonReader::text(const JsonPlace& place) {
  if (place.json->is_string()) return place.json->get<std::string>();
  error(Code::json_type, place, "a string must stand here", shown(*place.json), "a string");
  return std::nullopt;
}

std::optional<bool> JsonReader::boolean(const JsonPlace& place) {
  if (place.json->is_boolean()) return place.json->get<bool>();
  error(Code::json_type, place, "true or false must stand here", shown(*place.json), "true, false");
  return std::nullopt;
}

std::optional<bool> JsonReader::flag(const JsonPlace& place) {
  if (place.json->is_boolean()) return place.json->get<bool>();
  if (place.json->is_number_integer() && (*place.json == 0 || *place.json == 1)) return *place.json == 1;
  error(Code::json_type, place, "true or false must stand here", shown(*place.json), "true, false, 0 or 1");
  return std::nullopt;
}

}  // namespace act
