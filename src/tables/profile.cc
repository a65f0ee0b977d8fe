#include "act/tables/profile.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "act/tables/evaluate.h"
#include "act/tables/functions.h"
#include "json_reader.h"

namespace act {
namespace {

constexpr JsonLimits kProfileLimits{.bytes = std::uint64_t{16} << 20,
                                    .depth = 64,
                                    .values = 2'000'000,
                                    .unique_keys = true,
                                    .compares = 20'000'000};

constexpr std::array<std::string_view, 24> kKeys = {"func_name",
                                                    "pos_exponents",
                                                    "neg_exponents",
                                                    "saturation_points",
                                                    "symmetry_en",
                                                    "symmetry_invert_sign_opt",
                                                    "symmetry_opt_use_neg_region",
                                                    "symmetry_point",
                                                    "zero_result",
                                                    "nan_result",
                                                    "pinf_result",
                                                    "ninf_result",
                                                    "imm_bias",
                                                    "exponent_offset",
                                                    "fma_const0",
                                                    "fma_const1",
                                                    "lower_bound",
                                                    "upper_bound",
                                                    "use_multipass",
                                                    "max_diff",
                                                    "lut_size",
                                                    "neuron_id",
                                                    "sunda_id",
                                                    "tonga_id"};
constexpr std::array<std::string_view, 4> kOctaveKeys = {"exponent", "num_sections", "extract_size",
                                                         "exponent_sections"};
constexpr std::array<std::string_view, 5> kSectionKeys = {"x", "d0", "d1", "d2", "d3"};
constexpr float Section::*kSectionMembers[] = {&Section::x, &Section::d0, &Section::d1, &Section::d2,
                                               &Section::d3};
constexpr std::array<std::string_view, 7> kClampKeys = {"sat_point", "mantissa_point", "x", "d0", "d1", "d2",
                                                        "d3"};
constexpr std::array<std::string_view, 4> kClampNames = {"sat_point_pos_high", "sat_point_pos_low",
                                                         "sat_point_neg_high", "sat_point_neg_low"};
constexpr std::array<std::string_view, 6> kBoxKeys = {"float", "int",      "hexstring",
                                                      "sign",  "exponent", "mantissa"};

struct BoxText {
  std::string decimal, hex;
  std::uint32_t sign, exponent, mantissa;
};

BoxText box_text(std::uint32_t bits) {
  const float value = bits_float(bits);
  const std::string decimal = std::isnan(value) ? "nan" : fmt::format("{}", value);
  return {decimal, fmt::format("0x{:08x}", bits), bits >> 31, bits >> 23 & 0xff, bits & 0x7fffff};
}

OrderedJson box(float value) {
  const std::uint32_t bits = float_bits(value);
  const BoxText text = box_text(bits);
  return {{"float", text.decimal},     {"int", bits},
          {"hexstring", text.hex},     {"sign", text.sign},
          {"exponent", text.exponent}, {"mantissa", text.mantissa}};
}

const ClampPoint& clamp_named(const FunctionTable& t, std::size_t i) {
  const ClampPoint* const clamps[] = {&t.pos.high, &t.pos.low, &t.neg.high, &t.neg.low};
  return *clamps[i];
}

class ProfileReader {
 public:
  ProfileReader(JsonReader& in, Strictness strictness) : in_(in), strict_(strictness == Strictness::strict) {}

