// The per-set manifest (`<set>.json`, 02 section 10) as it stands in the file, indexes included. Catalog
// readers turn it into FunctionTables; writers make it from them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "act/diag/result.h"

namespace act {

// One object of profile_meta_data; members carry the names of the file (02 section 10.2).
struct ManifestRecord {
  std::string func_name;
  std::uint32_t func_id = 0;
  std::uint32_t symmetry_point = 0;
  std::uint32_t sym_invert_sign_point = 0, symmetry_opt_en = 0, symmetry_opt_use_neg_region = 0;
  std::uint32_t imm_bias = 0;
  int exp_offset = 0;
  std::uint32_t pwl_control_base_pos = 0, pwl_control_base_neg = 0;
  std::uint32_t small_pos_signal_exp_threshold = 0, pos_small_signal_pwl_control = 0;
  std::uint32_t small_neg_signal_exp_threshold = 0, neg_small_signal_pwl_control = 0;
  std::uint32_t large_pos_signal_exp_threshold = 0, large_pos_signal_mantissa_threshold = 0;
  std::uint32_t pos_large_signal_pwl_control = 0;
  std::uint32_t large_neg_signal_exp_threshold = 0, large_neg_signal_mantissa_threshold = 0;
  std::uint32_t neg_large_signal_pwl_control = 0;
  std::uint32_t fnan_result = 0, fpinf_result = 0, fninf_result = 0, fzero_result = 0;
  std::uint32_t fma_const_0 = 0, fma_const_1 = 0, fma_indirection_src_sel = 0;
  bool use_multipass = false;
  std::uint32_t lower_bound = 0, upper_bound = 0;
  friend bool operator==(const ManifestRecord&, const ManifestRecord&) = default;
};

// How a member is written and what it may hold.
enum class ManifestKind : std::uint8_t { text, integer, bits, boolean };

using ManifestMember = std::variant<std::string ManifestRecord::*, std::uint32_t ManifestRecord::*,
                                    int ManifestRecord::*, bool ManifestRecord::*>;

struct ManifestField {
  std::string_view name;
  ManifestKind kind;
  ManifestMember member;
  std::int64_t min, max;
  std::string_view doc;
};

// The 30 fields in the order of the file.
std::span<const ManifestField> manifest_fields();

// The start indexes of one octave: {neg, pos} where both sides declare it, else the one of the side that
// does. Readers also take -1 for a side without it.
struct OctaveStarts {
  int exponent = 0;  // unbiased
  std::vector<std::int64_t> starts;
  friend bool operator==(const OctaveStarts&, const OctaveStarts&) = default;
};
using StartMap = std::vector<std::pair<std::string, std::uint32_t>>;
using OctaveMap = std::vector<std::pair<std::string, std::vector<OctaveStarts>>>;

struct Manifest {
  std::string bkt_bin, ctl_bin;
  std::vector<ManifestRecord> profile_meta_data;
  std::uint32_t bkt_entry_cnt = 0, ctl_entry_cnt = 0;
  StartMap func_to_bkt_start_idx, func_to_ctl_start_idx;
  OctaveMap func_exp_to_bkt_start_idx, func_exp_to_ctl_start_idx;
  friend bool operator==(const Manifest&, const Manifest&) = default;
};

// What to do with members that no one knows (P-02).
enum class Strictness : std::uint8_t { lenient, strict };  // a warning; an error

// Reads a manifest; `file` names it in messages. Errors: json-*, duplicate-name, bad-path (a blob name that
// leaves the folder), and table-rule with rule V-01 or V-02 for members that are missing or unknown.
Result<Manifest> parse_manifest(std::string_view text, const std::string& file, Strictness strictness,
                                Diagnostics& warnings);

// The text form of the shipped files (02 section 3), to the byte.
std::string print_manifest(const Manifest& manifest);

}  // namespace act
