#include "act/tables/blobs.h"

#include <algorithm>

namespace act {
namespace {

void put_word(std::uint8_t* at, std::uint32_t word) {
  for (int i = 0; i < 4; ++i) at[i] = static_cast<std::uint8_t>(word >> (8 * i));
}

std::uint32_t get_word(const std::uint8_t* at) {
  std::uint32_t word = 0;
  for (int i = 3; i >= 0; --i) word = word << 8 | at[i];
  return word;
}

// The members in the order of the disk.
constexpr float Section::*kOrder[] = {&Section::d0, &Section::d1, &Section::d2, &Section::d3, &Section::x};

}  // namespace

void put_section(std::span<std::uint8_t, kBktStride> record, const Section& section) {
  std::fill(record.begin(), record.end(), std::uint8_t{0});
  for (std::size_t i = 0; i < std::size(kOrder); ++i)
    put_word(record.data() + 4 * i, float_bits(section.*kOrder[i]));
}

Section get_section(std::span<const std::uint8_t, kBktStride> record) {
  Section section;
  for (std::size_t i = 0; i < std::size(kOrder); ++i)
    section.*kOrder[i] = bits_float(get_word(record.data() + 4 * i));
  return section;
}

std::vector<Section> unpack_bkt(std::span<const std::uint8_t> blob) {
  std::vector<Section> records(blob.size() / kBktStride);
  for (std::size_t i = 0; i < records.size(); ++i)
    records[i] = get_section(blob.subspan(i * kBktStride).first<kBktStride>());
  return records;
}

Bytes pack_bkt(std::span<const Section> records) {
  Bytes blob(records.size() * kBktStride);
  for (std::size_t i = 0; i < records.size(); ++i)
    put_section(std::span(blob).subspan(i * kBktStride).first<kBktStride>(), records[i]);
  return blob;
}

std::vector<std::uint32_t> unpack_ctrl_blob(std::span<const std::uint8_t> blob, std::size_t stride) {
  std::vector<std::uint32_t> words(blob.size() / stride);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = get_word(blob.data() + i * stride);
  return words;
}

Bytes pack_ctrl_blob(std::span<const std::uint32_t> words, std::size_t stride) {
  Bytes blob(words.size() * stride);
  for (std::size_t i = 0; i < words.size(); ++i) put_word(blob.data() + i * stride, words[i]);
  return blob;
}

}  // namespace act