  Profile read(const JsonPlace& top, const std::string& stem) {
    Profile p;
    if (!in_.is_object(top)) return p;
    in_.known_members(top, kKeys);
    FunctionTable& t = p.table;
    read_name(top, stem, t);
    t.pos.octaves = octaves(top, "pos_exponents");
    t.neg.octaves = octaves(top, "neg_exponents");
    clamps(top, t);
    t.symmetry = {flag(top, "symmetry_en"), flag(top, "symmetry_invert_sign_opt"),
                  flag(top, "symmetry_opt_use_neg_region"), number(top, "symmetry_point")};
    t.specials = {number(top, "zero_result"), number(top, "nan_result"), number(top, "pinf_result"),
                  number(top, "ninf_result")};
    t.imm_bias = flag(top, "imm_bias");
    t.exponent_offset = static_cast<int>(integer(top, "exponent_offset", -127, 128));
    t.fma_const0 = number(top, "fma_const0");
    t.fma_const1 = number(top, "fma_const1");
    t.lower_bound = number(top, "lower_bound");
    t.upper_bound = number(top, "upper_bound");
    t.use_multipass = flag(top, "use_multipass");
    t.fma_indirection_src_sel = t.name == "parametric_relu" ? kParametricSelector : 0;
    p.neuron_id = static_cast<std::uint32_t>(integer(top, "neuron_id", 0, 0xffffffff));
    p.sunda_id = static_cast<std::uint32_t>(integer(top, "sunda_id", 0, 0xffffffff));
    p.tonga_id = static_cast<std::uint32_t>(integer(top, "tonga_id", 0, 0xffffffff));
    t.func_id = p.sunda_id;
    if (const auto place = in_.member(top, "max_diff"))
      p.max_diff = place->json->is_number() ? place->json->get<float>() : float_box(*place);
    const auto lut_size = integer(top, "lut_size", 0, 1'000'000);
    if (in_.ok()) check(top, t, lut_size);
    return p;
  }

 private:
  void read_name(const JsonPlace& top, const std::string& stem, FunctionTable& t) {
    const auto at = top.json->find("func_name");
    const std::string full = at != top.json->end() && at->is_string() ? at->get<std::string>() : stem;
    std::tie(t.name, t.budget) = split_budgeted_name(full);
    if (t.budget == 0)
      in_.error(Code::bad_value, top, "the name of the profile carries no budget", full.substr(0, 200),
                "NAME_<N>p");
  }

  std::int64_t integer(const JsonPlace& object, std::string_view key, std::int64_t min, std::int64_t max) {
    const auto place = in_.member(object, key);
    return place ? in_.integer(*place, min, max).value_or(0) : 0;
  }
  bool flag(const JsonPlace& object, std::string_view key) {
    const auto place = in_.member(object, key);
    return place && in_.flag(*place).value_or(false);
  }
  float number(const JsonPlace& object, std::string_view key) {
    const auto place = in_.member(object, key);
    return place ? float_box(*place) : 0;
  }

  float float_box(const JsonPlace& place) {
    if (!in_.is_object(place)) return 0;
    in_.known_members(place, kBoxKeys);
    const auto member = in_.member(place, "int");
    const auto value = member ? in_.integer(*member, -0x80000000LL, 0xffffffffLL) : std::nullopt;
    if (!value) return 0;
    const auto bits = static_cast<std::uint32_t>(*value);
    if (strict_) check_box(place, bits);
    return bits_float(bits);
  }

  // Strict mode: the informative members say the same as `int`.
  void check_box(const JsonPlace& place, std::uint32_t bits) {
    const BoxText text = box_text(bits);
    const std::pair<std::string_view, std::int64_t> numbers[] = {
        {"sign", text.sign}, {"exponent", text.exponent}, {"mantissa", text.mantissa}};
    for (const auto& [key, expected] : numbers)
      if (const auto member = in_.member(place, key)) in_.integer(*member, expected, expected);
    if (const auto hex = in_.member(place, "hexstring"); hex && *hex->json != text.hex)
      in_.error(Code::bad_value, *hex, "hexstring and int disagree", {}, text.hex);
    const auto decimal = in_.member(place, "float");
    if (!decimal) return;
    float value = 0;
    if (decimal->json->is_number()) {
      value = decimal->json->get<float>();
    } else {
      const std::string written = in_.text(*decimal).value_or("");
      std::from_chars(written.data(), written.data() + written.size(), value);
    }
    if (float_bits(value) != bits && !(std::isnan(value) && std::isnan(bits_float(bits))))
      in_.error(Code::bad_value, *decimal, "float and int disagree", {}, text.decimal);
  }

  Section section(const JsonPlace& place) {
    Section s;
    for (std::size_t i = 0; i < kSectionKeys.size(); ++i)
      s.*kSectionMembers[i] = number(place, kSectionKeys[i]);
    return s;
  }

