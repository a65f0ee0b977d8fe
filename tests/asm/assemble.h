// One text into bundles or into what was wrong with it, for the tests of the assembly language.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "act/asm/text.h"

namespace act {

inline std::string errors_of(std::string_view text) {
  const auto program = parse_text(text, "t.act");
  std::string out;
  if (program) return out;
  for (const Diagnostic& d : program.error()) out += to_text(d, source_line(text, d)) + "\n";
  return out;
}

inline Bundle assemble(std::string_view line) {
  const auto program = parse_text(line, "t.act");
  EXPECT_TRUE(program) << errors_of(line);
  return program && !program->streams.empty() ? program->streams[0].bundles.at(0) : Bundle{};
}

}  // namespace act
