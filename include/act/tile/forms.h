// The block commands as rows: which bits are fixed, which fields there are and what they may hold (04 section
// 3).
#pragma once

#include <span>
#include <string_view>

#include "act/rows/field.h"

namespace act::tile {

// What a command does; several forms may do the same.
enum class Op : std::uint8_t {
  start,
  data_attributes,
  fixed_point,
  dimension,
  tile_io,
  scalar_io,
  shared_io,
  stop
};

struct Form {
  Op op;
  std::string_view mnemonic;
  Format format;  // its bytes are the length of the command
};

// Every form; of two that fit a word, the one with the more specific mask counts.
std::span<const Form> forms();
// The form whose format has this name ("B.IOT.SD"); null when there is none.
const Form* find_form(std::string_view format_name);

// Enumerations of the fields, names as the text spells them.
extern const EnumTable kTypeTable;           // concrete types
extern const EnumTable kAttributeTypeTable;  // the same and DTYPE_NONE
extern const EnumTable kSelectorTable;
extern const EnumTable kLayoutTable, kPadTable, kCompareTable, kRoundTable;
extern const EnumTable kDimensionTable, kGprTable, kHandTable, kMaskTable;
extern const EnumTable kSizeTable, kSharedSizeTable;

// Capacity per participating PE of a size code 1..12: 128 bytes, doubling.
constexpr std::uint32_t size_bytes(unsigned size_code) { return 64u << size_code; }
// Four participation bits of a PEMode, PE0 the most significant, so that binary digits read like the text.
std::uint8_t mask_of_mode(unsigned pe_mode);

}  // namespace act::tile
