// On-chip address arithmetic and geometry (01 sections 3.1 to 3.3).
#pragma once

#include "act/isa/bundle.h"
#include "act/numeric/generation.h"

namespace act {

// Constants of one generation, in bytes.
struct Geometry {
  std::uint32_t sbuf_stride;         // distance between partitions
  std::uint32_t sbuf_active;         // bytes of storage in a partition
  std::uint32_t sbuf_window;         // size of the address window, from 0
  std::uint32_t psum_window;         // size of the address window from kPsumBase; 0 = no PSUM (D-13)
  std::uint32_t psum_header_banks;   // banks as the generation's header counts them
};

inline constexpr unsigned kPartitions = 128;
inline constexpr unsigned kQuadrantPartitions = 32;
inline constexpr std::uint32_t kAddressMask = 0x1FFFFFFF;
inline constexpr std::uint32_t kPsumBase = 0x2000000;
inline constexpr std::uint32_t kPsumStride = 0x8000;
inline constexpr std::uint32_t kPsumActive = 0x4000;
inline constexpr std::uint32_t kPsumBankBytes = 2048;  // the 8 x 2048 view, used on every generation
inline constexpr unsigned kAddressRegisters = 64;

// Columns of 01 section 3.2, by version id from 2.
inline constexpr Geometry kGeometries[] = {{0x40000, 0x30000, 0x2000000, 0x400000, 16},
                                           {0x40000, 0x38000, 0x2000000, 0x400000, 8},
                                           {0x40000, 0x40000, 0x2000000, 0x400000, 8},
                                           {0x100000, 0x80000, 0x8000000, 0, 8}};
constexpr const Geometry& geometry(Generation g) { return kGeometries[static_cast<unsigned>(g) - 2]; }

enum class Space : std::uint8_t { sbuf, psum, off_chip };
constexpr std::string_view space_name(Space s) { return s == Space::sbuf ? "SBUF" : s == Space::psum ? "PSUM" : "off-chip"; }

// Where an address (bits 0..28; higher bits are ignored) lies. partition, offset, bank and quadrant are 0 off chip.
struct Location {
  Space space = Space::off_chip;
  unsigned partition = 0;
  std::uint32_t offset = 0;  // bytes from the start of the partition
  bool active = false;       // the byte has storage behind it
  constexpr unsigned bank() const { return offset / kPsumBankBytes; }  // meaningful in PSUM
  constexpr unsigned quadrant() const { return partition / kQuadrantPartitions; }
};

constexpr Location locate(std::uint32_t address, Generation g) {
  const Geometry& geo = geometry(g);
  const std::uint32_t a = address & kAddressMask;
  if (a < geo.sbuf_window) return {Space::sbuf, a / geo.sbuf_stride, a % geo.sbuf_stride, a % geo.sbuf_stride < geo.sbuf_active};
  if (a >= kPsumBase && a - kPsumBase < geo.psum_window) {
    const std::uint32_t p = a - kPsumBase;
    return {Space::psum, p / kPsumStride, p % kPsumStride, p % kPsumStride < kPsumActive};
  }
  return {};
}

constexpr std::uint32_t partition_stride(Space s, Generation g) { return s == Space::psum ? kPsumStride : geometry(g).sbuf_stride; }
constexpr std::uint32_t active_bytes(Space s, Generation g) { return s == Space::psum ? kPsumActive : geometry(g).sbuf_active; }

// The forward map. Precondition: space is sbuf or psum and the generation has it.
constexpr std::uint32_t make_address(Space s, unsigned partition, std::uint32_t offset, Generation g) {
  return (s == Space::psum ? kPsumBase : 0) + partition * partition_stride(s, g) + offset;
}

// The 32-bit address word (01 section 3.1): marker bits 29..31 and an address or a register number.
namespace addr4 {
inline constexpr std::uint32_t kIndirect = 1u << 29, kShapeReg = 1u << 30, kAddrReg = 1u << 31;
constexpr bool addr_from_register(std::uint32_t w) { return (w >> 24 & 0xA0) == 0x80; }
constexpr bool is_indirect(std::uint32_t w) { return (w >> 24 & 0x60) == 0x20; }
constexpr bool is_indirect_imm(std::uint32_t w) { return (w >> 24 & 0xE0) == 0x20; }
constexpr bool shape_from_register(std::uint32_t w) { return (w >> 24 & 0x70) == 0x40; }
// The wider test of the element-count checks, which the indirect-register form passes too.
constexpr bool count_unknown(std::uint32_t w) { return shape_from_register(w) || (w >> 24 & 0xF0) == 0xA0; }
constexpr std::uint32_t register_word(unsigned regnum) { return kAddrReg | regnum; }
constexpr unsigned regnum(std::uint32_t w) { return w & 0xFF; }
}  // namespace addr4

}  // namespace act
