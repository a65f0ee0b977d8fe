#include "act/tables/device_image.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "act/rows/record.h"
#include "act/tables/blobs.h"
#include "act/tables/check.h"
#include "act/tables/evaluate.h"
#include "act/tables/functions.h"
#include "act/tables/layout.h"
#include "act/tables/multipass.h"

namespace act {
namespace {

constexpr std::uint64_t kCamOpcode = 0x21, kCamOpcodeMask = 0xF8, kCamFuncMask = 0xFF;  // 0x20 to 0x27 (P-21)

MutableRecord entry(Bytes& table, std::size_t index, std::size_t size) {
  return std::span(table).subspan(index * size, size);
}
Record entry(const Bytes& table, std::size_t index, std::size_t size) {
  return std::span(table).subspan(index * size, size);
}

std::uint64_t field(Record r, const Format& format, std::string_view name) {
  return get(r, *format.find(name));
}
void set_field(MutableRecord r, const Format& format, std::string_view name, std::uint64_t value) {
  put(r, *format.find(name), value);
}

std::int64_t member_value(const ManifestRecord& r, const ManifestMember& member) {
  if (const auto p = std::get_if<std::uint32_t ManifestRecord::*>(&member)) return r.**p;
  if (const auto p = std::get_if<int ManifestRecord::*>(&member)) return r.**p;
  return 0;
}

void add_to_member(ManifestRecord& r, const ManifestMember& member, std::int64_t value) {
  if (const auto p = std::get_if<std::uint32_t ManifestRecord::*>(&member))
    r.** p += static_cast<std::uint32_t>(value);
  if (const auto p = std::get_if<int ManifestRecord::*>(&member)) r.** p += static_cast<int>(value);
}

void put_profile(MutableRecord entry, const ManifestRecord& r) {
  for (const ProfileRow& row : profile_rows()) {
    const std::uint64_t value =
        row.from_manifest ? static_cast<std::uint64_t>(member_value(r, row.member) + row.add) >> row.shift
                          : row.constant;
    put(entry, row.field, value & detail::width_mask(row.field.width));
  }
  const bool parametric = r.fma_indirection_src_sel == kParametricSelector;
  set_field(entry, profile_format(), "pwl_bypass", parametric ? 1 : 0);
}

// The manifest record an entry carries; members in two pieces add up.
ManifestRecord get_profile(Record entry) {
  ManifestRecord r;
  for (const ProfileRow& row : profile_rows())
    if (row.from_manifest)
      add_to_member(r, row.member, static_cast<std::int64_t>(get(entry, row.field) << row.shift) - row.add);
  return r;
}

// The domain of a pass of a multipass function.
Status put_passes(const TableSet& set, Bytes& profile) {
  const auto functions = multipass_functions(set);
  if (!functions) return functions.error();
  for (const Multipass& function : *functions)
    for (const Pass& pass : function.passes) {
      const auto slot = static_cast<std::size_t>(set.find(pass.table.name) - set.functions.data());
      const MutableRecord at = entry(profile, slot, kProfileBytes);
      set_field(at, profile_format(), "mp_high_threshold", float_bits(pass.high));
      set_field(at, profile_format(), "mp_low_threshold", float_bits(pass.low));
      set_field(at, profile_format(), "mp_low_threshold_config", static_cast<std::uint64_t>(pass.low_bound));
    }
  return Done{};
}

Diagnostic too_many(std::string_view what, std::size_t count, std::size_t most) {
  Diagnostic d = make_error(Code::capacity, fmt::format("the device holds fewer {}", what));
  d.rule = "V-17";
  d.value = std::to_string(count);
  d.allowed = fmt::format("up to {}", most);
  return d;
}

}  // namespace

Result<DeviceImage> build_image(const TableSet& set, Generation generation) {
  const SetLayout layout = layout_of(set.functions);
  if (set.functions.size() > kMaxProfiles) return too_many("functions", set.functions.size(), kMaxProfiles);
  if (layout.bkt_entries > kMaxBuckets) return too_many("buckets", layout.bkt_entries, kMaxBuckets);
  if (layout.ctrl_entries > kMaxControls)
    return too_many("control entries", layout.ctrl_entries, kMaxControls);
  const auto words = ctrl_words(set.functions);
  if (!words) return words.error();
  DeviceImage image{generation, Bytes(set.functions.size() * kCamBytes),
                    Bytes(set.functions.size() * kProfileBytes), pack_ctrl_blob(*words, kControlBytes),
                    pack_bkt(bkt_records(set.functions))};
  const Format& cam = cam_format(generation);
  for (std::size_t i = 0; i < set.functions.size(); ++i) {
    const FunctionLayout& l = layout.functions[i];
    if (std::max(l.ctrl_start, l.ctrl_base_pos) > kMaxControlBase)
      return too_many("control bases", std::max(l.ctrl_start, l.ctrl_base_pos), kMaxControlBase);
    if (set.functions[i].func_id > 0xff) return too_many("function codes", set.functions[i].func_id, 0xff);
    const MutableRecord key = entry(image.cam, i, kCamBytes);
    set_field(key, cam, "opcode", kCamOpcode);
    set_field(key, cam, "opcode_mask", kCamOpcodeMask);
    set_field(key, cam, "func_id", set.functions[i].func_id);
    set_field(key, cam, "func_id_mask", kCamFuncMask);
    set_field(key, cam, "valid", 1);
    put_profile(entry(image.profile, i, kProfileBytes), manifest_record(set.functions[i], l));
  }
  if (Status passes = put_passes(set, image.profile); !passes) return passes.error();
  return image;
}

Result<std::vector<FunctionTable>> read_image(const DeviceImage& image) {
  const std::pair<const Bytes*, std::size_t> tables[] = {{&image.cam, kCamBytes},
                                                         {&image.profile, kProfileBytes},
                                                         {&image.control, kControlBytes},
                                                         {&image.bucket, kBucketBytes}};
  const std::size_t most[] = {kMaxCamEntries, kMaxProfiles, kMaxControls, kMaxBuckets};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto& [bytes, size] = tables[i];
    if (bytes->size() % size != 0)
      return make_error(Code::bad_size,
                        fmt::format("a device table is no multiple of its entry of {} bytes", size));
    if (bytes->size() / size > most[i]) return too_many("entries", bytes->size() / size, most[i]);
  }
  const std::vector<std::uint32_t> words = unpack_ctrl_blob(image.control, kControlBytes);
  Manifest m;
  for (std::size_t i = 0; i < image.cam.size() / kCamBytes && i < image.profile.size() / kProfileBytes; ++i) {
    const Record key = entry(image.cam, i, kCamBytes);
    if (field(key, cam_format(image.generation), "valid") == 0) continue;
    ManifestRecord r = get_profile(entry(image.profile, i, kProfileBytes));
    r.func_id = static_cast<std::uint32_t>(field(key, cam_format(image.generation), "func_id"));
    const FunctionInfo* info = find_function_by_code(static_cast<int>(r.func_id));
    const std::string name = info != nullptr ? std::string(info->name) : fmt::format("func_{}", r.func_id);
    r.func_name = budgeted_name(name, 1);
    m.profile_meta_data.push_back(std::move(r));
  }
  // The device stores no start of a function: its words begin at its negative base and end where the next
  // one's begin.
  for (std::size_t i = 0; i < m.profile_meta_data.size(); ++i) {
    const ManifestRecord& r = m.profile_meta_data[i];
    const std::size_t end =
        i + 1 < m.profile_meta_data.size() ? m.profile_meta_data[i + 1].pwl_control_base_neg : words.size();
    const bool has_words = r.pwl_control_base_neg < end && r.pwl_control_base_neg < words.size();
    const std::string name = split_budgeted_name(r.func_name).first;
    m.func_to_ctl_start_idx.emplace_back(name, r.pwl_control_base_neg);
    m.func_to_bkt_start_idx.emplace_back(name, has_words ? unpack_ctrl(words[r.pwl_control_base_neg]).bkt_base
                                                         : r.pos_small_signal_pwl_control);
  }
  return functions_of(m, unpack_bkt(image.bucket), words, "device image");
}

