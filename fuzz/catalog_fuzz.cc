// A whole catalog directory from a stranger. The input is a sequence of files: each a name (one byte of
// length), a content (three bytes of length, little-endian) and the content itself. What is accepted must be
// written and read back the same.
#include <cstdlib>

#include "act/files/memory_folder.h"
#include "act/tables/catalog_io.h"
#include "act/tables/check.h"

namespace {

act::MemoryFolder folder_of(const std::uint8_t* data, std::size_t size) {
  act::MemoryFolder folder("fuzz");
  while (size >= 4) {
    const std::size_t name = data[0],
                      content = data[1] | data[2] << 8 | static_cast<std::size_t>(data[3]) << 16;
    data += 4, size -= 4;
    if (name + content > size) break;
    folder.add(std::string(reinterpret_cast<const char*>(data), name),
               act::Bytes(data + name, data + name + content));
    data += name + content, size -= name + content;
  }
  return folder;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const act::MemoryFolder folder = folder_of(data, size);
  (void)act::check_catalog(folder, {.strictness = act::Strictness::lenient, .allow_absent_sets = true});
  act::Diagnostics warnings;
  const auto catalog = act::read_catalog(folder, {}, warnings);
  if (!catalog) return 0;
  const auto files = act::catalog_files(*catalog);
  if (!files) return 0;
  act::MemoryFolder again("again");
  for (const auto& [name, content] : *files) again.add(name, content);
  again.remove("version.json");  // a name that a hostile roster may give to a set without files
  // Two sets may share a file name; then the second one wins and only the first reading is meaningful.
  if (again.files().size() + 1 != files->size()) return 0;
  const auto back = act::read_catalog(again, {}, warnings);
  if (!back || back->sets.size() != catalog->sets.size()) std::abort();
  for (std::size_t i = 0; i < back->sets.size(); ++i)
    if (!(back->sets[i].functions == catalog->sets[i].functions)) std::abort();
  return 0;
}
