// Layout and digest of the header: expected offsets and values are those of 05 sections 1-3, written out
// again here.
#include "act/neff/header.h"

#include <gtest/gtest.h>

#include "act/neff/writer.h"
#include "neff/forge.h"

namespace act::neff {
namespace {

std::uint64_t little_endian(std::span<const std::uint8_t> file, std::size_t offset, std::size_t size) {
  std::uint64_t v = 0;
  for (std::size_t i = size; i-- > 0;) v = v << 8 | file[offset + i];
  return v;
}

TEST(Header, Md5IsRfc1321) {
  const auto text = [](std::string_view s) { return md5(as_bytes(s)); };
  const Digest abc = {0x90, 0x01, 0x50, 0x98, 0x3c, 0xd2, 0x4f, 0xb0,
                      0xd6, 0x96, 0x3f, 0x7d, 0x28, 0xe1, 0x7f, 0x72};
  EXPECT_EQ(text("abc"), abc);
  const Digest reversed = {0x98, 0x50, 0x01, 0x90, 0xb0, 0x4f, 0xd2, 0x3c,
                           0x7d, 0x3f, 0x96, 0xd6, 0x72, 0x7f, 0xe1, 0x28};
  EXPECT_EQ(reverse_words(abc), reversed);
}

// N-T1
TEST(Header, WrittenByUsHasTheBytesOfTheTable) {
  ContainerSpec spec;
  spec.name = "net.neff";
  const auto file = write_container(spec);
  ASSERT_TRUE(file);
  const auto& f = *file;
  EXPECT_EQ(little_endian(f, 0, 8), 2u);
  EXPECT_EQ(little_endian(f, 8, 8), 1024u);
  EXPECT_EQ(little_endian(f, 16, 8), f.size() - 1024);
  EXPECT_EQ((f.size() - 1024) % 10240, 0u);
  EXPECT_EQ(little_endian(f, 24, 8), 2u);
  EXPECT_EQ(little_endian(f, 32, 8), 0u);
  EXPECT_EQ(little_endian(f, 168, 4), 1u);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(&f[220])), "net.neff");
  EXPECT_EQ(little_endian(f, 476, 4), 1u);
  EXPECT_EQ(f[480], 1);
  EXPECT_EQ(little_endian(f, 481, 8), 0u);
  EXPECT_EQ(little_endian(f, 544, 8), 0xC00u);
  EXPECT_EQ(little_endian(f, 552, 4), 2u);
  EXPECT_TRUE(std::all_of(f.begin() + 556, f.begin() + 1024, [](auto b) { return b == 0; }));
  EXPECT_TRUE(std::all_of(f.begin() + 188, f.begin() + 204, [](auto b) { return b == 0; }));
  const Digest digest = md5(std::span(f).subspan(1024));
  for (std::size_t word = 0; word < 4; ++word)
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(f[172 + 4 * word + i], digest[4 * word + 3 - i]);

  Diagnostics problems;
  const auto back = read_header(f, "net.neff", problems);
  ASSERT_TRUE(back);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(back->text(header_field("network_name")), "net.neff");
  EXPECT_EQ(digest_form(*back, digest), DigestForm::words_reversed);
}

TEST(Header, SundaHasItsOwnNumbers) {
  ContainerSpec spec;
  spec.target = "sunda";
  const auto f = write_container(spec).value();
  EXPECT_EQ(little_endian(f, 24, 8), 1u);
  EXPECT_EQ(little_endian(f, 544, 8), 0u);
  EXPECT_EQ(little_endian(f, 552, 4), 1u);
}

TEST(Header, EveryFieldRoundTripsAndTouchesNothingElse) {
  for (const HeaderField& field : kHeaderFields) {
    if (field.kind != HeaderKind::number) continue;
    Header h;
    const std::uint64_t largest =
        field.size == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * field.size)) - 1;
    h.set_number(field, largest);
    EXPECT_EQ(h.number(field), largest) << field.name;
    EXPECT_EQ(std::ranges::count(h.raw(), 0xFF), field.size) << field.name;
    for (std::uint32_t i = 0; i < field.size; ++i) EXPECT_EQ(h.raw()[field.offset + i], 0xFF);
  }
}

TEST(Header, TextIsCutBeforeTheFieldEnds) {
  Header h;
  h.set_text(header_field("network_name"), std::string(1000, 'n'));
  EXPECT_EQ(h.text(header_field("network_name")), std::string(255, 'n'));
  EXPECT_EQ(h.number(header_field("logical_cores")), 0u);
}

