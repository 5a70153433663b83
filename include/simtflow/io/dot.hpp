// SPDX-License-Identifier: BSL-1.0
//
// Writes a control-flow graph as Graphviz DOT text. The input is plain data, indexed by block: a caller fills the
// vectors it cares about and leaves the others empty. The same input always gives the same text.
//
//   Blocks are b0, b1, ... in the text. The entry has a bold outline, a block where threads may end a double one. The
//   two edges of a two-way branch are marked T (slot 0, taken) and F (slot 1, fall-through); a wider branch shows the
//   slots.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/io/detail/style_marks.hpp>
#include <simtflow/io/dot_style.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {

/// Appends text as the inside of a quoted DOT label: quotes, backslashes and `&` escaped (Graphviz reads character
/// references), every line left-justified, other control characters shown as spaces.
inline void append_dot_lines(std::string& out, std::string_view text) {
  if (text.empty()) return;
  if (text.back() == '\n') text.remove_suffix(1);
  for (const char c : text) {
    const unsigned char code = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\l";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out += code < 0x20 || code == 0x7F ? ' ' : c;
    }
  }
  out += "\\l";
}

}  // namespace detail

/// The graph as DOT text. Empty graph: a digraph without nodes. Unreachable blocks are drawn grey.
/// \pre the blocks of `highlighted` and `divergent` and the edges of `dashed` and `marked` are in the graph.
/// Complexity: linear in the graph and the text.
/// Errors: none; a block or an edge that is not in the graph is a contract violation.
/// \snippet reference_test.cpp to_dot
[[nodiscard]] inline std::string to_dot(const csr_graph& g, const dot_style& style = {}) {
  const std::size_t n = g.num_blocks();
  const detail::style_marks marks(g, style);
  std::vector<unsigned char> reached(n, 0);
  std::vector<block_id> work;
  if (n > 0) {
    reached[g.entry()] = 1;
    work.push_back(g.entry());
  }
  while (!work.empty()) {
    const block_id b = work.back();
    work.pop_back();
    for (const block_id s : g.successors(b))
      if (!reached[s]) {
        reached[s] = 1;
        work.push_back(s);
      }
  }

  std::string out = "digraph cfg {\n";
  if (!style.title.empty()) {
    out += "  label=\"";
    detail::append_dot_lines(out, style.title);
    out += "\";\n  labelloc=t;\n";
  }
  out += style.colours.empty() ? "  node [shape=box, fontname=\"monospace\", fontsize=10];\n"
                               : "  node [shape=box, fontname=\"monospace\", fontsize=10, margin=\"0.18,0.06\"];\n";
  out += "  edge [fontname=\"monospace\", fontsize=9];\n";
  for (block_id b = 0; b < n; ++b) {
    const std::string id = "b" + std::to_string(b);
    out += "  " + id + " [label=\"";
    detail::append_dot_lines(out, marks.name_of(b));
    detail::append_dot_lines(out, detail::text_of(style.bodies, b));
    detail::append_dot_lines(out, detail::text_of(style.notes, b));
    out += '"';
    if (g.is_exit(b)) out += ", peripheries=2";
    const dot_role role = marks.role_of(b);
    if (role == dot_role::guard) out += ", shape=hexagon";
    if (role == dot_role::empty) out += ", shape=ellipse";
    if (b == g.entry() || marks.is_divergent(b)) out += marks.is_divergent(b) ? ", penwidth=3" : ", penwidth=2";
    std::string line = role == dot_role::copy ? "dashed" : role == dot_role::empty ? "dotted" : "";
    const bool fill = marks.is_highlighted(b) || role == dot_role::guard;
    const bool box = role == dot_role::plain || role == dot_role::copy;
    const std::string_view stripe = box ? detail::text_of(style.colours, b) : std::string_view();
    if (fill || !stripe.empty()) {
      line += line.empty() ? "" : ",";
      line += stripe.empty() ? "filled" : "striped";
    }
    if (!line.empty()) out += line.find(',') != std::string::npos ? ", style=\"" + line + '"' : ", style=" + line;
    if (!stripe.empty()) {
      out += ", fillcolor=\"";
      out += stripe;
      out += marks.is_highlighted(b) ? ";0.04:#ffe28a\"" : ";0.04:white\"";
    } else if (fill) {
      out += marks.is_highlighted(b) ? ", fillcolor=\"#ffe28a\"" : ", fillcolor=\"#ddf4ff\"";
    }
    if (!reached[b])
      out += ", color=gray, fontcolor=gray";
    else if (marks.is_divergent(b))
      out += ", color=\"#8250df\"";
    out += "];\n";
  }
  for (block_id b = 0; b < n; ++b) {
    const std::size_t ways = g.successors(b).size();
    for (std::size_t slot = 0; slot < ways; ++slot) {
      const edge_id e = g.first_edge(b) + static_cast<edge_id>(slot);
      const std::string text = marks.text_of_edge(b, e);
      std::string attributes;
      const auto add = [&attributes](std::string_view one) {
        attributes += attributes.empty() ? " [" : ", ";
        attributes += one;
      };
      if (!text.empty()) {
        std::string quoted = "label=\"";
        detail::append_dot_lines(quoted, text);
        quoted.resize(quoted.size() - 2);  // the end of the last line: an edge's text stays centred
        add(quoted += '"');
      }
      if (marks.is_marked(e))
        add("color=\"#cf222e\", penwidth=2");
      else if (ways == 2)
        add(slot == 0 ? "color=\"#1a7f37\"" : "color=\"#b35900\"");
      if (marks.is_dashed(e)) add("style=dashed");
      out += "  b" + std::to_string(b) + " -> b" + std::to_string(g.target(e)) + attributes;
      out += attributes.empty() ? ";\n" : "];\n";
    }
  }
  // Frames: the blocks by group, each group as a subgraph.
  std::vector<std::vector<block_id>> framed;
  for (block_id b = 0; b < n; ++b) {
    const std::uint32_t frame = marks.group_of(b);
    if (frame == no_dot_group) continue;
    SIMTFLOW_EXPECTS(frame < n, "to_dot: groups are numbered from 0 on");
    if (frame >= framed.size()) framed.resize(frame + std::size_t{1});
    framed[frame].push_back(b);
  }
  for (std::size_t frame = 0; frame < framed.size(); ++frame) {
    if (framed[frame].empty()) continue;
    out +=
        "  subgraph cluster_" + std::to_string(frame) + " {\n    style=\"rounded,dashed\";\n    color=\"#cf222e\";\n";
    if (const std::string_view name = detail::text_of(style.group_names, frame); !name.empty()) {
      out += "    label=\"";
      detail::append_dot_lines(out, name);
      out += "\";\n";
    }
    for (const block_id b : framed[frame]) out += "    b" + std::to_string(b) + ";\n";
    out += "  }\n";
  }
  out += "}\n";
  return out;
}

/// The same for any graph that fits: the blocks that its entry reaches, named by index.
template <flow_graph G>
[[nodiscard]] std::string to_dot(const G& g, const dot_style& style = {}) {
  return to_dot(snapshot(g), style);
}

}  // namespace v0
}  // namespace simtflow
