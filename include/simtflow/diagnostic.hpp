// SPDX-License-Identifier: BSL-1.0
//
// Findings about text that a user gave: a kernel, a graph file, a trace. Bad data is never a contract violation:
// readers
// return every finding they can make in one pass, each with the place it is about.
#pragma once

#include <cstddef>
#include <cstdint>
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

/// One finding: what is wrong, in words, and where.
struct diagnostic {
  position where;       ///< what the message is about
  std::string message;  ///< one sentence without a full stop, without the place
  friend bool operator==(const diagnostic&, const diagnostic&) = default;
};

/// Findings in the order in which a reader made them; empty: nothing is wrong. At most max_diagnostics.
using diagnostics = std::vector<diagnostic>;

/// Readers stop collecting after this many findings; the last one then says so.
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

/// Adds a finding unless the list is full. Returns whether there is room for more.
inline bool add_finding(diagnostics& list, position where, std::string message) {
  if (list.size() >= max_diagnostics) return false;
  if (list.size() + 1 == max_diagnostics) {
    list.push_back({where, "too many findings; the rest is left out"});
    return false;
  }
  list.push_back({where, std::move(message)});
  return true;
}

}  // namespace v0
}  // namespace simtflow
