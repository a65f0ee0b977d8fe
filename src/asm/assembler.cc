// Statements of a text: directives, instructions, and the program they make up.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "act/asm/text.h"
#include "asm/line_parser.h"
#include "asm/numbers.h"

namespace act {
namespace {

using text::LineParser;
using Statement = TextAssembler::Statement;

constexpr std::array<std::pair<std::string_view, TensorBinding::Role>, 4> kRoles = {{
    {"input", TensorBinding::Role::input},
    {"output", TensorBinding::Role::output},
    {"both", TensorBinding::Role::both},
    {"scratch", TensorBinding::Role::scratch},
}};
constexpr std::array kEngines = {Engine::PE, Engine::ACT, Engine::POOL, Engine::DVE, Engine::SP};
constexpr std::string_view kReservedNames[] = {"sbuf", "psum", "addr", "reg", "gather", "inf", "infinity", "nan", "by", "x", "wait", "then", "on_read"};
constexpr std::size_t kMaxDims = 8;

}  // namespace

struct TextAssembler::State {
  State(TextOptions o, Report r) : options(std::move(o)), report(std::move(r)) { program.generation = options.generation; }

  Statement line(std::string_view text);
  Statement directive(LineParser& p, const char* from);
  Statement instruction(LineParser& p, std::string_view mnemonic);
  Statement bytes(LineParser& p);
  Statement engine(LineParser& p);
  bool generation(LineParser& p, const char* from);
  bool tensor(LineParser& p);
  bool read_tensor(LineParser& p, TensorBinding& t);
  bool register_value(LineParser& p);
  bool shape_register(LineParser& p);
  void diagnose(Diagnostic d);

