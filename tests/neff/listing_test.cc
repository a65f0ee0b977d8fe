#include "act/neff/listing.h"

#include <gtest/gtest.h>

#include "neff/forge.h"
#include "neff/sample.h"

namespace act::neff {
namespace {

Container read_sample() {
  Diagnostics problems;
  const Bytes file = write_container(sample::spec()).value();
  return read_container(file, "sample.neff", {}, problems).value();
}

TEST(Listing, TextNamesEverything) {
  const std::string text = listing_text(read_sample());
  for (const char* part : {"  features  0xc00 vnc dve_perf_mode\n", "(words-reversed)", "graph sg00 (sg00/def.json)\n",
                           "  act     sg00/Activation.bin                 4  one\n",
                           "  dve     sg00/DVE.bin                        3\n",
                           "sg00/act_info.json of 2 sets; with files: one (index 0)\n",
                           "qSPDynamicHW of sp, dynamic, semaphores 8-10\n", "  output    y bfloat16 [4]\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(Listing, JsonHasEveryHeaderRow) {
  const auto json = listing_json(read_sample());
  for (const HeaderField& f : kHeaderFields)
    EXPECT_EQ(json["header"].contains(std::string(f.name)), f.kind != HeaderKind::zero) << f.name;
  EXPECT_EQ(json["header"]["data_size"], 10240);
  EXPECT_EQ(json["graphs"][0]["engines"][0]["bundles"], 4);
  EXPECT_EQ(json["graphs"][0]["sets"][1], nlohmann::ordered_json({{"index", 1}, {"name", "two"}, {"present", false}}));
  EXPECT_EQ(json["digest"]["form"], "words-reversed");
  EXPECT_EQ(json["members"].size(), 18u);
}

TEST(Listing, NothingFromTheFileReachesATerminalRaw) {
  ContainerSpec spec = sample::spec();
  spec.name = "a\x1b[2J\xff\nb";
  spec.tensors[0].dtype = "\x1b]0;t\x07";
  Diagnostics problems;
  const Bytes file = write_container(spec).value();
  const auto c = read_container(file, "f", {}, problems);
  ASSERT_TRUE(c);
  for (const char ch : listing_text(*c)) EXPECT_TRUE(ch == '\n' || (ch >= ' ' && ch < 0x7f)) << int{ch};
}

}  // namespace
}  // namespace act::neff
