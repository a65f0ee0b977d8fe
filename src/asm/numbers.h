// Numbers as text: appended to a buffer that is known to be large enough, and read back exactly.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace act::text {

// A place in a character buffer. The caller provides room; nothing is checked here.
struct Out {
  char* at;

  void put(char c) { *at++ = c; }
  void put(std::string_view s) {
    std::memcpy(at, s.data(), s.size());
    at += s.size();
  }
  void decimal(std::uint64_t v) { at = std::to_chars(at, at + 20, v).ptr; }
  void decimal(std::int64_t v) { at = std::to_chars(at, at + 20, v).ptr; }
  // "0x1f", no leading zeros.
  void hex(std::uint64_t v) {
    put("0x");
    at = std::to_chars(at, at + 16, v, 16).ptr;
  }
  void byte(std::uint8_t v) {
    constexpr char kDigits[] = "0123456789abcdef";
    put(kDigits[v >> 4]);
    put(kDigits[v & 15]);
  }
  // Shortest decimal that reads back to the same bits, always with a point, an exponent or a name: "1.0", "1e-45", "-0.0",
  // "inf", "nan", "nan:0x1" for other NaNs.
  void f32(std::uint32_t bits);
};

// A binary32 from its text: what Out::f32 writes, other decimals and hexadecimal floats (rounded to nearest even,
// so that the smallest become zero). Empty when it is none or is too large.
std::optional<std::uint32_t> read_f32(std::string_view text);
// Whether read_f32 refuses the text only because its number is beyond binary32.
bool is_too_large(std::string_view text);
inline constexpr char kBinary32Range[] = "up to 3.4028235e+38, or inf";

// An integer, "0x" for hexadecimal, with a sign; `negative` tells -0x1 from 0xffff…. Empty when it does not fit 64 bits.
struct Integer {
  std::uint64_t magnitude = 0;
  bool negative = false;
  bool hex = false;
};
std::optional<Integer> read_integer(std::string_view text);

}  // namespace act::text
