#include "lexer.h"

#include <algorithm>

namespace act::tile {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '#';
}
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

}  // namespace

void Lexer::advance() {
  if (token_.is("\n")) {
    ++line_;
    line_start_ = at_;
  }
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  if (text_.substr(at_, 2) == "//") at_ = std::min(text_.find('\n', at_), text_.size());
  token_ = {Token::Kind::end, {}, line_, static_cast<std::uint32_t>(at_ - line_start_ + 1)};
  if (at_ == text_.size()) return;
  std::size_t length = 1;
  const char c = text_[at_];
  if (is_word(c)) {
    token_.kind = Token::Kind::word;
    while (at_ + length < text_.size() && is_word(text_[at_ + length])) ++length;
  } else if (c == '\n' || c == ';') {
    token_.kind = Token::Kind::separator;
  } else {
    token_.kind = Token::Kind::mark;
    if (text_.substr(at_, 2) == "->") length = 2;
  }
  token_.text = text_.substr(at_, length);
  at_ += length;
}

}  // namespace act::tile
