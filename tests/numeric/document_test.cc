// docs/numeric.md holds the tables that the rows give. With ACTKIT_REBASE=1 in the environment the test
// rewrites them.
#include "act/numeric/document.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace act {
namespace {

std::string path() { return std::string(ACTKIT_SOURCE_DIR) + "/docs/numeric.md"; }

std::string read() {
  std::ifstream file(path());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Document, TablesAreCurrent) {
  std::string text = read();
  const bool rebase = std::getenv("ACTKIT_REBASE") != nullptr;
  for (const NumericTable& table : numeric_tables()) {
    const std::string begin = "<!-- table " + std::string(table.name) + " -->\n", end = "<!-- end -->";
    const std::size_t first = text.find(begin);
    ASSERT_NE(first, std::string::npos) << table.name;
    const std::size_t start = first + begin.size(), stop = text.find(end, start);
    ASSERT_NE(stop, std::string::npos) << table.name;
    if (rebase) {
      text.replace(start, stop - start, table.markdown);
    } else {
      EXPECT_EQ(text.substr(start, stop - start), table.markdown) << table.name;
    }
  }
  if (rebase) std::ofstream(path()) << text;
}

}  // namespace
}  // namespace act
