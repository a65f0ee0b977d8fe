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

// What was read. A module comes with the frame that its run is made with (sim::frame_of).
struct LoadedProgram {
  Program program;
  std::optional<ir::Module> module;
  std::string act_set;  // static mode: the table set that is resident from the start
};

// Bundles have a size that is a multiple of 64 and are one stream of the engine named (default ACT); a directory holds
// Activation.bin, Pool.bin, PE.bin, DVE.bin, SP.bin or some of them, and the tensors, registers, generation and set of a
// lowered.json beside them, as `compile` writes it. Everything that is wrong is reported.
std::optional<LoadedProgram> read_program(const ProgramInput& input, Reporter& reporter);

}  // namespace act::tool
