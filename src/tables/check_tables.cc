// Rules that look at the tables themselves, wherever they came from.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "act/tables/check.h"
#include "act/tables/evaluate.h"
#include "act/tables/functions.h"
#include "act/tables/layout.h"
#include "check_report.h"

namespace act {
namespace {

constexpr std::uint32_t kBias = 127;

// The last octave that stores sections, or nullptr.
const Octave* top_octave(const Side& side) {
  const auto at = std::find_if(side.octaves.rbegin(), side.octaves.rend(),
                               [](const Octave& o) { return !o.sections.empty(); });
  return at == side.octaves.rend() ? nullptr : &*at;
}

// V-09, second half: only the last octave of a side may be cut short.
void check_partial_octaves(const FunctionTable& t, CheckReport& report) {
  for (const Side* side : {&t.neg, &t.pos}) {
    const Octave* top = top_octave(*side);
    for (const Octave& o : side->octaves)
      if (!o.sections.empty() && &o != top && o.sections.size() != o.capacity())
        report.error("V-09",
                     fmt::format("{}: octave {} is cut short and is not the last one", t.name, o.exponent),
                     std::to_string(o.sections.size()), std::to_string(o.capacity()));
  }
}

// V-15. A tonga id is known for three functions only; elsewhere it must only be unique.
void check_ids(const TableSet& set, IdSpace ids, CheckReport& report) {
  std::set<std::uint32_t> seen;
  for (const FunctionTable& t : set.functions) {
    if (!seen.insert(t.func_id).second)
      report.error("V-15", fmt::format("{}: func_id is not unique in the set", t.name),
                   std::to_string(t.func_id), "");
    const FunctionInfo* info = find_function(t.name);
    if (info == nullptr || info->origin != FunctionOrigin::shipped) continue;
    const int expected = ids == IdSpace::sunda ? info->neuron_code : info->tonga_id;
    if (expected != 0 && t.func_id != static_cast<std::uint32_t>(expected))
      report.error("V-15", fmt::format("{}: func_id is not the function's code", t.name),
                   std::to_string(t.func_id), std::to_string(expected));
  }
}

void check_capacities(const TableSet& set, const CatalogCheckOptions& options, CheckReport& report) {
  const SetLayout layout = layout_of(set.functions);
  const auto limit = [&](std::string_view what, std::size_t count, std::size_t most) {
    if (count > most)
      report.error("V-17", fmt::format("the set has too many {}", what), std::to_string(count),
                   fmt::format("up to {}", most), Code::capacity);
  };
  limit("functions", set.functions.size(), kMaxFunctions);
  limit("bkt records", layout.bkt_entries, kMaxBuckets);
  limit("ctrl words", layout.ctrl_entries, kMaxControls);
  if (layout.ctrl_entries > kUsualControls && layout.ctrl_entries <= kMaxControls)
    report.add(options.strict_control_128 ? Severity::error : Severity::note, "V-17",
               "control table exceeds 128 entries (32-byte stride v3 region)",
               std::to_string(layout.ctrl_entries), fmt::format("up to {}", kUsualControls), Code::capacity);
  for (std::size_t i = 0; i < set.functions.size(); ++i) {
    const FunctionTable& t = set.functions[i];
    const FunctionLayout& l = layout.functions[i];
    if (std::max(l.ctrl_start, l.ctrl_base_pos) > kMaxControlBase)
      report.error("V-17", fmt::format("{}: a control base does not fit the device's 8 bits", t.name),
                   std::to_string(std::max(l.ctrl_start, l.ctrl_base_pos)),
                   fmt::format("up to {}", kMaxControlBase), Code::capacity);
    for (const Side* side : {&t.neg, &t.pos})
      for (const Octave& o : side->octaves)
        if (o.extract_size > kUsualExtractSize)
          report.add(o.extract_size > kMaxExtractSize ? Severity::error : Severity::warning, "V-17",
                     fmt::format("{}: extract_size of octave {} is larger than any seen", t.name, o.exponent),
                     std::to_string(o.extract_size), fmt::format("up to {}", kUsualExtractSize),
                     Code::capacity);
  }
}

// V-18: the high threshold and the sections of the last octave say the same.
void check_thresholds(const FunctionTable& t, CheckReport& report) {
  for (const bool negative : {true, false}) {
    const Side& side = t.side(negative);
    const Octave* top = top_octave(side);
    if (top == nullptr) continue;
    const auto biased = static_cast<std::uint32_t>(top->exponent) + kBias;
    const bool next_power = side.high.sat_point == biased + 1 && side.high.mantissa_point == 0;
    const std::size_t expected =
        next_power ? top->capacity() : (side.high.mantissa_point >> (23 - top->extract_size)) + 1;
    if ((side.high.sat_point == biased || next_power) && top->sections.size() == expected) continue;
    report.error("V-18",
                 fmt::format("{}: the high threshold of the {} side and its octave {} disagree", t.name,
                             negative ? "negative" : "positive", top->exponent),
                 fmt::format("threshold {}/{}, {} sections", side.high.sat_point, side.high.mantissa_point,
                             top->sections.size()),
                 fmt::format("threshold in exponent {} with (mantissa >> {}) + 1 sections, or {}/0 with {}",
                             biased, 23 - top->extract_size, biased + 1, top->capacity()));
  }
}

}  // namespace

std::optional<float> unresolved_input(const FunctionTable& table) {
  const auto resolves = [&](std::uint32_t bits) {
    const float v = bits_float(bits);
    return v == 0 || evaluate_traced(table, v).path != EvalPath::unhandled;
  };
  for (const std::uint32_t sign : {0u, 0x80000000u}) {
    for (std::uint32_t exponent = 0; exponent < 255; ++exponent) {
      std::vector<std::uint32_t> mantissas = {0, 1, 0x400000, 0x7fffff};
      for (const Side* side : {&table.neg, &table.pos})
        for (const ClampPoint* clamp : {&side->low, &side->high})
          for (const std::uint32_t near :
               {clamp->mantissa_point - 1, clamp->mantissa_point, clamp->mantissa_point + 1})
            mantissas.push_back(near & 0x7fffff);
      for (const std::uint32_t mantissa : mantissas)
        if (const std::uint32_t bits = sign | exponent << 23 | mantissa; !resolves(bits))
          return bits_float(bits);
    }
  }
  return std::nullopt;
}

Diagnostics check_tables(const TableSet& set, IdSpace ids, const CatalogCheckOptions& options) {
  CheckReport report(set.name());
  check_ids(set, ids, report);
  check_capacities(set, options, report);
  if (set.functions.size() > kMaxFunctions)
    return report.take();  // no set that could be loaded; the rest is work for nothing
  for (const FunctionTable& t : set.functions) {
    check_partial_octaves(t, report);
    check_thresholds(t, report);
    if (const auto input = unresolved_input(t))
      report.error("V-19", fmt::format("{}: no clamp and no section takes the input {}", t.name, *input),
                   fmt::format("0x{:08x}", float_bits(*input)), "");
  }
  return report.take();
}

}  // namespace act
