// The two binary blobs of a set (02 section 8): bkt records of 32 bytes, ctrl words at a stride of 16 or 32.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "act/diag/result.h"
#include "act/files/files.h"
#include "act/tables/records.h"

namespace act {

inline constexpr std::uint32_t kMaxBktBase = 2047;      // 11 bits
inline constexpr std::uint32_t kMaxExtractSize = 11;    // a checker refuses more (02 section 16.3)
inline constexpr std::uint32_t kUsualExtractSize = 10;  // and warns above this

// The fields of a ctrl word.
struct CtrlWord {
  std::uint32_t bkt_base = 0;      // bits 10:0
  std::uint32_t extract_lsb = 0;   // bits 15:11
  std::uint32_t extract_size = 0;  // bits 23:16
  std::uint32_t rest = 0;          // bits 31:24, zero in sound files

  // The word of an octave that stores nothing: base only.
  bool empty() const { return extract_lsb == 0 && extract_size == 0; }
  friend bool operator==(const CtrlWord&, const CtrlWord&) = default;
};

constexpr CtrlWord unpack_ctrl(std::uint32_t word) {
  return {word & 0x7ff, word >> 11 & 0x1f, word >> 16 & 0xff, word >> 24};
}
constexpr std::uint32_t pack_ctrl(const CtrlWord& w) {
  return w.rest << 24 | w.extract_size << 16 | w.extract_lsb << 11 | w.bkt_base;
}
// The word of an octave whose first section is record `bkt_base` (0..2047): with sections, extract_lsb is
// 23 - extract_size.
constexpr CtrlWord octave_word(std::uint32_t bkt_base, const Octave& octave) {
  if (octave.sections.empty()) return {bkt_base, 0, 0, 0};
  return {bkt_base, 23 - octave.extract_size, octave.extract_size, 0};
}

// The 20 bytes of a record on disk: d0, d1, d2, d3, x, little-endian.
void put_section(std::span<std::uint8_t, kBktStride> record, const Section& section);
Section get_section(std::span<const std::uint8_t, kBktStride> record);

// All whole records of a blob; a trailing part is left out (the caller compares sizes, V-04). Padding is not
// looked at (V-06).
std::vector<Section> unpack_bkt(std::span<const std::uint8_t> blob);
Bytes pack_bkt(std::span<const Section> records);

// The first word of every whole entry at `stride` (16 or 32).
std::vector<std::uint32_t> unpack_ctrl_blob(std::span<const std::uint8_t> blob, std::size_t stride);
Bytes pack_ctrl_blob(std::span<const std::uint32_t> words, std::size_t stride);

}  // namespace act
