#include "act/tables/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "act/files/files.h"
#include "json_reader.h"

namespace act {
namespace {

using R = ManifestRecord;
constexpr std::int64_t kU32 = 0xffffffff, kMantissa = 0x7fffff, kIndex = 0xfffff;
constexpr auto kText = ManifestKind::text;
constexpr auto kInt = ManifestKind::integer;
constexpr auto kBits = ManifestKind::bits;
constexpr auto kBool = ManifestKind::boolean;

constexpr ManifestField kFields[] = {
    {"func_name", kText, &R::func_name, 0, 0, "name with its budget, exp_400p"},
    {"func_id", kInt, &R::func_id, 0, kU32, "silicon code in the id space of the catalog"},
    {"symmetry_point", kBits, &R::symmetry_point, 0, kU32, "added when the fold is undone"},
    {"sym_invert_sign_point", kInt, &R::sym_invert_sign_point, 0, 1, "negate when the fold is undone"},
    {"symmetry_opt_en", kInt, &R::symmetry_opt_en, 0, 1, "fold the input onto one side"},
    {"symmetry_opt_use_neg_region", kInt, &R::symmetry_opt_use_neg_region, 0, 1, "the negative side is the stored one"},
    {"imm_bias", kInt, &R::imm_bias, 0, 1, "an immediate bias is taken"},
    {"exp_offset", kInt, &R::exp_offset, -127, 128, "lowest unbiased octave, 128 without octaves"},
    {"pwl_control_base_pos", kInt, &R::pwl_control_base_pos, 0, kIndex, "ctrl index of the first positive octave"},
    {"pwl_control_base_neg", kInt, &R::pwl_control_base_neg, 0, kIndex, "ctrl index of the first negative octave"},
    {"small_pos_signal_exp_threshold", kInt, &R::small_pos_signal_exp_threshold, 0, 255, "biased exponent of the low clamp"},
    {"pos_small_signal_pwl_control", kInt, &R::pos_small_signal_pwl_control, 0, kIndex, "bkt index of the low slot"},
    {"small_neg_signal_exp_threshold", kInt, &R::small_neg_signal_exp_threshold, 0, 255, "the same, negative side"},
    {"neg_small_signal_pwl_control", kInt, &R::neg_small_signal_pwl_control, 0, kIndex, "bkt index of the low slot"},
    {"large_pos_signal_exp_threshold", kInt, &R::large_pos_signal_exp_threshold, 0, 255, "biased exponent of the high clamp"},
    {"large_pos_signal_mantissa_threshold", kInt, &R::large_pos_signal_mantissa_threshold, 0, kMantissa, "its mantissa"},
    {"pos_large_signal_pwl_control", kInt, &R::pos_large_signal_pwl_control, 0, kIndex, "bkt index of the high slot"},
    {"large_neg_signal_exp_threshold", kInt, &R::large_neg_signal_exp_threshold, 0, 255, "the same, negative side"},
    {"large_neg_signal_mantissa_threshold", kInt, &R::large_neg_signal_mantissa_threshold, 0, kMantissa, "its mantissa"},
    {"neg_large_signal_pwl_control", kInt, &R::neg_large_signal_pwl_control, 0, kIndex, "bkt index of the high slot"},
    {"fnan_result", kBits, &R::fnan_result, 0, kU32, "result for NaN"},
    {"fpinf_result", kBits, &R::fpinf_result, 0, kU32, "result for +inf"},
    {"fninf_result", kBits, &R::fninf_result, 0, kU32, "result for -inf"},
    {"fzero_result", kBits, &R::fzero_result, 0, kU32, "result for both zeros"},
    {"fma_const_0", kBits, &R::fma_const_0, 0, kU32, "constant after the cubic"},
    {"fma_const_1", kBits, &R::fma_const_1, 0, kU32, "constant after the cubic"},
    {"fma_indirection_src_sel", kInt, &R::fma_indirection_src_sel, 0, 63, "operand selector; 2 = slope of the instruction"},
    {"use_multipass", kBool, &R::use_multipass, 0, 1, "one of several passes"},
    {"lower_bound", kBits, &R::lower_bound, 0, kU32, "smallest valid folded input"},
    {"upper_bound", kBits, &R::upper_bound, 0, kU32, "largest valid folded input"},
};
static_assert(std::size(kFields) == 30);

// The nine top-level keys in the order of the file.
enum Key { bkt_bin, ctl_bin, profile_meta_data, bkt_entry_cnt, ctl_entry_cnt, bkt_starts, ctl_starts, bkt_octaves, ctl_octaves };
constexpr std::array<std::string_view, 9> kKeys = {
    "bkt_bin",       "ctl_bin",       "profile_meta_data",         "bkt_entry_cnt", "ctl_entry_cnt", "func_to_bkt_start_idx",
    "func_to_ctl_start_idx", "func_exp_to_bkt_start_idx", "func_exp_to_ctl_start_idx"};

class ManifestReader {
 public:
  ManifestReader(JsonReader& in) : in_(in) {}

