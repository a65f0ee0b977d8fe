// Collecting and committing a block (04 section 7): every check in the order of the book, each fault by name.
#pragma once

#include "act/tile/command.h"
#include "act/tile/state.h"

namespace act::tile {

// Executes one command at state.pc. On success the PC moves on. A refused command changes nothing but
// last_fault and fault_address: no destination exists, the block stays as it was, and after a repair the
// command can be issued again.
Verdict execute_command(State& state, const Command& command);
// The same for a word of 2, 4 or 8 bytes; one that does not decode is refused with IllegalInstruction.
Verdict execute_word(State& state, Word word, unsigned length);

// Commit checks 3 to 19 on the open block, without closing it. On success the binding's `allocated` names the
// new tile.
Verdict block_operation(State& state);
// The whole commit (checks 1 to 19): closes the block and moves the PC to `continuation`.
Verdict complete_block(State& state, Word continuation);

struct Step {
  std::uint64_t index = 0;  // of the command in the program
  Word address = 0;
  std::uint64_t offset = 0;  // in the program
  std::string text;          // of the command, as it disassembles
  Verdict verdict;
};

// Runs a program from its first byte, which stands at state.pc, to its end or its first fault. Appends to
// `steps`, when given, every command with its outcome. Returns the step that faulted.
std::optional<Step> run(State& state, Record program, std::vector<Step>* steps = nullptr);

}  // namespace act::tile
