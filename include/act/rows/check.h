// Checks that every row carries in itself: enumerators, reserved bytes.
#pragma once

#include "act/diag/diagnostic.h"
#include "act/rows/record.h"

namespace act {

// A field's value as a person reads it: enumerator name, decimal, hex, float, hex bytes.
std::string print_value(Record record, const Field& field);
// "A, B, C" for an enumerator (those of `generation` only, when given), "0..255" for an integer.
std::string allowed_values(const Field& field, std::optional<Generation> generation = std::nullopt);

// Calls report(range) for every reserved range with a byte that is not zero.
template <class Report>
constexpr void check_reserved(Record r, const Format& format, Report&& report) {
  for (const Reserved& range : format.reserved)
    for (unsigned i = 0; i < range.bytes; ++i)
      if (r[range.byte + i] != 0) {
        report(range);
        break;
      }
}

}  // namespace act
