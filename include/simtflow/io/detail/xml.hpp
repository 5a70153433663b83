// SPDX-License-Identifier: BSL-1.0
//
// Text and numbers for XML files (SVG pictures).
#pragma once

#include <simtflow/io/detail/utf8.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace detail {

// Text as the content of an element or of a quoted attribute. Control characters become spaces, bytes that are not
// UTF-8 question marks.
inline void append_xml(std::string& out, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t n = utf8_length(text, at);
    if (n == 3 && text.substr(at, n) >= "\xEF\xBF\xBE") n = 0;  // U+FFFE and U+FFFF, which XML does not allow
    const char c = text[at];
    if (n != 1) {
      out += n == 0 ? std::string_view("?") : text.substr(at, n);
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\'') {
      out += "&#39;";
    } else {
      out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
    }
    at += n == 0 ? 1 : n;
  }
}

// A coordinate with at most two decimals, the same in every locale.
inline void append_coordinate(std::string& out, double x) {
  const bool negative = x < 0;
  const std::uint64_t hundredths = static_cast<std::uint64_t>((negative ? -x : x) * 100 + 0.5);
  if (negative && hundredths != 0) out += '-';
  out += std::to_string(hundredths / 100);
  if (const std::uint64_t rest = hundredths % 100; rest != 0) {
    out += '.';
    out += static_cast<char>('0' + rest / 10);
    if (rest % 10 != 0) out += static_cast<char>('0' + rest % 10);
  }
}

// NAME="coordinate", with a space before it.
inline void append_attribute(std::string& out, std::string_view name, double x) {
  out += ' ';
  out += name;
  out += "=\"";
  append_coordinate(out, x);
  out += '"';
}

// The approximate width of a text, in units of the font size, by characters: sans-serif fonts differ.
inline double text_width(std::string_view text, double font_size) {
  return 0.6 * font_size * static_cast<double>(num_characters(text));
}

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
