// Words and punctuation of the block text.
#pragma once

#include <cstdint>
#include <string_view>

namespace act::tile {

struct Token {
  enum class Kind : std::uint8_t { word, mark, separator, end };
  Kind kind = Kind::end;
  std::string_view text;
  std::uint32_t line = 1, column = 1;

  bool is(std::string_view mark) const { return kind != Kind::end && text == mark; }
  bool ends_command() const { return kind == Kind::separator || kind == Kind::end; }
};

// Hands out the tokens of a text one after another. Words are letters, digits, '_', '.' and '#'; "->" is one
// mark; line feed and ';' separate commands; "//" starts a comment.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { advance(); }
  const Token& peek() const { return token_; }
  Token next() {
    const Token t = token_;
    advance();
    return t;
  }

 private:
  void advance();
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  std::uint32_t line_ = 1;
  Token token_;
};

}  // namespace act::tile
