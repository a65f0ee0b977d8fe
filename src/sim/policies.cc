#include "act/sim/policies.h"

#include <array>

namespace act::sim {
namespace {

#define ACT_POLICY(Type, name, doc) constexpr PolicyChoice k##Type##Choices[] = {
#define ACT_CHOICE(value, doc) {#value, doc},
#define ACT_POLICY_END(Type, name) };
#include "act/sim/policies.def"
#undef ACT_POLICY
#undef ACT_CHOICE
#undef ACT_POLICY_END

constexpr PolicyRow kRows[] = {
#define ACT_POLICY(Type, name, doc) {#name, doc, k##Type##Choices},
#define ACT_CHOICE(value, doc)
#define ACT_POLICY_END(Type, name)
#include "act/sim/policies.def"
#undef ACT_POLICY
#undef ACT_CHOICE
#undef ACT_POLICY_END
};

void set_choice(Policies& policies, std::size_t index, std::uint8_t choice) {
  std::size_t row = 0;
#define ACT_POLICY(Type, name, doc) \
  if (row++ == index) policies.name = static_cast<Type>(choice);
#define ACT_CHOICE(value, doc)
#define ACT_POLICY_END(Type, name)
#include "act/sim/policies.def"
#undef ACT_POLICY
#undef ACT_CHOICE
#undef ACT_POLICY_END
}

template <class Rows>
std::string names_of(const Rows& rows) {
  std::string list;
  for (const auto& row : rows) list += (list.empty() ? "" : ", ") + std::string(row.name);
  return list;
}

Diagnostic unknown(std::string_view what, std::string_view value, std::string allowed) {
  Diagnostic d = make_error(Code::unknown_name, "no such " + std::string(what));
  d.field = "policy";
  d.value = value;
  d.allowed = std::move(allowed);
  return d;
}

}  // namespace

std::span<const PolicyRow> all_policies() { return kRows; }

std::uint8_t policy_choice(const Policies& policies, std::size_t index) {
  std::size_t row = 0;
#define ACT_POLICY(Type, name, doc) \
  if (row++ == index) return static_cast<std::uint8_t>(policies.name);
#define ACT_CHOICE(value, doc)
#define ACT_POLICY_END(Type, name)
#include "act/sim/policies.def"
#undef ACT_POLICY
#undef ACT_CHOICE
#undef ACT_POLICY_END
  return 0;
}

Status set_policy(Policies& policies, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string_view name = assignment.substr(0, equals);
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    if (kRows[i].name != name) continue;
    const std::string_view value = equals == std::string_view::npos ? std::string_view{} : assignment.substr(equals + 1);
    for (std::size_t c = 0; c < kRows[i].choices.size(); ++c) {
      if (kRows[i].choices[c].name != value) continue;
      set_choice(policies, i, static_cast<std::uint8_t>(c));
      return Done{};
    }
    return unknown("choice of the policy " + std::string(name), value, names_of(kRows[i].choices));
  }
  return unknown("policy", name, names_of(kRows));
}

std::string to_text(const Policies& policies) {
  std::string text;
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    if (i != 0) text += ' ';
    text += kRows[i].name;
    text += '=';
    text += kRows[i].choices[policy_choice(policies, i)].name;
  }
  return text;
}

}  // namespace act::sim
