#include "act/neff/writer.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "names.h"

namespace act::neff {
namespace {

struct FreeWriter {
  void operator()(struct ::archive* a) const { archive_write_free(a); }
};
struct FreeEntry {
  void operator()(archive_entry* e) const { archive_entry_free(e); }
};
using Writer = std::unique_ptr<struct ::archive, FreeWriter>;
using Entry = std::unique_ptr<archive_entry, FreeEntry>;

la_ssize_t append(struct ::archive*, void* out, const void* data, std::size_t size) {
  const auto* bytes = static_cast<const std::uint8_t*>(data);
  auto& file = *static_cast<Bytes*>(out);
  file.insert(file.end(), bytes, bytes + size);
  return static_cast<la_ssize_t>(size);
}

Diagnostic failed(struct ::archive* a) {
  const char* why = archive_error_string(a);
  return make_error(Code::bad_archive,
                    fmt::format("the archive cannot be written: {}", why == nullptr ? "?" : why));
}

// A name that our own reader would refuse is never written.
Status check_names(std::span<const Member> members) {
  std::set<std::string> seen;
  for (const Member& m : members) {
    Result<std::string> name = inner_name(m.name);
    if (!name) return std::move(name).error();
    if (seen.insert(fold_case(*name)).second) continue;
    Diagnostic d =
        make_error(Code::duplicate_name, "two members have this name, or names that differ only in case");
    d.value = printable(m.name);
    return d;
  }
  return Done{};
}

bool put_member(struct ::archive* a, const Member& m) {
  const Entry entry(archive_entry_new());
  archive_entry_set_pathname(entry.get(), m.name.c_str());
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), 0644);
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(m.data.size()));
  archive_entry_set_mtime(entry.get(), 0, 0);
  return archive_write_header(a, entry.get()) == ARCHIVE_OK &&
         archive_write_data(a, m.data.data(), m.data.size()) == static_cast<la_ssize_t>(m.data.size());
}

bool is_beyond_ascii(const std::string& name) {
  return std::ranges::any_of(name, [](unsigned char c) { return c >= 0x80; });
}

// The tar, compressed, padded with zeros to kPayloadUnit (libarchive pads its last block), appended to
// `file`.
Status put_archive(std::span<const Member> members, Bytes& file) {
  const Writer a(archive_write_new());
  archive_write_set_format_pax_restricted(a.get());  // plain ustar wherever that can hold the name
  // Bytes beyond ASCII stay what they are in every locale; the option costs an extended header per member.
  if (std::ranges::any_of(members, is_beyond_ascii, &Member::name))
    archive_write_set_options(a.get(), "hdrcharset=BINARY");
  archive_write_add_filter_gzip(a.get());
  archive_write_set_filter_option(a.get(), "gzip", "timestamp", nullptr);
  archive_write_set_bytes_per_block(a.get(), static_cast<int>(kPayloadUnit));
  archive_write_set_bytes_in_last_block(a.get(), static_cast<int>(kPayloadUnit));
  if (archive_write_open(a.get(), &file, nullptr, append, nullptr) != ARCHIVE_OK) return failed(a.get());
  for (const Member& m : members)
    if (!put_member(a.get(), m)) return failed(a.get());
  if (archive_write_close(a.get()) != ARCHIVE_OK) return failed(a.get());
  return Done{};
}

// A name-based identifier (RFC 4122 version 3) out of the digest, so that equal payloads have equal
// identifiers.
Digest uuid_from(Digest digest) {
  digest[6] = static_cast<std::uint8_t>((digest[6] & 0x0F) | 0x30);
  digest[8] = static_cast<std::uint8_t>((digest[8] & 0x3F) | 0x80);
  return digest;
}

}  // namespace

Result<Bytes> pack(Header header, std::span<const Member> members) {
  if (Status names = check_names(members); !names) return std::move(names).error();
  Bytes file(kHeaderBytes);
  if (Status put = put_archive(members, file); !put) return std::move(put).error();
  const auto payload = std::span<const std::uint8_t>(file).subspan(kHeaderBytes);
  const Digest digest = md5(payload);
  header.set_number(header_field("package_version"), kPackageVersion);
  header.set_number(header_field("header_size"), kHeaderBytes);
  header.set_number(header_field("data_size"), payload.size());
  header.set_number(header_field("digest_kind"), kDigestKindMd5);
  header.set_bytes(header_field("digest"), reverse_words(digest));
  const auto uuid = header.bytes(header_field("uuid"));
  if (std::all_of(uuid.begin(), uuid.end(), [](std::uint8_t b) { return b == 0; }))
    header.set_bytes(header_field("uuid"), uuid_from(digest));
  std::ranges::copy(header.raw(), file.begin());
  return file;
}

}  // namespace act::neff
