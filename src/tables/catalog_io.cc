#include "act/tables/catalog_io.h"

#include <fmt/format.h>

#include <algorithm>

#include "act/tables/blobs.h"
#include "act/tables/layout.h"
#include "json_reader.h"

namespace act {
namespace {

constexpr std::string_view kRosterFile = "act_info.json";
constexpr std::string_view kVersionFile = "version.json";
// 80 bytes, the same in every catalog (02 section 3).
constexpr std::string_view kVersionText =
    "{\n    \"KaenaPWP\": {\n        \"brazil_version\": \"\",\n        \"git_sha\": \"\"\n    }\n}\n";
static_assert(kVersionText.size() == 80);

std::string inside(const std::string& label, std::string_view name) {
  return fmt::format("{}/{}", label, name);
}

void append(Diagnostics& to, Diagnostics from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

Diagnostic size_error(std::string_view rule, const std::string& file, std::string message, std::string value,
                      std::string allowed) {
  Diagnostic d = make_error(Code::table_rule, std::move(message));
  d.rule = rule;
  d.where.file = file;
  d.value = std::move(value);
  d.allowed = std::move(allowed);
  return d;
}

}  // namespace

std::size_t RawSet::stride() const {
  const std::size_t count = manifest.ctl_entry_cnt;
  if (count == 0) return ctrl.empty() ? ctrl_stride(IdSpace::sunda) : 0;
  const std::size_t stride = ctrl.size() / count;
  return ctrl.size() % count == 0 && (stride == 16 || stride == 32) ? stride : 0;
}

Result<RawSet> read_raw_set(const Folder& folder, const RosterRow& row, const CatalogReadOptions& options,
                            Diagnostics& warnings) {
  RawSet set;
  set.row = row;
  const std::string* const names[] = {&row.bkt_bin, &row.ctrl_bin, &row.profile_json};
  if (std::none_of(std::begin(names), std::end(names),
                   [&](const std::string* n) { return folder.contains(*n); })) {
    Diagnostic d = make_error(Code::set_absent, fmt::format("the set {} has no files", row.name));
    d.where.file = folder.label();
    if (!options.allow_absent_sets) return d;
    d.severity = Severity::warning;
    warnings.push_back(std::move(d));
    return set;
  }
  auto bkt = folder.read(row.bkt_bin, kMaxBlobBytes);
  auto ctrl = folder.read(row.ctrl_bin, kMaxBlobBytes);
  auto text = folder.read(row.profile_json, kTableJsonLimits.bytes);
  Diagnostics errors;
  if (!bkt) append(errors, bkt.error());
  if (!ctrl) append(errors, ctrl.error());
  if (!text) append(errors, text.error());
  if (!errors.empty()) return errors;
  auto manifest =
      parse_manifest(as_text(*text), inside(folder.label(), row.profile_json), options.strictness, warnings);
  if (!manifest) return manifest.error();
  return RawSet{row, true, std::move(*manifest), std::move(*bkt), std::move(*ctrl)};
}

Result<RawCatalog> read_raw_catalog(const Folder& folder, const CatalogReadOptions& options,
                                    Diagnostics& warnings) {
  auto text = folder.read(kRosterFile, kTableJsonLimits.bytes);
  if (!text) return text.error();
  auto rows = parse_roster(as_text(*text), inside(folder.label(), kRosterFile), options.strictness, warnings);
  if (!rows) return rows.error();
  RawCatalog raw{folder.label(), {}};
  Diagnostics errors;
  for (const RosterRow& row : *rows) {
    auto set = read_raw_set(folder, row, options, warnings);
    if (set)
      raw.sets.push_back(std::move(*set));
    else
      append(errors, set.error());
  }
  if (!errors.empty()) return errors;
  return raw;
}

Result<TableSet> set_of(const RawSet& raw, const std::string& label) {
  TableSet set{raw.row, raw.present, {}};
  if (!raw.present) return set;
  Diagnostics errors;
  const std::size_t count = raw.manifest.bkt_entry_cnt;
  if (raw.bkt.size() != count * kBktStride)
    errors.push_back(size_error("V-04", inside(label, raw.row.bkt_bin), "the size is not 32 bytes a record",
                                std::to_string(raw.bkt.size()),
                                fmt::format("{} records, {} bytes", count, count * kBktStride)));
  if (raw.stride() == 0)
    errors.push_back(size_error("V-05", inside(label, raw.row.ctrl_bin), "the size gives no known stride",
                                std::to_string(raw.ctrl.size()),
                                fmt::format("{} entries of 16 or 32 bytes", raw.manifest.ctl_entry_cnt)));
  if (!errors.empty()) return errors;
  auto functions = functions_of(raw.manifest, unpack_bkt(raw.bkt), unpack_ctrl_blob(raw.ctrl, raw.stride()),
                                inside(label, raw.row.profile_json));
  if (!functions) return functions.error();
  set.functions = std::move(*functions);
  return set;
}

Result<Catalog> catalog_of(const RawCatalog& raw) {
  Catalog catalog{raw.label, IdSpace::sunda, {}};
  Diagnostics errors;
  std::size_t stride = 0;
  for (const RawSet& set : raw.sets) {
    auto tables = set_of(set, raw.label);
    if (!tables) {
      append(errors, tables.error());
      continue;
    }
    catalog.sets.push_back(std::move(*tables));
    if (!set.present || set.manifest.ctl_entry_cnt == 0) continue;
    if (stride != 0 && stride != set.stride())
      errors.push_back(size_error("V-05", inside(raw.label, set.row.ctrl_bin),
                                  "the sets of one catalog have two ctrl strides",
                                  std::to_string(set.stride()), std::to_string(stride)));
    stride = set.stride();
  }
  if (!errors.empty()) return errors;
  if (stride == ctrl_stride(IdSpace::tonga)) catalog.id_space = IdSpace::tonga;
  return catalog;
}

Result<Catalog> read_catalog(const Folder& folder, const CatalogReadOptions& options, Diagnostics& warnings) {
  const auto raw = read_raw_catalog(folder, options, warnings);
  if (!raw) return raw.error();
  return catalog_of(*raw);
}

Result<std::vector<NamedFile>> set_files(const TableSet& set, IdSpace ids) {
  const auto words = ctrl_words(set.functions);
  if (!words) return words.error();
  for (const FunctionTable& f : set.functions)
    if (f.pos.low.mantissa_point != 0 || f.neg.low.mantissa_point != 0)
      return make_error(Code::capacity,
                        fmt::format("{}: a manifest holds no mantissa threshold of a low clamp", f.name));
  const std::string manifest = print_manifest(make_manifest(set));
  return std::vector<NamedFile>{{set.row.bkt_bin, pack_bkt(bkt_records(set.functions))},
                                {set.row.ctrl_bin, pack_ctrl_blob(*words, ctrl_stride(ids))},
                                {set.row.profile_json, Bytes(manifest.begin(), manifest.end())}};
}

Result<std::vector<NamedFile>> catalog_files(const Catalog& catalog) {
  std::vector<RosterRow> rows;
  for (const TableSet& set : catalog.sets) rows.push_back(set.row);
  const std::string roster = print_roster(rows);
  std::vector<NamedFile> files{{std::string(kRosterFile), Bytes(roster.begin(), roster.end())},
                               {std::string(kVersionFile), Bytes(kVersionText.begin(), kVersionText.end())}};
  for (const TableSet& set : catalog.sets) {
    if (!set.present) continue;
    auto more = set_files(set, catalog.id_space);
    if (!more) return more.error();
    std::move(more->begin(), more->end(), std::back_inserter(files));
  }
  return files;
}

Status write_catalog(const Catalog& catalog, StagedDirectory& out) {
  const auto files = catalog_files(catalog);
  if (!files) return files.error();
  for (const auto& [name, content] : *files)
    if (Status written = out.write(name, content); !written) return written;
  return Done{};
}

}  // namespace act
