// Rules that compare the files of a set with each other, and the walk over a catalog.
#include "act/tables/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "act/tables/blobs.h"
#include "act/tables/layout.h"
#include "act/tables/profile.h"
#include "check_report.h"
#include "json_reader.h"

namespace act {
namespace {

void append(Diagnostics& to, Diagnostics from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

// V-03: one record, one act entry and one start of each kind for every function, under the same name and
// budget.
void check_counts(const RawSet& raw, CheckReport& report) {
  const Manifest& m = raw.manifest;
  const std::size_t counts[] = {raw.row.act.size(), m.profile_meta_data.size(),
                                m.func_to_bkt_start_idx.size(), m.func_to_ctl_start_idx.size()};
  if (!std::all_of(std::begin(counts), std::end(counts), [&](std::size_t n) { return n == counts[0]; }))
    return report.error("V-03", "act, profile_meta_data and the start maps have different sizes",
                        fmt::format("{}", fmt::join(counts, ", ")), "equal numbers");
  for (std::size_t i = 0; i < raw.row.act.size(); ++i) {
    const auto& [name, budget] = raw.row.act[i];
    if (m.profile_meta_data[i].func_name != budgeted_name(name, budget))
      report.error("V-03", fmt::format("record {} is not the function of the act map", i),
                   m.profile_meta_data[i].func_name, budgeted_name(name, budget));
  }
  if (m.bkt_bin != raw.row.bkt_bin)
    report.error("V-03", "the manifest names another bkt blob than the roster", m.bkt_bin, raw.row.bkt_bin);
  if (m.ctl_bin != raw.row.ctrl_bin)
    report.error("V-03", "the manifest names another ctrl blob than the roster", m.ctl_bin, raw.row.ctrl_bin);
}

bool all_zero(std::span<const std::uint8_t> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t b) { return b == 0; });
}

// V-06 and V-07: what no field owns is zero.
void check_padding(const RawSet& raw, CheckReport& report) {
  constexpr std::size_t kUsed = 20;
  for (std::size_t at = 0; at + kBktStride <= raw.bkt.size(); at += kBktStride)
    if (!all_zero(std::span(raw.bkt).subspan(at + kUsed, kBktStride - kUsed)))
      report.error("V-06", fmt::format("bytes 20 to 31 of bkt record {} are not zero", at / kBktStride), "",
                   "zero");
  const std::size_t stride = raw.stride();
  for (std::size_t at = 0; stride != 0 && at + stride <= raw.ctrl.size(); at += stride)
    if (!all_zero(std::span(raw.ctrl).subspan(at + 3, stride - 3)))
      report.error("V-07",
                   fmt::format("bits 31 to 24 or the padding of ctrl entry {} are not zero", at / stride), "",
                   "zero");
}

// The starts without the -1 that some writers put where a side lacks the octave (P-10).
OctaveStarts declared_starts(OctaveStarts octave) {
  std::erase(octave.starts, -1);
  return octave;
}

// V-10, V-13, V-14: counts and octave maps as the tables make them.
void check_octave_map(std::string_view what, const OctaveMap& found, const OctaveMap& expected,
                      const TableSet& set, CheckReport& report) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto& [name, octaves] = expected[i];
    const auto at = std::find_if(found.begin(), found.end(),
                                 [&, &n = name](const auto& entry) { return entry.first == n; });
    if (at == found.end()) {
      report.error("V-13", fmt::format("{}: the function is not in {}", name, what), "", "");
      continue;
    }
    const int first = at->second.empty() ? kNoOctaveOffset : at->second.front().exponent;
    if (first != set.functions[i].exponent_offset)
      report.error("V-14", fmt::format("{}: {} does not start at exp_offset", name, what),
                   std::to_string(first), std::to_string(set.functions[i].exponent_offset));
    else if (at->second.size() != octaves.size())
      report.error("V-13", fmt::format("{}: {} does not have the function's octaves", name, what),
                   std::to_string(at->second.size()), std::to_string(octaves.size()));
    else
      for (std::size_t k = 0; k < octaves.size(); ++k)
        if (declared_starts(at->second[k]) != octaves[k])
          report.error(
              "V-13",
              fmt::format("{}: {} differs from the ctrl words at octave {}", name, what, octaves[k].exponent),
              fmt::format("{}: {}", at->second[k].exponent, fmt::join(at->second[k].starts, ", ")),
              fmt::format("{}", fmt::join(octaves[k].starts, ", ")));
  }
}

void check_maps(const RawSet& raw, const TableSet& set, CheckReport& report) {
  const Manifest expected = make_manifest(set);
  const Manifest& m = raw.manifest;
  if (m.bkt_entry_cnt != expected.bkt_entry_cnt)
    report.error("V-10", "bkt_entry_cnt is not the sum of all sections and slots",
                 std::to_string(m.bkt_entry_cnt), std::to_string(expected.bkt_entry_cnt));
  if (m.ctl_entry_cnt != expected.ctl_entry_cnt)
    report.error("V-10", "ctl_entry_cnt is not the sum of all octaves", std::to_string(m.ctl_entry_cnt),
                 std::to_string(expected.ctl_entry_cnt));
  for (const auto& [bkt, start] : m.func_to_bkt_start_idx)
    if (!set.functions.empty() && bkt == set.functions.front().name && start != 0)
      report.error("V-10", "the first function does not start at record 0", std::to_string(start), "0");
  check_octave_map("func_exp_to_bkt_start_idx", m.func_exp_to_bkt_start_idx,
                   expected.func_exp_to_bkt_start_idx, set, report);
  check_octave_map("func_exp_to_ctl_start_idx", m.func_exp_to_ctl_start_idx,
                   expected.func_exp_to_ctl_start_idx, set, report);
}

