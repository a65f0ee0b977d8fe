// The tables of docs/numeric.md, printed from the rows so that the document cannot drift from them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace act {

struct NumericTable {
  std::string_view name;  // the marker of its place in the document
  std::string markdown;   // the table, ending in a newline
};

std::vector<NumericTable> numeric_tables();

}  // namespace act
