// SPDX-License-Identifier: BSL-1.0
//
// Draws a control-flow graph as SVG: places the blocks in layers, routes the edges, writes the elements.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/io/detail/graph_layers.hpp>
#include <simtflow/io/detail/layer_coordinates.hpp>
#include <simtflow/io/detail/layer_order.hpp>
#include <simtflow/io/detail/style_marks.hpp>
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

// Places the blocks and writes the picture.
class svg_graph {
 public:
  svg_graph(const csr_graph& g, const dot_style& style) : g_(g), style_(style), marks_(g, style), layers_(g) {
    read_style();
    measure_blocks();
    layer_order::improve(layers_);
    place_columns();
    place_layers();
  }

  [[nodiscard]] std::string text() const {
    std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\"";
    append_attribute(out, "width", width_);
    append_attribute(out, "height", height_);
    out += " viewBox=\"0 0 ";
    append_coordinate(out, width_);
    out += ' ';
    append_coordinate(out, height_);
    out += "\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"10\" role=\"img\">\n";
    out += "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
    double y = margin + font;
    for (const std::string_view line : title_) {
      append_text(out, margin, y, y == margin + font ? " font-weight=\"bold\" fill=\"#222222\"" : " fill=\"#222222\"",
                  line);
      y += line_height + 2;
    }
    draw_routes(out);
    draw_loops(out);
    for (block_id b = 0; b < g_.num_blocks(); ++b) draw_block(out, b);
    out += "</svg>\n";
    return out;
  }

 private:
  static constexpr double font = 10, line_height = 13, character = 6.1;  // of the text in the blocks
  static constexpr double small_font = 9;                                // of the text at edges
  static constexpr double padding = 8, stripe = 6, margin = 16;
  static constexpr double between = 22, between_bends = 12, between_layers = 36;

  struct point {
    double x, y;
  };

  void read_style() {
    append_lines(title_, style_.title);
    names_.reserve(g_.num_blocks());
    for (block_id b = 0; b < g_.num_blocks(); ++b) names_.push_back(marks_.name_of(b));
  }

