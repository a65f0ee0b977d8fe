#include "act/sim/device_tables.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "act/rows/check.h"

namespace act::sim {
namespace {

constexpr std::size_t kCamEntries = 128, kProfileSlots = 64;

std::uint64_t field(Record record, const Format& format, std::string_view name) {
  const Field* f = format.find(name);
  return f == nullptr ? 0 : get(record, *f);
}

// PROFILE fields that the evaluation knows; mp_* are the domain of a pass, which ACTIVATE_MULTIPASS applies.
constexpr std::string_view kModelled[] = {
    "pwl_bypass", "symmetry_opt_en", "symmetry_opt_use_neg_region", "func_sym_inv_sign", "symmetry_point", "exponent_offset",
    "small_pos_signal_threshold", "small_neg_signal_threshold", "large_pos_signal_threshold", "large_neg_signal_threshold",
    "pwl_control_base_pos", "pwl_control_base_neg", "large_pos_pwl_control", "large_pos_mantissa_msbs", "large_neg_pwl_control",
    "large_neg_mantissa_msbs", "small_pos_pwl_control", "small_pos_mantissa_msbs", "small_neg_pwl_control", "small_neg_mantissa_msbs",
    "large_pos_mantissa_lsbs", "large_pos_compare_enable", "large_neg_mantissa_lsbs", "large_neg_compare_enable",
    "small_pos_mantissa_lsbs", "small_pos_compare_enable", "small_neg_mantissa_lsbs", "small_neg_compare_enable", "bias_fuse_en",
    "bias_const", "scale_fuse_en", "scale_const", "fma_bypass", "bias_scale_fma_bypass", "fma_indirection_src_sel", "fma_const0",
    "fma_const1", "mp_high_threshold", "mp_low_threshold", "mp_low_threshold_config", "func_rslt_for_zero", "func_rslt_for_nan",
    "func_rslt_for_pos_inf", "func_rslt_for_neg_inf"};

bool modelled(std::string_view name) {
  for (const std::string_view m : kModelled)
    if (m == name) return true;
  return false;
}

// Empty when the word holds nothing but what is modelled.
std::string unmodelled(Record word) {
  for (const ProfileRow& row : profile_rows()) {
    const std::uint64_t value = get(word, row.field);
    const bool flag = row.field.name.starts_with("symmetry_opt_") || row.field.name == "func_sym_inv_sign";
    const bool type = row.field.name.ends_with("_dtype_sel");
    if (type && value != row.constant) return fmt::format("{} = {}, only FP32 is modelled", row.field.name, value);
    if (flag && value > 1) return fmt::format("{} = {}, only 0 and 1 are modelled", row.field.name, value);
    if (!type && !modelled(row.field.name) && value != 0) return fmt::format("{} = {} is not modelled", row.field.name, value);
  }
  std::string found;
  check_reserved(word, profile_format(), [&](const Reserved& r) { found = fmt::format("bytes {}..{} are not zero", r.byte, r.byte + r.bytes - 1); });
  const std::uint64_t selector = field(word, profile_format(), "fma_indirection_src_sel");
  if (found.empty() && selector != 0 && selector != kParametricSelector) return fmt::format("fma_indirection_src_sel = {} is not modelled", selector);
  return found;
}

DeviceProfile::Side side_of(Record word, std::string_view sign) {
  const Format& f = profile_format();
  const auto of = [&](std::string_view prefix, std::string_view name) {
    return static_cast<std::uint32_t>(field(word, f, fmt::format("{}_{}_{}", prefix, sign, name)));
  };
  DeviceProfile::Side s;
  s.low_exponent = of("small", "signal_threshold");
  s.high_exponent = of("large", "signal_threshold");
  s.low_mantissa = of("small", "mantissa_msbs") << 11 | of("small", "mantissa_lsbs");
  s.high_mantissa = of("large", "mantissa_msbs") << 11 | of("large", "mantissa_lsbs");
  s.low_compares = of("small", "compare_enable") != 0;
  s.high_compares = of("large", "compare_enable") != 0;
  s.low_bucket = of("small", "pwl_control") & 0x7FF;
  s.high_bucket = of("large", "pwl_control") & 0x7FF;
  s.control_base = static_cast<std::uint32_t>(field(word, f, fmt::format("pwl_control_base_{}", sign)));
  return s;
}

float quiet(float v) { return std::isnan(v) ? bits_float(kQuietNanBits) : v; }

}  // namespace

Status DeviceTables::stage(const TableSet& set, Generation generation) {
  Result<DeviceImage> image = build_image(set, generation);
  if (!image) return std::move(image).error();
  return stage(*image);
}

Status DeviceTables::stage(const DeviceImage& image) {
  if (image.cam.size() % kCamBytes != 0 || image.profile.size() % kProfileBytes != 0 || image.control.size() % kControlBytes != 0 ||
      image.bucket.size() % kBucketBytes != 0 || image.cam.size() > kCamEntries * kCamBytes || image.profile.size() > kProfileSlots * kProfileBytes)
    return make_error(Code::bad_size, "a device table that is no whole number of entries, or larger than its memory");
  generation_ = image.generation;
  cam_ = image.cam;
  profile_ = image.profile;
  control_.assign(image.control.size() / kControlBytes, 0);
  for (std::size_t i = 0; i < control_.size(); ++i) std::memcpy(&control_[i], image.control.data() + i * kControlBytes, 4);
  buckets_.assign(image.bucket.size() / kBucketBytes, {});
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    float d[5];
    std::memcpy(d, image.bucket.data() + i * kBucketBytes, sizeof d);
    buckets_[i] = {d[0], d[1], d[2], d[3], d[4]};
  }
  transfers_.clear();
  const std::pair<std::string_view, std::size_t> tables[] = {{"cam", cam_.size()}, {"profile", profile_.size()}, {"control", image.control.size()}, {"bucket", image.bucket.size()}};
  for (const auto& [table, bytes] : tables) {
    bool placed = false;
    for (const DeviceRegion& r : device_regions(generation_)) {
      if (r.table != table) continue;
      transfers_.push_back({std::string(table), std::string(r.region), r.base, bytes});
      placed = true;
    }
    for (const DeviceRegion& r : device_shadows(generation_))
      if (r.table == table) transfers_.push_back({std::string(table), std::string(r.region), r.base, bytes});
    if (!placed) transfers_.push_back({std::string(table), {}, 0, bytes});
  }
  return Done{};
}

