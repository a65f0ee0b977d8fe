#include "tar_reader.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "names.h"
#include "tar_names.h"

namespace act::neff {
namespace {

// Extended headers in front of one member; libarchive itself stops at 1 MiB for each of them.
constexpr std::size_t kHeaderBlocksLimit = std::size_t{8} << 20;

std::string_view type_name(archive_entry* entry) {
  if (archive_entry_hardlink(entry) != nullptr) return "a hard link";
  switch (archive_entry_filetype(entry)) {
    case AE_IFLNK:
      return "a symbolic link";
    case AE_IFCHR:
    case AE_IFBLK:
      return "a device";
    case AE_IFIFO:
      return "a pipe";
    case AE_IFSOCK:
      return "a socket";
    case AE_IFREG:
      return "a sparse file";
    default:
      return "of an unknown type";
  }
}

}  // namespace

TarReader::TarReader(GzipSource& source, const Limits& limits, Archive& out, Diagnostics& problems)
    : source_(source), limits_(limits), out_(out), problems_(problems), tar_(archive_read_new()) {}

TarReader::~TarReader() { archive_read_free(tar_); }

std::ptrdiff_t TarReader::feed(struct ::archive* tar, void* self, const void** piece) {
  auto& reader = *static_cast<TarReader*>(self);
  const std::uint64_t begin = reader.source_.produced();
  const auto got = reader.source_.next();
  if (!reader.keep_) {
    reader.recent_.clear();
    reader.recent_begin_ = begin;
  }
  if (reader.source_.failure() || reader.recent_.size() + got.size() > kHeaderBlocksLimit) {
    archive_set_error(tar, EILSEQ, "too many header blocks in front of a member");
    return -1;
  }
  reader.recent_.insert(reader.recent_.end(), got.begin(), got.end());
  *piece = got.data();
  return static_cast<std::ptrdiff_t>(got.size());
}

Status TarReader::read_all() {
  archive_read_support_format_tar(tar_);
  // Names stay the bytes they are, whatever the locale.
  archive_read_set_format_option(tar_, "tar", "hdrcharset", "BINARY");
  if (archive_read_open(tar_, this, nullptr, &TarReader::feed, nullptr) != ARCHIVE_OK)
    return fatal("the archive cannot be read");
  std::uint64_t seen = 0;
  for (;;) {
    archive_entry* entry = nullptr;
    const int status = next_header(entry);
    // libarchive goes on with what it has; the source knows that the rest is missing.
    if (source_.failure()) return fatal("");
    if (status == ARCHIVE_EOF) break;
    if (status == ARCHIVE_FATAL) return fatal("the tar archive is damaged");
    if (++seen > limits_.members) {
      Diagnostic d =
          make_error(Code::too_large, fmt::format("the archive has more than {} members", limits_.members));
      d.where.file = out_.label;
      return d;
    }
    if (status == ARCHIVE_RETRY) {
      refuse(Code::bad_archive, fmt::format("a tar header is damaged: {}", reason()));
      continue;
    }
    if (Status taken = take(entry); !taken) return taken;
  }
  current_.clear();
  while (!source_.next().empty()) {
  }
  if (source_.failure()) return fatal("");
  return Done{};
}

// Steps over what is left of the member before, then keeps every byte of the header blocks at hand.
int TarReader::next_header(archive_entry*& entry) {
  if (in_member_ && archive_read_data_skip(tar_) == ARCHIVE_FATAL) return ARCHIVE_FATAL;
  drop_recent();
  keep_ = true;
  const int status = archive_read_next_header(tar_, &entry);
  keep_ = false;
  in_member_ = status == ARCHIVE_OK || status == ARCHIVE_WARN;
  return status;
}

// Forgets what lies before the next header; in large steps, so that many small members cost no copying.
void TarReader::drop_recent() {
  constexpr std::uint64_t kStep = std::uint64_t{64} << 10;
  const auto position = static_cast<std::uint64_t>(std::max<la_int64_t>(archive_filter_bytes(tar_, 0), 0));
  if (position < recent_begin_ + kStep) return;
  const std::uint64_t passed = std::min<std::uint64_t>(position - recent_begin_, recent_.size());
  recent_.erase(recent_.begin(), recent_.begin() + static_cast<std::ptrdiff_t>(passed));
  recent_begin_ += passed;
}

std::string_view TarReader::reason() const {
  const char* text = archive_error_string(tar_);
  return text == nullptr ? "no reason given" : text;
}

std::span<const std::uint8_t> TarReader::header_blocks() const {
  const auto position =
      static_cast<std::uint64_t>(std::max<la_int64_t>(archive_read_header_position(tar_), 0));
  const auto end = static_cast<std::uint64_t>(std::max<la_int64_t>(archive_filter_bytes(tar_, 0), 0));
  if (position < recent_begin_ || end < position || end - recent_begin_ > recent_.size()) return {};
  return std::span(recent_).subspan(position - recent_begin_, end - position);
}

Status TarReader::take(archive_entry* entry) {
  const char* raw = archive_entry_pathname(entry);
  current_ = raw == nullptr ? "" : raw;
  Result<std::string> name = inner_name(current_);
  if (!name) {
    refuse(Code::bad_path, name.error().front().message);
    return Done{};
  }
  if (name_has_nul(header_blocks())) {
    refuse(Code::bad_path, "a file name must stay inside its folder: it has a zero byte");
    return Done{};
  }
  if (archive_entry_filetype(entry) == AE_IFDIR && archive_entry_hardlink(entry) == nullptr) return Done{};
  if (!is_plain(entry)) {
    refuse(Code::bad_member,
           fmt::format("a member must be a plain file or a directory, this is {}", type_name(entry)));
    return Done{};
  }
  if (name->empty()) {
    refuse(Code::bad_path, "a plain file has the name of the folder itself");
    return Done{};
  }
  Member member{std::move(*name), {}};
  if (Status read = read_data(member, static_cast<std::uint64_t>(archive_entry_size(entry))); !read)
    return read;
  out_.members.push_back(std::move(member));
  return Done{};
}

bool TarReader::is_plain(archive_entry* entry) {
  return archive_entry_filetype(entry) == AE_IFREG && archive_entry_hardlink(entry) == nullptr &&
         archive_entry_sparse_count(entry) == 0;
}

Status TarReader::read_data(Member& member, std::uint64_t declared) {
  const auto too_large = [&](std::uint64_t limit, std::string_view what) {
    Diagnostic d = make_error(Code::too_large, fmt::format("{} has more than {} bytes", what, limit));
    d.where.file = member_label(out_.label, current_);
    d.value = fmt::format("{} bytes declared", declared);
    return d;
  };
  // Refused by the header alone, before a byte of it is decompressed.
  if (declared > limits_.member_bytes) return too_large(limits_.member_bytes, "the member");
  if (declared > limits_.total_bytes) return too_large(limits_.total_bytes, "the archive");
  // The declared size may be a lie: memory grows with what really arrives.
  member.data.reserve(std::min<std::uint64_t>(declared, std::uint64_t{1} << 20));
  for (;;) {
    const void* block = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    const int status = archive_read_data_block(tar_, &block, &size, &offset);
    if (status == ARCHIVE_EOF) return Done{};
    if (status < ARCHIVE_WARN) return fatal("the tar archive is damaged");
    if (size > declared - member.data.size()) return too_large(declared, "the member");
    const auto* bytes = static_cast<const std::uint8_t*>(block);
    member.data.insert(member.data.end(), bytes, bytes + size);
  }
}

void TarReader::refuse(Code code, std::string message) {
  Diagnostic d = make_error(code, std::move(message));
  d.where.file = member_label(out_.label, current_);
  d.value = printable(current_);
  out_.sound = false;
  problems_.push_back(std::move(d));
}

// The end of reading: the source's own reason where it has one.
Diagnostic TarReader::fatal(std::string_view what) {
  Diagnostic d = source_.failure() ? *source_.failure()
                                   : make_error(Code::bad_archive, fmt::format("{}: {}", what, reason()));
  d.where.file = current_.empty() ? out_.label : member_label(out_.label, current_);
  return d;
}

}  // namespace act::neff
