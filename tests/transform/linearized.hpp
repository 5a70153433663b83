// SPDX-License-Identifier: BSL-1.0
//
// Is what linearization made of a graph right, and how deep a stack does it take? For linearize() and what is built
// on it.
#pragma once

#include "plan_runs.hpp"
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/structure.hpp>
#include <simtflow/analysis/unstructured.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/transform/linearize.hpp>

#include <optional>
#include <string>
#include <vector>

namespace linearized {

using namespace simtflow;
using namespace plan_runs;

inline constexpr guard_optimization levels[] = {guard_optimization::none, guard_optimization::o1,
                                                guard_optimization::o2, guard_optimization::o3, guard_optimization::o4};
inline constexpr loop_guards loop_policies[] = {loop_guards::component, loop_guards::source, loop_guards::merge};

inline std::string name(const linearize_options& o) {
  return "level " + std::to_string(static_cast<int>(o.optimize)) + ", loop guards " +
         std::to_string(static_cast<int>(o.loops)) + (o.order.empty() ? "" : ", an order of its own");
}

// From every outcome of every block, and from the start, through guards and empty blocks with what the edges set,
// to the block that the graph has there, or to an end. A variable that is tested was set since the last block of the
// graph, or never in the program. Gives what is wrong.
inline std::string wrong_way(const csr_graph& g, const flow_plan& p) {
  std::vector<std::uint32_t> value(p.num_variables());
  std::vector<unsigned char> known(p.num_variables());
  std::vector<unsigned char> ever(p.num_variables(), 0);  // set anywhere
  for (block_id b = 0; b < p.num_blocks(); ++b)
    for (const flow_plan::edge& e : p.successors(b))
      p.for_each_assignment(e, [&](plan_assignment a) { ever[a.variable] = 1; });
  std::string what;
  // no_block: an end
  const auto walk = [&](block_id at, const flow_plan::edge* first) {
    const auto take = [&](const flow_plan::edge& e) {
      p.for_each_assignment(e, [&](plan_assignment a) {
        known[a.variable] = 1;
        value[a.variable] = a.value;
      });
      at = e.to;
    };
    for (std::uint32_t v = 0; v < p.num_variables(); ++v) known[v] = first == nullptr || ever[v] == 0 ? 1 : 0;
    value.assign(p.num_variables(), 0);
    if (first != nullptr) take(*first);
    for (std::size_t steps = 0; steps <= 2 * p.num_blocks() + 2; ++steps) {
      const plan_block& b = p[at];
      if (b.role == plan_role::original) return at;
      if (b.role == plan_role::guard) {
        if (known[b.variable] == 0) {
          what = "a guard tests what was not set";
          return at;
        }
        take(p.successors(at)[value[b.variable] >= b.low && value[b.variable] <= b.high ? 0 : 1]);
      } else if (p.successors(at).empty()) {
        return no_block;
      } else {
        take(p.successors(at)[0]);
      }
    }
    what = "threads go round forever";
    return at;
  };
  const csr_graph shape = snapshot(g), now = snapshot(p);
  if (g.num_blocks() == 0) return {};
  if (walk(p.entry(), nullptr) != g.entry()) return "the start leads elsewhere " + what;
  for (block_id b = 0; b < g.num_blocks(); ++b) {
    if (b != g.entry() && shape.predecessors(b).empty()) continue;                                        // unreachable
    if (b != p.entry() && now.predecessors(b).empty()) return "block " + std::to_string(b) + " is lost";  // P5
    if (p[b].role != plan_role::original || p[b].executes != b) return "block " + std::to_string(b) + " is another one";
    if (p.num_outcomes(b) != g.successors(b).size()) return "outcomes of block " + std::to_string(b);
    for (std::size_t k = 0; k < p.num_outcomes(b); ++k)
      if (walk(b, &p.successors(b)[k]) != g.successors(b)[k] || !what.empty())
        return "outcome " + std::to_string(k) + " of block " + std::to_string(b) + " leads elsewhere " + what;
    if (g.is_exit(b) != (p[b].leaves || p[b].exit_edge)) return "threads that end in block " + std::to_string(b);
    if (p[b].exit_edge && walk(b, &p.successors(b)[p.num_outcomes(b)]) != no_block)
      return "threads that end in block " + std::to_string(b) + " do not";
  }
  return what;
}

// P2, P3: structured, reducible, without an unstructured edge.
inline std::string wrong_shape(const flow_plan& p) {
  if (!is_structured(p)) return "not structured";
  if (!loops(p).is_reducible()) return "not reducible";
  if (!unstructured_edges(p).empty()) return "an unstructured edge is left";
  return {};
}

// Executions of each block of the graph by one warp of eight under the post-dominator stack, by block of the plan; and
// the deepest stack.
struct fetches {
  std::vector<std::size_t> of;
  std::size_t deepest = 0;
};
inline fetches count_fetches(const flow_plan& p, const testing::random_walks& walks, std::uint32_t threads = 8) {
  struct watched : policies::ipdom_stack {
    using policies::ipdom_stack::ipdom_stack;
    std::size_t* deepest = nullptr;
    std::optional<fragment> next() {
      const auto f = policies::ipdom_stack::next();
      if (depth() > *deepest) *deepest = depth();
      return f;
    }
  };
  fetches all;
  all.of.assign(p.num_blocks(), 0);
  const csr_graph shape = snapshot(p);
  const auto pdom = post_dominators(shape);
  planned_program program(p, walks.graph(), callable_program(testing::walking_threads(walks, threads)));
  overloaded watch{[&](const event::issued<lane_mask>& e) { ++all.of[e.block]; }};
  watched policy{pdom.ids().ipdoms()};
  policy.deepest = &all.deepest;
  executor<watched> machine(policy);
  const auto how = machine.run(program, {.threads = threads, .warp_width = threads, .entry = p.entry()}, watch);
  REQUIRE(how.finished());
  return all;
}

}  // namespace linearized
