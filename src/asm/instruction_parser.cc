// The operands of one instruction.
#include <fmt/format.h>

#include <algorithm>

#include "act/isa/memory_map.h"
#include "asm/line_parser.h"
#include "asm/numbers.h"

namespace act::text {
namespace {

std::uint64_t bit(std::size_t i) { return std::uint64_t{1} << i; }

constexpr std::uint8_t kEventsByte = 4;  // wait_mode, wait_idx, update_mode, update_idx

// Words of the profiler that carry nothing the bundle holds, with the one value they have there.
constexpr std::pair<std::string_view, std::string_view> kProfilerOnly[] = {
    {"setter", "0"}, {"cycle", "0"}, {"ordering_mode", "relaxed"}};

}  // namespace

bool LineParser::instruction(std::uint8_t opcode, const char* mnemonic, Bundle& out) {
  const Mnemonic& m = mnemonic_of(opcode);
  plan_ = m.plan;
  bitvec_ = m.bitvec;
  bundle_ = &out;
  out = plan_->defaults;
  out.bytes[0] = opcode;
  bool ok = true;
  while (!at_end()) {
    if (*at_ == ',') {
      ++at_;
      continue;
    }
    if (operand()) continue;
    ok = false;
    skip_operand();
  }
  return ok && check_missing(mnemonic);
}

// After an error: on to the next "name=" or event clause, so that one mistake is reported once.
void LineParser::skip_operand() {
  while (!at_end()) {
    const char* const from = at_;
    const std::string_view name = word();
    const bool clause = name == "wait" || name == "then" || name == "on_read";
    if (clause || (!name.empty() && next_is('=') && !(end_ - at_ > 1 && at_[1] == '='))) {
      at_ = from;
      return;
    }
    if (at_ == from) ++at_;
    while (at_ != end_ && *at_ != ' ' && *at_ != '\t' && *at_ != ',') ++at_;
    if (at_ != end_ && *at_ == ',') ++at_;
  }
}

bool LineParser::operand() {
  const char* const from = at_;
  const std::string_view name = word();
  if (name.empty()) {
    while (at_ != end_ && *at_ != ' ' && *at_ != '\t') ++at_;
    return fail(from, Code::text_syntax, "an operand is written name=value");
  }
  if (name == "wait") return wait_clause(from);
  if (name == "then") return update_clause(false, from);
  if (name == "on_read") return update_clause(true, from);
  const char* const behind = at_;
  if (accept('=')) return named_operand(name, from);
  if (name == "S" && next_is('[')) return profiler_event(from);
  at_ = behind;
  return function(name, from);
}

bool LineParser::function(std::string_view name, const char* from) {
  const int target = plan_->names.find("activation_func");
  const int code = target == NameTable::kNone ? NameTable::kNone : find_function_code(name);
  if (code == NameTable::kNone) {
    const bool takes_one = target != NameTable::kNone;
    return fail(from, takes_one ? Code::unknown_name : Code::text_syntax,
                takes_one ? "no function of this name" : "an operand is written name=value", takes_one ? "activation_func" : "",
                takes_one ? "a function of the catalogs, or activation_func=code" : "");
  }
  const Operand& x = plan_->operands[static_cast<std::size_t>(plan_->targets[static_cast<std::size_t>(target)].first)];
  if (!mark_given(x, from)) return false;
  put(x, static_cast<std::uint64_t>(code));
  return true;
}

bool LineParser::mark_given(const Operand& x, const char* from) {
  const auto i = static_cast<std::size_t>(&x - plan_->operands.data());
  if ((given_ & bit(i)) != 0) return fail(from, Code::duplicate_name, "the operand is given twice", x.name);
  given_ |= bit(i);
  return true;
}

bool LineParser::named_operand(std::string_view name, const char* from) {
  const int found = plan_->names.find(name);
  if (found == NameTable::kNone) {
    if (name.starts_with("reserved_")) return reserved(name, from);
    if (profiler_only(name)) return true;
    return fail(from, Code::unknown_field, fmt::format("{} has no operand of this name", plan_->format->name), name.substr(0, 100));
  }
  const OperandName& target = plan_->targets[static_cast<std::size_t>(found)];
  const Operand& first = plan_->operands[static_cast<std::size_t>(target.first)];
  if (!mark_given(first, from) || !(target.pointer ? pointer(first) : value(first))) return false;
  if (target.second == Operand::kAbsent) return true;
  const Operand& second = plan_->operands[static_cast<std::size_t>(target.second)];
  return expect(',') && mark_given(second, from) && value(second);
}

bool LineParser::profiler_only(std::string_view name) {
  for (const auto& [word_, value_] : kProfilerOnly) {
    if (name != word_) continue;
    const char* const before = at_;
    if (token() == value_) return true;
    at_ = before;
  }
  return false;
}

bool LineParser::reserved(std::string_view name, const char* from) {
  for (const Reserved& range : plan_->format->reserved) {
    if (name != fmt::format("reserved_{}", range.byte)) continue;
    if ((reserved_given_ & bit(range.byte)) != 0) return fail(from, Code::duplicate_name, "the operand is given twice", name);
    reserved_given_ |= bit(range.byte);
    std::size_t count = 0;
    return hex_bytes(std::span(bundle_->bytes).subspan(range.byte, range.bytes), count);
  }
  return fail(from, Code::unknown_field, fmt::format("{} has no reserved bytes there", plan_->format->name), name.substr(0, 100));
}

bool LineParser::value(const Operand& x) {
  switch (x.shape) {
    case Shape::tensor: return tensor(x);
    case Shape::immediate:
    case Shape::wide: return immediate(x);
    case Shape::f32: return f32_field(x);
    case Shape::enumerator: return enumerator(x);
    case Shape::pair: return pair(x);
    case Shape::bytes: return bytes_field(x);
    case Shape::string: return string_field(x);
    case Shape::address: {
      skip_blanks();
      const char* const from = at_;
      word();
      const bool profiler_form = at_ != end_ && *at_ == '@';
      at_ = from;
      if (profiler_form) return immediate(x);
      Place p;
      if (!place(p)) return false;
      if (p.is_register) return fail(from, Code::bad_value, "this operand is an address, it cannot come from a register", x.name);
      put(x, p.word);
      return dtype_behind(x, p.symbol);
    }
    case Shape::function: {
      const char* const from = at_;
      const std::string_view name = word();
      if (name.empty()) return integer_field(x);
      const int code = find_function_code(name);
      if (code == NameTable::kNone) return fail(from, Code::unknown_name, "no function of this name", x.name, "a function of the catalogs, or its code");
      put(x, static_cast<std::uint64_t>(code));
      return true;
    }
    case Shape::integer:
    case Shape::pattern: break;
  }
  return integer_field(x);
}

bool LineParser::integer_field(const Operand& x) {
  std::uint64_t v = 0;
  const char* const from = at_;
  if (!unsigned_in(v, detail::width_mask(x.bytes * 8U), x.name)) return false;
  if (x.name == "sync_value") return set_sync_value(static_cast<std::uint32_t>(v), x.name, from);
  const std::uint8_t before = bundle_->bytes[x.byte];
  put(x, v);
  return field_agrees(x, before, from);
}

bool LineParser::conflict(const char* from, std::string_view field, std::string_view first, std::string_view second) {
  return fail(from, Code::bad_value, fmt::format("{} and {} give {} different values", first, second, field), field, "one of them, or the same value");
}

// Behind the writing of a field under its own name: what other operands of the line have said of the same byte.
bool LineParser::field_agrees(const Operand& x, std::uint8_t before, const char* from) {
  const std::uint8_t now = bundle_->bytes[x.byte];
  if (x.byte >= kEventsByte && x.byte < kEventsByte + 4) {
    event_fields_ |= 1U << x.byte;
    return (event_clauses_ >> x.byte & 1) == 0 || now == before || conflict(from, x.name, x.name.starts_with("wait") ? "the wait" : "the update", x.name);
  }
  if (x.field->choices == nullptr) return true;
  for (std::size_t i = 0; i < plan_->operands.size(); ++i) {
    const Operand& value = plan_->operands[i];
    if (value.selector_byte == x.byte) {
      selectors_ |= bit(i);
      if ((settled_ & bit(i)) != 0 && now != before) return conflict(from, x.name, value.name, x.name);
    }
    if (value.dtype_byte == x.byte) {
      dtype_fields_ = true;
      if ((dtypes_named_ & bit(i)) != 0 && ((now ^ before) >> value.dtype_shift & value.dtype_mask) != 0) return conflict(from, x.name, value.name, x.name);
    }
  }
  return true;
}

bool LineParser::bytes_field(const Operand& x) {
  std::size_t count = 0;
  return hex_bytes(std::span(bundle_->bytes).subspan(x.byte, x.bytes), count);
}

bool LineParser::string_field(const Operand& x) {
  if (!next_is('"')) return bytes_field(x);
  std::string s;
  const char* const from = at_;
  if (!string(s)) return false;
  if (s.size() > x.bytes) return fail(from, Code::bad_value, "the text is too long", x.name, fmt::format("up to {} characters", x.bytes));
  std::copy(s.begin(), s.end(), bundle_->bytes.begin() + x.byte);
  return true;
}

bool LineParser::f32_field(const Operand& x) {
  skip_blanks();
  const char* const from = at_;
  const std::string_view text = token();
  if (const auto n = read_integer(text); n && n->hex && !n->negative && n->magnitude <= 0xFFFFFFFFU) {
    put(x, n->magnitude);
    return true;
  }
  const auto v = read_f32(text);
  if (!v && is_too_large(text)) return fail(from, Code::bad_value, "the number does not fit", x.name, kBinary32Range);
  if (!v) return fail(from, Code::bad_value, "a binary32 value is wanted here", x.name, "1.5, 0x1.8p+0, inf, nan, or a bit pattern 0x3fc00000");
  put(x, *v);
  return true;
}

bool LineParser::enumerator(const Operand& x) {
  skip_blanks();
  const char* const from = at_;
  const std::string_view name = word();
  if (name.empty()) return integer_field(x);
  const int v = x.choices->values.find(name);
  if (v == NameTable::kNone) {
    std::string allowed;
    for (const Choice& c : x.field->choices->choices) allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", c.name);
    return fail(from, Code::unknown_name, fmt::format("no enumerator of {}", x.field->choices->name), x.name, std::move(allowed));
  }
  const std::uint8_t before = bundle_->bytes[x.byte];
  put(x, static_cast<std::uint64_t>(v));
  return field_agrees(x, before, from);
}

bool LineParser::pair(const Operand& x) {
  std::uint8_t lo = 0, hi = 0;
  skip_blanks();
  const char* const from = at_;
  if (!dtype(lo) || !expect('/') || !dtype(hi)) return false;
  if (lo > 15 || hi > 15) return fail(from, Code::bad_value, "the types of a pair have codes below 16", x.name);
  const std::uint8_t before = bundle_->bytes[x.byte];
  put(x, static_cast<std::uint64_t>(lo | hi << 4));
  return field_agrees(x, before, from);
}

void LineParser::put_dtype(const Operand& x, std::uint8_t code) {
  std::uint8_t& byte = bundle_->bytes[static_cast<std::size_t>(x.dtype_byte)];
  byte = static_cast<std::uint8_t>((byte & ~(x.dtype_mask << x.dtype_shift)) | (code & x.dtype_mask) << x.dtype_shift);
}

// The type that a value names.
bool LineParser::set_dtype(const Operand& x, std::uint8_t code, const char* from) {
  if (code > x.dtype_mask) return fail(from, Code::bad_value, "the type does not fit into half a byte", x.name, "types with codes below 16");
  const auto byte = static_cast<std::size_t>(x.dtype_byte);
  const std::uint8_t before = bundle_->bytes[byte];
  put_dtype(x, code);
  dtypes_named_ |= bit(static_cast<std::size_t>(&x - plan_->operands.data()));
  if (!dtype_fields_ || before == bundle_->bytes[byte] || !dtype_field_given(x)) return true;
  const auto field = std::ranges::find_if(plan_->operands, [&x](const Operand& f) { return f.dtype_byte < 0 && f.byte == x.dtype_byte; });
  return conflict(from, field->name, field->name, x.name);
}

// The data type behind a value, if one stands there: a name or number that is not the name of the next operand.
bool LineParser::dtype_behind(const Operand& x, const TensorBinding* symbol) {
  if (x.dtype_byte < 0) return true;
  skip_blanks();
  const char* const from = at_;
  const std::string_view text = token();
  int code = NameTable::kNone;
  if (!text.empty() && !next_is('=')) {
    code = read_dtype(text);
  }
  if (code == NameTable::kNone) {
    at_ = from;
    if (symbol != nullptr) {
      code = static_cast<int>(symbol->dtype);
    } else if (dtype_field_given(x)) {
      return true;
    } else if (x.dtype_default >= 0) {
      put_dtype(x, static_cast<std::uint8_t>(x.dtype_default));
      return true;
    } else {
      dtypes_wanted_ |= bit(static_cast<std::size_t>(&x - plan_->operands.data()));
      return true;
    }
  }
  return set_dtype(x, static_cast<std::uint8_t>(code), from);
}

bool LineParser::dtype_field_given(const Operand& x) const {
  const auto field = std::ranges::find_if(plan_->operands, [&x](const Operand& f) { return f.dtype_byte < 0 && f.byte == x.dtype_byte; });
  return field != plan_->operands.end() && (given_ & bit(static_cast<std::size_t>(field - plan_->operands.begin()))) != 0;
}

bool LineParser::check_missing(const char* mnemonic) {
  bool ok = true;
  for (std::size_t i = 0; i < plan_->operands.size(); ++i) {
    const Operand& x = plan_->operands[i];
    if ((dtypes_wanted_ & bit(i)) == 0 || dtype_field_given(x)) continue;
    ok = fail(mnemonic, Code::text_syntax, fmt::format("the data type of {} is missing", x.name), x.name, "a type behind the place: sbuf[p0] fp32 [1 x 512]");
  }
  for (std::size_t i = 0; i < plan_->operands.size(); ++i)
    if (plan_->operands[i].derived_count && (given_ & bit(i)) == 0) put(plan_->operands[i], derived_count(*bundle_, *plan_));
  return ok;
}

}  // namespace act::text
