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

/// A line.
inline std::string svg_line(int x1, int y1, int x2, int y2) {
  return "<line x1=\"" + std::to_string(x1) + "\" y1=\"" + std::to_string(y1) + "\" x2=\"" + std::to_string(x2) +
         "\" y2=\"" + std::to_string(y2) + "\" stroke=\"#333333\"/>\n";
}

/// A picture of that size with a white ground; shapes stand between this and svg_end.
inline std::string svg_begin(int wide, int high) {
  const std::string size = "width=\"" + std::to_string(wide) + "\" height=\"" + std::to_string(high) + "\"";
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" " + size + " font-family=\"sans-serif\" font-size=\"12\">\n<rect " +
         size + " fill=\"#ffffff\"/>\n";
}
inline constexpr const char* svg_end = "</svg>\n";
