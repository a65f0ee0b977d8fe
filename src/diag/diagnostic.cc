#include "act/diag/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace act {
namespace {

struct CodeRow {
  std::string_view id, doc;
};

constexpr CodeRow kCodes[] = {
#define ACT_CODE(enumerator, id, doc) {id, doc},
#include "act/diag/codes.def"
#undef ACT_CODE
};

std::string place(const Where& w) {
  std::string out = w.file;
  if (w.line != 0) {
    out += fmt::format("{}{}", out.empty() ? "line " : ":", w.line);
    if (w.column != 0) out += fmt::format(":{}", w.column);
    return out;
  }
  const auto join = [&out](std::string_view separator, const std::string& part) {
    if (!out.empty()) out += separator;
    out += part;
  };
  if (w.instruction) join(": ", fmt::format("instruction {}", *w.instruction));
  if (w.byte) join(w.instruction ? ", " : ": ", fmt::format("byte 0x{:02x}", *w.byte));
  if (!w.pointer.empty()) join(": ", w.pointer);
  return out;
}

bool inside_character(std::string_view s, std::size_t at) { return at < s.size() && (static_cast<unsigned char>(s[at]) & 0xC0) == 0x80; }

// The part of a long line around the columns that matter, and those columns in it. Control characters do not reach a terminal.
std::string excerpt(std::string_view line, Where& w) {
  constexpr std::size_t kLongest = 200, kBefore = 60;
  std::string out(line);
  if (line.size() > kLongest) {
    const std::size_t column = std::min<std::size_t>(w.column - 1, line.size());
    std::size_t begin = column > kBefore ? column - kBefore : 0, end = std::min(begin + kLongest - 40, line.size());
    while (begin > 0 && inside_character(line, begin)) --begin;
    while (end > begin && inside_character(line, end)) --end;
    out = fmt::format("{}{}{}", begin == 0 ? "" : "...", line.substr(begin, end - begin), end == line.size() ? "" : "...");
    const std::size_t shift = begin == 0 ? 0 : begin - 3;
    w.end_column = static_cast<std::uint32_t>(std::min<std::size_t>(std::max(w.end_column, w.column), end + 1) - shift);
    w.column = static_cast<std::uint32_t>(w.column - shift);
  }
  for (char& c : out)
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F) c = '?';
  return out;
}

// A caret line under `source_line`; tabs are kept so that the caret stays aligned.
std::string caret(std::string_view source_line, const Where& w) {
  std::string out;
  for (std::size_t i = 0; i + 1 < w.column; ++i) out += i < source_line.size() && source_line[i] == '\t' ? '\t' : ' ';
  const std::size_t width = w.end_column > w.column ? w.end_column - w.column : 1;
  out += '^';
  out.append(width - 1, '~');
  return out;
}

}  // namespace

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::note: return "note";
    case Severity::warning: return "warning";
    case Severity::error: return "error";
  }
  return "error";
}

std::string_view code_id(Code code) { return kCodes[static_cast<std::size_t>(code)].id; }
std::string_view code_doc(Code code) { return kCodes[static_cast<std::size_t>(code)].doc; }
std::size_t code_count() { return std::size(kCodes); }

bool has_errors(const Diagnostics& list) {
  return std::any_of(list.begin(), list.end(), [](const Diagnostic& d) { return d.severity == Severity::error; });
}

Diagnostic make_error(Code code, std::string message, Where where) {
  Diagnostic d;
  d.code = code;
  d.message = std::move(message);
  d.where = std::move(where);
  return d;
}

Diagnostic make_warning(Code code, std::string message, Where where) {
  Diagnostic d = make_error(code, std::move(message), std::move(where));
  d.severity = Severity::warning;
  return d;
}

std::string to_text(const Diagnostic& d, std::string_view source_line) {
  std::string out = place(d.where);
  if (!out.empty()) out += ": ";
  out += fmt::format("{}[{}]: ", severity_name(d.severity), code_id(d.code));
  // A place in a text still says which instruction the line gave.
  if (d.where.line != 0 && d.where.instruction) out += fmt::format("instruction {}: ", *d.where.instruction);
  out += d.message;
  if (!d.field.empty() && d.message.find(d.field) == std::string::npos) out += fmt::format(" (field {})", d.field);
  if (!d.value.empty()) out += fmt::format("; found {}", d.value);
  if (!d.allowed.empty()) out += fmt::format(", allowed {}", d.allowed);
  if (!d.rule.empty()) out += fmt::format(" [{}]", d.rule);
  if (source_line.empty() || d.where.column == 0) return out;
  Where shown = d.where;
  const std::string line = excerpt(source_line, shown);
  return out + fmt::format("\n{}\n{}", line, caret(line, shown));
}

std::string to_json(const Diagnostic& d) {
  nlohmann::ordered_json j;
  const auto text = [&j](const char* key, const std::string& value) {
    if (!value.empty()) j[key] = value;
  };
  j["severity"] = severity_name(d.severity);
  j["code"] = code_id(d.code);
  text("rule", d.rule);
  text("field", d.field);
  text("file", d.where.file);
  if (d.where.instruction) j["instruction"] = *d.where.instruction;
  if (d.where.byte) j["byte"] = *d.where.byte;
  if (d.where.line != 0) j["line"] = d.where.line;
  if (d.where.column != 0) j["column"] = d.where.column;
  text("pointer", d.where.pointer);
  text("value", d.value);
  text("allowed", d.allowed);
  j["message"] = d.message;
  return j.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace act
