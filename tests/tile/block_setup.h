// Set-up shared by the tests of blocks.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "act/tile/block.h"
#include "act/tile/checks.h"
#include "act/tile/report.h"
#include "act/tile/text.h"
#include "act/tile/trelu.h"

namespace act::tile {

inline const TileType& type(std::string_view name) { return *find_type(name); }

inline Bytes words(const std::string& text) {
  Diagnostics warnings;
  const auto bytes = assemble(text, warnings);
  EXPECT_TRUE(bytes) << text << ": " << (bytes ? "" : to_text(bytes.error()[0]));
  return bytes ? *bytes : Bytes{};
}

// Runs text; the fault, or none.
inline Verdict run_text(State& s, const std::string& text) {
  const auto step = run(s, words(text));
  return step ? step->verdict : std::nullopt;
}
inline Fault fault_of(const Verdict& v) { return v ? v->fault : Fault::none; }

inline void defined_tile(State& s, unsigned i, std::uint64_t capacity, std::uint64_t columns,
                         std::uint32_t valid_rows, std::uint32_t valid_columns, const char* name, Word value,
                         TileLayout layout = TileLayout::row_major, std::uint8_t mask = 1) {
  ASSERT_TRUE(configure_tile(s, i, capacity, columns, valid_rows, valid_columns, type(name), layout, mask));
  for (std::uint32_t r = 0; r < valid_rows; ++r)
    for (std::uint32_t c = 0; c < valid_columns; ++c) ASSERT_TRUE(write_element(s, i, r, c, value));
}

// 12.2: FP32 source T#2, 128 bytes, 4 columns, valid 1x2, both defined; otherwise a legal block with LB0 = 2,
// LB2 = 4.
struct Legal {
  std::string type = "FP32", lb0 = "B.DIM LB0 = 2", lb1, lb2 = "B.DIM LB2 = 4", extra,
              iot = "B.IOT T#2, mask=1111, last, ->T<1>", behind;
  std::string text() const {
    return "BSTART.VEC TRELU, " + type + '\n' + lb0 + '\n' + lb1 + '\n' + lb2 + '\n' + extra + '\n' + iot +
           '\n' + behind + "\nBSTOP\n";
  }
};
inline void legal_source(State& s) { defined_tile(s, 1, 128, 4, 1, 2, "FP32", 0x40000000); }

}  // namespace act::tile
