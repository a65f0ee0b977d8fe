// Where everything of a set stands: the indexes that manifests and blobs carry, computed from the
// FunctionTables (02 sections 8.3 and 10.1).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "act/diag/result.h"
#include "act/files/files.h"
#include "act/tables/blobs.h"
#include "act/tables/manifest.h"
#include "act/tables/records.h"

namespace act {

// The clamp slots in the order of the blob (02 section 8.3).
enum class Slot : std::uint8_t { pos_low, neg_low, pos_high, neg_high };
inline constexpr std::array kSlots = {Slot::pos_low, Slot::neg_low, Slot::pos_high, Slot::neg_high};

const ClampPoint& clamp_of(const FunctionTable& table, Slot slot);
ClampPoint& clamp_of(FunctionTable& table, Slot slot);

// Absolute indexes of one function inside its set.
struct FunctionLayout {
  std::uint32_t bkt_start = 0;   // first section of the function
  std::uint32_t slot_start = 0;  // first clamp slot; the function ends four records later
  std::uint32_t ctrl_start = 0;  // = pwl_control_base_neg
  std::uint32_t ctrl_base_pos = 0;
  std::uint32_t ctrl_end = 0;
  std::vector<std::uint32_t> neg_bases, pos_bases;  // first record of every octave

  std::uint32_t ctrl_base(bool negative) const { return negative ? ctrl_start : ctrl_base_pos; }
  std::uint32_t slot(Slot s) const { return slot_start + static_cast<std::uint32_t>(s); }
  std::uint32_t bkt_end() const { return slot_start + 4; }
};

struct SetLayout {
  std::vector<FunctionLayout> functions;  // in the order of the set
  std::uint32_t bkt_entries = 0, ctrl_entries = 0;
};
SetLayout layout_of(const std::vector<FunctionTable>& functions);

// All records of a set in blob order; all ctrl words, which fail with code capacity when a base does not fit
// in 11 bits.
std::vector<Section> bkt_records(const std::vector<FunctionTable>& functions);
Result<std::vector<std::uint32_t>> ctrl_words(const std::vector<FunctionTable>& functions);

// The manifest of a set (a function's record alone: as it stands at `layout`).
ManifestRecord manifest_record(const FunctionTable& table, const FunctionLayout& layout);
Manifest make_manifest(const TableSet& set);

// The inverse: the functions of a set out of its manifest, records and words. The indexes are untrusted: any
// that contradict each other or leave the tables are errors of code table-rule (V-03, V-09, V-10, V-11,
// V-12).
Result<std::vector<FunctionTable>> functions_of(const Manifest& manifest, const std::vector<Section>& records,
                                                const std::vector<std::uint32_t>& words,
                                                const std::string& file);

}  // namespace act
