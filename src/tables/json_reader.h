// Reading a JSON tree from a stranger: every problem becomes a diagnostic that names the file, the JSON
// pointer, what was found and what is allowed. All problems of a file are collected.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "act/files/json.h"
#include "act/tables/manifest.h"

namespace act {

using OrderedJson = nlohmann::ordered_json;

// Limits of every table file: no doubled keys, 20 times the largest shipped manifest.
inline constexpr JsonLimits kTableJsonLimits{.bytes = std::uint64_t{1} << 20,
                                             .depth = 64,
                                             .values = 150'000,
                                             .unique_keys = true,
                                             .compares = 20'000'000};

// A value and where it stands.
struct JsonPlace {
  const OrderedJson* json = nullptr;
  std::string pointer;

  JsonPlace at(std::string_view key, const OrderedJson& value) const;
  JsonPlace at(std::size_t index) const;
};

// The tree of a file of a catalog: UTF-8 without a byte order mark (P-02), within kTableJsonLimits.
Result<OrderedJson> parse_catalog_json(std::string_view text, const std::string& file);

class JsonReader {
 public:
  JsonReader(std::string file, Strictness strictness, Diagnostics& warnings)
      : file_(std::move(file)), strictness_(strictness), warnings_(warnings) {}

  bool ok() const { return errors_.empty(); }
  Diagnostics take_errors() { return std::move(errors_); }

  // False, with a json-type error, when the value is of another type.
  bool is_object(const JsonPlace& place);
  bool is_array(const JsonPlace& place);

  // A member that must be there (json-missing otherwise; `rule` goes into the diagnostic).
  std::optional<JsonPlace> member(const JsonPlace& object, std::string_view name, std::string_view rule = {});
  // Reports members outside `known`: json-unknown, an error only when strict.
  void known_members(const JsonPlace& object, std::span<const std::string_view> known,
                     std::string_view rule = {});

  std::optional<std::int64_t> integer(const JsonPlace& place, std::int64_t min, std::int64_t max);
  std::optional<std::string> text(const JsonPlace& place);
  std::optional<bool> boolean(const JsonPlace& place);
  // true or false; 0 and 1 too.
  std::optional<bool> flag(const JsonPlace& place);

  void error(Code code, const JsonPlace& place, std::string message, std::string value = {},
             std::string allowed = {}, std::string_view rule = {});

 private:
  Diagnostic make(Code code, const JsonPlace& place, std::string message) const;

  std::string file_;
  Strictness strictness_;
  Diagnostics& warnings_;
  Diagnostics errors_;
};

}  // namespace act
