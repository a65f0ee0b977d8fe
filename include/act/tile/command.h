// One block command: decoding, encoding, JSON (04 section 3).
#pragma once

#include <array>
#include <optional>
#include <string>

#include "act/diag/result.h"
#include "act/rows/json.h"
#include "act/tile/forms.h"

namespace act::tile {

// A command of a known form whose fields all hold values that their rows allow, when it comes from decode().
class Command {
 public:
  explicit Command(const Form& form) : form_(&form) { put_fixed(bytes_, form.format); }

  const Form& form() const { return *form_; }
  Op op() const { return form_->op; }
  unsigned length() const { return form_->format.bytes; }
  Record bytes() const { return Record(bytes_).first(length()); }
  // The bytes as a little-endian number (T-10).
  std::uint64_t word() const { return get_bits(bytes_, 0, 8 * length()); }

  // A field by its row's name; nothing when the form has no such field.
  std::optional<std::uint64_t> get(std::string_view field) const;
  // Precondition: the form has the field.
  Command& set(std::string_view field, std::uint64_t value);

  // B.DIM: the 17-bit immediate.
  std::uint32_t uimm17() const;

  friend bool operator==(const Command& a, const Command& b) {
    return a.form_ == b.form_ && a.bytes_ == b.bytes_;
  }

 private:
  friend Result<Command> decode(Record bytes);
  const Form* form_;
  std::array<std::uint8_t, 8> bytes_{};
};

// Bytes of the command that starts with this byte: 2, 4, 6 or 8 (04 section 3).
constexpr unsigned command_length(std::uint8_t first_byte) {
  if ((first_byte & 15) == 14) return 6;
  if ((first_byte & 15) == 15) return 8;
  return first_byte & 1 ? 4 : 2;
}

// The command at the start of `bytes`. Errors, which all mean an illegal instruction: tile-encoding (no form
// fits, or a field of the form that fits holds a reserved code), bad-size (the bytes end inside the command).
Result<Command> decode(Record bytes);
// The same for a word as it is written in documents. `length` is 2, 4 or 8.
Result<Command> decode_word(std::uint64_t word, unsigned length);

// {"opcode":"B.IOT","format":"B.IOT.SD","fields":{…},"bytes":"13de1800"}
Json to_json(const Command& command);
// From "format" (or "opcode", where that has one form) and "fields"; missing fields are zero, other keys are
// ignored. Errors: json-*, unknown-name, unknown-field, bad-value, tile-encoding for a reserved code.
Result<Command> command_from_json(const Json& object);

}  // namespace act::tile
