// Text to commands: one function per command of the grammar in 04 section 2.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "act/files/json.h"
#include "act/rows/check.h"
#include "act/tile/operation.h"
#include "act/tile/state.h"
#include "act/tile/text.h"
#include "lexer.h"

namespace act::tile {
namespace {

constexpr std::size_t kMaxErrors = 100;

std::string names(const EnumTable& table) {
  std::string out;
  for (const Choice& c : table.choices) out += fmt::format("{}{}", out.empty() ? "" : ", ", c.name);
  return out;
}

class Parser {
 public:
  Parser(std::string_view text, Diagnostics& warnings) : lexer_(text), warnings_(warnings) {}

  Result<Bytes> parse() {
    while (lexer_.peek().kind != Token::Kind::end && errors_.size() < kMaxErrors) {
      if (lexer_.peek().kind == Token::Kind::separator) {
        lexer_.next();
        continue;
      }
      if (command() && !lexer_.peek().ends_command()) fail("text follows the command", lexer_.peek());
      while (!lexer_.peek().ends_command()) lexer_.next();
    }
    if (!errors_.empty()) return errors_;
    return std::move(out_);
  }

 private:
  // Every helper below returns false or nothing after it has reported what is wrong; the command is then
  // given up.
  bool fail(std::string message, const Token& at, std::string allowed = {}) {
    Diagnostic d = make_error(Code::tile_syntax, std::move(message));
    d.where.line = at.line;
    d.where.column = at.column;
    d.where.end_column =
        at.column + static_cast<std::uint32_t>(at.kind == Token::Kind::separator ? 1 : at.text.size());
    d.value = at.kind == Token::Kind::end ? "the end of the text"
              : at.is("\n")               ? "the end of the line"
                                          : fmt::format("{:?}", at.text.substr(0, 60));
    d.allowed = std::move(allowed);
    errors_.push_back(std::move(d));
    return false;
  }

  bool accept(std::string_view mark) {
    if (!lexer_.peek().is(mark)) return false;
    lexer_.next();
    return true;
  }
  bool expect(std::string_view mark) {
    return accept(mark) ||
           fail(fmt::format("\"{}\" is missing", mark), lexer_.peek(), fmt::format("\"{}\"", mark));
  }

  std::optional<std::uint64_t> number(std::string_view what, const Token& at, std::string_view digits,
                                      std::uint64_t min, std::uint64_t max) {
    const bool hex = digits.starts_with("0x") || digits.starts_with("0X");
    if (hex) digits.remove_prefix(2);
    std::uint64_t n = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n, hex ? 16 : 10);
    if (error == std::errc{} && end == digits.data() + digits.size() && n >= min && n <= max) return n;
    fail(fmt::format("{} is no number in its range", what), at, fmt::format("{}..{}", min, max));
    return std::nullopt;
  }
  std::optional<std::uint64_t> uint(std::string_view what, std::uint64_t max) {
    const Token t = lexer_.peek();
    if (t.kind != Token::Kind::word) {
      fail(fmt::format("{} is missing", what), t, fmt::format("0..{}", max));
      return std::nullopt;
    }
    return number(what, lexer_.next(), t.text, 0, max);
  }

  std::optional<std::uint64_t> one_of(const EnumTable& table) {
    const Token t = lexer_.peek();
    if (t.kind == Token::Kind::word)
      if (const Choice* c = table.find(t.text)) {
        lexer_.next();
        return c->value;
      }
    fail(fmt::format("{} expected", table.name), t, names(table));
    return std::nullopt;
  }

  // Reads a value and puts it into the command; false when there was none.
  static bool put(Command& c, std::string_view field, const std::optional<std::uint64_t>& value) {
    if (value) c.set(field, *value);
    return value.has_value();
  }

  std::optional<std::uint64_t> gpr() {
    const Token t = lexer_.peek();
    if (t.kind == Token::Kind::word && t.text.size() > 1 && t.text[0] == 'r' && t.text[1] >= '0' &&
        t.text[1] <= '9') {
      lexer_.next();
      return number("the register", t, t.text.substr(1), 0, kGprTable.choices.size() - 1);
    }
    return one_of(kGprTable);
  }

  // "T#2": index of the register.
  std::optional<std::uint64_t> source() {
    const Token t = lexer_.next();
    const std::size_t sharp = t.text.find('#');
    const Choice* hand = kHandTable.find(t.text.substr(0, sharp));
    if (hand == nullptr) {
      fail("no tile register", t, "T#1..T#16, U#1.., M#1.., N#1..");
      return std::nullopt;
    }
    const auto n = number("the register", t, t.text.substr(sharp + 1), 1, kHandSize);
    if (!n) return std::nullopt;
    return hand->value * kHandSize + *n - 1;
  }

