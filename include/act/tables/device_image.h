// The four tables of the device (02 sections 15 and 16): CAM, PROFILE, CONTROL, BUCKET. Layouts are rows,
// PROFILE's in one replaceable table (OPEN-1, P-22): published anchors are honoured, other positions are this
// project's. Follows public documentation of the hardware; not verified on silicon.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "act/diag/result.h"
#include "act/files/files.h"
#include "act/numeric/generation.h"
#include "act/rows/field.h"
#include "act/tables/manifest.h"
#include "act/tables/records.h"

namespace act {

inline constexpr std::size_t kCamBytes = 32, kProfileBytes = 128, kControlBytes = 32, kBucketBytes = 32;

// Layouts of one entry. The CAM masks stand in the other order on SUNDA.
const Format& cam_format(Generation generation);
const Format& control_format();
const Format& bucket_format();
const Format& profile_format();

// How a position in PROFILE is known.
enum class Evidence : char { anchored = 'A', derived = 'D', placed = 'X' };

// One field of PROFILE and the manifest member it carries: field = (member + add) >> shift, cut to its width.
struct ProfileRow {
  Field field;
  Evidence evidence = Evidence::placed;
  bool from_manifest = false;
  ManifestMember member{};
  int shift = 0, add = 0;
  std::uint64_t constant = 0;  // where no member is carried
};
std::span<const ProfileRow> profile_rows();

// The image of one set, entries in use only, in CAM order = PROFILE slot order = set order.
struct DeviceImage {
  Generation generation = kDefaultGeneration;
  Bytes cam, profile, control, bucket;
};

// Errors: capacity (V-17) when the set does not fit the device.
Result<DeviceImage> build_image(const TableSet& set, Generation generation);

// The functions an image holds, in CAM order, named by their code in the function catalog ("func_<id>" where
// that has none). What the device does not store (budget, bounds, imm_bias) has its default. Errors:
// bad-size, table-rule (the indexes contradict each other), capacity. All bytes are untrusted.
Result<std::vector<FunctionTable>> read_image(const DeviceImage& image);

// Where a table goes. `base` is absolute for CAYMAN (TPB 0), relative to the DVE block for MAVERICK; 0 bytes
// where no address is published.
struct DeviceRegion {
  std::string_view table;   // "cam", "profile", "control", "bucket"
  std::string_view region;  // published name
  std::uint64_t base = 0, bytes = 0;
};
// Regions of a generation; none for those whose addresses are not published.
std::span<const DeviceRegion> device_regions(Generation generation);
// The local-storage copies that a load fills as well; base 0 where the address is not published.
std::span<const DeviceRegion> device_shadows(Generation generation);

// The map of an image as JSON: tables with file, region, address, entry size, count and capacity, and for
// every function its CAM entry, PROFILE slot, control bases and bucket records.
std::string image_map(const TableSet& set, const DeviceImage& image);

}  // namespace act
