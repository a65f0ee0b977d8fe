// Collects the breaches of table rules found in one place.
#pragma once

#include <string>
#include <string_view>

#include "act/diag/diagnostic.h"

namespace act {

class CheckReport {
 public:
  explicit CheckReport(std::string file) : file_(std::move(file)) {}

  void add(Severity severity, std::string_view rule, std::string message, std::string value,
           std::string allowed, Code code = Code::table_rule) {
    if (found_.size() >= kMost) return;  // a hostile file must not produce a report larger than itself
    Diagnostic d = make_error(code, std::move(message));
    d.severity = severity;
    d.rule = rule;
    d.where.file = file_;
    d.value = std::move(value);
    d.allowed = std::move(allowed);
    found_.push_back(std::move(d));
  }
  void error(std::string_view rule, std::string message, std::string value, std::string allowed,
             Code code = Code::table_rule) {
    add(Severity::error, rule, std::move(message), std::move(value), std::move(allowed), code);
  }
  Diagnostics take() { return std::move(found_); }

 private:
  static constexpr std::size_t kMost = 200;
  std::string file_;
  Diagnostics found_;
};

}  // namespace act
