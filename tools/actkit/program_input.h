// A program from whatever holds one: bundles, text, a directory of engine streams, a container.
#pragma once

#include <optional>
#include <string>

#include "act/isa/program.h"

namespace act::tool {

struct ProgramInput {
  std::string path;                        // "-" for standard input
  std::optional<Generation> generation;    // when given, it overrides what the program says
  std::string graph, engine;               // which streams of a container or directory; empty = all
};

// Bundles have a size that is a multiple of 64 and are one stream of the engine named (default ACT); a directory holds
// Activation.bin, Pool.bin, PE.bin, DVE.bin, SP.bin or some of them. Warnings go to `warnings`.
Result<Program> read_program(const ProgramInput& input, Diagnostics& warnings);

}  // namespace act::tool
