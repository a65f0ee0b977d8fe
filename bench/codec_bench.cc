// The codec over a million mixed instructions on one core: decode, validate, encode, text both ways; memcpy and an x86
// disassembler on x86 code in the same run, for scale.
#include <Zydis/Zydis.h>
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <link.h>

#include <array>
#include <cstring>
#include <random>
#include <span>

#include "act/asm/text.h"
#include "act/isa/check.h"
#include "act/isa/memory_map.h"
#include "report.h"

namespace act {
namespace {

constexpr std::size_t kCount = 1'000'000;

// Valid instructions of the kinds and in about the shares that engine streams hold them, with events.
class Mix {
 public:
  Bundle next() {
    switch (random_() % 12) {
      case 0:
      case 1:
      case 2: return activate();
      case 3:
      case 4: return copy(Opcode::COPY, Dtype::fp32);
      case 5: return copy(Opcode::CAST, Dtype::bfloat16);
      case 6: return reduce();
      case 7: return scalar();
      case 8: return tensor_tensor();
      case 9: return with_events(make<Raw>(Opcode::EVENT_SEMAPHORE));
      case 10: return memset();
      default: return load();
    }
  }

 private:
  template <class T>
  Bundle with_events(T x) {
    if (random_() % 2 != 0) {
      x.wait_mode = WaitMode::SEM_GE_IMM;
      x.wait_idx = static_cast<std::uint8_t>(4 + random_() % 36);
      x.sync_value = random_() % 1000;
    }
    if (random_() % 2 != 0) {
      x.update_mode = UpdateMode::SEM_INC_COMPLETE;
      x.update_idx = static_cast<std::uint8_t>(4 + random_() % 3);
    }
    return encode(x);
  }
  std::uint32_t sbuf() { return static_cast<std::uint32_t>(random_() % 0x8000 * 4); }
  std::uint32_t place() { return random_() % 2 != 0 ? sbuf() : kPsumBase + static_cast<std::uint32_t>(random_() % 0x1000); }
  Tensor3d tensor3(std::uint32_t addr, std::uint16_t n) { return {addr & ~3u, {1, 1, 1}, {n, 1, 1}}; }
  MemPattern4d tensor4(std::uint32_t addr, std::uint16_t n) {
    MemPattern4d t;
    t.addr = addr & ~3u;
    t.step = {1, 1, 1, 1};
    t.num = {n, 1, 1, 1};
    return t;
  }
  MemPattern3d pattern3(std::uint32_t addr, std::uint16_t n) {
    MemPattern3d t;
    static_cast<Tensor3d&>(t) = tensor3(addr, n);
    return t;
  }
  std::uint16_t count() { return static_cast<std::uint16_t>(1 + random_() % 512); }

