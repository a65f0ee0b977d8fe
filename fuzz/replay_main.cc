// Runs a fuzz target without libFuzzer: over every file of the folders named on the command line, then for a
// bounded number of rounds over altered copies of them (bits flipped, pieces cut, doubled and moved), the
// same on every run.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {
using Input = std::vector<std::uint8_t>;

constexpr int kRounds = 2000;

Input read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void alter(Input& input, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
    const std::size_t at = below(input.size()), length = std::min(below(64), input.size() - at);
    const auto begin = input.begin() + static_cast<std::ptrdiff_t>(at),
               end = begin + static_cast<std::ptrdiff_t>(length);
    const Input piece(begin, end);
    switch (below(4)) {
      case 0:
        if (!input.empty()) input[at] ^= static_cast<std::uint8_t>(1u << below(8));
        break;
      case 1:
        input.erase(begin, end);
        break;
      case 2:
        input.insert(begin, piece.begin(), piece.end());
        break;
      default:
        std::fill(begin, end, static_cast<std::uint8_t>(random()));
        break;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i)
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  if (files.empty()) {
    std::fprintf(stderr, "no seeds\n");
    return 2;
  }
  std::vector<Input> seeds;
  for (const auto& file : files) seeds.push_back(read(file));
  for (const Input& seed : seeds) LLVMFuzzerTestOneInput(seed.data(), seed.size());
  std::mt19937 random(1);
  for (int round = 0; round < kRounds; ++round) {
    Input input = seeds[static_cast<std::size_t>(round) % seeds.size()];
    alter(input, random);
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::printf("%zu seeds, %d altered copies\n", seeds.size(), kRounds);
}
