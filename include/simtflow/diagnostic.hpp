// SPDX-License-Identifier: BSL-1.0
//
// Diagnostics about text that a user gave: a kernel, a graph file, a trace. Bad data is never a contract violation:
// readers return every diagnostic they can make in one pass, each with its position. result<T> is what a function
// returns that can fail on bad data: a value or diagnostics, never both.
#pragma once

#include <simtflow/config.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// A place in a text. Lines and columns count from 1, columns in bytes; {0, 0} is "no particular place".
struct position {
  std::uint32_t line = 0;    ///< from 1; 0: no particular place
  std::uint32_t column = 0;  ///< from 1, in bytes
  friend constexpr bool operator==(const position&, const position&) = default;
};

/// One diagnostic: what is wrong, in words, and where.
struct diagnostic {
  position where;       ///< what the message is about
  std::string message;  ///< one sentence without a full stop, without the place
  friend bool operator==(const diagnostic&, const diagnostic&) = default;
};

/// Diagnostics in the order in which a reader made them; empty: nothing is wrong. At most max_diagnostics.
using diagnostics = std::vector<diagnostic>;

/// Readers stop collecting after this many diagnostics; the last one then says so.
inline constexpr std::size_t max_diagnostics = 100;

/// "line 12, column 5"; empty for "no particular place".
[[nodiscard]] inline std::string to_string(position p) {
  if (p.line == 0) return {};
  return "line " + std::to_string(p.line) + ", column " + std::to_string(p.column);
}

/// "line 12, column 5: unknown label 'done'".
[[nodiscard]] inline std::string to_string(const diagnostic& d) {
  return d.where.line == 0 ? d.message : to_string(d.where) + ": " + d.message;
}

/// Adds a diagnostic unless the list is full. Returns whether there is room for more.
inline bool add_diagnostic(diagnostics& list, position where, std::string message) {
  if (list.size() >= max_diagnostics) return false;
  if (list.size() + 1 == max_diagnostics) {
    list.push_back({where, "too many diagnostics; the rest is left out"});
    return false;
  }
  list.push_back({where, std::move(message)});
  return true;
}

/// A value of type T, or the diagnostics that say why there is none. The interface is a part of std::expected's.
///
/// A function that can fail on bad data returns one:
///
///     if (const result<ptx::module> m = ptx::parse(text))
///       use(*m);
///     else
///       for (const diagnostic& d : m.diagnostics()) print(to_string(d));
template <class T>
class [[nodiscard]] result {
 public:
  using value_type = T;  ///< the type of the value

  /// A success.
  constexpr result(T value) : value_(static_cast<T&&>(value)) {}
  /// A failure. \pre `why` is not empty.
  constexpr result(simtflow::diagnostics why) : diagnostics_(static_cast<simtflow::diagnostics&&>(why)) {
    SIMTFLOW_EXPECTS(!diagnostics_.empty(), "a result without a value says why");
  }

  /// True if there is a value.
  [[nodiscard]] constexpr bool has_value() const { return value_.has_value(); }
  /// True if there is a value.
  [[nodiscard]] constexpr explicit operator bool() const { return value_.has_value(); }

  /// The value. \pre has_value().
  [[nodiscard]] constexpr T& operator*() & { return checked(*this); }
  /// The value. \pre has_value().
  [[nodiscard]] constexpr const T& operator*() const& { return checked(*this); }
  /// The value, to be moved from. \pre has_value().
  [[nodiscard]] constexpr T&& operator*() && { return static_cast<T&&>(checked(*this)); }
  /// A member of the value. \pre has_value().
  [[nodiscard]] constexpr T* operator->() { return &checked(*this); }
  /// A member of the value. \pre has_value().
  [[nodiscard]] constexpr const T* operator->() const { return &checked(*this); }

  /// Why there is no value; empty if there is one.
  [[nodiscard]] constexpr const simtflow::diagnostics& diagnostics() const& { return diagnostics_; }
  /// Why there is no value, to be moved from.
  [[nodiscard]] constexpr simtflow::diagnostics&& diagnostics() && {
    return static_cast<simtflow::diagnostics&&>(diagnostics_);
  }

 private:
  template <class Self>
  static constexpr auto& checked(Self& self) {
    SIMTFLOW_EXPECTS(self.value_.has_value(), "a result is asked for its value only if it has one");
    return *self.value_;
  }

  std::optional<T> value_;
  simtflow::diagnostics diagnostics_;
};

}  // namespace v0
}  // namespace simtflow
