// One structured problem report, the same object for text, JSON and Python.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace act {

enum class Severity : std::uint8_t { note, warning, error };

// What kind of problem; the list with the stable ids stands in codes.def.
enum class Code : std::uint16_t {
#define ACT_CODE(enumerator, id, doc) enumerator,
#include "act/diag/codes.def"
#undef ACT_CODE
};

std::string_view severity_name(Severity severity);
std::string_view code_id(Code code);   // "bad-value"
std::string_view code_doc(Code code);  // one line of explanation
std::size_t code_count();

// Where the problem is: any of the members may be absent.
struct Where {
  std::string file;                          // as the user named it; "-" for standard input
  std::optional<std::uint64_t> instruction;  // index of the bundle in its stream
  std::optional<std::uint64_t> byte;         // offset inside the bundle or, without one, in the file
  std::uint32_t line = 0, column = 0;        // 1-based; 0 = no text position
  std::uint32_t end_column = 0;              // one past the last column; 0 = a single column
  std::string pointer;                       // JSON pointer

  friend bool operator==(const Where&, const Where&) = default;
};

struct Diagnostic {
  Code code = Code::bad_value;
  Severity severity = Severity::error;
  std::string rule;     // helper name of the books ("addr_aligned_dtype"), empty when none applies
  std::string field;    // name of the row; empty when the problem is larger than a field
  Where where;
  std::string value;    // what was found, as the field prints
  std::string allowed;  // what would have been accepted
  std::string message;  // one sentence, starts in lower case, without a final full stop

  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

using Diagnostics = std::vector<Diagnostic>;

bool has_errors(const Diagnostics& list);

// An error of `code` at `where`. The other members are set on the returned object where they apply.
Diagnostic make_error(Code code, std::string message, Where where = {});
Diagnostic make_warning(Code code, std::string message, Where where = {});

// "file:line:col: error[id]: message" or "file: instruction N, byte 0xNN: error[id]: message"; with
// value and allowed appended when they are set. `source_line` adds the line itself and a caret.
std::string to_text(const Diagnostic& d, std::string_view source_line = {});

// One line of JSON with the keys severity, code, rule, field, file, instruction, byte, line, column, pointer,
// value, allowed, message; keys whose member is absent are left out. Invalid UTF-8 is replaced, never an error.
std::string to_json(const Diagnostic& d);

}  // namespace act
