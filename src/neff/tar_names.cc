#include "tar_names.h"

#include <algorithm>
#include <string_view>

namespace act::neff {
namespace {

// POSIX.1-2001 ustar: offsets in a 512-byte block.
constexpr std::size_t kBlock = 512, kNameBytes = 100, kSizeOffset = 124, kSizeBytes = 12, kTypeOffset = 156;

std::string_view text_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool bytes_after_nul(std::string_view name) {
  const std::size_t nul = name.find('\0');
  return nul != name.npos && name.find_first_not_of('\0', nul) != name.npos;
}

std::size_t octal(std::string_view digits) {
  std::size_t value = 0;
  for (char c : digits)
    if (c >= '0' && c <= '7') value = value * 8 + static_cast<std::size_t>(c - '0');
  return value;
}

// Records are "LENGTH KEY=VALUE\n"; LENGTH counts the whole record.
bool pax_path_has_nul(std::string_view records) {
  while (!records.empty()) {
    const std::size_t space = records.find(' ');
    if (space == records.npos) return false;
    std::size_t length = 0;
    for (char c : records.substr(0, std::min<std::size_t>(space, 9)))
      length = length * 10 + static_cast<std::size_t>(c - '0') % 10;
    if (length <= space + 1 || length > records.size()) return false;
    const std::string_view record = records.substr(space + 1, length - space - 2);
    if (record.starts_with("path=") && record.find('\0') != record.npos) return true;
    records.remove_prefix(length);
  }
  return false;
}

}  // namespace

bool name_has_nul(std::span<const std::uint8_t> blocks) {
  while (blocks.size() >= kBlock) {
    const auto header = text_of(blocks.first(kBlock));
    const char type = header[kTypeOffset];
    const bool extended = type == 'x' || type == 'X' || type == 'g' || type == 'L' || type == 'K';
    if (!extended) return bytes_after_nul(header.substr(0, kNameBytes));
    blocks = blocks.subspan(kBlock);
    const std::size_t size = std::min(octal(header.substr(kSizeOffset, kSizeBytes)), blocks.size());
    const std::string_view content = text_of(blocks.first(size));
    if (type == 'L' && bytes_after_nul(content)) return true;
    if ((type == 'x' || type == 'X') && pax_path_has_nul(content)) return true;
    blocks = blocks.subspan(std::min(blocks.size(), (size + kBlock - 1) / kBlock * kBlock));
  }
  return false;
}

}  // namespace act::neff
