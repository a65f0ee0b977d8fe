#include "act/sim/memory.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace act::sim {

Store::Store(unsigned partitions, std::uint32_t active_bytes) : active_(active_bytes) {
  // calloc of this size is fresh zero pages from the system: no cost until they are touched.
  const std::size_t bytes = std::size_t{partitions} * active_bytes;
  bytes_.reset(static_cast<std::uint8_t*>(std::calloc(bytes, 1)));
  bits_.reset(static_cast<std::uint64_t*>(std::calloc(bytes / 64, sizeof(std::uint64_t))));
  if (bytes_ == nullptr || bits_ == nullptr) throw std::bad_alloc();
}

// Calls edge(pointer, mask) for the words that the range touches in part, and whole(first, n) for those between them.
template <class Edge, class Whole>
void Store::for_words(unsigned p, std::uint32_t offset, std::size_t n, Edge&& edge, Whole&& whole) const {
  if (n == 0) return;
  const std::size_t first = std::size_t{p} * active_ + offset, last = first + n - 1;
  const std::uint64_t head = ~std::uint64_t{0} << first % 64, tail = ~std::uint64_t{0} >> (63 - last % 64);
  std::uint64_t* const words = bits_.get();
  if (first / 64 == last / 64) return edge(words + first / 64, head & tail);
  edge(words + first / 64, head);
  whole(words + first / 64 + 1, last / 64 - first / 64 - 1);
  edge(words + last / 64, tail);
}

bool Store::defined(unsigned p, std::uint32_t offset, std::size_t n) const {
  std::uint64_t missing = 0;
  for_words(
      p, offset, n, [&](const std::uint64_t* w, std::uint64_t mask) { missing |= ~*w & mask; },
      [&](const std::uint64_t* w, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) missing |= ~w[i];
      });
  return missing == 0;
}

bool Store::untouched(unsigned p, std::uint32_t offset, std::size_t n) const {
  std::uint64_t found = 0;
  for_words(
      p, offset, n, [&](const std::uint64_t* w, std::uint64_t mask) { found |= *w & mask; },
      [&](const std::uint64_t* w, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) found |= w[i];
      });
  return found == 0;
}

void Store::mark_defined(unsigned p, std::uint32_t offset, std::size_t n) {
  for_words(
      p, offset, n, [](std::uint64_t* w, std::uint64_t mask) { *w |= mask; },
      [](std::uint64_t* w, std::size_t count) { std::memset(w, 0xFF, count * sizeof *w); });
}

void Store::mark_undefined(unsigned p, std::uint32_t offset, std::size_t n) {
  for_words(
      p, offset, n, [](std::uint64_t* w, std::uint64_t mask) { *w &= ~mask; },
      [](std::uint64_t* w, std::size_t count) { std::memset(w, 0, count * sizeof *w); });
}

Memory::Memory(Generation generation, const Policies& policies)
    : generation_(generation),
      psum_window_on_v5_(generation == Generation::maverick && policies.psum_v5 == PsumV5Policy::window),
      fill_(policies.fill == FillPolicy::zero ? 0x00 : 0xFF),
      sbuf_(kPartitions, geometry(generation).sbuf_active),
      psum_(kPartitions, kPsumActive) {}

Location Memory::locate(std::uint32_t address) const {
  const std::uint32_t a = address & kAddressMask;
  const std::uint32_t window = geometry(Generation::mariana).psum_window;
  if (psum_window_on_v5_ && a >= kPsumBase && a - kPsumBase < window) return act::locate(a, Generation::mariana);
  return act::locate(address, generation_);
}

std::uint32_t Memory::address(Space space, unsigned partition, std::uint32_t offset) const {
  return make_address(space, partition, offset, generation_);
}

void Memory::write(const Location& at, std::span<const std::uint8_t> data) {
  if (data.empty()) return;
  Store& s = store(at.space);
  std::memcpy(s.partition(at.partition) + at.offset, data.data(), data.size());
  s.mark_defined(at.partition, at.offset, data.size());
}

void Memory::read(const Location& at, std::span<std::uint8_t> data) const {
  if (data.empty()) return;
  const Store& s = store(at.space);
  std::memcpy(data.data(), s.partition(at.partition) + at.offset, data.size());
  if (s.defined(at.partition, at.offset, data.size())) return;
  const auto offset = [&](std::size_t i) { return at.offset + static_cast<std::uint32_t>(i); };
  for (std::size_t i = 0; i < data.size(); ++i)
    if (i % 64 == 0 && i + 64 <= data.size() && s.untouched(at.partition, offset(i), 64)) {
      std::memset(data.data() + i, fill_, 64);
      i += 63;
    } else if (!s.defined(at.partition, offset(i), 1)) {
      data[i] = fill_;
    }
}

void Hbm::write(std::uint64_t address, std::span<const std::uint8_t> data) {
  for (std::size_t done = 0; done < data.size();) {
    const std::uint64_t at = address + done;
    std::unique_ptr<Page>& page = pages_[at / kPageBytes];
    if (page == nullptr) page = std::make_unique<Page>();
    const std::size_t offset = at % kPageBytes, n = std::min(data.size() - done, kPageBytes - offset);
    std::memcpy(page->bytes + offset, data.data() + done, n);
    std::fill_n(page->defined + offset, n, true);
    done += n;
  }
}

bool Hbm::read(std::uint64_t address, std::span<std::uint8_t> data, std::uint8_t fill) const {
  bool all = true;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::uint64_t at = address + i;
    const auto page = pages_.find(at / kPageBytes);
    const bool known = page != pages_.end() && page->second->defined[at % kPageBytes];
    data[i] = known ? page->second->bytes[at % kPageBytes] : fill;
    all = all && known;
  }
  return all;
}

}  // namespace act::sim
