// SPDX-License-Identifier: BSL-1.0
//
// Can a priority order lead threads past each other at a barrier? A machine that always runs the waiting block of
// highest priority may come to a barrier with some lanes of a warp while others wait at a block of lower priority: one
// in the thread frontier of the barrier's block. Then the warp is split at the barrier, whether the others have it still
// to come or are about to end; a machine whose warps arrive at barriers as a whole deadlocks.
//
// Literature: G. Diamos et al., SIMD re-convergence at thread frontiers (2011), section 4.2.
#pragma once

#include <simtflow/analysis/priorities.hpp>
#include <simtflow/analysis/thread_frontiers.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/traits.hpp>

#include <span>

namespace simtflow {
inline namespace v0 {

/// Lanes may come to a barrier while others wait, as find_overtaken says it.
struct overtaken {
  block_id barrier = no_block;  ///< no_block: nothing of that kind can happen
  block_id waits = no_block;    ///< where the others wait
  /// Whether it can happen.
  [[nodiscard]] constexpr explicit operator bool() const { return barrier != no_block; }
};

/// The first block that holds a barrier and has a thread frontier (thread_frontiers.hpp), and the block of highest
/// priority there. Every branch counts as one that can part threads, so a kernel may be right all the same. `barriers`:
/// by dense block id, non-zero = holds one; empty = none does. Blocks that the entry does not reach do not count.
/// Complexity: that of the thread frontiers; O(blocks) if there is no barrier.
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

/// loop_contiguous_order(g), or barrier_aware_order(g, barriers) if find_overtaken() has something to say about it.
/// Complexity: as find_overtaken().
template <flow_graph G>
[[nodiscard]] constexpr priority_order<G> barrier_safe_order(const G& g, std::span<const unsigned char> barriers) {
  priority_order<G> order = loop_contiguous_order(g);
  return find_overtaken(g, order, barriers) ? barrier_aware_order(g, barriers) : order;
}
template <detail::keeps_pointer G>
priority_order<G> barrier_safe_order(const G&&, std::span<const unsigned char>) = delete;

}  // namespace v0
}  // namespace simtflow
