// Decoding, encoding, validating and printing allocate nothing per instruction.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "act/asm/text.h"
#include "act/isa/check.h"

namespace {
std::atomic<std::uint64_t> g_allocations{0};

void* counted(std::size_t size) {
  ++g_allocations;
  if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
  std::abort();
}
}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }

namespace act {
namespace {

// One valid instruction of several formats.
std::vector<Bundle> samples() {
  const auto program = parse_text(
      "activation_table_load set=0 wait sem[3] >= 5\n"
      "activate exp src=psum[p0] fp32 [1 x 512] dst=sbuf[p0+0x1000] bfloat16 [1 x 512] channels=128 bias=sbuf[p0+0x40] then sem[4]++\n"
      "activation_read_accumulator dst=sbuf[p0+0x20] fp32 [1 x 1] channels=128\n"
      "copy src=sbuf[p0] fp32 [1 x 64] dst=sbuf[p0+0x1000] fp32 [1 x 64] channels=128\n"
      "tensor_scalar_arith_op ops=MULT,ADD imm=2.0,1.0 src=sbuf[p0] fp32 [1 x 64] dst=sbuf[p0+0x1000] fp32 [1 x 64] channels=128\n"
      "memset dst=sbuf[p0] fp32 [1 x 64] channels=128 set_value=0x3f800000\n"
      "event_semaphore wait sem[5] >= 4\n");
  EXPECT_TRUE(program);
  return program ? program->streams[0].bundles : std::vector<Bundle>{};
}

template <class F>
std::uint64_t allocations_of(F f) {
  f();  // tables are built at first use
  const std::uint64_t before = g_allocations;
  for (int i = 0; i < 1000; ++i) f();
  return g_allocations - before;
}

TEST(Allocation, NoneInTheCodec) {
  const std::vector<Bundle> bundles = samples();
  ASSERT_EQ(bundles.size(), 7u);
  std::uint64_t sum = 0;
  EXPECT_EQ(allocations_of([&] {
              for (const Bundle& b : bundles) sum += encode(decode(b)).bytes[0];
            }), 0u);
  EXPECT_NE(sum, 0u);
}

TEST(Allocation, NoneInTheValidator) {
  const std::vector<Bundle> bundles = samples();
  const CheckOptions options;
  Diagnostics found;
  for (const Bundle& b : bundles)
    EXPECT_EQ(allocations_of([&] { check_bundle(b, kDefaultGeneration, options, found); }), 0u) << print_instruction(b);
  EXPECT_TRUE(found.empty()) << to_text(found[0]);
}

TEST(Allocation, NoneInThePrinter) {
  const std::vector<Bundle> bundles = samples();
  const TextPrinter printer;
  std::string text;
  text.reserve(1 << 16);
  EXPECT_EQ(allocations_of([&] {
              text.clear();
              for (const Bundle& b : bundles) printer.append(b, text);
            }), 0u);
}

// Of the parser only a bounded number: the report function, nothing that grows with the operands.
TEST(Allocation, NoneInTheParser) {
  TextAssembler assembler({}, [](const Diagnostic&, std::string_view) {});
  std::vector<std::string> lines;
  for (const Bundle& b : samples()) lines.push_back(print_instruction(b));
  EXPECT_EQ(allocations_of([&] {
              for (const std::string& line : lines) assembler.line(line);
            }), 0u);
}

}  // namespace
}  // namespace act
