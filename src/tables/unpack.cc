// From manifest, records and words to FunctionTables. Every index is a stranger's claim until it is checked
// here.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "act/tables/layout.h"

namespace act {
namespace {

// The part of the two tables that a function says it owns.
struct Claim {
  const ManifestRecord* record = nullptr;
  std::uint32_t bkt_start = 0, bkt_end = 0, ctrl_start = 0, ctrl_end = 0;
  std::uint32_t slot_start() const { return bkt_end - static_cast<std::uint32_t>(kSlots.size()); }
};

class Unpacker {
 public:
  Unpacker(const Manifest& manifest, const std::vector<Section>& records,
           const std::vector<std::uint32_t>& words, const std::string& file)
      : manifest_(manifest), records_(records), words_(words), file_(file) {}

  Result<std::vector<FunctionTable>> run() {
    const std::vector<Claim> claims = collect();
    std::vector<FunctionTable> out;
    for (const Claim& c : claims) out.push_back(function(c));
    if (!errors_.empty()) return std::move(errors_);
    return out;
  }

 private:
  void error(std::string_view rule, std::string_view function, std::string message, std::string value = {},
             std::string allowed = {}) {
    Diagnostic d = make_error(Code::table_rule, fmt::format("{}: {}", function, message));
    d.rule = rule;
    d.value = std::move(value);
    d.allowed = std::move(allowed);
    d.where.file = file_;
    errors_.push_back(std::move(d));
  }

  std::optional<std::uint32_t> start(const StartMap& map, const std::string& name) {
    const auto at =
        std::find_if(map.begin(), map.end(), [&](const auto& entry) { return entry.first == name; });
    if (at != map.end()) return at->second;
    error("V-03", name, "the function has a record and no start index");
    return std::nullopt;
  }

  // The blocks of the functions follow each other in manifest order; each ends where the next one starts.
  std::vector<Claim> collect() {
    std::vector<Claim> claims;
    std::set<std::string> seen;
    for (const ManifestRecord& r : manifest_.profile_meta_data) {
      const auto [name, budget] = split_budgeted_name(r.func_name);
      if (budget == 0) error("V-03", r.func_name, "the name carries no budget", r.func_name, "NAME_<N>p");
      if (!seen.insert(name).second) error("V-03", name, "the function has two records");
      const auto bkt = start(manifest_.func_to_bkt_start_idx, name),
                 ctrl = start(manifest_.func_to_ctl_start_idx, name);
      if (bkt && ctrl) claims.push_back({&r, *bkt, 0, *ctrl, 0});
    }
    if (!errors_.empty()) return {};
    for (std::size_t i = 0; i < claims.size(); ++i) {
      const bool last = i + 1 == claims.size();
      claims[i].bkt_end = last ? static_cast<std::uint32_t>(records_.size()) : claims[i + 1].bkt_start;
      claims[i].ctrl_end = last ? static_cast<std::uint32_t>(words_.size()) : claims[i + 1].ctrl_start;
    }
    std::erase_if(claims, [this](const Claim& c) { return !sound(c); });
    return claims;
  }

  bool sound(const Claim& c) {
    const ManifestRecord& r = *c.record;
    const std::size_t before = errors_.size();
    if (c.bkt_end > records_.size() || c.bkt_start > c.bkt_end || c.bkt_end - c.bkt_start < kSlots.size()) {
      error("V-10", r.func_name, "its records are no part of the bkt table",
            fmt::format("{}..{}", c.bkt_start, c.bkt_end),
            fmt::format("at least four records inside 0..{}", records_.size()));
      return false;
    }
    if (c.ctrl_end > words_.size() || c.ctrl_start > c.ctrl_end)
      error("V-10", r.func_name, "its words are no part of the ctrl table",
            fmt::format("{}..{}", c.ctrl_start, c.ctrl_end), fmt::format("inside 0..{}", words_.size()));
    if (r.pwl_control_base_neg != c.ctrl_start)
      error("V-12", r.func_name, "pwl_control_base_neg is not the ctrl start",
            std::to_string(r.pwl_control_base_neg), std::to_string(c.ctrl_start));
    if (r.pwl_control_base_pos < c.ctrl_start || r.pwl_control_base_pos > c.ctrl_end)
      error("V-13", r.func_name, "pwl_control_base_pos is outside the function's words",
            std::to_string(r.pwl_control_base_pos), fmt::format("{}..{}", c.ctrl_start, c.ctrl_end));
    const std::uint32_t pointers[] = {r.pos_small_signal_pwl_control, r.neg_small_signal_pwl_control,
                                      r.pos_large_signal_pwl_control, r.neg_large_signal_pwl_control};
    for (std::uint32_t i = 0; i < 4; ++i)
      if (pointers[i] != c.slot_start() + i)
        error("V-11", r.func_name,
              fmt::format("clamp pointer {} is not at the end of the function's records", i),
              std::to_string(pointers[i]), std::to_string(c.slot_start() + i));
    return errors_.size() == before;
  }

