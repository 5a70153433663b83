// SPDX-License-Identifier: BSL-1.0
//
// A control-flow graph as an SVG picture, without Graphviz: for machines that do not have it, and for pages with
// scripts that must find every block and edge again. The input is the same plain data as for DOT text (io/dot.hpp):
//
//   dot_style style{.title = "two arms", .labels = {"if", "then", "else", "join"}};
//   std::ofstream("arms.svg") << to_svg(cfg, style);
//
// Control flows downwards in layers (io/detail/graph_layers.hpp), loops turn upwards. Block b is the element with
// data-block="b", edge e the one with data-edge="e"; each is there once. Every block of a group has a dashed frame of
// its own: other blocks may lie between them.
//
// Format: W3C, Scalable Vector Graphics (SVG) 1.1, second edition; presentation attributes only, no scripts, no style
// sheets, nothing from outside, so that every program that reads SVG shows it.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/io/detail/svg_graph_drawing.hpp>
#include <simtflow/io/dot.hpp>

#include <string>

namespace simtflow {
inline namespace v0 {
/// The graph as SVG text. Empty graph: a picture of the title alone. Unreachable blocks are drawn grey. The same input
/// always gives the same text. Every block is a box: a guard (dot_role) a light blue one, a copy one with a dashed
/// line, an empty block one with a dotted line.
/// \pre the blocks of `highlighted` and `divergent` and the edges of `dashed` and `marked` are in the graph.
/// Complexity: O((blocks + edges + layers that edges cross) log) for a constant number of passes, and linear in the
/// text. If edges cross more than 200,000 layers in all, they are drawn without bends, over the blocks between.
/// Errors: none; a block or an edge that is not in the graph is a contract violation.
/// \snippet reference_test.cpp to_svg
[[nodiscard]] inline std::string to_svg(const csr_graph& g, const dot_style& style = {}) {
  return detail::svg_graph(g, style).text();
}

/// The same for any graph that fits: what its entry reaches, blocks named by index.
template <flow_graph G>
[[nodiscard]] std::string to_svg(const G& g, const dot_style& style = {}) {
  return to_svg(snapshot(g), style);
}

}  // namespace v0
}  // namespace simtflow
