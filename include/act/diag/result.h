// Result<T>: a value, or the list of everything that was wrong. Method names follow std::expected.
#pragma once

#include <type_traits>
#include <utility>
#include <variant>

#include "act/diag/diagnostic.h"

namespace act {

template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Diagnostics errors) : state_(std::in_place_index<1>, std::move(errors)) {}
  Result(Diagnostic error) : state_(std::in_place_index<1>) { std::get<1>(state_).push_back(std::move(error)); }

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  // Precondition: has_value().
  T& value() & { return *std::get_if<0>(&state_); }
  const T& value() const& { return *std::get_if<0>(&state_); }
  T&& value() && { return std::move(*std::get_if<0>(&state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return std::get_if<0>(&state_); }
  const T* operator->() const { return std::get_if<0>(&state_); }

  // Precondition: !has_value().
  Diagnostics& error() & { return *std::get_if<1>(&state_); }
  const Diagnostics& error() const& { return *std::get_if<1>(&state_); }
  Diagnostics&& error() && { return std::move(*std::get_if<1>(&state_)); }

  T value_or(T other) const& { return has_value() ? value() : std::move(other); }

  template <class F>
  auto and_then(F&& f) && -> std::invoke_result_t<F, T&&> {
    if (has_value()) return std::forward<F>(f)(std::move(*this).value());
    return std::move(*this).error();
  }

  template <class F>
  auto transform(F&& f) && -> Result<std::invoke_result_t<F, T&&>> {
    if (has_value()) return std::forward<F>(f)(std::move(*this).value());
    return std::move(*this).error();
  }

 private:
  std::variant<T, Diagnostics> state_;
};

// Success without a value.
struct Done {};
using Status = Result<Done>;

}  // namespace act
