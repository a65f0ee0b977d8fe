#include "act/files/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "files/temporary.h"

namespace act {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMaxPath = 4096;  // of Linux, the closing zero included

Diagnostic failed(const std::string& path, std::string_view what) {
  Diagnostic d = make_error(Code::io_error, fmt::format("{}: {}", what, std::strerror(errno)));
  d.where.file = path;
  return d;
}

Diagnostic over_limit(const std::string& path, std::uint64_t limit) {
  Diagnostic d = make_error(Code::too_large, fmt::format("the file has more than {} bytes", limit));
  d.where.file = path;
  return d;
}

// Closes a descriptor unless it is a standard stream.
struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd > 2) ::close(fd);
  }
};

// Reads to the end in pieces, so that a lying size or an endless pipe cannot force a large allocation.
Result<Bytes> read_all(int fd, const std::string& path, std::uint64_t limit) {
  Bytes out;
  struct stat st {};
  if (::fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
    if (static_cast<std::uint64_t>(st.st_size) > limit) return over_limit(path, limit);
    out.reserve(static_cast<std::size_t>(st.st_size) + 1);
  } else if (S_ISDIR(st.st_mode)) {
    errno = EISDIR;
    return failed(path, "cannot read");
  }
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  for (;;) {
    const std::size_t have = out.size();
    out.resize(have + std::max(kPiece, std::min(out.capacity() - have, std::size_t{1} << 24)));
    const ssize_t got = ::read(fd, out.data() + have, out.size() - have);
    if (got < 0 && errno == EINTR) {
      out.resize(have);
      continue;
    }
    if (got < 0) return failed(path, "cannot read");
    out.resize(have + static_cast<std::size_t>(got));
    if (got == 0) return out;
    if (out.size() > limit) return over_limit(path, limit);
  }
}

Status write_all(int fd, const std::string& path, std::span<const std::uint8_t> data) {
  while (!data.empty()) {
    const ssize_t put = ::write(fd, data.data(), data.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return failed(path, "cannot write");
    data = data.subspan(static_cast<std::size_t>(put));
  }
  return Done{};
}

}  // namespace

Result<Bytes> read_file(const std::string& path, std::uint64_t limit) {
  if (path == "-") return read_all(STDIN_FILENO, path, limit);
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0) return failed(path, "cannot open");
  return read_all(file.fd, path, limit);
}

Result<std::string> read_text(const std::string& path, std::uint64_t limit) {
  return read_file(path, limit).transform([](Bytes&& b) { return std::string(as_text(b)); });
}

Status write_file(const std::string& path, std::span<const std::uint8_t> data) {
  if (path == "-") return write_all(STDOUT_FILENO, path, data);
  std::error_code ec;
  if (fs::exists(path, ec) && !fs::is_regular_file(path, ec)) {  // a device such as /dev/null is written in place
    const Descriptor device{::open(path.c_str(), O_WRONLY | O_CLOEXEC)};
    if (device.fd < 0) return failed(path, "cannot open");
    return write_all(device.fd, path, data);
  }
  std::string temporary;
  const Descriptor file{open_temporary(path, temporary)};
  if (file.fd < 0) return failed(path, "cannot create");
  Status written = write_all(file.fd, path, data);
  if (written && ::rename(temporary.c_str(), path.c_str()) == 0) return written;
  if (written) written = failed(path, "cannot create");
  ::unlink(temporary.c_str());
  return written;
}

Status write_text(const std::string& path, std::string_view text) { return write_file(path, as_bytes(text)); }

Status check_inner_name(std::string_view name) {
  const auto refuse = [&](std::string_view why) {
    Diagnostic d = make_error(Code::bad_path, fmt::format("a file name must stay inside its folder: {}", why));
    d.value = fmt::format("{:?}", name.substr(0, 300));
    return d;
  };
  if (name.empty()) return refuse("it is empty");
  if (name.size() >= kMaxPath) return refuse(fmt::format("it has more than {} bytes", kMaxPath - 1));
  if (name.front() == '/') return refuse("it is absolute");
  if (name.size() >= 2 && name[1] == ':') return refuse("it has a drive letter");
  if (std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
    return refuse("it has a control character");
  if (name.find('\\') != name.npos) return refuse("it has a backslash");
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    if (part == "..") return refuse("it has a part \"..\"");
    if (part.size() > 255) return refuse("it has a part of more than 255 bytes");
    begin = end + 1;
  }
  return Done{};
}

Result<Bytes> DirectoryFolder::read(std::string_view name, std::uint64_t limit) const {
  if (Status ok = check_inner_name(name); !ok) return std::move(ok).error();
  std::error_code ec;
  const fs::path full = fs::weakly_canonical(root_ / name, ec);
  const fs::path base = fs::weakly_canonical(root_, ec);
  const fs::path inner = full.lexically_relative(base);
  if (inner.empty() || *inner.begin() == "..") {
    Diagnostic d = make_error(Code::bad_path, "a link leads outside the folder");
    d.value = std::string(name);
    d.where.file = root_.string();
    return d;
  }
  return read_file((root_ / name).string(), limit);
}

bool DirectoryFolder::contains(std::string_view name) const {
  std::error_code ec;
  return check_inner_name(name).has_value() && fs::is_regular_file(root_ / name, ec);
}

Result<StagedDirectory> StagedDirectory::create(const std::string& target, bool replace) {
  std::error_code ec;
  fs::path where = fs::path(target);
  if (!where.has_filename()) where = where.parent_path();
  if (fs::exists(where, ec) && !(fs::is_directory(where, ec) && (replace || fs::is_empty(where, ec)))) {
    Diagnostic d = make_error(Code::io_error, "the output exists and is not an empty directory");
    d.where.file = target;
    return d;
  }
  if (where.has_parent_path()) fs::create_directories(where.parent_path(), ec);
  std::string staging;
  if (!make_temporary_directory(where.string(), staging)) return failed(target, "cannot create");
  return StagedDirectory(where, staging, replace);
}

StagedDirectory::StagedDirectory(StagedDirectory&& other) noexcept
    : target_(std::move(other.target_)), staging_(std::move(other.staging_)), replace_(other.replace_) {
  other.staging_.clear();
}

StagedDirectory::~StagedDirectory() {
  std::error_code ec;
  if (!staging_.empty()) fs::remove_all(staging_, ec);
}

Status StagedDirectory::write(std::string_view name, std::span<const std::uint8_t> data) {
  if (Status ok = check_inner_name(name); !ok) return ok;
  const fs::path path = staging_ / name;
  std::error_code ec;
  fs::create_directories(path.parent_path(), ec);
  const Descriptor file{::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666)};
  if (file.fd < 0 && errno == ENAMETOOLONG) {  // a fault of the name, not of the file system
    Diagnostic d = make_error(Code::bad_path, "the file name is too long for this place");
    d.value = fmt::format("{:?}", name.substr(0, 300));
    return d;
  }
  if (file.fd < 0) return failed(std::string(name), "cannot create");
  return write_all(file.fd, std::string(name), data);
}

Status StagedDirectory::write(std::string_view name, std::string_view text) { return write(name, as_bytes(text)); }

Status StagedDirectory::commit() {
  std::error_code ec;
  // A directory that is replaced leaves its permissions to the new one.
  if (const int mode = mode_of(target_.string()); mode >= 0) ::chmod(staging_.c_str(), static_cast<mode_t>(mode));
  if (replace_) fs::remove_all(target_, ec);
  fs::rename(staging_, target_, ec);
  if (ec) {
    errno = ec.value();
    return failed(target_.string(), "cannot create");
  }
  staging_.clear();
  return Done{};
}

}  // namespace act
