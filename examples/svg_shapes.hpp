// SPDX-License-Identifier: BSL-1.0
//
// Shared by the course programs that draw a chart: shapes as SVG text.
#pragma once

#include <string>

/// A filled box.
inline std::string svg_box(int x, int y, int wide, int high, const char* colour) {
  return "<rect x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" width=\"" + std::to_string(wide) +
         "\" height=\"" + std::to_string(high) + "\" fill=\"" + colour + "\"/>\n";
}

/// A line of text that begins at x. It has no character that XML escapes.
inline std::string svg_text(int x, int y, const std::string& words) {
  return "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" fill=\"#222222\">" + words +
         "</text>\n";
}