  static void append_lines(std::vector<std::string_view>& lines, std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = (std::min)(text.find('\n', at), text.size());
      lines.push_back(text.substr(at, end - at));
      at = end + 1;
    }
  }
  [[nodiscard]] std::vector<std::string_view> lines_of(block_id b) const {
    std::vector<std::string_view> lines;
    append_lines(lines, names_[b]);
    append_lines(lines, text_of(style_.bodies, b));
    append_lines(lines, text_of(style_.notes, b));
    return lines;
  }
  [[nodiscard]] bool is_framed(block_id b) const { return marks_.group_of(b) != no_dot_group; }
  [[nodiscard]] std::string_view frame_name(block_id b) const {
    return is_framed(b) ? text_of(style_.group_names, marks_.group_of(b)) : std::string_view();
  }

  void measure_blocks() {
    const std::size_t n = g_.num_blocks();
    block_width_.assign(n, 0);
    block_height_.assign(n, 0);
    loops_.assign(n, 0);
    for (block_id b = 0; b < n; ++b) {
      const auto lines = lines_of(b);
      std::size_t widest = 3;
      for (const std::string_view line : lines) widest = (std::max)(widest, num_characters(line));
      block_width_[b] = character * static_cast<double>(widest) + 2 * padding + stripe;
      block_width_[b] =
          (std::max)(block_width_[b], 0.8 * character * static_cast<double>(num_characters(frame_name(b))));
      block_height_[b] = line_height * static_cast<double>(lines.size()) + 2 * padding - 4;
      for (const block_id s : g_.successors(b)) loops_[b] += s == b ? 1U : 0U;
    }
  }

  // Edges from a block to itself are arcs at its right side, one around the other. The first leaves and comes back this
  // far above and below the middle of the block, and bulges by twice that; each further one bulges more by this.
  static constexpr double first_loop = 8;
  [[nodiscard]] static double loop_step(std::uint32_t loops) { return loops <= 5 ? 5 : 20.0 / (loops - 1); }
  // The width that the arcs take beyond the first one.
  [[nodiscard]] double more_loops(block_id b) const {
    return loops_[b] < 2 ? 0 : 1.6 * loop_step(loops_[b]) * (loops_[b] - 1);
  }

  void place_columns() {
    const auto width = [this](std::uint32_t item) { return layers_.is_bend(item) ? 4 : block_width_[item]; };
    const auto apart = [&](std::uint32_t a, std::uint32_t b) {
      const bool bends = layers_.is_bend(a) && layers_.is_bend(b);
      const double arcs = !layers_.is_bend(a) && loops_[a] > 0 ? 26 + more_loops(a) : 0;
      return (width(a) + width(b)) / 2 + (bends ? between_bends : between) + arcs;
    };
    const layer_coordinates placed(layers_, apart);
    x_.assign(placed.middles().begin(), placed.middles().end());
    double least = 0, most = 0;
    for (std::uint32_t i = 0; i < layers_.num_items(); ++i) {
      const double left = x_[i] - width(i) / 2, right = x_[i] + width(i) / 2;
      const double arcs = !layers_.is_bend(i) && loops_[i] > 0 ? 40 + more_loops(i) : 0;
      least = i == 0 ? left : (std::min)(least, left);
      most = i == 0 ? right + arcs : (std::max)(most, right + arcs);
    }
    for (double& x : x_) x += margin - least;
    width_ = most - least + 2 * margin;
    for (const std::string_view line : title_)
      width_ = (std::max)(width_, 2 * margin + character * static_cast<double>(num_characters(line)));
    from_x_ = ports(true);
    to_x_ = ports(false);
    const auto widen = [&](double left, const std::string& text) {
      width_ = (std::max)(width_, left + 0.6 * small_font * static_cast<double>(num_characters(text)) + 4);
    };
    const auto routes = layers_.routes();
    for (std::size_t r = 0; r < routes.size(); ++r)
      widen(text_x(r), marks_.text_of_edge(routes[r].turned ? routes[r].lower : routes[r].upper, routes[r].edge));
    for (block_id b = 0; b < g_.num_blocks(); ++b)
      for (std::size_t slot = 0; loops_[b] > 0 && slot < g_.successors(b).size(); ++slot)
        if (g_.successors(b)[slot] == b)
          widen(loop_text_x(b), marks_.text_of_edge(b, g_.first_edge(b) + static_cast<edge_id>(slot)));
  }
  // The left end of the text of a route, at its source; and of the text of an edge from a block to itself.
  [[nodiscard]] double text_x(std::size_t route) const {
    return (layers_.routes()[route].turned ? to_x_ : from_x_)[route] + 4;
  }
  [[nodiscard]] double loop_text_x(block_id b) const { return x_[b] + block_width_[b] / 2 + 6; }

  void place_layers() {
    double y = margin + (line_height + 2) * static_cast<double>(title_.size()) + (title_.empty() ? 0 : 8);
    height_ = y + margin;
    for (const auto& row : layers_.rows) {
      double tallest = 0;
      std::size_t lines = 0;  // that leave it downwards
      for (const std::uint32_t i : row) {
        if (!layers_.is_bend(i)) tallest = (std::max)(tallest, block_height_[i]);
        lines += layers_.down(i).size();
      }
      top_.push_back(y);
      layer_height_.push_back(tallest);
      height_ = y + tallest + margin;
      y += tallest + between_layers + 1.5 * static_cast<double>((std::min<std::size_t>)(lines, 30));
    }
  }
  [[nodiscard]] double top(std::uint32_t item) const { return top_[layers_.layer(item)]; }
  [[nodiscard]] double bottom(std::uint32_t item) const {
    return top(item) + (layers_.is_bend(item) ? layer_height_[layers_.layer(item)] : block_height_[item]);
  }

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
    const bool marked = marks_.is_marked(e);
    const std::string colour = marked ? "#cf222e" : ways != 2 ? "#444444" : slot == 0 ? "#1a7f37" : "#b35900";
    const std::string text = marks_.text_of_edge(from, e);
    out += "<g class=\"edge\" data-edge=\"" + std::to_string(e) + "\" data-from=\"" + std::to_string(from) +
           "\" data-to=\"" + std::to_string(g_.target(e)) + "\">\n<path fill=\"none\" stroke=\"" + colour +
           "\" stroke-width=\"" + (marked ? "2" : "1.2") + '"';
    if (marks_.is_dashed(e)) out += " stroke-dasharray=\"5 3\"";
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

  // By route: where it leaves the block at its upper end, and comes to that at its lower one. Lines of a block are side
  // by side in the order of where they go.
  [[nodiscard]] std::vector<double> ports(bool at_upper) const {
    struct port {
      double there;
      std::size_t route;
    };
    std::vector<std::vector<port>> of(g_.num_blocks());
    const auto routes = layers_.routes();
    for (std::size_t r = 0; r < routes.size(); ++r) {
      const graph_layers::route& e = routes[r];
      const std::uint32_t there = e.num_bends == 0 ? (at_upper ? e.lower : e.upper)
                                  : at_upper       ? e.first_bend
                                                   : e.first_bend + e.num_bends - 1;
      of[at_upper ? e.upper : e.lower].push_back({x_[there], r});
    }
    std::vector<double> x(routes.size());
    for (block_id b = 0; b < of.size(); ++b) {
      std::stable_sort(of[b].begin(), of[b].end(), [](const port& a, const port& c) { return a.there < c.there; });
      const double k = static_cast<double>(of[b].size());
      const double step = (std::min)(22.0, 0.8 * block_width_[b] / (std::max)(k, 1.0));
      for (std::size_t i = 0; i < of[b].size(); ++i)
        x[of[b][i].route] = x_[b] + step * (static_cast<double>(i) - (k - 1) / 2);
    }
    return x;
  }

  void draw_routes(std::string& out) const {
    const auto routes = layers_.routes();
    for (std::size_t r = 0; r < routes.size(); ++r) {
      const graph_layers::route& e = routes[r];
      const double begin = bottom(e.upper), end = top(e.lower);
      point at{from_x_[r], begin + (e.turned ? 6 : 0)};  // the line ends within the arrow
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
        curve_to({x_[bend], top(bend)});
        path += 'L';
        append_point(path, at = {x_[bend], bottom(bend)});
      }
      curve_to({to_x_[r], end - (e.turned ? 0 : 6)});
      if (e.turned)
        draw_edge(out, e.edge, e.lower, path, {from_x_[r], begin}, {from_x_[r], begin + 8},
                  {text_x(r), end - (is_framed(e.lower) ? 12 : 4)});
      else
        draw_edge(out, e.edge, e.upper, path, {to_x_[r], end}, {to_x_[r], end - 8},
                  {text_x(r), begin + (is_framed(e.upper) ? 17 : 10)});
    }
  }

  void draw_loops(std::string& out) const {
    for (block_id b = 0; b < g_.num_blocks(); ++b) {
      const double right = x_[b] + block_width_[b] / 2, middle = (top(b) + bottom(b)) / 2;
      const double room = block_height_[b] / 2 - 2;
      double bulge = first_loop, foot = loops_[b] < 2 ? first_loop : room / loops_[b];
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
                  {right + 8, middle + foot}, {loop_text_x(b), middle - bulge - 3});
        bulge += loop_step(loops_[b]);
        foot += room / loops_[b];
      }
    }
  }

  void draw_block(std::string& out, block_id b) const {
    const double w = block_width_[b], h = block_height_[b], x = x_[b] - w / 2, y = top(b);
    const dot_role role = marks_.role_of(b);
    const std::string line = layers_.is_reached(b) ? "#222222" : "#999999";
    const std::string outline = layers_.is_reached(b) && marks_.is_divergent(b) ? "#8250df" : line;
    out += "<g class=\"block\" data-block=\"" + std::to_string(b) + "\">\n";
    if (is_framed(b)) {
      append_rect(out, "group", {x - 7, y - 7}, w + 14, h + 14,
                  "rx=\"6\" fill=\"none\" stroke=\"#cf222e\" stroke-dasharray=\"4 3\"");
      if (const std::string_view name = frame_name(b); !name.empty())
        append_text(out, x + w + 6, y - 9, " text-anchor=\"end\" font-size=\"8\" fill=\"#cf222e\"", name);
    }
    if (g_.is_exit(b))
      append_rect(out, "exit", {x - 3, y - 3}, w + 6, h + 6, "fill=\"#ffffff\" stroke=\"" + line + '"');
    std::string look = "fill=\"";
    look += marks_.is_highlighted(b) ? "#ffe28a" : role == dot_role::guard ? "#ddf4ff" : "#ffffff";
    look += "\" stroke=\"" + outline + "\" stroke-width=\"";
    look += marks_.is_divergent(b) ? "3\"" : b == g_.entry() ? "2.2\"" : "1\"";
    if (role == dot_role::copy) look += " stroke-dasharray=\"5 3\"";
    if (role == dot_role::empty) look += " stroke-dasharray=\"1 2\"";
    append_rect(out, "box", {x, y}, w, h, look);
    if (const std::string_view colour = text_of(style_.colours, b); !colour.empty()) {
      look = "fill=\"";
      append_xml(look, colour);
      append_rect(out, "stripe", {x + 1.5, y + 1.5}, stripe, h - 3, look += '"');
    }
    double at = y + padding + font - 2;
    for (const std::string_view text : lines_of(b)) {
      out += "<text xml:space=\"preserve\"";
      append_attribute(out, "x", x + stripe + padding);
      append_attribute(out, "y", at);
      out += " fill=\"" + line + "\">";
      append_xml(out, text);
      out += "</text>\n";
      at += line_height;
    }
    out += "</g>\n";
  }

  const csr_graph& g_;
  const dot_style& style_;
  style_marks marks_;
  graph_layers layers_;
  std::vector<std::string_view> title_;  // its lines
  std::vector<std::string> names_;       // by block
  std::vector<double> block_width_, block_height_;
  std::vector<std::uint32_t> loops_;        // by block: edges to itself
  std::vector<double> x_;                   // by item: its middle
  std::vector<double> from_x_, to_x_;       // by route: see ports()
  std::vector<double> top_, layer_height_;  // by layer
  double width_ = 0, height_ = 0;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
