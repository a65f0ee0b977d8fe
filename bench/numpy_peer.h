// numpy in a process of its own, /usr/bin/python3, that runs statements on request and says how long each
// took.
#pragma once

#include <string>

namespace act::bench {

class Numpy {
 public:
  // `setup` is Python text, run once with numpy imported as np.
  explicit Numpy(const std::string& setup);
  ~Numpy();
  Numpy(const Numpy&) = delete;
  Numpy& operator=(const Numpy&) = delete;

  bool running() const { return to_ >= 0; }
  // Processor seconds of one execution of the statement, the mean of `times`.
  double seconds(const std::string& statement, int times);

 private:
  std::string line();
  int to_ = -1, from_ = -1;
  int child_ = -1;
};

}  // namespace act::bench
