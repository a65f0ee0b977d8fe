// actkit-docs ROOT: writes the documents that follow from the rows, below the source tree ROOT: docs/isa/*.md,
// docs/module.schema.json, and the instruction matrix between its markers in README.md. `make docs` runs it; continuous
// integration checks that nothing changes.
#include <cstdio>

#include "act/files/files.h"
#include "act/isa/describe.h"
#include "actkit/matrix.h"
#include "module_schema.h"

namespace {

using namespace act;

constexpr std::string_view kBegin = "<!-- matrix: made by actkit-docs -->\n", kEnd = "<!-- end of matrix -->\n";

std::string index_page() {
  std::string out = "<!-- made by actkit-docs from the rows; do not edit -->\n# Instructions\n\nOne page per named opcode; every table on them is printed from the rows that the codec itself uses.\n\n";
  for (const OpcodeInfo& row : all_opcodes()) {
    char code[8];
    std::snprintf(code, sizeof code, "0x%02X", row.code());
    out += "- " + std::string(code) + " [" + std::string(row.name) + "](" + opcode_page_name(row) + "): " + std::string(row.doc) + "\n";
  }
  return out;
}

// README.md with the part between the markers replaced; unchanged when the markers are missing.
std::string with_matrix(std::string readme) {
  const std::size_t begin = readme.find(kBegin), end = readme.find(kEnd);
  if (begin == readme.npos || end == readme.npos || end < begin) return readme;
  const std::size_t from = begin + kBegin.size();
  return readme.replace(from, end - from, tool::instruction_matrix());
}

bool write(const std::string& path, const std::string& text) {
  if (read_text(path).value_or("") == text) return true;
  const Status s = write_text(path, text);
  if (!s) std::fprintf(stderr, "%s\n", to_text(s.error()[0]).c_str());
  return s.has_value();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: actkit-docs ROOT\n");
    return 2;
  }
  const std::string root = argv[1];
  bool ok = write(root + "/docs/isa/README.md", index_page());
  for (const OpcodeInfo& row : all_opcodes()) ok = write(root + "/docs/isa/" + opcode_page_name(row), opcode_page(row)) && ok;
  ok = write(root + "/docs/module.schema.json", tool::module_schema()) && ok;
  const auto readme = read_text(root + "/README.md");
  ok = readme && write(root + "/README.md", with_matrix(*readme)) && ok;
  return ok ? 0 : 2;
}
