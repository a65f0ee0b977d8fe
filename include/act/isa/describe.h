// What is known of a name, as text for a person: everything comes from the rows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "act/isa/check.h"

namespace act {

// The 64 bytes of a record drawn as rows of 16, one box per field or reserved range.
std::string byte_map(const Format& format);

std::string describe_opcode(const OpcodeInfo& row);
std::string describe_format(const Format& format);
std::string describe_enum(const EnumTable& table);
std::string describe_dtype(const DtypeRow& row);
std::string describe_generation(Generation generation);
std::string describe_rule(const RuleInfo& rule);

// One thing of that name.
struct Description {
  std::string_view kind;  // "opcode", "format", "enumeration", …
  std::string name;       // as the rows spell it
  std::string text;
};
// All that has the name: opcode (name, alias, 0xNN), format, generation, data type, engine, enumeration, union, rule, helper
// or sub-check of the validator, enumerator, field. Case does not matter. Compiler-side check names (d3_ac_bias_check)
// and names without the leading s of a structure (d3_ac) are read too.
std::vector<Description> descriptions(std::string_view name);
// Their texts; nothing when the instruction set has no such name.
std::optional<std::string> describe(std::string_view name);

// The page of one opcode in Markdown: summary, encoding, fields, rules of its format.
std::string opcode_page(const OpcodeInfo& row);
// File name of the page: lower-case opcode name with ".md".
std::string opcode_page_name(const OpcodeInfo& row);
// One line per named opcode: code, name, engine, generations, support.
std::string opcode_roster();

}  // namespace act