  Manifest read(const JsonPlace& top) {
    Manifest m;
    if (!in_.is_object(top)) return m;
    in_.known_members(top, kKeys, "V-01");
    m.bkt_bin = file_name(top, bkt_bin);
    m.ctl_bin = file_name(top, ctl_bin);
    if (const auto place = key(top, profile_meta_data); place && in_.is_array(*place))
      for (std::size_t i = 0; i < place->json->size(); ++i) m.profile_meta_data.push_back(record(place->at(i)));
    m.bkt_entry_cnt = count(top, bkt_entry_cnt);
    m.ctl_entry_cnt = count(top, ctl_entry_cnt);
    m.func_to_bkt_start_idx = starts(top, bkt_starts);
    m.func_to_ctl_start_idx = starts(top, ctl_starts);
    m.func_exp_to_bkt_start_idx = octaves(top, bkt_octaves);
    m.func_exp_to_ctl_start_idx = octaves(top, ctl_octaves);
    return m;
  }

 private:
  std::optional<JsonPlace> key(const JsonPlace& top, Key k) { return in_.member(top, kKeys[k], "V-01"); }

  std::string file_name(const JsonPlace& top, Key k) {
    const auto place = key(top, k);
    std::string name = place ? in_.text(*place).value_or("") : "";
    if (name.empty()) return name;
    if (const Status inner = check_inner_name(name); !inner)
      in_.error(Code::bad_path, *place, inner.error()[0].message, inner.error()[0].value);
    return name;
  }

  std::uint32_t count(const JsonPlace& top, Key k) {
    const auto place = key(top, k);
    return place ? static_cast<std::uint32_t>(in_.integer(*place, 0, kIndex).value_or(0)) : 0;
  }

  ManifestRecord record(const JsonPlace& place) {
    static const std::vector<std::string_view> names = [] {
      std::vector<std::string_view> out;
      for (const ManifestField& f : kFields) out.push_back(f.name);
      return out;
    }();
    ManifestRecord r;
    if (!in_.is_object(place)) return r;
    in_.known_members(place, names, "V-02");
    for (const ManifestField& f : kFields)
      if (const auto member = in_.member(place, f.name, "V-02")) read_field(r, f, *member);
    return r;
  }

  void read_field(ManifestRecord& r, const ManifestField& f, const JsonPlace& place) {
    if (const auto text = std::get_if<std::string R::*>(&f.member)) r.**text = in_.text(place).value_or("");
    if (const auto flag = std::get_if<bool R::*>(&f.member)) r.**flag = in_.boolean(place).value_or(false);
    if (const auto number = std::get_if<int R::*>(&f.member))
      r.**number = static_cast<int>(in_.integer(place, f.min, f.max).value_or(f.min));
    if (const auto number = std::get_if<std::uint32_t R::*>(&f.member))
      r.**number = static_cast<std::uint32_t>(in_.integer(place, f.min, f.max).value_or(f.min));
  }

