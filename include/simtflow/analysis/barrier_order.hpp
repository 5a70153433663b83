// SPDX-License-Identifier: BSL-1.0
//
// Tells whether lanes can miss each other at a barrier under a priority order. A machine that always runs the waiting
// block of highest priority may reach a barrier with some lanes of a warp while others wait at a block of lower
// priority that is in the thread frontier of the barrier's block. The warp is then split there, whether the others will
// still reach the barrier or end; a machine with warps that arrive at barriers as a whole deadlocks.
//
// Literature: G. Diamos et al., SIMD re-convergence at thread frontiers (2011), section 4.2.
#pragma once

#include <simtflow/analysis/priorities.hpp>
#include <simtflow/analysis/thread_frontiers.hpp>
#include <simtflow/graph/argument.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>

#include <span>

namespace simtflow {
inline namespace v0 {

/// Lanes may reach a barrier while others wait elsewhere: the result of find_overtaken.
struct overtaken {
  block_id barrier = no_block;  ///< no_block: it cannot happen
  block_id waits = no_block;    ///< where the others wait
  /// True if it can happen.
  [[nodiscard]] constexpr explicit operator bool() const { return barrier != no_block; }
};

/// The first block that holds a barrier and has a thread frontier (thread_frontiers.hpp), and the block of highest
/// priority in that frontier. Every branch is assumed to diverge, so a kernel with such a block may still be right.
/// `barriers`: by dense block id, non-zero = holds one; empty = no block does. Unreachable blocks do not count.
/// Complexity: as for thread frontiers; O(blocks) if there is no barrier.
template <flow_graph G>
[[nodiscard]] constexpr overtaken find_overtaken(const G& g, const priority_order<G>& order,
                                                 std::span<const unsigned char> barriers) {
  bool any = false;
  for (const unsigned char b : barriers) any = any || b != 0;
  if (!any) return {};
  const frontier_sets<G> frontiers(g, order);
  for (block_id b = 0; b < barriers.size(); ++b)
    if (barriers[b] != 0 && frontiers.ids().size(b) != 0) return {b, frontiers.ids().of(b)[0]};
  return {};
}

/// loop_contiguous_order(g), or barrier_aware_order(g, barriers) if find_overtaken() finds a barrier in the former.
/// Complexity: as find_overtaken().
template <graph_argument G>
[[nodiscard]] constexpr priority_order<graph_t<G>> barrier_safe_order(G&& g, std::span<const unsigned char> barriers) {
  priority_order<graph_t<G>> order = loop_contiguous_order(g);
  return find_overtaken(g, order, barriers) ? barrier_aware_order(g, barriers) : order;
}

}  // namespace v0
}  // namespace simtflow
