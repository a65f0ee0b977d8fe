#include "asm/numbers.h"

#include <algorithm>
#include <bit>

namespace act::text {
namespace {

constexpr std::uint32_t kSign = 0x80000000U, kQuietNan = 0x7FC00000U, kMantissa = 0x007FFFFFU, kInfinity = 0x7F800000U;

bool is_word(std::string_view text, std::string_view word) {
  if (text.size() < word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i)
    if ((text[i] | 0x20) != word[i]) return false;
  return true;
}

// inf, nan, nan:0x123
std::optional<std::uint32_t> read_special(std::string_view text) {
  if (is_word(text, "inf") && (text.size() == 3 || (is_word(text, "infinity") && text.size() == 8))) return kInfinity;
  if (!is_word(text, "nan")) return std::nullopt;
  if (text.size() == 3) return kQuietNan;
  if (!text.substr(3).starts_with(":0x")) return std::nullopt;
  const auto payload = read_integer(text.substr(4));
  if (!payload || payload->magnitude == 0 || payload->magnitude > kMantissa) return std::nullopt;
  return kInfinity | static_cast<std::uint32_t>(payload->magnitude);
}

// Of the digits of a number that binary32 does not hold: whether it is too large rather than too small.
bool is_above_one(std::string_view digits, bool hex) {
  const std::size_t mark = std::min(digits.find_first_of(hex ? "pP" : "eE"), digits.size());
  const std::string_view mantissa = digits.substr(0, mark);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t lead = mantissa.find_first_not_of("0.");
  if (lead == std::string_view::npos) return false;
  // Digits in front of the point, or, negative, zeros behind it.
  const auto place = lead < point ? static_cast<std::int64_t>(point - lead) : -static_cast<std::int64_t>(lead - point - 1);
  std::string_view power = digits.substr(std::min(mark + 1, digits.size()));
  const bool negative = power.starts_with('-');
  if (negative || power.starts_with('+')) power.remove_prefix(1);
  std::int64_t exponent = 0;
  constexpr std::int64_t kEnough = std::int64_t{1} << 40;
  for (const char c : power) exponent = std::min(kEnough, exponent * 10 + (c - '0'));
  return place * (hex ? 4 : 1) + (negative ? -exponent : exponent) > 0;
}

}  // namespace

void Out::f32(std::uint32_t bits) {
  if ((bits & kSign) != 0) put('-');
  bits &= ~kSign;
  if (bits > kInfinity) {
    put("nan");
    if (bits == kQuietNan) return;
    put(':');
    hex(bits & kMantissa);
    return;
  }
  char* const start = at;
  at = std::to_chars(at, at + 32, std::bit_cast<float>(bits)).ptr;
  for (const char* c = start; c != at; ++c)
    if (*c == '.' || *c == 'e' || *c == 'n') return;
  put(".0");
}

std::optional<std::uint32_t> read_f32(std::string_view text) {
  std::uint32_t sign = 0;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    sign = text[0] == '-' ? kSign : 0;
    text.remove_prefix(1);
  }
  if (text.empty()) return std::nullopt;
  if ((text[0] | 0x20) == 'i' || (text[0] | 0x20) == 'n') {
    const auto special = read_special(text);
    return special ? std::optional(*special | sign) : std::nullopt;
  }
  const bool hex = text.size() > 2 && text[0] == '0' && (text[1] | 0x20) == 'x';
  if (hex) text.remove_prefix(2);
  // from_chars would take a second sign.
  if (text[0] == '-' || text[0] == '+') return std::nullopt;
  float value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, hex ? std::chars_format::hex : std::chars_format::general);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range && !is_above_one(text, hex)) return sign;
  if (error != std::errc{}) return std::nullopt;
  return std::bit_cast<std::uint32_t>(value) | sign;
}

bool is_too_large(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  const bool hex = text.size() > 2 && text[0] == '0' && (text[1] | 0x20) == 'x';
  if (hex) text.remove_prefix(2);
  if (text.empty() || text[0] == '-' || text[0] == '+') return false;
  float value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, hex ? std::chars_format::hex : std::chars_format::general);
  return error == std::errc::result_out_of_range && end == text.data() + text.size() && is_above_one(text, hex);
}

std::optional<Integer> read_integer(std::string_view text) {
  Integer out;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    out.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text.size() > 2 && text[0] == '0' && (text[1] | 0x20) == 'x') {
    out.hex = true;
    text.remove_prefix(2);
  }
  if (text.empty() || text[0] == '-' || text[0] == '+') return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out.magnitude, out.hex ? 16 : 10);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return out;
}

}  // namespace act::text
