// 0x42 and 0x52 TensorReduce: the innermost dimensions named by op_dim are folded, the others kept in order (01 section
// 8.8). A group starts from its first element and is folded in ascending order; it is converted once at the end (D-56).
#include "integer_stage.h"
#include "ops.h"

namespace act::sim::ops {
namespace {

// Folds groups of `size` consecutive elements, read in blocks of up to `block`: the first is the running value, then fold(acc, values, n), then finish(acc)
// for each group.
template <class T, class Read, class Fold, class Finish>
void fold_groups(Exec& x, const Operand& s, const Operand& d, std::uint64_t size, unsigned block, Read&& read, Fold&& fold, Finish&& finish) {
  x.channels({&s}, d, [&](unsigned channel) {
    T buffer[kBlock];
    for (std::uint64_t group = 0; group < d.count && !x.failed(); ++group) {
      T acc{};
      for (std::uint64_t done = 0; done < size && !x.failed();) {
        const auto count = static_cast<unsigned>(std::min<std::uint64_t>(block, size - done));
        const T* v = read(Block{channel, group * size + done, count}, buffer);
        unsigned k = 0;
        if (done == 0) acc = v[k++];
        acc = fold(acc, v + k, count - k);
        done += count;
      }
      finish(Block{channel, group, 1}, acc);
    }
  });
}

}  // namespace

void tensor_reduce(Exec& x, const S4d4Tr& i) {
  const Operand s = x.source(i.src_mem_pattern, i.in_dtype, "src_mem_pattern", i.num_active_channels);
  const Operand d = x.destination(i.dst_mem_pattern, i.out_dtype, "dst_mem_pattern", i.num_active_channels);
  const bool bits = static_cast<Opcode>(i.opcode) == Opcode::TENSOR_REDUCE_BITVEC_OP;
  const AluDomain domain = domain_of(x, i.op, i.in_dtype, bits);
  const auto dims = static_cast<unsigned>(i.op_dim);
  if (dims < 2 || dims > 5) return x.fail(Code::bad_value, "a reduction folds X, XY, XYZ or XYZW", "op_dim");
  if (!alu_computes(i.op, domain)) return x.fail(Code::not_simulated, "the operation has no result here", "op");
  if (x.failed()) return;
  std::uint64_t size = 1;
  for (unsigned dim = 0; dim + 1 < dims; ++dim) size *= s.written_num[dim];
  if (size == 0 || d.count * size != s.count) return x.fail(Code::bad_value, "one element per group is written", "dst_mem_pattern");
  if (domain == AluDomain::floating) {
    fold_groups<float>(
        x, s, d, size, x.block_for({&s}), [&](const Block& at, float* buffer) { return x.read(s, at, buffer); }, [&](float acc, const float* v, unsigned n) { return x.fold(i.op, acc, v, n); },
        [&](const Block& at, float acc) {
          const float result = i.negated != 0 ? -acc : acc;
          x.write(d, at, &result);
        });
    return;
  }
  IntegerStage stage(x, i.op, i.in_dtype, domain);
  fold_groups<std::uint64_t>(
      x, s, d, size, kBlock,
      [&](const Block& at, std::uint64_t* buffer) {
        x.read_bits(s, at, buffer);
        return buffer;
      },
      [&](std::uint64_t acc, const std::uint64_t* v, unsigned n) {
        for (unsigned k = 0; k < n; ++k) acc = stage(acc, v[k], false);
        return acc;
      },
      [&](const Block& at, std::uint64_t acc) {
        if (i.negated != 0) acc = alu_int(AluOp::subtract_int, 0, acc, i.in_dtype);
        const std::uint64_t result = stage.store(acc, i.out_dtype);
        x.write_bits(d, at, &result);
      });
}

}  // namespace act::sim::ops
