// A program from whatever holds one: bundles, text, JSON lines, a directory of engine streams, a container.
#pragma once

#include <optional>
#include <string>

#include "act/ir/module.h"
#include "act/isa/program.h"
#include "container_input.h"

namespace act::tool {

struct ProgramInput {
  std::string path;                      // "-" for standard input
  std::optional<Generation> generation;  // when given, it overrides what the program says
  StreamChoice streams;                  // of a container or directory; empty = all
};

// Bundles have a size that is a multiple of 64 and are one stream of the engine named (default ACT); a directory holds
// Activation.bin, Pool.bin, PE.bin, DVE.bin, SP.bin or some of them. Everything that is wrong is reported. Where `module` is
// given, the file may hold a module instead: it is put there, and the program is its frame (sim::frame_of).
std::optional<Program> read_program(const ProgramInput& input, Reporter& reporter, std::optional<ir::Module>* module = nullptr);

}  // namespace act::tool
