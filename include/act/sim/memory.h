// The on-chip memories: SBUF and PSUM by partition, every byte either defined or not (01 section 3, D-14); and a sparse
// 64-bit device memory for tensors and libraries of custom operations.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <unordered_map>

#include "act/isa/memory_map.h"
#include "act/sim/policies.h"

namespace act::sim {

// Bytes of one memory, and which of them have been written. Pages that nothing touches cost nothing.
class Store {
 public:
  Store(unsigned partitions, std::uint32_t active_bytes);

  std::uint32_t active_bytes() const { return active_; }
  std::uint8_t* partition(unsigned p) { return bytes_.get() + std::size_t{p} * active_; }
  const std::uint8_t* partition(unsigned p) const { return bytes_.get() + std::size_t{p} * active_; }

  // Whether all of [offset, offset + n) of partition p has been written. Precondition: the range is active.
  bool defined(unsigned p, std::uint32_t offset, std::size_t n) const;
  // Whether none of it has.
  bool untouched(unsigned p, std::uint32_t offset, std::size_t n) const;
  void mark_defined(unsigned p, std::uint32_t offset, std::size_t n);
  void mark_undefined(unsigned p, std::uint32_t offset, std::size_t n);
  // Asks the system for large pages where it has them: faster walks over much of the memory, dearer first touches of a little.
  void prefer_large_pages();

 private:
  template <class Part, class Whole>
  void for_lines(unsigned p, std::uint32_t offset, std::size_t n, Part&& part, Whole&& whole) const;
  bool line_full(std::size_t line) const;

  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  std::uint32_t active_;
  std::size_t bytes_size_;
  std::unique_ptr<std::uint8_t[], Free> bytes_;
  // What is written is mostly whole lines of 64 bytes, so a bit says for a line that all of it is defined. Where it is not set
  // (and only there) a word of bits_ has a bit for each byte of the line; a partition is a whole number of words of lines_, so
  // that channels can run side by side.
  std::unique_ptr<std::uint64_t[], Free> bits_, lines_;
};

class Memory {
 public:
  Memory(Generation generation, const Policies& policies);

  Generation generation() const { return generation_; }
  // As act::locate(), but PSUM of maverick as the policy says.
  Location locate(std::uint32_t address) const;
  std::uint32_t address(Space space, unsigned partition, std::uint32_t offset) const;
  std::uint32_t stride(Space space) const { return partition_stride(space, generation_); }
  Store& store(Space space) { return space == Space::psum ? psum_ : sbuf_; }
  const Store& store(Space space) const { return space == Space::psum ? psum_ : sbuf_; }
  std::uint8_t fill() const { return fill_; }

  // Whole bytes of one partition, for loading and storing tensors. Precondition: the range is active.
  void write(const Location& at, std::span<const std::uint8_t> data);
  // Undefined bytes come back as the fill pattern.
  void read(const Location& at, std::span<std::uint8_t> data) const;

 private:
  Generation generation_;
  bool psum_window_on_v5_;
  std::uint8_t fill_;
  Store sbuf_, psum_;
};

// Device memory: 64-bit addresses, pages made on first write.
class Hbm {
 public:
  void write(std::uint64_t address, std::span<const std::uint8_t> data);
  // False when a byte of the range was never written; such bytes come back as `fill`.
  bool read(std::uint64_t address, std::span<std::uint8_t> data, std::uint8_t fill = 0xFF) const;
  std::size_t pages() const { return pages_.size(); }

  static constexpr std::size_t kPageBytes = 4096;
  struct Page {
    std::uint8_t bytes[kPageBytes];
    bool defined[kPageBytes] = {};
  };
  const std::unordered_map<std::uint64_t, std::unique_ptr<Page>>& all_pages() const { return pages_; }

 private:
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
};

}  // namespace act::sim
