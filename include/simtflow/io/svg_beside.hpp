// SPDX-License-Identifier: BSL-1.0
//
// Two SVG pictures beside each other: a graph and the schedule of its run, for instance. Both keep their coordinates.
//
// Format: W3C, Scalable Vector Graphics (SVG) 1.1, second edition, section 5.1 (nested svg elements).
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/io/detail/xml.hpp>

#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>

namespace simtflow {
inline namespace v0 {

namespace detail {

/// The number that an attribute of the first element has; 0 if it has none.
[[nodiscard]] inline double svg_measure(std::string_view svg, std::string_view attribute) {
  const std::size_t end = svg.find('>');
  const std::string name = " " + std::string(attribute) + "=\"";
  const std::size_t at = svg.substr(0, end).find(name);
  if (at == std::string_view::npos) return 0;
  return std::strtod(std::string(svg.substr(at + name.size(), 32)).c_str(), nullptr);
}

}  // namespace detail

/// One picture with both, top edges on one line. Ids of definitions that both pictures use must mean the same; pictures
/// of to_svg() and svg_timeline use different ids.
/// \param left, right SVG documents with a width and a height in points, as to_svg() and svg_timeline::text() write
/// them. A document without them takes no room.
/// \param gap points between both. \pre gap is at least 0. Complexity: linear in the texts. Errors: none.
/// \code
/// const std::string picture = simtflow::svg_beside(simtflow::to_svg(graph), timeline.text());
/// \endcode
[[nodiscard]] inline std::string svg_beside(std::string_view left, std::string_view right, double gap = 16) {
  SIMTFLOW_EXPECTS(gap >= 0, "pictures do not overlap");
  const double left_width = detail::svg_measure(left, "width"), right_width = detail::svg_measure(right, "width");
  const double left_height = detail::svg_measure(left, "height"), right_height = detail::svg_measure(right, "height");
  const double width = left_width + gap + right_width, height = left_height > right_height ? left_height : right_height;
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\"";
  detail::append_attribute(out, "width", width);
  detail::append_attribute(out, "height", height);
  out += " viewBox=\"0 0 ";
  detail::append_coordinate(out, width);
  out += ' ';
  detail::append_coordinate(out, height);
  out += "\" role=\"img\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  const auto put = [&out](std::string_view svg, double x) {
    const std::size_t begin = svg.find("<svg");
    if (begin == std::string_view::npos) return;
    out += "<svg";
    detail::append_attribute(out, "x", x);
    out += svg.substr(begin + 4);
  };
  put(left, 0);
  put(right, left_width + gap);
  out += "</svg>\n";
  return out;
}

}  // namespace v0
}  // namespace simtflow
