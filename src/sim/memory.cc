#include "act/sim/memory.h"

#include <algorithm>
#include <cstring>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace act::sim {

namespace {

// A block of fresh zero pages from the system: no cost until they are touched.
template <class T>
T* zeroes(std::size_t count) {
  void* p = std::calloc(count, sizeof(T));
  if (p == nullptr) throw std::bad_alloc();
  return static_cast<T*>(p);
}

// Calls use(word, mask) for the words that hold bits [first, last].
template <class Word, class Use>
void for_words(Word* words, std::size_t first, std::size_t last, Use&& use) {
  for (std::size_t w = first / 64; w <= last / 64; ++w) {
    std::uint64_t mask = ~std::uint64_t{0};
    if (w == first / 64) mask &= ~std::uint64_t{0} << first % 64;
    if (w == last / 64) mask &= ~std::uint64_t{0} >> (63 - last % 64);
    use(words[w], mask);
  }
}

}  // namespace

// Partitions share no word of lines_.
static_assert(kPsumActive % (64 * 64) == 0);
static_assert(std::ranges::all_of(kGeometries, [](const Geometry& g) { return g.sbuf_active % (64 * 64) == 0; }));

Store::Store(unsigned partitions, std::uint32_t active_bytes)
    : active_(active_bytes), bytes_size_(std::size_t{partitions} * active_bytes) {
  bytes_.reset(zeroes<std::uint8_t>(bytes_size_));
  bits_.reset(zeroes<std::uint64_t>(bytes_size_ / 64));
  lines_.reset(zeroes<std::uint64_t>(bytes_size_ / (64 * 64)));
}

void Store::prefer_large_pages() {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::uintptr_t kPage = 4096;
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes_.get());
  const std::uintptr_t first = (begin + kPage - 1) / kPage * kPage, end = (begin + bytes_size_) / kPage * kPage;
  // Advice: where it is refused, pages stay small.
  if (first < end) (void)madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
#endif
}

// Calls part(line, mask) for the lines that the range touches in part, and whole(first, last) for those between them.
template <class Part, class Whole>
void Store::for_lines(unsigned p, std::uint32_t offset, std::size_t n, Part&& part, Whole&& whole) const {
  if (n == 0) return;
  const std::size_t first = std::size_t{p} * active_ + offset, end = first + n;
  std::size_t line = first / 64;
  const std::size_t end_line = end / 64;
  const std::uint64_t head = ~std::uint64_t{0} << first % 64, tail = ~(~std::uint64_t{0} << end % 64);
  if (line == end_line) return part(line, head & tail);
  if (first % 64 != 0) part(line++, head);
  if (line < end_line) whole(line, end_line - 1);
  if (end % 64 != 0) part(end_line, tail);
}

bool Store::line_full(std::size_t line) const { return (lines_[line / 64] >> line % 64 & 1) != 0; }

bool Store::defined(unsigned p, std::uint32_t offset, std::size_t n) const {
  bool all = true;
  for_lines(
      p, offset, n, [&](std::size_t line, std::uint64_t mask) { all = all && (line_full(line) || (~bits_[line] & mask) == 0); },
      [&](std::size_t first, std::size_t last) {
        std::uint64_t missing = 0;
        for_words(lines_.get(), first, last, [&](std::uint64_t full, std::uint64_t mask) { missing |= ~full & mask; });
        all = all && missing == 0;
      });
  return all;
}

bool Store::untouched(unsigned p, std::uint32_t offset, std::size_t n) const {
  bool none = true;
  const auto look = [&](std::size_t line, std::uint64_t mask) { none = none && !line_full(line) && (bits_[line] & mask) == 0; };
  for_lines(p, offset, n, look, [&](std::size_t first, std::size_t last) {
    for (std::size_t line = first; line <= last && none; ++line) look(line, ~std::uint64_t{0});
  });
  return none;
}

void Store::mark_defined(unsigned p, std::uint32_t offset, std::size_t n) {
  for_lines(
      p, offset, n,
      [&](std::size_t line, std::uint64_t mask) {
        if (line_full(line)) return;
        bits_[line] |= mask;
        if (bits_[line] == ~std::uint64_t{0}) lines_[line / 64] |= std::uint64_t{1} << line % 64;
      },
      [&](std::size_t first, std::size_t last) {
        for_words(lines_.get(), first, last, [](std::uint64_t& full, std::uint64_t mask) { full |= mask; });
      });
}

void Store::mark_undefined(unsigned p, std::uint32_t offset, std::size_t n) {
  const auto clear = [&](std::size_t line, std::uint64_t mask) {
    bits_[line] = line_full(line) ? ~mask : bits_[line] & ~mask;
    lines_[line / 64] &= ~(std::uint64_t{1} << line % 64);
  };
  for_lines(p, offset, n, clear, [&](std::size_t first, std::size_t last) {
    for (std::size_t line = first; line <= last; ++line) clear(line, ~std::uint64_t{0});
  });
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
