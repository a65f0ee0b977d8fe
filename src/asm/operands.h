// How the rows of a format become operands of a line of text: which fields are written together (a tensor and its data
// type, an immediate and its source), in which order, and what an operand that is not written stands for.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "act/isa/opcode.h"
#include "asm/names.h"

namespace act::text {

enum class Shape : std::uint8_t {
  function,    // activation_func: the first word behind the mnemonic
  tensor,      // place, data type, [steps x counts]
  immediate,   // 32 bits: float, pattern, place or register, as the selector says
  wide,        // 64 bits likewise
  f32,         // float
  address,     // place
  enumerator,  // name, or number where it has none
  pair,        // two data types, "lo/hi"; read only
  integer,     // decimal
  pattern,     // hexadecimal
  bytes,       // hex digits, zeros at the end left out
  string,      // "text", or hex digits
};

// Names of one enumeration, both ways; the vendor profiler's spellings are read too.
struct EnumNames {
  std::array<std::string_view, 256> text;  // empty for values without a name
  NameTable values;
};
const EnumNames& names_of(const EnumTable& table);

// One operand: a field, and the fields that are written with it. Every field of the instruction set starts at a byte.
struct Operand {
  static constexpr int kAbsent = -1;

  std::string_view name;
  const Field* field = nullptr;
  const EnumNames* choices = nullptr;  // of enumerators
  Shape shape = Shape::integer;
  std::uint8_t byte = 0, bytes = 0;

  // Data type behind the value: a whole byte, or its low or high half.
  int dtype_byte = kAbsent;
  std::uint8_t dtype_shift = 0, dtype_mask = 0xFF;
  int dtype_default = kAbsent;  // code when the text names none; absent = one must be named

  // Source selector of an immediate: codes that mean "the field itself", "pointer" and "register".
  int selector_byte = kAbsent;
  std::string_view selector_name;
  std::uint8_t inline_code = 0, pointer_code = 1, register_code = 2;

  // What stands in the bundle when the operand is not written; zero everywhere else.
  std::uint32_t default_bits = 0;
  std::uint8_t default_selector = 0, default_dtype = 0;

  // It has a line of its own among the printed operands; the others are only read.
  bool printed = true;
  // The count that is derived from the destination when it is not written.
  bool derived_count = false;
};

// Where a name of an operand leads.
struct OperandName {
  int first = 0;
  int second = Operand::kAbsent;  // "ops=MULT,ADD": one value each, separated by a comma
  bool pointer = false;           // "scale_ptr=0x40": a number is an address
};

// The operands of one format.
struct Plan {
  const Format* format = nullptr;
  std::vector<Operand> operands;     // printed ones first, in the order of printing
  std::size_t printed = 0;           // how many of them are printed
  std::vector<OperandName> targets;  // values of `names`
  NameTable names;
  std::size_t dst = 0;               // operand that derived counts refer to
  Bundle defaults;                   // all operands at their defaults, opcode 0
};

const Plan& plan_of(FormatId id);  // precondition: id != none

// What the text knows about an opcode byte.
struct Mnemonic {
  std::array<char, 40> name{};  // lower case
  std::uint8_t length = 0;      // 0 = no opcode: printed as .bytes
  bool bitvec = false;          // immediates are bit patterns
  const Plan* plan = nullptr;
  int always = Operand::kAbsent;  // operand that is printed even where it is zero
};
const Mnemonic& mnemonic_of(std::uint8_t opcode);
// Opcode byte of a mnemonic (name, alias or op_0xnn), or NameTable::kNone.
int find_mnemonic(std::string_view name);

// Data types by every name; code or NameTable::kNone. dtype_text is the short name, empty for unassigned codes.
int find_dtype_code(std::string_view name);
std::string_view dtype_text(std::uint8_t code);
// By name or by number, 0..255.
int read_dtype(std::string_view text);

// Functions of the shipped catalogs by their names; code or NameTable::kNone. function_text is empty for other codes.
int find_function_code(std::string_view name);
std::string_view function_text(std::uint8_t code);

}  // namespace act::text
