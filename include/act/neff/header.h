// The 1024 bytes in front of a container's payload (05 sections 1-3): rows, access, digest, feature names.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "act/diag/result.h"

namespace act::neff {

enum class HeaderKind : std::uint8_t { number, text, bytes, zero };

struct HeaderField {
  std::string_view name;
  std::uint32_t offset, size;  // in bytes; numbers are little-endian
  HeaderKind kind;
  std::string_view doc;
};

inline constexpr std::size_t kHeaderBytes = 1024;

// One row per field, in file order.
inline constexpr HeaderField kHeaderFields[] = {
    {"package_version", 0, 8, HeaderKind::number, "layout of the file; 2 is the only one known"},
    {"header_size", 8, 8, HeaderKind::number, "bytes in front of the payload, always 1024"},
    {"data_size", 16, 8, HeaderKind::number, "bytes of the payload, its zero padding included"},
    {"major_version", 24, 8, HeaderKind::number, "1 for sunda, 2 for cayman"},
    {"minor_version", 32, 8, HeaderKind::number, "always 0"},
    {"build_text", 40, 128, HeaderKind::text, "free text of the build, empty in every file seen"},
    {"digest_kind", 168, 4, HeaderKind::number, "1 for MD5"},
    {"digest", 172, 32, HeaderKind::bytes, "MD5 of the payload in the first 16 bytes, the rest zero"},
    {"uuid", 204, 16, HeaderKind::bytes, "identifies the file"},
    {"network_name", 220, 256, HeaderKind::text, "name of the file when it was written"},
    {"logical_cores", 476, 4, HeaderKind::number, "cores the program asks for"},
    {"cores_per_node", 480, 64, HeaderKind::bytes, "one byte per node of the program"},
    {"feature_mask", 544, 8, HeaderKind::number, "one bit per feature that a loader must know"},
    {"physical_cores_per_logical", 552, 4, HeaderKind::number, "1 on sunda, 2 on cayman"},
    {"reserved", 556, 468, HeaderKind::zero, "zero"},
};

// The row called `name`; a name without a row does not compile.
consteval const HeaderField& header_field(std::string_view name) {
  for (const HeaderField& f : kHeaderFields)
    if (f.name == name) return f;
  throw "no header field of this name";
}

constexpr bool header_fields_cover_the_header() {
  std::uint32_t end = 0;
  for (const HeaderField& f : kHeaderFields) {
    if (f.offset != end || f.doc.empty()) return false;
    end += f.size;
  }
  return end == kHeaderBytes;
}
static_assert(header_fields_cover_the_header());

inline constexpr std::uint64_t kPackageVersion = 2;
inline constexpr std::uint64_t kDigestKindMd5 = 1;
// The payload is padded with zero bytes to a multiple of this.
inline constexpr std::uint64_t kPayloadUnit = 10240;

// A header as it stands in the file. Fields are reached through their rows.
class Header {
 public:
  std::uint64_t number(const HeaderField& f) const;
  std::string text(const HeaderField& f) const;  // up to the first zero byte
  std::span<const std::uint8_t> bytes(const HeaderField& f) const;
  void set_number(const HeaderField& f, std::uint64_t value);
  void set_text(const HeaderField& f, std::string_view value);  // cut to leave a zero byte at the end
  void set_bytes(const HeaderField& f, std::span<const std::uint8_t> value);
  std::span<const std::uint8_t, kHeaderBytes> raw() const { return raw_; }

  std::uint64_t feature_mask() const { return number(header_field("feature_mask")); }

  friend bool operator==(const Header&, const Header&) = default;
  friend Result<Header> read_header(std::span<const std::uint8_t>, const std::string&, Diagnostics&);

 private:
  std::array<std::uint8_t, kHeaderBytes> raw_{};
};

// The header of a whole file `file`, called `label` in messages. Errors (all of them reported): bad-size for
// a file shorter than a header, bad-value for package_version, header_size and a data_size that is not what
// follows. Warnings: digest_kind, feature bits never seen, bytes that must be zero.
Result<Header> read_header(std::span<const std::uint8_t> file, const std::string& label,
                           Diagnostics& problems);

using Digest = std::array<std::uint8_t, 16>;
Digest md5(std::span<const std::uint8_t> data);
// The four bytes of every 32-bit word in reverse order: how files store the MD5 (05 section 2).
Digest reverse_words(const Digest& digest);

enum class DigestForm : std::uint8_t { words_reversed, plain, differs };
std::string_view digest_form_name(DigestForm form);
DigestForm digest_form(const Header& header, const Digest& payload_md5);

// Feature bits (05 N-02).
struct Feature {
  std::uint64_t mask;
  std::string_view name;
  std::string_view definition_name;  // how neff_features of def.json spells it; empty when it does not
};
inline constexpr Feature kFeatures[] = {
    {0x40, "dynamic_pwp", "neff_feature_dynamic_pwp"},
    {0x400, "vnc", "neff_feature_vnc"},
    {0x800, "dve_perf_mode", ""},
};
// Every bit with a name or seen in a real file; others are worth a warning.
inline constexpr std::uint64_t kKnownFeatureBits = 0x209C40;

// Names of the set bits, lowest first; "bit<n>" where none is known.
std::vector<std::string> feature_names(std::uint64_t mask);
// For whoever runs a file: error unknown-feature "requires unsupported feature 0x<bits>" (03 L-19).
Status check_loadable(const Header& header, const std::string& label);

// What the generation says about a header (05 sections 1 and 3).
struct Target {
  std::string_view name;
  std::uint64_t major_version, physical_cores_per_logical, feature_mask;
};
inline constexpr Target kTargets[] = {{"sunda", 1, 1, 0}, {"cayman", 2, 2, 0xC00}};
const Target* find_target(std::string_view name);

}  // namespace act::neff
