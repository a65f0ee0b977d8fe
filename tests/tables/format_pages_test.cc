// The examples of docs/formats/ are built here and compared with the pages to the byte. ACTKIT_REBASE=1
// rewrites them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "act/files/files.h"
#include "act/rows/record.h"
#include "act/tables/blobs.h"
#include "act/tables/catalog_io.h"
#include "act/tables/device_image.h"
#include "act/tables/layout.h"
#include "act/tables/profile.h"

namespace act {
namespace {

class FormatPages : public ::testing::Test {
 protected:
  // The fenced text behind "<!-- block: name -->" of a page is `expected`.
  static void block(const std::string& page, const std::string& name, const std::string& expected) {
    const std::string path = std::string(ACTKIT_SOURCE_DIR) + "/docs/formats/" + page;
    std::string text = read_text(path).value();
    const std::size_t mark = text.find("<!-- block: " + name + " -->\n```");
    ASSERT_NE(mark, text.npos) << page << " has no block " << name;
    const std::size_t begin = text.find('\n', text.find("```", mark)) + 1, end = text.find("```", begin);
    if (std::getenv("ACTKIT_REBASE") != nullptr) {
      ASSERT_TRUE(write_text(path, text.replace(begin, end - begin, expected)));
      return;
    }
    EXPECT_EQ(text.substr(begin, end - begin), expected) << page << ", block " << name;
  }
};

std::string hex(std::span<const std::uint8_t> bytes) {
  std::string out;
  for (const std::uint8_t b : bytes) out += fmt::format("{}{:02x}", out.empty() ? "" : " ", b);
  return out;
}

// Offset, sixteen bytes, the same as text.
std::string dump(std::span<const std::uint8_t> bytes) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 16) {
    const auto line = bytes.subspan(at, std::min<std::size_t>(16, bytes.size() - at));
    std::string text;
    for (const std::uint8_t b : line) text += b >= 0x20 && b < 0x7f ? static_cast<char>(b) : '.';
    out += fmt::format("{:06x}  {:<47}  {}\n", at, hex(line), text);
  }
  return out;
}

FunctionTable identity() {
  FunctionTable t;
  t.name = "identity";
  t.func_id = 1;
  t.exponent_offset = -127;
  t.neg.octaves = t.pos.octaves = {Octave{.exponent = -127, .extract_size = 0, .sections = {}}};
  for (const Slot s : kSlots) clamp_of(t, s).section.d1 = 1;
  t.specials = {.zero = 0,
                .nan = bits_float(0x7fc00000),
                .pinf = bits_float(0x7f800000),
                .ninf = bits_float(0xff800000)};
  t.lower_bound = bits_float(0xff7fffff);
  t.upper_bound = bits_float(0x7f7fffff);
  return t;
}

TableSet tiny() { return make_set("tiny", {identity()}); }

std::string annotated_record(std::span<const std::uint8_t> r, std::size_t index) {
  static constexpr const char* kNames[] = {"d0", "d1", "d2", "d3", "x"};
  std::string out;
  for (std::size_t i = 0; i < 5; ++i) {
    const auto word = r.subspan(4 * i, 4);
    const auto bits = static_cast<std::uint32_t>(get_bits(word, 0, 32));
    out += fmt::format("{:06x}  {}  {:<2} = 0x{:08x} = {}\n", index * 32 + 4 * i, hex(word), kNames[i], bits,
                       bits_float(bits));
  }
  return out + fmt::format("{:06x}  {}  zero\n", index * 32 + 20, hex(r.subspan(20)));
}

std::string annotated_word(std::size_t index, std::size_t stride, std::uint32_t word,
                           const std::string& what) {
  const CtrlWord w = unpack_ctrl(word);
  const Bytes entry = pack_ctrl_blob(std::vector<std::uint32_t>{word}, stride);
  return fmt::format("{:06x}  {}  base {}, lsb {}, size {}: {}\n", index * stride,
                     hex(std::span(entry).first(4)), w.bkt_base, w.extract_lsb, w.extract_size, what);
}

