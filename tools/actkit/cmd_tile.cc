// actkit tile asm | dis | run: PTO tile blocks.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>

#include "act/tile/npy.h"
#include "act/tile/report.h"
#include "act/tile/text.h"
#include "command.h"

namespace act::tool {
namespace {

constexpr std::uint64_t kMaxText = std::uint64_t{16} << 20, kMaxProgram = std::uint64_t{4} << 20;

// One line of a text, for the caret under a message.
std::string_view line_of(std::string_view text, std::uint32_t line) {
  for (std::uint32_t i = 1; i < line && !text.empty(); ++i)
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text.substr(0, text.find('\n'));
}

void report_in(Diagnostics list, const std::string& file, std::string_view text, Reporter& reporter) {
  for (Diagnostic& d : list) {
    d.where.file = file;
    reporter.report(d, d.where.line != 0 ? line_of(text, d.where.line) : std::string_view());
  }
}

std::optional<Bytes> assemble_text(const std::string& file, std::string_view text, bool json_lines,
                                   Reporter& reporter) {
  Diagnostics warnings;
  auto stream = json_lines ? tile::assemble_json(text) : tile::assemble(text, warnings);
  report_in(std::move(warnings), file, text, reporter);
  if (stream) return std::move(*stream);
  report_in(std::move(stream).error(), file, text, reporter);
  return std::nullopt;
}

// Text has no control characters but blanks and starts with an ASCII character; a stream of commands never
// does both: it has zero bytes in its stops.
bool looks_like_text(std::span<const std::uint8_t> content) {
  const auto control = [](std::uint8_t c) {
    return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
  };
  return !content.empty() && content[0] < 0x80 && std::none_of(content.begin(), content.end(), control);
}

// The command's words as documents write them.
std::string words_text(std::span<const std::uint8_t> stream) {
  std::string out;
  std::uint64_t index = 0;
  for (std::uint64_t at = 0; at < stream.size(); ++index) {
    const tile::Line line = tile::line_at(stream, at, index);
    if (line.command)
      out += fmt::format("{:0{}X}\n", line.command->word(), 2 * line.command->length());
    else
      out += tile::line_text(line) + '\n';
    at += line.bytes.size();
  }
  return out;
}

struct AsmOptions {
  std::string in, out;
  bool json = false, words = false;
};

void run_asm(const AsmOptions& o, Reporter& reporter) {
  reporter.set_json(o.json);
  const auto text = value_or_report(read_text(o.in, kMaxText), reporter);
  if (!text) return;
  const auto stream = assemble_text(o.in, *text, o.json, reporter);
  if (!stream) return;
  if (o.words)
    ok_or_report(write_text(o.out, words_text(*stream)), reporter);
  else
    ok_or_report(write_file(o.out, *stream), reporter);
}

struct DisOptions {
  std::string in, out = "-";
  bool json = false;
};

void run_dis(const DisOptions& o, Reporter& reporter) {
  reporter.set_json(o.json);
  const auto stream = value_or_report(read_file(o.in, kMaxProgram), reporter);
  if (!stream) return;
  std::string out;
  std::uint64_t index = 0;
  for (std::uint64_t at = 0; at < stream->size(); ++index) {
    tile::Line line = tile::line_at(*stream, at, index);
    out += (o.json ? tile::line_json(line) : tile::line_text(line)) + '\n';
    at += line.bytes.size();
    report_in(std::move(line.problems), o.in, {}, reporter);
  }
  ok_or_report(write_text(o.out, out), reporter);
}

struct RunOptions {
  std::string in, input = "auto";
  std::vector<std::string> tiles, outs, gprs;
  std::uint64_t pc = 0, capacity = tile::kResetTileCapacity;
  bool json = false, trace = false;
};

// An option that cannot be read is a mistake on the command line: told by the parser, exit status 2.
[[noreturn]] void bad_option(std::string_view option, std::string_view value, std::string_view allowed) {
  throw CLI::ValidationError(
      std::string(option), fmt::format("{:?} is not understood, allowed {}", value.substr(0, 200), allowed));
}

std::optional<std::uint64_t> to_number(std::string_view text, std::uint64_t max) {
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  std::uint64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n, hex ? 16 : 10);
  if (error != std::errc{} || end != text.data() + text.size() || n > max) return std::nullopt;
  return n;
}

std::optional<unsigned> register_index(std::string_view name) {
  for (unsigned i = 0; i < tile::kRegisters; ++i)
    if (tile::register_name(i) == name) return i;
  return std::nullopt;
}

constexpr std::string_view kTileOption =
    "REGISTER=FILE.npy[,type=FP32][,size=128B][,columns=4][,mask=1111][,layout=RowMajor][,defined=FILE.npy]";

// One "key=value" of --tile; false when it is not understood.
bool set_tile_key(std::string_view key, std::string_view value, tile::TileSetup& setup,
                  std::string& defined) {
  if (key == "type") return (setup.type = tile::find_type(value)) != nullptr;
  if (key == "defined") return !(defined = value).empty();
  if (key == "layout") {
    const auto layout = tile::find_layout(value);
    if (layout) setup.layout = *layout;
    return layout.has_value();
  }
  if (key == "columns") {
    const auto n = to_number(value, tile::kMaxDimension);
    if (n) setup.columns = static_cast<std::uint32_t>(*n);
    return n.has_value();
  }
  if (key == "size") {
    const Choice* name = tile::kSizeTable.find(value);
    const auto code =
        name != nullptr ? std::optional(name->value) : to_number(value, tile::kSizeTable.choices.size());
    if (code && *code != 0) setup.capacity_bytes = tile::size_bytes(static_cast<unsigned>(*code));
    return setup.capacity_bytes.has_value();
  }
  if (key == "mask" && value.size() == 4 && value.find_first_not_of("01") == value.npos) {
    setup.mask = 0;
    for (const char digit : value) setup.mask = static_cast<std::uint8_t>(setup.mask << 1 | (digit == '1'));
    return true;
  }
  return false;
}

Status load_one(const std::string& option, tile::State& state) {
  const auto [name, rest] = split(option, '=');
  auto [file, keys] = split(rest, ',');
  tile::TileSetup setup;
  std::string defined_file;
  const auto index = register_index(name);
  bool understood = index && !file.empty();
  while (understood && !keys.empty()) {
    const auto [item, more] = split(keys, ',');
    const auto [key, value] = split(item, '=');
    understood = set_tile_key(key, value, setup, defined_file);
    keys = more;
  }
  if (!understood) bad_option("--tile", option, kTileOption);
  setup.index = *index;
  const auto array = read_npy(file);
  if (!array) return array.error();
  if (defined_file.empty()) return tile::load_tile(state, setup, *array);
  const auto defined = read_npy(defined_file);
  if (!defined) return defined.error();
  return tile::load_tile(state, setup, *array, &*defined);
}

void set_gpr(const std::string& option, tile::State& state) {
  const auto [name, value] = split(option, '=');
  const Choice* gpr = tile::kGprTable.find(name);
  const auto n = to_number(value, ~std::uint64_t{0});
  if (gpr == nullptr || !n)
    bad_option("--gpr", option, "NAME=NUMBER, NAME one of sp, a0..a7, ra, s0..s8, x0..x3");
  state.gpr[gpr->value] = *n;
}

// One --out: the register and the file its valid rectangle goes to.
struct Output {
  unsigned index;
  std::string file;
};

std::vector<Output> parse_outputs(const std::vector<std::string>& options) {
  std::vector<Output> out;
  for (const std::string& option : options) {
    const auto [name, file] = split(option, '=');
    const auto index = register_index(name);
    if (!index || file.empty()) bad_option("--out", option, "REGISTER=FILE.npy");
    out.push_back({*index, file});
  }
  return out;
}

// Nothing is written unless every tile can be.
void write_outputs(const std::vector<Output>& outputs, const tile::State& state, Reporter& reporter) {
  std::vector<NpyArray> arrays;
  for (const Output& o : outputs) {
    auto array = value_or_report(tile::tile_array(state, o.index), reporter);
    if (!array) return;
    arrays.push_back(std::move(*array));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (!ok_or_report(write_npy(outputs[i].file, arrays[i]), reporter)) return;
}

// The program as a stream, from text or binary.
std::optional<Bytes> read_program(const RunOptions& o, Reporter& reporter) {
  auto content = value_or_report(read_file(o.in, kMaxText), reporter);
  if (!content) return std::nullopt;
  if (o.input == "text" || (o.input == "auto" && looks_like_text(*content)))
    return assemble_text(o.in, as_text(*content), false, reporter);
  return content;
}

void print_run(const RunOptions& o, const tile::State& state, const std::vector<tile::Step>& steps) {
  std::string out;
  if (o.json) {
    Json j = tile::state_json(state);
    if (o.trace) {
      j["steps"] = Json::array();
      for (const tile::Step& s : steps) j["steps"].push_back(tile::step_json(s));
    }
    out = j.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
  } else {
    if (o.trace)
      for (const tile::Step& s : steps)
        out += fmt::format(
            "0x{:04x}  {}{}\n", s.address, s.text,
            s.verdict ? fmt::format("  <- {}", tile::fault_name(s.verdict->fault)) : std::string());
    out += tile::state_text(state);
  }
  std::fwrite(out.data(), 1, out.size(), stdout);
}

void run_run(const RunOptions& o, Reporter& reporter) {
  reporter.set_json(o.json);
  const std::vector<Output> outputs = parse_outputs(o.outs);
  const auto program = read_program(o, reporter);
  if (!program) return;
  tile::State state;
  state.tile_capacity = o.capacity;
  state.pc = o.pc;
  for (const std::string& option : o.tiles)
    if (!ok_or_report(load_one(option, state), reporter)) return;
  for (const std::string& option : o.gprs) set_gpr(option, state);
  std::vector<tile::Step> steps;
  const auto fault = tile::run(state, *program, o.trace ? &steps : nullptr);
  print_run(o, state, steps);
  if (fault) {
    report_in({tile::fault_diagnostic(*fault)}, o.in, {}, reporter);
    return;
  }
  if (state.block.active)
    report_in(
        {make_warning(Code::tile_open_block, "the program ends inside a block; nothing of it was done")},
        o.in, {}, reporter);
  write_outputs(outputs, state, reporter);
}

void add_asm(CLI::App& tile, Reporter& reporter) {
  const auto o = std::make_shared<AsmOptions>();
  CLI::App* c =
      add_command(tile, "asm", "Text of tile blocks to binary",
                  "  printf 'BSTART.VEC TRELU, FP32; B.DIM LB0 = 3; B.DIM LB2 = 4\\n"
                  "B.IOT T#2, mask=1111, last, ->T<128B>; BSTOP\\n' | actkit tile asm - --words -o -");
  c->add_option("IN", o->in, "text, - for standard input")->required();
  c->add_option("-o,--output", o->out, "binary to write, - for standard output")->required();
  c->add_flag("--json", o->json, "read JSON lines as dis --json writes them; diagnostics as JSON");
  c->add_flag("--words", o->words, "write the words in hexadecimal, one a line");
  c->callback([o, &reporter] { run_asm(*o, reporter); });
}

void add_dis(CLI::App& tile, Reporter& reporter) {
  const auto o = std::make_shared<DisOptions>();
  CLI::App* c =
      add_command(tile, "dis", "Binary of tile blocks to text; what is no command becomes a .bytes line",
                  "  printf '\\201\\221\\161\\011' | actkit tile dis -");
  c->add_option("IN", o->in, "binary, - for standard input")->required();
  c->add_option("-o,--output", o->out, "text to write, - for standard output");
  c->add_flag("--json", o->json, "one JSON object a command");
  c->callback([o, &reporter] { run_dis(*o, reporter); });
}

void add_run(CLI::App& tile, Reporter& reporter) {
  const auto o = std::make_shared<RunOptions>();
  CLI::App* c =
      add_command(tile, "run", "Runs tile blocks and prints every tile; stops at the first fault",
                  "  actkit tile run examples/tile/relu.pto --tile T#2=examples/tile/x.npy --out T#1=y.npy");
  c->add_option("IN", o->in, "program, text or binary, - for standard input")->required();
  c->add_option("--input", o->input, "kind of program")
      ->check(CLI::IsMember({"auto", "text", "binary"}))
      ->capture_default_str();
  c->add_option("--tile", o->tiles, std::string(kTileOption))->allow_extra_args(false);
  c->add_option("--out", o->outs, "REGISTER=FILE.npy: writes the valid rectangle after a clean run")
      ->allow_extra_args(false);
  c->add_option("--gpr", o->gprs, "NAME=NUMBER: sets a general register")->allow_extra_args(false);
  c->add_option("--pc", o->pc, "address of the first command")->capture_default_str();
  c->add_option("--tile-capacity", o->capacity, "TILE_CAPACITY in bytes")
      ->check(CLI::Range(std::uint64_t{0}, tile::kResetTileCapacity))
      ->capture_default_str();
  c->add_flag("--trace", o->trace, "print every command with its address");
  c->add_flag("--json", o->json, "the state as one JSON object");
  c->callback([o, &reporter] { run_run(*o, reporter); });
}

}  // namespace

void add_tile(CLI::App& app, Reporter& reporter) {
  CLI::App* tile = add_command(app, "tile", "PTO tile blocks: assemble, disassemble, run",
                               "  actkit tile run examples/tile/relu.pto --tile T#2=examples/tile/x.npy");
  tile->require_subcommand(1);
  add_asm(*tile, reporter);
  add_dis(*tile, reporter);
  add_run(*tile, reporter);
}

}  // namespace act::tool
