// Names to small numbers, letter case ignored: what the assembler looks up several times a line.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace act::text {

constexpr bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool is_name_char(char c) { return is_name_start(c) || (c >= '0' && c <= '9'); }

// An open-addressing hash table over names made of letters, digits and '_'. The names must outlive the table.
class NameTable {
 public:
  static constexpr int kNone = -1;

  // The first value added under a name stays.
  void add(std::string_view name, int value);
  int find(std::string_view name) const;

 private:
  struct Slot {
    std::string_view name;
    int value = kNone;
  };
  std::size_t place(std::string_view name) const;
  void grow();

  std::vector<Slot> slots_ = std::vector<Slot>(16);
  std::size_t used_ = 0;
};

}  // namespace act::text
