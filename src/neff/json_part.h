// One JSON document of a container, read member by member with a diagnostic for everything that does not fit.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "act/neff/archive.h"

namespace act::neff {

using Json = nlohmann::json;

// Reads documents of one archive and collects what is wrong with them.
class JsonPart {
 public:
  // `budget`: bytes of JSON that may still be parsed, shared by all documents of a container, so that many
  // names for one large member cost no more than the member.
  JsonPart(const Archive& archive, const Limits& limits, std::uint64_t& budget, Diagnostics& problems)
      : archive_(archive), limits_(limits), budget_(budget), problems_(problems) {}

  // The object in `member`. Nothing, and a diagnostic, when it is absent (of severity `if_absent`) or is no
  // object.
  std::optional<Json> load(const std::string& member, Severity if_absent = Severity::error);

  enum class Need : std::uint8_t { required, optional };
  // Members of `object`, which stands at `pointer` of the document. Of another type than asked for:
  // json-type. Absent: json-missing where required. Nothing in both cases.
  const Json* any(const Json& object, const std::string& pointer, std::string_view key, Json::value_t type,
                  Need need);
  std::string text(const Json& object, const std::string& pointer, std::string_view key,
                   Need need = Need::required);
  std::optional<std::uint64_t> number(const Json& object, const std::string& pointer, std::string_view key);
  std::vector<std::string> texts(const Json& object, const std::string& pointer, std::string_view key,
                                 Need need);
  std::vector<std::uint64_t> numbers(const Json& object, const std::string& pointer, std::string_view key);

  // The member that `value`, found at `pointer`, names relative to the document's folder; empty when there is
  // none.
  std::string member_named(const std::string& value, const std::string& pointer);
  // The same without asking whether there is such a member.
  std::string name_inside(const std::string& value, const std::string& pointer);

  void report(Code code, const std::string& pointer, std::string message, std::string value = {});
  void report(Diagnostic d);

 private:
  bool has_type(const Json& value, Json::value_t type) const;

  const Archive& archive_;
  const Limits& limits_;
  std::uint64_t& budget_;
  Diagnostics& problems_;
  std::string label_, folder_;  // of the document at hand
};

}  // namespace act::neff
