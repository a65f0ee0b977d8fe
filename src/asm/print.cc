#include <algorithm>

#include "act/asm/text.h"
#include "act/isa/memory_map.h"
#include "asm/events.h"
#include "asm/numbers.h"
#include "asm/operands.h"

namespace act {
namespace text {
namespace {

// Longer than any line: three tensors, two immediates and every reserved byte together stay below 1200 characters.
constexpr std::size_t kLineRoom = 2048;

std::uint32_t load32(const std::uint8_t* p) {
  std::uint32_t v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
std::uint64_t load(const std::uint8_t* p, unsigned bytes) {
  std::uint64_t v = 0;
  std::memcpy(&v, p, bytes);
  return v;
}
bool all_zero(const std::uint8_t* p, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    if (p[i] != 0) return false;
  return true;
}

class LinePrinter {
 public:
  LinePrinter(const Bundle& bundle, Generation generation, bool bitvec, char* at)
      : b_(bundle.bytes.data()), generation_(generation), bitvec_(bitvec), out_{at} {}

  void operand(const Operand& x, bool always);  // nothing for a default, unless `always`
  void reserved(const Format& format);
  void comment(const Operand& payload);
  Out& out() { return out_; }

 private:
  void name(std::string_view n) {
    out_.put(' ');
    out_.put(n);
    out_.put('=');
  }
  void word(std::uint32_t w) { print_word(w, generation_, out_); }
  void register_or_word(std::uint32_t w);
  void dtype(const Operand& x);
  void tensor(const Operand& x);
  void steps_and_counts(const TensorView& t);
  void immediate(const Operand& x);
  void number(std::uint64_t v, const Operand& x);
  void hex_bytes(const std::uint8_t* p, std::size_t n);
  void string(const Operand& x);
  void enumerator(const Operand& x);
  std::uint8_t dtype_code(const Operand& x) const {
    return static_cast<std::uint8_t>(b_[x.dtype_byte] >> x.dtype_shift & x.dtype_mask);
  }
  bool is_default(const Operand& x) const;

  const std::uint8_t* b_;
  Generation generation_;
  bool bitvec_;
  Out out_;
};

void LinePrinter::dtype(const Operand& x) {
  if (x.dtype_byte < 0) return;
  const std::uint8_t code = dtype_code(x);
  if (code == x.dtype_default) return;
  out_.put(' ');
  const std::string_view name = dtype_text(code);
  if (name.empty()) {
    out_.hex(code);
  } else {
    out_.put(name);
  }
}

// Dimensions at the end that are (1, 1) are not written.
void LinePrinter::steps_and_counts(const TensorView& t) {
  unsigned dims = t.dims;
  while (dims > 1 && t.step[dims - 1] == 1 && t.num[dims - 1] == 1) --dims;
  out_.put(" [");
  for (unsigned d = 0; d < dims; ++d) {
    if (d != 0) out_.put(',');
    out_.decimal(std::int64_t{t.step[d]});
  }
  out_.put(" x ");
  for (unsigned d = 0; d < dims; ++d) {
    if (d != 0) out_.put(',');
    out_.decimal(std::uint64_t{t.num[d]});
  }
  out_.put(']');
}

// The register number of a shape-register descriptor that holds nothing else (D-10).
bool is_plain_shape_register(const TensorView& t) {
  if ((t.addr & addr4::kShapeReg) == 0 || (t.addr & addr4::kIndirect) != 0) return false;
  if (t.step[0] < 0 || t.step[0] > 255) return false;
  for (unsigned d = 0; d < t.dims; ++d)
    if (t.num[d] != 0 || (d != 0 && t.step[d] != 0)) return false;
  return true;
}

// A register word as D-09 wants it: nothing but bit 31 and the number.
bool is_plain_register(std::uint32_t w) { return w == addr4::register_word(addr4::regnum(w)); }

void LinePrinter::register_or_word(std::uint32_t w) {
  if (!is_plain_register(w)) return word(w);
  out_.put("reg[");
  out_.decimal(std::uint64_t{addr4::regnum(w)});
  out_.put(']');
}

void LinePrinter::tensor(const Operand& x) {
  const Record record(b_, kBundleBytes);
  if (indirect_is_exact(record, *x.field)) {
    const IndirectView v = get_indirect(record, *x.field);
    out_.put("gather ");
    word(v.data_addr);
    out_.put(" by ");
    register_or_word(v.index_addr & ~addr4::kIndirect);
    out_.put(" x ");
    out_.decimal(std::uint64_t{v.count});
    return dtype(x);
  }
  TensorView t;
  t.dims = x.field->dims;
  t.addr = load32(b_ + x.byte);
  std::memcpy(t.step.data(), b_ + x.byte + 4, 2 * t.dims);
  std::memcpy(t.num.data(), b_ + x.byte + 4 + 2 * t.dims, 2 * t.dims);
  const bool shape_register = is_plain_shape_register(t);
  const std::uint32_t w = shape_register ? t.addr & ~addr4::kShapeReg : t.addr;
  // A shape register behind a word that only addr[…] could express is written with its steps and counts.
  const bool readable = (w & ~kAddressMask) == 0 || is_plain_register(w);
  register_or_word(readable ? w : t.addr);
  dtype(x);
  if (!shape_register || !readable) return steps_and_counts(t);
  out_.put(" shape_reg[");
  out_.decimal(std::uint64_t{static_cast<std::uint16_t>(t.step[0])});
  out_.put(']');
}

void LinePrinter::number(std::uint64_t v, const Operand& x) {
  if (x.shape == Shape::wide) return v < 0x100000000U ? out_.decimal(v) : out_.hex(v);
  if (bitvec_) return out_.hex(v);
  out_.f32(static_cast<std::uint32_t>(v));
}

void LinePrinter::immediate(const Operand& x) {
  const std::uint64_t v = load(b_ + x.byte, x.bytes);
  const std::uint8_t selector = x.selector_byte < 0 ? x.inline_code : b_[x.selector_byte];
  if (selector == x.inline_code) {
    name(x.name);
    number(v, x);
  } else if (selector == x.pointer_code && v < 0x100000000U) {
    name(x.name);
    word(static_cast<std::uint32_t>(v));
  } else if (selector == x.register_code && v < 256) {
    name(x.name);
    out_.put("reg[");
    out_.decimal(v);
    out_.put(']');
  } else {
    name(x.selector_name);
    out_.decimal(std::uint64_t{selector});
    name(x.name);
    out_.hex(v);
  }
  dtype(x);
}

void LinePrinter::hex_bytes(const std::uint8_t* p, std::size_t n) {
  while (n > 1 && p[n - 1] == 0) --n;
  for (std::size_t i = 0; i < n; ++i) out_.byte(p[i]);
}

// Printable characters without quotes or backslashes, then only NULs.
bool is_plain_text(const std::uint8_t* p, std::size_t n) {
  std::size_t i = 0;
  while (i < n && p[i] >= 0x20 && p[i] < 0x7F && p[i] != '"' && p[i] != '\\') ++i;
  return all_zero(p + i, n - i);
}

void LinePrinter::string(const Operand& x) {
  const std::uint8_t* p = b_ + x.byte;
  if (!is_plain_text(p, x.bytes)) return hex_bytes(p, x.bytes);
  out_.put('"');
  for (unsigned i = 0; i < x.bytes && p[i] != 0; ++i) out_.put(static_cast<char>(p[i]));
  out_.put('"');
}

void LinePrinter::enumerator(const Operand& x) {
  const std::uint8_t v = b_[x.byte];
  const std::string_view text = x.choices->text[v];
  if (text.empty()) {
    out_.decimal(std::uint64_t{v});
  } else {
    out_.put(text);
  }
}

bool LinePrinter::is_default(const Operand& x) const {
  if (x.selector_byte >= 0 && b_[x.selector_byte] != x.default_selector) return false;
  if (x.dtype_byte >= 0 && dtype_code(x) != x.default_dtype) return false;
  if (x.bytes <= 8) return load(b_ + x.byte, x.bytes) == x.default_bits;
  return all_zero(b_ + x.byte, x.bytes);
}

void LinePrinter::operand(const Operand& x, bool always) {
  if (!always && is_default(x)) return;
  const std::uint8_t* p = b_ + x.byte;
  if (x.shape == Shape::immediate || x.shape == Shape::wide) return immediate(x);
  if (x.shape == Shape::function) {
    if (const std::string_view function = function_text(*p); !function.empty()) {
      out_.put(' ');
      out_.put(function);
      return;
    }
  }
  name(x.name);
  switch (x.shape) {
    case Shape::tensor: return tensor(x);
    case Shape::f32: return out_.f32(load32(p));
    case Shape::address: word(load32(p)); return dtype(x);
    case Shape::enumerator: return enumerator(x);
    case Shape::pattern: return out_.hex(load(p, x.bytes));
    case Shape::bytes: return hex_bytes(p, x.bytes);
    case Shape::string: return string(x);
    case Shape::function:
    case Shape::integer: return out_.decimal(load(p, x.bytes));
    case Shape::immediate:
    case Shape::wide:
    case Shape::pair: break;
  }
}

void LinePrinter::reserved(const Format& format) {
  for (const Reserved& range : format.reserved) {
    if (all_zero(b_ + range.byte, range.bytes)) continue;
    out_.put(" reserved_");
    out_.decimal(std::uint64_t{range.byte});
    out_.put('=');
    hex_bytes(b_ + range.byte, range.bytes);
  }
}

// The text at the start of an opaque payload (a queue name, say) in a comment.
void LinePrinter::comment(const Operand& payload) {
  const std::uint8_t* p = b_ + payload.byte;
  unsigned n = 0;
  while (n < payload.bytes && p[n] > 0x20 && p[n] < 0x7F) ++n;
  if (n < 4 || n == payload.bytes || p[n] != 0) return;
  out_.put("  # ");
  out_.put({reinterpret_cast<const char*>(p), n});
}

}  // namespace

void print_word(std::uint32_t w, Generation generation, Out& out) {
  const Location at = locate(w, generation);
  if ((w & ~kAddressMask) != 0 || at.space == Space::off_chip) {
    out.put("addr[");
    out.hex(w);
    return out.put(']');
  }
  out.put(at.space == Space::psum ? "psum[p" : "sbuf[p");
  out.decimal(std::uint64_t{at.partition});
  std::uint32_t offset = at.offset;
  if (at.space == Space::psum && at.active) {
    out.put("+bank");
    out.decimal(std::uint64_t{at.bank()});
    offset %= kPsumBankBytes;
  }
  if (offset != 0) {
    out.put('+');
    out.hex(offset);
  }
  out.put(']');
}

}  // namespace text

TextPrinter::TextPrinter(Generation generation) : generation_(generation) {}

void TextPrinter::append(const Bundle& bundle, std::string& out) const {
  const text::Mnemonic& m = text::mnemonic_of(bundle.opcode());
  if (m.length == 0) return append_bytes(bundle.bytes, out);
  char line[text::kLineRoom];
  text::LinePrinter printer(bundle, generation_, m.bitvec, line);
  printer.out().put({m.name.data(), m.length});
  const text::Plan& plan = *m.plan;
  for (std::size_t i = 0; i < plan.printed; ++i) {
    const text::Operand& x = plan.operands[i];
    if (x.derived_count && text::load32(bundle.bytes.data() + x.byte) == text::derived_count(bundle, plan)) continue;
    if (x.derived_count && text::load32(bundle.bytes.data() + x.byte) == 0) {
      printer.out().put(" dst_element_count=0");
      continue;
    }
    printer.operand(x, static_cast<int>(i) == m.always);
  }
  printer.reserved(*plan.format);
  text::print_events(bundle, printer.out());
  if (m.plan->format == &FormatOf<Raw>::value) printer.comment(plan.operands[plan.printed - 1]);
  printer.out().put('\n');
  out.append(line, static_cast<std::size_t>(printer.out().at - line));
}

void TextPrinter::append_bytes(std::span<const std::uint8_t> bytes, std::string& out) const {
  char line[160];
  text::Out o{line};
  o.put(".bytes ");
  for (const std::uint8_t b : bytes.first(std::min<std::size_t>(bytes.size(), kBundleBytes))) o.byte(b);
  o.put('\n');
  out.append(line, static_cast<std::size_t>(o.at - line));
}

void TextPrinter::append_engine(Engine engine, std::string_view name, std::string& out) const {
  out += ".engine ";
  out += engine_name(engine);
  if (!name.empty()) {
    out += " \"";
    for (const char c : name) out += c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20 ? '_' : c;
    out += '"';
  }
  out += '\n';
}

void TextPrinter::append_generation(std::string& out) const {
  out += ".gen ";
  out += generation_name(generation_);
  out += '\n';
}

std::string print_instruction(const Bundle& bundle, Generation generation) {
  std::string out;
  TextPrinter(generation).append(bundle, out);
  out.pop_back();
  return out;
}

}  // namespace act
