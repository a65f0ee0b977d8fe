#include "act/tables/layout.h"

#include <fmt/format.h>

#include <algorithm>

namespace act {
namespace {

FunctionLayout layout_function(const FunctionTable& table, std::uint32_t bkt, std::uint32_t ctrl) {
  FunctionLayout l;
  l.bkt_start = bkt;
  l.ctrl_start = ctrl;
  for (const Octave& o : table.neg.octaves) {
    l.neg_bases.push_back(bkt);
    bkt += static_cast<std::uint32_t>(o.sections.size());
  }
  for (const Octave& o : table.pos.octaves) {
    l.pos_bases.push_back(bkt);
    bkt += static_cast<std::uint32_t>(o.sections.size());
  }
  l.slot_start = bkt;
  l.ctrl_base_pos = ctrl + static_cast<std::uint32_t>(table.neg.octaves.size());
  l.ctrl_end = l.ctrl_base_pos + static_cast<std::uint32_t>(table.pos.octaves.size());
  return l;
}

// One line of the octave maps: the sides that declare the octave, negative first (docs/decisions.md, P-10).
std::vector<OctaveStarts> octave_starts(const FunctionTable& t, const std::vector<std::int64_t>& neg,
                                        const std::vector<std::int64_t>& pos) {
  std::vector<OctaveStarts> out;
  for (std::size_t i = 0; i < std::max(neg.size(), pos.size()); ++i) {
    OctaveStarts o{t.exponent_offset + static_cast<int>(i), {}};
    if (i < neg.size()) o.starts.push_back(neg[i]);
    if (i < pos.size()) o.starts.push_back(pos[i]);
    out.push_back(std::move(o));
  }
  return out;
}

std::vector<std::int64_t> widen(const std::vector<std::uint32_t>& values) {
  return {values.begin(), values.end()};
}

std::vector<std::int64_t> count_from(std::uint32_t first, std::size_t n) {
  std::vector<std::int64_t> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = first + static_cast<std::int64_t>(i);
  return out;
}

}  // namespace

const ClampPoint& clamp_of(const FunctionTable& t, Slot slot) {
  switch (slot) {
    case Slot::pos_low:
      return t.pos.low;
    case Slot::neg_low:
      return t.neg.low;
    case Slot::pos_high:
      return t.pos.high;
    case Slot::neg_high:
      return t.neg.high;
  }
  return t.pos.low;
}

ClampPoint& clamp_of(FunctionTable& t, Slot slot) {
  return const_cast<ClampPoint&>(clamp_of(std::as_const(t), slot));
}

SetLayout layout_of(const std::vector<FunctionTable>& functions) {
  SetLayout set;
  for (const FunctionTable& f : functions) {
    set.functions.push_back(layout_function(f, set.bkt_entries, set.ctrl_entries));
    set.bkt_entries = set.functions.back().bkt_end();
    set.ctrl_entries = set.functions.back().ctrl_end;
  }
  return set;
}

std::vector<Section> bkt_records(const std::vector<FunctionTable>& functions) {
  std::vector<Section> out;
  for (const FunctionTable& f : functions) {
    for (const Side* side : {&f.neg, &f.pos})
      for (const Octave& o : side->octaves) out.insert(out.end(), o.sections.begin(), o.sections.end());
    for (const Slot s : kSlots) out.push_back(clamp_of(f, s).section);
  }
  return out;
}

Result<std::vector<std::uint32_t>> ctrl_words(const std::vector<FunctionTable>& functions) {
  std::vector<std::uint32_t> out;
  std::uint32_t base = 0;
  for (const FunctionTable& f : functions) {
    for (const Side* side : {&f.neg, &f.pos}) {
      for (const Octave& o : side->octaves) {
        if (base > kMaxBktBase || o.extract_size > kMaxExtractSize || o.sections.size() > o.capacity()) {
          Diagnostic d = make_error(
              Code::capacity, fmt::format("octave {} of {} does not fit a ctrl word", o.exponent, f.name));
          d.rule = "V-17";
          d.value =
              fmt::format("base {}, extract_size {}, {} sections", base, o.extract_size, o.sections.size());
          d.allowed = fmt::format("base up to {}, extract_size up to {}, sections up to 2^extract_size",
                                  kMaxBktBase, kMaxExtractSize);
          return d;
        }
        out.push_back(pack_ctrl(octave_word(base, o)));
        base += static_cast<std::uint32_t>(o.sections.size());
      }
    }
    base += static_cast<std::uint32_t>(kSlots.size());
  }
  return out;
}

ManifestRecord manifest_record(const FunctionTable& t, const FunctionLayout& l) {
  ManifestRecord r;
  r.func_name = budgeted_name(t);
  r.func_id = t.func_id;
  r.symmetry_point = float_bits(t.symmetry.point);
  r.sym_invert_sign_point = t.symmetry.invert_sign;
  r.symmetry_opt_en = t.symmetry.enabled;
  r.symmetry_opt_use_neg_region = t.symmetry.use_neg_region;
  r.imm_bias = t.imm_bias;
  r.exp_offset = t.exponent_offset;
  r.pwl_control_base_pos = l.ctrl_base_pos;
  r.pwl_control_base_neg = l.ctrl_start;
  r.small_pos_signal_exp_threshold = t.pos.low.sat_point;
  r.pos_small_signal_pwl_control = l.slot(Slot::pos_low);
  r.small_neg_signal_exp_threshold = t.neg.low.sat_point;
  r.neg_small_signal_pwl_control = l.slot(Slot::neg_low);
  r.large_pos_signal_exp_threshold = t.pos.high.sat_point;
  r.large_pos_signal_mantissa_threshold = t.pos.high.mantissa_point;
  r.pos_large_signal_pwl_control = l.slot(Slot::pos_high);
  r.large_neg_signal_exp_threshold = t.neg.high.sat_point;
  r.large_neg_signal_mantissa_threshold = t.neg.high.mantissa_point;
  r.neg_large_signal_pwl_control = l.slot(Slot::neg_high);
  r.fnan_result = float_bits(t.specials.nan);
  r.fpinf_result = float_bits(t.specials.pinf);
  r.fninf_result = float_bits(t.specials.ninf);
  r.fzero_result = float_bits(t.specials.zero);
  r.fma_const_0 = float_bits(t.fma_const0);
  r.fma_const_1 = float_bits(t.fma_const1);
  r.fma_indirection_src_sel = t.fma_indirection_src_sel;
  r.use_multipass = t.use_multipass;
  r.lower_bound = float_bits(t.lower_bound);
  r.upper_bound = float_bits(t.upper_bound);
  return r;
}

Manifest make_manifest(const TableSet& set) {
  const SetLayout layout = layout_of(set.functions);
  Manifest m;
  m.bkt_bin = set.row.bkt_bin;
  m.ctl_bin = set.row.ctrl_bin;
  m.bkt_entry_cnt = layout.bkt_entries;
  m.ctl_entry_cnt = layout.ctrl_entries;
  for (std::size_t i = 0; i < set.functions.size(); ++i) {
    const FunctionTable& t = set.functions[i];
    const FunctionLayout& l = layout.functions[i];
    m.profile_meta_data.push_back(manifest_record(t, l));
    m.func_to_bkt_start_idx.emplace_back(t.name, l.bkt_start);
    m.func_to_ctl_start_idx.emplace_back(t.name, l.ctrl_start);
    m.func_exp_to_bkt_start_idx.emplace_back(t.name,
                                             octave_starts(t, widen(l.neg_bases), widen(l.pos_bases)));
    m.func_exp_to_ctl_start_idx.emplace_back(t.name,
                                             octave_starts(t, count_from(l.ctrl_start, l.neg_bases.size()),
                                                           count_from(l.ctrl_base_pos, l.pos_bases.size())));
  }
  return m;
}

}  // namespace act
