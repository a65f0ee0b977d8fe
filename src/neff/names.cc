#include "names.h"

#include <fmt/format.h>

#include <algorithm>

#include "act/files/files.h"
#include "act/neff/archive.h"

namespace act::neff {

std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 300;
  const bool cut = text.size() > kLongest;
  // The debug format escapes exactly what must not reach a terminal, and puts quotes around.
  std::string quoted = fmt::format("{:?}", text.substr(0, kLongest));
  quoted = quoted.substr(1, quoted.size() - 2);
  return cut ? quoted + "..." : quoted;
}

std::string hex(std::span<const std::uint8_t> bytes) {
  return fmt::format("{:02x}", fmt::join(bytes.begin(), bytes.end(), ""));
}

std::string fold_case(std::string_view name) {
  std::string folded(name);
  std::transform(folded.begin(), folded.end(), folded.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return folded;
}

Result<std::string> inner_name(std::string_view name) {
  if (Status ok = check_inner_name(name); !ok) return std::move(ok).error();
  std::string clean;
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    begin = end + 1;
    if (part.empty() || part == ".") continue;
    if (!clean.empty()) clean += '/';
    clean += part;
  }
  return clean;
}

std::string folder_of(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return std::string(name.substr(0, slash == name.npos ? 0 : slash + 1));
}

}  // namespace act::neff