  // One side's octaves out of words [first, last); `next` is the base behind the last one.
  std::vector<Octave> octaves(const Claim& c, std::uint32_t first, std::uint32_t last) {
    std::vector<Octave> out;
    for (std::uint32_t w = first; w < last; ++w) {
      const CtrlWord word = unpack_ctrl(words_[w]);
      const std::uint32_t next = w + 1 < c.ctrl_end ? unpack_ctrl(words_[w + 1]).bkt_base : c.slot_start();
      Octave o{c.record->exp_offset + static_cast<int>(w - first), word.extract_size, {}};
      if (word.bkt_base < c.bkt_start || next < word.bkt_base || next > c.slot_start()) {
        error("V-09", c.record->func_name,
              fmt::format("ctrl word {} does not continue the function's sections", w),
              fmt::format("base {}, next {}", word.bkt_base, next),
              fmt::format("ascending inside {}..{}", c.bkt_start, c.slot_start()));
        return out;
      }
      const std::uint32_t count = next - word.bkt_base;
      const bool size_ok =
          count == 0 ? word.empty()
                     : word.extract_size <= kMaxExtractSize && word.extract_lsb == 23 - word.extract_size;
      if (!size_ok || o.exponent > 128) {
        error("V-08", c.record->func_name,
              fmt::format("ctrl word {} contradicts its octave of {} sections", w, count),
              fmt::format("exponent {}, extract_size {}, extract_lsb {}", o.exponent, word.extract_size,
                          word.extract_lsb),
              count == 0 ? "both 0" : "lsb = 23 - size, size up to 11, exponent up to 128");
        return out;
      }
      if (count > o.capacity()) {
        error("V-09", c.record->func_name,
              fmt::format("ctrl word {} has more sections than its size allows", w), std::to_string(count),
              std::to_string(o.capacity()));
        return out;
      }
      o.sections.assign(records_.begin() + word.bkt_base, records_.begin() + next);
      out.push_back(std::move(o));
    }
    return out;
  }

  FunctionTable function(const Claim& c) {
    const ManifestRecord& r = *c.record;
    FunctionTable t;
    std::tie(t.name, t.budget) = split_budgeted_name(r.func_name);
    t.func_id = r.func_id;
    t.exponent_offset = r.exp_offset;
    const std::uint32_t first =
        c.ctrl_start < c.ctrl_end ? unpack_ctrl(words_[c.ctrl_start]).bkt_base : c.slot_start();
    if (first != c.bkt_start)
      error("V-09", r.func_name, "the first section is not the function's first record",
            std::to_string(first), std::to_string(c.bkt_start));
    t.neg.octaves = octaves(c, c.ctrl_start, r.pwl_control_base_pos);
    t.pos.octaves = octaves(c, r.pwl_control_base_pos, c.ctrl_end);
    t.pos.low.sat_point = r.small_pos_signal_exp_threshold;
    t.neg.low.sat_point = r.small_neg_signal_exp_threshold;
    t.pos.high.sat_point = r.large_pos_signal_exp_threshold;
    t.neg.high.sat_point = r.large_neg_signal_exp_threshold;
    t.pos.high.mantissa_point = r.large_pos_signal_mantissa_threshold;
    t.neg.high.mantissa_point = r.large_neg_signal_mantissa_threshold;
    for (const Slot s : kSlots)
      clamp_of(t, s).section = records_[c.slot_start() + static_cast<std::uint32_t>(s)];
    t.symmetry = {r.symmetry_opt_en != 0, r.sym_invert_sign_point != 0, r.symmetry_opt_use_neg_region != 0,
                  bits_float(r.symmetry_point)};
    t.specials = {bits_float(r.fzero_result), bits_float(r.fnan_result), bits_float(r.fpinf_result),
                  bits_float(r.fninf_result)};
    t.imm_bias = r.imm_bias;
    t.fma_const0 = bits_float(r.fma_const_0);
    t.fma_const1 = bits_float(r.fma_const_1);
    t.fma_indirection_src_sel = r.fma_indirection_src_sel;
    t.use_multipass = r.use_multipass;
    t.lower_bound = bits_float(r.lower_bound);
    t.upper_bound = bits_float(r.upper_bound);
    return t;
  }

  const Manifest& manifest_;
  const std::vector<Section>& records_;
  const std::vector<std::uint32_t>& words_;
  const std::string& file_;
  Diagnostics errors_;
};

}  // namespace

Result<std::vector<FunctionTable>> functions_of(const Manifest& manifest, const std::vector<Section>& records,
                                                const std::vector<std::uint32_t>& words,
                                                const std::string& file) {
  return Unpacker(manifest, records, words, file).run();
}

}  // namespace act
