// SPDX-License-Identifier: BSL-1.0
//
// Text and numbers for XML files (SVG pictures).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace detail {

// Bytes of the UTF-8 sequence that starts at `at` and that XML allows; 0 if there is none.
inline std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(at);
  if (first < 0x80) return 1;
  const std::size_t n = first >= 0xC2 && first < 0xE0   ? 2U
                        : first >= 0xE0 && first < 0xF0 ? 3U
                        : first < 0xF5                  ? 4U
                                                        : 0U;
  if (first < 0xC2 || n == 0) return 0;
  for (std::size_t i = 1; i < n; ++i)
    if ((byte(at + i) & 0xC0U) != 0x80) return 0;
  const unsigned second = byte(at + 1);
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second >= 0xA0)) return 0;  // too long; a surrogate
  if ((first == 0xF0 && second < 0x90) || (first == 0xF4 && second >= 0x90)) return 0;
  if (first == 0xEF && second == 0xBF && byte(at + 2) >= 0xBE) return 0;  // U+FFFE, U+FFFF
  return n;
}

// Text as the content of an element or of a quoted attribute. Control characters become spaces, bytes that are not
// UTF-8 question marks.
inline void append_xml(std::string& out, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t n = utf8_length(text, at);
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

// The number of characters of UTF-8 text.
inline std::size_t num_characters(std::string_view text) {
  std::size_t characters = 0;
  for (const char c : text) characters += (static_cast<unsigned char>(c) & 0xC0U) != 0x80 ? 1U : 0U;
  return characters;
}

// The approximate width of a text, in units of the font size, by characters: sans-serif fonts differ.
inline double text_width(std::string_view text, double font_size) {
  return 0.6 * font_size * static_cast<double>(num_characters(text));
}

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
