// Which waits and updates read the one value that they share (01 section 2.4).
#pragma once

#include "act/isa/enums.h"

namespace act {

constexpr bool uses_value(WaitMode m) {
  const unsigned c = static_cast<unsigned>(m);
  return (c >= 0x01 && c <= 0x05) || (c >= 0x81 && c <= 0x85);
}
constexpr bool uses_value(UpdateMode m) {
  const unsigned c = static_cast<unsigned>(m) & 0x0F;
  return m != UpdateMode::INVALID && (c == 5 || c == 7 || c == 9);
}

}  // namespace act
