// Fields of a record as JSON, driven by the rows (00 section 4).
#pragma once

#include <nlohmann/json.hpp>

#include "act/diag/result.h"
#include "act/rows/record.h"

namespace act {

using Json = nlohmann::ordered_json;

// Name of an enumerator, or the number where it has none.
Json choice_to_json(const EnumTable& table, std::uint64_t value);
// An enumerator by name or by number; the number may be any that `width` bits hold.
Result<std::uint64_t> choice_from_json(const EnumTable& table, const Json& value, unsigned width);

// One field: integers, enumerator names, {"lo","hi"}, {"addr","step","num"} or {"index_addr","data_addr","count"}, hex text.
Json field_to_json(Record record, const Field& field);
// Writes one field. Errors carry the field's name, the value and what is allowed: json-type, bad-value, unknown-name, json-missing.
Status field_from_json(MutableRecord record, const Field& field, const Json& value);

// All fields in row order, reserved ranges as "reserved_<byte>": hex only where they are not zero.
Json fields_to_json(Record record, const Format& format);
// Sets what `object` names and leaves the other fields alone. Unknown names are errors unless `ignore_unknown`.
// All errors found are returned.
Status fields_from_json(MutableRecord record, const Format& format, const Json& object, bool ignore_unknown = false);

// Lower-case hex without separators, and back (even number of digits, any case).
std::string to_hex(std::span<const std::uint8_t> bytes);
Result<std::vector<std::uint8_t>> from_hex(std::string_view text);

}  // namespace act
