// The seeds of the fuzz target are what the writer gives. With ACTKIT_REBASE=1 in the environment the test
// writes them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "neff/forge.h"
#include "neff/sample.h"

namespace act::neff {
namespace {

// The forms that fuzz/neff_fuzz.cc tells apart by the first byte.
Bytes member_list() {
  const Bytes file = write_container(sample::spec()).value();
  Diagnostics problems;
  const auto archive = read_archive(file, "f", {}, problems);
  Bytes out = {0xFF};
  for (const Member& m : archive->members) {
    out.insert(out.end(), m.name.begin(), m.name.end());
    out.push_back(0);
    if (!m.name.ends_with(".bin")) out.insert(out.end(), m.data.begin(), m.data.end());
    out.insert(out.end(), 2, 0);
  }
  return out;
}

Bytes tar() {
  forge::Tar t;
  t.file("kelf-0.json", R"({"target":"cayman","graphs":[{"name":"g","definition":"g/def.json"}]})");
  t.file("g/def.json", R"({"sp":"SP.json","sp_instr":"SP.bin"})").file("g/SP.bin", std::string(64, '\0'));
  t.pax({{"path", "g/SP.json"}}).file("x", R"({"dma":[],"instr":"SP.bin","name":"SP.json"})");
  t.add({"link", '2', "g/SP.bin", ""}).end();
  const std::string out = '\xFE' + t.bytes;
  return {out.begin(), out.end()};
}

TEST(Seeds, AreCurrent) {
  const std::string folder = std::string(ACTKIT_SOURCE_DIR) + "/fuzz/corpus/neff/";
  const std::pair<const char*, Bytes> seeds[] = {
      {"container", write_container(sample::spec()).value()}, {"members", member_list()}, {"tar", tar()}};
  for (const auto& [name, bytes] : seeds) {
    if (std::getenv("ACTKIT_REBASE") != nullptr) {
      ASSERT_TRUE(write_file(folder + name, bytes));
    }
    EXPECT_EQ(read_file(folder + name).value_or(Bytes{}), bytes) << name;
  }
}

}  // namespace
}  // namespace act::neff
