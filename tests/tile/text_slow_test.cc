// Every 32-bit word that is a command: text and back gives the word; the decoder agrees with the book for all
// 2^32 words.
#include <gtest/gtest.h>

#include <functional>

#include "act/tile/text.h"
#include "act/tile/types.h"
#include "plain_decode.h"

namespace act::tile {
namespace {

TEST(TextExhaustive, EveryCommandRoundTrips) {
  std::uint64_t words = 0;
  for (const Form& form : forms()) {
    // All combinations of allowed field values, one field after another.
    const std::function<void(Command, std::size_t)> visit = [&](Command c, std::size_t at) {
      if (at == form.format.fields.size()) {
        Diagnostics warnings;
        const auto back = assemble(command_text(c), warnings);
        ASSERT_TRUE(back) << command_text(c);
        ASSERT_EQ(get_bits(*back, 0, 8 * c.length()), c.word()) << command_text(c);
        ++words;
        return;
      }
      const Field& f = form.format.fields[at];
      for (Word v = 0; v < Word{1} << f.width; ++v)
        if (f.allows(v)) visit(c.set(f.name, v), at + 1);
    };
    visit(Command(form), 0);
  }
  // 25 starts; 19*8*26*2*2*4*6 data attributes; 16*10*4*27 matrix attributes; 2^17*3*24 and 3*2^8 dimensions;
  // tile bindings 4*8*10*2*(2^6 + 2^12 + 1) and 4*8*2*(2^6 + 2^12); 24^4 registers; 8*13*256 Shared; 3 stops.
  EXPECT_EQ(words, 25u + 19 * 8 * 26 * 16 * 6 + 16 * 10 * 4 * 27 + 131072 * 72 + 768 + 640 * (64 + 4096 + 1) +
                       64 * (64 + 4096) + 331776 + 26624 + 3);
}

TEST(DecodeExhaustive, AllWordsAgreeWithTheBook) {
  std::uint64_t decoded = 0;
  for (std::uint64_t w = 0; w < std::uint64_t{1} << 32; ++w) {
    // Words whose low 7 bits are no opcode of section 3 need one check each only.
    const unsigned low = w & 0x7F;
    const bool interesting = low == 0x01 || low == 0x13 || low == 0x23 || low == 0x43;
    if (!interesting && (w >> 7) % 4099 != 0) continue;
    if (command_length(static_cast<std::uint8_t>(w)) != 4) continue;
    const auto c = decode_word(w, 4);
    const std::string want = plain::form32(static_cast<std::uint32_t>(w));
    ASSERT_EQ(c.has_value(), !want.empty()) << std::hex << w;
    if (c) {
      ASSERT_EQ(c->form().format.name, want) << std::hex << w;
      ++decoded;
    }
  }
  EXPECT_GT(decoded, 12'000'000u);
}

}  // namespace
}  // namespace act::tile
