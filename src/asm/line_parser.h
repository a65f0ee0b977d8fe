// One line of assembly text: its characters, its values, and what is wrong with it.
#pragma once

#include <map>
#include <string>

#include "act/asm/text.h"
#include "act/isa/memory_map.h"
#include "asm/events.h"
#include "asm/operands.h"

namespace act::text {

// Tensors that a text has named so far.
using Symbols = std::map<std::string, TensorBinding, std::less<>>;

// What a line is read with.
struct LineContext {
  Generation generation;
  const Symbols& symbols;
  const std::function<void(Diagnostic)>& report;  // file and line are filled in by the callee
};

// An address as text gives it.
struct Place {
  std::uint32_t word = 0;              // address, register word or raw word
  bool is_register = false;
  const TensorBinding* symbol = nullptr;
};

// Reads a line from left to right. The read_* functions skip blanks first; those that return bool have reported when they
// return false.
class LineParser {
 public:
  LineParser(std::string_view line, LineContext context);

  bool at_end();              // nothing but blanks or a comment is left
  bool next_is(char c);       // skips blanks, does not consume
  bool accept(char c);        // consumes c if it is next
  bool expect(char c);
  std::string_view word();    // letters, digits and '_'; empty when there is none
  std::string_view token();   // a number: everything up to a blank, comma, bracket or comment

  bool unsigned_in(std::uint64_t& out, std::uint64_t max, std::string_view field);
  bool signed_in(std::int64_t& out, std::int64_t min, std::int64_t max, std::string_view field);
  bool string(std::string& out);
  bool hex_bytes(std::span<std::uint8_t> out, std::size_t& count);  // fills up with zeros behind the `count` written
  bool place(Place& out);
  bool dtype(std::uint8_t& code);  // required
  bool pattern(TensorView& out);   // [steps x counts]; dims is the number to fill

  // The instruction whose mnemonic, at `mnemonic`, has just been read. All its errors are reported.
  bool instruction(std::uint8_t opcode, const char* mnemonic, Bundle& out);

  // Reports at [from, here).
  bool fail(const char* from, Code code, std::string message, std::string_view field = {}, std::string allowed = {});
  const char* here() const { return at_; }
  void skip_one() { at_ += at_ != end_ ? 1 : 0; }
  LineContext& context() { return context_; }

 private:
  bool operand();
  bool named_operand(std::string_view name, const char* from);
  bool value(const Operand& x);
  bool tensor(const Operand& x);
  bool gather(const Operand& x);
  bool profiler_tensor(const Operand& x, std::string_view dtype_name, const char* from);
  bool profiler_pointer(const Operand& x, std::string_view dtype_name, const char* from);
  bool profiler_word(const Operand& x);
  bool profiler_register(unsigned& n);
  bool pointer(const Operand& x);
  bool dtype_behind(const Operand& x, const TensorBinding* symbol);
  bool immediate(const Operand& x);
  bool immediate_number(const Operand& x);
  bool enumerator(const Operand& x);
  bool pair(const Operand& x);
  bool function(std::string_view name, const char* from);
  bool integer_field(const Operand& x);
  bool bytes_field(const Operand& x);
  bool string_field(const Operand& x);
  bool f32_field(const Operand& x);
  bool reserved(std::string_view name, const char* from);
  bool profiler_only(std::string_view name);

  // What stands behind sem[n] or event[n]: an operator or the name of a state, and whether reg[ follows.
  struct Clause {
    std::string_view words;
    bool from_register;
  };
  Clause clause();
  bool event_place(bool& event, std::uint8_t& index);
  bool event_operand(EventOperand kind, std::string_view writer, const char* from);
  bool wait_clause(const char* from);
  bool update_clause(bool on_read, const char* from);
  bool profiler_event(const char* from);
  bool profiler_event_rest(std::uint8_t index, const char* from);
  bool set_wait(const WaitForm& form, std::uint8_t index, const char* from);
  bool set_second_wait(std::uint8_t index, const char* from);
  bool set_update(const UpdateForm& form, std::uint8_t index, const char* from);
  bool set_event_byte(std::size_t byte, std::uint8_t v, const char* from);
  bool set_sync_value(std::uint32_t v, std::string_view writer, const char* from);

  bool place_terms(Space space, const char* from, std::uint32_t& out);
  bool register_number(unsigned& n);
  bool mark_given(const Operand& x, const char* from);
  // A field that two operands of a line write must get one value from both, whichever stands first. `settled` = the form of
  // the value says where it comes from; a bare pattern leaves that to a selector that is written out.
  bool set_selector(const Operand& x, std::uint8_t code, bool settled, const char* from);
  bool set_dtype(const Operand& x, std::uint8_t code, const char* from);
  bool field_agrees(const Operand& x, std::uint8_t before, const char* from);
  bool conflict(const char* from, std::string_view field, std::string_view first, std::string_view second);
  void put_dtype(const Operand& x, std::uint8_t code);
  void put(const Operand& x, std::uint64_t v) { std::memcpy(bundle_->bytes.data() + x.byte, &v, x.bytes); }
  bool dtype_field_given(const Operand& x) const;  // under the name of its own field
  bool check_missing(const char* mnemonic);
  void skip_operand();
  void skip_blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  LineContext context_;

  // While an instruction is read.
  Bundle* bundle_ = nullptr;
  const Plan* plan_ = nullptr;
  bool bitvec_ = false;
  std::uint64_t given_ = 0, dtypes_wanted_ = 0;                   // one bit per operand
  std::uint64_t selectors_ = 0, settled_ = 0, dtypes_named_ = 0;  // selector written out; source or type said by the value
  std::uint64_t reserved_given_ = 0;                              // one bit per byte
  unsigned event_fields_ = 0, event_clauses_ = 0;                 // bytes 4..7 written by name, by a clause
  std::string_view sync_writer_;                                  // what wrote the shared value
  bool dtype_fields_ = false, wait_given_ = false, update_given_ = false;
};

}  // namespace act::text
