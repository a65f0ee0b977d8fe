// Encoding and decoding of every block command (04 sections 3 and 4).
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "act/rows/check.h"
#include "act/tile/command.h"
#include "act/tile/text.h"
#include "act/tile/types.h"
#include "plain_decode.h"

namespace act::tile {
namespace {

std::string form_name(Word word, unsigned length) {
  const auto c = decode_word(word, length);
  if (!c) return {};
  EXPECT_EQ(c->word(), word);
  return std::string(c->form().format.name);
}

TEST(Forms, MasksAndMatchesAreTheBooks) {
  struct Row {
    const char* name;
    std::uint64_t mask, match;
    unsigned bytes;
  };
  constexpr Row kBook[] = {
      {"BSTART.VEC", 0x000FFFFF, 0x00019181, 4}, {"B.DATR", 0x000C707F, 0x00001023, 4},
      {"C.B.DIMI", 0x003F, 0x003C, 2},           {"B.IOT.SD", 0xFC00707F, 0x00005013, 4},
      {"B.IOT.S", 0xFC07F07F, 0x00005013, 4},    {"B.IOT.SSD", 0x0000707F, 0x00004013, 4},
      {"B.IOT.SS", 0x0007F07F, 0x00004013, 4},   {"B.IOT.D", 0xFFF0707F, 0x00006013, 4},
      {"BSTOP", 0xFFFFFFFF, 0x00000001, 4},      {"C.BSTOP", 0xFFFF, 0x0000, 2},
      {"L.BSTOP", ~0ull, 0x000000010000000F, 8}, {"B.IOR", 0x0600707F, 0x00000013, 4},
      {"B.IOS", 0xF00871FF, 0x00001013, 4},      {"B.FPATR", 0x00007FFF, 0x00002023, 4}};
  for (const Row& row : kBook) {
    const Form* form = find_form(row.name);
    ASSERT_NE(form, nullptr) << row.name;
    EXPECT_EQ(fixed_mask(form->format), row.mask) << row.name;
    EXPECT_EQ(fixed_match(form->format), row.match) << row.name;
    EXPECT_EQ(form->format.bytes, row.bytes) << row.name;
  }
  // B.DIM names its three registers in bits of the published mask 0x707F.
  EXPECT_EQ(fixed_mask(find_form("B.DIM")->format), 0x7Fu);
  EXPECT_EQ(forms().size(), std::size(kBook) + 1);
}

TEST(Forms, ExamplesOfTheBook) {
  const auto text = [](Word w, unsigned length = 4) { return command_text(*decode_word(w, length)); };
  EXPECT_EQ(text(0x09719181), "BSTART.VEC TRELU, FP32");
  EXPECT_EQ(text(0x00300043), "B.DIM zero, 3, ->LB0");
  EXPECT_EQ(text(0x00101043), "B.DIM zero, 1, ->LB1");
  EXPECT_EQ(text(0x00402043), "B.DIM zero, 4, ->LB2");
  EXPECT_EQ(text(0xFFF007C3), "B.DIM zero, 65535, ->LB0");
  EXPECT_EQ(text(0x0018DE13), "B.IOT T#2, mask=1111, <last>, ->T<1>");
  EXPECT_EQ(text(0x0119DB13), "B.IOT U#2, mask=1100, <last>, ->M<3>");
  EXPECT_EQ(text(0x03F85013), "B.IOT N#16, mask=0000, <last>");
  EXPECT_EQ(text(0x00001023), "B.DATR {NORM, FP64, Zero, EQ, Default, 0, 0}");
  EXPECT_EQ(text(0x18001023), "B.DATR {NORM, FP64, Null, EQ, Default, 0, 0}");
  EXPECT_EQ(text(0x00000013), "B.IOR");
  EXPECT_EQ(text(0x00000001), "BSTOP");
  EXPECT_EQ(text(0x0000, 2), "C.BSTOP");
  EXPECT_EQ(text(0x10000000F, 8), "L.BSTOP");
}

TEST(Forms, StartWordOfEveryTypeOfTheBook) {
  const std::map<std::string_view, Word> book = {
      {"FP64", 0x01719181}, {"FP32", 0x09719181}, {"TF32", 0x11719181}, {"HF32", 0x19719181},
      {"FP16", 0x21719181}, {"BF16", 0x29719181}, {"HiF8", 0x31719181}, {"E4M3", 0x39719181},
      {"E5M2", 0x41719181}, {"E8M0", 0x69719181}, {"S64", 0x81719181},  {"S32", 0x89719181},
      {"S16", 0x91719181},  {"S8", 0x99719181},   {"S4X2", 0xA1719181}, {"U64", 0xC1719181},
      {"U32", 0xC9719181},  {"U16", 0xD1719181},  {"U8", 0xD9719181}};
  for (const auto& [name, word] : book) {
    const auto c = decode_word(word, 4);
    ASSERT_TRUE(c) << name;
    EXPECT_EQ(find_type(*c->get("data_type"))->name, name);
  }
  for (unsigned code = 0; code < 32; ++code)
    EXPECT_EQ(form_name(Word{code} << 27 | 0x01719181, 4).empty(), !plain::concrete_type(code)) << code;
}

TEST(Forms, EverySixteenBitWord) {
  for (std::uint32_t w = 0; w < 65536; ++w) {
    if (command_length(static_cast<std::uint8_t>(w)) != 2) continue;
    ASSERT_EQ(form_name(w, 2), plain::form16(static_cast<std::uint16_t>(w))) << std::hex << w;
  }
}

// Every value of every field of every form, the other fields legal: reserved codes are refused and nothing
// else is.
TEST(Forms, EveryReservedCodeIsRefused) {
  std::map<std::string_view, unsigned> refused;
  for (const Form& form : forms())
    for (const Field& field : form.format.fields)
      for (Word value = 0; value < Word{1} << field.width; ++value) {
        Command c(form);
        for (const Field& other : form.format.fields)
          c.set(other.name, other.choices != nullptr ? other.choices->choices.back().value : 1);
        c.set(field.name, value);
        const auto back = decode_word(c.word(), c.length());
        const std::string want = c.length() == 4 ? plain::form32(static_cast<std::uint32_t>(c.word()))
                                                 : plain::form16(static_cast<std::uint16_t>(c.word()));
        ASSERT_EQ(back ? std::string(back->form().format.name) : std::string(), want)
            << form.format.name << ' ' << field.name << ' ' << value;
        if (back) continue;
        refused[form.format.name]++;
        EXPECT_EQ(back.error()[0].code, Code::tile_encoding);
        EXPECT_EQ(back.error()[0].field, field.name);
        EXPECT_FALSE(back.error()[0].allowed.empty());
      }
  // Counted from the book: types 7, selectors 127; cmode 2, type 6, layout 13; LB 5 and register 8; size 5 (0
  // is another form) or 6; four registers of 8; shared size 3; LB 1.
  EXPECT_EQ(refused["BSTART.VEC"], 7u + 127u);
  EXPECT_EQ(refused["B.DATR"], 2u + 6u + 13u);
  EXPECT_EQ(refused["B.DIM"], 5u + 8u);
  EXPECT_EQ(refused["C.B.DIMI"], 1u);
  EXPECT_EQ(refused["B.IOT.SD"], 5u);
  EXPECT_EQ(refused["B.IOT.SSD"], 5u);
  EXPECT_EQ(refused["B.IOT.D"], 6u);
  EXPECT_EQ(refused["B.IOT.S"] + refused["B.IOT.SS"], 0u);
  EXPECT_EQ(refused["B.IOR"], 4u * 8u);
  EXPECT_EQ(refused["B.IOS"], 3u);
}

TEST(Forms, RandomWordsDecodeAsTheBookSays) {
  std::mt19937_64 random(41);
  const auto near_form = [&](std::uint32_t w) {
    const Form& form = forms()[random() % forms().size()];
    return static_cast<std::uint32_t>((w & ~fixed_mask(form.format)) | fixed_match(form.format));
  };
  unsigned decoded = 0;
  for (int i = 0; i < 400'000; ++i) {
    std::uint32_t w = static_cast<std::uint32_t>(random());
    if (i % 8 != 0) w = near_form(w);
    if (i % 8 == 1) w ^= 1u << random() % 32;
    if (command_length(static_cast<std::uint8_t>(w)) != 4) continue;
    const std::string name = form_name(w, 4);
    ASSERT_EQ(name, plain::form32(w)) << std::hex << w;
    decoded += name.empty() ? 0 : 1;
  }
  EXPECT_GT(decoded, 80'000u);
}

TEST(Forms, HolesAndOtherSelectorsAreToldApart) {
  const auto message = [](unsigned selector) {
    return decode_word(0x09019181 | selector << 20, 4).error()[0].message;
  };
  EXPECT_NE(message(0x18).find("hole"), std::string::npos);
  EXPECT_NE(message(0x19).find("hole"), std::string::npos);
  EXPECT_EQ(message(0x16).find("hole"), std::string::npos);
}

TEST(Forms, LengthsAndTruncation) {
  for (unsigned first = 0; first < 256; ++first) {
    const unsigned want = (first & 15) == 15 ? 8 : (first & 15) == 14 ? 6 : first % 2 == 1 ? 4 : 2;
    EXPECT_EQ(command_length(static_cast<std::uint8_t>(first)), want);
    for (unsigned n = 0; n < want; ++n) {
      const std::vector<std::uint8_t> bytes(n, static_cast<std::uint8_t>(first));
      const auto c = decode(bytes);
      ASSERT_FALSE(c);
      EXPECT_EQ(c.error()[0].code, Code::bad_size);
    }
  }
  EXPECT_TRUE(form_name(0x20000000F, 8).empty());
}

TEST(Json, CommandsRoundTripAndBadOnesAreRefused) {
  std::mt19937_64 random(42);
  for (int i = 0; i < 20000; ++i) {
    const Form& form = forms()[random() % forms().size()];
    Command c(form);
    for (const Field& f : form.format.fields)
      c.set(f.name, f.choices != nullptr ? f.choices->choices[random() % f.choices->choices.size()].value
                                         : random() & ((1ull << f.width) - 1));
    const auto back = command_from_json(to_json(c));
    ASSERT_TRUE(back) << to_json(c).dump() << to_text(back.error()[0]);
    ASSERT_EQ(*back, c);
  }
  for (const char* text :
       {R"(7)", R"({})", R"({"opcode":"B.IOT"})", R"({"opcode":7})", R"({"opcode":"NOP"})",
        R"({"opcode":"B.DIM","fields":7})", R"({"opcode":"B.DIM","fields":{"lb":7}})",
        R"({"opcode":"B.DIM","fields":{"lb":"LB9"}})", R"({"opcode":"B.DIM","fields":{"nothing":7}})",
        R"({"format":"B.IOT.SD","fields":{"size_code":0}})",
        R"({"opcode":"BSTART.VEC","fields":{"selector":24,"data_type":"FP32"}})"})
    EXPECT_FALSE(command_from_json(Json::parse(text))) << text;
  EXPECT_EQ(
      command_from_json(Json::parse(R"({"opcode":"B.DIM","fields":{"lb":"LB2","uimm_11_0":4}})"))->word(),
      0x00402043u);
}

}  // namespace
}  // namespace act::tile
