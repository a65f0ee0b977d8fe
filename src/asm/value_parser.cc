// Tensors and immediates of an instruction.
#include <fmt/format.h>

#include <algorithm>

#include "act/isa/memory_map.h"
#include "asm/line_parser.h"
#include "asm/numbers.h"

namespace act::text {
namespace {

std::uint64_t bit(std::size_t i) { return std::uint64_t{1} << i; }

// The dense walk of a named tensor: dimension 0 is the last of the shape, without the channels.
bool dense_pattern(const TensorBinding& tensor, TensorView& t) {
  unsigned d = 0;
  std::uint64_t step = 1;
  for (unsigned i = 0; i < t.dims; ++i) t.step[i] = 1, t.num[i] = 1;
  for (std::size_t i = tensor.shape.size(); i-- > 1;) {
    const std::uint64_t n = tensor.shape[i];
    if (n == 1) continue;
    if (d == t.dims || n > 65535 || step > 32767) return false;
    t.step[d] = static_cast<std::int16_t>(step);
    t.num[d++] = static_cast<std::uint16_t>(n);
    step *= n;
  }
  return true;
}

}  // namespace

bool LineParser::tensor(const Operand& x) {
  skip_blanks();
  const char* const from = at_;
  const std::string_view name = token();
  if (name == "gather") return gather(x);
  if (at_ != end_ && *at_ == '@') return profiler_tensor(x, name, from);
  at_ = from;
  Place p;
  if (!place(p)) return false;
  TensorView t;
  t.dims = x.field->dims;
  t.addr = p.is_register ? addr4::register_word(p.word) : p.word;
  if (!dtype_behind(x, p.symbol)) return false;
  const char* const behind = at_;
  const std::string_view other = word();
  if (other == "shape_reg") {
    unsigned n = 0;
    if (!register_number(n)) return false;
    t.addr |= addr4::kShapeReg;
    t.step[0] = static_cast<std::int16_t>(n);
  } else {
    // A word where the bracket should be was meant as a type; behind a named tensor it may be the next operand.
    if (!other.empty() && (p.symbol == nullptr ? !next_is('=') : next_is('[') && other != "S"))
      return fail(other.data(), Code::unknown_name, "no data type of this name", x.name, "fp32, bfloat16, int8, … or a code");
    at_ = behind;
    if (p.symbol != nullptr && !next_is('[')) {
      if (!dense_pattern(*p.symbol, t))
        return fail(from, Code::bad_value, "the shape of the tensor does not fit the descriptor", x.name, "write [steps x counts]");
    } else if (!pattern(t)) {
      return false;
    }
  }
  put_tensor(*bundle_, *x.field, t);
  return true;
}

// "gather DATA by INDEX x COUNT"
bool LineParser::gather(const Operand& x) {
  const char* const from = at_;
  if (!x.field->indirect || x.field->dims < 3) return fail(from, Code::bad_value, "this operand has no gather form", x.name);
  Place data, index;
  std::uint64_t count = 0;
  if (!place(data)) return false;
  if (word() != "by") return fail(from, Code::text_syntax, "a gather is written: gather DATA by INDEX x COUNT", x.name);
  if (!place(index)) return false;
  if (word() != "x") return fail(from, Code::text_syntax, "a gather is written: gather DATA by INDEX x COUNT", x.name);
  if (!unsigned_in(count, 65535, "count")) return false;
  if (data.is_register) return fail(from, Code::bad_value, "the data of a gather stand at an address", x.name);
  const std::uint32_t index_word = index.is_register ? addr4::register_word(index.word) : index.word;
  if ((index_word & addr4::kShapeReg) != 0) return fail(from, Code::bad_value, "bit 30 of the index word must be clear", x.name);
  put_indirect(*bundle_, *x.field, {index_word | addr4::kIndirect, data.word, static_cast<std::uint16_t>(count)});
  return dtype_behind(x, data.symbol);
}

// The vendor profiler's "fp32@0x2002000[1,1,1][512,1,1]".
bool LineParser::profiler_tensor(const Operand& x, std::string_view dtype_name, const char* from) {
  const int code = read_dtype(dtype_name);
  if (code == NameTable::kNone) return fail(from, Code::unknown_name, "no data type of this name", x.name, "fp32, bfloat16, int8, …");
  ++at_;
  TensorView t;
  t.dims = x.field->dims;
  if (next_is('$')) {
    unsigned n = 0;
    if (!profiler_register(n)) return false;
    t.addr = addr4::register_word(n);
  } else {
    std::uint64_t address = 0;
    if (!unsigned_in(address, 0xFFFFFFFFU, "address")) return false;
    t.addr = static_cast<std::uint32_t>(address);
  }
  if (!pattern(t)) return false;
  put_tensor(*bundle_, *x.field, t);
  return x.dtype_byte < 0 || set_dtype(x, static_cast<std::uint8_t>(code), from);
}

bool LineParser::set_selector(const Operand& x, std::uint8_t code, bool settled, const char* from) {
  if (x.selector_byte < 0) return true;
  const std::uint64_t own = bit(static_cast<std::size_t>(&x - plan_->operands.data()));
  std::uint8_t& byte = bundle_->bytes[static_cast<std::size_t>(x.selector_byte)];
  if ((selectors_ & own) != 0) return !settled || byte == code || conflict(from, x.selector_name, x.selector_name, x.name);
  if (settled) settled_ |= own;
  byte = code;
  return true;
}

// "$R[5]"
bool LineParser::profiler_register(unsigned& n) {
  const char* const from = at_;
  if (accept('$') && word() == "R") return register_number(n);
  return fail(from, Code::text_syntax, "a register is written $R[n] here");
}

// An address as the profiler writes it, or a register that holds it.
bool LineParser::profiler_word(const Operand& x) {
  skip_blanks();
  const char* const from = at_;
  if (next_is('$')) {
    unsigned n = 0;
    if (!profiler_register(n)) return false;
    if (x.selector_byte < 0) return fail(from, Code::bad_value, "this operand is an address, it cannot come from a register", x.name);
    put(x, n);
    return set_selector(x, x.register_code, true, from);
  }
  std::uint64_t address = 0;
  if (!unsigned_in(address, 0xFFFFFFFFU, "address")) return false;
  put(x, address);
  return set_selector(x, x.pointer_code, true, from);
}

// "fp32@0x4810", "fp32@$R[5]"; at the '@'.
bool LineParser::profiler_pointer(const Operand& x, std::string_view dtype_name, const char* from) {
  const int code = read_dtype(dtype_name);
  if (code == NameTable::kNone) return fail(from, Code::unknown_name, "no data type of this name", x.name, "fp32, bfloat16, int8, …");
  ++at_;
  return profiler_word(x) && (x.dtype_byte < 0 || set_dtype(x, static_cast<std::uint8_t>(code), from));
}

// Behind "scale_ptr=": numbers are addresses.
bool LineParser::pointer(const Operand& x) {
  skip_blanks();
  const char* const from = at_;
  const std::string_view text = token();
  const bool number = at_ == end_ || (*at_ != '@' && *at_ != '[');
  at_ = from;
  if (!number || context_.symbols.contains(text)) return immediate(x);
  return profiler_word(x) && dtype_behind(x, nullptr);
}

bool LineParser::immediate(const Operand& x) {
  skip_blanks();
  const char* const from = at_;
  const std::string_view name = word();
  const char next = at_ == end_ ? ' ' : *at_;
  if (next == '@') return profiler_pointer(x, name, from);
  const bool is_place = next == '[' || (!name.empty() && context_.symbols.contains(name));
  at_ = from;
  if (!is_place) return immediate_number(x);
  Place p;
  if (!place(p)) return false;
  put(x, p.word);
  return set_selector(x, p.is_register ? x.register_code : x.pointer_code, true, from) && dtype_behind(x, p.symbol);
}

// A number in the instruction: hexadecimal integers are bit patterns; decimals are values, of binary32 or, in bit operations
// and 64-bit immediates, of integers.
bool LineParser::immediate_number(const Operand& x) {
  skip_blanks();
  const char* const from = at_;
  const std::string_view text = token();
  const auto n = read_integer(text);
  const bool integers = bitvec_ || x.shape == Shape::wide;
  if (at_ != end_ && *at_ == '@') return profiler_pointer(x, text, from);  // a type by its number
  if (n && (n->hex ? !n->negative : integers)) {
    const unsigned bits = x.bytes * 8U;
    const std::uint64_t limit = n->negative ? std::uint64_t{1} << (bits - 1) : detail::width_mask(bits);
    if (n->magnitude > limit) return fail(from, Code::bad_value, "the number does not fit", x.name, fmt::format("{} bits", bits));
    put(x, n->negative ? ~n->magnitude + 1 : n->magnitude);
    return set_selector(x, x.inline_code, !n->hex && n->magnitude != 0, from) && dtype_behind(x, nullptr);
  }
  const auto v = x.shape == Shape::wide ? std::nullopt : read_f32(text);
  if (!v && x.shape != Shape::wide && is_too_large(text)) return fail(from, Code::bad_value, "the number does not fit", x.name, kBinary32Range);
  if (!v)
    return fail(from, Code::bad_value, x.shape == Shape::wide ? "an integer or a place is wanted here" : "a number or a place is wanted here", x.name,
                x.shape == Shape::wide ? "5, 0xff, sbuf[p0+0x40], reg[3]" : "1.5, 0x1.8p+0, a bit pattern 0x3fc00000, sbuf[p0+0x40], reg[3]");
  put(x, *v);
  return set_selector(x, x.inline_code, *v != 0, from) && dtype_behind(x, nullptr);
}

}  // namespace act::text
