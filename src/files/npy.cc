#include "act/files/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

namespace act {
namespace {

constexpr std::string_view kMagic{"\x93NUMPY", 6};
constexpr std::string_view kTypes = "b1, i1, i2, i4, i8, u1, u2, u4, u8, f2, f4, f8, V1..V16";

Diagnostic bad(std::string message, std::string_view value = {}, std::string_view allowed = {}) {
  Diagnostic d = make_error(Code::bad_npy, std::move(message));
  if (!value.empty()) d.value = fmt::format("{:?}", value.substr(0, 100));
  d.allowed = allowed;
  return d;
}

bool supported(NpyType t) {
  switch (t.kind) {
    case 'b':
      return t.bytes == 1;
    case 'i':
    case 'u':
      return t.bytes == 1 || t.bytes == 2 || t.bytes == 4 || t.bytes == 8;
    case 'f':
      return t.bytes == 2 || t.bytes == 4 || t.bytes == 8;
    case 'V':
      return t.bytes >= 1 && t.bytes <= 16;
    default:
      return false;
  }
}

// Number of elements, nothing when it exceeds 2^62 (which also keeps every dimension a sane number).
std::optional<std::uint64_t> element_count(const std::vector<std::uint64_t>& shape) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  std::uint64_t n = 1;
  bool empty = false;
  for (const std::uint64_t d : shape) {
    if (d > kMost) return std::nullopt;
    empty = empty || d == 0;
  }
  if (empty) return 0;
  for (const std::uint64_t d : shape) {
    if (n > kMost / d) return std::nullopt;
    n *= d;
  }
  return n;
}

struct Header {
  NpyType type;
  bool big_endian = false, fortran = false;
  std::vector<std::uint64_t> shape;
};

// The header is a Python dictionary literal with three known keys; this reads exactly that much Python.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  Result<Header> parse() {
    if (!take('{')) return bad("the header is no dictionary", rest_);
    while (!take('}')) {
      const auto key = string();
      if (!key || !take(':')) return bad("the header is no dictionary", rest_);
      if (Status s = member(*key); !s) return std::move(s).error();
      if (!take(',') && peek() != '}') return bad("the header is no dictionary", rest_);
    }
    if (peek() != '\0' || !rest_.empty()) return bad("text follows the header's dictionary", rest_);
    for (const char* key : {"descr", "fortran_order", "shape"})
      if (std::find(seen_.begin(), seen_.end(), key) == seen_.end())
        return bad(fmt::format("the header has no {}", key));
    return header_;
  }

 private:
  char peek() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n' || rest_.front() == '\t'))
      rest_.remove_prefix(1);
    return rest_.empty() ? '\0' : rest_.front();
  }
  bool take(char c) {
    if (c == '\0' || peek() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take(std::string_view word) {
    peek();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::optional<std::string> string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') return std::nullopt;
    const std::size_t end = rest_.find(quote, 1);
    if (end == rest_.npos || rest_.substr(0, end).find('\\') != rest_.npos) return std::nullopt;
    std::string out(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return out;
  }

  Status member(const std::string& key) {
    if (std::find(seen_.begin(), seen_.end(), key) != seen_.end())
      return bad("a key stands twice in the header", key);
    seen_.push_back(key);
    if (key == "descr") return descr();
    if (key == "fortran_order") return order();
    if (key == "shape") return shape();
    return bad("the header has an unknown key", key, "descr, fortran_order, shape");
  }

  Status descr() {
    const auto text = string();
    if (!text) return bad("the element type is not a plain one", rest_, kTypes);
    const std::string_view t = *text;
    unsigned bytes = 0;
    if (t.size() >= 3) {
      const auto [end, error] = std::from_chars(t.data() + 2, t.data() + t.size(), bytes);
      if (error != std::errc{} || end != t.data() + t.size()) bytes = 0;
    }
    if (t.size() < 3 || std::string_view("<>|").find(t[0]) == std::string_view::npos ||
        !supported({t[1], bytes}))
      return bad("the element type is not a plain one", t, kTypes);
    if (t[0] == '|' && t[1] != 'V' && bytes != 1)
      return bad("the element type lacks its byte order", t, "< or >");
    header_.type = {t[1], bytes};
    header_.big_endian = t[0] == '>' && t[1] != 'V';
    return Done{};
  }

  Status order() {
    if (take("True"))
      header_.fortran = true;
    else if (!take("False"))
      return bad("fortran_order is no boolean", rest_, "True, False");
    return Done{};
  }

  Status shape() {
    if (!take('(')) return bad("the shape is no tuple", rest_);
    while (!take(')')) {
      peek();
      std::uint64_t n = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), n);
      if (error != std::errc{}) return bad("a dimension is no number of 64 bits", rest_);
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      header_.shape.push_back(n);
      if (header_.shape.size() > kNpyMaxDimensions)
        return bad(fmt::format("the array has more than {} dimensions", kNpyMaxDimensions));
      if (!take(',') && peek() != ')') return bad("the shape is no tuple", rest_);
    }
    return Done{};
  }

  std::string_view rest_;
  std::vector<std::string> seen_;
  Header header_;
};

// Moves the elements from Fortran order to C order.
Bytes to_c_order(std::span<const std::uint8_t> data, const Header& h) {
  const std::size_t size = h.type.bytes, rank = h.shape.size();
  Bytes out(data.size());
  std::vector<std::uint64_t> stride(rank), index(rank);
  std::uint64_t next = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    stride[d] = next;
    next *= h.shape[d];
  }
  std::uint64_t from = 0;
  for (std::size_t to = 0; to < out.size(); to += size) {
    std::memcpy(out.data() + to, data.data() + from * size, size);
    for (std::size_t d = rank; d-- > 0;) {
      from += stride[d];
      if (++index[d] < h.shape[d]) break;
      from -= stride[d] * index[d];
      index[d] = 0;
    }
  }
  return out;
}

