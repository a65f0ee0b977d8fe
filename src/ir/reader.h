// A JSON tree under reading: places, errors, and typed access to values.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <simdjson.h>

#include "act/diag/result.h"
#include "ir/split.h"

namespace act::ir {

namespace dom = simdjson::dom;

// The way to a value, kept on the stack; written out only for an error.
struct Path {
  const Path* parent = nullptr;
  std::string_view key{};
  std::int64_t index = -1;

  std::string pointer() const {
    if (parent == nullptr) return {};
    return parent->pointer() + "/" + (index >= 0 ? std::to_string(index) : std::string(key.substr(0, 80)));
  }
};

// The records of a split text, parsed one by one into the same memory.
struct Records {
  SplitText texts;
  const char* end = nullptr;  // of the text they stand in; nullptr = not split
  dom::parser parser;

  // The tree is valid until the next call. The parser looks some bytes past the record, which the text has but for its last.
  simdjson::simdjson_result<dom::element> parse(std::string_view record) {
    const bool copy = static_cast<std::size_t>(end - record.data()) < record.size() + simdjson::SIMDJSON_PADDING;
    return parser.parse(record.data(), record.size(), copy);
  }
};

class Reader {
 public:
  static constexpr std::size_t kMaxErrors = 100;

  explicit Reader(std::string file) : file_(std::move(file)) {}

  Diagnostics take_errors() { return std::move(errors_); }
  bool ok() const { return errors_.empty(); }
  bool full() const { return errors_.size() >= kMaxErrors; }
  Records* records = nullptr;  // where the text was split
  // Line of the instruction under reading, for messages; 0 = none.
  std::uint32_t line = 0;

  void error(Code code, const Path& at, std::string message, std::string value = {}, std::string allowed = {}) {
    if (full()) return;
    Diagnostic d = make_error(code, std::move(message));
    d.where.file = file_;
    d.where.pointer = at.pointer();
    d.where.line = 0;
    if (line != 0) d.message += fmt::format(" (source line {})", line);
    d.value = std::move(value);
    d.allowed = std::move(allowed);
    errors_.push_back(std::move(d));
  }
  void add(Diagnostics&& list, const Path& at) {
    for (Diagnostic& d : list) {
      if (full()) return;
      d.where.file = file_;
      d.where.pointer = at.pointer();
      errors_.push_back(std::move(d));
    }
  }

  // --- typed values; an error and a neutral value when the type is another ----------------------------------------
  std::string_view text(dom::element e, const Path& at) {
    std::string_view v;
    if (e.get(v) == simdjson::SUCCESS) return v;
    error(Code::json_type, at, "a text is wanted", brief(e));
    return {};
  }
  // A text that names something; empty only after an error.
  std::string_view name(dom::element e, const Path& at) {
    const std::string_view v = text(e, at);
    if (v.empty() && e.is_string()) error(Code::bad_value, at, "an empty name");
    return v;
  }
  std::int64_t integer(dom::element e, const Path& at, std::int64_t min, std::int64_t max) {
    std::int64_t v = 0;
    if (e.get(v) != simdjson::SUCCESS) {
      error(Code::json_type, at, "an integer is wanted", brief(e), fmt::format("{}..{}", min, max));
      return min;
    }
    if (v < min || v > max) error(Code::bad_value, at, "the number is out of range", std::to_string(v), fmt::format("{}..{}", min, max));
    return v;
  }
  bool boolean(dom::element e, const Path& at) {
    bool v = false;
    if (e.get(v) != simdjson::SUCCESS) error(Code::json_type, at, "true or false is wanted", brief(e));
    return v;
  }
  // Binary32 bits of a number, or of a text "0x" and up to eight hex digits.
  std::uint32_t float_bits(dom::element e, const Path& at);
  // An element of a list of names, by its position.
  template <std::size_t N>
  unsigned choice(dom::element e, const Path& at, const std::string_view (&names)[N]) {
    const std::string_view v = name(e, at);
    for (unsigned i = 0; i < N; ++i)
      if (names[i] == v) return i;
    std::string allowed;
    for (const std::string_view n : names) allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", n);
    if (!v.empty()) error(Code::unknown_name, at, "no such name", std::string(v.substr(0, 80)), std::move(allowed));
    return 0;
  }
  // Members of an object: visit(key, value, path) returns false for a key that nothing reads. Doubled keys are errors.
  template <class Visit>
  void members(dom::element e, const Path& at, Visit&& visit) {
    dom::object o;
    if (e.get(o) != simdjson::SUCCESS) return error(Code::json_type, at, "an object is wanted", brief(e));
    std::uint64_t seen = 0;
    for (const auto [key, value] : o) {
      const Path here{&at, key, -1};
      if (full()) return;
      const std::uint64_t bit = key_bit(key);
      if ((seen & bit) != 0 && occurs_twice(o, key)) error(Code::duplicate_name, here, "the member is given twice");
      seen |= bit;
      if (!visit(key, value, here)) error(Code::json_unknown, here, "nothing reads this member");
    }
  }
  template <class Visit>
  void items(dom::element e, const Path& at, Visit&& visit) {
    dom::array a;
    if (e.get(a) != simdjson::SUCCESS) return error(Code::json_type, at, "a list is wanted", brief(e));
    std::int64_t i = 0;
    for (const dom::element item : a) {
      if (full()) return;
      visit(item, Path{&at, {}, i++});
    }
  }

  static std::string brief(dom::element e) { return std::string(simdjson::minify(e)).substr(0, 80); }

 private:
  // One of 64 bits for a key, from its length and ends: most keys of one record differ, and those that do not are compared.
  static std::uint64_t key_bit(std::string_view key) {
    std::uint64_t head = 0, tail = 0;
    const std::size_t n = std::min<std::size_t>(key.size(), 8);
    std::memcpy(&head, key.data(), n);
    std::memcpy(&tail, key.data() + key.size() - n, n);
    return std::uint64_t{1} << (((head ^ tail << 1 ^ key.size()) * 0x9E3779B97F4A7C15u) >> 58);
  }
  static bool occurs_twice(dom::object o, std::string_view key) {
    int n = 0;
    for (const auto [k, value] : o) n += k == key ? 1 : 0;
    return n > 1;
  }

  std::string file_;
  Diagnostics errors_;
};

}  // namespace act::ir
