#include "act/files/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

namespace act {
namespace {

// Walks the text without building anything and stops at the first breach.
class Guard {
 public:
  Guard(std::string_view text, const std::string& file, const JsonLimits& limits, bool ordered)
      : text_(text), file_(file), limits_(limits), ordered_(ordered) {}

  bool null() { return count(); }
  bool boolean(bool) { return count(); }
  bool number_integer(std::int64_t) { return count(); }
  bool number_unsigned(std::uint64_t) { return count(); }
  bool number_float(double, const std::string&) { return count(); }
  bool string(std::string&) { return count(); }
  bool binary(nlohmann::json::binary_t&) { return count(); }
  bool start_object(std::size_t) { return open(); }
  bool start_array(std::size_t) { return open(); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    compares_ += keys_.back()++;
    if (limits_.unique_keys && !names_.back().insert(name).second)
      return refuse(fmt::format("the member {:?} occurs twice in one object", name.substr(0, 200)),
                    Code::duplicate_name);
    return !ordered_ || compares_ <= limits_.compares || refuse("the objects have too many members");
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& e) {
    const std::string_view what = e.what();
    const std::size_t detail = what.find(": ");
    Diagnostic d = make_error(
        Code::json_syntax, fmt::format("no valid JSON: {}", what.substr(std::min(detail + 2, what.size()))));
    const std::string_view before = text_.substr(0, std::min(position == 0 ? 0 : position - 1, text_.size()));
    d.where.file = file_;
    d.where.line = static_cast<std::uint32_t>(1 + std::count(before.begin(), before.end(), '\n'));
    const std::size_t line_start = before.rfind('\n');
    d.where.column =
        static_cast<std::uint32_t>(before.size() - (line_start == before.npos ? 0 : line_start + 1) + 1);
    problem_ = std::move(d);
    return false;
  }
  std::optional<Diagnostic>& problem() { return problem_; }

 private:
  bool refuse(std::string message, Code code = Code::too_large) {
    problem_ = make_error(code, std::move(message));
    problem_->where.file = file_;
    return false;
  }
  bool count() {
    return ++values_ <= limits_.values ||
           refuse(fmt::format("the text has more than {} JSON values", limits_.values));
  }
  bool open() {
    keys_.push_back(0);
    if (limits_.unique_keys) names_.emplace_back();
    if (keys_.size() > limits_.depth)
      return refuse(fmt::format("the JSON text is nested deeper than {} levels", limits_.depth),
                    Code::json_syntax);
    return count();
  }
  bool close() {
    keys_.pop_back();
    if (limits_.unique_keys) names_.pop_back();
    return true;
  }

  std::string_view text_;
  const std::string& file_;
  const JsonLimits& limits_;
  bool ordered_;
  std::vector<std::uint64_t> keys_;  // members so far of every open array or object
  std::vector<std::unordered_set<std::string>> names_;  // their names, where those must be unique
  std::uint64_t values_ = 0, compares_ = 0;
  std::optional<Diagnostic> problem_;
};

template <class Json>
Result<Json> parse(std::string_view text, const std::string& file, const JsonLimits& limits, bool ordered) {
  if (text.size() > limits.bytes) {
    Diagnostic d =
        make_error(Code::too_large, fmt::format("the JSON text has more than {} bytes", limits.bytes));
    d.where.file = file;
    return d;
  }
  Guard guard(text, file, limits, ordered);
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &guard)) return *guard.problem();
  return Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
}

}  // namespace

Result<nlohmann::json> parse_json(std::string_view text, const std::string& file, const JsonLimits& limits) {
  return parse<nlohmann::json>(text, file, limits, false);
}

Result<nlohmann::ordered_json> parse_ordered_json(std::string_view text, const std::string& file,
                                                  const JsonLimits& limits) {
  return parse<nlohmann::ordered_json>(text, file, limits, true);
}

}  // namespace act
