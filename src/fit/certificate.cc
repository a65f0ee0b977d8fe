#include "act/fit/certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "act/fit/frame.h"
#include "act/fit/taylor.h"
#include "act/tables/catalog_io.h"
#include "tables/json_reader.h"

namespace act::fit {
namespace {

// The figures of a measurement and their names in the file.
struct Figure {
  std::string_view name;
  WorstCase Measurement::*member;
};
constexpr Figure kFigures[] = {
    {"max_ulp", &Measurement::inner},         {"max_ulp_outer", &Measurement::outer},
    {"max_absolute_tail", &Measurement::tail}, {"max_subnormal_steps", &Measurement::subnormal},
    {"max_absolute", &Measurement::absolute},
};
// The Taylor twin is looked at every so many inputs: what is missed makes it look better, the safe side of a comparison.
constexpr std::uint32_t kTwinStride = 61;
constexpr std::array<std::string_view, 3> kTopMembers = {"catalog", "reference_error", "tables"};

OrderedJson worst_json(const WorstCase& worst) {
  return {{"error", fmt::format("{:.6g}", worst.error)}, {"input", fmt::format("0x{:08x}", float_bits(worst.input))}};
}

OrderedJson measurement_json(const Measurement& m, bool with_inputs) {
  OrderedJson j = OrderedJson::object();
  for (const Figure& figure : kFigures)
    if ((m.*figure.member).error != 0 || figure.member == &Measurement::inner)
      j[std::string(figure.name)] = worst_json(m.*figure.member);
  if (with_inputs) j["inputs"] = m.inputs;
  return j;
}

// "0*18 1 2": eighteen octaves of size 0, one of 1, one of 2.
std::string print_sizes(const std::vector<std::uint32_t>& sizes) {
  std::string text;
  for (std::size_t i = 0; i < sizes.size();) {
    std::size_t end = i;
    while (end < sizes.size() && sizes[end] == sizes[i]) ++end;
    text += text.empty() ? "" : " ";
    text += end - i == 1 ? fmt::format("{}", sizes[i]) : fmt::format("{}*{}", sizes[i], end - i);
    i = end;
  }
  return text;
}

// The inverse; nothing for text of another form, or more octaves than there are exponents.
std::optional<std::vector<std::uint32_t>> parse_sizes(std::string_view text) {
  std::vector<std::uint32_t> sizes;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    std::uint32_t size = 0, count = 1;
    auto number = std::from_chars(at, end, size);
    if (number.ec == std::errc{} && number.ptr != end && *number.ptr == '*')
      number = std::from_chars(number.ptr + 1, end, count);
    if (number.ec != std::errc{} || size > 11 || count > 256 - sizes.size()) return std::nullopt;
    sizes.insert(sizes.end(), count, size);
    at = number.ptr;
    if (at != end && *at++ != ' ') return std::nullopt;
  }
  return sizes;
}

OrderedJson side_json(const SideStructure& side) {
  return {{"lowest_octave", side.lowest},
          {"extract_sizes", print_sizes(side.extract_sizes)},
          {"threshold", {{"exponent", side.sat_point}, {"mantissa", side.mantissa_point}}}};
}

OrderedJson certificate_json(const Certificate& c) {
  OrderedJson j = {{"function", budgeted_name(c.function, c.budget)},
                   {"method", c.method},
                   {"structure", c.structure},
                   {"sections", c.sections},
                   {"octaves", c.neg.extract_sizes.size() + c.pos.extract_sizes.size()}};
  if (!c.neg.empty()) j["negative"] = side_json(c.neg);
  if (!c.pos.empty()) j["positive"] = side_json(c.pos);
  j["domain"] = {fmt::format("0x{:08x}", float_bits(c.domain.lowest)),
                 fmt::format("0x{:08x}", float_bits(c.domain.highest))};
  if (c.domain.least_magnitude > 0)
    j["least_magnitude"] = fmt::format("0x{:08x}", float_bits(c.domain.least_magnitude));
  if (c.domain.inner.count > 0)
    j["inner_octaves"] = {c.domain.inner.lowest, c.domain.inner.lowest + c.domain.inner.count - 1};
  j["measured"] = measurement_json(c.measured, true);
  if (c.has_taylor) j["taylor"] = measurement_json(c.taylor, false);
  if (c.digest != 0) j["digest"] = fmt::format("{:016x}", c.digest);
  return j;
}

Structure structure_of(const FunctionTable& table) {
  return {side_structure(table.neg, table.exponent_offset), side_structure(table.pos, table.exponent_offset),
          StructureSource::own};
}

// Reads what print_certificates() wrote.
class CertificateReader {
 public:
  CertificateReader(const std::string& file, Diagnostics& warnings) : in_(file, Strictness::lenient, warnings) {}

