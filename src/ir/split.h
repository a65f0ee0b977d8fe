// A module's text taken apart before it is parsed: the lists of instructions, which are nearly all of it, are read record by
// record, so that the tree of the whole text never exists.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace act::ir {

struct SplitText {
  std::string skeleton;                             // every list of instructions replaced by its number
  std::vector<std::vector<std::string_view>> lists;  // the records of each list, in the text
  unsigned deepest = 0;                             // brackets around the records
};

// Nothing when the text is not of the usual shape (escapes outside of records, lists that are no lists, brackets that do
// not match): then the whole text is parsed at once, and what is wrong with it is told there.
std::optional<SplitText> split_instructions(std::string_view text);

}  // namespace act::ir
