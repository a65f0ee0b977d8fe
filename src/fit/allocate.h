// Which octave gets how many sections (02 section 17, G-7).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace act::fit {

inline constexpr int kMaxExtractSize = 10;

// An octave as the allocation sees it.
struct OctaveDemand {
  bool outer = false;  // has a tolerance of its own (its full cubic is not storable)
  std::uint32_t last_mantissa =
      0x7fffff;  // of the last input before the clamp; less than full in a truncated octave

  // Sections materialised at an extract size: those that start at or before the last input.
  int sections(int size) const { return static_cast<int>(last_mantissa >> (23 - size)) + 1; }
};

// Worst error in ULP of octave `index` cut at extract size `size`.
using OctaveError = std::function<double(std::size_t index, int size)>;

// Shares a budget of sections among octaves. Every octave starts with one section per octave; settle() finds
// the smallest worst error, spend() gives away what is left.
class Allocator {
 public:
  // `outer_limit`: largest error an outer octave may have whatever it costs the inner ones.
  Allocator(std::vector<OctaveDemand> octaves, int budget, double outer_limit, OctaveError error);

  // False when the budget is below one section an octave or the outer limit cannot be met.
  bool settle();
  // Refines where a section lowers the logarithm of an octave's error most, until nothing helps or fits.
  void spend();
  // The octave now ends further out; its sections are charged.
  void extend(std::size_t index, std::uint32_t last_mantissa);

  int used() const { return used_; }
  int left() const { return budget_ - used_; }
  int size(std::size_t index) const { return size_[index]; }
  const OctaveDemand& octave(std::size_t index) const { return octaves_[index]; }
  // Worst error of the inner or of the outer octaves; 0 when there are none.
  double worst(bool outer);

 private:
  bool has_outer() const;
  double error(std::size_t index, int size);
  int next_size(std::size_t index);
  int price(std::size_t index, int size) const;
  void take(std::size_t index, int size);
  void refine(bool outer, double goal);
  void share();

  std::vector<OctaveDemand> octaves_;
  int budget_;
  double outer_limit_;
  OctaveError error_;
  std::vector<int> size_;
  std::vector<std::map<int, double>> errors_;
  int used_ = 0;
};

}  // namespace act::fit
