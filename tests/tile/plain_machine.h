// Section 7 of book 04 once more, as plainly as it can be written: words in, one long list of checks, literal
// numbers. It shares the decoder's plain twin and the plain value function, and nothing with the library.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plain_decode.h"
#include "plain_value.h"

namespace act::tile::plain {

struct Tile {
  std::string type;
  U64 capacity = 0, rows = 0, columns = 0, valid_rows = 0, valid_columns = 0;
  bool row_major = true, numeric = true;
  unsigned mask = 0;
  std::map<std::pair<U64, U64>, U64> elements;  // the defined ones
};

struct Machine {
  std::map<unsigned, Tile> tiles;  // the allocated ones
  std::array<U64, 24> gpr{};
  U64 capacity = 262144, pc = 0;
  unsigned status = 0;

  bool active = false, zero_seen = false, have_datr = false, have_ior = false;
  std::uint32_t datr = 0, ior = 0;
  std::string type;
  std::map<unsigned, U64> lb;
  std::vector<std::uint32_t> iot, ios;  // participating words

  std::string fault;  // of the last command; empty = none
  U64 fault_address = 0;
};

inline std::string type_name(unsigned code) {
  static const std::map<unsigned, std::string> names = {
      {0, "FP64"}, {1, "FP32"}, {2, "TF32"}, {3, "HF32"}, {4, "FP16"}, {5, "BF16"}, {7, "E4M3"}, {8, "E5M2"},
      {16, "S64"}, {17, "S32"}, {18, "S16"}, {19, "S8"},  {24, "U64"}, {25, "U32"}, {26, "U16"}, {27, "U8"}};
  const auto found = names.find(code);
  return found == names.end() ? "other" : found->second;
}
inline unsigned pe_mask(std::uint32_t word) {
  constexpr unsigned kMasks[] = {0b0000, 0b1000, 0b0100, 0b0010, 0b0001, 0b1100, 0b1110, 0b1111};
  return kMasks[bits(word, 11, 9)];
}
inline unsigned ones(unsigned mask) {
  return (mask & 1) + (mask >> 1 & 1) + (mask >> 2 & 1) + (mask >> 3 & 1);
}
inline bool power_of_two(U64 n) { return n != 0 && (n & (n - 1)) == 0; }

inline U64 charge(const Machine& m) {
  U64 sum = 0;
  for (const auto& [index, tile] : m.tiles) sum += tile.capacity * ones(tile.mask);
  return sum;
}

inline bool binds_source(const std::string& form) {
  return form == "B.IOT.S" || form == "B.IOT.SD" || form == "B.IOT.SS" || form == "B.IOT.SSD";
}

// The commit; empty when it succeeds.
inline std::string commit(Machine& m, U64 continuation) {
  if (!m.active) return "BundleControl";
  if (continuation % 2 == 1) return "InstructionPC";
  const auto success = [&] {
    const Machine old = m;
    m = Machine{};
    m.tiles = old.tiles;
    m.gpr = old.gpr;
    m.capacity = old.capacity;
    m.status = old.status;
    m.pc = continuation;
    return std::string();
  };
  if (m.zero_seen && m.iot.empty() && m.ios.empty()) return success();
  if (!m.ios.empty()) return "TileLegality";
  unsigned sources = 0, destinations = 0;
  for (const std::uint32_t w : m.iot) {
    const std::string form = form32(w);
    sources += form == "B.IOT.SS" || form == "B.IOT.SSD" ? 2 : binds_source(form) ? 1 : 0;
    destinations += form == "B.IOT.SD" || form == "B.IOT.SSD" || form == "B.IOT.D" ? 1 : 0;
  }
  if (sources != 1 || destinations != 1) return "BundleControl";
  if (bits(m.iot.back(), 19, 19) == 0) return "BundleControl";
  if (m.have_ior && m.ior != 0x13) return "BundleControl";
  if (m.have_datr && (m.datr & ~0x18000000u) != 0x1023) return "TileLegality";
  if (m.iot.size() != 1) return "TileLegality";
  if (m.lb.count(0) == 0) return "TileLegality";
  for (const auto& [which, value] : m.lb)
    if (value == 0 || value > 65535) return "TileLegality";
  const unsigned width = bits_of(m.type);
  if (width == 0) return "TileLegality";
  const std::uint32_t w = m.iot[0];
  const unsigned hand = bits(w, 8, 7), mask = pe_mask(w);
  unsigned target = 16 * hand;
  while (target < 16 * hand + 16 && m.tiles.count(target) == 1) ++target;
  if (target == 16 * hand + 16) return "TileAllocation";
  const U64 size = U64{128} << (bits(w, 18, 15) - 1);
  if (charge(m) + ones(mask) * size > m.capacity) return "TileAllocation";
  const U64 valid_columns = m.lb[0], valid_rows = m.lb.count(1) == 1 ? m.lb[1] : 1,
            columns = m.lb.count(2) == 1 ? m.lb[2] : valid_columns;
  if (!power_of_two(columns) || size * 8 % (columns * width) != 0) return "TileAllocation";
  const U64 rows = size * 8 / (columns * width);
  if (rows < 1 || rows > 65535 || valid_rows > rows || valid_columns > columns) return "TileAllocation";
  const auto found = m.tiles.find(bits(w, 25, 20));
  if (found == m.tiles.end()) return "TileLegality";
  const Tile& source = found->second;
  if (!source.numeric || !source.row_major || source.type != m.type || source.rows != rows ||
      source.columns != columns || source.valid_rows != valid_rows || source.valid_columns != valid_columns)
    return "TileLegality";
  for (U64 r = 0; r < valid_rows; ++r)
    for (U64 c = 0; c < valid_columns; ++c) {
      const auto element = source.elements.find({r, c});
      if (element == source.elements.end() || !valid_encoding(m.type, element->second)) return "TileLegality";
    }
  Tile out = source;
  out.capacity = size;
  out.mask = mask;
  out.elements.clear();
  const unsigned pad = m.have_datr ? bits(m.datr, 28, 27) : 3;
  U64 max = 0, min = 0;
  for (const Float& f : kFloats)
    if (f.name == m.type) max = f.max, min = f.min;
  for (const Integer& i : kIntegers)
    if (i.name == m.type) max = i.max, min = i.min;
  for (U64 r = 0; r < rows; ++r)
    for (U64 c = 0; c < columns; ++c) {
      if (r < valid_rows && c < valid_columns) {
        const Value v = value(m.type, source.elements.at({r, c}));
        out.elements[{r, c}] = v.result;
        if (v.invalid) m.status |= 1;
      } else if (pad != 3) {
        out.elements[{r, c}] = pad == 0 ? 0 : pad == 1 ? max : min;
      }
    }
  m.tiles[target] = out;
  return success();
}

// One command; the fault, empty when it was executed.
inline std::string step(Machine& m, U64 word, unsigned length) {
  const auto w = static_cast<std::uint32_t>(word);
  const std::string form = length == 2           ? form16(static_cast<std::uint16_t>(word))
                           : length == 4         ? form32(w)
                           : word == 0x10000000F ? "L.BSTOP"
                                                 : "";
  const auto give_up = [&](const std::string& fault) {
    m.fault = fault;
    m.fault_address = m.pc;
    return fault;
  };
  const auto go_on = [&] {
    m.fault.clear();
    m.pc += length;
    return std::string();
  };
  if (form.empty()) return give_up("IllegalInstruction");
  if (form == "BSTOP" || form == "C.BSTOP" || form == "L.BSTOP") {
    const U64 address = m.fault_address;
    const std::string fault = commit(m, m.pc + length);
    m.fault_address = address;
    if (!fault.empty()) return give_up(fault);
    m.fault.clear();
    return {};
  }
  if (form == "BSTART.VEC") {
    if (m.active) {
      const U64 address = m.fault_address;
      const std::string fault = commit(m, m.pc);
      m.fault_address = address;
      if (!fault.empty()) return give_up(fault);
    }
    m.active = true;
    m.type = type_name(bits(w, 31, 27));
    return go_on();
  }
  if (form == "B.IOT.SD" || form == "B.IOT.S" || form == "B.IOT.SSD" || form == "B.IOT.SS" ||
      form == "B.IOT.D" || form == "B.IOS")
    if (pe_mask(w) == 0) {
      if (m.active) m.zero_seen = true;
      return go_on();
    }
  if (!m.active || form == "B.FPATR") return give_up("BundleControl");
  if (form == "B.DATR") {
    if (m.have_datr) return give_up("BundleControl");
    m.have_datr = true;
    m.datr = w;
  } else if (form == "B.IOR") {
    if (m.have_ior) return give_up("BundleControl");
    m.have_ior = true;
    m.ior = w;
  } else if (form == "B.DIM") {
    const unsigned which = bits(w, 14, 12), reg = bits(w, 19, 15);
    if (m.lb.count(which) == 1) return give_up("BundleControl");
    m.lb[which] = ((reg == 0 ? 0 : m.gpr[reg]) + (bits(w, 11, 7) << 12 | bits(w, 31, 20))) % 65536;
  } else if (form == "C.B.DIMI") {
    const unsigned which = bits(w, 15, 14);
    if (m.lb.count(which) == 1) return give_up("BundleControl");
    m.lb[which] = bits(w, 13, 6);
  } else if (form == "B.IOS") {
    for (const auto& list : {m.iot, m.ios})
      for (const std::uint32_t other : list)
        if (pe_mask(other) != pe_mask(w)) return give_up("TileLegality");
    for (const std::uint32_t other : m.ios)
      if (bits(other, 27, 20) == bits(w, 27, 20)) return give_up("BundleControl");
    if (m.ios.size() == 4) return give_up("BundleControl");
    m.ios.push_back(w);
  } else {
    if (!m.iot.empty() && bits(m.iot.back(), 19, 19) == 1) return give_up("BundleControl");
    if (!m.iot.empty() && pe_mask(m.iot[0]) != pe_mask(w)) return give_up("TileLegality");
    if (m.iot.size() == 16) return give_up("TileLegality");
    m.iot.push_back(w);
  }
  return go_on();
}

}  // namespace act::tile::plain
