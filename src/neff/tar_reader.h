// Walks the tar inside a gzip member with libarchive and keeps its plain files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "act/neff/archive.h"
#include "gzip_source.h"

struct archive;
struct archive_entry;

namespace act::neff {

class TarReader {
 public:
  TarReader(GzipSource& source, const Limits& limits, Archive& out, Diagnostics& problems);
  ~TarReader();
  TarReader(const TarReader&) = delete;
  TarReader& operator=(const TarReader&) = delete;

  // Reads to the end of the gzip member, so that its CRC is checked too.
  Status read_all();

 private:
  static std::ptrdiff_t feed(struct ::archive*, void* self, const void** piece);
  int next_header(archive_entry*& entry);
  Status take(archive_entry* entry);
  Status read_data(Member& member, std::uint64_t declared);
  bool is_plain(archive_entry* entry);
  void refuse(Code code, std::string message);
  Diagnostic fatal(std::string_view what);
  std::string_view reason() const;
  void drop_recent();
  std::span<const std::uint8_t> header_blocks() const;

  GzipSource& source_;
  const Limits& limits_;
  Archive& out_;
  Diagnostics& problems_;
  struct ::archive* tar_;
  std::string current_;  // name of the member being read, as it stands in the archive
  // The pieces handed to libarchive since next_header() began, and where the first of them starts.
  std::vector<std::uint8_t> recent_;
  std::uint64_t recent_begin_ = 0;
  bool keep_ = false;
  bool in_member_ = false;
};

}  // namespace act::neff
