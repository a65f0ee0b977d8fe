// Rows: a record layout as data. One Field says all there is to know about one field; everything that reads, writes,
// checks, prints or documents a record is driven by its rows.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "act/numeric/generation.h"

namespace act {

// One enumerator.
struct Choice {
  std::string_view name;
  std::uint64_t value;
  std::string_view doc = {};
  GenerationSet generations = GenerationSet::all();
};

struct EnumTable {
  std::string_view name;  // type name of the field map ("imm_src")
  std::span<const Choice> choices;
  std::string_view doc;

  constexpr const Choice* find(std::uint64_t value) const {
    for (const Choice& c : choices)
      if (c.value == value) return &c;
    return nullptr;
  }
  constexpr const Choice* find(std::string_view name_) const {
    for (const Choice& c : choices)
      if (c.name == name_) return &c;
    return nullptr;
  }
};

// How the bits of a field are read.
enum class Kind : std::uint8_t {
  integer,     // unsigned
  sinteger,    // two's complement
  enumerator,  // one of `choices`
  f32,         // binary32 pattern
  address,     // 32-bit address word
  immediate,   // 32 bits whose meaning a source field selects
  wide_immediate,  // 64 bits likewise
  nibbles,     // two enumerators of `choices`, low nibble first
  tensor,      // address word, `dims` signed 16-bit steps, `dims` unsigned 16-bit counts
  bytes,       // opaque
  text,        // NUL-padded ASCII
};

// One row. Positions are bits from the start of the record, bit 0 the least significant bit of byte 0.
struct Field {
  std::string_view name;
  std::string_view type = {};  // name of the type in the published field map
  unsigned bit = 0, width = 0;
  Kind kind = Kind::integer;
  const EnumTable* choices = nullptr;
  unsigned dims = 0;      // tensor only
  bool indirect = false;  // tensor only: a union with the gather form where the generation has one
  std::string_view doc = {};

  constexpr unsigned byte() const { return bit / 8; }
  constexpr unsigned bytes() const { return (width + 7) / 8; }
  // Whether the field may hold `value`: an enumerator when it has choices. The generation is not looked at.
  constexpr bool allows(std::uint64_t value) const { return choices == nullptr || choices->find(value) != nullptr; }
};

// Bytes that no field owns and that must be zero.
struct Reserved {
  unsigned byte, bytes;
};

// Bits whose value is the same in every record of a format: what tells formats of one length apart. Width 1..64.
struct FixedBits {
  unsigned bit, width;
  std::uint64_t value;
};

// Layout of one record.
struct Format {
  std::string_view name;
  unsigned bytes = 0;  // size of the record
  std::span<const Field> fields;
  std::span<const Reserved> reserved;
  std::string_view doc;
  std::span<const FixedBits> fixed = {};

  constexpr const Field* find(std::string_view field) const {
    for (const Field& f : fields)
      if (f.name == field) return &f;
    return nullptr;
  }
};

// What is wrong with a layout; `ok` for a sound one. Meant for static_assert.
enum class Layout { ok, fields_overlap, bits_uncovered, field_without_doc, field_outside_record, enum_without_choices };

constexpr Layout check_layout(const Format& format) {
  constexpr unsigned kMaxBits = 2048;
  bool used[kMaxBits] = {};
  if (format.bytes * 8 > kMaxBits) return Layout::field_outside_record;
  const auto claim = [&](unsigned bit, unsigned width) {
    if (bit + width > format.bytes * 8 || width == 0) return Layout::field_outside_record;
    for (unsigned b = bit; b < bit + width; ++b) {
      if (used[b]) return Layout::fields_overlap;
      used[b] = true;
    }
    return Layout::ok;
  };
  for (const Field& f : format.fields) {
    if (f.doc.size() < 4) return Layout::field_without_doc;
    if ((f.kind == Kind::enumerator || f.kind == Kind::nibbles) && f.choices == nullptr) return Layout::enum_without_choices;
    if (const Layout l = claim(f.bit, f.width); l != Layout::ok) return l;
  }
  for (const Reserved& r : format.reserved)
    if (const Layout l = claim(r.byte * 8, r.bytes * 8); l != Layout::ok) return l;
  for (const FixedBits& x : format.fixed)
    if (const Layout l = claim(x.bit, x.width); l != Layout::ok) return l;
  for (unsigned b = 0; b < format.bytes * 8; ++b)
    if (!used[b]) return Layout::bits_uncovered;
  return Layout::ok;
}

}  // namespace act