  TextOptions options;
  Report report;
  Program program;
  text::Symbols symbols;
  Stream stream;
  Bundle bundle;
  std::array<std::uint8_t, kBundleBytes> tail_bytes{};
  std::size_t tail_size = 0;
  std::string_view current;
  std::uint32_t line_number = 0;
  std::uint64_t errors = 0;
  bool code_seen = false, tail_seen = false, generation_given = false;
  std::array<bool, 256> warned{};  // opcodes already warned about
  std::function<void(Diagnostic)> on_diagnostic = [this](Diagnostic d) { diagnose(std::move(d)); };
};

void TextAssembler::State::diagnose(Diagnostic d) {
  if (d.severity == Severity::error && ++errors > options.max_errors) return;
  d.where.file = options.file;
  d.where.line = line_number;
  report(d, current);
}

Statement TextAssembler::State::line(std::string_view text) {
  ++line_number;
  if (line_number == 1 && text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (text.ends_with('\r')) text.remove_suffix(1);
  current = text;
  LineParser p(text, {program.generation, symbols, on_diagnostic});
  if (p.at_end()) return Statement::nothing;
  const char* const from = p.here();
  if (tail_seen) {
    p.fail(from, Code::text_syntax, "nothing may follow a .bytes line of fewer than 64 bytes");
    return Statement::failed;
  }
  if (p.accept('.')) return directive(p, from);
  const std::string_view mnemonic = p.word();
  if (mnemonic.empty()) {
    p.token();
    p.fail(from, Code::text_syntax, "a line starts with an instruction or a directive");
    return Statement::failed;
  }
  return instruction(p, mnemonic);
}

Statement TextAssembler::State::instruction(LineParser& p, std::string_view mnemonic) {
  const char* const from = mnemonic.data();
  const int opcode = text::find_mnemonic(mnemonic);
  code_seen = true;
  if (opcode == text::NameTable::kNone) {
    p.fail(from, Code::unknown_name, "no instruction of this name", "opcode", "the opcodes of `actkit info`");
    return Statement::failed;
  }
  const auto code = static_cast<std::uint8_t>(opcode);
  if (!warned[code] && !opcode_generations(code).contains(program.generation)) {
    warned[code] = true;
    Diagnostic d = make_warning(Code::unknown_name, fmt::format("{} has no such instruction", generation_name(program.generation)));
    d.rule = "has_valid_neuron_header";
    d.value = std::string(mnemonic);
    d.where.column = 1;
    d.where.column += static_cast<std::uint32_t>(from - current.data());
    d.where.end_column = d.where.column + static_cast<std::uint32_t>(mnemonic.size());
    diagnose(std::move(d));
  }
  return p.instruction(code, from, bundle) ? Statement::instruction : Statement::failed;
}

Statement TextAssembler::State::bytes(LineParser& p) {
  code_seen = true;
  std::size_t count = 0;
  std::array<std::uint8_t, kBundleBytes> read{};
  while (count < kBundleBytes && !p.at_end()) {
    std::size_t n = 0;
    if (!p.hex_bytes(std::span(read).subspan(count), n)) return Statement::failed;
    count += n;
  }
  if (count == 0 || !p.at_end()) {
    p.fail(p.here(), Code::bad_value, count == 0 ? "bytes are wanted here" : "too many bytes", {}, "64 bytes, 128 hex digits");
    return Statement::failed;
  }
  if (count == kBundleBytes) {
    bundle.bytes = read;
    return Statement::instruction;
  }
  tail_bytes = read;
  tail_size = count;
  tail_seen = true;
  return Statement::tail;
}

Statement TextAssembler::State::engine(LineParser& p) {
  p.at_end();
  const char* const from = p.here();
  const std::string_view name = p.word();
  const auto found = std::ranges::find_if(kEngines, [name](Engine e) { return numeric_detail::same_name(engine_name(e), name); });
  if (found == kEngines.end()) {
    p.fail(from, Code::unknown_name, "no engine of this name", "engine", "PE, ACT, POOL, DVE, SP");
    return Statement::failed;
  }
  stream = Stream{};
  stream.engine = *found;
  if (p.next_is('"') && !p.string(stream.name)) return Statement::failed;
  return Statement::stream;
}

bool TextAssembler::State::generation(LineParser& p, const char* from) {
  p.at_end();
  const char* const at = p.here();
  const auto g = find_generation(p.token());
  if (!g) return p.fail(at, Code::unknown_name, "no generation of this name", "gen", "sunda, cayman, mariana, maverick");
  const bool governs = code_seen || !symbols.empty() || !program.registers.empty();
  if (*g != program.generation && governs) return p.fail(from, Code::text_syntax, ".gen stands before everything that it governs");
  if (*g != program.generation && generation_given) return p.fail(from, Code::duplicate_name, "a second .gen names another generation", "gen", std::string(generation_name(program.generation)));
  generation_given = true;
  program.generation = *g;
  return true;
}

bool TextAssembler::State::tensor(LineParser& p) {
  p.at_end();
  const char* const from = p.here();
  TensorBinding t;
  t.name = p.word();
  t.line = line_number;
  if (t.name.empty()) return p.fail(from, Code::text_syntax, ".tensor NAME ROLE PLACE DTYPE [SHAPE]");
  if (std::ranges::count(kReservedNames, t.name) != 0 || text::find_dtype_code(t.name) != text::NameTable::kNone)
    return p.fail(from, Code::bad_value, "the name has a meaning of its own", "tensor");
  if (symbols.contains(t.name)) return p.fail(from, Code::duplicate_name, "a second tensor of this name", "tensor");
  if (!read_tensor(p, t)) return false;
  program.tensors.push_back(t);
  symbols.emplace(t.name, std::move(t));
  return true;
}

bool TextAssembler::State::read_tensor(LineParser& p, TensorBinding& t) {
  p.at_end();
  const char* const from = p.here();
  const std::string_view role = p.word();
  const auto found = std::ranges::find(kRoles, role, &std::pair<std::string_view, TensorBinding::Role>::first);
  if (found == kRoles.end()) return p.fail(from, Code::unknown_name, "no role of this name", "role", "input, output, both, scratch");
  t.role = found->second;
  text::Place place;
  std::uint8_t code = 0;
  p.at_end();
  const char* const at = p.here();
  if (!p.place(place)) return false;
  if (place.is_register || (place.word & ~kAddressMask) != 0) return p.fail(at, Code::bad_value, "a tensor stands at an address", "tensor");
  t.addr = place.word;
  if (!p.dtype(code)) return false;
  t.dtype = static_cast<Dtype>(code);
  if (!p.expect('[')) return false;
  do {
    std::uint64_t n = 0;
    const char* const number = p.here();
    if (!p.unsigned_in(n, 0xFFFFFFFFU, "shape")) return false;
    if (n == 0 || t.shape.size() == kMaxDims) return p.fail(number, Code::bad_value, "a shape has 1 to 8 dimensions, none of them 0", "shape");
    t.shape.push_back(n);
  } while (p.accept(','));
  return p.expect(']');
}

bool TextAssembler::State::register_value(LineParser& p) {
  std::uint64_t number = 0;
  p.at_end();
  const char* const own = p.here();
  if (!p.unsigned_in(number, kAddressRegisters - 1, "register")) return false;
  if (std::ranges::count(program.registers, number, &RegisterInit::number) != 0) return p.fail(own, Code::duplicate_name, "the register is given twice", "register");
  if (!p.expect('=')) return false;
  p.at_end();
  const char* const from = p.here();
  std::uint64_t v = 0;
  if (from != nullptr && (p.next_is('-') || std::string_view("0123456789").find(*from) != std::string_view::npos)) {
    if (!p.unsigned_in(v, 0xFFFFFFFFU, "register")) return false;
  } else {
    text::Place place;
    if (!p.place(place)) return false;
    if (place.is_register) return p.fail(from, Code::bad_value, "a register starts with a number or an address", "register");
    v = place.word;
  }
  program.registers.push_back({static_cast<std::uint8_t>(number), static_cast<std::uint32_t>(v)});
  return true;
}

bool TextAssembler::State::shape_register(LineParser& p) {
  std::uint64_t number = 0;
  ShapeRegisterInit init;
  init.shape.dims = 4;
  p.at_end();
  const char* const own = p.here();
  if (!p.unsigned_in(number, kAddressRegisters - 1, "shape register")) return false;
  if (std::ranges::count(program.shape_registers, number, &ShapeRegisterInit::number) != 0) return p.fail(own, Code::duplicate_name, "the register is given twice", "shape register");
  if (!p.expect('=') || !p.pattern(init.shape)) return false;
  init.number = static_cast<std::uint8_t>(number);
  program.shape_registers.push_back(init);
  return true;
}

Statement TextAssembler::State::directive(LineParser& p, const char* from) {
  const std::string_view name = p.word();
  if (name == "bytes") return bytes(p);
  Statement statement = Statement::nothing;
  bool ok = true;
  if (name == "engine") {
    statement = engine(p);
    ok = statement != Statement::failed;
  } else if (name == "gen") {
    ok = generation(p, from);
  } else if (name == "tensor") {
    ok = tensor(p);
  } else if (name == "reg") {
    ok = register_value(p);
  } else if (name == "shape_reg") {
    ok = shape_register(p);
  } else {
    ok = p.fail(from, Code::unknown_name, "no directive of this name", {}, ".gen, .engine, .tensor, .reg, .shape_reg, .bytes");
  }
  if (ok && !p.at_end()) {
    const char* const rest = p.here();
    p.token();
    ok = p.fail(rest, Code::text_syntax, "the directive ends before this");
  }
  return ok ? statement : Statement::failed;
}

TextAssembler::TextAssembler(TextOptions options, Report report)
    : state_(std::make_unique<State>(std::move(options), std::move(report))) {}
TextAssembler::~TextAssembler() = default;

Statement TextAssembler::line(std::string_view text) { return state_->line(text); }
const Bundle& TextAssembler::bundle() const { return state_->bundle; }
std::span<const std::uint8_t> TextAssembler::tail() const { return std::span(state_->tail_bytes).first(state_->tail_size); }
const Stream& TextAssembler::stream() const { return state_->stream; }
const Program& TextAssembler::program() const { return state_->program; }
std::uint32_t TextAssembler::line_number() const { return state_->line_number; }
std::uint64_t TextAssembler::errors() const { return state_->errors; }
bool TextAssembler::exhausted() const { return state_->errors > state_->options.max_errors; }

Result<Program> parse_text(std::string_view text, const TextOptions& options, Diagnostics& warnings) {
  Diagnostics errors;
  TextAssembler assembler(options, [&](const Diagnostic& d, std::string_view) {
    (d.severity == Severity::error ? errors : warnings).push_back(d);
  });
  std::vector<Stream> streams;
  const auto current = [&streams]() -> Stream& {
    if (streams.empty()) streams.emplace_back();
    return streams.back();
  };
  while (!text.empty() && !assembler.exhausted()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    switch (assembler.line(text.substr(0, end))) {
      case Statement::instruction:
        current().bundles.push_back(assembler.bundle());
        current().lines.push_back(assembler.line_number());
        break;
      case Statement::stream: streams.push_back(assembler.stream()); break;
      case Statement::tail: {
        Diagnostic d = make_error(Code::bad_size, "the last .bytes line is no whole instruction");
        d.where.file = options.file;
        d.where.line = assembler.line_number();
        d.where.column = 1;
        d.value = fmt::format("{} bytes", assembler.tail().size());
        d.allowed = "64 bytes";
        errors.push_back(std::move(d));
        break;
      }
      case Statement::nothing:
      case Statement::failed: break;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!errors.empty()) return errors;
  Program program = assembler.program();
  program.streams = std::move(streams);
  return program;
}

Result<Program> parse_text(std::string_view text, const std::string& file) {
  Diagnostics warnings;
  return parse_text(text, TextOptions{.file = file}, warnings);
}

std::string_view source_line(std::string_view text, const Diagnostic& d) {
  for (std::uint32_t line = 1; line <= d.where.line; ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (line == d.where.line) {
      std::string_view found = text.substr(0, end);
      if (line == 1 && found.starts_with("\xEF\xBB\xBF")) found.remove_prefix(3);
      if (found.ends_with('\r')) found.remove_suffix(1);
      return found;
    }
    if (end == text.size()) break;
    text.remove_prefix(end + 1);
  }
  return {};
}

std::string print_text(const Program& program) {
  const TextPrinter printer(program.generation);
  std::string out;
  const auto append_place = [&](std::uint32_t address) {
    char buffer[64];
    text::Out o{buffer};
    text::print_word(address, program.generation, o);
    out.append(buffer, static_cast<std::size_t>(o.at - buffer));
  };
  printer.append_generation(out);
  for (const TensorBinding& t : program.tensors) {
    const auto role = std::ranges::find(kRoles, t.role, &std::pair<std::string_view, TensorBinding::Role>::second);
    out += fmt::format(".tensor {} {} ", t.name, role->first);
    append_place(t.addr);
    out += fmt::format(" {} [{}]\n", text::dtype_text(static_cast<std::uint8_t>(t.dtype)), fmt::join(t.shape, ","));
  }
  for (const RegisterInit& r : program.registers) out += fmt::format(".reg {} = {:#x}\n", r.number, r.value);
  for (const ShapeRegisterInit& r : program.shape_registers)
    out += fmt::format(".shape_reg {} = [{} x {}]\n", r.number, fmt::join(r.shape.step.begin(), r.shape.step.begin() + r.shape.dims, ","),
                       fmt::join(r.shape.num.begin(), r.shape.num.begin() + r.shape.dims, ","));
  for (const Stream& s : program.streams) {
    printer.append_engine(s.engine, s.name, out);
    for (const Bundle& b : s.bundles) printer.append(b, out);
  }
  return out;
}

}  // namespace act
