// Layouts of the device tables (02 section 15) and their addresses (section 16), as rows.
#include <array>

#include "act/tables/device_image.h"
#include "act/tables/evaluate.h"

namespace act {
namespace {

using M = ManifestRecord;

constexpr Field bits(std::string_view name, unsigned high, unsigned low, std::string_view doc) {
  return {.name = name, .bit = low, .width = high - low + 1, .doc = doc};
}

// Field that carries a manifest member.
template <class T>
constexpr ProfileRow carries(Field field, Evidence evidence, T M::*member, int shift = 0, int add = 0) {
  return {.field = field, .evidence = evidence, .from_manifest = true, .member = member, .shift = shift, .add = add};
}
constexpr ProfileRow fixed(Field field, Evidence evidence, std::uint64_t constant = 0) {
  return {.field = field, .evidence = evidence, .constant = constant};
}

constexpr auto A = Evidence::anchored;
constexpr auto D = Evidence::derived;
constexpr auto X = Evidence::placed;
constexpr std::uint64_t kFp32 = 0xA;

// OPEN-1. Columns: field, how its position is known, manifest member (or the constant written).
constexpr ProfileRow kProfile[] = {
    fixed(bits("bias_dtype_sel", 3, 0, "type of the bias"), X, kFp32),
    fixed(bits("scale_dtype_sel", 7, 4, "type of the scale"), X, kFp32),
    fixed(bits("reserved_8", 31, 8, "reserved"), X),
    fixed(bits("pwl_bypass", 32, 32, "the function takes no table"), A),
    carries(bits("symmetry_opt_en", 34, 33, "fold the input"), D, &M::symmetry_opt_en),
    carries(bits("symmetry_opt_use_neg_region", 36, 35, "the negative side is stored"), D, &M::symmetry_opt_use_neg_region),
    carries(bits("func_sym_inv_sign", 38, 37, "negate when the fold is undone"), D, &M::sym_invert_sign_point),
    fixed(bits("sub_src_sel", 39, 39, "operand of the subtraction"), D),
    carries(bits("symmetry_point", 71, 40, "added when the fold is undone"), D, &M::symmetry_point),
    carries(bits("exponent_offset", 79, 72, "biased exponent of the lowest octave (P-23)"), A, &M::exp_offset, 0, 127),
    carries(bits("small_pos_signal_threshold", 87, 80, "biased exponent of the low clamp"), X, &M::small_pos_signal_exp_threshold),
    carries(bits("small_neg_signal_threshold", 95, 88, "the same, negative side"), X, &M::small_neg_signal_exp_threshold),
    carries(bits("large_pos_signal_threshold", 103, 96, "biased exponent of the high clamp"), X, &M::large_pos_signal_exp_threshold),
    carries(bits("large_neg_signal_threshold", 111, 104, "the same, negative side"), X, &M::large_neg_signal_exp_threshold),
    carries(bits("pwl_control_base_pos", 119, 112, "first control entry of the positive side"), X, &M::pwl_control_base_pos),
    carries(bits("pwl_control_base_neg", 127, 120, "first control entry of the negative side"), X, &M::pwl_control_base_neg),
    fixed(bits("ctrl_table_select_logic", 159, 128, "not documented"), X),
    carries(bits("large_pos_pwl_control", 179, 160, "bucket of the high clamp"), X, &M::pos_large_signal_pwl_control),
    carries(bits("large_pos_mantissa_msbs", 191, 180, "mantissa of the high clamp, upper 12 bits"), X, &M::large_pos_signal_mantissa_threshold, 11),
    carries(bits("large_neg_pwl_control", 211, 192, "bucket of the high clamp"), X, &M::neg_large_signal_pwl_control),
    carries(bits("large_neg_mantissa_msbs", 223, 212, "mantissa of the high clamp, upper 12 bits"), X, &M::large_neg_signal_mantissa_threshold, 11),
    carries(bits("small_pos_pwl_control", 243, 224, "bucket of the low clamp"), X, &M::pos_small_signal_pwl_control),
    fixed(bits("small_pos_mantissa_msbs", 255, 244, "mantissa of the low clamp"), X),
    carries(bits("small_neg_pwl_control", 275, 256, "bucket of the low clamp"), X, &M::neg_small_signal_pwl_control),
    fixed(bits("small_neg_mantissa_msbs", 287, 276, "mantissa of the low clamp"), X),
    carries(bits("large_pos_mantissa_lsbs", 298, 288, "mantissa of the high clamp, lower 11 bits"), X, &M::large_pos_signal_mantissa_threshold),
    fixed(bits("large_pos_compare_enable", 299, 299, "compare the mantissa"), X, 1),
    carries(bits("large_neg_mantissa_lsbs", 310, 300, "mantissa of the high clamp, lower 11 bits"), X, &M::large_neg_signal_mantissa_threshold),
    fixed(bits("large_neg_compare_enable", 311, 311, "compare the mantissa"), X, 1),
    fixed(bits("small_pos_mantissa_lsbs", 322, 312, "mantissa of the low clamp"), X),
    fixed(bits("small_pos_compare_enable", 323, 323, "compare the mantissa"), X, 1),
    fixed(bits("small_neg_mantissa_lsbs", 334, 324, "mantissa of the low clamp"), X),
    fixed(bits("small_neg_compare_enable", 335, 335, "compare the mantissa"), X, 1),
    fixed(bits("reserved_336", 351, 336, "reserved"), X),
    fixed(bits("bias_imm_val_sel", 354, 352, "not documented"), X),
    fixed(bits("bias_fuse_en", 355, 355, "not documented"), X),
    fixed(bits("bias_src_sel", 357, 356, "not documented"), X),
    fixed(bits("bias_const", 389, 358, "constant bias"), X),
    fixed(bits("scale_imm_val_sel", 392, 390, "not documented"), X),
    fixed(bits("scale_fuse_en", 393, 393, "not documented"), X),
    fixed(bits("scale_src_sel", 395, 394, "not documented"), X),
    fixed(bits("scale_const", 427, 396, "constant scale"), X),
    fixed(bits("reserved_428", 431, 428, "reserved"), X),
    fixed(bits("fma_bypass", 434, 432, "not documented"), D),
    fixed(bits("bias_scale_fma_bypass", 435, 435, "CAYMAN and later; reserved on SUNDA"), A),
    fixed(bits("reserved_436", 439, 436, "reserved"), A),
    carries(bits("fma_indirection_src_sel", 445, 440, "operand selector of the last stage"), X, &M::fma_indirection_src_sel),
    fixed(bits("reserved_446", 447, 446, "reserved"), X),
    fixed(bits("fma_src_sel0", 451, 448, "not documented"), X),
    fixed(bits("fma_src_sel1", 455, 452, "not documented"), X),
    fixed(bits("fma_src_sel2", 459, 456, "not documented"), X),
    fixed(bits("fma_src_sel3", 463, 460, "not documented"), X),
    fixed(bits("fma_src_sel4", 467, 464, "not documented"), X),
    fixed(bits("fma_src_sel5", 471, 468, "not documented"), X),
    fixed(bits("reserved_472", 479, 472, "reserved"), X),
    carries(bits("fma_const0", 511, 480, "constant of the last stage"), X, &M::fma_const_0),
    carries(bits("fma_const1", 543, 512, "constant of the last stage"), X, &M::fma_const_1),
    fixed(bits("mp_high_threshold", 575, 544, "end of the pass's domain"), X),
    fixed(bits("reserved_576", 591, 576, "reserved"), X),
    carries(bits("func_rslt_for_zero", 623, 592, "result for both zeros"), A, &M::fzero_result),
    carries(bits("func_rslt_for_nan", 655, 624, "result for NaN"), A, &M::fnan_result),
    carries(bits("func_rslt_for_pos_inf", 687, 656, "result for +inf"), A, &M::fpinf_result),
    carries(bits("func_rslt_for_neg_inf", 719, 688, "result for -inf"), A, &M::fninf_result),
    fixed(bits("mp_low_threshold", 751, 720, "start of the pass's domain"), D),
    fixed(bits("mp_low_threshold_config", 753, 752, "0 = no low bound, 1 = compare >="), D),
    fixed(bits("batchnorm_accumulator_rd", 754, 754, "CAYMAN and later; unused on SUNDA"), A),
    fixed(bits("unused_755", 759, 755, "unused"), A),
};

template <std::size_t N>
constexpr std::array<Field, N> fields_of(const ProfileRow (&rows)[N]) {
  std::array<Field, N> out{};
  for (std::size_t i = 0; i < N; ++i) out[i] = rows[i].field;
  return out;
}
constexpr auto kProfileFields = fields_of(kProfile);
constexpr Reserved kProfileUnused[] = {{95, 33}};
constexpr Format kProfileFormat{"PROFILE", kProfileBytes, kProfileFields, kProfileUnused, "what the engine knows of one function"};
static_assert(check_layout(kProfileFormat) == Layout::ok);

constexpr Field kCamFields[] = {
    bits("opcode", 7, 0, "opcode of the instruction"),
    bits("func_id", 15, 8, "function code of the instruction"),
    bits("opcode_mask", 39, 32, "bits of the opcode that are compared"),
    bits("func_id_mask", 47, 40, "bits of the function code that are compared"),
    bits("valid", 64, 64, "the entry takes part"),
    bits("unused_65", 71, 65, "unused"),
};
constexpr Field kSundaCamFields[] = {
    kCamFields[0], kCamFields[1],
    bits("func_id_mask", 39, 32, "bits of the function code that are compared"),
    bits("opcode_mask", 47, 40, "bits of the opcode that are compared"),
    kCamFields[4], kCamFields[5],
};
constexpr Reserved kCamUnused[] = {{2, 2}, {6, 2}, {9, 23}};
constexpr Format kCam{"CAM", kCamBytes, kCamFields, kCamUnused, "which PROFILE slot an instruction takes"};
constexpr Format kSundaCam{"CAM", kCamBytes, kSundaCamFields, kCamUnused, "which PROFILE slot an instruction takes"};
static_assert(check_layout(kCam) == Layout::ok && check_layout(kSundaCam) == Layout::ok);

constexpr Field kControlFields[] = {
    bits("act_tbl_base", 10, 0, "first bucket of the octave"),
    bits("extract_lsb", 15, 11, "lowest mantissa bit of the section number"),
    bits("extract_size", 19, 16, "mantissa bits in the section number"),
    bits("unused_20", 31, 20, "unused"),
};
constexpr Reserved kControlUnused[] = {{4, 28}};
constexpr Format kControl{"CONTROL", kControlBytes, kControlFields, kControlUnused, "where the sections of one octave are"};
static_assert(check_layout(kControl) == Layout::ok);

constexpr Field number(std::string_view name, unsigned low, std::string_view doc) {
  return {.name = name, .bit = low, .width = 32, .kind = Kind::f32, .doc = doc};
}
constexpr Field kBucketFields[] = {
    number("d0", 0, "constant of the cubic"), number("d1", 32, "factor of t"), number("d2", 64, "factor of t^2"),
    number("d3", 96, "factor of t^3"), number("x0", 128, "breakpoint: t = input - x0"),
};
constexpr Reserved kBucketUnused[] = {{20, 12}};
constexpr Format kBucket{"BUCKET", kBucketBytes, kBucketFields, kBucketUnused, "one cubic"};
static_assert(check_layout(kBucket) == Layout::ok);

constexpr DeviceRegion kCaymanRegions[] = {
    {"cam", "ACT_PROFILE_CAM", 0x2802470000, 0x1000},
    {"profile", "ACT_PROFILE_TABLE", 0x2802471000, 0x2000},
    {"control", "ACT_CONTROL_TABLE", 0x28024E0000, 0x1000},
    {"bucket", "ACT_BUCKET_TABLE", 0x28024C0000, 0x10000},
};
// Copies that a load writes besides; only one address is published, and of the bucket copy the size.
constexpr DeviceRegion kCaymanShadows[] = {
    {"cam", "ACT_PROFILE_CAM_LOCAL_STORAGE", 0, 0},
    {"profile", "ACT_PROFILE_TABLE_LOCAL_STORAGE", 0, 0},
    {"control", "ACT_CONTROL_TABLE_LOCAL_STORAGE", 0x2802540000, 0x10000},
    {"bucket", "ACT_BUCKET_TABLE_LOCAL_STORAGE", 0, 0x80000},
};
// Offsets in the DVE block; PROFILE has no region of its own there (P-24).
constexpr DeviceRegion kMaverickRegions[] = {
    {"cam", "DVE_PROFILE_CAM", 0x8D000, 0x1000},
    {"profile", "ACT_CONTROL_TABLE", 0xA0000, 0x2000},
    {"control", "PWP_CONTROL_TABLE", 0xB0000, 0x10000},
    {"bucket", "PWP_BUCKETS_TABLE", 0xC0000, 0x80000},
};

}  // namespace

const Format& cam_format(Generation generation) { return generation == Generation::sunda ? kSundaCam : kCam; }
const Format& control_format() { return kControl; }
const Format& bucket_format() { return kBucket; }
const Format& profile_format() { return kProfileFormat; }
std::span<const ProfileRow> profile_rows() { return kProfile; }

std::span<const DeviceRegion> device_regions(Generation generation) {
  if (generation == Generation::cayman) return kCaymanRegions;
  if (generation == Generation::maverick) return kMaverickRegions;
  return {};
}
std::span<const DeviceRegion> device_shadows(Generation generation) {
  if (generation == Generation::cayman) return kCaymanShadows;
  return {};
}

}  // namespace act
