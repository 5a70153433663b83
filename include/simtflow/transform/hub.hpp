// SPDX-License-Identifier: BSL-1.0
//
// Control-flow hubs: chosen edges are led to one place and sorted out again behind it. Each of the edges sets a
// variable to the number of its target; the hub is a chain of guards
//
//   guard 0: variable == 0 ? target 0 : guard 1: variable == 1 ? target 1 : ... : target N - 1
//
// N targets need N - 1 guards and one variable, however many edges there are; one target needs nothing. A hub is what
// other transforms are made of: in front of a loop that is entered at several blocks (fix_irreducible.hpp), behind a
// loop that is left in several ways (unify_loop_exits.hpp), or on any edges that a user finds to be in the way.
//
// Literature: the control-flow hubs of LLVM (ControlFlowUtils), which use one boolean less than there are targets.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>
#include <simtflow/transform/plan.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// What add_hub has made.
struct plan_hub {
  block_id first = no_block;      ///< where the edges lead now: the first guard, or the only target
  std::uint32_t variable = 0;     ///< what the edges set; nothing tests it if there are fewer than two targets
  std::vector<block_id> targets;  ///< by value of the variable
};

namespace detail {

/// One way on from a hub: for these values of its variable.
struct hub_case {
  std::uint32_t low, high;
  block_id to;
};

constexpr block_id add_guard(flow_plan& plan, std::uint32_t variable, const hub_case& c, block_id otherwise) {
  const plan_block& to = plan[c.to];
  const bool is_block = to.role == plan_role::original || to.role == plan_role::copy;
  const block_id guard = plan.add_guard(variable, c.low, c.high, is_block ? to.executes : no_block);
  plan.set_edge(guard, 0, c.to);
  plan.set_edge(guard, 1, otherwise);
  return guard;
}

/// The guards of a hub; the last case needs none, it is taken for all other values. Where to enter it.
constexpr block_id add_guard_chain(flow_plan& plan, std::uint32_t variable, std::span<const hub_case> cases) {
  SIMTFLOW_EXPECTS(!cases.empty(), "a hub leads somewhere");
  std::size_t i = cases.size() - 1;
  block_id next = cases[i].to;
  while (i-- > 0) next = add_guard(plan, variable, cases[i], next);
  return next;
}

}  // namespace detail

/// Leads edges of a plan through a hub. Its targets are those of the edges, in the order in which they come first; an
/// edge may be named twice. Edges to a single target, or none at all, are left as they are.
///
/// \pre every edge is one of the plan (the slot behind the outcomes is the exit edge, if the block has one).
/// Complexity: O(blocks + edges named).
constexpr plan_hub add_hub(flow_plan& plan, std::span<const edge> edges) {
  plan_hub hub;
  std::vector<std::uint32_t> value;  // by target, plus one
  value.assign(plan.num_blocks(), 0);
  for (const edge& e : edges) {
    SIMTFLOW_EXPECTS(e.from < plan.num_blocks() && e.slot < plan.successors(e.from).size(),
                     "a hub is put on edges of the plan");
    const block_id to = plan.successors(e.from)[e.slot];
    if (value[to] != 0) continue;
    hub.targets.push_back(to);
    value[to] = static_cast<std::uint32_t>(hub.targets.size());
  }
  if (hub.targets.empty()) return hub;
  hub.first = hub.targets[0];
  if (hub.targets.size() == 1) return hub;
  hub.variable = plan.add_variable();
  std::vector<detail::hub_case> cases;
  for (const block_id to : hub.targets) cases.push_back({value[to] - 1, value[to] - 1, to});
  hub.first = detail::add_guard_chain(plan, hub.variable, std::span<const detail::hub_case>(cases));
  for (const edge& e : edges) {
    const block_id to = plan.successors(e.from)[e.slot];
    if (to == hub.first) continue;  // named before
    plan.assign(e.from, e.slot, {hub.variable, value[to] - 1});
    plan.set_edge(e.from, e.slot, hub.first);
  }
  return hub;
}

/// The plan of any graph with a hub on edges that are named by dense block ids.
/// \pre every edge is one of the graph, and the entry reaches its source.
template <flow_graph G>
  requires(!std::same_as<G, flow_plan>)
[[nodiscard]] constexpr flow_plan with_hub(const G& g, std::span<const edge> edges) {
  detail::shape_of_graph<G> shape;
  flow_plan plan(shape.of(g));
  (void)add_hub(plan, edges);
  return plan;
}

}  // namespace v0
}  // namespace simtflow
