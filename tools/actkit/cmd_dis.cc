// actkit dis: bundles to text, JSON lines, or the vendor profiler's text.
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "act/asm/json_lines.h"
#include "act/asm/profiler.h"
#include "act/asm/text.h"
#include "input.h"

namespace act::tool {
namespace {


struct DisOptions {
  std::string input, output = "-", style = "text";
  std::optional<Generation> generation;
  StreamChoice choice;
  bool json = false;
};

constexpr std::size_t kBuffer = std::size_t{256} << 10;

class Disassembler {
 public:
  Disassembler(const DisOptions& options, Generation generation, FileWriter& out, Reporter& reporter)
      : options_(options), generation_(generation), printer_(generation), out_(out), reporter_(reporter) {
    if (!options.json && options.style == "text") printer_.append_generation(text_);
  }

  // Starts a stream of a container; a file of bundles has none of this.
  void start(const neff::Container& container, const neff::StreamView& view) {
    index_ = 0;
    label_ = neff::member_label(options_.input, view.member);
    const Engine engine = engine_of(*view.engine);
    owner_ = [&container, graph = std::string(view.graph)](unsigned semaphore) {
      if (std::string name = engine_semaphore_owner(semaphore); !name.empty()) return name;
      const neff::DmaQueue* queue = container.queue_of(graph, semaphore);
      return queue == nullptr ? std::string{} : queue->name;
    };
    if (options_.json) {
      json_suffix_ = fmt::format(",\"graph\":{},\"engine\":\"{}\"}}", nlohmann::json(view.graph).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), engine_name(engine));
    } else if (options_.style == "text") {
      printer_.append_engine(engine, fmt::format("{}", view.member), text_);
    } else {
      text_ += fmt::format("# {} {}\n", view.graph, engine_name(engine));
    }
  }

  bool add(const Bundle& b) {
    warn(b);
    if (options_.json) {
      text_ += to_json_line(b.bytes, index_, generation_);
      end_json();
    } else if (options_.style == "text") {
      printer_.append(b, text_);
    } else {
      text_ += print_profiler(b, owner_);
      text_ += '\n';
    }
    ++index_;
    return text_.size() < kBuffer || flush();
  }

  // Bytes behind the last whole instruction.
  void finish(std::span<const std::uint8_t> rest) {
    if (rest.empty()) return;
    if (options_.json) {
      text_ += to_json_line(rest, index_, generation_);
      end_json();
    } else {
      printer_.append_bytes(rest, text_);
    }
    Diagnostic d = make_warning(Code::bad_size, "the stream ends inside an instruction");
    d.where.file = label_.empty() ? options_.input : label_;
    d.where.byte = index_ * kBundleBytes;
    d.value = fmt::format("{} bytes", index_ * kBundleBytes + rest.size());
    d.allowed = "a multiple of 64 bytes";
    reporter_.report(d);
  }

  bool flush() {
    const bool ok = ok_or_report(out_.write(text_), reporter_);
    text_.clear();
    return ok;
  }

 private:
  void end_json() {
    if (!json_suffix_.empty()) text_.replace(text_.size() - 1, 1, json_suffix_);
    text_ += '\n';
  }

  // Said once per opcode: the generation lacks it.
  void warn(const Bundle& b) {
    const std::uint8_t code = b.opcode();
    if (warned_[code]) return;
    warned_[code] = true;
    const GenerationSet known = opcode_generations(code);
    if (known.empty() || known.contains(generation_)) return;
    Diagnostic d = make_warning(Code::unknown_name, fmt::format("{} has no such instruction", generation_name(generation_)));
    d.where.file = label_.empty() ? options_.input : label_;
    d.where.instruction = index_;
    d.where.byte = 0;
    d.rule = "has_valid_neuron_header";
    d.field = "opcode";
    d.value = opcode_name(code);
    reporter_.report(d);
  }

  const DisOptions& options_;
  Generation generation_;
  TextPrinter printer_;
  FileWriter& out_;
  Reporter& reporter_;
  std::string text_, label_, json_suffix_;
  SemaphoreOwner owner_ = engine_semaphore_owner;
  std::uint64_t index_ = 0;
  std::array<bool, 256> warned_{};
};

bool disassemble_container(const DisOptions& options, Input& input, FileWriter& out, Reporter& reporter) {
  const auto container = read_container_or_report(input, reporter);
  if (!container) return false;
  const auto streams = streams_or_report(*container, options.choice, reporter);
  if (!streams) return false;
  Disassembler d(options, options.generation.value_or(generation_of(*container)), out, reporter);
  for (const neff::StreamView& view : *streams) {
    d.start(*container, view);
    const std::size_t whole = view.bytes.size() / kBundleBytes * kBundleBytes;
    for (std::size_t at = 0; at < whole; at += kBundleBytes) {
      Bundle b;
      std::memcpy(b.bytes.data(), view.bytes.data() + at, kBundleBytes);
      if (!d.add(b)) return false;
    }
    d.finish(view.bytes.subspan(whole));
  }
  return d.flush();
}

bool disassemble_file(const DisOptions& options, Input& input, FileWriter& out, Reporter& reporter) {
  Disassembler d(options, options.generation.value_or(kDefaultGeneration), out, reporter);
  if (!for_each_bundle(input.stream, reporter, [&d](const Bundle& b) { return d.add(b); })) return false;
  d.finish(input.stream.window());
  return d.flush();
}

void run(const DisOptions& options, Reporter& reporter) {
  auto input = open_input(options.input, reporter);
  if (!input) return;
  auto out = value_or_report(FileWriter::create(options.output), reporter);
  if (!out) return;
  const bool ok = input->kind == InputKind::container ? disassemble_container(options, *input, *out, reporter)
                                                      : disassemble_file(options, *input, *out, reporter);
  if (ok) ok_or_report(out->commit(), reporter);
}

}  // namespace

void add_dis(CLI::App& app, Reporter& reporter) {
  auto options = std::make_shared<DisOptions>();
  CLI::App* command = add_command(app, "dis", "Disassemble instructions, or the engine streams of a container; what is no instruction becomes .bytes",
                                  "  printf 'nop then sem[3]++\\n' | actkit asm - -o - | actkit dis -\n"
                                  "  actkit dis --style profiler --engine act kernel.neff");
  command->add_option("IN", options->input, "Instructions or a container; - is standard input")->required();
  command->add_option("-o,--output", options->output, "Where the text goes; - is standard output")->capture_default_str();
  add_generation_option(*command, options->generation);
  add_stream_options(*command, options->choice);
  command->add_option("--style", options->style, "text assembles again; profiler is the vendor profiler's operand text")
      ->check(CLI::IsMember({"text", "profiler"}))
      ->capture_default_str();
  command->add_flag("--json", options->json, "One object per instruction; diagnostics are JSON objects");
  command->callback([options, &reporter] {
    if (options->json && options->style != "text") throw CLI::ValidationError("--style", "the " + options->style + " style has no JSON form; leave out --json");
    reporter.set_json(options->json);
    run(*options, reporter);
  });
}

}  // namespace act::tool
