// Modules as JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "act/diag/result.h"
#include "act/ir/module.h"

namespace act::ir {

struct ReadLimits {
  std::uint64_t bytes = std::uint64_t{4} << 30;  // the parser's own limit
  unsigned depth = 64;
  std::optional<Generation> generation{};  // in place of the one that the module names
};

// Reads a module. `file` names it in messages; errors carry JSON pointers and, where the module gives them, source lines.
// All errors are returned, up to 100. Codes: json-syntax, json-type, json-missing, json-unknown, duplicate-name,
// unknown-name, bad-value, too-large.
Result<Module> read_module(std::string_view text, const std::string& file, const ReadLimits& limits = {});

// Whether the text looks like a module: an object with the member "actkit_module" near its start.
bool looks_like_module(std::string_view text);

// The canonical text. read_module(write_module(m)) = m, and writing that again gives the same text.
std::string write_module(const Module& module);

}  // namespace act::ir