void swap_bytes(Bytes& data, unsigned size) {
  for (std::size_t i = 0; i + size <= data.size(); i += size)
    std::reverse(data.begin() + static_cast<std::ptrdiff_t>(i),
                 data.begin() + static_cast<std::ptrdiff_t>(i + size));
}

// Splits the content into header text and data; the length field has two bytes in version 1 and four later.
Result<std::pair<std::string_view, std::span<const std::uint8_t>>> split(
    std::span<const std::uint8_t> content) {
  if (!as_text(content).starts_with(kMagic) || content.size() < 10)
    return bad("this is no .npy file: it does not start with the magic bytes");
  const unsigned major = content[6], minor = content[7];
  if (major < 1 || major > 3 || minor != 0)
    return bad("the format version is unknown", fmt::format("{}.{}", major, minor), "1.0, 2.0, 3.0");
  const std::size_t field = major == 1 ? 2 : 4, begin = 8 + field;
  if (content.size() < begin) return bad("the file ends inside its header");
  std::uint32_t length = 0;
  for (std::size_t i = field; i-- > 0;) length = length << 8 | content[8 + i];
  if (length > kNpyMaxHeaderBytes)
    return bad(fmt::format("the header has more than {} bytes", kNpyMaxHeaderBytes));
  if (content.size() - begin < length) return bad("the file ends inside its header");
  return std::pair{as_text(content.subspan(begin, length)), content.subspan(begin + length)};
}

Diagnostic wrong_size(std::uint64_t have, std::uint64_t want) {
  Diagnostic d = make_error(Code::bad_size, "the array's data has not the length of its shape");
  d.value = fmt::format("{} bytes", have);
  d.allowed = fmt::format("{} bytes", want);
  return d;
}

}  // namespace

std::string NpyType::name() const { return fmt::format("{}{}", kind, bytes); }

std::uint64_t NpyArray::count() const {
  std::uint64_t n = 1;
  for (const std::uint64_t d : shape) n *= d;
  return n;
}

std::uint64_t NpyArray::bits(std::uint64_t i) const {
  std::uint64_t v = 0;
  for (unsigned b = type.bytes; b-- > 0;) v = v << 8 | data[i * type.bytes + b];
  return v;
}

void NpyArray::set_bits(std::uint64_t i, std::uint64_t value) {
  for (unsigned b = 0; b < type.bytes; ++b)
    data[i * type.bytes + b] = static_cast<std::uint8_t>(value >> 8 * b);
}

Result<NpyArray> parse_npy(std::span<const std::uint8_t> content) {
  auto parts = split(content);
  if (!parts) return std::move(parts).error();
  auto header = HeaderParser(parts->first).parse();
  if (!header) return std::move(header).error();
  const std::span<const std::uint8_t> data = parts->second;
  const auto count = element_count(header->shape);
  if (!count || *count > std::numeric_limits<std::uint64_t>::max() / header->type.bytes)
    return bad("the shape has too many elements");
  if (data.size() != *count * header->type.bytes) return wrong_size(data.size(), *count * header->type.bytes);
  NpyArray out{header->type, header->shape, {}};
  if (header->fortran && header->shape.size() > 1)
    out.data = to_c_order(data, *header);
  else
    out.data.assign(data.begin(), data.end());
  if (header->big_endian) swap_bytes(out.data, out.type.bytes);
  return out;
}

Result<Bytes> format_npy(const NpyArray& a) {
  if (!supported(a.type)) return bad("the element type is not a plain one", a.type.name(), kTypes);
  const auto count = element_count(a.shape);
  if (!count || a.shape.size() > kNpyMaxDimensions)
    return bad("the shape has too many elements or dimensions");
  if (a.data.size() / a.type.bytes != *count || a.data.size() % a.type.bytes != 0)
    return wrong_size(a.data.size(), *count * a.type.bytes);
  const bool ordered = a.type.bytes > 1 && a.type.kind != 'V';
  const std::string tuple =
      a.shape.size() == 1 ? fmt::format("({},)", a.shape[0]) : fmt::format("({})", fmt::join(a.shape, ", "));
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': {}, }}",
                                   ordered ? '<' : '|', a.type.name(), tuple);
  // Magic, version, length and header together fill a multiple of 64 bytes, the last of them a line feed.
  constexpr std::size_t kPrefix = 10;
  header.resize((kPrefix + header.size() + 1 + 63) / 64 * 64 - kPrefix, ' ');
  header.back() = '\n';
  Bytes out(kMagic.begin(), kMagic.end());
  for (const std::size_t byte : {std::size_t{1}, std::size_t{0}, header.size() & 255, header.size() >> 8})
    out.push_back(static_cast<std::uint8_t>(byte));
  out.insert(out.end(), header.begin(), header.end());
  out.insert(out.end(), a.data.begin(), a.data.end());
  return out;
}

Result<NpyArray> read_npy(const std::string& path, std::uint64_t limit) {
  auto content = read_file(path, limit);
  if (!content) return std::move(content).error();
  auto array = parse_npy(*content);
  if (!array)
    for (Diagnostic& d : array.error()) d.where.file = path;
  return array;
}

Status write_npy(const std::string& path, const NpyArray& array) {
  auto content = format_npy(array);
  if (!content) return std::move(content).error();
  return write_file(path, *content);
}

}  // namespace act
