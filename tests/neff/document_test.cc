// docs/formats/neff.md holds what the rows and the writer give. With ACTKIT_REBASE=1 in the environment the
// test rewrites it.
#include <gtest/gtest.h>

#include <cstdlib>

#include "neff/forge.h"
#include "neff/sample.h"

namespace act::neff {
namespace {

constexpr std::size_t kRow = 16;

// One line of a hex dump: address, up to sixteen bytes, what they are.
std::string dump_line(std::size_t address, std::span<const std::uint8_t> bytes, std::string_view note) {
  return fmt::format("{:04x}  {:<47}  {}\n", address, fmt::format("{:02x}", fmt::join(bytes, " ")), note);
}

// Every row of the field; rows of zeros after the first become one "*".
std::string dump_field(std::size_t address, std::span<const std::uint8_t> bytes, const std::string& note) {
  std::string out;
  bool starred = false;
  for (std::size_t at = 0; at < bytes.size(); at += kRow) {
    const auto row = bytes.subspan(at, std::min(kRow, bytes.size() - at));
    const bool zeros = at != 0 && std::ranges::all_of(row, [](std::uint8_t b) { return b == 0; });
    if (!zeros) out += dump_line(address + at, row, at == 0 ? note : "");
    if (zeros && !starred) out += "*\n";
    starred = zeros;
  }
  return out;
}

std::string header_table() {
  std::string out = "| offset | size | field | what |\n|---:|---:|---|---|\n";
  for (const HeaderField& f : kHeaderFields)
    out += fmt::format("| {} | {} | `{}` | {} |\n", f.offset, f.size, f.name, f.doc);
  return out;
}

std::string feature_table() {
  std::string out = "| bit | name | in `neff_features` |\n|---:|---|---|\n";
  for (const Feature& f : kFeatures)
    out += fmt::format("| {:#x} | `{}` | {} |\n", f.mask, f.name,
                       f.definition_name.empty() ? "" : fmt::format("`{}`", f.definition_name));
  return out + "| other | `bit<n>` | |\n";
}

std::string engine_table() {
  std::string out = "| key | stream | engine JSON |\n|---|---|---|\n";
  for (const EngineRow& e : kEngines)
    out += fmt::format("| `{}` | `{}.bin` | `{}.json` |\n", e.key, e.stem, e.stem);
  return out;
}

std::string limit_table() {
  const Limits l;
  return fmt::format(
      "| limit | default | option |\n|---|---:|---|\n"
      "| bytes of the decompressed archive | {} | `--max-total` |\n"
      "| bytes of one member | {} | `--max-member` |\n"
      "| members | {} | `--max-members` |\n"
      "| decompressed to compressed size, past {} bytes | {} | `--max-ratio` |\n"
      "| bytes of one JSON document | {} | `--max-json` |\n"
      "| levels of a JSON document | {} | `--max-depth` |\n",
      l.total_bytes, l.member_bytes, l.members, l.ratio_from, l.ratio, l.json.bytes, l.json.depth);
}

std::string value_text(const Header& h, const HeaderField& f) {
  if (f.kind == HeaderKind::number) return fmt::format("{} = {}", f.name, h.number(f));
  if (f.kind == HeaderKind::text) return fmt::format("{} = \"{}\"", f.name, h.text(f));
  return std::string(f.name);
}

std::string dump() {
  const Bytes file = write_container(sample::spec()).value();
  Diagnostics problems;
  const auto archive = read_archive(file, "sample.neff", {}, problems);
  std::string out = "```\n";
  for (const HeaderField& f : kHeaderFields)
    out += dump_field(f.offset, std::span(file).subspan(f.offset, f.size), value_text(archive->header, f));
  out += dump_line(kHeaderBytes, std::span(file).subspan(kHeaderBytes, 10),
                   "gzip member: magic, deflate, no time");
  out += fmt::format("      {} bytes of it, zeros up to {:#x}\n", archive->gzip_bytes, file.size());
  for (const char* name : {"sg00/Activation.bin", "sg00/Activation.json"}) {
    out += fmt::format("\n{}\n", name);
    const Bytes& data = archive->find(name)->data;
    if (std::string_view(name).ends_with(".json")) {
      out += std::string(as_text(data)) + "\n";
      continue;
    }
    for (std::size_t at = 0; at < data.size(); at += kBundleBytes)
      out += dump_field(at, std::span(data).subspan(at, kBundleBytes),
                        fmt::format("bundle {}", at / kBundleBytes));
  }
  return out + "```\n";
}

TEST(Document, TablesAndDumpAreCurrent) {
  const std::string path = std::string(ACTKIT_SOURCE_DIR) + "/docs/formats/neff.md";
  std::string text = read_text(path).value();
  const bool rebase = std::getenv("ACTKIT_REBASE") != nullptr;
  const std::pair<std::string, std::string> parts[] = {{"header", header_table()},
                                                       {"features", feature_table()},
                                                       {"engines", engine_table()},
                                                       {"dump", dump()},
                                                       {"limits", limit_table()}};
  for (const auto& [name, wanted] : parts) {
    const std::string begin = "<!-- table " + name + " -->\n";
    const std::size_t first = text.find(begin);
    ASSERT_NE(first, std::string::npos) << name;
    const std::size_t start = first + begin.size(), stop = text.find("<!-- end -->", start);
    ASSERT_NE(stop, std::string::npos) << name;
    if (rebase) {
      text.replace(start, stop - start, wanted);
    } else {
      EXPECT_EQ(text.substr(start, stop - start), wanted) << name;
    }
  }
  if (rebase) {
    ASSERT_TRUE(write_text(path, text));
  }
}

}  // namespace
}  // namespace act::neff
