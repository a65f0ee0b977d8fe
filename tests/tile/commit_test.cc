// What a commit does and leaves: registers, restart, no-ops, padding, status (04 sections 5 to 9).
#include "block_setup.h"

namespace act::tile {
namespace {

TEST(Commit, EveryHandTakesItsLowestFreeRegister) {
  for (const auto& [hand, first] :
       {std::pair{"T", 0u}, std::pair{"U", 16u}, std::pair{"M", 32u}, std::pair{"N", 48u}}) {
    State s;
    legal_source(s);
    Legal b;
    b.iot = std::string("B.IOT T#2, mask=0100, last, ->") + hand + "<1>";
    ASSERT_FALSE(run_text(s, b.text()));
    EXPECT_TRUE(s.tiles[first].allocated);
    EXPECT_EQ(s.tiles[first].mask, 0b0100);
    EXPECT_EQ(s.core_charge(), 256u);
    ASSERT_FALSE(run_text(s, b.text()));
    EXPECT_TRUE(s.tiles[first == 0 ? 2 : first + 1].allocated);
  }
}

TEST(Commit, AFaultKeepsTheBlockAndTheStopWorksAfterRepair) {
  State s;
  ASSERT_TRUE(configure_tile(s, 1, 128, 4, 1, 2, type("FP32")));
  write_element(s, 1, 0, 0, 0xBF800000);
  EXPECT_EQ(fault_of(run_text(s, Legal().text())), Fault::tile_legality);
  const Word at = s.pc;
  EXPECT_EQ(s.fault_address, at);
  for (int i = 0; i < 3; ++i) {  // as often as one likes
    EXPECT_EQ(fault_of(execute_word(s, 1, 4)), Fault::tile_legality);
    EXPECT_EQ(s.pc, at);
    EXPECT_TRUE(s.block.active);
  }
  write_element(s, 1, 0, 1, 0x3F800000);
  EXPECT_FALSE(execute_word(s, 0, 2));
  EXPECT_EQ(s.pc, at + 2);
  EXPECT_EQ(s.last_fault, Fault::none);
  EXPECT_EQ(s.fault_address, at);
  EXPECT_EQ(read_element(s, 0, 0, 0), 0u);
  EXPECT_EQ(read_element(s, 0, 0, 1), 0x3F800000u);
}

TEST(Commit, ANewStartCommitsTheOpenBlockFirst) {
  State s;
  legal_source(s);
  const std::string header =
      "BSTART.VEC TRELU, FP32; B.DIM LB0=2; B.DIM LB2=4; B.IOT T#2, mask=1111, last, ->T<1>\n";
  ASSERT_FALSE(run_text(s, header + header + "L.BSTOP"));
  EXPECT_TRUE(s.tiles[0].allocated && s.tiles[2].allocated);
  EXPECT_EQ(s.pc, 2 * 16u + 8);
  // A start whose commit fails starts nothing.
  State bad;
  EXPECT_EQ(fault_of(run_text(bad, header + "BSTART.VEC TRELU, S8")), Fault::tile_legality);
  EXPECT_EQ(bad.fault_address, 16u);
  EXPECT_EQ(bad.block.type->name, "FP32");
  EXPECT_TRUE(bad.block.dimension[0]);
  // A start that does not decode commits nothing either.
  State illegal;
  legal_source(illegal);
  EXPECT_EQ(fault_of(run_text(illegal, header + ".bytes 8191f17f")), Fault::illegal_instruction);
  EXPECT_FALSE(illegal.tiles[0].allocated);
  EXPECT_TRUE(illegal.block.active);
}

TEST(Commit, WithoutABlockEverythingButMaskZeroIsRefused) {
  for (const char* text : {"BSTOP", "C.BSTOP", "L.BSTOP", "B.DIM LB0=1", "C.B.DIMI 1, ->LB0", "B.DATR Zero",
                           "B.IOR", "B.IOT T#1, mask=1111", "B.IOS S1, mask=1111", "B.FPATR 0,0,0,0,0,0,0"}) {
    State s;
    EXPECT_EQ(fault_of(run_text(s, text)), Fault::bundle_control) << text;
    EXPECT_EQ(s.pc, 0u);
  }
  for (const char* text :
       {"B.IOT T#1, mask=0000", "B.IOT T#1, T#2, mask=0000, last, ->T<1>", "B.IOS S1, mask=0000"}) {
    State s;
    EXPECT_EQ(fault_of(run_text(s, text)), Fault::none) << text;
    EXPECT_EQ(s.pc, 4u);
    EXPECT_FALSE(s.block.zero_participation);
  }
}

TEST(Commit, MaskZeroAloneIsAStrictNoOp) {
  for (const char* header :
       {"", "B.DIM LB0 = 0", "B.DATR {ND2DN, S8, Max, NE, RNE, 1, 1}", "B.IOR a0", "B.DIM LB2 = 3"}) {
    for (const char* binder :
         {"B.IOT N#16, mask=0000, last", "B.IOT mask=0000, ->T<10>", "B.IOS S1, mask=0000"}) {
      State s;
      s.tile_capacity = 0;
      s.status = 0b10100;
      ASSERT_FALSE(run_text(s, std::string("BSTART.VEC TRELU, E8M0\n") + header + '\n' + binder + "\nBSTOP"));
      EXPECT_FALSE(s.block.active);
      EXPECT_EQ(s.status, 0b10100);
      EXPECT_EQ(s.core_charge(), 0u);
    }
  }
  // Bindings of mask 0000 can be recorded directly only; they make the commit a no-op too, behind the check
  // of B.IOS.
  State s;
  ASSERT_FALSE(execute_word(s, 0x09719181, 4));
  ASSERT_FALSE(add_binding(s, Binding{}));
  EXPECT_FALSE(block_operation(s));
  s.block.shared.push_back({1, 0, 0b1111});
  EXPECT_EQ(block_operation(s)->check, 4u);
}

TEST(Commit, OddContinuationIsRefusedBeforeAnythingElse) {
  State s;
  s.pc = 1;
  const auto v = run_text(s, "BSTART.VEC TRELU, FP32; BSTOP");
  ASSERT_TRUE(v);
  EXPECT_EQ(v->fault, Fault::instruction_pc);
  EXPECT_EQ(v->check, 2u);
  EXPECT_EQ(s.fault_address, 5u);
  s.pc = 4;
  EXPECT_EQ(fault_of(execute_word(s, 1, 4)), Fault::bundle_control);
}

TEST(Commit, SeventeenthBindingHasNoRoom) {
  State s;
  std::string text = "BSTART.VEC TRELU, FP32\n";
  for (int i = 0; i < 17; ++i) text += "B.IOT T#1, mask=1111\n";
  EXPECT_EQ(fault_of(run_text(s, text)), Fault::tile_legality);
  EXPECT_EQ(s.block.bindings.size(), 16u);
}

TEST(Dimensions, AreTheLowSixteenBitsOfRegisterPlusImmediate) {
  State s;
  s.gpr[0] = 77;  // reads as zero all the same
  s.gpr[2] = 0xFFFFFFFFFFFFFFFF;
  s.gpr[23] = 0x10005;
  ASSERT_FALSE(run_text(
      s, "BSTART.VEC TRELU, FP32; B.DIM a0, 3, ->LB0; B.DIM x3, 131071, ->LB1; B.DIM zero, 65537, ->LB2"));
  EXPECT_EQ(s.block.dimension[0], 2u);
  EXPECT_EQ(s.block.dimension[1], (0x10005u + 131071u) & 0xFFFF);
  EXPECT_EQ(s.block.dimension[2], 1u);
  EXPECT_EQ(s.pc, 16u);
}

TEST(Padding, EveryKindFillsEverythingOutsideTheValidRectangle) {
  for (const TileType& t : kTypes) {
    if (!t.rectified) continue;
    for (const char* pad : {"Zero", "Max", "Min", "Null", ""}) {
      State s;
      const std::uint32_t columns = 128u / t.bits;  // eight rows of 16 bytes
      defined_tile(s, 20, 128, columns, 3, 1, std::string(t.name).c_str(), 1);
      if (t.zero_bits != 0)
        for (std::uint32_t r = 0; r < 3; ++r) write_element(s, 20, r, 0, Word{1} << t.zero_bits);
      std::string text =
          fmt::format("BSTART.VEC TRELU, {}; B.DIM LB0=1; B.DIM LB1=3; B.DIM LB2={}\n", t.name, columns);
      if (*pad != 0) text += std::string("B.DATR ") + pad + '\n';
      ASSERT_FALSE(run_text(s, text + "B.IOT U#5, mask=0001, last, ->M<1>; BSTOP")) << text;
      for (std::uint32_t r = 0; r < 8; ++r)
        for (std::uint32_t c = 0; c < columns; ++c) {
          const auto v = read_element(s, 32, r, c);
          if (c == 0 && r < 3) {
            EXPECT_EQ(v, Word{1} << t.zero_bits);
          } else if (std::string(pad) == "Null" || *pad == 0) {
            EXPECT_FALSE(v);
            EXPECT_EQ(s.tiles[32].payload[s.tiles[32].index(r, c)], 0u);
          } else {
            const Word want = *pad == 'Z' ? 0 : *pad == 'M' && pad[1] == 'a' ? max_value(t) : min_value(t);
            EXPECT_EQ(v, want) << t.name << ' ' << pad;
          }
        }
    }
  }
}

TEST(Status, FlagsAreStickyAndComeFromTheValidRectangleOnly) {
  State s;
  s.status = 0b10010;
  defined_tile(s, 1, 128, 4, 1, 2, "FP32", 0x7F800001);
  write_element(s, 1, 0, 2, 0x7F800001);
  ASSERT_FALSE(run_text(s, Legal().text()));
  EXPECT_EQ(s.status, 0b10011);
  EXPECT_EQ(s.core_state(), Word{0b10011} << 32);
  EXPECT_EQ(read_element(s, 0, 0, 1), 0x7FC00000u);
  State quiet;
  legal_source(quiet);
  write_element(quiet, 1, 0, 3, 0x7F800001);  // padding of the source: never read
  ASSERT_FALSE(run_text(quiet, Legal().text()));
  EXPECT_EQ(quiet.status, 0);
}

TEST(Status, AnInvalidEncodingInThePaddingDoesNotMatter) {
  State s;
  defined_tile(s, 1, 128, 4, 1, 2, "TF32", 0x3F802000);
  write_element(s, 1, 0, 2, 0x3F800001);
  Legal b;
  b.type = "TF32";
  ASSERT_FALSE(run_text(s, b.text()));
  write_element(s, 1, 0, 1, 0x3F800001);
  const auto v = run_text(s, b.text());
  ASSERT_TRUE(v);
  EXPECT_EQ(v->check, 18u);
}

TEST(Faults, NamesAndTraps) {
  EXPECT_EQ(trap_number(Fault::illegal_instruction), 4u);
  for (const Fault f : {Fault::tile_legality, Fault::tile_allocation, Fault::bundle_control})
    EXPECT_EQ(trap_number(f), 5u);
  EXPECT_EQ(trap_number(Fault::instruction_pc), 32u);
  EXPECT_EQ(fault_name(Fault::tile_allocation), "Fault_TileAllocation");
}

}  // namespace
}  // namespace act::tile
