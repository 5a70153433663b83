// SPDX-License-Identifier: BSL-1.0
//
// The places of the blocks and edges of a control-flow graph in an SVG picture: layers from the top to the bottom,
// blocks side by side, and edges from port to port.
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

class svg_graph_layout {
 public:
  static constexpr double font = 10, line_height = 13, character = 6.1;  // of the text in the blocks
  static constexpr double small_font = 9;                                // of the text at edges
  static constexpr double padding = 8, stripe = 6, margin = 16;
  static constexpr double between = 22, between_bends = 12, between_layers = 36;

  // The graph and the style must outlive the layout.
  svg_graph_layout(const csr_graph& g, const dot_style& style) : marks(g, style), layers(g), g_(g), style_(style) {
    read_style();
    measure_blocks();
    layer_order::improve(layers);
    place_columns();
    place_layers();
  }

  style_marks marks;
  graph_layers layers;
  std::vector<std::string_view> title;            // its lines
  std::vector<double> block_width, block_height;  // by block
  std::vector<std::uint32_t> loops;               // by block: edges to itself
  std::vector<double> middle;                     // by item: its x coordinate
  std::vector<double> from_x, to_x;               // by route: see ports()
  double page_width = 0, page_height = 0;

  [[nodiscard]] std::vector<std::string_view> lines_of(block_id b) const {
    std::vector<std::string_view> lines;
    append_lines(lines, names_[b]);
    append_lines(lines, text_of(style_.bodies, b));
    append_lines(lines, text_of(style_.notes, b));
    return lines;
  }
  [[nodiscard]] bool is_framed(block_id b) const { return marks.group_of(b) != no_dot_group; }
  [[nodiscard]] std::string_view frame_name(block_id b) const {
    return is_framed(b) ? text_of(style_.group_names, marks.group_of(b)) : std::string_view();
  }

  // Edges from a block to itself are arcs at its right side, one around the other. The first leaves and comes back this
  // far above and below the middle of the block, and bulges by twice that; each further one bulges more by this.
  static constexpr double first_loop = 8;
  [[nodiscard]] static double loop_step(std::uint32_t arcs) { return arcs <= 5 ? 5 : 20.0 / (arcs - 1); }
  // The left end of the text of a route, at its source; and of the text of an edge from a block to itself.
  [[nodiscard]] double text_x(std::size_t route) const {
    return (layers.routes()[route].turned ? to_x : from_x)[route] + 4;
  }
  [[nodiscard]] double loop_text_x(block_id b) const { return middle[b] + block_width[b] / 2 + 6; }

  [[nodiscard]] double top(std::uint32_t item) const { return top_[layers.layer(item)]; }
  [[nodiscard]] double bottom(std::uint32_t item) const {
    return top(item) + (layers.is_bend(item) ? layer_height_[layers.layer(item)] : block_height[item]);
  }

 private:
  void read_style() {
    append_lines(title, style_.title);
    names_.reserve(g_.num_blocks());
    for (block_id b = 0; b < g_.num_blocks(); ++b) names_.push_back(marks.name_of(b));
  }

