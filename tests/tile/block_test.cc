// Header collection, commit and state: the worked examples of 04 section 12 and the rules of sections 5 to 9.
#include "block_setup.h"

namespace act::tile {
namespace {

TEST(Shapes, TableOfTheBook) {
  struct Row {
    std::uint64_t capacity;
    const char* type;
    std::uint64_t columns;
    std::optional<std::uint32_t> rows;
  };
  const Row book[] = {{128, "FP32", 4, 8},        {128, "FP16", 16, 4},     {128, "S8", 8, 16},
                      {128, "U64", 2, 8},         {65536, "FP32", 4096, 4}, {256, "U64", 32, 1},
                      {128, "FP32", 1, 32},       {128, "FP32", 64, {}},    {128, "FP32", 3, {}},
                      {128, "U64", 32, {}},       {65536, "S8", 1, {}},     {65536, "S8", 2, 32768},
                      {128, "FP32", 0, {}},       {96, "FP32", 4, {}},      {192, "FP32", 4, {}},
                      {131072, "FP32", 4096, {}}, {384, "FP32", 4, 24},     {128, "S4X2", 4, 64}};
  for (const Row& row : book) {
    const auto d = make_descriptor(row.capacity, row.columns, 1, 1, type(row.type), TileLayout::row_major,
                                   kResetTileCapacity);
    EXPECT_EQ(d.has_value(), row.rows.has_value()) << row.capacity << ' ' << row.type << ' ' << row.columns;
    if (d && row.rows) {
      EXPECT_EQ(d->rows, *row.rows);
      EXPECT_TRUE(descriptor_legal(*d, kResetTileCapacity));
    }
  }
  EXPECT_TRUE(make_descriptor(128, 4, 8, 4, type("FP32"), TileLayout::row_major, 128));
  EXPECT_FALSE(make_descriptor(128, 4, 9, 4, type("FP32"), TileLayout::row_major, 128));
  EXPECT_FALSE(make_descriptor(128, 4, 8, 5, type("FP32"), TileLayout::row_major, 128));
  EXPECT_FALSE(make_descriptor(128, 4, 8, 4, type("FP32"), TileLayout::row_major, 127));
}

TEST(Reset, IsEmpty) {
  const State s;
  EXPECT_EQ(s.tile_capacity, 262144u);
  EXPECT_EQ(s.core_state(), 0u);
  EXPECT_EQ(s.core_charge(), 0u);
  EXPECT_FALSE(s.block.active);
  for (const Register& r : s.tiles) EXPECT_FALSE(r.allocated || r.contents_defined());
}

TEST(Registers, NamesAndHands) {
  EXPECT_EQ(register_name(0), "T#1");
  EXPECT_EQ(register_name(15), "T#16");
  EXPECT_EQ(register_name(16), "U#1");
  EXPECT_EQ(register_name(32), "M#1");
  EXPECT_EQ(register_name(63), "N#16");
}

TEST(Elements, UndefinedUntilWrittenAndNeverStale) {
  State s;
  ASSERT_TRUE(configure_tile(s, 3, 128, 4, 2, 3, type("FP16")));
  EXPECT_FALSE(read_element(s, 3, 0, 0));
  EXPECT_TRUE(write_element(s, 3, 0, 0, 0x12345));
  EXPECT_EQ(read_element(s, 3, 0, 0), 0x2345u);
  EXPECT_FALSE(write_element(s, 3, 16, 0, 1));
  EXPECT_FALSE(write_element(s, 3, 0, 4, 1));
  EXPECT_FALSE(write_element(s, 4, 0, 0, 1));
  EXPECT_FALSE(write_element(s, 64, 0, 0, 1));
  EXPECT_FALSE(read_element(s, 64, 0, 0));
  for (std::uint32_t r = 0; r < 2; ++r)
    for (std::uint32_t c = 0; c < 3; ++c) {
      EXPECT_FALSE(s.tiles[3].contents_defined());
      write_element(s, 3, r, c, 1);
    }
  EXPECT_TRUE(s.tiles[3].contents_defined());  // padding does not count
  ASSERT_TRUE(configure_tile(s, 3, 128, 4, 2, 3, type("FP16")));
  EXPECT_FALSE(read_element(s, 3, 0, 0));
  EXPECT_FALSE(configure_tile(s, 64, 128, 4, 1, 1, type("FP16")));
  EXPECT_FALSE(configure_tile(s, 1, 128, 3, 1, 1, type("FP16")));
}

TEST(Capacity, ChargesByMaskAndKeepsTheLimit) {
  State s;
  ASSERT_TRUE(configure_tile(s, 0, 65536, 4, 1, 1, type("FP32"), TileLayout::row_major, 0b1110));
  EXPECT_EQ(s.core_charge(), 3u * 65536);
  ASSERT_TRUE(configure_tile(s, 1, 65536, 4, 1, 1, type("FP32"), TileLayout::row_major, 0b0001));
  EXPECT_EQ(s.core_charge(), s.tile_capacity);
  EXPECT_FALSE(configure_tile(s, 2, 128, 4, 1, 1, type("FP32")));
  EXPECT_TRUE(configure_tile(s, 1, 32768, 4, 1, 1, type("FP32")));  // replaces
  s.shared_charge_bytes = 32768;
  EXPECT_EQ(s.core_charge(), s.tile_capacity);
}

constexpr const char* kBlock =
    "BSTART.VEC TRELU, FP32\nB.DIM zero, 3, ->LB0\nB.DIM zero, 4, ->LB2\nB.IOT T#2, mask=1111, <last>, "
    "->T<1>\nBSTOP\n";

TEST(Worked, Example_12_1) {
  State s;
  s.pc = 0x1000;
  defined_tile(s, 1, 128, 4, 1, 3, "FP32", 0x3F800000);
  ASSERT_FALSE(run_text(s, kBlock));
  const Register& t = s.tiles[0];
  ASSERT_TRUE(t.allocated);
  EXPECT_EQ(t.shape.rows, 8u);
  EXPECT_EQ(t.shape.columns, 4u);
  EXPECT_EQ(t.shape.valid_rows, 1u);
  EXPECT_EQ(t.shape.valid_columns, 3u);
  EXPECT_EQ(t.mask, 0b1111);
  unsigned undefined = 0;
  for (std::uint32_t r = 0; r < 8; ++r)
    for (std::uint32_t c = 0; c < 4; ++c) {
      const auto v = read_element(s, 0, r, c);
      EXPECT_EQ(v.value_or(0x3F800000u), 0x3F800000u);
      undefined += v ? 0 : 1;
    }
  EXPECT_EQ(undefined, 29u);
  EXPECT_EQ(s.status, 0);
  EXPECT_FALSE(s.block.active);
  EXPECT_EQ(s.pc, 0x1000u + 20);
  EXPECT_TRUE(s.tiles[1].allocated);  // the source stays
  EXPECT_EQ(s.core_charge(), 128u + 512);
}

struct FaultCase {
  const char* name;
  void (*change)(Legal&);
  Fault fault;
  unsigned check;  // of the commit; 0 = while the header is collected
  const char* at;  // the command that faults; null = the stop
};
const FaultCase kFaultCases[] = {
    {"legal", [](Legal&) {}, Fault::none, 0, nullptr},
    {"LB0 = 0", [](Legal& b) { b.lb0 = "B.DIM LB0 = 0"; }, Fault::tile_legality, 9, nullptr},
    {"LB0 = 65536, which writes 0", [](Legal& b) { b.lb0 = "B.DIM LB0 = 65536"; }, Fault::tile_legality, 9,
     nullptr},
    {"LB0 absent", [](Legal& b) { b.lb0 = ""; }, Fault::tile_legality, 9, nullptr},
    {"LB1 = 0", [](Legal& b) { b.lb1 = "B.DIM LB1 = 0"; }, Fault::tile_legality, 9, nullptr},
    {"LB2 = 0", [](Legal& b) { b.lb2 = "B.DIM LB2 = 0"; }, Fault::tile_legality, 9, nullptr},
    {"LB0 twice", [](Legal& b) { b.extra = "B.DIM LB0 = 2"; }, Fault::bundle_control, 0,
     "B.DIM zero, 2, ->LB0"},
    {"LB0 twice, short", [](Legal& b) { b.extra = "C.B.DIMI 2, ->LB0"; }, Fault::bundle_control, 0,
     "C.B.DIMI 2, ->LB0"},
    {"LB2 = 3", [](Legal& b) { b.lb2 = "B.DIM LB2 = 3"; }, Fault::tile_allocation, 13, nullptr},
    {"LB2 absent, LB0 a power of two", [](Legal& b) { b.lb2 = ""; }, Fault::tile_legality, 16, nullptr},
    {"LB0 = 5", [](Legal& b) { b.lb0 = "B.DIM LB0 = 5"; }, Fault::tile_allocation, 13, nullptr},
    {"LB1 = 9", [](Legal& b) { b.lb1 = "B.DIM LB1 = 9"; }, Fault::tile_allocation, 13, nullptr},
    {"LB1 = 1", [](Legal& b) { b.lb1 = "B.DIM LB1 = 1"; }, Fault::none, 0, nullptr},
    {"LB1 = 2", [](Legal& b) { b.lb1 = "B.DIM LB1 = 2"; }, Fault::tile_legality, 16, nullptr},
    {"CMode", [](Legal& b) { b.extra = "B.DATR {NORM, FP64, Zero, NE, Default, 0, 0}"; },
     Fault::tile_legality, 7, nullptr},
    {"Sat", [](Legal& b) { b.extra = "B.DATR {NORM, FP64, Zero, EQ, Default, 1, 0}"; }, Fault::tile_legality,
     7, nullptr},
    {"Canonicalize", [](Legal& b) { b.extra = "B.DATR {NORM, FP64, Zero, EQ, Default, 0, 1}"; },
     Fault::tile_legality, 7, nullptr},
    {"RMode", [](Legal& b) { b.extra = "B.DATR {NORM, FP64, Zero, EQ, RNE, 0, 0}"; }, Fault::tile_legality, 7,
     nullptr},
    {"Layout", [](Legal& b) { b.extra = "B.DATR {ND2DN, FP64, Zero, EQ, Default, 0, 0}"; },
     Fault::tile_legality, 7, nullptr},
    {"DataType FP32", [](Legal& b) { b.extra = "B.DATR {NORM, FP32, Zero, EQ, Default, 0, 0}"; },
     Fault::tile_legality, 7, nullptr},
    {"DTYPE_NONE", [](Legal& b) { b.extra = "B.DATR {NORM, DTYPE_NONE, Zero, EQ, Default, 0, 0}"; },
     Fault::tile_legality, 7, nullptr},
    {"padding only", [](Legal& b) { b.extra = "B.DATR Min"; }, Fault::none, 0, nullptr},
    {"CMode 6", [](Legal& b) { b.extra = ".bytes 231000c0"; }, Fault::illegal_instruction, 0,
     ".bytes 231000c0"},
    {"Layout 2", [](Legal& b) { b.extra = ".bytes 23110000"; }, Fault::illegal_instruction, 0,
     ".bytes 23110000"},
    {"DataType 15", [](Legal& b) { b.extra = ".bytes 2310f000"; }, Fault::illegal_instruction, 0,
     ".bytes 2310f000"},
    {"B.DATR twice", [](Legal& b) { b.extra = "B.DATR Zero; B.DATR Null"; }, Fault::bundle_control, 0,
     "B.DATR {NORM, FP64, Null, EQ, Default, 0, 0}"},
    {"B.DATR behind the binder", [](Legal& b) { b.behind = "B.DATR Zero"; }, Fault::none, 0, nullptr},
    {"SizeCode 11", [](Legal& b) { b.iot = ".bytes 13de1d00"; }, Fault::illegal_instruction, 0,
     ".bytes 13de1d00"},
    {"start S32", [](Legal& b) { b.type = "S32"; }, Fault::tile_legality, 16, nullptr},
    {"start E8M0", [](Legal& b) { b.type = "E8M0"; }, Fault::tile_legality, 10, nullptr},
    {"start S4X2", [](Legal& b) { b.type = "S4X2"; }, Fault::tile_legality, 10, nullptr},
    {"LB0 = 3, valid mismatch", [](Legal& b) { b.lb0 = "B.DIM LB0 = 3"; }, Fault::tile_legality, 16, nullptr},
    {"participating B.IOS", [](Legal& b) { b.extra = "B.IOS S1, mask=1111"; }, Fault::tile_legality, 4,
     nullptr},
    {"B.IOS of mask 0000", [](Legal& b) { b.extra = "B.IOS S1, mask=0000"; }, Fault::none, 0, nullptr},
    {"B.IOS with another mask", [](Legal& b) { b.behind = "B.IOS S1, mask=1000"; }, Fault::tile_legality, 0,
     "B.IOS S1, mask=1000"},
    {"B.IOS twice", [](Legal& b) { b.extra = "B.IOS S1, mask=1111; B.IOS mask=1111, ->S1<2>"; },
     Fault::bundle_control, 0, "B.IOS mask=1111, ->S1<2>"},
    {"five B.IOS",
     [](Legal& b) {
       b.extra =
           "B.IOS S1, mask=1111;B.IOS S2, mask=1111;B.IOS S3, mask=1111;B.IOS S4, mask=1111;B.IOS S5, "
           "mask=1111";
     },
     Fault::bundle_control, 0, "B.IOS S5, mask=1111"},
    {"B.IOR a0", [](Legal& b) { b.extra = "B.IOR a0"; }, Fault::bundle_control, 6, nullptr},
    {"B.IOR output", [](Legal& b) { b.extra = "B.IOR ->a0"; }, Fault::bundle_control, 6, nullptr},
    {"B.IOR all zero", [](Legal& b) { b.extra = "B.IOR"; }, Fault::none, 0, nullptr},
    {"B.IOR twice", [](Legal& b) { b.extra = "B.IOR; B.IOR"; }, Fault::bundle_control, 0, "B.IOR"},
    {"B.FPATR", [](Legal& b) { b.extra = "B.FPATR 0, 0, 0, 0, 0, 0, 0"; }, Fault::bundle_control, 0,
     "B.FPATR 0, 0, 0, 0, 0, 0, 0"},
    {"no B.IOT", [](Legal& b) { b.iot = ""; }, Fault::bundle_control, 6, nullptr},
    {"source only", [](Legal& b) { b.iot = "B.IOT T#2, mask=1111, last"; }, Fault::bundle_control, 6,
     nullptr},
    {"destination only", [](Legal& b) { b.iot = "B.IOT mask=1111, last, ->T<1>"; }, Fault::bundle_control, 6,
     nullptr},
    {"no <last>", [](Legal& b) { b.iot = "B.IOT T#2, mask=1111, ->T<1>"; }, Fault::bundle_control, 6,
     nullptr},
    {"two sources", [](Legal& b) { b.iot = "B.IOT T#2, T#2, mask=1111, last, ->T<1>"; },
     Fault::bundle_control, 6, nullptr},
    {"two destinations",
     [](Legal& b) { b.iot = "B.IOT mask=1111, ->T<1>; B.IOT T#2, mask=1111, last, ->T<1>"; },
     Fault::bundle_control, 6, nullptr},
    {"split", [](Legal& b) { b.iot = "B.IOT T#2, mask=1111; B.IOT mask=1111, last, ->T<1>"; },
     Fault::tile_legality, 8, nullptr},
    {"B.IOT behind <last>", [](Legal& b) { b.behind = "B.IOT T#2, mask=1111"; }, Fault::bundle_control, 0,
     "B.IOT T#2, mask=1111"},
    {"mask 0000 behind <last>", [](Legal& b) { b.behind = "B.IOT T#2, mask=0000"; }, Fault::none, 0, nullptr},
    {"mask 0000 before", [](Legal& b) { b.extra = "B.IOT N#1, mask=0000, last, ->N<10>"; }, Fault::none, 0,
     nullptr},
    {"different masks", [](Legal& b) { b.iot = "B.IOT T#2, mask=1000; B.IOT mask=1111, last, ->T<1>"; },
     Fault::tile_legality, 0, "B.IOT mask=1111, <last>, ->T<1>"},
    {"size 2", [](Legal& b) { b.iot = "B.IOT T#2, mask=1111, last, ->T<2>"; }, Fault::tile_legality, 16,
     nullptr},
    {"unallocated source", [](Legal& b) { b.iot = "B.IOT T#3, mask=1111, last, ->T<1>"; },
     Fault::tile_legality, 14, nullptr},
    // Priorities: the destination comes before the source (T-05), the schema before both.
    {"unallocated source and LB2 = 3",
     [](Legal& b) {
       b.iot = "B.IOT T#3, mask=1111, last, ->T<1>";
       b.lb2 = "B.DIM LB2 = 3";
     },
     Fault::tile_allocation, 13, nullptr},
    {"no <last> and LB0 = 0",
     [](Legal& b) {
       b.iot = "B.IOT T#2, mask=1111, ->T<1>";
       b.lb0 = "B.DIM LB0 = 0";
     },
     Fault::bundle_control, 6, nullptr},
    {"B.IOS and no <last>",
     [](Legal& b) {
       b.iot = "B.IOT T#2, mask=1111, ->T<1>";
       b.extra = "B.IOS S1, mask=1111";
     },
     Fault::tile_legality, 4, nullptr},
    {"E8M0 and LB2 = 3",
     [](Legal& b) {
       b.type = "E8M0";
       b.lb2 = "B.DIM LB2 = 3";
     },
     Fault::tile_legality, 10, nullptr},
};

class Quick : public ::testing::TestWithParam<FaultCase> {};

TEST_P(Quick, FaultsAsTheTableSaysAndHasNoEffect) {
  const FaultCase& c = GetParam();
  State s;
  legal_source(s);
  Legal block;
  c.change(block);
  const auto step = run(s, words(block.text()));
  EXPECT_EQ(step ? step->verdict->fault : Fault::none, c.fault) << (step ? step->verdict->why : "");
  EXPECT_EQ(s.last_fault, c.fault);
  // The source is as it was, whatever happened.
  EXPECT_EQ(read_element(s, 1, 0, 0), 0x40000000u);
  EXPECT_EQ(s.status, 0);
  if (c.fault == Fault::none) {
    EXPECT_TRUE(s.tiles[0].allocated);
    EXPECT_FALSE(s.block.active);
    return;
  }
  ASSERT_TRUE(step);
  EXPECT_EQ(step->verdict->check, c.check);
  EXPECT_EQ(step->text, c.at != nullptr ? c.at : "BSTOP");
  EXPECT_EQ(s.fault_address, step->address);
  EXPECT_EQ(s.pc, step->address);
  EXPECT_TRUE(s.block.active);
  EXPECT_FALSE(s.tiles[0].allocated);
  EXPECT_EQ(s.core_charge(), 128u);
  if (c.check != 0) {
    EXPECT_EQ(kCommitChecks[c.check - 1].fault, c.fault);
  }
  const Diagnostic d = fault_diagnostic(*step);
  EXPECT_EQ(d.code, fault_code(c.fault));
  EXPECT_NE(d.message.find(fault_name(c.fault)), std::string::npos);
}
INSTANTIATE_TEST_SUITE_P(Table_12_2, Quick, ::testing::ValuesIn(kFaultCases), [](const auto& one) {
  std::string out;
  for (const char c : std::string(one.param.name))
    out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return out;
});

// What the table says of the source and of the machine.
TEST(Worked, SourcesAndCapacityOf_12_2) {
  const std::string text = Legal().text();
  const auto with = [&](void (*prepare)(State&)) {
    State s;
    legal_source(s);
    prepare(s);
    return fault_of(run_text(s, text));
  };
  EXPECT_EQ(with([](State& s) { s.tiles[1].defined[1] = false; }), Fault::tile_legality);
  EXPECT_EQ(with([](State& s) { s.tiles[1].defined[2] = false; }), Fault::none);
  EXPECT_EQ(with([](State& s) { defined_tile(s, 1, 256, 4, 1, 2, "FP32", 0); }), Fault::tile_legality);
  EXPECT_EQ(with([](State& s) { defined_tile(s, 1, 128, 4, 1, 2, "FP32", 0, TileLayout::column_major); }),
            Fault::tile_legality);
  EXPECT_EQ(with([](State& s) { s.tiles[1].shape.storage = Storage::predicate; }), Fault::tile_legality);
  EXPECT_EQ(with([](State& s) { s.tiles[1].shape.rows = 7; }), Fault::tile_legality);
  EXPECT_EQ(with([](State& s) { s.tile_capacity = 640; }), Fault::none);
  EXPECT_EQ(with([](State& s) { s.tile_capacity = 639; }), Fault::tile_allocation);
  EXPECT_EQ(with([](State& s) { s.shared_charge_bytes = 262144 - 640; }), Fault::none);
  EXPECT_EQ(with([](State& s) { s.shared_charge_bytes = 262144 - 639; }), Fault::tile_allocation);
  const auto fill = [](State& s, unsigned first) {
    for (unsigned i = first; i < 16; ++i)
      if (!s.tiles[i].allocated) {
        ASSERT_TRUE(configure_tile(s, i, 128, 4, 1, 1, type("FP32")));
      }
  };
  State full;
  legal_source(full);
  fill(full, 0);
  EXPECT_EQ(fault_of(run_text(full, text)), Fault::tile_allocation);
  State one_left;
  legal_source(one_left);
  fill(one_left, 0);
  one_left.tiles[9] = Register{};
  EXPECT_EQ(fault_of(run_text(one_left, text)), Fault::none);
  EXPECT_TRUE(one_left.tiles[9].allocated);
  EXPECT_EQ(one_left.tiles[9].mask, 0b1111);
}

}  // namespace
}  // namespace act::tile
