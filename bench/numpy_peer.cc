#include "numpy_peer.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace act::bench {
namespace {

constexpr const char* kServer = R"(
import sys, time
import numpy as np
np.seterr(all='ignore')
state = {'np': np}
exec(sys.stdin.readline().encode().decode('unicode_escape'), state)
print('ready', flush=True)
for request in sys.stdin:
    times, statement = request.rstrip('\n').split(' ', 1)
    code = compile(statement.encode().decode('unicode_escape'), 'statement', 'exec')
    begin = time.process_time()
    for _ in range(int(times)):
        exec(code, state)
    print((time.process_time() - begin) / int(times), flush=True)
)";

std::string one_line(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\\') {
      out += "\\\\";
    } else {
      out += c;
    }
  }
  return out + "\n";
}

bool send(int fd, const std::string& text) {
  return write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

}  // namespace

Numpy::Numpy(const std::string& setup) {
  int in[2], out[2];
  if (pipe(in) != 0 || pipe(out) != 0) return;
  signal(SIGPIPE, SIG_IGN);
  child_ = fork();
  if (child_ == 0) {
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    for (const int fd : {in[0], in[1], out[0], out[1]}) close(fd);
    setenv("OMP_NUM_THREADS", "1", 1);
    execl("/usr/bin/python3", "python3", "-c", kServer, nullptr);
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  to_ = in[1];
  from_ = out[0];
  if (!send(to_, one_line(setup)) || line() != "ready") {
    close(to_);
    to_ = -1;
  }
}

Numpy::~Numpy() {
  if (to_ >= 0) close(to_);
  if (from_ >= 0) close(from_);
  if (child_ > 0) waitpid(child_, nullptr, 0);
}

std::string Numpy::line() {
  std::string text;
  for (char c; read(from_, &c, 1) == 1 && c != '\n';) text += c;
  return text;
}

double Numpy::seconds(const std::string& statement, int times) {
  send(to_, fmt::format("{} ", times) + one_line(statement));
  return std::strtod(line().c_str(), nullptr);
}

}  // namespace act::bench
