// assemble(disassemble(b)) = b for every 64 bytes b, and text -> bytes -> text -> bytes is stable.
#include <gtest/gtest.h>

#include <random>

#include "act/asm/text.h"

namespace act {
namespace {

// Assembles one line; fails the test with the diagnostics when it does not.
class OneLine {
 public:
  explicit OneLine(Generation g) : assembler_(TextOptions{.file = "line", .generation = g}, [this](const Diagnostic& d, std::string_view line) {
      if (d.severity == Severity::error) errors_ += to_text(d, line) + "\n";
    }) {}
  bool assemble(std::string_view line, Bundle& out) {
    errors_.clear();
    const bool ok = assembler_.line(line) == TextAssembler::Statement::instruction;
    out = assembler_.bundle();
    return ok;
  }
  const std::string& errors() const { return errors_; }

 private:
  std::string errors_;
  TextAssembler assembler_;
};

void expect_identity(const Bundle& b, const TextPrinter& printer, OneLine& line, std::string& text) {
  text.clear();
  printer.append(b, text);
  ASSERT_EQ(text.back(), '\n');
  ASSERT_LT(text.size(), 2048u) << text;
  const std::string_view statement = std::string_view(text).substr(0, text.size() - 1);
  ASSERT_EQ(statement.find('\n'), std::string_view::npos);
  Bundle back;
  ASSERT_TRUE(line.assemble(statement, back)) << statement << "\n" << line.errors();
  ASSERT_EQ(back, b) << statement;
}

class RoundTrip : public testing::TestWithParam<Generation> {};

TEST_P(RoundTrip, RandomPatternsOfEveryOpcode) {
  const TextPrinter printer(GetParam());
  OneLine line(GetParam());
  std::mt19937_64 random(0x5EED + static_cast<unsigned>(GetParam()));
  std::string text;
  for (unsigned opcode = 0; opcode < 256; ++opcode)
    for (int i = 0; i < 1000; ++i) {
      Bundle b;
      for (std::uint8_t& x : b.bytes) x = static_cast<std::uint8_t>(random());
      // Sparse ones too: single bytes that are set, and small values that have forms of their own.
      if (i % 3 == 1)
        for (std::uint8_t& x : b.bytes) x = random() % 4 == 0 ? x : 0;
      if (i % 3 == 2)
        for (std::uint8_t& x : b.bytes) x &= 0x83;
      b.bytes[0] = static_cast<std::uint8_t>(opcode);
      expect_identity(b, printer, line, text);
      if (HasFatalFailure()) return;
    }
}

TEST_P(RoundTrip, OneByteSetToEveryValue) {
  const TextPrinter printer(GetParam());
  OneLine line(GetParam());
  std::string text;
  for (const OpcodeInfo& row : all_opcodes())
    for (unsigned at = 1; at < kBundleBytes; ++at)
      for (unsigned v = 0; v < 256; v += at < 4 ? 1 : 3) {
        Bundle b;
        b.bytes[0] = row.code();
        b.bytes[1] = kInstWordLen;
        b.bytes[at] = static_cast<std::uint8_t>(v);
        expect_identity(b, printer, line, text);
        if (HasFatalFailure()) return;
      }
}

TEST_P(RoundTrip, EveryEventModePair) {
  const TextPrinter printer(GetParam());
  OneLine line(GetParam());
  std::string text;
  for (unsigned wait = 0; wait < 256; ++wait)
    for (unsigned update = 0; update < 256; ++update)
      for (const std::uint8_t index : {0, 9})
        for (const std::uint8_t value : {0, 7}) {
          Bundle b;
          b.bytes = {0xA4, kInstWordLen, 0, 0, static_cast<std::uint8_t>(wait), index, static_cast<std::uint8_t>(update), index, value};
          expect_identity(b, printer, line, text);
          if (HasFatalFailure()) return;
        }
}

INSTANTIATE_TEST_SUITE_P(Generations, RoundTrip, testing::ValuesIn(kGenerations),
                         [](const auto& i) { return std::string(generation_name(i.param)); });

// Every binary32 exponent with random mantissas, all NaN kinds, zeros: the printed scale reads back to the same bits.
TEST(RoundTripFloat, EveryExponent) {
  const TextPrinter printer;
  OneLine line(kDefaultGeneration);
  std::mt19937 random(1);
  std::string text;
  for (std::uint32_t top = 0; top < 512; ++top)
    for (int i = 0; i < 200; ++i) {
      const std::uint32_t mantissa = i == 0 ? 0 : i == 1 ? 1 : i == 2 ? 0x7FFFFF : i == 3 ? 0x400000 : random() & 0x7FFFFF;
      S3d3Ac x = make<S3d3Ac>(Opcode::ACTIVATE);
      x.scale_value.bits = top << 23 | mantissa;
      expect_identity(encode(x), printer, line, text);
      if (HasFatalFailure()) return;
    }
}

}  // namespace
}  // namespace act
