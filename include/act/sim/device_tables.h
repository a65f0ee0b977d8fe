// The function hardware's own memory: CAM, PROFILE, CONTROL and BUCKET tables, staged by a table load and evaluated as the
// lookup chain says (02 sections 15 and 16). Positions of PROFILE fields outside the published anchors are this project's.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "act/tables/device_image.h"
#include "act/tables/evaluate.h"

namespace act::sim {

// Where one transfer of a table load goes.
struct StagedRegion {
  std::string table, region;  // "bucket" of the set; published name of the destination, empty where none is published
  std::uint64_t address = 0;  // 0 = not published
  std::size_t bytes = 0;
};

// A PROFILE word as the evaluation uses it.
struct DeviceProfile {
  struct Side {
    std::uint32_t low_exponent = 0, low_mantissa = 0, high_exponent = 0, high_mantissa = 0;
    bool low_compares = false, high_compares = false;
    std::uint32_t low_bucket = 0, high_bucket = 0;
    std::uint32_t control_base = 0;
  };
  bool bypass = false;  // no table: the input goes through, or is scaled by the slope where the selector says so
  bool parametric = false;
  bool folds = false, stores_negative = false, inverts = false;
  float symmetry_point = 0;
  std::uint32_t exponent_offset = 0;
  Side neg, pos;
  bool fuses_bias = false, fuses_scale = false, bypasses_affine = false;
  float bias = 0, scale = 0;  // where fused
  std::uint32_t fma_bypass = 0;  // bit k: the term of d(k+1) is left out
  std::uint32_t zero = 0, nan = 0, pos_inf = 0, neg_inf = 0;
};

class DeviceTables {
 public:
  // Builds the image of a set and copies it in. Error: capacity.
  Status stage(const TableSet& set, Generation generation);
  // Copies an image in as it is: entries may hold anything.
  Status stage(const DeviceImage& image);
  // The transfers of the last stage(), shadows included.
  const std::vector<StagedRegion>& transfers() const { return transfers_; }

  // The PROFILE slot of the first valid CAM entry that matches opcode and function code under its masks.
  std::optional<unsigned> match(std::uint8_t opcode, std::uint8_t function) const;
  // The PROFILE word of a slot. Error: table-rule naming a field that is not modelled and not zero.
  Result<DeviceProfile> profile(unsigned slot) const;
  // The value for an input behind the affine stage. An index beyond its table gives a quiet NaN.
  float evaluate(const DeviceProfile& profile, float v, const EvalPolicy& policy, float alpha) const;

 private:
  const Section* section(std::size_t bucket) const { return bucket < buckets_.size() ? &buckets_[bucket] : nullptr; }
  const Section* select(const DeviceProfile& p, float selected) const;

  Generation generation_ = kDefaultGeneration;
  Bytes cam_, profile_;
  std::vector<std::uint32_t> control_;  // first word of each entry
  std::vector<Section> buckets_;
  std::vector<StagedRegion> transfers_;
};

}  // namespace act::sim
