// The checker of catalogs: rules V-01 to V-19 (02 section 18), each breach one diagnostic whose `rule` names
// it.
#pragma once

#include <optional>
#include <string>

#include "act/diag/result.h"
#include "act/files/files.h"
#include "act/tables/catalog_io.h"
#include "act/tables/records.h"

namespace act {

// Hard limits of the checker (02 section 16.3).
inline constexpr std::size_t kMaxFunctions = 25;  // records of the runtime's array
inline constexpr std::size_t kMaxCamEntries = 128;
inline constexpr std::size_t kMaxProfiles = 64;
inline constexpr std::size_t kMaxBuckets = 2048;
inline constexpr std::size_t kMaxControls = 256;       // P-25
inline constexpr std::size_t kUsualControls = 128;     // a note above this: the 32-byte stride region of v3
inline constexpr std::uint32_t kMaxControlBase = 255;  // 8-bit field of the device

struct CatalogCheckOptions {
  Strictness strictness = Strictness::lenient;  // unknown JSON members: warnings or errors
  bool allow_absent_sets = false;               // roster rows without files: warnings or errors
  bool strict_control_128 = false;              // more than 128 ctrl entries: a note or an error
  bool profiles = true;                         // compare with pwp_jsons/ where the folder has it (V-16)
};

// Everything found in a catalog, in the order of its sets; empty when it is clean.
Diagnostics check_catalog(const Folder& folder, const CatalogCheckOptions& options = {});

// The rules of one set whose files were read (all but V-01, V-02 and V-16). `ids` is the catalog's id space.
Diagnostics check_set(const RawSet& raw, const std::string& label, IdSpace ids,
                      const CatalogCheckOptions& options = {});

// The rules that need no file: V-09 (partial octaves), V-15, V-17, V-18, V-19. What a generator runs before
// it writes.
Diagnostics check_tables(const TableSet& set, IdSpace ids, const CatalogCheckOptions& options = {});

// V-19 for one function: the first non-special input that no clamp and no section takes, if there is one.
std::optional<float> unresolved_input(const FunctionTable& table);

}  // namespace act
