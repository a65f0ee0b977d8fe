// Small helpers for names out of strangers' files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "act/diag/result.h"

namespace act::neff {

std::string hex(std::span<const std::uint8_t> bytes);
// ASCII letters in lower case; other bytes as they are.
std::string fold_case(std::string_view name);
// check_inner_name, then the name without "." parts, doubled and trailing slashes. Error: bad-path.
Result<std::string> inner_name(std::string_view name);
// The folder part of a name with its slash: "sg00/" of "sg00/def.json", empty at the root.
std::string folder_of(std::string_view name);

}  // namespace act::neff
