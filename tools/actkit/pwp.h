// What the subcommands of `actkit pwp` share. A new one is a file cmd_pwp_<name>.cc and a line in
// pwp_commands.def.
#pragma once

#include <memory>
#include <string>

#include "act/tables/embedded.h"
#include "act/tables/functions.h"
#include "command.h"
#include "container_input.h"

namespace act::tool {

// Adds --catalog to a command; `name` must outlive it.
void add_catalog_option(CLI::App& command, std::string& name);

// The catalog that --catalog names: an embedded one, a directory, or a container; problems are reported.
std::optional<Catalog> open_catalog_or_report(const std::string& name, Reporter& reporter);
std::optional<std::unique_ptr<Folder>> open_folder_or_report(const std::string& name, Reporter& reporter);

// A function table and the set it was found in.
struct ChosenTable {
  const TableSet* set = nullptr;
  const FunctionTable* table = nullptr;
};
// The table of a function, by PWP or BIR name, in the set of that name or (empty) in the first set that has
// it. Reports unknown-name with what there is, set-absent for a set without files.
std::optional<ChosenTable> choose_table(const Catalog& catalog, const std::string& function,
                                        const std::string& set, Reporter& reporter);

// A number as 00 section 5 wants it: decimal, inf, nan, or the pattern of a binary32 as 0x…; nothing when it
// is neither.
std::optional<float> parse_input(const std::string& text);
// Shortest decimal that reads back as the same binary32; inf, -inf, nan.
std::string number_text(float value);

}  // namespace act::tool
