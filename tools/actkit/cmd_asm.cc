// actkit asm: text, or JSON lines, to bundles.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "act/asm/json_lines.h"
#include "act/asm/text.h"
#include "input.h"

namespace act::tool {
namespace {

struct AsmOptions {
  std::string input, output, graph, engine;
  std::optional<Generation> generation;
  bool json = false;
};

constexpr unsigned kMaxErrors = 100;
constexpr std::size_t kBuffer = std::size_t{256} << 10;

// Collects bundles and writes them in pieces.
class BundleWriter {
 public:
  BundleWriter(FileWriter& out, Reporter& reporter) : out_(out), reporter_(reporter) { buffer_.reserve(kBuffer); }
  bool add(std::span<const std::uint8_t> bytes) {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    return buffer_.size() < kBuffer || flush();
  }
  bool flush() {
    const bool ok = ok_or_report(out_.write(buffer_), reporter_);
    buffer_.clear();
    return ok;
  }

 private:
  FileWriter& out_;
  Reporter& reporter_;
  Bytes buffer_;
};

void report_tail(const std::string& file, std::uint32_t line, std::size_t size, Reporter& reporter) {
  Diagnostic d = make_warning(Code::bad_size, "the output ends inside an instruction");
  d.where.file = file;
  d.where.line = line;
  d.value = fmt::format("{} bytes", size);
  d.allowed = "64 bytes";
  reporter.report(d);
}

// Which stream of several goes to the output: that of an engine, of a graph (the folder in its name "sg00/Activation.bin").
bool is_chosen(const AsmOptions& options, std::string_view graph, std::string_view engine) {
  return (options.engine.empty() || numeric_detail::same_name(options.engine, engine)) && (options.graph.empty() || options.graph == graph);
}

std::string_view graph_of(std::string_view stream_name) { return stream_name.substr(0, std::min(stream_name.find('/'), stream_name.size())); }

std::string stream_text(const Stream& s) { return fmt::format("{} {:?}", engine_name(s.engine), s.name); }

void report_several_streams(const AsmOptions& options, const Stream& first, const Stream& second, std::uint32_t line, Reporter& reporter) {
  const bool any = options.engine.empty() && options.graph.empty();
  Diagnostic d = make_error(Code::bad_value, any ? "the text holds several engine streams; --engine and --graph choose one of them"
                                                 : "several engine streams are chosen, and one output holds one; --engine with --graph names one of a container's");
  d.where.file = options.input;
  d.where.line = line;
  d.where.column = 1;
  d.field = "engine";
  d.value = fmt::format("{}, {}", stream_text(first), stream_text(second));
  reporter.report(d);
}

void report_no_stream(const AsmOptions& options, std::string there, Reporter& reporter) {
  Diagnostic d = make_error(Code::unknown_name, "the input has no such stream");
  d.where.file = options.input;
  d.field = options.graph.empty() ? "--engine" : "--graph";
  d.value = options.graph.empty() ? options.engine : options.engine.empty() ? options.graph : options.graph + ", " + options.engine;
  d.allowed = std::move(there);
  reporter.report(d);
}

bool assemble_text(const AsmOptions& options, FileReader& stream, BundleWriter& writer, Reporter& reporter) {
  TextOptions text_options{.file = options.input, .generation = options.generation.value_or(kDefaultGeneration), .max_errors = kMaxErrors};
  TextAssembler assembler(text_options, [&](const Diagnostic& d, std::string_view line) { reporter.report(d, line); });
  LineReader lines(stream, reporter);
  // A text without .engine is one stream of ACT.
  bool chosen = is_chosen(options, "", engine_name(Engine::ACT)), ok = true;
  std::optional<Stream> first;
  std::string names;
  while (const auto line = lines.next()) {
    switch (assembler.line(*line)) {
      case TextAssembler::Statement::instruction:
        if (chosen && !first) first.emplace();
        ok = ok && (!chosen || writer.add(assembler.bundle().bytes));
        break;
      case TextAssembler::Statement::tail:
        report_tail(options.input, assembler.line_number(), assembler.tail().size(), reporter);
        ok = ok && (!chosen || writer.add(assembler.tail()));
        break;
      case TextAssembler::Statement::stream:
        chosen = is_chosen(options, graph_of(assembler.stream().name), engine_name(assembler.stream().engine));
        if (names.size() < 400) names += (names.empty() ? "" : ", ") + stream_text(assembler.stream());
        if (chosen && first) {
          report_several_streams(options, *first, assembler.stream(), assembler.line_number(), reporter);
          return false;
        }
        if (chosen) first = assembler.stream();
        break;
      case TextAssembler::Statement::nothing:
      case TextAssembler::Statement::failed: break;
    }
    if (assembler.exhausted()) break;
  }
  if (ok && !first && !chosen && assembler.errors() == 0) {
    report_no_stream(options, names.empty() ? "ACT, the stream of a text without .engine" : std::move(names), reporter);
    return false;
  }
  return ok && !lines.failed() && assembler.errors() == 0;
}

// Said once per opcode: the generation lacks it.
void warn_missing_opcode(std::uint8_t opcode, Generation g, Where where, std::array<bool, 256>& warned, Reporter& reporter) {
  if (warned[opcode] || opcode_generations(opcode).contains(g)) return;
  warned[opcode] = true;
  Diagnostic d = make_warning(Code::unknown_name, fmt::format("{} has no such instruction", generation_name(g)), std::move(where));
  d.rule = "has_valid_neuron_header";
  d.field = "opcode";
  d.value = opcode_name(opcode);
  reporter.report(d);
}

bool assemble_json(const AsmOptions& options, FileReader& stream, BundleWriter& writer, Reporter& reporter) {
  std::array<bool, 256> warned{};
  bool any = false, seen = false;
  LineReader lines(stream, reporter);
  std::uint32_t number = 0;
  unsigned errors = 0;
  bool ok = true, ended = false;
  while (const auto line = lines.next()) {
    ++number;
    if (line->find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const auto parsed = bundle_from_json_line(*line, options.input, number);
    if (!parsed || ended) {
      if (!parsed) reporter.report(parsed.error());
      if (parsed && ended) reporter.report(make_error(Code::bad_size, "nothing may follow bytes that are no whole instruction", {options.input, {}, {}, number, 1, 0, {}}));
      ok = false;
      if (++errors == kMaxErrors) break;
      continue;
    }
    seen = true;
    if (!is_chosen(options, parsed->graph, parsed->engine)) continue;
    any = true;
    const Bundle& b = parsed->bundle;
    const Generation g = options.generation.value_or(parsed->generation.value_or(kDefaultGeneration));
    if (format_of(b) != nullptr) warn_missing_opcode(b.opcode(), g, {options.input, {}, {}, number, 1, 0, {}}, warned, reporter);
    ended = parsed->size < kBundleBytes;
    if (ended) report_tail(options.input, number, parsed->size, reporter);
    ok = ok && writer.add(std::span(b.bytes).first(parsed->size));
  }
  if (ok && seen && !any) {
    report_no_stream(options, "the members engine and graph of the lines", reporter);
    return false;
  }
  return ok && !lines.failed();
}

void run(const AsmOptions& options, Reporter& reporter) {
  auto input = open_input(options.input, reporter);
  if (!input) return;
  const bool json = options.json || input->kind == InputKind::json_lines;
  if (!json && (input->kind == InputKind::container || (input->kind == InputKind::bundles && !input->stream.window().empty()))) {
    Diagnostic d = make_error(Code::text_syntax, "the input is no text; `actkit dis` prints binary streams");
    d.where.file = options.input;
    reporter.report(d);
    return;
  }
  auto out = value_or_report(FileWriter::create(options.output), reporter);
  if (!out) return;
  BundleWriter writer(*out, reporter);
  const bool ok = json ? assemble_json(options, input->stream, writer, reporter) : assemble_text(options, input->stream, writer, reporter);
  if (ok && writer.flush()) ok_or_report(out->commit(), reporter);
}

}  // namespace

void add_asm(CLI::App& app, Reporter& reporter) {
  auto options = std::make_shared<AsmOptions>();
  CLI::App* command = add_command(app, "asm", "Assemble text, or the JSON lines that `dis --json` prints, into 64-byte instructions",
                                  "  printf 'activate exp dst=sbuf[p0+0x1000] bfloat16 [1 x 512] src=psum[p0] fp32 [1 x 512] channels=128\\n' |\n"
                                  "    actkit asm - -o exp.bin\n"
                                  "  actkit dis --json exp.bin | actkit asm --json - -o same.bin");
  command->add_option("IN", options->input, "Text or JSON lines; - is standard input")->required();
  command->add_option("-o,--output", options->output, "The instructions; - is standard output")->required();
  add_generation_option(*command, options->generation);
  command->add_option("--engine", options->engine, "Of several engine streams: that of this engine")
      ->check(CLI::IsMember({"pe", "act", "pool", "dve", "sp"}, CLI::ignore_case));
  command->add_option("--graph", options->graph, "Of several engine streams, printed from a container: one of this graph (sg00)");
  command->add_flag("--json", options->json, "The input is JSON lines; diagnostics are JSON objects");
  command->callback([options, &reporter] {
    reporter.set_json(options->json);
    run(*options, reporter);
  });
}

}  // namespace act::tool