  static void append_lines(std::vector<std::string_view>& lines, std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = (std::min)(text.find('\n', at), text.size());
      lines.push_back(text.substr(at, end - at));
      at = end + 1;
    }
  }

  void measure_blocks() {
    const std::size_t n = g_.num_blocks();
    block_width.assign(n, 0);
    block_height.assign(n, 0);
    loops.assign(n, 0);
    for (block_id b = 0; b < n; ++b) {
      const auto lines = lines_of(b);
      std::size_t widest = 3;
      for (const std::string_view line : lines) widest = (std::max)(widest, num_characters(line));
      block_width[b] = character * static_cast<double>(widest) + 2 * padding + stripe;
      block_width[b] = (std::max)(block_width[b], 0.8 * character * static_cast<double>(num_characters(frame_name(b))));
      block_height[b] = line_height * static_cast<double>(lines.size()) + 2 * padding - 4;
      for (const block_id s : g_.successors(b)) loops[b] += s == b ? 1U : 0U;
    }
  }

  // The width that the arcs take beyond the first one.
  [[nodiscard]] double more_loops(block_id b) const {
    return loops[b] < 2 ? 0 : 1.6 * loop_step(loops[b]) * (loops[b] - 1);
  }

  void place_columns() {
    const auto width = [this](std::uint32_t item) { return layers.is_bend(item) ? 4 : block_width[item]; };
    const auto apart = [&](std::uint32_t a, std::uint32_t b) {
      const bool bends = layers.is_bend(a) && layers.is_bend(b);
      const double arcs = !layers.is_bend(a) && loops[a] > 0 ? 26 + more_loops(a) : 0;
      return (width(a) + width(b)) / 2 + (bends ? between_bends : between) + arcs;
    };
    const layer_coordinates placed(layers, apart);
    middle.assign(placed.middles().begin(), placed.middles().end());
    double least = 0, most = 0;
    for (std::uint32_t i = 0; i < layers.num_items(); ++i) {
      const double left = middle[i] - width(i) / 2, right = middle[i] + width(i) / 2;
      const double arcs = !layers.is_bend(i) && loops[i] > 0 ? 40 + more_loops(i) : 0;
      least = i == 0 ? left : (std::min)(least, left);
      most = i == 0 ? right + arcs : (std::max)(most, right + arcs);
    }
    for (double& x : middle) x += margin - least;
    page_width = most - least + 2 * margin;
    for (const std::string_view line : title)
      page_width = (std::max)(page_width, 2 * margin + character * static_cast<double>(num_characters(line)));
    from_x = ports(true);
    to_x = ports(false);
    const auto widen = [&](double left, const std::string& text) {
      page_width = (std::max)(page_width, left + 0.6 * small_font * static_cast<double>(num_characters(text)) + 4);
    };
    const auto routes = layers.routes();
    for (std::size_t r = 0; r < routes.size(); ++r)
      widen(text_x(r), marks.text_of_edge(routes[r].turned ? routes[r].lower : routes[r].upper, routes[r].edge));
    for (block_id b = 0; b < g_.num_blocks(); ++b)
      for (std::size_t slot = 0; loops[b] > 0 && slot < g_.successors(b).size(); ++slot)
        if (g_.successors(b)[slot] == b)
          widen(loop_text_x(b), marks.text_of_edge(b, g_.first_edge(b) + static_cast<edge_id>(slot)));
  }
  void place_layers() {
    double y = margin + (line_height + 2) * static_cast<double>(title.size()) + (title.empty() ? 0 : 8);
    page_height = y + margin;
    for (const auto& row : layers.rows) {
      double tallest = 0;
      std::size_t lines = 0;  // that leave it downwards
      for (const std::uint32_t i : row) {
        if (!layers.is_bend(i)) tallest = (std::max)(tallest, block_height[i]);
        lines += layers.down(i).size();
      }
      top_.push_back(y);
      layer_height_.push_back(tallest);
      page_height = y + tallest + margin;
      y += tallest + between_layers + 1.5 * static_cast<double>((std::min<std::size_t>)(lines, 30));
    }
  }

  // By route: where it leaves the block at its upper end, and comes to that at its lower one. Lines of a block are side
  // by side in the order of where they go.
  [[nodiscard]] std::vector<double> ports(bool at_upper) const {
    struct port {
      double there;
      std::size_t route;
    };
    std::vector<std::vector<port>> of(g_.num_blocks());
    const auto routes = layers.routes();
    for (std::size_t r = 0; r < routes.size(); ++r) {
      const graph_layers::route& e = routes[r];
      const std::uint32_t there = e.num_bends == 0 ? (at_upper ? e.lower : e.upper)
                                  : at_upper       ? e.first_bend
                                                   : e.first_bend + e.num_bends - 1;
      of[at_upper ? e.upper : e.lower].push_back({middle[there], r});
    }
    std::vector<double> x(routes.size());
    for (block_id b = 0; b < of.size(); ++b) {
      std::stable_sort(of[b].begin(), of[b].end(), [](const port& a, const port& c) { return a.there < c.there; });
      const double k = static_cast<double>(of[b].size());
      const double step = (std::min)(22.0, 0.8 * block_width[b] / (std::max)(k, 1.0));
      for (std::size_t i = 0; i < of[b].size(); ++i)
        x[of[b][i].route] = middle[b] + step * (static_cast<double>(i) - (k - 1) / 2);
    }
    return x;
  }

  const csr_graph& g_;
  const dot_style& style_;
  std::vector<std::string> names_;          // by block
  std::vector<double> top_, layer_height_;  // by layer
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
