#include "files/temporary.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>

namespace act {
namespace {

constexpr mode_t kPermissions = 0777, kNewFile = 0666, kPrivate = 0600;

// mkstemp and mkdtemp would do, but they ignore the umask, which cannot be asked for without changing it. The name need
// not be secret: it is made with O_EXCL.
std::string name_beside(const std::string& path) {
  static std::atomic<std::uint64_t> count{0};
  const auto now = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  const std::size_t slash = path.rfind('/');
  return fmt::format("{}.actkit-{:x}-{:x}-{:x}", std::string_view(path).substr(0, slash == path.npos ? 0 : slash + 1), ::getpid(), now & 0xFFFFFFFFU, count++);
}

constexpr int kAttempts = 100;

}  // namespace

int mode_of(const std::string& path) {
  struct stat st {};
  return ::stat(path.c_str(), &st) == 0 ? static_cast<int>(st.st_mode & kPermissions) : -1;
}

int open_temporary(const std::string& path, std::string& name) {
  const int replaced = mode_of(path);
  for (int i = 0; i < kAttempts; ++i) {
    name = name_beside(path);
    const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, replaced < 0 ? kNewFile : kPrivate);
    if (fd < 0 && errno == EEXIST) continue;
    if (fd < 0 || replaced < 0 || ::fchmod(fd, static_cast<mode_t>(replaced)) == 0) return fd;
    const int problem = errno;
    ::close(fd);
    ::unlink(name.c_str());
    errno = problem;
    return -1;
  }
  return -1;
}

bool make_temporary_directory(const std::string& path, std::string& name) {
  for (int i = 0; i < kAttempts; ++i) {
    name = name_beside(path);
    if (::mkdir(name.c_str(), kPermissions) == 0) return true;
    if (errno != EEXIST) return false;
  }
  return false;
}

}  // namespace act
