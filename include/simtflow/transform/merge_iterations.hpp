// SPDX-License-Identifier: BSL-1.0
//
// Loop merging at the header of the inner loop: threads that have finished the inner loop run the rest of the outer
// iteration, begin the next one, and join the other threads in the inner loop again.
//
//   for (...) { S1;         All edges to the header of the inner loop, and all edges that leave the outer loop, lead to
//     for (...) S2;    ->   one place, the *meeting guard*. It tests whether the thread leaves the outer loop; if not,
//     S3; }                 it leads to the header.
//
// The meeting guard post-dominates every block of the nest. So under a stack of post-dominators lanes wait there for
// each other after every inner iteration, and no longer at S3 for the last lane of the inner loop. An inner iteration
// costs one guard more; the variable is set where the nest is entered and where it is left. Nothing else changes, no
// code is copied, and control flow inside S1, S2 and S3 stays as it is.
//
// The linearized nest (merge_loops.hpp) takes a guard for each of its blocks instead, and is structured. This nest is
// not structured, so linearization goes first; it would take a merged nest apart again.
//
//   S2 is fetched less often    as often as the lane with the most inner iterations in total needs it, at best; before,
//                               the sum over the outer iterations of the most iterations of any lane
//   S1, S3 more often           lanes come to them one by one, as they finish
//
// It pays if trip counts of the inner loop differ between lanes and S1 and S3 are cheap; merged_nest_trips estimates
// both numbers of fetches. It does not pay if lanes mostly pass by the inner loop: they no longer stay together there.
//
// Threads that were apart meet in S2 and others that were together do not meet in S1 and S3, so a nest with a
// convergent block is left as it is. A loop beside the inner one in which threads wait for others would now hold up
// threads that are still in the inner loop; the caller names blocks with such waits.
//
// Literature: J. Anantpur, R. Govindarajan, Taming control divergence in GPUs through control flow linearization
// (2014), section 5.2, for the idea and Figure 2; the place is another one.
#pragma once

#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/transform/hub.hpp>
#include <simtflow/transform/plan.hpp>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The reasons why an inner loop is not merged with the loop around it.
enum class merge_refusal : unsigned char {
  none,           ///< it can be merged
  no_outer_loop,  ///< no loop is around it
  irreducible,    ///< one of the two loops has several entries
  convergent,     ///< a block of the nest must be executed by the same threads together as before
  ends,           ///< threads may end in a block of the nest
  endless,        ///< no edge leaves the outer loop
  waits,          ///< threads may wait for other threads in another loop of the nest
  uniform,        ///< all threads of a warp leave the inner loop in the same iteration
  skipped,        ///< lanes mostly pass by the inner loop
  does_not_pay,   ///< the expected cost does not fall
  overlaps        ///< it shares blocks with a nest that saves more
};

/// The reason in words that follow "not merged: ".
[[nodiscard]] constexpr std::string_view describe(merge_refusal reason) {
  switch (reason) {
    case merge_refusal::none:
      return "it can be merged";
    case merge_refusal::no_outer_loop:
      return "no loop is around it";
    case merge_refusal::irreducible:
      return "a loop of the nest has several entries";
    case merge_refusal::convergent:
      return "threads must come together as before in the nest";
    case merge_refusal::ends:
      return "threads may end in the nest";
    case merge_refusal::endless:
      return "no edge leaves the outer loop";
    case merge_refusal::waits:
      return "threads may wait for others in another loop of the nest";
    case merge_refusal::uniform:
      return "all threads of a warp leave the inner loop together";
    case merge_refusal::skipped:
      return "lanes mostly pass by the inner loop";
    case merge_refusal::does_not_pay:
      return "the expected cost does not fall";
    case merge_refusal::overlaps:
      return "it shares blocks with a nest that saves more";
  }
  return "";
}

/// The iterations of a nest, as means over the warps that come to it. The defaults stand for an unknown nest: eight
/// iterations each, in the inner loop geometrically distributed, so that the last of 32 lanes takes four times as many.
struct merged_nest_trips {
  double outer = 8;            ///< fetches of the outer header by a warp
  double mean = 8;             ///< fetches of the inner header that one lane takes part in, for one outer iteration
  double most = 32.5;          ///< fetches of the inner header by the warp, for one outer iteration
  double lane_fetches = 2048;  ///< fetches of the inner header, summed over lanes and outer iterations

