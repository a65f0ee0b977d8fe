// The encodings of 04 section 3 as plain code: masks, matches and value constraints written out by hand.
// Shares nothing with the library.
#pragma once

#include <cstdint>
#include <string>

namespace act::tile::plain {

inline unsigned bits(std::uint64_t w, unsigned high, unsigned low) {
  return static_cast<unsigned>(w >> low & ((std::uint64_t{1} << (high - low + 1)) - 1));
}

inline bool concrete_type(unsigned code) {
  return code < 32 && code != 15 && code != 21 && code != 22 && code != 23 && code < 29;
}

inline bool layout(unsigned code) {
  for (const unsigned assigned : {0, 1, 3, 4, 6, 8, 9, 17, 18, 20, 21, 22, 23, 24, 25, 26, 27, 28, 30})
    if (code == assigned) return true;
  return false;
}
inline bool pre_quant(unsigned code) {
  return code <= 5 || code == 12 || code == 13 || (code >= 16 && code <= 20) || (code >= 23 && code <= 28) ||
         (code >= 32 && code <= 39);
}
inline bool size(unsigned code) { return code >= 1 && code <= 10; }
inline bool gpr(unsigned code) { return code <= 23; }

// Name of the form of a 32-bit word, empty for an illegal instruction.
inline std::string form32(std::uint32_t w) {
  if ((w & 15) == 14 || (w & 15) == 15 || (w & 1) == 0) return {};  // other lengths
  if ((w & 0x000FFFFF) == 0x00019181)
    return bits(w, 26, 25) == 0 && bits(w, 24, 20) == 23 && concrete_type(bits(w, 31, 27)) ? "BSTART.VEC"
                                                                                           : "";
  if ((w & 0x000C707F) == 0x00001023) {
    const unsigned type = bits(w, 24, 20);
    return bits(w, 31, 29) <= 5 && (concrete_type(type) || type == 31) && layout(bits(w, 11, 7)) ? "B.DATR"
                                                                                                 : "";
  }
  if ((w & 0x00007FFF) == 0x00002023)
    return pre_quant(bits(w, 31, 26)) && bits(w, 25, 23) <= 3 && bits(w, 22, 19) <= 9 ? "B.FPATR" : "";
  if ((w & 0x0000007F) == 0x00000043) return bits(w, 14, 12) <= 2 && gpr(bits(w, 19, 15)) ? "B.DIM" : "";
  if ((w & 0xFC07F07F) == 0x00005013) return "B.IOT.S";
  if ((w & 0x0007F07F) == 0x00004013) return "B.IOT.SS";
  if ((w & 0xFC00707F) == 0x00005013) return size(bits(w, 18, 15)) ? "B.IOT.SD" : "";
  if ((w & 0x0000707F) == 0x00004013) return size(bits(w, 18, 15)) ? "B.IOT.SSD" : "";
  if ((w & 0xFFF0707F) == 0x00006013) return size(bits(w, 18, 15)) ? "B.IOT.D" : "";
  if ((w & 0x0600707F) == 0x00000013)
    return gpr(bits(w, 31, 27)) && gpr(bits(w, 24, 20)) && gpr(bits(w, 19, 15)) && gpr(bits(w, 11, 7))
               ? "B.IOR"
               : "";
  if ((w & 0xF00871FF) == 0x00001013) return bits(w, 18, 15) <= 12 ? "B.IOS" : "";
  if (w == 1) return "BSTOP";
  return {};
}
inline std::string form16(std::uint16_t w) {
  if ((w & 15) == 14 || (w & 1) == 1) return {};
  if (w == 0) return "C.BSTOP";
  if ((w & 0x003F) == 0x003C) return bits(w, 15, 14) <= 2 ? "C.B.DIMI" : "";
  return {};
}

}  // namespace act::tile::plain