  Bundle activate() {
    constexpr std::array<std::uint8_t, 6> kFunctions = {7, 1, 128, 2, 33, 5};
    S3d3Ac x = make<S3d3Ac>(Opcode::ACTIVATE);
    const std::uint16_t n = count();
    x.activation_func = kFunctions[random_() % kFunctions.size()];
    x.src_mem_pattern = tensor3(place(), n);
    x.dst_mem_pattern = tensor3(sbuf(), n);
    x.in_bias_dtype = DtypePair::of(Dtype::fp32, Dtype::fp32);
    x.out_dtype = random_() % 2 != 0 ? Dtype::fp32 : Dtype::bfloat16;
    x.num_active_channels = 128;
    x.scale_value.bits = random_() % 2 != 0 ? 0x3F800000 : 0x3DB504F3;
    x.bias_src_n = random_() % 2 != 0 ? ImmSrcN::INSTRUCTION : ImmSrcN::POINTER;
    if (x.bias_src_n == ImmSrcN::POINTER) x.bias.bits = sbuf() & ~3u;
    return with_events(x);
  }
  Bundle copy(Opcode opcode, Dtype out) {
    S4d4Tr x = make<S4d4Tr>(opcode);
    const std::uint16_t n = count();
    x.src_mem_pattern = tensor4(place(), n);
    x.dst_mem_pattern = tensor4(sbuf(), n);
    x.in_dtype = Dtype::fp32;
    x.out_dtype = out;
    x.num_active_channels = 128;
    return with_events(x);
  }
  Bundle reduce() {
    S4d4Tr x = make<S4d4Tr>(Opcode::TENSOR_REDUCE_ARITH_OP);
    x.src_mem_pattern = tensor4(place(), count());
    x.dst_mem_pattern = tensor4(sbuf(), 1);
    x.in_dtype = x.out_dtype = Dtype::fp32;
    x.num_active_channels = 128;
    x.op = AluOp::max;
    x.op_dim = TensorSubdim::X;
    return with_events(x);
  }
  Bundle scalar() {
    S3d3Ts x = make<S3d3Ts>(Opcode::TENSOR_SCALAR_ARITH_OP);
    const std::uint16_t n = count();
    x.src_mem_pattern = pattern3(place(), n);
    x.dst_mem_pattern = pattern3(sbuf(), n);
    x.in_dtype = x.out_dtype = Dtype::fp32;
    x.num_active_channels = 128;
    x.op0 = AluOp::mult;
    x.imm0_src = ImmSrc::POINTER_IMMEDIATE;
    x.imm0.bits = sbuf() & ~3u;
    return with_events(x);
  }
  Bundle tensor_tensor() {
    S3s3d3Tt x = make<S3s3d3Tt>(Opcode::TENSOR_TENSOR_ARITH_OP);
    const std::uint16_t n = count();
    x.src0_mem_pattern = tensor3(sbuf(), n);
    x.src1_mem_pattern = tensor3(sbuf(), n);
    x.dst_mem_pattern = tensor3(sbuf(), n);
    x.in0_in1_dtype = DtypePair::of(Dtype::fp32, Dtype::fp32);
    x.out_dtype = Dtype::fp32;
    x.op = AluOp::add;
    x.num_active_channels = 128;
    return with_events(x);
  }
  Bundle memset() {
    D4Mr x = make<D4Mr>(Opcode::MEMSET);
    x.dst_mem_pattern = {sbuf() & ~3u, {1, 1, 1, 1}, {count(), 1, 1, 1}};
    x.dst_element_count = x.dst_mem_pattern.num[0];
    x.dtype = Dtype::fp32;
    x.num_active_channels = 128;
    x.set_value = random_();
    return with_events(x);
  }
  Bundle load() {
    CtrlNo x = make<CtrlNo>(Opcode::ACTIVATION_TABLE_LOAD);
    x.act_tbl_sel = static_cast<std::uint8_t>(random_() % 8);
    return with_events(x);
  }

  std::mt19937 random_{42};
};

const std::vector<Bundle>& bundles() {
  static const std::vector<Bundle> kBundles = [] {
    Mix mix;
    std::vector<Bundle> v(kCount);
    Diagnostics found;  // random places sometimes overlap, which warns: drawn again
    for (Bundle& b : v) do {
        found.clear();
        b = mix.next();
        check_bundle(b, kDefaultGeneration, {}, found);
      } while (!found.empty());
    return v;
  }();
  return kBundles;
}

void count_bundles(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kCount));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kCount * kBundleBytes));
}

void copy_memory(benchmark::State& state) {
  const auto& in = bundles();
  std::vector<Bundle> out(kCount);
  for (auto _ : state) {
    std::memcpy(out.data(), in.data(), kCount * kBundleBytes);
    benchmark::ClobberMemory();
  }
  count_bundles(state);
}

void decode_fields(benchmark::State& state) {
  const auto& in = bundles();
  for (auto _ : state)
    for (const Bundle& b : in) {
      Instruction x = decode(b);
      benchmark::DoNotOptimize(x);
    }
  count_bundles(state);
}

void encode_fields(benchmark::State& state) {
  std::vector<Instruction> in;
  in.reserve(kCount);
  for (const Bundle& b : bundles()) in.push_back(decode(b));
  std::vector<Bundle> out(kCount);
  for (auto _ : state) {
    for (std::size_t i = 0; i < kCount; ++i) out[i] = encode(in[i]);
    benchmark::ClobberMemory();
  }
  count_bundles(state);
}

void validate(benchmark::State& state) {
  const auto& in = bundles();
  const CheckOptions options;
  Diagnostics found;
  for (auto _ : state)
    for (const Bundle& b : in) check_bundle(b, kDefaultGeneration, options, found);
  if (!found.empty()) state.SkipWithError(to_text(found.front()).c_str());
  count_bundles(state);
}

void disassemble(benchmark::State& state) {
  const auto& in = bundles();
  const TextPrinter printer;
  std::string text;
  for (auto _ : state) {
    text.clear();
    for (const Bundle& b : in) {
      printer.append(b, text);
      if (text.size() > (1 << 18)) text.clear();  // a writer would have written it
    }
    benchmark::DoNotOptimize(text);
  }
  count_bundles(state);
}

