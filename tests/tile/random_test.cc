// Random block sequences, legal and spoilt, on random machines: the library and the plain machine do the
// same, command by command, down to every element.
#include <gtest/gtest.h>

#include <random>

#include "act/tile/block.h"
#include "plain_machine.h"

namespace act::tile {
namespace {

using Random = std::mt19937_64;

std::string plain_name(Fault fault) {
  return fault == Fault::none ? "" : std::string(fault_name(fault).substr(6));
}

struct Pair {
  State library;
  plain::Machine plain;
};

// Values that matter: small, special and random patterns.
Word element(Random& random, const TileType& t) {
  const Word special[] = {0,
                          1,
                          t.sign_mask(),
                          ~Word{0},
                          t.exponent_mask(),
                          t.exponent_mask() | 1,
                          t.exponent_mask() | t.sign_mask(),
                          random()};
  Word v = special[random() % std::size(special)];
  if (random() % 8 != 0) v &= ~t.must_be_zero_mask();
  return v & t.element_mask();
}

void add_tile(Random& random, Pair& p, unsigned index, const TileType& t, std::uint64_t capacity,
              std::uint64_t columns, std::uint64_t valid_rows, std::uint64_t valid_columns) {
  const auto layout = random() % 16 == 0 ? TileLayout::column_major : TileLayout::row_major;
  const auto mask = static_cast<std::uint8_t>(random() % 4 == 0 ? random() % 16 : 1);
  if (!configure_tile(p.library, index, capacity, columns, valid_rows, valid_columns, t, layout, mask))
    return;
  const Descriptor& d = p.library.tiles[index].shape;
  plain::Tile tile{std::string(t.name),
                   capacity,
                   d.rows,
                   columns,
                   valid_rows,
                   valid_columns,
                   layout == TileLayout::row_major,
                   true,
                   mask,
                   {}};
  if (random() % 32 == 0) {
    p.library.tiles[index].shape.storage = Storage::predicate;
    tile.numeric = false;
  }
  const bool hole = random() % 8 == 0;
  for (std::uint32_t r = 0; r < d.rows; ++r)
    for (std::uint32_t c = 0; c < d.columns; ++c) {
      const bool skip = d.valid(r, c) ? hole && random() % 4 == 0 : random() % 2 == 0;
      if (skip) continue;
      const Word v = element(random, t);
      write_element(p.library, index, r, c, v);
      tile.elements[{r, c}] = v;
    }
  p.plain.tiles[index] = tile;
}

const TileType& random_type(Random& random) {
  for (;;) {
    const TileType& t = kTypes[random() % std::size(kTypes)];
    if (t.rectified) return t;
  }
}

// A block that is legal for one of the tiles, as words.
std::vector<Command> legal_block(Random& random, const Pair& p) {
  std::vector<unsigned> allocated;
  for (unsigned i = 0; i < kRegisters; ++i)
    if (p.library.tiles[i].allocated) allocated.push_back(i);
  const unsigned source =
      allocated.empty() ? static_cast<unsigned>(random() % 64) : allocated[random() % allocated.size()];
  const Descriptor& d = p.library.tiles[source].shape;
  const TileType& t = d.type != nullptr ? *d.type : random_type(random);
  std::vector<Command> out;
  out.push_back(Command(*find_form("BSTART.VEC")).set("selector", 0x17).set("data_type", t.code));
  const auto dimension = [&](unsigned which, Word value) {
    if (value < 256 && random() % 2 == 0)
      out.push_back(Command(*find_form("C.B.DIMI")).set("lb", which).set("imm8", value));
    else
      out.push_back(Command(*find_form("B.DIM"))
                        .set("lb", which)
                        .set("uimm_11_0", value)
                        .set("uimm_16_12", value >> 12));
  };
  dimension(0, d.valid_columns);
  if (d.valid_rows != 1 || random() % 2 == 0) dimension(1, d.valid_rows);
  if (d.valid_columns != d.columns || random() % 2 == 0) dimension(2, d.columns);
  if (random() % 2 == 0) out.push_back(Command(*find_form("B.DATR")).set("pad", random() % 4));
  if (random() % 8 == 0) out.push_back(Command(*find_form("B.IOR")));
  unsigned code = 1;
  while (code < 10 && size_bytes(code) < d.capacity_bytes) ++code;
  out.push_back(Command(*find_form("B.IOT.SD"))
                    .set("src0", source)
                    .set("dst", random() % 4)
                    .set("size_code", code)
                    .set("pe_mode", 1 + random() % 7)
                    .set("last", 1));
  std::shuffle(out.begin() + 1, out.end(), random);
  constexpr const char* kStops[] = {"BSTOP", "C.BSTOP", "L.BSTOP"};
  if (random() % 8 != 0) out.push_back(Command(*find_form(kStops[random() % 3])));
  return out;
}

Command random_command(Random& random) {
  const Form& form = forms()[random() % forms().size()];
  Command c(form);
  for (const Field& f : form.format.fields) {
    const Word any = random() & ((Word{1} << f.width) - 1);
    c.set(f.name, f.choices != nullptr && random() % 8 != 0
                      ? f.choices->choices[random() % f.choices->choices.size()].value
                      : any);
  }
  if (c.get("lb")) c.set(c.get("imm8") ? "imm8" : "uimm_11_0", random() % 6);
  return c;
}

void spoil(Random& random, std::vector<Command>& block) {
  const std::size_t at = random() % block.size();
  switch (random() % 5) {
    case 0:
      block.erase(block.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 1:
      block.insert(block.begin() + static_cast<std::ptrdiff_t>(at), block[random() % block.size()]);
      break;
    case 2:
      block.insert(block.begin() + static_cast<std::ptrdiff_t>(at), random_command(random));
      break;
    case 3:
      block[at] = random_command(random);
      break;
    default: {
      const auto fields = block[at].form().format.fields;
      if (fields.empty()) break;
      const Field& f = fields[random() % fields.size()];
      block[at].set(f.name, random() & ((Word{1} << f.width) - 1));
    }
  }
}

void expect_equal(const Pair& p) {
  ASSERT_EQ(p.library.pc, p.plain.pc);
  ASSERT_EQ(p.library.status, p.plain.status);
  ASSERT_EQ(p.library.block.active, p.plain.active);
  ASSERT_EQ(p.library.fault_address, p.plain.fault_address);
  ASSERT_EQ(p.library.core_charge(), plain::charge(p.plain));
  for (unsigned i = 0; i < kRegisters; ++i) {
    const Register& tile = p.library.tiles[i];
    const auto found = p.plain.tiles.find(i);
    ASSERT_EQ(tile.allocated, found != p.plain.tiles.end()) << i;
    if (!tile.allocated) continue;
    const plain::Tile& want = found->second;
    ASSERT_EQ(tile.shape.type->name, want.type);
    ASSERT_EQ(tile.shape.rows, want.rows);
    ASSERT_EQ(tile.shape.columns, want.columns);
    ASSERT_EQ(tile.shape.valid_rows, want.valid_rows);
    ASSERT_EQ(tile.shape.valid_columns, want.valid_columns);
    ASSERT_EQ(tile.shape.capacity_bytes, want.capacity);
    ASSERT_EQ(tile.mask, want.mask);
    for (std::uint32_t r = 0; r < tile.shape.rows; ++r)
      for (std::uint32_t c = 0; c < tile.shape.columns; ++c) {
        const auto have = read_element(p.library, i, r, c);
        const auto element = want.elements.find({r, c});
        ASSERT_EQ(have.has_value(), element != want.elements.end()) << i << ' ' << r << ' ' << c;
        if (have) {
          ASSERT_EQ(*have, element->second) << i << ' ' << r << ' ' << c;
        }
      }
  }
}

TEST(RandomBlocks, DoWhatThePlainMachineDoes) {
  Random random(44);
  std::map<std::string, unsigned> outcomes;
  for (int round = 0; round < 4000; ++round) {
    Pair p;
    if (random() % 4 == 0) p.library.tile_capacity = p.plain.capacity = 128 * (1 + random() % 40);
    p.library.pc = p.plain.pc = random() % 16 == 0 ? 1001 : 1000;
    for (unsigned i = 0; i < 24; ++i)
      p.library.gpr[i] = p.plain.gpr[i] = random() % 4 == 0 ? random() : random() % 5;
    const unsigned tiles = random() % 32 == 0 ? 20 : 1 + random() % 4;
    for (unsigned i = 0; i < tiles; ++i) {
      const TileType& t = random_type(random);
      const std::uint64_t columns = std::uint64_t{1} << random() % 4,
                          capacity = std::uint64_t{128} << random() % 2;
      const std::uint64_t rows = capacity * 8 / (columns * t.bits);
      if (rows == 0) continue;
      add_tile(random, p, tiles == 20 ? i : static_cast<unsigned>(random() % 64), t, capacity, columns,
               1 + random() % rows, 1 + random() % columns);
    }
    for (int block = 0; block < 4; ++block) {
      auto commands = legal_block(random, p);
      for (unsigned n = static_cast<unsigned>(random() % 4); n > 1 && !commands.empty(); --n)
        spoil(random, commands);
      for (const Command& c : commands) {
        const Fault fault = [&] {
          const Verdict v = execute_word(p.library, c.word(), c.length());
          return v ? v->fault : Fault::none;
        }();
        const std::string want = plain::step(p.plain, c.word(), c.length());
        ASSERT_EQ(plain_name(fault), want) << to_json(c).dump() << " round " << round;
        ASSERT_EQ(plain_name(p.library.last_fault), want);
        outcomes[c.op() == Op::stop ? "stop:" + want : want]++;
      }
      ASSERT_NO_FATAL_FAILURE(expect_equal(p)) << "round " << round;
    }
  }
  // Every outcome occurs, the good one often.
  EXPECT_GT(outcomes["stop:"], 2000u);
  for (const char* fault : {"stop:TileLegality", "stop:TileAllocation", "stop:BundleControl",
                            "stop:InstructionPC", "TileLegality", "BundleControl", "IllegalInstruction"})
    EXPECT_GT(outcomes[fault], 20u) << fault;
}

}  // namespace
}  // namespace act::tile
