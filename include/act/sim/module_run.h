// Executes a module as it stands, in program order: loops by their trip counts, branches on registers, calls, set expressions
// evaluated. Waits of its instructions must hold when they are reached.
#pragma once

#include "act/ir/encode.h"
#include "act/sim/simulator.h"

namespace act::sim {

struct ModuleRunOptions {
  ir::EncodeOptions encode;                           // generation and sets are taken from module and catalog
  std::uint64_t limit = std::uint64_t{1} << 32;  // instructions, and items of empty loops, before the run is given up
};

// A module's generation, tensors and registers as a program with one empty stream per engine: what the Simulator of a module
// run is made with.
Program frame_of(const ir::Module& module);

// Makes a set of the catalog resident before anything runs, as the static mode does. Errors go to the simulator's reports:
// lowering when the catalog has no such set.
bool make_resident(const std::string& set, Simulator& simulator);

// Runs the module on a simulator of frame_of(module); returns what Simulator::run() would. A module that is not lowered runs
// too, with the simulator's warnings about what is not resident. Errors go to the simulator's reports: those of encode() with
// the instruction's name and source line, register-not-set of a branch, too-large beyond the limit.
bool run_module(const ir::Module& module, const ModuleRunOptions& options, Simulator& simulator);

}  // namespace act::sim
