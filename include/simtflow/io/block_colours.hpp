// SPDX-License-Identifier: BSL-1.0
//
// The colour of a block in pictures: always the same for the same block, whatever picture it is in.
//
// The nine colours are the "muted" scheme of Paul Tol, Colour Schemes (SRON/EPS/TN/09-002, 2021), which people with any
// of the usual colour-vision deficiencies can tell apart. They stand in an order in which neighbours also differ in
// lightness. No scheme of that kind has more colours; blocks from the tenth on get the same colours again, paler and
// then darker. So pictures also show names.
#pragma once

#include <simtflow/config.hpp>

#include <cstdint>
#include <string>

namespace simtflow {
inline namespace v0 {

/// A colour of a screen.
struct rgb_colour {
  unsigned char red;    ///< 0 to 255
  unsigned char green;  ///< 0 to 255
  unsigned char blue;   ///< 0 to 255

  /// True if black text on it reads better than white text: by the relative luminance of WCAG 2.1, with a gamma of 2.
  [[nodiscard]] constexpr bool is_light() const {
    const double r = red / 255.0, g = green / 255.0, b = blue / 255.0;
    return 0.2126 * r * r + 0.7152 * g * g + 0.0722 * b * b > 0.22;
  }
  friend constexpr bool operator==(const rgb_colour&, const rgb_colour&) = default;
};

/// The colours before they come again.
inline constexpr std::uint32_t num_block_colours = 27;

/// The colour of a block. Any number is allowed; no_block is grey.
[[nodiscard]] constexpr rgb_colour block_colour(block_id b) {
  if (b == no_block) return {0xDD, 0xDD, 0xDD};
  constexpr rgb_colour muted[9] = {{0x88, 0xCC, 0xEE}, {0x33, 0x22, 0x88}, {0xDD, 0xCC, 0x77},
                                   {0x88, 0x22, 0x55}, {0x44, 0xAA, 0x99}, {0xCC, 0x66, 0x77},
                                   {0x11, 0x77, 0x33}, {0xAA, 0x44, 0x99}, {0x99, 0x99, 0x33}};
  const rgb_colour pure = muted[b % 9];
  const std::uint32_t round = b / 9 % 3;
  if (round == 0) return pure;
  const auto mixed = [round](unsigned char part) {  // half white, or three tenths black
    return static_cast<unsigned char>(round == 1 ? part / 2 + 128 : part * 7 / 10);
  };
  return {mixed(pure.red), mixed(pure.green), mixed(pure.blue)};
}

/// "#88ccee".
[[nodiscard]] inline std::string to_string(rgb_colour c) {
  std::string text = "#";
  for (const unsigned char part : {c.red, c.green, c.blue}) {
    text += "0123456789abcdef"[part / 16];
    text += "0123456789abcdef"[part % 16];
  }
  return text;
}

}  // namespace v0
}  // namespace simtflow