  Result<std::vector<Certificate>> read(const OrderedJson& json) {
    std::vector<Certificate> out;
    const JsonPlace top{&json, ""};
    if (in_.is_object(top)) {
      in_.known_members(top, kTopMembers);
      if (const auto tables = in_.member(top, "tables"); tables && in_.is_array(*tables))
        for (std::size_t i = 0; i < tables->json->size(); ++i) one(tables->at(i), out);
    }
    if (!in_.ok()) return in_.take_errors();
    return out;
  }

 private:
  void one(const JsonPlace& place, std::vector<Certificate>& out) {
    if (!in_.is_object(place)) return;
    Certificate c;
    const auto stem = text(place, "function");
    if (!stem) return;
    std::tie(c.function, c.budget) = split_budgeted_name(*stem);
    if (find_function(c.function) == nullptr) {
      in_.error(Code::unknown_name, place, "no function of this name", *stem);
      return;
    }
    c.method = text(place, "method").value_or("");
    c.structure = text(place, "structure").value_or("");
    c.sections = static_cast<std::size_t>(integer(place, "sections", 0, 2048).value_or(0));
    side(place, "negative", c.neg);
    side(place, "positive", c.pos);
    c.domain = error_domain(*find_function(c.function));
    if (const auto at = in_.member(place, "domain"); at && in_.is_array(*at) && at->json->size() == 2) {
      c.domain.lowest = bits_float(pattern(at->at(0)));
      c.domain.highest = bits_float(pattern(at->at(1)));
    }
    c.domain.least_magnitude = 0;
    if (const auto at = place.json->find("least_magnitude"); at != place.json->end())
      c.domain.least_magnitude = bits_float(pattern(place.at("least_magnitude", *at)));
    if (!place.json->contains("inner_octaves")) c.domain.inner = {};
    if (const auto at = in_.member(place, "measured"); at && in_.is_object(*at)) measurement(*at, c.measured);
    if (c.measured.tail.error == 0) c.domain.absolute_beyond = std::numeric_limits<float>::infinity();
    if (const auto at = place.json->find("taylor"); at != place.json->end()) {
      c.has_taylor = true;
      if (const JsonPlace taylor = place.at("taylor", *at); in_.is_object(taylor)) measurement(taylor, c.taylor);
    }
    if (const auto digest = place.json->find("digest"); digest != place.json->end())
      c.digest = hexadecimal(place.at("digest", *digest), 16);
    out.push_back(std::move(c));
  }

  std::optional<std::string> text(const JsonPlace& object, std::string_view name) {
    const auto at = in_.member(object, name);
    return at ? in_.text(*at) : std::nullopt;
  }
  std::optional<std::int64_t> integer(const JsonPlace& object, std::string_view name, std::int64_t min,
                                      std::int64_t max) {
    const auto at = in_.member(object, name);
    return at ? in_.integer(*at, min, max) : std::nullopt;
  }

  std::uint64_t hexadecimal(const JsonPlace& place, std::size_t digits) {
    const auto value = in_.text(place);
    if (!value) return 0;
    std::string_view body = *value;
    if (body.starts_with("0x")) body.remove_prefix(2);
    std::uint64_t bits = 0;
    const auto [end, problem] = std::from_chars(body.data(), body.data() + body.size(), bits, 16);
    if (problem != std::errc{} || end != body.data() + body.size() || body.size() > digits)
      in_.error(Code::bad_value, place, "a pattern in hexadecimal", *value, fmt::format("up to {} digits", digits));
    return bits;
  }
  std::uint32_t pattern(const JsonPlace& place) { return static_cast<std::uint32_t>(hexadecimal(place, 8)); }