  /// The expected fetches of the inner header once the nest is merged: the mean of a lane's total, and the distance to
  /// the longest lane, which grows with the square root of the iterations that are summed up.
  [[nodiscard]] constexpr double inner_merged() const {
    if (!(outer > 1) || !(most > mean)) return outer * most;
    double root = outer;
    for (int i = 0; i < 60; ++i) root = (root + outer / root) / 2;
    const double merged = outer * mean + root * (most - mean);
    return merged < outer * most ? merged : outer * most;
  }
  /// The expected fetches of the outer loop's own blocks once the nest is merged: of inner fetches, the share after
  /// which at least one lane leaves the inner loop. At least `outer`.
  [[nodiscard]] constexpr double outer_merged() const {
    const double merged = inner_merged(), lanes = merged > 0 ? lane_fetches / merged : 0;
    const double stay = mean > 1 ? 1 - 1 / mean : 0;
    double all_stay = 1;
    for (int i = 0; i + 0.5 <= lanes && i < 1024; ++i) all_stay *= stay;
    const double some_leave = merged * (1 - all_stay);
    return some_leave > outer ? some_leave : outer;
  }
};

/// Can the inner loop be merged with the loop around it? Says nothing about uniform loops and costs.
/// `convergent(b)` and `waits(b)` say which blocks are as the top of this header describes. If a block is the reason,
/// `at` is set to the first one. Complexity: O(blocks and edges of the nest).
template <class Convergent, class Waits>
[[nodiscard]] constexpr merge_refusal refusal_to_merge(cfg_facts& facts, loop_id inner, Convergent convergent,
                                                       Waits waits, block_id& at) {
  const dense::loop_forest& loops = facts.loops();
  const loop_id outer = loops.parent(inner);
  at = no_block;
  if (outer == no_loop) return merge_refusal::no_outer_loop;
  if (loops.is_irreducible(inner) || loops.is_irreducible(outer)) return merge_refusal::irreducible;
  for (const block_id b : loops.blocks(outer)) {
    at = b;
    if (convergent(b)) return merge_refusal::convergent;
    if (facts.graph().is_exit(b)) return merge_refusal::ends;
    if (loops.innermost(b) != outer && !loops.contains(inner, b) && waits(b)) return merge_refusal::waits;
  }
  at = no_block;
  bool leaves = false;
  loops.for_each_exit(outer, [&](const loop_exit<block_id>&) {
    leaves = true;
    return false;
  });
  return leaves ? merge_refusal::none : merge_refusal::endless;
}

/// Merges the inner loop with the loop around it, in a plan that still has the edges of the nest as they are in the
/// graph of `facts`. Nests that share no block can be merged in one plan.
/// \pre refusal_to_merge(facts, inner, ...) is none. Complexity: O(blocks and edges of the nest).
constexpr void merge_iterations(flow_plan& plan, cfg_facts& facts, loop_id inner) {
  const csr_graph& g = facts.graph();
  const dense::loop_forest& loops = facts.loops();
  const loop_id outer = loops.parent(inner);
  const block_id header = loops.header(inner);
  const std::uint32_t leaving = plan.add_variable();  // 0: stays in the outer loop; k: goes to its k-th way out
  std::vector<detail::hub_case> cases;
  cases.push_back({0, 0, header});
  std::vector<edge> out;
  loops.for_each_exit(outer, [&](const loop_exit<block_id>& e) {
    std::uint32_t value = 1;
    while (value < cases.size() && cases[value].to != e.to) ++value;
    if (value == cases.size()) cases.push_back({value, value, e.to});
    plan.assign(e.from, e.slot, {leaving, value});
    out.push_back({e.from, e.slot});
    return true;
  });
  const block_id meeting = detail::add_guard_chain(plan, leaving, std::span<const detail::hub_case>(cases));
  for (const edge& e : out) plan.set_edge(e.from, e.slot, meeting);
  const auto for_each_edge_to = [&](block_id to, auto f) {
    block_id last = no_block;
    for (const block_id p : g.predecessors(to)) {
      if (p == last || !facts.ends().is_reachable(p)) continue;
      last = p;
      for (std::uint32_t slot = 0; slot < g.successors(p).size(); ++slot)
        if (g.successors(p)[slot] == to) f(p, slot);
    }
  };
  for_each_edge_to(header, [&](block_id p, std::uint32_t slot) { plan.set_edge(p, slot, meeting); });
  for_each_edge_to(loops.header(outer), [&](block_id p, std::uint32_t slot) {
    if (!loops.contains(outer, p)) plan.assign(p, slot, {leaving, 0});
  });
}

}  // namespace v0
}  // namespace simtflow
