#include "json_part.h"

#include <fmt/format.h>

#include <algorithm>

#include "act/files/json.h"
#include "names.h"

namespace act::neff {
namespace {

// A hostile document could earn a diagnostic per value; more than these help nobody.
constexpr std::size_t kMostProblems = 10'000;

std::string_view type_word(Json::value_t type) {
  switch (type) {
    case Json::value_t::object:
      return "an object";
    case Json::value_t::array:
      return "an array";
    case Json::value_t::string:
      return "a string";
    case Json::value_t::number_unsigned:
      return "an integer that is not negative";
    default:
      return "another type";
  }
}

}  // namespace

void JsonPart::report(Diagnostic d) {
  if (problems_.size() < kMostProblems) problems_.push_back(std::move(d));
}

void JsonPart::report(Code code, const std::string& pointer, std::string message, std::string value) {
  Diagnostic d = make_error(code, std::move(message));
  d.where.file = label_;
  d.where.pointer = pointer;
  d.value = printable(value);
  report(std::move(d));
}

std::optional<Json> JsonPart::load(const std::string& member, Severity if_absent) {
  label_ = member_label(archive_.label, member);
  folder_ = folder_of(member);
  const Member* found = archive_.find(member);
  if (found == nullptr) {
    Diagnostic d = make_error(Code::missing_member, "the archive has no such member");
    d.severity = if_absent;
    d.where.file = label_;
    report(std::move(d));
    return std::nullopt;
  }
  if (found->data.size() > budget_) {
    report(Code::too_large, "", "the JSON documents of the container are too large together");
    return std::nullopt;
  }
  budget_ -= found->data.size();
  JsonLimits limits = limits_.json;
  limits.unique_keys = true;  // readers would disagree about which of two counts
  Result<Json> json = parse_json(as_text(found->data), label_, limits);
  if (!json) {
    report(json.error().front());
    return std::nullopt;
  }
  if (!json->is_object()) {
    report(Code::json_type, "", "the document must be an object");
    return std::nullopt;
  }
  return std::move(*json);
}

bool JsonPart::has_type(const Json& value, Json::value_t type) const { return value.type() == type; }

const Json* JsonPart::any(const Json& object, const std::string& pointer, std::string_view key,
                          Json::value_t type, Need need) {
  const auto at = object.find(key);
  if (at == object.end()) {
    if (need == Need::required)
      report(Code::json_missing, pointer, fmt::format("the member \"{}\" is missing", printable(key)));
    return nullptr;
  }
  if (has_type(*at, type)) return &*at;
  report(Code::json_type, fmt::format("{}/{}", pointer, key), fmt::format("it must be {}", type_word(type)),
         at->type_name());
  return nullptr;
}

std::string JsonPart::text(const Json& object, const std::string& pointer, std::string_view key, Need need) {
  const Json* value = any(object, pointer, key, Json::value_t::string, need);
  return value == nullptr ? std::string() : value->get<std::string>();
}

std::optional<std::uint64_t> JsonPart::number(const Json& object, const std::string& pointer,
                                              std::string_view key) {
  const Json* value = any(object, pointer, key, Json::value_t::number_unsigned, Need::optional);
  if (value == nullptr) return std::nullopt;
  return value->get<std::uint64_t>();
}

std::vector<std::string> JsonPart::texts(const Json& object, const std::string& pointer, std::string_view key,
                                         Need need) {
  std::vector<std::string> list;
  const Json* array = any(object, pointer, key, Json::value_t::array, need);
  if (array == nullptr) return list;
  for (std::size_t i = 0; i < array->size(); ++i) {
    const Json& item = (*array)[i];
    if (item.is_string())
      list.push_back(item.get<std::string>());
    else
      report(Code::json_type, fmt::format("{}/{}/{}", pointer, key, i), "it must be a string",
             item.type_name());
  }
  return list;
}

std::vector<std::uint64_t> JsonPart::numbers(const Json& object, const std::string& pointer,
                                             std::string_view key) {
  std::vector<std::uint64_t> list;
  const Json* array = any(object, pointer, key, Json::value_t::array, Need::optional);
  if (array == nullptr) return list;
  for (std::size_t i = 0; i < array->size(); ++i) {
    const Json& item = (*array)[i];
    if (item.is_number_unsigned())
      list.push_back(item.get<std::uint64_t>());
    else
      report(Code::json_type, fmt::format("{}/{}/{}", pointer, key, i),
             "it must be an integer that is not negative", item.type_name());
  }
  return list;
}

std::string JsonPart::name_inside(const std::string& value, const std::string& pointer) {
  const Status allowed = check_inner_name(value);
  Result<std::string> name = inner_name(folder_ + value);
  if (allowed && name) return std::move(*name);
  report(Code::bad_path, pointer, (allowed ? name.error() : allowed.error()).front().message, value);
  return {};
}

std::string JsonPart::member_named(const std::string& value, const std::string& pointer) {
  std::string name = name_inside(value, pointer);
  if (name.empty() || archive_.contains(name)) return name;
  report(Code::missing_member, pointer, fmt::format("the archive has no member \"{}\"", printable(name)),
         value);
  return {};
}

}  // namespace act::neff