  std::optional<std::uint64_t> shared_register() {
    const Token t = lexer_.peek();
    if (t.kind == Token::Kind::word && t.text.size() > 1 && t.text[0] == 'S')
      return number("the Shared register", lexer_.next(), t.text.substr(1), 0, 255);
    fail("no Shared register", t, "S0..S255");
    return std::nullopt;
  }

  // "<1>" or "<128B>".
  bool size(Command& c) {
    const EnumTable& table = *c.form().format.find("size_code")->choices;
    if (!expect("<")) return false;
    const Token t = lexer_.peek();
    const bool digits = t.kind == Token::Kind::word && std::all_of(t.text.begin(), t.text.end(), [](char ch) {
                          return ch >= '0' && ch <= '9';
                        });
    std::optional<std::uint64_t> code;
    if (digits)
      code = number("the size", lexer_.next(), t.text, 1, table.choices.back().value);
    else
      code = one_of(table);
    if (code == 0) return fail("a destination has a size", t);
    return put(c, "size_code", code) && expect(">");
  }

  bool mask(Command& c) {
    if (!expect("mask") || !expect("=")) return false;
    return put(c, "pe_mode", one_of(kMaskTable));
  }

  void emit(const Command& c) { out_.insert(out_.end(), c.bytes().begin(), c.bytes().end()); }

  bool command() {
    const Token t = lexer_.next();
    if (t.is("BSTART.VEC")) return start_named();
    if (t.is("BSTART.TEPL")) return start_numbered();
    if (t.is("BSTART.SFU")) return fail("TRELU belongs to the vector engine", t, "BSTART.VEC");
    if (t.is("B.DATR")) return data_attributes(t);
    if (t.is("B.FPATR")) return fixed_point();
    if (t.is("B.DIM")) return dimension();
    if (t.is("C.B.DIMI")) return small_dimension();
    if (t.is("B.IOT")) return tile_io(t);
    if (t.is("B.IOR")) return scalar_io();
    if (t.is("B.IOS")) return shared_io();
    if (t.is(".bytes")) return raw();
    for (const Form& form : forms())
      if (form.op == Op::stop && t.is(form.mnemonic)) {
        emit(Command(form));
        return true;
      }
    return fail(
        "no block command", t,
        "BSTART.VEC, B.DATR, B.DIM, C.B.DIMI, B.IOT, B.IOR, B.IOS, B.FPATR, BSTOP, C.BSTOP, L.BSTOP, .bytes");
  }

  bool start_named() {
    Command c(*find_form("BSTART.VEC"));
    if (!put(c, "selector", one_of(kSelectorTable))) return false;
    return start(c);
  }
  bool start_numbered() {
    const Token at = lexer_.peek();
    const auto mode = uint("the mode", 3);
    if (!mode || !expect(",")) return false;
    const auto function = uint("the function", 31);
    if (!function) return false;
    const Operation* op = decode_operation(kTrelu.family, static_cast<unsigned>(*mode << 5 | *function));
    if (op == nullptr)
      return fail("no operation that this assembler has", at,
                  fmt::format("{}, {} ({})", kTrelu.mode(), kTrelu.function(), kTrelu.name));
    Command c(*find_form("BSTART.VEC"));
    return start(c.set("selector", op->selector));
  }
  bool start(Command& c) {
    if (!expect(",") || !put(c, "data_type", one_of(kTypeTable))) return false;
    bound_ = false;
    emit(c);
    return true;
  }

  bool data_attributes(const Token& at) {
    Command c(*find_form("B.DATR"));
    if (!accept("{")) {  // short form: the padding, the rest zero (T-02)
      if (!put(c, "pad", one_of(kPadTable))) return false;
    } else if (!put(c, "layout", one_of(kLayoutTable)) || !expect(",") ||
               !put(c, "data_type", one_of(kAttributeTypeTable)) || !expect(",") ||
               !put(c, "pad", one_of(kPadTable)) || !expect(",") || !put(c, "cmode", compare_mode()) ||
               !expect(",") || !put(c, "rmode", one_of(kRoundTable)) || !expect(",") ||
               !put(c, "sat", uint("sat", 1)) || !expect(",") ||
               !put(c, "canonicalize", uint("canonicalize", 1)) || !expect("}")) {
      return false;
    }
    if (bound_) {  // T-14
      Diagnostic d = make_warning(Code::tile_late_attribute,
                                  "B.DATR stands behind a binder of its block; the machine accepts it, the "
                                  "manual asks for it before");
      d.where.line = at.line;
      d.where.column = at.column;
      d.where.end_column = at.column + static_cast<std::uint32_t>(at.text.size());
      warnings_.push_back(std::move(d));
    }
    emit(c);
    return true;
  }
  std::optional<std::uint64_t> compare_mode() {
    if (accept("None")) return 0;  // another name of EQ
    return one_of(kCompareTable);
  }

