#include "act/tables/multipass.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

namespace act {
namespace {

constexpr int kExponentBias = 127;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Diagnostic refuse(const std::string& function, std::string message, std::string value = {},
                  std::string allowed = {}) {
  Diagnostic d = make_error(Code::table_rule, fmt::format("{}: {}", function, message));
  d.rule = "P-20";
  d.value = std::move(value);
  d.allowed = std::move(allowed);
  return d;
}

bool computes(const Pass& pass, float v) {
  return (pass.low_bound == LowBound::ignored || v >= pass.low) && v < pass.high;
}

}  // namespace

std::optional<PassName> split_pass_name(std::string_view name) {
  const std::size_t cut = name.rfind('_');
  if (cut == name.npos || cut == 0 || !name.ends_with("mp")) return std::nullopt;
  PassName out{std::string(name.substr(0, cut)), 0};
  const char* const end = name.data() + name.size() - 2;
  const auto [stop, problem] = std::from_chars(name.data() + cut + 1, end, out.pass);
  if (problem != std::errc{} || stop != end) return std::nullopt;
  return out;
}

Result<Multipass> make_multipass(std::vector<FunctionTable> tables) {
  std::map<unsigned, FunctionTable*> ordered;
  Multipass out;
  for (FunctionTable& t : tables) {
    const auto name = split_pass_name(t.name);
    if (!name || (!out.name.empty() && out.name != name->function))
      return refuse(t.name, "the table is no pass of the function", t.name,
                    fmt::format("{}_<k>mp", out.name.empty() ? "NAME" : out.name));
    if (!t.use_multipass) return refuse(t.name, "a pass has use_multipass set", "false", "true");
    out.name = name->function;
    if (!ordered.emplace(name->pass, &t).second) return refuse(t.name, "the pass is there twice");
  }
  if (ordered.empty()) return refuse("multipass", "there is no pass");
  for (const auto& [pass, table] : ordered) {
    if (pass != out.passes.size())
      return refuse(out.name, fmt::format("pass {} is missing", out.passes.size()));
    if (pass != 0) {
      const float before = out.passes.back().table.upper_bound;
      if (!(out.passes.back().low < table->lower_bound))
        return refuse(out.name, "the passes do not ascend", fmt::format("{}", table->lower_bound));
      if (std::nextafter(before, kInfinity) != table->lower_bound)
        return refuse(out.name, fmt::format("pass {} does not start where pass {} ends", pass, pass - 1),
                      fmt::format("{}", table->lower_bound),
                      fmt::format("{}", std::nextafter(before, kInfinity)));
      out.passes.back().high = table->lower_bound;
    }
    // The first pass has all below it, except what a function of positive inputs has no value for.
    const float low = pass != 0                 ? table->lower_bound
                      : table->lower_bound >= 0 ? std::numeric_limits<float>::denorm_min()
                                                : -kInfinity;
    out.passes.push_back(
        {std::move(*table), low, kInfinity, low == -kInfinity ? LowBound::ignored : LowBound::at_least});
  }
  return out;
}

Result<std::vector<FunctionTable>> cut_into_passes(const FunctionTable& table,
                                                   const std::vector<int>& boundaries) {
  const std::vector<Octave>& octaves = table.pos.octaves;
  const auto inside = [&](int e) {
    return !octaves.empty() && e > octaves.front().exponent && e <= octaves.back().exponent;
  };
  if (table.symmetry.enabled || !table.neg.octaves.empty() || boundaries.empty() ||
      !std::is_sorted(boundaries.begin(), boundaries.end(), std::less_equal<>()) ||
      !std::all_of(boundaries.begin(), boundaries.end(), inside))
    return refuse(table.name,
                  "only a table of positive inputs is cut, between its octaves, in ascending order");
  std::vector<FunctionTable> passes;
  for (std::size_t k = 0; k <= boundaries.size(); ++k) {
    const bool first = k == 0, last = k == boundaries.size();
    FunctionTable pass = table;
    pass.name = fmt::format("{}_{}mp", table.name, k);
    pass.use_multipass = true;
    std::erase_if(pass.pos.octaves, [&](const Octave& o) {
      return (!first && o.exponent < boundaries[k - 1]) || (!last && o.exponent >= boundaries[k]);
    });
    pass.exponent_offset = pass.pos.octaves.front().exponent;
    // A clamp at a cut is never reached by an input of the pass's domain: the low one ends an octave below
    // it.
    if (!first) {
      pass.pos.low.sat_point = static_cast<std::uint32_t>(boundaries[k - 1] + kExponentBias - 1);
      pass.pos.low.mantissa_point = 0;
      pass.lower_bound = std::ldexp(1.0F, boundaries[k - 1]);
    }
    if (!last) {
      pass.pos.high.sat_point = static_cast<std::uint32_t>(boundaries[k] + kExponentBias);
      pass.pos.high.mantissa_point = 0;
      pass.upper_bound = std::nextafter(std::ldexp(1.0F, boundaries[k]), 0.0F);
    }
    passes.push_back(std::move(pass));
  }
  return passes;
}

Result<std::vector<Multipass>> multipass_functions(const TableSet& set) {
  std::map<std::string, std::vector<FunctionTable>> groups;
  for (const FunctionTable& t : set.functions)
    if (const auto name = split_pass_name(t.name)) groups[name->function].push_back(t);
  std::vector<Multipass> out;
  for (auto& [name, tables] : groups) {
    auto one = make_multipass(std::move(tables));
    if (!one) return one.error();
    out.push_back(std::move(*one));
  }
  return out;
}

float evaluate_multipass(const Multipass& function, float v, const EvalPolicy& policy) {
  if (v == 0 || !std::isfinite(v)) return evaluate(function.passes.front().table, v, policy);
  float previous = bits_float(kQuietNanBits);
  for (const Pass& pass : function.passes)
    if (computes(pass, v)) previous = evaluate(pass.table, v, policy);
  return previous;
}

}  // namespace act