std::string image_map(const TableSet& set, const DeviceImage& image) {
  using Json = nlohmann::ordered_json;
  const std::pair<std::string_view, std::pair<const Bytes*, std::size_t>> tables[] = {
      {"cam", {&image.cam, kCamBytes}},
      {"profile", {&image.profile, kProfileBytes}},
      {"control", {&image.control, kControlBytes}},
      {"bucket", {&image.bucket, kBucketBytes}}};
  Json j = {{"set", set.name()},
            {"generation", generation_name(image.generation)},
            {"profile_layout", "OPEN-1"},
            {"tables", Json::array()},
            {"functions", Json::array()}};
  if (device_regions(image.generation).empty()) j["note"] = "no addresses are published for this generation";
  if (image.generation == Generation::maverick) j["note"] = "offsets inside a DVE block; a TPB has four";
  for (const auto& [name, content] : tables) {
    const auto& [bytes, size] = content;
    Json table = {{"table", name},
                  {"file", fmt::format("{}.bin", name)},
                  {"entry_bytes", size},
                  {"entries", bytes->size() / size}};
    for (const DeviceRegion& region : device_regions(image.generation)) {
      if (region.table != name) continue;
      table["region"] = region.region;
      table[image.generation == Generation::maverick ? "offset" : "address"] =
          fmt::format("0x{:x}", region.base);
      table["region_bytes"] = region.bytes;
      table["capacity"] = region.bytes / size;
    }
    j["tables"].push_back(std::move(table));
  }
  const SetLayout layout = layout_of(set.functions);
  for (std::size_t i = 0; i < set.functions.size(); ++i) {
    const FunctionLayout& l = layout.functions[i];
    j["functions"].push_back({{"function", set.functions[i].name},
                              {"func_id", set.functions[i].func_id},
                              {"cam_entry", i},
                              {"profile_slot", i},
                              {"control_base_neg", l.ctrl_start},
                              {"control_base_pos", l.ctrl_base_pos},
                              {"first_bucket", l.bkt_start},
                              {"end_bucket", l.bkt_end()}});
  }
  return j.dump(4) + "\n";
}

}  // namespace act
