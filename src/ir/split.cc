#include "ir/split.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace act::ir {
namespace {

constexpr std::string_view kKey = "instructions";
constexpr std::size_t kNone = std::string_view::npos;

// Bytes that matter inside a record.
constexpr auto kStops = [] {
  std::array<bool, 256> stops{};
  for (const char c : {'"', '[', ']', '{', '}'}) stops[static_cast<unsigned char>(c)] = true;
  return stops;
}();

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  std::optional<SplitText> run() {
    std::size_t copied = 0;
    for (std::size_t at = 0; at < text_.size();) {
      const char c = text_[at];
      if (c == '\\') return std::nullopt;
      if (c == '{' || c == '[') ++depth_;
      if ((c == '}' || c == ']') && depth_-- == 0) return std::nullopt;
      if (c != '"') {
        ++at;
        continue;
      }
      const std::size_t end = string_end(at);
      if (end == kNone || text_.substr(at, end - at).find('\\') != kNone) return std::nullopt;
      const std::string_view content = text_.substr(at + 1, end - at - 2);
      at = end;
      if (content != kKey) continue;
      const std::size_t list = value_after(at);
      if (list == kNone) continue;  // a text, no key
      if (list >= text_.size() || text_[list] != '[') return std::nullopt;
      out_.skeleton.append(text_.substr(copied, list - copied));
      out_.skeleton += std::to_string(out_.lists.size());
      at = copied = read_list(list);
      if (at == kNone) return std::nullopt;
    }
    out_.skeleton.append(text_.substr(copied));
    return std::move(out_);
  }

 private:
  std::size_t skip_blanks(std::size_t at) const {
    while (at < text_.size() && is_blank(text_[at])) ++at;
    return at;
  }
  // One past the closing quote of the string at `at`.
  std::size_t string_end(std::size_t at) const {
    for (++at; at < text_.size(); ++at) {
      if (text_[at] == '\\') ++at;
      else if (text_[at] == '"') return at + 1;
    }
    return kNone;
  }
  // Where the value of the key that ends at `at` starts.
  std::size_t value_after(std::size_t at) const {
    at = skip_blanks(at);
    if (at >= text_.size() || text_[at] != ':') return kNone;
    return skip_blanks(at + 1);
  }
  // One past the record that starts at `at` with a brace.
  std::size_t record_end(std::size_t at) const {
    std::size_t depth = 0;
    while (at < text_.size()) {
      if (!kStops[static_cast<unsigned char>(text_[at])]) {
        ++at;
        continue;
      }
      if (text_[at] == '"') {
        at = string_end(at);
        if (at == kNone) return kNone;
        continue;
      }
      const bool opens = text_[at] == '{' || text_[at] == '[';
      ++at;
      if (opens) ++depth;
      else if (--depth == 0) return at;
    }
    return kNone;
  }
  // Reads "[{…}, {…}]" and returns where it ends.
  std::size_t read_list(std::size_t at) {
    std::vector<std::string_view>& records = out_.lists.emplace_back();
    out_.deepest = std::max(out_.deepest, depth_ + 1);
    at = skip_blanks(at + 1);
    if (at < text_.size() && text_[at] == ']') return at + 1;
    for (;;) {
      if (at >= text_.size() || text_[at] != '{') return kNone;
      const std::size_t end = record_end(at);
      if (end == kNone) return kNone;
      records.push_back(text_.substr(at, end - at));
      at = skip_blanks(end);
      if (at >= text_.size() || (text_[at] != ',' && text_[at] != ']')) return kNone;
      if (text_[at] == ']') return at + 1;
      at = skip_blanks(at + 1);
    }
  }

  std::string_view text_;
  unsigned depth_ = 0;
  SplitText out_;
};

}  // namespace

std::optional<SplitText> split_instructions(std::string_view text) { return Splitter(text).run(); }

}  // namespace act::ir
