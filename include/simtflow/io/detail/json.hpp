// SPDX-License-Identifier: BSL-1.0
//
// Text for JSON files.
//
// Literature: RFC 8259, The JavaScript Object Notation (JSON) Data Interchange Format, section 7.
#pragma once

#include <simtflow/io/detail/utf8.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace detail {

// Text as a JSON string, with its quotes. Bytes that are not UTF-8 become question marks.
inline void append_json_string(std::string& out, std::string_view text) {
  constexpr const char* hex = "0123456789abcdef";
  out += '"';
  for (std::size_t at = 0, n = 0; at < text.size(); at += n == 0 ? 1 : n) {
    n = utf8_length(text, at);
    if (n != 1) {
      out += n == 0 ? std::string_view("?") : text.substr(at, n);
      continue;
    }
    const char c = text[at];
    const unsigned char code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (code < 0x20) {
      out += "\\u00";
      out += hex[code / 16];
      out += hex[code % 16];
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