  bool fixed_point() {
    Command c(*find_form("B.FPATR"));
    bool first = true;
    for (const char* field :
         {"pre_quant_mode", "relu_mode", "group_n", "row_max", "group_max", "row_max_init", "max_abs"}) {
      if (!first && !expect(",")) return false;
      first = false;
      const Field& f = *c.form().format.find(field);
      const Token at = lexer_.peek();
      const auto value = uint(field, (1u << f.width) - 1);
      if (!value) return false;
      if (!f.allows(*value)) return fail(fmt::format("{} is reserved", field), at);
      c.set(field, *value);
    }
    emit(c);
    return true;
  }

  bool dimension() {
    Command c(*find_form("B.DIM"));
    if (kDimensionTable.find(lexer_.peek().text) != nullptr) {  // LB0 = 3
      if (!put(c, "lb", one_of(kDimensionTable)) || !expect("=") || !immediate17(c)) return false;
    } else if (!put(c, "reg_src", gpr()) || !expect(",") || !immediate17(c) || !expect(",") ||
               !expect("->") || !put(c, "lb", one_of(kDimensionTable))) {
      return false;
    }
    emit(c);
    return true;
  }
  bool immediate17(Command& c) {
    const auto n = uint("the immediate", 131071);
    if (n) c.set("uimm_16_12", *n >> 12).set("uimm_11_0", *n);
    return n.has_value();
  }
  bool small_dimension() {
    Command c(*find_form("C.B.DIMI"));
    if (!put(c, "imm8", uint("the immediate", 255)) || !expect(",") || !expect("->") ||
        !put(c, "lb", one_of(kDimensionTable)))
      return false;
    emit(c);
    return true;
  }

  bool tile_io(const Token& at) {
    std::vector<std::uint64_t> sources;
    while (sources.size() < 2 && lexer_.peek().kind == Token::Kind::word && !lexer_.peek().is("mask")) {
      const auto index = source();
      if (!index || !expect(",")) return false;
      sources.push_back(*index);
    }
    // Read into the form with every field; which form it is shows only at the end.
    Command all(*find_form("B.IOT.SSD"));
    if (!mask(all)) return false;
    bool destination = false;
    if (lexer_.peek().is(",")) {
      lexer_.next();
      if (!lexer_.peek().is("->")) {
        if (!last()) return false;
        all.set("last", 1);
        destination = accept(",");
        if (destination && !lexer_.peek().is("->")) return expect("->");
      }
      if (accept("->")) {
        destination = true;
        if (!put(all, "dst", one_of(kHandTable)) || !size(all)) return false;
      }
    }
    if (sources.empty() && !destination) return fail("a B.IOT names a source, a destination or both", at);
    Command c(
        *find_form(std::string("B.IOT.") + std::string(sources.size(), 'S') + (destination ? "D" : "")));
    for (const Field& f : c.form().format.fields)
      if (f.name != "ignored") c.set(f.name, all.get(f.name).value_or(0));
    if (!sources.empty()) c.set("src0", sources[0]);
    if (sources.size() > 1) c.set("src1", sources[1]);
    bound_ = true;
    emit(c);
    return true;
  }
  bool last() {
    if (accept("last")) return true;
    return expect("<") && expect("last") && expect(">");
  }

  // Registers, then "->" and a register; the comma before the arrow may be left out when nothing stands
  // before it.
  bool scalar_io() {
    Command c(*find_form("B.IOR"));
    bool comma = true, any = false;
    for (const char* field : {"src0", "src1", "src2"}) {
      if (!comma || lexer_.peek().kind != Token::Kind::word) break;
      if (!put(c, field, gpr())) return false;
      any = true;
      comma = accept(",");
    }
    if (!any) comma = accept(",") || lexer_.peek().is("->");
    if (comma && (!expect("->") || !put(c, "dst", gpr()))) return false;
    bound_ = true;
    emit(c);
    return true;
  }

  bool shared_io() {
    Command c(*find_form("B.IOS"));
    if (lexer_.peek().is("mask")) {
      if (!mask(c) || !expect(",") || !expect("->") || !put(c, "shared_tid", shared_register()) || !size(c))
        return false;
    } else if (!put(c, "shared_tid", shared_register()) || !expect(",") || !mask(c)) {
      return false;
    }
    bound_ = true;
    emit(c);
    return true;
  }

  // ".bytes" and hex digits, which may stand in groups.
  bool raw() {
    if (lexer_.peek().kind != Token::Kind::word) return fail("hex digits are missing", lexer_.peek());
    while (lexer_.peek().kind == Token::Kind::word) {
      const Token t = lexer_.next();
      const auto bytes = from_hex(t.text);
      if (!bytes) return fail("no hex bytes", t);
      out_.insert(out_.end(), bytes->begin(), bytes->end());
    }
    return true;
  }

  Lexer lexer_;
  Diagnostics& warnings_;
  Diagnostics errors_;
  Bytes out_;
  bool bound_ = false;  // a binder stands in the block already
};

}  // namespace

Result<Bytes> assemble(std::string_view text, Diagnostics& warnings) {
  return Parser(text, warnings).parse();
}

}  // namespace act::tile
