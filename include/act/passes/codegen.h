// Code generation: straight-line modules to the bundle streams of the engines (03 section 12).
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "act/ir/encode.h"
#include "act/isa/program.h"

namespace act::passes {

// What the generator does with each instruction; the values are those of the published mode word.
enum class CodegenMode : std::uint8_t {
  collect = 0,   // COLLECT_OPCODES: records which opcodes it would write, builds nothing
  generate = 1,  // GENERATE_ISACODE: builds the streams, checks them at the end
  check = 2,     // RUN_ISA_CHECKS: builds and checks each bundle, keeps none
};
// By our name or the published one. Error unknown-name with the published text.
Result<CodegenMode> find_codegen_mode(std::string_view name);

struct CodegenOptions {
  CodegenMode mode = CodegenMode::generate;
  ir::EncodeOptions encode;
  bool stream_prologue = false;  // SET_ORDERING_MODE and, on cayman, PSEUDO_BRANCH_LABEL before each stream (L-35)
};

// Bundles of one instruction in a stream.
struct CodeRange {
  const ir::Inst* inst;  // of the module that was generated from
  std::uint32_t stream;  // index in the program
  std::uint32_t first;   // bundle
  std::uint32_t count;
};

struct CollectedOpcodes {
  std::string name;                // of the instruction
  std::vector<std::uint8_t> codes;  // ascending
};

struct GeneratedCode {
  Program program;                                // generate: one stream per engine with instructions, in order of first use
  std::vector<CodeRange> ranges;                  // generate: in program order, the prologue left out
  std::array<std::uint64_t, 256> histogram{};     // generate: bundles by opcode
  std::vector<CollectedOpcodes> collected;        // collect
  std::vector<std::uint8_t> used_sets;            // sets that loads name, ascending
  std::uint64_t instructions = 0;                 // walked
};

// Walks the blocks of a straight-line module once, routing each instruction by its own engine; the first function comes
// first. The result points into `module`. Errors (up to 100, each with instruction name and source line): code-generation for
// control flow, engines without a stream, the engine gate, operands, name-form limits; the rules of isa for bundles.
Result<GeneratedCode> generate_code(const ir::Module& module, const CodegenOptions& options);

// What stands before the work of every real stream: 0xB1 and, on cayman, 0xCC (L-35).
std::vector<Bundle> prologue_of(Generation generation);

// Whether the module has no loops, branches, calls and set expressions left.
bool is_straight_line(const ir::Module& module);

// "Activation", the stem of an engine's files (L-25).
std::string_view engine_stem(Engine engine);
// "Activation.000000000000000000000012.I-4.bin": the file of one instruction under dumpBinPerInst. `sequence` counts all
// instructions of the module; characters of the name that a file name should not have become '_'.
std::string instruction_file_name(Engine engine, std::uint64_t sequence, std::string_view name);

}  // namespace act::passes
