// Opcodes: which exist, in which generation, with which format (01 sections 1.3 and 1.4).
#pragma once

#include "act/diag/result.h"
#include "act/isa/bundle.h"
#include "act/numeric/generation.h"

namespace act {

// Engine that executes an opcode, numbered as on the device (01 section 1.2); ANY = control, on every engine.
enum class Engine : std::uint8_t { PE = 0, ACT = 1, POOL = 2, DVE = 3, SP = 4, ANY = 255 };
std::string_view engine_name(Engine engine);

// How much of an opcode is known here.
enum class Support : std::uint8_t {
  full,    // every field and every rule
  fields,  // every field; header, event, range and reserved checks
  stream,  // a payload of bytes without rules, held by real streams (D-58)
  raw,     // the payload is kept as bytes; the checker refuses it, its rules are not published
};

enum class Opcode : std::uint8_t {
#define ACT_OPCODE(code, NAME, format, generations, engine, support, aliases, doc) NAME = code,
#include "act/isa/opcodes.def"
#undef ACT_OPCODE
};

struct OpcodeInfo {
  Opcode opcode;
  std::string_view name;
  FormatId format;
  GenerationSet generations;
  Engine engine;
  Support support;
  std::string_view aliases;  // separated by blanks
  std::string_view doc;

  constexpr std::uint8_t code() const { return static_cast<std::uint8_t>(opcode); }
};

// All named opcodes in ascending order.
std::span<const OpcodeInfo> all_opcodes();
// Row of an opcode byte, or nullptr for a byte without a name.
const OpcodeInfo* find_opcode(std::uint8_t code);
// By name or alias; case matters for neither. "OP_0xNN" is not found here: see parse_opcode.
const OpcodeInfo* find_opcode(std::string_view name);

// Generations whose opcode set holds the byte (01 section 1.4, D-02); an empty set means the byte is no opcode anywhere.
GenerationSet opcode_generations(std::uint8_t code);

// Name of an opcode byte: its row's, or "OP_0xNN" for a member of the opcode set without one; empty for other bytes.
std::string opcode_name(std::uint8_t code);
// The reverse: a name, an alias, or OP_0xNN for any byte of an opcode set.
Result<std::uint8_t> parse_opcode(std::string_view name);

// Replaced by the loader, never executed: 0xC0..0xDF.
constexpr bool is_pseudo_opcode(std::uint8_t code) { return code >> 5 == 0b110; }

// All formats in the order of list.def.
std::span<const Format* const> all_formats();
const Format* find_format(std::string_view name);
const Format& format_of(FormatId id);  // precondition: id != none
// Format of a bundle, or nullptr when its opcode byte belongs to no generation's opcode set. RAW for opcodes without rows.
const Format* format_of(const Bundle& bundle);

// Typed form by opcode; monostate exactly when format_of is nullptr. Never fails otherwise: bytes hold what they hold.
Instruction decode(const Bundle& bundle);
// Bytes of a typed instruction; the opcode and the length byte are members like any other. Monostate encodes to zeros.
Bundle encode(const Instruction& instruction);

// A typed instruction with the opcode and inst_word_len set and all else zero.
template <class T>
T make(Opcode opcode) {
  T x{};
  x.opcode = static_cast<OpcodeByte>(opcode);
  x.inst_word_len = kInstWordLen;
  return x;
}

}  // namespace act