  std::vector<Octave> octaves(const JsonPlace& top, std::string_view key) {
    std::vector<Octave> out;
    const auto place = in_.member(top, key);
    if (!place || !in_.is_array(*place)) return out;
    for (std::size_t i = 0; i < place->json->size(); ++i) out.push_back(octave(place->at(i)));
    return out;
  }

  Octave octave(const JsonPlace& place) {
    Octave o;
    if (!in_.is_object(place)) return o;
    in_.known_members(place, kOctaveKeys);
    o.exponent = static_cast<int>(integer(place, "exponent", -127, 128));
    o.extract_size = static_cast<std::uint32_t>(integer(place, "extract_size", 0, 11));
    const auto capacity = static_cast<std::int64_t>(o.capacity());
    integer(place, "num_sections", capacity, capacity);
    const auto sections = in_.member(place, "exponent_sections");
    if (!sections || !in_.is_array(*sections)) return o;
    if (sections->json->size() > o.capacity()) {
      in_.error(Code::bad_value, *sections, "the octave holds more sections than extract_size allows",
                std::to_string(sections->json->size()), std::to_string(capacity));
      return o;
    }
    for (std::size_t i = 0; i < sections->json->size(); ++i) {
      const JsonPlace one = sections->at(i);
      if (!in_.is_object(one)) continue;
      in_.known_members(one, kSectionKeys);
      o.sections.push_back(section(one));
    }
    return o;
  }

  void clamps(const JsonPlace& top, FunctionTable& t) {
    const auto place = in_.member(top, "saturation_points");
    if (!place || !in_.is_object(*place)) return;
    in_.known_members(*place, kClampNames);
    for (std::size_t i = 0; i < kClampNames.size(); ++i) {
      const auto point = in_.member(*place, kClampNames[i]);
      if (!point || !in_.is_object(*point)) continue;
      in_.known_members(*point, kClampKeys);
      auto& clamp = const_cast<ClampPoint&>(clamp_named(t, i));
      clamp.sat_point = static_cast<std::uint32_t>(integer(*point, "sat_point", 0, 255));
      clamp.mantissa_point = static_cast<std::uint32_t>(integer(*point, "mantissa_point", 0, 0x7fffff));
      clamp.section = section(*point);
    }
  }

  void check(const JsonPlace& top, const FunctionTable& t, std::int64_t lut_size) {
    if (lut_size != static_cast<std::int64_t>(t.lut_size()))
      in_.error(Code::bad_value, top, "lut_size is not the number of sections", std::to_string(lut_size),
                std::to_string(t.lut_size()));
    for (const Side* side : {&t.neg, &t.pos})
      for (std::size_t i = 0; i < side->octaves.size(); ++i)
        if (const int expected = t.exponent_offset + static_cast<int>(i);
            side->octaves[i].exponent != expected)
          return in_.error(Code::bad_value, top,
                           "the octaves do not ascend from exponent_offset in steps of one",
                           std::to_string(side->octaves[i].exponent), std::to_string(expected));
  }

