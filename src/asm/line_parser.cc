#include "asm/line_parser.h"

#include <fmt/format.h>

#include <algorithm>

#include "act/isa/memory_map.h"
#include "asm/numbers.h"

namespace act::text {
namespace {

bool is_token_char(char c) { return is_name_char(c) || c == '.' || c == '+' || c == '-' || c == ':'; }

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = static_cast<char>(c | 0x20);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

}  // namespace

LineParser::LineParser(std::string_view line, LineContext context)
    : begin_(line.data()), at_(line.data()), end_(line.data() + line.size()), context_(context) {}

bool LineParser::at_end() {
  skip_blanks();
  return at_ == end_ || *at_ == '#' || (*at_ == '/' && end_ - at_ > 1 && at_[1] == '/');
}

bool LineParser::next_is(char c) {
  skip_blanks();
  return at_ != end_ && *at_ == c;
}

bool LineParser::accept(char c) {
  if (!next_is(c)) return false;
  ++at_;
  return true;
}

bool LineParser::expect(char c) {
  if (accept(c)) return true;
  return fail(at_, Code::text_syntax, fmt::format("'{}' is missing here", c));
}

std::string_view LineParser::word() {
  skip_blanks();
  const char* const from = at_;
  if (at_ != end_ && is_name_start(*at_))
    while (at_ != end_ && is_name_char(*at_)) ++at_;
  return {from, static_cast<std::size_t>(at_ - from)};
}

std::string_view LineParser::token() {
  skip_blanks();
  const char* const from = at_;
  while (at_ != end_ && is_token_char(*at_)) ++at_;
  return {from, static_cast<std::size_t>(at_ - from)};
}

bool LineParser::fail(const char* from, Code code, std::string message, std::string_view field, std::string allowed) {
  const char* to = std::max(at_, from);
  while (to > from + 1 && (to[-1] == ' ' || to[-1] == '\t')) --to;
  Diagnostic d = make_error(code, std::move(message));
  d.field = field;
  d.allowed = std::move(allowed);
  d.value = std::string(from, static_cast<std::size_t>(std::min<std::ptrdiff_t>(to - from, 100)));
  d.where.column = static_cast<std::uint32_t>(from - begin_ + 1);
  d.where.end_column = static_cast<std::uint32_t>(to - begin_ + 1);
  context_.report(std::move(d));
  return false;
}

bool LineParser::unsigned_in(std::uint64_t& out, std::uint64_t max, std::string_view field) {
  skip_blanks();
  const char* const from = at_;
  const auto n = read_integer(token());
  if (n && n->magnitude <= max && !(n->negative && n->magnitude != 0)) {
    out = n->magnitude;
    return true;
  }
  return fail(from, n ? Code::bad_value : Code::text_syntax, n ? "the number does not fit" : "a number is wanted here", field,
              fmt::format("0..{}", max));
}

bool LineParser::signed_in(std::int64_t& out, std::int64_t min, std::int64_t max, std::string_view field) {
  skip_blanks();
  const char* const from = at_;
  const auto n = read_integer(token());
  const std::uint64_t limit = n && n->negative ? static_cast<std::uint64_t>(-min) : static_cast<std::uint64_t>(max);
  if (n && n->magnitude <= limit) {
    out = n->negative ? -static_cast<std::int64_t>(n->magnitude) : static_cast<std::int64_t>(n->magnitude);
    return true;
  }
  return fail(from, n ? Code::bad_value : Code::text_syntax, n ? "the number does not fit" : "a number is wanted here", field,
              fmt::format("{}..{}", min, max));
}

bool LineParser::string(std::string& out) {
  skip_blanks();
  const char* const from = at_;
  if (!accept('"')) return fail(from, Code::text_syntax, "text between quotes is wanted here");
  const char* const close = std::find(at_, end_, '"');
  if (close == end_) {
    at_ = end_;
    return fail(from, Code::text_syntax, "the closing quote is missing");
  }
  out.assign(at_, close);
  at_ = close + 1;
  return true;
}

bool LineParser::hex_bytes(std::span<std::uint8_t> out, std::size_t& count) {
  skip_blanks();
  const char* const from = at_;
  count = 0;
  while (end_ - at_ >= 2 && hex_digit(at_[0]) >= 0 && hex_digit(at_[1]) >= 0) {
    if (count < out.size()) out[count] = static_cast<std::uint8_t>(hex_digit(at_[0]) << 4 | hex_digit(at_[1]));
    ++count;
    at_ += 2;
  }
  const std::string allowed = fmt::format("{} hex digits", 2 * out.size());
  if (at_ != end_ && is_name_char(*at_)) {
    while (at_ != end_ && is_name_char(*at_)) ++at_;
    return fail(from, Code::text_syntax, "bytes are pairs of hex digits", {}, allowed);
  }
  if (count == 0 || count > out.size())
    return fail(from, Code::bad_value, count == 0 ? "bytes are wanted here" : "too many bytes", {}, allowed);
  std::fill(out.begin() + static_cast<std::ptrdiff_t>(count), out.end(), std::uint8_t{0});
  return true;
}

bool LineParser::register_number(unsigned& n) {
  std::uint64_t v = 0;
  if (!expect('[') || !unsigned_in(v, 255, "register") || !expect(']')) return false;
  n = static_cast<unsigned>(v);
  return true;
}

// "p64+bank3+0x8]" behind "psum[".
bool LineParser::place_terms(Space space, const char* from, std::uint32_t& out) {
  std::uint64_t partition = 0, offset = 0;
  do {
    skip_blanks();
    const char* const term = at_;
    std::uint64_t* target = &offset;
    std::uint64_t unit = 1, max = kAddressMask;
    if (end_ - at_ > 1 && (*at_ | 0x20) == 'p') {
      ++at_;
      target = &partition;
      max = kPartitions - 1;
    } else if (space == Space::psum && end_ - at_ > 4 && std::string_view(at_, 4) == "bank") {
      at_ += 4;
      unit = kPsumBankBytes;
      max = kPsumActive / kPsumBankBytes - 1;
    }
    const char* const first = at_;
    while (at_ != end_ && is_name_char(*at_)) ++at_;
    const auto n = read_integer({first, static_cast<std::size_t>(at_ - first)});
    if (!n) return fail(term, Code::text_syntax, "a partition (p32), a bank of PSUM (bank3) or a number of bytes is wanted here");
    if (n->magnitude > max) return fail(term, Code::bad_value, "the number does not fit", "address", fmt::format("0..{}", max));
    *target += n->magnitude * unit;
  } while (accept('+'));
  if (!expect(']')) return false;
  const std::uint32_t stride = partition_stride(space, context_.generation);
  if (partition >= kPartitions) return fail(from, Code::bad_value, "no such partition", "address", "p0..p127");
  if (offset >= stride) return fail(from, Code::bad_value, "the offset leaves the partition", "address", fmt::format("0..{:#x}", stride - 1));
  out = make_address(space, static_cast<unsigned>(partition), static_cast<std::uint32_t>(offset), context_.generation);
  return true;
}

bool LineParser::place(Place& out) {
  skip_blanks();
  const char* const from = at_;
  const std::string_view name = word();
  const bool bracket = at_ != end_ && *at_ == '[';
  if (bracket && name == "addr") {
    ++at_;
    std::uint64_t w = 0;
    if (!unsigned_in(w, 0xFFFFFFFFU, "address")) return false;
    out.word = static_cast<std::uint32_t>(w);
    return expect(']');
  }
  if (bracket && name == "reg") {
    unsigned n = 0;
    if (!register_number(n)) return false;
    out.is_register = true;
    out.word = n;
    return true;
  }
  if (bracket && (name == "sbuf" || name == "psum")) {
    ++at_;
    const Space space = name == "psum" ? Space::psum : Space::sbuf;
    if (space == Space::psum && geometry(context_.generation).psum_window == 0)
      return fail(from, Code::bad_value, fmt::format("{} has no PSUM", generation_name(context_.generation)), "address", "sbuf[…]");
    return place_terms(space, from, out.word);
  }
  if (const auto symbol = context_.symbols.find(name); symbol != context_.symbols.end() && !bracket) {
    out.symbol = &symbol->second;
    out.word = symbol->second.addr;
    if (at_ == end_ || *at_ != '+') return true;
    ++at_;
    std::uint64_t offset = 0;
    if (!unsigned_in(offset, kAddressMask - out.word, "address")) return false;
    out.word += static_cast<std::uint32_t>(offset);
    return true;
  }
  if (name.empty()) at_ = std::min(at_ + 1, end_);
  return fail(from, name.empty() || bracket ? Code::text_syntax : Code::unknown_name,
              name.empty() || bracket ? "a place is wanted here" : "no tensor of this name", "address",
              "sbuf[p0+0x0], psum[p0+bank0+0x0], reg[n], addr[0x0], or the name of a .tensor");
}

bool LineParser::dtype(std::uint8_t& code) {
  skip_blanks();
  const char* const from = at_;
  const std::string_view text = token();
  const int found = read_dtype(text);
  if (found == NameTable::kNone) return fail(from, Code::unknown_name, "no data type of this name", "dtype", "fp32, bfloat16, int8, … or a code");
  code = static_cast<std::uint8_t>(found);
  return true;
}

bool LineParser::pattern(TensorView& out) {
  skip_blanks();
  const char* const from = at_;
  if (!expect('[')) return false;
  unsigned steps = 0, counts = 0;
  do {
    std::int64_t v = 0;
    if (!signed_in(v, -32768, 32767, "step")) return false;
    if (steps < out.dims) out.step[steps] = static_cast<std::int16_t>(v);
    ++steps;
  } while (accept(','));
  // "[1,1,1][512,1,1]" is the profiler's form of "[1,1,1 x 512,1,1]".
  const bool closed = accept(']');
  const char* const separator = at_;
  if (closed ? !accept('[') : word() != "x") return fail(separator, Code::text_syntax, "steps and counts are written [1,32 x 16,8]");
  do {
    std::uint64_t v = 0;
    if (!unsigned_in(v, 65535, "count")) return false;
    if (counts < out.dims) out.num[counts] = static_cast<std::uint16_t>(v);
    ++counts;
  } while (accept(','));
  if (!expect(']')) return false;
  if (steps != counts) return fail(from, Code::bad_value, fmt::format("{} steps and {} counts", steps, counts), "dimensions", "one step for each count");
  if (steps > out.dims) return fail(from, Code::bad_value, "too many dimensions", "dimensions", fmt::format("1..{}", out.dims));
  for (unsigned d = steps; d < out.dims; ++d) out.step[d] = 1, out.num[d] = 1;
  return true;
}

}  // namespace act::text
