// SPDX-License-Identifier: BSL-1.0
//
// Characters of UTF-8 text.
#pragma once

#include <cstddef>
#include <string_view>

namespace simtflow {
inline namespace v0 {
namespace detail {

// Bytes of the UTF-8 sequence that starts at `at`; 0 if there is none.
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
  return n;
}

// The number of characters of UTF-8 text.
inline std::size_t num_characters(std::string_view text) {
  std::size_t characters = 0;
  for (const char c : text) characters += (static_cast<unsigned char>(c) & 0xC0U) != 0x80 ? 1U : 0U;
  return characters;
}

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
