#include "act/neff/archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "names.h"
#include "tar_reader.h"

namespace act::neff {
namespace {

constexpr std::uint8_t kGzipMagic[] = {0x1f, 0x8b};

// The payload must end with the member and zeros. Another member would be read by some tools and not by
// others.
void check_after_member(std::span<const std::uint8_t> after, Archive& archive, Diagnostics& problems) {
  const auto first = std::find_if(after.begin(), after.end(), [](std::uint8_t b) { return b != 0; });
  if (first == after.end()) return;
  const auto rest = after.subspan(static_cast<std::size_t>(first - after.begin()));
  const bool second =
      rest.size() >= 2 && std::equal(std::begin(kGzipMagic), std::end(kGzipMagic), rest.begin());
  Diagnostic d = second
                     ? make_error(Code::bad_archive, "a second gzip member follows the first; it is not read")
                     : make_warning(Code::bad_archive, "bytes that are not zero follow the gzip member");
  d.where.file = archive.label;
  d.where.byte = archive.file_bytes - rest.size();
  archive.sound = archive.sound && !second;
  problems.push_back(std::move(d));
}

void check_digest(std::span<const std::uint8_t> payload, Archive& archive, Diagnostics& problems) {
  constexpr const HeaderField& field = header_field("digest");
  archive.payload_md5 = md5(payload);
  archive.digest = digest_form(archive.header, archive.payload_md5);
  if (archive.digest != DigestForm::differs) return;
  Diagnostic d = make_warning(Code::digest_differs, "digest differs");
  d.field = field.name;
  d.where.file = archive.label;
  d.where.byte = field.offset;
  d.value = hex(archive.header.bytes(field).first(archive.payload_md5.size()));
  d.allowed = fmt::format("{} (words reversed) or {}", hex(reverse_words(archive.payload_md5)),
                          hex(archive.payload_md5));
  problems.push_back(std::move(d));
}

// Names that would end up as one file: equal after folding ASCII case, or a file where another needs a
// directory.
Diagnostics clashes(const Archive& archive, Severity severity) {
  Diagnostics list;
  std::set<std::string> files, directories;
  const auto clash = [&](const Member& m, std::string message) {
    Diagnostic d = make_error(Code::duplicate_name, std::move(message));
    d.severity = severity;
    d.where.file = member_label(archive.label, m.name);
    list.push_back(std::move(d));
  };
  for (const Member& m : archive.members) {
    const std::string folded = fold_case(m.name);
    if (!files.insert(folded).second)
      clash(m, "two members have this name, or names that differ only in case");
    for (std::size_t slash = folded.find('/'); slash != folded.npos; slash = folded.find('/', slash + 1))
      directories.insert(folded.substr(0, slash));
  }
  for (const Member& m : archive.members)
    if (directories.contains(fold_case(m.name))) clash(m, "the name is that of a file and of a directory");
  return list;
}

}  // namespace

const Member* Archive::find(std::string_view name) const {
  const auto at = index.find(name);
  return at == index.end() ? nullptr : &members[at->second];
}

bool looks_like_container(std::span<const std::uint8_t> file) {
  constexpr const HeaderField& version = header_field("package_version");
  constexpr const HeaderField& size = header_field("header_size");
  static_assert(version.offset == 0 && size.offset == version.size);
  if (file.size() < size.offset + size.size) return false;
  // The second byte of a bundle is its length, 16; here it is part of a small version number.
  const auto upper = file.subspan(1, version.size - 1);
  if (std::any_of(upper.begin(), upper.end(), [](std::uint8_t b) { return b != 0; })) return false;
  std::uint64_t header_size = 0;
  for (std::uint32_t i = size.size; i-- > 0;) header_size = header_size << 8 | file[size.offset + i];
  return header_size == kHeaderBytes;
}

std::string member_label(std::string_view file, std::string_view member) {
  return fmt::format("{}({})", file, printable(member));
}

Result<Archive> read_archive(std::span<const std::uint8_t> file, const std::string& label,
                             const Limits& limits, Diagnostics& problems) {
  Result<Header> header = read_header(file, label, problems);
  if (!header) return std::move(header).error();
  Archive archive;
  archive.label = label;
  archive.header = *header;
  archive.file_bytes = file.size();
  const auto payload = file.subspan(kHeaderBytes);
  check_digest(payload, archive, problems);

  GzipSource gzip(payload, limits);
  TarReader tar(gzip, limits, archive, problems);
  if (Status read = tar.read_all(); !read) return std::move(read).error();
  archive.gzip_bytes = gzip.consumed();
  archive.tar_bytes = gzip.produced();
  check_after_member(gzip.after_member(), archive, problems);

  for (std::size_t i = 0; i < archive.members.size(); ++i) archive.index[archive.members[i].name] = i;
  for (Diagnostic& d : clashes(archive, Severity::warning)) problems.push_back(std::move(d));
  return archive;
}

Status extract(const Archive& archive, const std::string& target) {
  if (!archive.sound) {
    Diagnostic d = make_error(Code::bad_archive, "an archive with refused members is not unpacked");
    d.where.file = archive.label;
    return d;
  }
  if (Diagnostics list = clashes(archive, Severity::error); !list.empty()) return list;
  Result<StagedDirectory> staged = StagedDirectory::create(target);
  if (!staged) return std::move(staged).error();
  for (const Member& m : archive.members) {
    Status written = staged->write(m.name, m.data);
    if (written) continue;
    for (Diagnostic& d : written.error()) d.where.file = member_label(archive.label, m.name);
    return written;
  }
  return staged->commit();
}

}  // namespace act::neff