void assemble(benchmark::State& state) {
  std::string text;
  const TextPrinter printer;
  for (const Bundle& b : bundles()) printer.append(b, text);
  std::vector<Bundle> out(kCount);
  for (auto _ : state) {
    TextAssembler assembler({}, [&state](const Diagnostic& d, std::string_view) { state.SkipWithError(to_text(d).c_str()); });
    std::size_t i = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      if (assembler.line(std::string_view(text).substr(at, end - at)) == TextAssembler::Statement::instruction) out[i++] = assembler.bundle();
      at = end + 1;
    }
    if (i != kCount || out != bundles()) state.SkipWithError("the text does not give the instructions back");
  }
  count_bundles(state);
}

// The machine code of this program.
std::span<const std::uint8_t> x86_code() {
  std::span<const std::uint8_t> code;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
          *static_cast<std::span<const std::uint8_t>*>(out) = {reinterpret_cast<const std::uint8_t*>(info->dlpi_addr + segment.p_vaddr), segment.p_memsz};
          return 1;
        }
        return 0;
      },
      &code);
  return code;
}

template <class Use>
void walk_x86(benchmark::State& state, Use use) {
  const auto code = x86_code();
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  std::int64_t instructions = 0, bytes = 0;
  for (auto _ : state) {
    for (std::size_t at = 0; at < code.size();) {
      ZydisDecodedInstruction instruction;
      std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT> operands;
      if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code.data() + at, code.size() - at, &instruction, operands.data()))) {
        ++at;
        continue;
      }
      use(instruction, operands);
      at += instruction.length;
      ++instructions;
      bytes += instruction.length;
    }
  }
  state.SetItemsProcessed(instructions);
  state.SetBytesProcessed(bytes);
}

void zydis_decode(benchmark::State& state) {
  walk_x86(state, [](auto& instruction, auto& operands) {
    benchmark::DoNotOptimize(instruction);
    benchmark::DoNotOptimize(operands);
  });
}

void zydis_text(benchmark::State& state) {
  ZydisFormatter formatter;
  ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
  std::array<char, 256> text;
  walk_x86(state, [&](auto& instruction, auto& operands) {
    ZydisFormatterFormatInstruction(&formatter, &instruction, operands.data(), instruction.operand_count_visible, text.data(), text.size(), 0, nullptr);
    benchmark::DoNotOptimize(text);
  });
}

constexpr int kRepetitions = 5;
#define ACT_BENCH(f) BENCHMARK(f)->Unit(benchmark::kMillisecond)->Repetitions(kRepetitions)
ACT_BENCH(copy_memory);
ACT_BENCH(decode_fields);
ACT_BENCH(validate);
ACT_BENCH(encode_fields);
ACT_BENCH(disassemble);
ACT_BENCH(assemble);
ACT_BENCH(zydis_decode);
ACT_BENCH(zydis_text);

std::string table(const std::vector<bench::Row>& rows) {
  struct Line {
    const char *name, *what;
    double wanted;  // million a second; 0 = none
  };
  constexpr Line kLines[] = {{"decode_fields", "decode to typed fields", 20}, {"validate", "validate", 5},          {"encode_fields", "encode", 20},
                             {"disassemble", "disassemble to text", 1.5},     {"assemble", "assemble from text", 0.7}};
  const double copied = bench::find(rows, "copy_memory").bytes_per_second;
  std::string out = "| | million instructions/s | GB/s | share of memcpy | at least |\n|---|---:|---:|---:|---:|\n";
  for (const Line& l : kLines) {
    const bench::Row r = bench::find(rows, l.name);
    out += fmt::format("| {} | {:.2f} | {:.2f} | {:.3f} | {} |\n", l.what, r.items_per_second / 1e6, r.bytes_per_second / 1e9, r.bytes_per_second / copied, l.wanted);
  }
  out += fmt::format("| memcpy of the same bytes | {:.2f} | {:.2f} | 1 | |\n", bench::find(rows, "copy_memory").items_per_second / 1e6, copied / 1e9);
  for (const auto& [name, what] : {std::pair{"zydis_decode", "Zydis on x86 code: decode"}, std::pair{"zydis_text", "Zydis on x86 code: decode and format"}}) {
    const bench::Row r = bench::find(rows, name);
    out += fmt::format("| {} | {:.2f} | {:.2f} | | |\n", what, r.items_per_second / 1e6, r.bytes_per_second / 1e9);
  }
  return out;
}

}  // namespace
}  // namespace act

int main(int argc, char** argv) {
  return act::bench::run(argc, argv,
                         {.marker = "codec",
                          .title = "Codec",
                          .text = "A million valid instructions of the kinds that engine streams hold, on one core, medians of five runs. Zydis works on the machine "
                                  "code of the benchmark itself, an instruction of which has about 4 bytes instead of 64.",
                          .command = "cmake --preset bench && cmake --build --preset bench --target codec_bench && build/bench/bench/codec_bench --write=docs/performance.md",
                          .table = act::table});
}
