// Reports, documentation, and tiles from and to arrays.
#include "act/tile/report.h"

#include <gtest/gtest.h>

#include "act/files/files.h"
#include "act/rows/check.h"
#include "act/tile/npy.h"
#include "act/tile/text.h"

namespace act::tile {
namespace {

std::string file(const std::string& name) {
  return read_text(std::string(ACTKIT_SOURCE_DIR) + "/" + name).value_or("");
}
NpyArray array(const std::string& name) {
  return *read_npy(std::string(ACTKIT_SOURCE_DIR) + "/examples/tile/" + name);
}

State run_example(const std::string& program, unsigned source, const std::string& input,
                  std::optional<std::uint32_t> size = {}) {
  State s;
  TileSetup setup;
  setup.index = source;
  setup.capacity_bytes = size;
  EXPECT_TRUE(load_tile(s, setup, array(input)));
  Diagnostics warnings;
  EXPECT_FALSE(run(s, *assemble(file("examples/tile/" + program), warnings)));
  EXPECT_TRUE(warnings.empty());
  return s;
}

// What the page shows is what the program prints.
TEST(Page, ShowsTheProgramsOutput) {
  const std::string page = file("docs/tile/trelu.md");
  ASSERT_FALSE(page.empty());
  EXPECT_NE(page.find("```\n" + file("examples/tile/relu.pto") + "```\n"), std::string::npos);
  EXPECT_NE(page.find("x.npy\n" + state_text(run_example("relu.pto", 1, "x.npy")) + "```"),
            std::string::npos);
  EXPECT_NE(page.find("size=128B\n" + state_text(run_example("padding.pto", 0, "bytes.npy", 128)) + "```"),
            std::string::npos);
  State s;
  Diagnostics warnings;
  const auto fault = run(s, *assemble(file("examples/tile/relu.pto"), warnings));
  ASSERT_TRUE(fault);
  Diagnostic d = fault_diagnostic(*fault);
  d.where.file = "examples/tile/relu.pto";
  EXPECT_NE(page.find(to_text(d) + "\n" + state_text(s) + "```"), std::string::npos) << to_text(d) << '\n'
                                                                                     << state_text(s);
  for (const TileType& t : kTypes)
    EXPECT_TRUE(!t.rectified || page.find(t.name) != std::string::npos) << t.name;
}

TEST(Describe, OperationsAndCommandsByAnyCase) {
  for (const std::string_view name : described_names()) {
    ASSERT_TRUE(describe(name)) << name;
    EXPECT_TRUE(describe_json(name)) << name;
  }
  EXPECT_EQ(described_names().front(), "TRELU");
  EXPECT_EQ(describe("trelu"), describe("TRELU"));
  EXPECT_FALSE(describe("TADD"));
  EXPECT_FALSE(describe_json("TADD"));
  const std::string text = *describe("TRELU");
  for (const char* part :
       {"selector 0x017", "catalog index 21", "0x09719181", "0xd9719181", "Fault_TileAllocation", "18 "})
    EXPECT_NE(text.find(part), std::string::npos) << part;
  EXPECT_NE(describe("B.IOT")->find("mask 0xfc00707f, match 0x00005013"), std::string::npos);
  EXPECT_EQ((*describe_json("TRELU"))["data_types"].size(), 16u);
  EXPECT_EQ((*describe_json("B.IOT"))["formats"].size(), 5u);
}

TEST(Report, JsonHasStateFaultAndElements) {
  const State s = run_example("padding.pto", 0, "bytes.npy");
  const Json j = state_json(s);
  EXPECT_EQ(j["pc"], 24);
  EXPECT_EQ(j["block_active"], false);
  EXPECT_TRUE(j["last_fault"].is_null());
  ASSERT_EQ(j["tiles"].size(), 2u);
  EXPECT_EQ(j["tiles"][1]["register"], "U#1");
  EXPECT_EQ(j["tiles"][1]["mask"], "1000");
  EXPECT_EQ(j["tiles"][1]["elements"][1].dump(), R"(["00","00","00","01","02","7f","7f","7f"])");
  EXPECT_EQ(j["tiles"][0]["elements"][0].dump(), R"(["f9","fa","fb","fc","fd",null,null,null])");
  EXPECT_EQ(tile_text(s, 5), "T#6: not allocated\n");
  EXPECT_EQ(tile_json(s, 5)["allocated"], false);
  State bad;
  const auto step = run(bad, Bytes{1, 0, 0, 0});
  ASSERT_TRUE(step);
  EXPECT_EQ(step_json(*step)["fault"], "Fault_BundleControl");
  EXPECT_EQ(step_json(*step)["check"], 1);
  EXPECT_EQ(state_json(bad)["last_fault"]["trap"], 5);
}

TEST(Arrays, BecomeTilesAndComeBack) {
  State s;
  TileSetup setup;
  ASSERT_TRUE(load_tile(s, setup, NpyArray::from<float>({2, 3}, {1, -2, 3, -4, 5, -6})));
  EXPECT_EQ(s.tiles[0].shape.type->name, "FP32");
  EXPECT_EQ(s.tiles[0].shape.columns, 4u);
  EXPECT_EQ(s.tiles[0].shape.valid_rows, 2u);
  EXPECT_EQ(s.tiles[0].shape.capacity_bytes, 128u);
  EXPECT_EQ(tile_array(s, 0)->values<float>(), (std::vector<float>{1, -2, 3, -4, 5, -6}));
  // One dimension is a row; the size grows with the rows.
  ASSERT_TRUE(load_tile(s, setup, NpyArray::from<std::int8_t>({5}, {1, 2, 3, 4, 5})));
  EXPECT_EQ(s.tiles[0].shape.valid_rows, 1u);
  EXPECT_EQ(tile_array(s, 0)->type, (NpyType{'i', 1}));
  ASSERT_TRUE(load_tile(s, setup, NpyArray{{'u', 8}, {20, 2}, Bytes(320)}));
  EXPECT_EQ(s.tiles[0].shape.capacity_bytes, 512u);
  // Patterns of a named type.
  setup.type = find_type(std::string_view("BF16"));
  ASSERT_TRUE(load_tile(s, setup, NpyArray{{'V', 2}, {1, 1}, {0x80, 0x3f}}));
  EXPECT_EQ(read_element(s, 0, 0, 0), 0x3f80u);
  EXPECT_EQ(tile_array(s, 0)->type, (NpyType{'V', 2}));
  setup.type = find_type(std::string_view("TF32"));
  ASSERT_TRUE(load_tile(s, setup, NpyArray::from<std::uint32_t>({1}, {0x3f802000})));
  EXPECT_EQ(tile_array(s, 0)->type, (NpyType{'f', 4}));
}

TEST(Arrays, PartlyDefinedTiles) {
  State s;
  const NpyArray defined{{'b', 1}, {1, 3}, {1, 0, 1}};
  ASSERT_TRUE(load_tile(s, {}, NpyArray::from<float>({1, 3}, {1, 2, 3}), &defined));
  EXPECT_TRUE(element_defined(s, 0, 0, 0));
  EXPECT_FALSE(element_defined(s, 0, 0, 1));
  const auto out = tile_array(s, 0);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error()[0].code, Code::tile_setup);
  const NpyArray other{{'b', 1}, {3, 1}, {1, 0, 1}};
  EXPECT_FALSE(load_tile(s, {}, NpyArray::from<float>({1, 3}, {1, 2, 3}), &other));
}

TEST(Arrays, ThatDoNotFitAreRefused) {
  const auto refused = [](const NpyArray& a, TileSetup setup = {}) {
    State s;
    const Status ok = load_tile(s, setup, a);
    EXPECT_FALSE(s.tiles[0].allocated);
    return !ok && ok.error()[0].code == Code::tile_setup;
  };
  TileSetup s32, three;
  s32.type = find_type(std::string_view("S32"));
  three.columns = 3;
  TileSetup small;
  small.capacity_bytes = 128;
  EXPECT_TRUE(refused(NpyArray::from<float>({1}, {1}), s32));
  EXPECT_TRUE(refused(NpyArray::from<std::int16_t>({1}, {1}), s32));
  EXPECT_TRUE(refused(NpyArray::from<float>({1, 3}, {1, 2, 3}), three));
  EXPECT_TRUE(refused(NpyArray::from<float>({}, {1})));
  EXPECT_TRUE(refused(NpyArray::from<float>({1, 1, 1}, {1})));
  EXPECT_TRUE(refused(NpyArray::from<float>({0, 4}, {})));
  EXPECT_TRUE(refused(NpyArray{{'u', 1}, {1, 65536}, Bytes(65536)}));
  EXPECT_TRUE(refused(NpyArray{{'u', 1}, {65535, 2}, Bytes(131070)}));
  EXPECT_TRUE(refused(NpyArray{{'b', 1}, {1}, {1}}));
  EXPECT_TRUE(refused(NpyArray{{'V', 2}, {1}, {1, 1}}));
  EXPECT_TRUE(refused(NpyArray{{'f', 8}, {17, 1}, Bytes(136)}, small));
  State s;
  EXPECT_FALSE(tile_array(s, 0));
  EXPECT_FALSE(tile_array(s, 64));
}

}  // namespace
}  // namespace act::tile
