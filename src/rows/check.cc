#include "act/rows/check.h"

#include <fmt/format.h>

#include <bit>

#include "act/rows/json.h"

namespace act {

std::string print_value(Record r, const Field& f) {
  switch (f.kind) {
    case Kind::enumerator:
      if (const Choice* c = f.choices->find(get(r, f))) return fmt::format("{} ({})", get(r, f), c->name);
      return fmt::format("0x{:02x}", get(r, f));
    case Kind::sinteger: return fmt::format("{}", static_cast<std::int64_t>(get(r, f)));
    case Kind::f32: return fmt::format("{} (0x{:08x})", std::bit_cast<float>(static_cast<std::uint32_t>(get(r, f))), get(r, f));
    case Kind::address:
    case Kind::immediate: return fmt::format("0x{:08x}", get(r, f));
    case Kind::wide_immediate: return fmt::format("0x{:016x}", get(r, f));
    case Kind::nibbles:
    case Kind::tensor: return field_to_json(r, f).dump();
    case Kind::bytes:
    case Kind::text: return to_hex(bytes_of(r, f));
    case Kind::integer: break;
  }
  return fmt::format("{}", get(r, f));
}

std::string allowed_values(const Field& f, std::optional<Generation> generation) {
  if (f.choices == nullptr) return fmt::format("0..{}", detail::width_mask(f.width));
  std::string out;
  for (const Choice& c : f.choices->choices)
    if (!generation || c.generations.contains(*generation)) out += fmt::format("{}{}", out.empty() ? "" : ", ", c.name);
  return out;
}

}  // namespace act
