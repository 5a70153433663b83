// SPDX-License-Identifier: BSL-1.0
//
// Branch interleaving in phases: both arms of a branch are cut, and threads of both arms come together at each cut
// before either goes on. Loads of one arm are then in flight while the other arm runs.
//
//   if (c) { load a; use a }      if (c) load a; else load b;
//   else   { load b; use b }  ->  if (c) use a;  else use b;
//
// A phase is an if-else of its own. Each cut costs one guard, which chooses between the next phases of the two arms;
// the branch sets the guard variable once. Control flow within a phase stays as it is. A row of guarded blocks
// (interleave.hpp) can have any order, but takes a guard for each block.
//
// Literature: J. Anantpur, R. Govindarajan, Taming control divergence in GPUs through control flow linearization
// (2014), section 5.1, for the idea; the phases are new.
#pragma once

#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/transform/hub.hpp>
#include <simtflow/transform/plan.hpp>

#include <cstdint>
#include <span>

namespace simtflow {
inline namespace v0 {

/// A cut of both arms of a branch.
struct arm_cut {
  /// By slot of the branch: the block with which the arm goes on after the cut; the join if nothing of the arm is left.
  block_id next[2] = {no_block, no_block};

  friend constexpr bool operator==(const arm_cut&, const arm_cut&) = default;
};

/// Cuts the arms of a branch, in a plan that still has the edges of the arms as they are in the graph of `facts`.
/// Branches can be interleaved in one plan if none is in an arm of another.
/// \param plan   the plan that changes
/// \param facts  of the graph that the plan was made for
/// \param branch the branch
/// \param cuts   in the order in which threads come to them; without a cut nothing changes
/// \pre The branch has two successors and dominates both arms, which end at its immediate post-dominator and share no
/// block. Every path of an arm passes the blocks where it is cut, in the order of the cuts, and none passes one of them
/// twice but for loops around that block alone. At each cut something of one arm is left.
/// Complexity: O(cuts + edges to the blocks where arms are cut), after the facts.
constexpr void interleave_phases(flow_plan& plan, cfg_facts& facts, block_id branch, std::span<const arm_cut> cuts) {
  if (cuts.empty()) return;
  const csr_graph& g = facts.graph();
  const auto& tree = facts.dominators();
  const block_id join = facts.post_dominators().ipdom(branch);
  const block_id first[2] = {g.successors(branch)[0], g.successors(branch)[1]};
  const std::uint32_t arm = plan.add_variable();  // the slot that the thread took
  plan.assign(branch, 0, {arm, 0});
  plan.assign(branch, 1, {arm, 1});
  bool ended[2] = {false, false};
  for (const arm_cut& cut : cuts) {
    block_id guard = no_block;
    if (cut.next[0] != join)
      guard = detail::add_guard(plan, arm, {0, 0, cut.next[0]}, cut.next[1]);
    else
      guard = detail::add_guard(plan, arm, {1, 1, cut.next[1]}, join);
    for (std::uint32_t a = 0; a < 2; ++a) {
      const block_id to = cut.next[a];
      if (ended[a]) continue;  // its threads wait at the join
      ended[a] = to == join;
      block_id last = no_block;
      for (const block_id p : g.predecessors(to)) {
        if (p == last || !facts.ends().is_reachable(p) || !tree.dominates(first[a], p)) continue;
        if (to != join && tree.dominates(to, p)) continue;  // a loop around it
        last = p;
        for (std::uint32_t slot = 0; slot < g.successors(p).size(); ++slot)
          if (g.successors(p)[slot] == to) plan.set_edge(p, slot, guard);
      }
    }
  }
}

}  // namespace v0
}  // namespace simtflow
