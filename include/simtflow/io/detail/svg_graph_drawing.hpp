// SPDX-License-Identifier: BSL-1.0
//
// Draws a control-flow graph as SVG: writes the elements at the places of svg_graph_layout.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/io/detail/graph_layers.hpp>
#include <simtflow/io/detail/svg_graph_layout.hpp>
#include <simtflow/io/detail/xml.hpp>
#include <simtflow/io/dot_style.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

class svg_graph {
 public:
  svg_graph(const csr_graph& g, const dot_style& style) : g_(g), style_(style), at_(g, style) {}

  [[nodiscard]] std::string text() const {
    std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\"";
    append_attribute(out, "width", at_.page_width);
    append_attribute(out, "height", at_.page_height);
    out += " viewBox=\"0 0 ";
    append_coordinate(out, at_.page_width);
    out += ' ';
    append_coordinate(out, at_.page_height);
    out += "\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"10\" role=\"img\">\n";
    out += "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
    double y = layout::margin + layout::font;
    for (const std::string_view line : at_.title) {
      append_text(out, layout::margin, y,
                  y == layout::margin + layout::font ? " font-weight=\"bold\" fill=\"#222222\"" : " fill=\"#222222\"",
                  line);
      y += layout::line_height + 2;
    }
    draw_routes(out);
    draw_loops(out);
    for (block_id b = 0; b < g_.num_blocks(); ++b) draw_block(out, b);
    out += "</svg>\n";
    return out;
  }

 private:
  using layout = svg_graph_layout;

  struct point {
    double x, y;
  };

  static void append_text(std::string& out, double x, double y, std::string_view more, std::string_view text) {
    out += "<text";
    append_attribute(out, "x", x);
    append_attribute(out, "y", y);
    out += more;
    out += '>';
    append_xml(out, text);
    out += "</text>\n";
  }
  static void append_rect(std::string& out, std::string_view name, point corner, double width, double height,
                          std::string_view more) {
    out += "<rect class=\"";
    out += name;
    out += '"';
    append_attribute(out, "x", corner.x);
    append_attribute(out, "y", corner.y);
    append_attribute(out, "width", width);
    append_attribute(out, "height", height);
    out += ' ';
    out += more;
    out += "/>\n";
  }
  static void append_point(std::string& path, point p) {
    const char before = path.empty() ? 'M' : path.back();
    if (before != 'M' && before != 'L' && before != 'C') path += ' ';
    append_coordinate(path, p.x);
    path += ' ';
    append_coordinate(path, p.y);
  }

  // One edge: its line, the arrow, which ends in `tip` and points away from `back` (straight along one axis), and its
  // text.
  void draw_edge(std::string& out, edge_id e, block_id from, std::string_view path, point tip, point back,
                 point text_at) const {
    const std::size_t ways = g_.successors(from).size(), slot = e - g_.first_edge(from);
    const bool marked = at_.marks.is_marked(e);
    const std::string colour = marked ? "#cf222e" : ways != 2 ? "#444444" : slot == 0 ? "#1a7f37" : "#b35900";
    const std::string text = at_.marks.text_of_edge(from, e);
    out += "<g class=\"edge\" data-edge=\"" + std::to_string(e) + "\" data-from=\"" + std::to_string(from) +
           "\" data-to=\"" + std::to_string(g_.target(e)) + "\">\n<path fill=\"none\" stroke=\"" + colour +
           "\" stroke-width=\"" + (marked ? "2" : "1.2") + '"';
    if (at_.marks.is_dashed(e)) out += " stroke-dasharray=\"5 3\"";
    out += " d=\"";
    out += path;
    out += "\"/>\n<path class=\"tip\" fill=\"" + colour + "\" d=\"";
    const double ux = tip.x == back.x ? 0 : tip.x > back.x ? 1 : -1;
    const double uy = tip.y == back.y ? 0 : tip.y > back.y ? 1 : -1;
    std::string arrow = "M";
    append_point(arrow, tip);
    arrow += 'L';
    append_point(arrow, {tip.x - 8 * ux + 3.5 * uy, tip.y - 8 * uy + 3.5 * ux});
    append_point(arrow, {tip.x - 8 * ux - 3.5 * uy, tip.y - 8 * uy - 3.5 * ux});
    out += arrow + "z\"/>\n";
    if (!text.empty()) append_text(out, text_at.x, text_at.y, " font-size=\"9\" fill=\"" + colour + '"', text);
    out += "</g>\n";
  }