  JsonReader& in_;
  bool strict_;
};

OrderedJson section_json(const Section& s) {
  OrderedJson j = OrderedJson::object();
  for (std::size_t i = 0; i < kSectionKeys.size(); ++i)
    j[std::string(kSectionKeys[i])] = box(s.*kSectionMembers[i]);
  return j;
}

OrderedJson octaves_json(const std::vector<Octave>& octaves) {
  OrderedJson out = OrderedJson::array();
  for (const Octave& o : octaves) {
    OrderedJson sections = OrderedJson::array();
    for (const Section& s : o.sections) sections.push_back(section_json(s));
    out.push_back({{"exponent", o.exponent},
                   {"num_sections", o.capacity()},
                   {"extract_size", o.extract_size},
                   {"exponent_sections", std::move(sections)}});
  }
  return out;
}

OrderedJson clamps_json(const FunctionTable& t) {
  OrderedJson out = OrderedJson::object();
  for (std::size_t i = 0; i < kClampNames.size(); ++i) {
    const ClampPoint& clamp = clamp_named(t, i);
    OrderedJson point = {{"sat_point", clamp.sat_point}, {"mantissa_point", clamp.mantissa_point}};
    point.update(section_json(clamp.section));
    out[std::string(kClampNames[i])] = std::move(point);
  }
  return out;
}

}  // namespace

std::string profile_file_name(std::string_view function, std::uint32_t budget) {
  return fmt::format("{}/{}.json", kProfileFolder, budgeted_name(function, budget));
}

Result<Profile> parse_profile(std::string_view text, const std::string& file, Strictness strictness,
                              Diagnostics& warnings) {
  const auto json = parse_ordered_json(text, file, kProfileLimits);
  if (!json) return json.error();
  JsonReader in(file, strictness, warnings);
  Profile profile =
      ProfileReader(in, strictness).read({&*json, ""}, std::filesystem::path(file).stem().string());
  if (!in.ok()) return in.take_errors();
  return profile;
}

std::string print_profile(const Profile& p) {
  const FunctionTable& t = p.table;
  OrderedJson j = {{"func_name", budgeted_name(t)},
                   {"pos_exponents", octaves_json(t.pos.octaves)},
                   {"neg_exponents", octaves_json(t.neg.octaves)},
                   {"saturation_points", clamps_json(t)},
                   {"symmetry_en", t.symmetry.enabled},
                   {"symmetry_invert_sign_opt", t.symmetry.invert_sign},
                   {"symmetry_opt_use_neg_region", t.symmetry.use_neg_region},
                   {"symmetry_point", box(t.symmetry.point)},
                   {"zero_result", box(t.specials.zero)},
                   {"nan_result", box(t.specials.nan)},
                   {"pinf_result", box(t.specials.pinf)},
                   {"ninf_result", box(t.specials.ninf)},
                   {"imm_bias", t.imm_bias},
                   {"exponent_offset", t.exponent_offset},
                   {"fma_const0", box(t.fma_const0)},
                   {"fma_const1", box(t.fma_const1)},
                   {"lower_bound", box(t.lower_bound)},
                   {"upper_bound", box(t.upper_bound)},
                   {"use_multipass", t.use_multipass},
                   {"max_diff", box(p.max_diff)},
                   {"lut_size", t.lut_size()},
                   {"neuron_id", p.neuron_id},
                   {"sunda_id", p.sunda_id},
                   {"tonga_id", p.tonga_id}};
  return j.dump(4, ' ', true, OrderedJson::error_handler_t::replace);
}

Profile make_profile(const FunctionTable& table, float max_diff) {
  Profile p{table, table.func_id, table.func_id, 0, max_diff};
  if (const FunctionInfo* info = find_function(table.name)) {
    p.neuron_id = p.sunda_id = static_cast<std::uint32_t>(info->neuron_code);
    p.tonga_id = static_cast<std::uint32_t>(info->tonga_id);
  }
  return p;
}

std::string profile_difference(const FunctionTable& from_blobs, const FunctionTable& from_profile) {
  for (const bool negative : {true, false}) {
    const Side& a = from_blobs.side(negative);
    const Side& b = from_profile.side(negative);
    const char* name = negative ? "negative" : "positive";
    if (a.octaves.size() != b.octaves.size()) return fmt::format("number of {} octaves", name);
    for (std::size_t i = 0; i < a.octaves.size(); ++i) {
      if (a.octaves[i].sections.size() != b.octaves[i].sections.size())
        return fmt::format("sections of {} octave {}", name, a.octaves[i].exponent);
      for (std::size_t k = 0; k < a.octaves[i].sections.size(); ++k)
        if (!(a.octaves[i].sections[k] == b.octaves[i].sections[k]))
          return fmt::format("section {} of {} octave {}", k, name, a.octaves[i].exponent);
    }
    if (!(a.low == b.low)) return fmt::format("{} low clamp", name);
    if (!(a.high == b.high)) return fmt::format("{} high clamp", name);
  }
  FunctionTable rest = from_profile;
  rest.neg = from_blobs.neg;
  rest.pos = from_blobs.pos;
  rest.func_id = from_blobs.func_id;
  rest.fma_indirection_src_sel = from_blobs.fma_indirection_src_sel;
  return rest == from_blobs ? "" : "symmetry, special results, bounds or constants";
}

}  // namespace act
