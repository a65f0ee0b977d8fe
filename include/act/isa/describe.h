// What is known of a name, as text for a person: everything comes from the rows.
#pragma once

#include <optional>
#include <string>

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

// Opcode (name, alias, 0xNN), format, enumeration, enumerator, data type, generation, rule, or a field name: the text about
// it, or nothing when the instruction set has no such name. Case does not matter. Compiler-side check names (d3_ac_bias_check)
// and names without the leading s of a structure (d3_ac) are read too.
std::optional<std::string> describe(std::string_view name);

// The page of one opcode in Markdown: summary, encoding, fields, rules of its format.
std::string opcode_page(const OpcodeInfo& row);
// File name of the page: lower-case opcode name with ".md".
std::string opcode_page_name(const OpcodeInfo& row);
// One line per named opcode: code, name, engine, generations, support.
std::string opcode_roster();

}  // namespace act