// V-16: a profile beside the set says what the blobs say.
void check_profiles(const Folder& folder, const TableSet& set, const CatalogCheckOptions& options,
                    Diagnostics& out) {
  for (const FunctionTable& t : set.functions) {
    const std::string name = profile_file_name(t.name, t.budget);
    if (!folder.contains(name)) continue;
    CheckReport report(fmt::format("{}/{}", folder.label(), name));
    auto text = folder.read(name, std::uint64_t{16} << 20);
    if (!text) {
      append(out, text.error());
      continue;
    }
    auto profile =
        parse_profile(as_text(*text), fmt::format("{}/{}", folder.label(), name), options.strictness, out);
    if (!profile)
      append(out, profile.error());
    else if (const std::string difference = profile_difference(t, profile->table); !difference.empty())
      report.error("V-16",
                   fmt::format("the profile differs from the blobs of {}: {}", set.name(), difference), "",
                   "");
    append(out, report.take());
  }
}

// version.json: an object with one member, an object of texts (02 section 3).
void check_version(const Folder& folder, const CatalogCheckOptions& options, Diagnostics& out) {
  constexpr std::string_view kName = "version.json", kMember = "KaenaPWP";
  if (!folder.contains(kName)) {
    if (options.allow_absent_sets) return;  // a catalog in parts
    Diagnostic d = make_error(Code::missing_member, fmt::format("the catalog has no {}", kName));
    d.where.file = folder.label();
    out.push_back(std::move(d));
    return;
  }
  auto text = folder.read(kName, kTableJsonLimits.bytes);
  if (!text) return append(out, text.error());
  const std::string file = fmt::format("{}/{}", folder.label(), kName);
  const auto json = parse_catalog_json(as_text(*text), file);
  if (!json) return append(out, json.error());
  JsonReader in(file, options.strictness, out);
  const JsonPlace top{&*json, ""};
  if (in.is_object(top)) {
    in.known_members(top, std::array{kMember});
    if (const auto place = in.member(top, kMember); place && in.is_object(*place))
      for (const auto& item : place->json->items()) (void)in.text(place->at(item.key(), item.value()));
  }
  append(out, in.take_errors());
}

IdSpace id_space(const std::vector<RawSet>& sets) {
  const bool tonga = std::any_of(sets.begin(), sets.end(), [](const RawSet& s) {
    return s.present && s.stride() == ctrl_stride(IdSpace::tonga);
  });
  return tonga ? IdSpace::tonga : IdSpace::sunda;
}

}  // namespace

Diagnostics check_set(const RawSet& raw, const std::string& label, IdSpace ids,
                      const CatalogCheckOptions& options) {
  const std::string file = fmt::format("{}/{}", label, raw.row.profile_json);
  CheckReport report(file);
  check_counts(raw, report);
  check_padding(raw, report);
  if (const std::size_t stride = raw.stride(); stride != 0 && !raw.ctrl.empty() && stride != ctrl_stride(ids))
    report.error("V-05", "the sets of one catalog have two ctrl strides", std::to_string(stride),
                 std::to_string(ctrl_stride(ids)));
  Diagnostics out;
  auto set = set_of(raw, label);
  if (set) check_maps(raw, *set, report);
  append(out, report.take());
  if (!set) {
    append(out, set.error());
    return out;
  }
  Diagnostics tables = check_tables(*set, ids, options);
  for (Diagnostic& d : tables) d.where.file = file;
  append(out, std::move(tables));
  return out;
}

Diagnostics check_catalog(const Folder& folder, const CatalogCheckOptions& options) {
  Diagnostics out;
  const CatalogReadOptions reading{options.strictness, options.allow_absent_sets};
  auto text = folder.read("act_info.json", kMaxBlobBytes);
  if (!text) return text.error();
  auto rows =
      parse_roster(as_text(*text), fmt::format("{}/act_info.json", folder.label()), options.strictness, out);
  if (!rows) {
    append(out, rows.error());
    return out;
  }
  check_version(folder, options, out);
  // Each set on its own, so that one bad file does not hide the others.
  std::vector<RawSet> sets;
  for (const RosterRow& row : *rows) {
    auto set = read_raw_set(folder, row, reading, out);
    if (set)
      sets.push_back(std::move(*set));
    else
      append(out, set.error());
  }
  const IdSpace ids = id_space(sets);
  for (const RawSet& raw : sets) {
    if (!raw.present) continue;
    append(out, check_set(raw, folder.label(), ids, options));
    if (!options.profiles) continue;
    if (const auto set = set_of(raw, folder.label())) check_profiles(folder, *set, options, out);
  }
  return out;
}

}  // namespace act