  void draw_routes(std::string& out) const {
    const auto routes = at_.layers.routes();
    for (std::size_t r = 0; r < routes.size(); ++r) {
      const graph_layers::route& e = routes[r];
      const double begin = at_.bottom(e.upper), end = at_.top(e.lower);
      point at{at_.from_x[r], begin + (e.turned ? 6 : 0)};  // the line ends within the arrow
      std::string path = "M";
      append_point(path, at);
      const auto curve_to = [&](point to) {
        const double half = (to.y - at.y) / 2;
        path += 'C';
        append_point(path, {at.x, at.y + half});
        append_point(path, {to.x, to.y - half});
        append_point(path, to);
        at = to;
      };
      for (std::uint32_t bend = e.first_bend; bend < e.first_bend + e.num_bends; ++bend) {
        curve_to({at_.middle[bend], at_.top(bend)});
        path += 'L';
        append_point(path, at = {at_.middle[bend], at_.bottom(bend)});
      }
      curve_to({at_.to_x[r], end - (e.turned ? 0 : 6)});
      if (e.turned)
        draw_edge(out, e.edge, e.lower, path, {at_.from_x[r], begin}, {at_.from_x[r], begin + 8},
                  {at_.text_x(r), end - (at_.is_framed(e.lower) ? 12 : 4)});
      else
        draw_edge(out, e.edge, e.upper, path, {at_.to_x[r], end}, {at_.to_x[r], end - 8},
                  {at_.text_x(r), begin + (at_.is_framed(e.upper) ? 17 : 10)});
    }
  }

  void draw_loops(std::string& out) const {
    for (block_id b = 0; b < g_.num_blocks(); ++b) {
      const double right = at_.middle[b] + at_.block_width[b] / 2, middle = (at_.top(b) + at_.bottom(b)) / 2;
      const double room = at_.block_height[b] / 2 - 2;
      double bulge = layout::first_loop, foot = at_.loops[b] < 2 ? layout::first_loop : room / at_.loops[b];
      for (std::size_t slot = 0; slot < g_.successors(b).size(); ++slot) {
        if (g_.successors(b)[slot] != b) continue;
        const double tip = right + 12 + 2 * bulge;
        std::string path = "M";
        append_point(path, {right, middle - foot});
        path += 'C';
        append_point(path, {tip, middle - bulge});
        append_point(path, {tip, middle + bulge});
        append_point(path, {right + 6, middle + foot});
        draw_edge(out, g_.first_edge(b) + static_cast<edge_id>(slot), b, path, {right, middle + foot},
                  {right + 8, middle + foot}, {at_.loop_text_x(b), middle - bulge - 3});
        bulge += at_.loop_step(at_.loops[b]);
        foot += room / at_.loops[b];
      }
    }
  }

  void draw_block(std::string& out, block_id b) const {
    const double w = at_.block_width[b], h = at_.block_height[b], x = at_.middle[b] - w / 2, y = at_.top(b);
    const dot_role role = at_.marks.role_of(b);
    const std::string line = at_.layers.is_reached(b) ? "#222222" : "#999999";
    const std::string outline = at_.layers.is_reached(b) && at_.marks.is_divergent(b) ? "#8250df" : line;
    out += "<g class=\"block\" data-block=\"" + std::to_string(b) + "\">\n";
    if (at_.is_framed(b)) {
      append_rect(out, "group", {x - 7, y - 7}, w + 14, h + 14,
                  "rx=\"6\" fill=\"none\" stroke=\"#cf222e\" stroke-dasharray=\"4 3\"");
      if (const std::string_view name = at_.frame_name(b); !name.empty())
        append_text(out, x + w + 6, y - 9, " text-anchor=\"end\" font-size=\"8\" fill=\"#cf222e\"", name);
    }
    if (g_.is_exit(b))
      append_rect(out, "exit", {x - 3, y - 3}, w + 6, h + 6, "fill=\"#ffffff\" stroke=\"" + line + '"');
    std::string look = "fill=\"";
    look += at_.marks.is_highlighted(b) ? "#ffe28a" : role == dot_role::guard ? "#ddf4ff" : "#ffffff";
    look += "\" stroke=\"" + outline + "\" stroke-width=\"";
    look += at_.marks.is_divergent(b) ? "3\"" : b == g_.entry() ? "2.2\"" : "1\"";
    if (role == dot_role::copy) look += " stroke-dasharray=\"5 3\"";
    if (role == dot_role::empty) look += " stroke-dasharray=\"1 2\"";
    append_rect(out, "box", {x, y}, w, h, look);
    if (const std::string_view colour = text_of(style_.colours, b); !colour.empty()) {
      look = "fill=\"";
      append_xml(look, colour);
      append_rect(out, "stripe", {x + 1.5, y + 1.5}, layout::stripe, h - 3, look += '"');
    }
    double at = y + layout::padding + layout::font - 2;
    for (const std::string_view text : at_.lines_of(b)) {
      out += "<text xml:space=\"preserve\"";
      append_attribute(out, "x", x + layout::stripe + layout::padding);
      append_attribute(out, "y", at);
      out += " fill=\"" + line + "\">";
      append_xml(out, text);
      out += "</text>\n";
      at += layout::line_height;
    }
    out += "</g>\n";
  }

  const csr_graph& g_;
  const dot_style& style_;
  svg_graph_layout at_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
