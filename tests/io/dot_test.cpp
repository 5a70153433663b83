// SPDX-License-Identifier: BSL-1.0
#include <simtflow/io/dot.hpp>
#include <simtflow/testing/shapes.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace simtflow;

namespace {

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++found;
  return found;
}

// The text outside of quoted strings is what Graphviz parses: quotes must pair up and braces close.
bool is_well_formed(const std::string& dot) {
  bool quoted = false;
  int depth = 0;
  for (std::size_t i = 0; i < dot.size(); ++i) {
    if (quoted && dot[i] == '\\') {
      ++i;
    } else if (dot[i] == '"') {
      quoted = !quoted;
    } else if (quoted && static_cast<unsigned char>(dot[i]) < 0x20) {
      return false;
    } else if (!quoted) {
      depth += dot[i] == '{' ? 1 : dot[i] == '}' ? -1 : 0;
    }
  }
  return !quoted && depth == 0;
}

}  // namespace

TEST_CASE("the whole text of a small graph") {
  CHECK(to_dot(testing::self_loop_at_entry()) ==
        "digraph cfg {\n"
        "  node [shape=box, fontname=\"monospace\", fontsize=10];\n"
        "  edge [fontname=\"monospace\", fontsize=9];\n"
        "  b0 [label=\"b0\\l\", penwidth=2];\n"
        "  b1 [label=\"b1\\l\", peripheries=2];\n"
        "  b0 -> b0 [label=\"T\", color=\"#1a7f37\"];\n"
        "  b0 -> b1 [label=\"F\", color=\"#b35900\"];\n"
        "}\n");
  CHECK(count(to_dot(csr_graph{}), "b0") == 0);
}

TEST_CASE("every named shape: one node per block, one edge per slot") {
  for (const testing::shape& s : testing::shapes) {
    CAPTURE(s.name);
    const csr_graph g = s.make();
    const std::string dot = to_dot(g);
    CHECK(is_well_formed(dot));
    CHECK(count(dot, " [label=\"b") == g.num_blocks());
    CHECK(count(dot, " -> ") == g.num_edges());
    CHECK(count(dot, "penwidth=2") == (g.num_blocks() == 0 ? 0 : 1));
    CHECK(to_dot(g) == dot);
  }
  CHECK(count(to_dot(testing::unreachable_island()), "color=gray, fontcolor=gray") == 2);
}

TEST_CASE("labels are escaped") {
  dot_style style;
  style.title = "kernel \"k\" & co";
  style.labels = {"say \"hi\"\\n", "", "tab\there\x01"};
  style.bodies = {"mov.u32 %r1, %tid.x;\n@%p1 bra $L;\n", "x < y && z > &amp;"};
  style.notes = {"", "", "priority 3\nfrontier {1, 2}"};
  style.edge_notes = {"check", "", "{B5, \"x\"}"};
  const std::string dot = to_dot(testing::adjacency({{1, 2}, {2}, {}}), style);
  CHECK(is_well_formed(dot));
  CHECK(count(dot, "label=\"kernel \\\"k\\\" &amp; co\\l\"") == 1);
  CHECK(count(dot, "b0 [label=\"say \\\"hi\\\"\\\\n\\lmov.u32 %r1, %tid.x;\\l@%p1 bra $L;\\l\"") == 1);
  CHECK(count(dot, "b1 [label=\"b1\\lx < y &amp;&amp; z > &amp;amp;\\l\"") == 1);
  CHECK(count(dot, "b2 [label=\"tab here \\lpriority 3\\lfrontier {1, 2}\\l\"") == 1);
  CHECK(count(dot, "b0 -> b1 [label=\"T check\"") == 1);
  CHECK(count(dot, "b0 -> b2 [label=\"F\"") == 1);
  CHECK(count(dot, "b1 -> b2 [label=\"{B5, \\\"x\\\"}\"]") == 1);
}

TEST_CASE("slots, dashes and highlights") {
  dot_style style;
  style.highlighted = {2, 0, 2};
  style.dashed = {1, 5};
  const std::string dot = to_dot(testing::switch_parallel(), style);
  CHECK(count(dot, "style=filled") == 2);
  CHECK(count(dot, "style=dashed") == 2);
  CHECK(count(dot, "b0 -> b2 [label=\"1\", style=dashed]") == 1);
  CHECK(count(dot, "b0 -> b2 [label=\"2\"];") == 1);
  CHECK(count(dot, "b2 -> b3 [style=dashed]") == 1);
}

TEST_CASE("marks and frames") {
  const csr_graph g = testing::diamond();
  dot_style style;
  style.marked = {0, 3};
  style.groups = {no_dot_group, 0, 2};
  style.group_names = {"first \"one\""};
  const std::string dot = to_dot(g, style);
  CHECK(is_well_formed(dot));
  CHECK(count(dot, "color=\"#cf222e\", penwidth=2") == 2);
  CHECK(dot.find("b0 -> b1 [label=\"T\", color=\"#cf222e\", penwidth=2];") != std::string::npos);
  CHECK(count(dot, "subgraph cluster_") == 2);
  CHECK(dot.find("label=\"first \\\"one\\\"\\l\";\n    b1;\n  }") != std::string::npos);
  CHECK(dot.find("subgraph cluster_2 {") != std::string::npos);
  CHECK(to_dot(g, dot_style{}) == to_dot(g));
}

TEST_CASE("stripes in the colour of a block") {
  dot_style style;
  style.colours = {"#88ccee", "", "#332288", "#ddcc77"};
  style.highlighted = {2};
  style.roles = {dot_role::plain, dot_role::plain, dot_role::copy, dot_role::guard};
  const std::string dot = to_dot(testing::diamond(), style);
  CHECK(is_well_formed(dot));
  CHECK(dot.find("margin=\"0.18,0.06\"];\n") != std::string::npos);
  CHECK(dot.find("b0 [label=\"b0\\l\", penwidth=2, style=striped, fillcolor=\"#88ccee;0.04:white\"]") !=
        std::string::npos);
  CHECK(dot.find("b1 [label=\"b1\\l\"]") != std::string::npos);
  CHECK(dot.find("style=\"dashed,striped\", fillcolor=\"#332288;0.04:#ffe28a\"") != std::string::npos);
  CHECK(count(dot, "#ddcc77") == 0);  // only boxes have stripes
}

TEST_CASE("any graph can be drawn") {
  const std::vector<std::vector<int>> g{{1, 2}, {3}, {3}, {}};
  CHECK(to_dot(g) == to_dot(testing::diamond()));
}
