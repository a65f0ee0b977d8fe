// The one thing libarchive does not tell: whether a name was cut at a zero byte.
#pragma once

#include <cstdint>
#include <span>

namespace act::neff {

// `blocks`: the 512-byte header blocks of one member, extended headers first. True when the name in the last
// block, in a GNU long name or in a pax "path" record has bytes other than zero behind its first zero byte.
bool name_has_nul(std::span<const std::uint8_t> blocks);

}  // namespace act::neff
