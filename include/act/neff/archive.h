// The members of a container: header, digest, one gzip member, a tar inside it (05 sections 1, 2, 9). Nothing
// in here knows what the members mean.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "act/files/files.h"
#include "act/files/json.h"
#include "act/neff/header.h"

namespace act::neff {

// How much a container may ask for (05 N-06). Sizes in bytes.
struct Limits {
  std::uint64_t total_bytes = std::uint64_t{1} << 30;     // of the decompressed archive
  std::uint64_t member_bytes = std::uint64_t{512} << 20;  // of one member
  std::uint64_t ratio = 1000;                             // decompressed to compressed, once past ratio_from
  std::uint64_t ratio_from = std::uint64_t{16} << 20;
  std::uint64_t members = 100'000;  // directories and refused members included
  std::uint64_t graphs = 1024;
  JsonLimits json;
};

struct Member {
  std::string name;  // relative, parts separated by single slashes, without "." parts
  Bytes data;
};

struct Archive {
  std::string label;  // what messages call the file
  Header header;
  Digest payload_md5{};
  DigestForm digest = DigestForm::differs;
  std::uint64_t file_bytes = 0, gzip_bytes = 0, tar_bytes = 0;
  std::vector<Member> members;  // plain files in the order of the archive
  bool sound = true;            // no member was refused, and there is one gzip member

  // The member of that name; the later one where two have it, as a tar is unpacked. nullptr when there is
  // none.
  const Member* find(std::string_view name) const;
  bool contains(std::string_view name) const { return find(name) != nullptr; }

  std::map<std::string, std::size_t, std::less<>> index;  // name -> position in members
};

// True when `file` begins like a container: enough to choose a reader, no promise that it is sound.
bool looks_like_container(std::span<const std::uint8_t> file);

// Control characters and bytes that are no UTF-8 escaped, cut at 300 bytes: safe on a terminal. Everything that comes
// out of a container goes through here before a person sees it.
std::string printable(std::string_view text);

// "FILE(MEMBER)", the form in which messages name a member.
std::string member_label(std::string_view file, std::string_view member);

// Unpacks into memory. `problems` takes warnings and the errors that concern a single member, which is then
// left out: links, devices, sparse members (bad-member), names that leave the archive (bad-path), a second
// gzip member (bad-archive). The result fails with bad-size or bad-value (header), bad-archive (gzip or tar
// damaged), too-large. Two members of one name, also after folding ASCII case, are a warning duplicate-name.
Result<Archive> read_archive(std::span<const std::uint8_t> file, const std::string& label,
                             const Limits& limits, Diagnostics& problems);

// Writes every member below `target`, through a temporary directory that is renamed at the end. Fails without
// a trace when the archive is not sound or two members would share a file (duplicate-name).
Status extract(const Archive& archive, const std::string& target);

}  // namespace act::neff
