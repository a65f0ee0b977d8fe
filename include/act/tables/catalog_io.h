// Catalog directories (02 sections 3, 8 and 10): read through any Folder, written to any place. Everything in
// a catalog is untrusted.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "act/diag/result.h"
#include "act/files/files.h"
#include "act/tables/manifest.h"
#include "act/tables/records.h"

namespace act {

inline constexpr std::size_t kMaxSets = 256;
inline constexpr std::uint64_t kMaxBlobBytes = std::uint64_t{1} << 20;

// act_info.json: parse (errors json-*, duplicate-name, bad-path, bad-value) and print, to the byte of the
// shipped one.
Result<std::vector<RosterRow>> parse_roster(std::string_view text, const std::string& file,
                                            Strictness strictness, Diagnostics& warnings);
std::string print_roster(const std::vector<RosterRow>& rows);

// The files of one set as they are, before anything is believed.
struct RawSet {
  RosterRow row;
  bool present = false;  // all three files are there
  Manifest manifest;
  Bytes bkt, ctrl;
  // Stride told by ctrl size / ctl_entry_cnt; 0 when it is neither 16 nor 32.
  std::size_t stride() const;
};
struct RawCatalog {
  std::string label;
  std::vector<RawSet> sets;
};

struct CatalogReadOptions {
  Strictness strictness = Strictness::lenient;
  // Sets of the roster without any of their files: left absent with a warning, or an error (set-absent).
  bool allow_absent_sets = true;
};

Result<RawSet> read_raw_set(const Folder& folder, const RosterRow& row, const CatalogReadOptions& options,
                            Diagnostics& warnings);
Result<RawCatalog> read_raw_catalog(const Folder& folder, const CatalogReadOptions& options,
                                    Diagnostics& warnings);

// One set as FunctionTables. Errors: table-rule where the files cannot be understood (V-03 to V-05, V-08 to
// V-12).
Result<TableSet> set_of(const RawSet& raw, const std::string& label);
Result<Catalog> catalog_of(const RawCatalog& raw);

// read_raw_catalog and catalog_of.
Result<Catalog> read_catalog(const Folder& folder, const CatalogReadOptions& options, Diagnostics& warnings);

// Every file of a catalog with its content, in a fixed order: act_info.json, version.json, then bkt, ctrl and
// manifest of every present set. Error capacity when a set does not fit its formats.
using NamedFile = std::pair<std::string, Bytes>;
Result<std::vector<NamedFile>> catalog_files(const Catalog& catalog);
Result<std::vector<NamedFile>> set_files(const TableSet& set, IdSpace ids);

// Writes them into `out` (not yet committed).
Status write_catalog(const Catalog& catalog, StagedDirectory& out);

}  // namespace act
