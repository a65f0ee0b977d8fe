// The 17 points PTO-AVS-TILE-TRELU-* with the inputs and outcomes of 04 section 11. Every one starts from
// reset.
#include <gtest/gtest.h>

#include "act/tile/block.h"
#include "act/tile/trelu.h"

namespace act::tile {
namespace {

class TRELU : public ::testing::Test {
 protected:
  // A register set up with allocation mask 0001, rows derived, nothing defined.
  void tile(unsigned i, std::uint64_t capacity, std::uint64_t columns, std::uint64_t valid_rows,
            std::uint64_t valid_columns, const char* type, TileLayout layout = TileLayout::row_major) {
    const Status ok = configure_tile(s, i, capacity, columns, valid_rows, valid_columns,
                                     *find_type(std::string_view(type)), layout, 0b0001);
    ASSERT_TRUE(ok) << to_text(ok.error()[0]);
  }
  void w(unsigned i, std::uint32_t row, std::uint32_t column, Word value) {
    ASSERT_TRUE(write_element(s, i, row, column, value));
  }
  Word r(unsigned i, std::uint32_t row, std::uint32_t column) {
    return read_element(s, i, row, column).value_or(~Word{0});
  }
  void start_u64() { ASSERT_FALSE(execute_word(s, 0xC1719181, 4)); }
  static Binding source_and_destination(unsigned source) {
    Binding b;
    b.hand = 0;
    b.size_code = 1;
    b.mask = 0b1111;
    b.src0 = source;
    b.last = true;
    return b;
  }
  Fault fault(const Verdict& v) { return v ? v->fault : Fault::none; }
  State s;
};

TEST_F(TRELU, PTO_AVS_TILE_TRELU_STATIC_001) {
  for (const Operation* op : {decode_operation("TEPL", 0x017), operation_at(21)}) {
    ASSERT_NE(op, nullptr);
    EXPECT_EQ(op->index, 21);
    EXPECT_EQ(op->name, "TRELU");
    EXPECT_EQ(op->handler, "ExecuteTileUnary");
    EXPECT_EQ(op->operation_class, "elementwise-tile-tile");
    EXPECT_EQ(op->engine, "VEC");
    EXPECT_EQ(op->contract, "PTO-TILE-TRELU");
    EXPECT_EQ(op, &kTrelu);
  }
}

TEST_F(TRELU, PTO_AVS_TILE_TRELU_TYPES_001) {
  for (const char* yes : {"FP32", "FP16", "BF16", "S32", "S16", "FP64"})
    EXPECT_TRUE(data_type_supported(*find_type(std::string_view(yes)))) << yes;
  for (const char* no : {"E8M0", "S4X2"})
    EXPECT_FALSE(data_type_supported(*find_type(std::string_view(no)))) << no;
}

TEST_F(TRELU, PTO_AVS_TILE_TRELU_SIGNED_001) {
  tile(0, 128, 1, 1, 1, "S8");
  tile(1, 128, 1, 1, 1, "S8");
  w(0, 0, 0, 0xFF);
  ASSERT_TRUE(operands_legal(s, 1, 0));
  execute(s, 1, 0, s.block.pad());
  EXPECT_EQ(r(1, 0, 0), 0u);
}

TEST_F(TRELU, PTO_AVS_TILE_TRELU_FLOAT_001) {
  tile(0, 128, 1, 1, 1, "FP32");
  tile(1, 128, 1, 1, 1, "FP32");
  w(0, 0, 0, 0xFF800000);
  ASSERT_TRUE(operands_legal(s, 1, 0));
  execute(s, 1, 0, s.block.pad());
  EXPECT_EQ(r(1, 0, 0), 0u);
  EXPECT_EQ(s.status, 0);
}

TEST_F(TRELU, PTO_AVS_TILE_TRELU_NAN_001) {
  tile(0, 128, 1, 1, 1, "FP32");
  tile(1, 128, 1, 1, 1, "FP32");
  w(0, 0, 0, 0x7F800001);
  ASSERT_TRUE(operands_legal(s, 1, 0));
  execute(s, 1, 0, s.block.pad());
  EXPECT_EQ(r(1, 0, 0), 0x7FC00000u);
  EXPECT_EQ(s.core_state() >> 32 & 31, 0b00001u);
}

TEST_F(TRELU, PTO_AVS_TILE_TRELU_ALIAS_001) {
  tile(0, 128, 1, 1, 1, "S8");
  w(0, 0, 0, 0xFF);
  EXPECT_TRUE(operands_legal(s, 0, 0));
  execute(s, 0, 0, s.block.pad());
  EXPECT_EQ(r(0, 0, 0), 0u);
}

TEST_F(TRELU, PTO_AVS_TILE_TRELU_PADDING_001) {
  for (const bool max : {true, false}) {
    reset(s);
    tile(0, 128, 2, 1, 1, "U64");
    tile(1, 128, 2, 1, 1, "U64");
    EXPECT_EQ(s.tiles[1].shape.rows, 8u);
    w(0, 0, 0, 7);
    if (max) set_data_attributes(s, {.pad = Pad::max, .data_type = 24});
    execute(s, 1, 0, s.block.pad());
    EXPECT_EQ(element_defined(s, 1, 0, 1), max);
    if (max) {
      EXPECT_EQ(r(1, 0, 1), 0xFFFFFFFFFFFFFFFFu);
    }
    EXPECT_EQ(r(1, 0, 0), 7u);
  }
}

TEST_F(TRELU, PTO_AVS_TILE_TRELU_DEFINED_001) {
  tile(0, 128, 1, 1, 1, "S8");
  tile(1, 128, 1, 1, 1, "S8");
  EXPECT_FALSE(operands_legal(s, 1, 0));
  EXPECT_FALSE(s.tiles[1].contents_defined());
}

TEST_F(TRELU, PTO_AVS_TILE_TRELU_ENCODING_001) {
  tile(0, 128, 1, 1, 1, "TF32");
  tile(1, 128, 1, 1, 1, "TF32");
  w(0, 0, 0, 0x3F800001);
  EXPECT_FALSE(operands_legal(s, 1, 0));
  EXPECT_FALSE(s.tiles[1].contents_defined());
}

TEST_F(TRELU, PTO_AVS_TILE_TRELU_LAYOUT_001) {
  tile(0, 128, 8, 1, 1, "S8", TileLayout::column_major);
  tile(1, 128, 8, 1, 1, "S8", TileLayout::column_major);
  w(0, 0, 0, 0xFF);
  EXPECT_FALSE(operands_legal(s, 1, 0));
  EXPECT_FALSE(s.tiles[1].contents_defined());
}

TEST_F(TRELU, PTO_AVS_TILE_TRELU_SHAPE_001) {
  tile(0, 128, 8, 1, 1, "S8");
  tile(1, 128, 4, 1, 1, "S8");
  EXPECT_EQ(s.tiles[0].shape.rows, 16u);
  EXPECT_EQ(s.tiles[1].shape.rows, 32u);
  w(0, 0, 0, 0xFF);
  EXPECT_FALSE(operands_legal(s, 1, 0));
  EXPECT_FALSE(s.tiles[1].contents_defined());
}

TEST_F(TRELU, PTO_AVS_TILE_TRELU_DATR_001) {
  EXPECT_TRUE(datr_fields_legal({.pad = Pad::max}));
  EXPECT_FALSE(datr_fields_legal({.cmode = 1}));
  EXPECT_FALSE(datr_fields_legal({.sat = 1}));
}

TEST_F(TRELU, PTO_AVS_TILE_TRELU_DEFAULTS_001) {
  tile(1, 128, 2, 1, 2, "U64");
  EXPECT_EQ(s.tiles[1].shape.rows, 8u);
  w(1, 0, 0, 3);
  w(1, 0, 1, 7);
  start_u64();
  set_dimension(s, 0, 2);
  ASSERT_FALSE(add_binding(s, source_and_destination(1)));
  EXPECT_EQ(fault(block_operation(s)), Fault::none);
  const auto destination = s.block.bindings[0].allocated;
  ASSERT_TRUE(destination);
  EXPECT_EQ(s.tiles[*destination].shape.valid_rows, 1u);
  EXPECT_EQ(s.tiles[*destination].shape.valid_columns, 2u);
  EXPECT_EQ(s.tiles[*destination].shape.columns, 2u);
  EXPECT_EQ(r(*destination, 0, 0), 3u);
  EXPECT_EQ(r(*destination, 0, 1), 7u);
}

TEST_F(TRELU, PTO_AVS_TILE_TRELU_LB0_001) {
  tile(1, 128, 2, 1, 2, "U64");
  w(1, 0, 0, 3);
  start_u64();
  ASSERT_FALSE(add_binding(s, source_and_destination(1)));
  EXPECT_EQ(fault(block_operation(s)), Fault::tile_legality);
  EXPECT_FALSE(s.block.bindings[0].allocated);
  EXPECT_FALSE(s.tiles[0].allocated);
  EXPECT_EQ(r(1, 0, 0), 3u);
}

TEST_F(TRELU, PTO_AVS_TILE_TRELU_CAPACITY_001) {
  tile(1, 256, 32, 1, 17, "U64");
  EXPECT_EQ(s.tiles[1].shape.rows, 1u);
  for (std::uint32_t c = 0; c <= 16; ++c) w(1, 0, c, c);
  start_u64();
  set_dimension(s, 0, 17);
  set_dimension(s, 2, 32);
  ASSERT_FALSE(add_binding(s, source_and_destination(1)));
  EXPECT_EQ(fault(block_operation(s)), Fault::tile_allocation);
  EXPECT_FALSE(s.block.bindings[0].allocated);
  EXPECT_FALSE(s.tiles[0].allocated);
}

TEST_F(TRELU, PTO_AVS_TILE_TRELU_SCHEMA_001) {
  tile(1, 128, 1, 1, 1, "U64");
  w(1, 0, 0, 3);
  start_u64();
  set_dimension(s, 0, 1);
  Binding source, destination;
  source.mask = destination.mask = 0b1111;
  source.src0 = 1;
  destination.hand = 0;
  destination.size_code = 1;
  destination.last = true;
  ASSERT_FALSE(add_binding(s, source));
  ASSERT_FALSE(add_binding(s, destination));
  EXPECT_EQ(fault(block_operation(s)), Fault::tile_legality);
  EXPECT_FALSE(s.block.bindings[1].allocated);
  EXPECT_FALSE(s.tiles[0].allocated);
  EXPECT_EQ(r(1, 0, 0), 3u);
}

TEST_F(TRELU, PTO_AVS_TILE_TRELU_MASK_ZERO_001) {
  start_u64();
  EXPECT_FALSE(execute_word(s, 0x03F85013, 4));
  EXPECT_FALSE(block_operation(s));
  EXPECT_EQ(s.last_fault, Fault::none);
  EXPECT_TRUE(s.block.bindings.empty());
  EXPECT_TRUE(s.block.zero_participation);
  EXPECT_FALSE(s.tiles[0].allocated);
}

}  // namespace
}  // namespace act::tile
