// The files that generated code becomes: engine streams with their descriptions, and whole containers (03 section 12.2, 05).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "act/files/files.h"
#include "act/passes/codegen.h"
#include "act/tables/catalog_io.h"

namespace act::passes {

// Names of the table sets in use, ascending by index: what loads name, and the resident set of the static mode.
std::vector<std::string> used_set_names(const ir::Module& lowered, const GeneratedCode& code, std::span<const std::string> catalog_sets);

// `<engine>.bin` and `<engine>.json` of every engine with instructions, and with `per_instruction` one more file for each
// instruction (instruction_file_name).
std::vector<NamedFile> engine_files(const GeneratedCode& code, std::span<const std::string> used_sets, bool per_instruction);

struct ContainerOptions {
  std::string name = "file.neff";  // network name
  bool dynamic_pwp = false;        // neff-dynamic-pwp=on: feature bit 0x40 and its name, when the module has attribute 7 (L-34)
  bool stream_prologue = false;    // for the engines without instructions; the others have it from code generation
};
// A whole container: the streams of all engines, the roster of `catalog` and the unchanged files of the sets in use (L-20),
// tensors with the role of an input or output. Errors: those of the folder and of write_container.
Result<Bytes> container_of(const ir::Module& lowered, const GeneratedCode& code, std::span<const std::string> used_sets, const Folder& catalog, const ContainerOptions& options);

}  // namespace act::passes