  StartMap starts(const JsonPlace& top, Key k) {
    StartMap out;
    const auto place = key(top, k);
    if (!place || !in_.is_object(*place)) return out;
    for (const auto& item : place->json->items())
      if (const auto n = in_.integer(place->at(item.key(), item.value()), 0, kIndex))
        out.emplace_back(item.key(), static_cast<std::uint32_t>(*n));
    return out;
  }

  OctaveMap octaves(const JsonPlace& top, Key k) {
    OctaveMap out;
    const auto place = key(top, k);
    if (!place || !in_.is_object(*place)) return out;
    for (const auto& item : place->json->items()) {
      const JsonPlace function = place->at(item.key(), item.value());
      if (!in_.is_object(function)) continue;
      std::vector<OctaveStarts> list;
      for (const auto& octave : function.json->items()) list.push_back(octave_starts(function.at(octave.key(), octave.value()), octave.key()));
      out.emplace_back(item.key(), std::move(list));
    }
    return out;
  }

  OctaveStarts octave_starts(const JsonPlace& place, const std::string& name) {
    OctaveStarts o;
    const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), o.exponent);
    if (problem != std::errc{} || end != name.data() + name.size() || o.exponent < -127 || o.exponent > 128)
      in_.error(Code::bad_value, place, "the key is no octave", fmt::format("{:?}", name.substr(0, 40)), "-127..128");
    if (!in_.is_array(place)) return o;
    if (place.json->empty() || place.json->size() > 2) {
      in_.error(Code::bad_value, place, "an octave has one start a stored side", std::to_string(place.json->size()), "1 or 2");
      return o;
    }
    for (std::size_t i = 0; i < place.json->size(); ++i)
      if (const auto n = in_.integer(place.at(i), -1, kIndex)) o.starts.push_back(*n);
    return o;
  }

  JsonReader& in_;
};

OrderedJson record_json(const ManifestRecord& r) {
  OrderedJson j = OrderedJson::object();
  for (const ManifestField& f : kFields)
    std::visit([&](auto member) { j[std::string(f.name)] = r.*member; }, f.member);
  return j;
}

OrderedJson octave_map_json(const OctaveMap& map) {
  OrderedJson j = OrderedJson::object();
  for (const auto& [name, octaves] : map) {
    OrderedJson function = OrderedJson::object();
    for (const OctaveStarts& o : octaves) function[std::to_string(o.exponent)] = o.starts;
    j[name] = std::move(function);
  }
  return j;
}

OrderedJson start_map_json(const StartMap& map) {
  OrderedJson j = OrderedJson::object();
  for (const auto& [name, start] : map) j[name] = start;
  return j;
}

}  // namespace

std::span<const ManifestField> manifest_fields() { return kFields; }

Result<Manifest> parse_manifest(std::string_view text, const std::string& file, Strictness strictness,
                                Diagnostics& warnings) {
  const auto json = parse_catalog_json(text, file);
  if (!json) return json.error();
  JsonReader in(file, strictness, warnings);
  Manifest manifest = ManifestReader(in).read({&*json, ""});
  if (!in.ok()) return in.take_errors();
  return manifest;
}

std::string print_manifest(const Manifest& m) {
  OrderedJson records = OrderedJson::array();
  for (const ManifestRecord& r : m.profile_meta_data) records.push_back(record_json(r));
  OrderedJson j = OrderedJson::object();
  const auto put = [&j](Key k, OrderedJson value) { j[std::string(kKeys[k])] = std::move(value); };
  put(bkt_bin, m.bkt_bin);
  put(ctl_bin, m.ctl_bin);
  put(profile_meta_data, std::move(records));
  put(bkt_entry_cnt, m.bkt_entry_cnt);
  put(ctl_entry_cnt, m.ctl_entry_cnt);
  put(bkt_starts, start_map_json(m.func_to_bkt_start_idx));
  put(ctl_starts, start_map_json(m.func_to_ctl_start_idx));
  put(bkt_octaves, octave_map_json(m.func_exp_to_bkt_start_idx));
  put(ctl_octaves, octave_map_json(m.func_exp_to_ctl_start_idx));
  return j.dump(4, ' ', true, OrderedJson::error_handler_t::replace);
}

}  // namespace act
