// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <simtflow/config.hpp>

#include <string>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace detail {

// A word of CSV: in quotes if it has a comma, a quote or an end of line.
inline void append_csv_word(std::string& out, std::string_view word) {
  if (word.find_first_of(",\"\n\r") == std::string_view::npos) {
    out += word;
    return;
  }
  out += '"';
  for (const char c : word) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}
inline std::string csv_word(std::string_view word) {
  std::string out;
  append_csv_word(out, word);
  return out;
}

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
