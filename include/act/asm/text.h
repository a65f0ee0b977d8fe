// The assembly language: text to instructions and back. docs/text.md describes it.
//   assemble(disassemble(b)) = b for every 64 bytes b.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "act/isa/program.h"

namespace act {

// Prints instructions of one generation (addresses print as space, partition and offset, which differ between them).
class TextPrinter {
 public:
  explicit TextPrinter(Generation generation = kDefaultGeneration);

  // Appends one line, line end included. What is no instruction becomes a .bytes line. No allocation beyond `out`'s own.
  void append(const Bundle& bundle, std::string& out) const;
  // A piece of a stream that is no whole bundle, as a .bytes line; 1..64 bytes.
  void append_bytes(std::span<const std::uint8_t> bytes, std::string& out) const;
  // The line that starts a stream, and the .gen line that starts a text.
  void append_engine(Engine engine, std::string_view name, std::string& out) const;
  void append_generation(std::string& out) const;

 private:
  Generation generation_;
};

// One instruction as text, without line end.
std::string print_instruction(const Bundle& bundle, Generation generation = kDefaultGeneration);
// A whole program: .gen, tensors, registers, then the streams.
std::string print_text(const Program& program);

struct TextOptions {
  std::string file = "-";                       // name in diagnostics
  Generation generation = kDefaultGeneration;   // when the text has no .gen
  unsigned max_errors = 100;                    // after these, the rest of the text is not reported on
};

// Assembles line by line, in memory that does not depend on the size of the text.
class TextAssembler {
 public:
  // What a line was.
  enum class Statement : std::uint8_t {
    nothing,      // blank, comment, or a directive that goes into program()
    instruction,  // bundle() holds it
    tail,         // .bytes with fewer than 64 bytes: tail() holds them; nothing may follow
    stream,       // .engine: stream() names what the following instructions belong to
    failed,       // reported
  };
  // Called for every error and warning with the line it is in.
  using Report = std::function<void(const Diagnostic&, std::string_view line)>;

  TextAssembler(TextOptions options, Report report);
  ~TextAssembler();
  TextAssembler(const TextAssembler&) = delete;
  TextAssembler& operator=(const TextAssembler&) = delete;

  // One line without its line end (a CR at the end is ignored). Line numbers count the calls.
  Statement line(std::string_view text);

  const Bundle& bundle() const;
  std::span<const std::uint8_t> tail() const;
  const Stream& stream() const;    // engine and name of the current stream; its bundles stay empty
  const Program& program() const;  // generation, tensors and registers so far; its streams stay empty
  std::uint32_t line_number() const;
  std::uint64_t errors() const;
  // More errors than options.max_errors: the caller may stop.
  bool exhausted() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A whole text. A byte-order mark, CR-LF and a missing final newline make no difference. Every error of the text is
// returned (up to options.max_errors), each with line, column and end_column; warnings go to `warnings`.
// Text without .engine is one stream of the activation engine. Errors: text-syntax, unknown-name, unknown-field, bad-value.
Result<Program> parse_text(std::string_view text, const TextOptions& options, Diagnostics& warnings);
Result<Program> parse_text(std::string_view text, const std::string& file = "-");

// The line of `text` that a diagnostic points to, for the caret; empty when there is none.
std::string_view source_line(std::string_view text, const Diagnostic& d);

// Where a line that assembles writes a field: under its name or a short one, in the operand it is part of (a data type
// behind its tensor), or in a wait or update. The mnemonic when the line does not write it; 1-based, end one past the last.
struct Columns {
  std::uint32_t column = 0, end_column = 0;
};
Columns find_operand(std::string_view line, std::string_view field);

}  // namespace act
