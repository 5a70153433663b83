// SPDX-License-Identifier: BSL-1.0
//
// The parts of a picture of a control-flow graph, as plain data by block and by edge. dot.hpp and svg_graph.hpp draw
// it.
#pragma once

#include <simtflow/config.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// "In no group."
inline constexpr std::uint32_t no_dot_group = 0xFFFF'FFFFU;

/// How a block is drawn: as a box, or as one of the blocks that a transform adds (transform/plan.hpp).
enum class dot_role : unsigned char {
  plain,  ///< a box
  copy,   ///< a dashed box
  guard,  ///< a hexagon, light blue
  empty   ///< an ellipse with a dotted line
};

/// The role in a word: "plain", "copy", "guard" or "empty".
[[nodiscard]] constexpr std::string_view to_string(dot_role role) {
  switch (role) {
    case dot_role::plain:
      return "plain";
    case dot_role::copy:
      return "copy";
    case dot_role::guard:
      return "guard";
    case dot_role::empty:
      return "empty";
  }
  return "";
}

/// The parts of a picture. Vectors indexed by block may be shorter than the graph: missing entries take the default.
struct dot_style {
  std::string title = {};                  ///< above the graph; none if empty
  std::vector<std::string> labels = {};    ///< by block: first line of the block; default "b3"
  std::vector<std::string> bodies = {};    ///< by block: lines below it, separated by newlines (instructions)
  std::vector<std::string> notes = {};     ///< by block: last lines (priority, frontier)
  std::vector<dot_role> roles = {};        ///< by block
  std::vector<std::string> colours = {};   ///< by block: "#88ccee", a stripe at the left edge of its box; none if empty
  std::vector<block_id> highlighted = {};  ///< filled with colour
  std::vector<block_id> divergent = {};    ///< thick violet outline (divergent branches)
  std::vector<edge_id> dashed = {};        ///< dashed edges (back edges, edges that carry a check)
  std::vector<std::string> edge_notes = {};   ///< by edge id: text on the edge, after T or F
  std::vector<edge_id> marked = {};           ///< drawn thick and red (unstructured edges)
  std::vector<std::uint32_t> groups = {};     ///< by block: blocks of one number get one frame; no_dot_group: none
  std::vector<std::string> group_names = {};  ///< by group: above its frame
};

}  // namespace v0
}  // namespace simtflow
