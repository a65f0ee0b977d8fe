#include "act/neff/header.h"

#include <fmt/format.h>
#include <nettle/md5.h>

#include <algorithm>

namespace act::neff {
namespace {

Diagnostic field_problem(Severity severity, Code code, const HeaderField& f, const std::string& label,
                         std::string value, std::string allowed) {
  Diagnostic d = make_error(code, std::string(f.doc));
  d.severity = severity;
  d.field = f.name;
  d.where.file = label;
  d.where.byte = f.offset;
  d.value = std::move(value);
  d.allowed = std::move(allowed);
  return d;
}

bool all_zero(std::span<const std::uint8_t> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t b) { return b == 0; });
}

// What a reader tolerates but should be told.
void warn_about(const Header& h, const std::string& label, Diagnostics& problems) {
  const auto warn = [&](Code code, const HeaderField& f, std::string value, std::string allowed) {
    problems.push_back(
        field_problem(Severity::warning, code, f, label, std::move(value), std::move(allowed)));
  };
  constexpr const HeaderField& kind = header_field("digest_kind");
  if (h.number(kind) != kDigestKindMd5)
    warn(Code::bad_value, kind, fmt::to_string(h.number(kind)), fmt::to_string(kDigestKindMd5));
  constexpr const HeaderField& digest = header_field("digest");
  if (!all_zero(h.bytes(digest).subspan(std::tuple_size_v<Digest>)))
    warn(Code::reserved_not_zero, digest, "bytes 16..31 not zero", "zero");
  constexpr const HeaderField& reserved = header_field("reserved");
  if (!all_zero(h.bytes(reserved))) warn(Code::reserved_not_zero, reserved, "not zero", "zero");
  constexpr const HeaderField& features = header_field("feature_mask");
  if (const std::uint64_t unknown = h.feature_mask() & ~kKnownFeatureBits; unknown != 0)
    warn(Code::unknown_feature, features, fmt::format("{:#x}", h.feature_mask()),
         fmt::format("bits of {:#x}", kKnownFeatureBits));
}

}  // namespace

std::uint64_t Header::number(const HeaderField& f) const {
  std::uint64_t value = 0;
  for (std::uint32_t i = std::min<std::uint32_t>(f.size, 8); i-- > 0;)
    value = value << 8 | raw_[f.offset + i];
  return value;
}

std::span<const std::uint8_t> Header::bytes(const HeaderField& f) const {
  return std::span(raw_).subspan(f.offset, f.size);
}

std::string Header::text(const HeaderField& f) const {
  const auto b = bytes(f);
  return {b.begin(), std::find(b.begin(), b.end(), std::uint8_t{0})};
}

void Header::set_number(const HeaderField& f, std::uint64_t value) {
  for (std::uint32_t i = 0; i < f.size; ++i) {
    raw_[f.offset + i] = static_cast<std::uint8_t>(value);
    value >>= 8;
  }
}

void Header::set_bytes(const HeaderField& f, std::span<const std::uint8_t> value) {
  const auto field = std::span(raw_).subspan(f.offset, f.size);
  std::fill(field.begin(), field.end(), std::uint8_t{0});
  std::copy_n(value.begin(), std::min<std::size_t>(value.size(), f.size), field.begin());
}

void Header::set_text(const HeaderField& f, std::string_view value) {
  value = value.substr(0, f.size - 1);
  set_bytes(f, {reinterpret_cast<const std::uint8_t*>(value.data()), value.size()});
}

Result<Header> read_header(std::span<const std::uint8_t> file, const std::string& label,
                           Diagnostics& problems) {
  if (file.size() < kHeaderBytes) {
    Diagnostic d = make_error(Code::bad_size, "the file is shorter than the header of a container");
    d.where.file = label;
    d.value = fmt::format("{} bytes", file.size());
    d.allowed = fmt::format("at least {}", kHeaderBytes);
    return d;
  }
  Header h;
  std::copy_n(file.begin(), kHeaderBytes, h.raw_.begin());
  Diagnostics errors;
  const auto expect = [&](const HeaderField& f, std::uint64_t wanted, const char* message) {
    if (h.number(f) == wanted) return;
    Diagnostic d = field_problem(Severity::error, Code::bad_value, f, label, fmt::to_string(h.number(f)),
                                 fmt::to_string(wanted));
    d.message = message;
    errors.push_back(std::move(d));
  };
  expect(header_field("package_version"), kPackageVersion, "this is no container, or of an unknown version");
  expect(header_field("header_size"), kHeaderBytes, "this is no container, or its header has an unknown size");
  expect(header_field("data_size"), file.size() - kHeaderBytes, "the header does not give the size of what follows it");
  if (!errors.empty()) return errors;
  warn_about(h, label, problems);
  return h;
}

Digest md5(std::span<const std::uint8_t> data) {
  md5_ctx context;
  md5_init(&context);
  md5_update(&context, data.size(), data.data());
  Digest digest;
  static_assert(std::tuple_size_v<Digest> == MD5_DIGEST_SIZE);
  md5_digest(&context, digest.size(), digest.data());
  return digest;
}

Digest reverse_words(const Digest& digest) {
  Digest out;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = digest[i ^ 3];
  return out;
}

std::string_view digest_form_name(DigestForm form) {
  switch (form) {
    case DigestForm::words_reversed:
      return "words-reversed";
    case DigestForm::plain:
      return "plain";
    case DigestForm::differs:
      break;
  }
  return "differs";
}

DigestForm digest_form(const Header& header, const Digest& payload_md5) {
  const auto stored = header.bytes(header_field("digest")).first<std::tuple_size_v<Digest>>();
  if (std::ranges::equal(stored, reverse_words(payload_md5))) return DigestForm::words_reversed;
  return std::ranges::equal(stored, payload_md5) ? DigestForm::plain : DigestForm::differs;
}

std::vector<std::string> feature_names(std::uint64_t mask) {
  std::vector<std::string> names;
  for (unsigned bit = 0; bit < 64; ++bit) {
    const std::uint64_t one = std::uint64_t{1} << bit;
    if ((mask & one) == 0) continue;
    const auto* row = std::ranges::find(kFeatures, one, &Feature::mask);
    names.push_back(row == std::end(kFeatures) ? fmt::format("bit{}", bit) : std::string(row->name));
  }
  return names;
}

Status check_loadable(const Header& header, const std::string& label) {
  const std::uint64_t unknown = header.feature_mask() & ~kKnownFeatureBits;
  if (unknown == 0) return Done{};
  Diagnostic d =
      make_error(Code::unknown_feature, fmt::format("requires unsupported feature {:#x}", unknown));
  d.field = header_field("feature_mask").name;
  d.where.file = label;
  d.where.byte = header_field("feature_mask").offset;
  return d;
}

const Target* find_target(std::string_view name) {
  const auto* row = std::ranges::find(kTargets, name, &Target::name);
  return row == std::end(kTargets) ? nullptr : row;
}

}  // namespace act::neff
