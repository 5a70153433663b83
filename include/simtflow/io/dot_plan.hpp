// SPDX-License-Identifier: BSL-1.0
//
// Draws a plan (transform/plan.hpp) as Graphviz DOT text: the result of a transform of a graph, before it writes any
// code.
//
//   originals     boxes, with the names that the caller gives them
//   copies        dashed boxes, of the same names
//   guards        hexagons: "v0 = 3?" or "v0 in 2..5?"; the edges are marked T and F
//   empty blocks  dotted ellipses
//   edges         with what they set, "v0 := 3"; the exit edge of a block with "end"
//
// The picture leaves out blocks that the entry no longer reaches.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/io/dot.hpp>
#include <simtflow/transform/plan.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The plan as DOT text. `name(block)` names a block of the graph that the plan was made for; `parts(block)` says
/// whether its branch is divergent. Empty plan: a digraph without nodes. Linear in plan and text, but for edges that
/// set several variables.
template <class Name, class Parts>
[[nodiscard]] std::string to_dot(const flow_plan& plan, Name&& name, Parts&& parts, std::string title = {}) {
  // Blocks that are reached, numbered anew.
  std::vector<block_id> number(plan.num_blocks(), no_block), reached;
  if (plan.num_blocks() != 0) {
    number[plan.entry()] = 0;
    reached.push_back(plan.entry());
  }
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (const flow_plan::edge& e : plan.successors(reached[i]))
      if (number[e.to] == no_block) {
        number[e.to] = static_cast<block_id>(reached.size());
        reached.push_back(e.to);
      }
  csr_builder builder(reached.size());
  dot_style style;
  style.title = static_cast<std::string&&>(title);
  for (block_id i = 0; i < reached.size(); ++i) {
    const plan_block& b = plan[reached[i]];
    std::string label;
    dot_role role = dot_role::plain;
    switch (b.role) {
      case plan_role::original:
        label = name(b.executes);
        break;
      case plan_role::copy:
        label = name(b.executes);
        role = dot_role::copy;
        break;
      case plan_role::guard:
        label = 'v' + std::to_string(b.variable);
        label += b.low == b.high ? " = " + std::to_string(b.low)
                                 : " in " + std::to_string(b.low) + ".." + std::to_string(b.high);
        label += '?';
        role = dot_role::guard;
        break;
      case plan_role::empty:
        label = plan.successors(reached[i]).empty() ? "end" : "-";
        role = dot_role::empty;
        break;
    }
    if ((b.role == plan_role::original || b.role == plan_role::copy) && parts(b.executes)) style.divergent.push_back(i);
    style.labels.push_back(label);
    style.roles.push_back(role);
    if (b.leaves) builder.mark_exit(i);
    std::size_t slot = 0;
    for (const flow_plan::edge& e : plan.successors(reached[i])) {
      builder.add_edge(i, number[e.to]);
      std::string note = b.exit_edge && slot == plan.num_outcomes(reached[i]) ? "end" : "";
      plan.for_each_assignment(e, [&](plan_assignment a) {
        note += (note.empty() ? "v" : ", v") + std::to_string(a.variable) + " := " + std::to_string(a.value);
      });
      style.edge_notes.push_back(note);
      ++slot;
    }
  }
  return to_dot(builder.build(), style);
}

/// The same with blocks named "b3" and nothing known about branches.
[[nodiscard]] inline std::string to_dot(const flow_plan& plan) {
  return to_dot(
      plan, [](block_id b) { return 'b' + std::to_string(b); }, [](block_id) { return false; });
}

}  // namespace v0
}  // namespace simtflow