  void side(const JsonPlace& object, std::string_view name, SideStructure& side) {
    const auto found = object.json->find(std::string(name));
    if (found == object.json->end()) return;
    const JsonPlace place = object.at(name, *found);
    if (!in_.is_object(place)) return;
    side.lowest = static_cast<int>(integer(place, "lowest_octave", -127, 128).value_or(0));
    if (const auto runs = text(place, "extract_sizes")) {
      if (auto sizes = parse_sizes(*runs)) {
        side.extract_sizes = *std::move(sizes);
      } else {
        in_.error(Code::bad_value, place, "extract sizes in runs", *runs, "sizes 0..11, SIZE or SIZE*COUNT");
      }
    }
    if (const auto at = in_.member(place, "threshold"); at && in_.is_object(*at)) {
      side.sat_point = static_cast<std::uint32_t>(integer(*at, "exponent", 0, 255).value_or(0));
      side.mantissa_point = static_cast<std::uint32_t>(integer(*at, "mantissa", 0, 0x7fffff).value_or(0));
    }
  }

  void measurement(const JsonPlace& place, Measurement& m) {
    for (const Figure& figure : kFigures) {
      const auto found = place.json->find(std::string(figure.name));
      if (found == place.json->end()) continue;
      const JsonPlace at = place.at(figure.name, *found);
      if (!in_.is_object(at)) continue;
      WorstCase& worst = m.*figure.member;
      if (const auto error = text(at, "error")) worst.error = decimal(at, *error);
      if (const auto input = in_.member(at, "input")) worst.input = bits_float(pattern(*input));
    }
    if (place.json->contains("inputs"))
      m.inputs = static_cast<std::uint64_t>(integer(place, "inputs", 0, std::int64_t{1} << 33).value_or(0));
  }

  double decimal(const JsonPlace& place, const std::string& value) {
    double number = 0;
    const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (problem != std::errc{} || end != value.data() + value.size())
      in_.error(Code::bad_value, place, "an error", value, "a decimal number");
    return number;
  }

  JsonReader in_;
};

}  // namespace

SideStructure side_structure(const Side& side, int exponent_offset) {
  SideStructure out{exponent_offset, {}, side.high.sat_point, side.high.mantissa_point};
  for (const Octave& o : side.octaves) out.extract_sizes.push_back(o.extract_size);
  return out;
}

ErrorDomain certified_domain(const FunctionInfo& function, const TableGoal& goal) {
  ErrorDomain domain = error_domain(function);
  // One figure for all inputs of a goal; those of the shipped names have their own where sections cannot hold the tail.
  if (!goal.plain()) {
    domain.inner = {};
    domain.absolute_beyond = std::numeric_limits<float>::infinity();
  }
  if (!goal.domain) return domain;
  domain.lowest = goal.domain->lowest;
  domain.highest = goal.domain->highest;
  domain.least_magnitude = 0;
  if (!function.symmetry.enabled) return domain;
  // A fold answers both signs from one side.
  domain.least_magnitude = std::max({0.0F, domain.lowest, -domain.highest});
  domain.highest = std::max(std::fabs(domain.lowest), std::fabs(domain.highest));
  domain.lowest = -domain.highest;
  return domain;
}

Certificate certify(const FunctionInfo& function, const FunctionTable& table, const TableOrigin& origin,
                    std::uint32_t stride) {
  Certificate c;
  c.function = table.name;
  c.budget = table.budget;
  c.method = method_name(origin.method);
  c.structure = source_name(origin.source);
  c.sections = table.lut_size();
  const Structure structure = structure_of(table);
  c.neg = structure.neg;
  c.pos = structure.pos;
  c.domain = certified_domain(function, origin.goal);
  c.measured = measure_parallel(function, table, c.domain, stride);
  if (stride == 1) c.digest = result_digest(table);
  if (origin.method != Method::taylor) {
    const FunctionTable taylor = taylor_table(function, static_cast<int>(table.budget), structure, IdSpace::sunda);
    c.taylor = measure_parallel(function, taylor, c.domain, std::max(stride, kTwinStride));
    c.has_taylor = true;
  }
  return c;
}

std::string print_certificates(std::string_view catalog, const std::vector<Certificate>& certificates) {
  OrderedJson j = {{"catalog", catalog},
                   {"reference_error", fmt::format("{:.3g}", kReferenceError)},
                   {"tables", OrderedJson::array()}};
  for (const Certificate& c : certificates) j["tables"].push_back(certificate_json(c));
  return j.dump(1, ' ', true, OrderedJson::error_handler_t::replace) + "\n";
}

Result<std::vector<Certificate>> parse_certificates(std::string_view text, const std::string& file,
                                                    Diagnostics& warnings) {
  const auto json = parse_ordered_json(text, file, kTableJsonLimits);
  if (!json) return json.error();
  return CertificateReader(file, warnings).read(*json);
}

}  // namespace act::fit
