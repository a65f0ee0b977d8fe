#include "act/files/stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "act/files/files.h"
#include "files/temporary.h"

namespace act {
namespace {

constexpr std::size_t kWindow = std::size_t{1} << 20;

Diagnostic failed(const std::string& path, std::string_view what) {
  Diagnostic d = make_error(Code::io_error, fmt::format("{}: {}", what, std::strerror(errno)));
  d.where.file = path;
  return d;
}

void close_file(int fd) {
  if (fd > 2) ::close(fd);
}

}  // namespace

FileReader::FileReader(int fd, std::string path)
    : fd_(fd), path_(std::move(path)), buffer_(std::make_unique_for_overwrite<std::uint8_t[]>(kWindow)), capacity_(kWindow) {}

FileReader::FileReader(FileReader&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)), buffer_(std::move(other.buffer_)), capacity_(other.capacity_),
      begin_(other.begin_), end_(other.end_), consumed_(other.consumed_), at_end_(other.at_end_) {}

FileReader::~FileReader() { close_file(fd_); }

Result<FileReader> FileReader::open(const std::string& path) {
  if (path == "-") return FileReader(STDIN_FILENO, path);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return failed(path, "cannot open");
  return FileReader(fd, path);
}

Status FileReader::fill(std::size_t wanted) {
  if (end_ - begin_ >= wanted || at_end_) return Done{};
  const std::size_t have = end_ - begin_;
  if (wanted > capacity_) {
    auto larger = std::make_unique_for_overwrite<std::uint8_t[]>(wanted);
    std::memcpy(larger.get(), buffer_.get() + begin_, have);
    buffer_ = std::move(larger);
    capacity_ = wanted;
  } else {
    std::memmove(buffer_.get(), buffer_.get() + begin_, have);
  }
  begin_ = 0;
  end_ = have;
  while (end_ < wanted) {
    const ssize_t got = ::read(fd_, buffer_.get() + end_, capacity_ - end_);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed(path_, "cannot read");
    if (got == 0) {
      at_end_ = true;
      break;
    }
    end_ += static_cast<std::size_t>(got);
  }
  return Done{};
}

FileWriter::FileWriter(int fd, std::string path, std::string temporary)
    : fd_(fd), path_(std::move(path)), temporary_(std::move(temporary)) {}

FileWriter::FileWriter(FileWriter&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)), temporary_(std::exchange(other.temporary_, {})) {}

FileWriter::~FileWriter() {
  close_file(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<FileWriter> FileWriter::create(const std::string& path) {
  if (path == "-") return FileWriter(STDOUT_FILENO, path, {});
  struct stat st {};
  if (::stat(path.c_str(), &st) == 0 && !S_ISREG(st.st_mode)) {
    const int device = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (device < 0) return failed(path, "cannot open");
    return FileWriter(device, path, {});
  }
  std::string temporary;
  const int fd = open_temporary(path, temporary);
  if (fd < 0) return failed(path, "cannot create");
  return FileWriter(fd, path, std::move(temporary));
}

Status FileWriter::write(std::span<const std::uint8_t> data) {
  while (!data.empty()) {
    const ssize_t put = ::write(fd_, data.data(), data.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return failed(path_, "cannot write");
    data = data.subspan(static_cast<std::size_t>(put));
  }
  return Done{};
}

Status FileWriter::write(std::string_view text) { return write(as_bytes(text)); }

Status FileWriter::commit() {
  if (temporary_.empty()) return Done{};
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return failed(path_, "cannot create");
  temporary_.clear();
  return Done{};
}

}  // namespace act