std::optional<unsigned> DeviceTables::match(std::uint8_t opcode, std::uint8_t function) const {
  const Format& f = cam_format(generation_);
  for (unsigned i = 0; i < cam_.size() / kCamBytes; ++i) {
    const Record entry(cam_.data() + i * kCamBytes, kCamBytes);
    if (field(entry, f, "valid") == 0) continue;
    const auto differs = [&](std::uint8_t value, std::string_view name, std::string_view mask) {
      return ((value ^ field(entry, f, name)) & field(entry, f, mask)) != 0;
    };
    if (differs(opcode, "opcode", "opcode_mask") || differs(function, "func_id", "func_id_mask")) continue;
    return i % kProfileSlots;
  }
  return std::nullopt;
}

Result<DeviceProfile> DeviceTables::profile(unsigned slot) const {
  if ((slot + 1) * kProfileBytes > profile_.size()) return make_error(Code::table_rule, fmt::format("PROFILE slot {} was not staged", slot));
  const Record word(profile_.data() + slot * kProfileBytes, kProfileBytes);
  if (const std::string what = unmodelled(word); !what.empty())
    return make_error(Code::table_rule, fmt::format("PROFILE slot {}: {}", slot, what));
  const Format& f = profile_format();
  const auto u32 = [&](std::string_view name) { return static_cast<std::uint32_t>(field(word, f, name)); };
  DeviceProfile p;
  p.bypass = u32("pwl_bypass") != 0;
  p.parametric = u32("fma_indirection_src_sel") == kParametricSelector;
  p.folds = u32("symmetry_opt_en") != 0;
  p.stores_negative = u32("symmetry_opt_use_neg_region") != 0;
  p.inverts = u32("func_sym_inv_sign") != 0;
  p.symmetry_point = bits_float(u32("symmetry_point"));
  p.exponent_offset = u32("exponent_offset");
  p.neg = side_of(word, "neg");
  p.pos = side_of(word, "pos");
  p.fuses_bias = u32("bias_fuse_en") != 0;
  p.fuses_scale = u32("scale_fuse_en") != 0;
  p.bypasses_affine = generation_ != Generation::sunda && u32("bias_scale_fma_bypass") != 0;
  p.bias = bits_float(u32("bias_const"));
  p.scale = bits_float(u32("scale_const"));
  p.fma_bypass = u32("fma_bypass");
  p.zero = u32("func_rslt_for_zero");
  p.nan = u32("func_rslt_for_nan");
  p.pos_inf = u32("func_rslt_for_pos_inf");
  p.neg_inf = u32("func_rslt_for_neg_inf");
  return p;
}

// CONTROL extract and BUCKET of a folded, finite, non-zero input.
const Section* DeviceTables::select(const DeviceProfile& p, float selected) const {
  const std::uint32_t bits = float_bits(selected), e = bits >> 23 & 255, m = bits & 0x7FFFFF;
  const DeviceProfile::Side& s = (bits >> 31) != 0 ? p.neg : p.pos;
  if (e > s.high_exponent || (s.high_compares && e == s.high_exponent && m >= s.high_mantissa)) return section(s.high_bucket);
  if (e < s.low_exponent || (s.low_compares && e == s.low_exponent && m <= s.low_mantissa)) return section(s.low_bucket);
  const std::size_t at = std::size_t{s.control_base} + e - p.exponent_offset;
  if (e < p.exponent_offset || at >= control_.size()) return nullptr;
  const std::uint32_t base = control_[at] & 0x7FF, lsb = control_[at] >> 11 & 31, size = control_[at] >> 16 & 15;
  return section(base + (m >> lsb & ((1u << size) - 1)));
}

float DeviceTables::evaluate(const DeviceProfile& p, float v, const EvalPolicy& policy, float alpha) const {
  const bool direct = p.parametric && policy.parametric == ParametricPolicy::direct;
  if (p.bypass && direct) return v > 0 ? v : quiet(v * alpha);
  if (p.bypass && !p.parametric) return v;
  if (v == 0) return bits_float(p.zero);
  if (std::isinf(v)) return bits_float(v > 0 ? p.pos_inf : p.neg_inf);
  if (std::isnan(v)) return bits_float(policy.nan == NanPolicy::nan_result ? p.nan : kQuietNanBits);
  const float selected = !p.folds ? v : p.stores_negative ? -std::fabs(v) : std::fabs(v);
  const Section* found = select(p, selected);
  if (found == nullptr) return bits_float(kQuietNanBits);
  Section s = *found;
  if ((p.fma_bypass & 1) != 0) s.d1 = 0;
  if ((p.fma_bypass & 2) != 0) s.d2 = 0;
  if ((p.fma_bypass & 4) != 0) s.d3 = 0;
  float result = evaluate_cubic(s, selected);
  const bool mirrored = policy.recon == ReconPolicy::literal ? v < 0 : (v < 0) != (selected < 0);
  if (p.folds && mirrored) result = (p.inverts ? -result : result) + p.symmetry_point;
  return quiet(result);
}

}  // namespace act::sim
