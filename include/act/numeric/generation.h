// The hardware generations and their names (01 section 1.1). A row that a generation lacks carries a
// GenerationSet.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace act {

// The values are the version ids of 01 section 1.1. Generations only add, so they compare with < and >=.
enum class Generation : std::uint8_t { sunda = 2, cayman = 3, mariana = 4, maverick = 5 };

inline constexpr Generation kDefaultGeneration = Generation::cayman;
inline constexpr std::array kGenerations = {Generation::sunda, Generation::cayman, Generation::mariana,
                                            Generation::maverick};

struct GenerationRow {
  Generation generation;
  std::string_view name;                    // as written everywhere
  std::string_view core;                    // NeuronCore version
  std::string_view products;                // public products
  int arch_level;                           // the compiler's architecture level
  std::array<std::string_view, 9> aliases;  // also accepted where a generation is read
  std::string_view doc;
};

// mariana_plus is a name of its own for the generation mariana: it is read, and never written.
inline constexpr GenerationRow kGenerationRows[] = {
    {Generation::sunda,
     "sunda",
     "NC-v2",
     "Trn1, Inf2",
     20,
     {"v2", "nc-v2", "corev2", "core_v2", "gen2", "trn1", "inf2", "trainium"},
     "33 ALU operations and 16 data types."},
    {Generation::cayman,
     "cayman",
     "NC-v3",
     "Trn2",
     30,
     {"v3", "nc-v3", "corev3", "core_v3", "gen3", "trn2"},
     "Adds the integer ALU band, shape registers and DveReadIndices."},
    {Generation::mariana,
     "mariana",
     "NC-v4",
     "Trn3",
     40,
     {"v4", "nc-v4", "corev4", "core_v4", "gen4", "trn3"},
     "Adds Activate2, indirect and MX memory patterns, FP4 and CPTC types and four float ALU operations."},
    {Generation::mariana,
     "mariana_plus",
     "NC-v4+",
     "",
     40,
     {"nc-v4+"},
     "The instruction set of mariana under a second name."},
    {Generation::maverick,
     "maverick",
     "NC-v5",
     "",
     50,
     {"v5", "nc-v5", "corev5", "core_v5"},
     "Known from headers only; the activation hardware is part of the vector engine."},
};

namespace numeric_detail {
constexpr char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

constexpr bool same_name(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (ascii_lower(a[i]) != ascii_lower(b[i])) return false;
  return true;
}

// Whether `name` is `main` or one of `aliases`, letter case ignored; empty aliases are unused places.
template <class Aliases>
constexpr bool named(std::string_view name, std::string_view main, const Aliases& aliases) {
  if (name.empty()) return false;
  if (same_name(name, main)) return true;
  for (std::string_view alias : aliases)
    if (!alias.empty() && same_name(name, alias)) return true;
  return false;
}
}  // namespace numeric_detail

// By name or alias ("cayman", "v3", "trn2"), letter case ignored. TONGA and NC-v1 are out of scope (D-01).
constexpr std::optional<Generation> find_generation(std::string_view name) {
  for (const GenerationRow& row : kGenerationRows)
    if (numeric_detail::named(name, row.name, row.aliases)) return row.generation;
  return std::nullopt;
}

constexpr std::optional<Generation> generation_from_version(unsigned version) {
  for (Generation g : kGenerations)
    if (static_cast<unsigned>(g) == version) return g;
  return std::nullopt;
}

constexpr const GenerationRow& generation_row(Generation generation) {
  for (const GenerationRow& row : kGenerationRows)
    if (row.generation == generation) return row;
  return kGenerationRows[1];  // not reached: every enumerator has a row
}

constexpr std::string_view generation_name(Generation generation) { return generation_row(generation).name; }

// The generations that have a thing, one bit each.
class GenerationSet {
 public:
  constexpr GenerationSet() = default;
  constexpr GenerationSet(std::initializer_list<Generation> list) {
    for (Generation g : list) bits_ |= bit(g);
  }
  static constexpr GenerationSet all() { return since(Generation::sunda); }
  static constexpr GenerationSet none() { return {}; }
  static constexpr GenerationSet since(Generation first) {
    GenerationSet set;
    for (Generation g : kGenerations)
      if (g >= first) set.bits_ |= bit(g);
    return set;
  }
  constexpr bool contains(Generation g) const { return (bits_ & bit(g)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  friend constexpr bool operator==(GenerationSet, GenerationSet) = default;

 private:
  static constexpr std::uint8_t bit(Generation g) {
    return static_cast<std::uint8_t>(1u << static_cast<unsigned>(g));
  }
  std::uint8_t bits_ = 0;
};

}  // namespace act