// N-T4
TEST(Header, DigestFormsAndTheWarning) {
  const Bytes good = forge::wrap(forge::Tar{}.file("a"));
  const auto read = [](const Bytes& f, Diagnostics& problems) { return read_archive(f, "f", {}, problems); };
  Diagnostics problems;
  EXPECT_EQ(read(good, problems)->digest, DigestForm::words_reversed);
  EXPECT_TRUE(problems.empty());

  Bytes plain = good;
  std::ranges::copy(md5(std::span(good).subspan(1024)), plain.begin() + 172);
  EXPECT_EQ(read(plain, problems)->digest, DigestForm::plain);
  EXPECT_TRUE(problems.empty());

  for (const std::size_t bit : {0, 63, 127}) {
    Bytes flipped = good;
    flipped[172 + bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    problems.clear();
    EXPECT_EQ(read(flipped, problems)->digest, DigestForm::differs);
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].code, Code::digest_differs);
    EXPECT_EQ(problems[0].severity, Severity::warning);
    EXPECT_EQ(problems[0].message, "digest differs");
    EXPECT_FALSE(problems[0].value.empty());
    EXPECT_FALSE(problems[0].allowed.empty());
  }
}

// N-02
TEST(Header, FeatureNames) {
  using ::testing::Test;
  EXPECT_EQ(feature_names(0), std::vector<std::string>{});
  EXPECT_EQ(feature_names(0xC40), (std::vector<std::string>{"dynamic_pwp", "vnc", "dve_perf_mode"}));
  EXPECT_EQ(feature_names(0x209C00),
            (std::vector<std::string>{"vnc", "dve_perf_mode", "bit12", "bit15", "bit21"}));
  EXPECT_EQ(feature_names(std::uint64_t{1} << 63), (std::vector<std::string>{"bit63"}));
}

TEST(Header, UnknownFeatureBitsWarnReadersAndStopLoaders) {
  Bytes file = forge::wrap(forge::Tar{}.file("a"));
  const auto with_mask = [&](std::uint64_t mask) {
    for (int i = 0; i < 8; ++i) file[544 + i] = static_cast<std::uint8_t>(mask >> 8 * i);
    Diagnostics problems;
    const auto h = read_header(file, "f", problems);
    EXPECT_TRUE(h.has_value());
    return std::pair{forge::count(problems, Code::unknown_feature, Severity::warning),
                     check_loadable(*h, "f")};
  };
  for (const std::uint64_t seen : {0u, 0x40u, 0xC00u, 0x201C00u, 0x209C00u, 0x209C40u}) {
    EXPECT_EQ(with_mask(seen).first, 0u) << seen;
    EXPECT_TRUE(with_mask(seen).second.has_value()) << seen;
  }
  for (const std::uint64_t unseen : {std::uint64_t{1}, std::uint64_t{0x2000}, std::uint64_t{1} << 63}) {
    const auto [warnings, loadable] = with_mask(unseen | 0xC00);
    EXPECT_EQ(warnings, 1u);
    ASSERT_FALSE(loadable.has_value());
    EXPECT_EQ(loadable.error()[0].message, fmt::format("requires unsupported feature {:#x}", unseen));
  }
}

TEST(Header, HostileNumbersAreReportedTogether) {
  const Bytes good = forge::wrap(forge::Tar{}.file("a"));
  const auto fails_with = [](const Bytes& f, Code code, std::size_t errors) {
    Diagnostics problems;
    const auto r = read_archive(f, "f", {}, problems);
    ASSERT_FALSE(r);
    EXPECT_EQ(forge::count(r.error(), code), errors);
  };
  for (std::size_t size : {0, 1, 15, 16, 1023})
    fails_with(Bytes(good.begin(), good.begin() + size), Code::bad_size, 1);
  Bytes lying = good;
  std::fill_n(lying.begin() + 16, 8, std::uint8_t{0xFF});  // data size 2^64-1
  fails_with(lying, Code::bad_value, 1);
  lying[16] = 0x00;  // 1024 + data size is 2^64
  lying[17] = 0xFC;
  fails_with(lying, Code::bad_value, 1);
  lying[0] = 3;
  lying[8] = 1;
  fails_with(lying, Code::bad_value, 3);
  fails_with(Bytes(good.begin(), good.end() - 1), Code::bad_value, 1);
  Bytes longer = good;
  longer.push_back(0);
  fails_with(longer, Code::bad_value, 1);
  fails_with(Bytes(1024, 0xFF), Code::bad_value, 3);
}

TEST(Header, BytesThatMustBeZeroWarn) {
  for (const std::size_t offset : {188, 203, 556, 1023}) {
    Bytes file = forge::wrap(forge::Tar{}.file("a"));
    file[offset] = 1;
    Diagnostics problems;
    EXPECT_TRUE(read_archive(file, "f", {}, problems));
    EXPECT_EQ(forge::count(problems, Code::reserved_not_zero, Severity::warning), 1u) << offset;
  }
}

}  // namespace
}  // namespace act::neff
