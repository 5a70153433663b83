// SPDX-License-Identifier: BSL-1.0
#include <simtflow/io/dot_plan.hpp>
#include <simtflow/testing/shapes.hpp>
#include <simtflow/transform/linearize.hpp>
#include <simtflow/transform/structure_by_copies.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>

using namespace simtflow;

namespace {

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++n;
  return n;
}

// if (0) { if (1) 2; else 3 } else 2; 4
csr_graph crossing() { return testing::adjacency({{1, 2}, {2, 3}, {4}, {4}, {}}); }

}  // namespace

TEST_CASE("dot_plan: guards, what edges set, and divergent branches") {
  const flow_plan plan = linearize(crossing()).plan;
  const plan_cost cost = plan.cost();
  REQUIRE(cost.guards > 0);
  const std::string text = to_dot(
      plan, [](block_id b) { return "block " + std::to_string(b); }, [](block_id b) { return b == 0; }, "title");
  CHECK(count(text, "shape=hexagon") == cost.guards);
  CHECK(count(text, " := ") == cost.assignments);
  CHECK(count(text, "#8250df") == 1);
  CHECK(count(text, "label=\"title\\l\"") == 1);
  for (int b = 0; b < 5; ++b) CHECK(count(text, "[label=\"block " + std::to_string(b) + "\\l\"") == 1);
  CHECK(count(text, "?\\l") == cost.guards);
  CHECK(text.find("block 0\\l\", penwidth=3, color=\"#8250df\"") != std::string::npos);
}

TEST_CASE("dot_plan: copies, empty blocks, exit edges, blocks that are not reached") {
  const flow_plan copied = structure_by_copies(crossing()).plan;
  REQUIRE(copied.cost().copies > 0);
  CHECK(count(to_dot(copied), "style=dashed") == copied.cost().copies);

  flow_plan plan(testing::adjacency({{1}, {}}));
  const std::uint32_t v = plan.add_variable(), w = plan.add_variable();
  const block_id empty = plan.add_empty(), end = plan.add_empty(true), guard = plan.add_guard(v, 2, 5);
  plan.set_edge(0, 0, empty);
  plan.assign(0, 0, {v, 3});
  plan.assign(0, 0, {w, 1});
  plan.set_edge(empty, 0, guard);
  plan.set_edge(guard, 0, 1);
  plan.set_edge(guard, 1, end);
  (void)plan.add_exit_edge(1, end);
  (void)plan.add_copy(0);  // not reached
  CHECK(to_dot(plan) ==
        "digraph cfg {\n"
        "  node [shape=box, fontname=\"monospace\", fontsize=10];\n"
        "  edge [fontname=\"monospace\", fontsize=9];\n"
        "  b0 [label=\"b0\\l\", penwidth=2];\n"
        "  b1 [label=\"-\\l\", shape=ellipse, style=dotted];\n"
        "  b2 [label=\"v0 in 2..5?\\l\", shape=hexagon, style=filled, fillcolor=\"#ddf4ff\"];\n"
        "  b3 [label=\"b1\\l\"];\n"
        "  b4 [label=\"end\\l\", peripheries=2, shape=ellipse, style=dotted];\n"
        "  b0 -> b1 [label=\"v1 := 1, v0 := 3\"];\n"
        "  b1 -> b2;\n"
        "  b2 -> b3 [label=\"T\", color=\"#1a7f37\"];\n"
        "  b2 -> b4 [label=\"F\", color=\"#b35900\"];\n"
        "  b3 -> b4 [label=\"end\"];\n"
        "}\n");
  CHECK(count(to_dot(flow_plan()), "b0") == 0);
}
