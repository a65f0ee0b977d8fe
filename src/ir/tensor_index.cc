#include "ir/tensor_index.h"

#include <algorithm>
#include <tuple>

namespace act::ir {

std::optional<Argument> whole_tensor(const Module& m, std::int32_t tensor) {
  const TensorBinding& t = m.tensors[static_cast<std::size_t>(tensor)];
  Argument a;
  a.kind = Argument::Kind::pattern;
  a.tensor = tensor;
  a.value = t.addr;
  a.dtype = t.dtype;
  a.channels = static_cast<std::uint8_t>(std::min<std::uint64_t>(t.shape[0], kPartitions));
  std::uint64_t elements = 1;
  for (std::size_t d = 1; d < t.shape.size(); ++d) elements *= t.shape[d];
  a.dims = 1;
  a.num[0] = static_cast<std::uint16_t>(elements);
  if (elements <= 0xFFFF) return a;
  const std::uint64_t inner = t.shape.back();
  if (t.shape.size() < 3 || inner > 0x7FFF || elements / inner > 0xFFFF) return std::nullopt;
  a.dims = 2;
  a.num = {static_cast<std::uint16_t>(inner), static_cast<std::uint16_t>(elements / inner), 1, 1};
  a.step = {1, static_cast<std::int16_t>(inner), 1, 1};
  return a;
}

TensorIndex::TensorIndex(const Module& m) : generation_(m.generation), tensors_(m.tensors) {
  for (std::size_t k = 0; k < m.tensors.size(); ++k) {
    const TensorBinding& t = m.tensors[k];
    const Location at = locate(t.addr, m.generation);
    std::uint64_t bytes = dtype_bytes(t.dtype);
    for (std::size_t d = 1; d < t.shape.size(); ++d) bytes = std::min<std::uint64_t>(bytes * t.shape[d], 1 << 24);
    const auto channels = static_cast<unsigned>(std::min<std::uint64_t>(t.shape.empty() ? 0 : t.shape[0], kPartitions));
    entries_.push_back({at.space, at.offset, at.offset + static_cast<std::uint32_t>(bytes), at.partition, at.partition + channels, static_cast<std::int32_t>(k)});
  }
  std::ranges::stable_sort(entries_, {}, [](const Entry& e) { return std::tuple(e.space, e.low); });
}

std::optional<TensorIndex::Place> TensorIndex::find(std::uint32_t address) const {
  constexpr int kLook = 16;  // entries before the address that are tried
  if ((address & ~kAddressMask) != 0) return std::nullopt;
  const Location at = locate(address, generation_);
  auto it = std::ranges::upper_bound(entries_, std::tuple(at.space, at.offset), {}, [](const Entry& e) { return std::tuple(e.space, e.low); });
  for (int k = 0; k < kLook && it != entries_.begin(); ++k) {
    const Entry& e = *--it;
    if (e.space != at.space) break;
    if (at.offset >= e.high || at.partition < e.first || at.partition >= e.last) continue;
    const unsigned size = dtype_bytes(tensors_[static_cast<std::size_t>(e.tensor)].dtype);
    if ((at.offset - e.low) % size != 0) continue;
    return Place{e.tensor, at.partition - e.first, (at.offset - e.low) / size};
  }
  return std::nullopt;
}

}  // namespace act::ir