TEST_F(FormatPages, ActInfo) {
  const std::string roster = print_roster({tiny().row});
  block("act_info.md", "roster", roster + "\n");
  block("act_info.md", "roster-bytes", dump(as_bytes(roster)));
}

TEST_F(FormatPages, Manifest) {
  const std::string manifest = print_manifest(make_manifest(tiny()));
  block("manifest.md", "manifest", manifest + "\n");
  block("manifest.md", "manifest-bytes", dump(as_bytes(manifest).first(96)));
  std::string fields;
  static constexpr const char* kKinds[] = {"string", "int", "bits", "bool"};
  for (const ManifestField& f : manifest_fields())
    fields += fmt::format("{:<36} {:<7} {}\n", f.name, kKinds[static_cast<int>(f.kind)], f.doc);
  block("manifest.md", "fields", fields);
}

TEST_F(FormatPages, Blobs) {
  const Section exp0{bits_float(0x3f7fffd0), bits_float(0x3f7fffd0), bits_float(0x3effffd0),
                     bits_float(0x3e2aaa8b), bits_float(0xb63fffff)};
  block("blobs.md", "bkt", annotated_record(pack_bkt(std::vector<Section>{exp0}), 0));
  block("blobs.md", "ctrl",
        annotated_word(0, 32, 0x0000b800, "exp, negative octave -19") +
            annotated_word(18, 32, 0x0001b012, "negative octave -1, two sections") +
            annotated_word(25, 32, 0x00087910, "negative octave 6, 134 of 256 sections stored") +
            annotated_word(51, 32, 0x00087aa6, "positive octave 6, 99 of 256 sections stored") +
            annotated_word(52, 32, 781, "identity, negative side: no sections") +
            annotated_word(53, 32, 781, "identity, positive side: no sections"));
  const auto files = set_files(tiny(), IdSpace::sunda);
  ASSERT_TRUE(files);
  block("blobs.md", "tiny-bkt", dump((*files)[0].second));
  block("blobs.md", "tiny-ctrl", dump((*files)[1].second));
}

TEST_F(FormatPages, Profile) {
  const std::string text = print_profile(make_profile(identity(), 0));
  const std::size_t begin = text.find("\"ninf_result\"");
  std::string box = text.substr(begin, text.find('}', begin) + 1 - begin);
  for (std::size_t at = 0; (at = box.find("\n    ", at)) != box.npos; ++at) box.erase(at + 1, 4);
  block("profile.md", "box", box + "\n");
  const Bytes record =
      pack_bkt(std::vector<Section>{{.d0 = bits_float(0xff800000), .d1 = 0, .d2 = 0, .d3 = 0, .x = 0}});
  block("profile.md", "box-bytes",
        fmt::format("{}  d0 = 0xff800000 = -inf\n", hex(std::span(record).first(4))));
}

TEST_F(FormatPages, DeviceImage) {
  const auto image = build_image(tiny(), Generation::cayman);
  ASSERT_TRUE(image);
  std::string cam = dump(image->cam);
  for (const Field& f : cam_format(Generation::cayman).fields)
    cam += fmt::format("[{}:{}] {} = 0x{:x}  {}\n", f.bit + f.width - 1, f.bit, f.name, get(image->cam, f),
                       f.doc);
  block("device_image.md", "cam", cam);
  std::string profile;
  for (const ProfileRow& row : profile_rows()) {
    const Field& f = row.field;
    profile +=
        fmt::format("{:>9} {:<28} {} 0x{:<8x} {}\n", fmt::format("[{}:{}]", f.bit + f.width - 1, f.bit),
                    f.name, static_cast<char>(row.evidence), get(image->profile, f), f.doc);
  }
  block("device_image.md", "profile", profile);
  block("device_image.md", "profile-bytes", dump(image->profile));
  std::string regions;
  for (const Generation g : {Generation::cayman, Generation::maverick})
    for (const DeviceRegion& r : device_regions(g))
      regions += fmt::format("{:<9} {:<8} {:<18} 0x{:<11x} {} bytes\n", generation_name(g), r.table, r.region,
                             r.base, r.bytes);
  block("device_image.md", "regions", regions);
}

}  // namespace
}  // namespace act
