#include "act/isa/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/rules/context.h"

namespace act {
namespace {

constexpr RuleInfo kRules[] = {
#define ACT_RULE(name, why) {#name, why},
#include "act/isa/rules.def"
#undef ACT_RULE
};

// Opcodes known field by field without rules of their own still have channels to check.
void check_fields_only(const rules::Context& c) {
  if (const Field* f = c.format.find("num_active_channels")) rules::check_channels(c, static_cast<unsigned>(get(c.bundle, *f)));
}

struct PayloadVisitor {
  const rules::Context& c;
  template <class T>
  void operator()(const T& x) const {
    if constexpr (requires { rules::check_payload(c, x); }) rules::check_payload(c, x);
  }
};

}  // namespace

std::span<const RuleInfo> all_rules() { return kRules; }
const RuleInfo& rule_info(Rule rule) { return kRules[static_cast<std::size_t>(rule)]; }
const RuleInfo* find_rule(std::string_view name) {
  const auto it = std::ranges::find(kRules, name, &RuleInfo::name);
  return it == std::end(kRules) ? nullptr : &*it;
}

void check_bundle(const Bundle& bundle, Generation generation, const CheckOptions& options, Diagnostics& out) {
  const Format* format = format_of(bundle);
  const rules::Context c{bundle, format != nullptr ? *format : FormatOf<Raw>::value, generation, options, out};
  rules::check_common(c);
  const OpcodeInfo* row = find_opcode(bundle.opcode());
  if (row == nullptr) return;
  if (row->support == Support::full) std::visit(PayloadVisitor{c}, decode(bundle));
  if (row->support == Support::fields) check_fields_only(c);
}

Diagnostics check_stream(std::span<const std::uint8_t> bytes, Generation generation, const CheckOptions& options) {
  Diagnostics out;
  StreamChecker checker(generation, options);
  const std::size_t whole = bytes.size() / kBundleBytes;
  for (std::size_t i = 0; i < whole; ++i) {
    Bundle b;
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(i * kBundleBytes), kBundleBytes, b.bytes.begin());
    checker.feed(b, out);
  }
  checker.finish(bytes.size() % kBundleBytes, out);
  return out;
}

}  // namespace act
