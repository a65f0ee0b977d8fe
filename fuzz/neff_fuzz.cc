// Containers: never a crash, a hang or more memory than the limits; what is accepted packs and reads back the
// same.
#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "act/neff/listing.h"
#include "act/neff/writer.h"

namespace {
using namespace act;
using namespace act::neff;

void require(bool holds) {
  if (!holds) std::abort();
}

Limits small_limits() {
  Limits limits;
  limits.total_bytes = 4 << 20;
  limits.member_bytes = 2 << 20;
  limits.ratio_from = 1 << 20;
  limits.members = 200;
  limits.graphs = 8;
  limits.json.bytes = 1 << 20;
  return limits;
}

// Mutations rarely keep a digest, a CRC and a checksum whole. So the first byte chooses: 0xFF, the rest is a
// list "NAME\0BYTES\0\0" of members for our writer; 0xFE, it is a tar, whose checksums are mended before it
// is wrapped; anything else, the input is the file itself.
Bytes from_members(std::string_view rest) {
  std::vector<Member> members;
  while (!rest.empty()) {
    const std::size_t name = std::min(rest.find('\0'), rest.size());
    const std::size_t end = std::min(rest.find(std::string_view("\0\0", 2), name), rest.size());
    const std::string_view data = rest.substr(std::min(name + 1, end), end - std::min(name + 1, end));
    members.push_back({std::string(rest.substr(0, name)), Bytes(data.begin(), data.end())});
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  return pack({}, members).value_or(Bytes{});
}

void mend_checksums(std::string& tar) {
  constexpr std::size_t kBlock = 512, kChecksum = 148, kMagic = 257;
  for (std::size_t at = 0; at + kBlock <= tar.size(); at += kBlock) {
    if (tar.compare(at + kMagic, 5, "ustar") != 0) continue;
    std::fill_n(tar.begin() + static_cast<std::ptrdiff_t>(at + kChecksum), 8, ' ');
    unsigned sum = 0;
    for (std::size_t i = 0; i < kBlock; ++i) sum += static_cast<unsigned char>(tar[at + i]);
    std::snprintf(&tar[at + kChecksum], 8, "%06o", sum & 0777777);
  }
}

Bytes from_tar(std::string tar) {
  mend_checksums(tar);
  z_stream z{};
  require(deflateInit2(&z, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  Bytes file(kHeaderBytes + deflateBound(&z, tar.size()));
  z.next_in = reinterpret_cast<Bytef*>(tar.data());
  z.avail_in = static_cast<uInt>(tar.size());
  z.next_out = file.data() + kHeaderBytes;
  z.avail_out = static_cast<uInt>(file.size() - kHeaderBytes);
  require(deflate(&z, Z_FINISH) == Z_STREAM_END);
  file.resize(kHeaderBytes + z.total_out);
  deflateEnd(&z);
  Header header;
  header.set_number(header_field("package_version"), kPackageVersion);
  header.set_number(header_field("header_size"), kHeaderBytes);
  header.set_number(header_field("data_size"), file.size() - kHeaderBytes);
  std::ranges::copy(header.raw(), file.begin());
  return file;
}

void check(std::span<const std::uint8_t> file) {
  const Limits limits = small_limits();
  Diagnostics problems;
  const auto container = read_container(file, "f", limits, problems);
  require(container || has_errors(container.error()));
  if (!container) return;
  require(!listing_text(*container).empty());
  require(listing_json(*container).is_object());
  for (const StreamView& s : container->streams().value_or({})) require(s.engine != nullptr);
  for (const Member& m : container->archive.members) require(check_inner_name(m.name).has_value());

  const auto packed = pack(container->archive.header, container->archive.members);
  if (!packed) return;  // names that clash
  Diagnostics again;
  const auto back = read_archive(*packed, "f", limits, again);
  if (!back) return;  // extended headers of our own may pass the small limits
  require(back->sound && back->digest == DigestForm::words_reversed);
  require(std::ranges::equal(back->members, container->archive.members, [](const Member& a, const Member& b) {
    return a.name == b.name && a.data == b.data;
  }));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span input(data, size);
  if (size > 0 && data[0] == 0xFF)
    check(from_members(as_text(input.subspan(1))));
  else if (size > 0 && data[0] == 0xFE)
    check(from_tar(std::string(as_text(input.subspan(1)))));
  else
    check(input);
  return 0;
}
