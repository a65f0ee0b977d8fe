#include "act/tables/compare.h"

#include <algorithm>
#include <cmath>

#include "act/numeric/ulp.h"
#include "act/tables/evaluate.h"
#include "act/tables/layout.h"

namespace act {
namespace {

std::size_t differing_records(const FunctionTable& a, const FunctionTable& b) {
  const std::vector<Section> left = bkt_records({a}), right = bkt_records({b});
  // The slots stand at the end of both, so sections and slots are compared each with their own kind.
  const std::size_t sections = std::min(a.lut_size(), b.lut_size());
  std::size_t n = std::max(left.size(), right.size()) - 4 - sections;
  for (std::size_t i = 0; i < sections; ++i) n += left[i] == right[i] ? 0 : 1;
  for (std::size_t i = 0; i < 4; ++i) n += left[left.size() - 4 + i] == right[right.size() - 4 + i] ? 0 : 1;
  return n;
}

// Everything but the cubics, in a form that compares.
FunctionTable parameters_of(const FunctionTable& t) {
  FunctionTable p = t;
  for (const bool negative : {true, false}) {
    for (Octave& o : p.side(negative).octaves) std::fill(o.sections.begin(), o.sections.end(), Section{});
    p.side(negative).low.section = p.side(negative).high.section = {};
  }
  return p;
}

void compare_at(const FunctionTable& a, const FunctionTable& b, std::uint32_t bits, TableDifference& out) {
  const float x = bits_float(bits);
  const float left = evaluate(a, x), right = evaluate(b, x);
  const std::uint64_t steps = ulp_distance(left, right);
  if (steps > out.worst_steps) {
    out.worst_steps = steps;
    out.worst_input = x;
    out.worst_absolute = std::fabs(static_cast<double>(left) - static_cast<double>(right));
  }
}

// Mantissas at which one of the two tables changes its section or clamp in some octave.
std::vector<std::uint32_t> edges(const FunctionTable& t) {
  std::vector<std::uint32_t> out;
  for (const Side* side : {&t.neg, &t.pos})
    for (const ClampPoint* clamp : {&side->low, &side->high})
      for (const std::uint32_t near :
           {clamp->mantissa_point - 1, clamp->mantissa_point, clamp->mantissa_point + 1})
        out.push_back(near & 0x7fffff);
  return out;
}

unsigned largest_size(const FunctionTable& t, int exponent) {
  unsigned size = 0;
  for (const Side* side : {&t.neg, &t.pos})
    for (const Octave& o : side->octaves)
      if (o.exponent == exponent) size = std::max(size, o.extract_size);
  return size;
}

}  // namespace

TableDifference compare_tables(const FunctionTable& a, const FunctionTable& b, unsigned points) {
  TableDifference out;
  out.function = budgeted_name(a);
  out.sections[0] = a.lut_size();
  out.sections[1] = b.lut_size();
  out.octaves[0] = a.octave_count();
  out.octaves[1] = b.octave_count();
  out.records = differing_records(a, b);
  out.parameters = !(parameters_of(a) == parameters_of(b));
  if (out.identical()) return out;
  std::vector<std::uint32_t> mantissas = edges(a);
  const std::vector<std::uint32_t> more = edges(b);
  mantissas.insert(mantissas.end(), more.begin(), more.end());
  for (unsigned i = 0; i < points; ++i)
    mantissas.push_back(static_cast<std::uint32_t>(std::uint64_t{i} * 0x7fffff / std::max(points - 1, 1u)));
  for (const std::uint32_t sign : {0u, 0x80000000u}) {
    for (std::uint32_t exponent = 0; exponent < 256; ++exponent) {
      const std::uint32_t base = sign | exponent << 23;
      if (exponent == 255) {
        compare_at(a, b, base, out);
        continue;
      }
      for (const std::uint32_t m : mantissas) compare_at(a, b, base | m, out);
      const int unbiased = static_cast<int>(exponent) - 127;
      const unsigned size = std::max(largest_size(a, unbiased), largest_size(b, unbiased));
      for (std::uint32_t s = 0; size != 0 && s < 1u << size; ++s) {
        compare_at(a, b, base | s << (23 - size), out);
        compare_at(a, b, base | (((s + 1) << (23 - size)) - 1), out);
      }
    }
  }
  return out;
}

CatalogDifference compare_catalogs(const Catalog& a, const Catalog& b, unsigned points) {
  CatalogDifference out;
  struct Pair {
    const FunctionTable* left;
    const FunctionTable* right;
    std::size_t entry;
  };
  std::vector<Pair> seen;
  for (const TableSet& set : b.sets)
    if (const TableSet* other = a.find_set(set.name()); set.present && (other == nullptr || !other->present))
      out.only_second.push_back(set.name());
  for (const TableSet& set : a.sets) {
    if (!set.present) continue;
    const TableSet* other = b.find_set(set.name());
    if (other == nullptr || !other->present) {
      out.only_first.push_back(set.name());
      continue;
    }
    for (const FunctionTable& f : other->functions)
      if (set.find(f.name) == nullptr) out.only_second.push_back(set.name() + ": " + f.name);
    for (const FunctionTable& f : set.functions) {
      const FunctionTable* match = other->find(f.name);
      if (match == nullptr) {
        out.only_first.push_back(set.name() + ": " + f.name);
        continue;
      }
      if (f == *match) {
        ++out.identical;
        continue;
      }
      const auto known = std::find_if(seen.begin(), seen.end(),
                                      [&](const Pair& p) { return *p.left == f && *p.right == *match; });
      if (known != seen.end()) {
        out.tables[known->entry].sets.push_back(set.name());
        continue;
      }
      seen.push_back({&f, match, out.tables.size()});
      out.tables.push_back(compare_tables(f, *match, points));
      out.tables.back().sets.push_back(set.name());
    }
  }
  return out;
}

}  // namespace act
