#include "act/isa/opcode.h"

#include <fmt/format.h>

#include <algorithm>

namespace act {
namespace {

constexpr OpcodeInfo kOpcodes[] = {
#define ACT_OPCODE(code, NAME, format, generations, engine, support, aliases, doc) \
  {Opcode::NAME, #NAME, FormatId::format, generations, Engine::engine, Support::support, aliases, doc},
#include "act/isa/opcodes.def"
#undef ACT_OPCODE
};
static_assert(std::ranges::is_sorted(kOpcodes, std::less{}, &OpcodeInfo::code), "opcodes are listed in ascending order");
static_assert(std::ranges::adjacent_find(kOpcodes, std::equal_to{}, &OpcodeInfo::code) == std::end(kOpcodes), "opcodes are unique");

// Membership of the opcode enumeration (01 section 1.4): SUNDA's four masks, then what each later generation drops and adds.
struct Mask {
  std::uint64_t bits;
  unsigned base;
};
constexpr Mask kSundaMasks[] = {{0x0001001E0000003E, 0x00}, {0x7FEFFFFFE08F7FFF, 0x41}, {0x024BC3FFFFDF3F7F, 0x82}, {0x400082F07FBFFFFF, 0xC1}};
constexpr std::uint8_t kCaymanDrops[] = {0x87, 0x88, 0x8A, 0x8B, 0x8C, 0x8D, 0x8F};
constexpr std::uint8_t kCaymanAdds[] = {0x06, 0x07, 0x81, 0xBC, 0xBD, 0xBE, 0xBF, 0xD7, 0xE4, 0xE9, 0xF1, 0xF2};
constexpr std::uint8_t kMarianaAdds[] = {0x08, 0x09, 0x0A, 0x25, 0xB4, 0xE0, 0xE1, 0xE2, 0xE3};
constexpr std::uint8_t kMaverickAdds[] = {0x26, 0xB6, 0xB9, 0xBA, 0xF3, 0xF4};

constexpr std::array<GenerationSet, 256> make_membership() {
  std::array<GenerationSet, 256> set{};
  for (const Mask& m : kSundaMasks)
    for (unsigned bit = 0; bit < 64; ++bit)
      if ((m.bits >> bit & 1) && m.base + bit < 256) set[m.base + bit] = GenerationSet::all();
  set[0xFF] = GenerationSet::all();  // the INVALID member
  for (const std::uint8_t c : kCaymanDrops) set[c] = {Generation::sunda};
  for (const std::uint8_t c : kCaymanAdds) set[c] = GenerationSet::since(Generation::cayman);
  for (const std::uint8_t c : kMarianaAdds) set[c] = GenerationSet::since(Generation::mariana);
  for (const std::uint8_t c : kMaverickAdds) set[c] = GenerationSet::since(Generation::maverick);
  return set;
}
constexpr std::array<GenerationSet, 256> kMembership = make_membership();

constexpr std::size_t members(Generation g) {
  const auto set = make_membership();
  return static_cast<std::size_t>(std::ranges::count_if(set, [=](GenerationSet s) { return s.contains(g); }));
}
static_assert(members(Generation::sunda) == 145 && members(Generation::cayman) == 150);
static_assert(members(Generation::mariana) == 159 && members(Generation::maverick) == 165);

constexpr std::array<std::uint8_t, 256> make_index() {
  std::array<std::uint8_t, 256> index{};
  for (std::size_t i = 0; i < std::size(kOpcodes); ++i) index[kOpcodes[i].code()] = static_cast<std::uint8_t>(i + 1);
  return index;
}
constexpr std::array<std::uint8_t, 256> kIndex = make_index();

// Format of every opcode byte: that of its row, RAW for other members, none for the rest.
constexpr std::array<FormatId, 256> make_formats() {
  std::array<FormatId, 256> formats{};
  for (unsigned c = 0; c < 256; ++c) {
    if (!kMembership[c].empty()) formats[c] = FormatId::RAW;
    if (kIndex[c] != 0) formats[c] = kOpcodes[kIndex[c] - 1].format;
  }
  return formats;
}
constexpr std::array<FormatId, 256> kFormatOfOpcode = make_formats();

constexpr const Format* kFormats[] = {
#define ACT_FORMAT(NAME, Type, doc) &FormatOf<Type>::value,
#define ACT_FIELD(name, byte, T, doc)
#define ACT_RESERVED(byte, size)
#define ACT_FORMAT_END(NAME, Type)
#include "act/isa/formats/list.def"
#undef ACT_FORMAT
#undef ACT_FIELD
#undef ACT_RESERVED
#undef ACT_FORMAT_END
};

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

bool has_alias(const OpcodeInfo& row, std::string_view name) {
  std::string_view rest = row.aliases;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (equal_ignoring_case(rest.substr(0, end), name)) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

}  // namespace

std::string_view engine_name(Engine engine) {
  switch (engine) {
    case Engine::PE: return "PE";
    case Engine::ACT: return "ACT";
    case Engine::POOL: return "POOL";
    case Engine::DVE: return "DVE";
    case Engine::SP: return "SP";
    case Engine::ANY: break;
  }
  return "any";
}

std::span<const OpcodeInfo> all_opcodes() { return kOpcodes; }

const OpcodeInfo* find_opcode(std::uint8_t code) { return kIndex[code] == 0 ? nullptr : &kOpcodes[kIndex[code] - 1]; }

const OpcodeInfo* find_opcode(std::string_view name) {
  for (const OpcodeInfo& row : kOpcodes)
    if (equal_ignoring_case(row.name, name)) return &row;
  for (const OpcodeInfo& row : kOpcodes)
    if (has_alias(row, name)) return &row;
  return nullptr;
}

GenerationSet opcode_generations(std::uint8_t code) { return kMembership[code]; }

std::string opcode_name(std::uint8_t code) {
  if (const OpcodeInfo* row = find_opcode(code)) return std::string(row->name);
  return !kMembership[code].empty() ? fmt::format("OP_0x{:02X}", code) : std::string{};
}

Result<std::uint8_t> parse_opcode(std::string_view name) {
  if (const OpcodeInfo* row = find_opcode(name)) return row->code();
  for (unsigned code = 0; code < 256; ++code)
    if (!kMembership[code].empty() && equal_ignoring_case(fmt::format("OP_0x{:02X}", code), name)) return static_cast<std::uint8_t>(code);
  Diagnostic d = make_error(Code::unknown_name, "no opcode of this name");
  d.value = std::string(name.substr(0, 100));
  return d;
}

std::span<const Format* const> all_formats() { return kFormats; }

const Format* find_format(std::string_view name) {
  const auto it = std::ranges::find(kFormats, name, [](const Format* f) { return f->name; });
  return it == std::end(kFormats) ? nullptr : *it;
}

const Format& format_of(FormatId id) { return *kFormats[static_cast<std::size_t>(id) - 1]; }

const Format* format_of(const Bundle& bundle) {
  const FormatId id = kFormatOfOpcode[bundle.opcode()];
  return id == FormatId::none ? nullptr : &format_of(id);
}

Instruction decode(const Bundle& bundle) {
  switch (kFormatOfOpcode[bundle.opcode()]) {
#define ACT_FORMAT(NAME, Type, doc) \
  case FormatId::NAME: return decode_as<Type>(bundle);
#define ACT_FIELD(name, byte, T, doc)
#define ACT_RESERVED(byte, size)
#define ACT_FORMAT_END(NAME, Type)
#include "act/isa/formats/list.def"
#undef ACT_FORMAT
#undef ACT_FIELD
#undef ACT_RESERVED
#undef ACT_FORMAT_END
    case FormatId::none: break;
  }
  return {};
}

Bundle encode(const Instruction& instruction) {
  return std::visit(
      [](const auto& x) {
        if constexpr (std::is_same_v<std::decay_t<decltype(x)>, std::monostate>) {
          return Bundle{};
        } else {
          return encode(x);
        }
      },
      instruction);
}

}  // namespace act
