// SPDX-License-Identifier: BSL-1.0
//
// Priorities: total orders of the blocks, highest priority first. A machine that always runs the waiting block of
// highest priority joins threads well if the order meets two conditions:
//
//   topological       every edge leads to a lower priority, except a loop's way back to its header
//   loop-contiguous   the blocks of every loop (of the loop forest) are neighbours: a thread that has left the loop
//                     waits after it until all others have left as well
//
// Linearization of code asks for a third:
//
//   dominance-compact the blocks that a block dominates are neighbours
//
// The orders, and what each promises on every graph, irreducible ones and endless loops included:
//
//   reverse_post_order        topological up to retreating edges. It may number a loop's exit before its body; then
//                             every thread that leaves runs the rest of the program alone.
//   loop_contiguous_order     topological, loop-contiguous; blocks of the same loops keep their RPO. The default.
//   dominance_compact_order   topological, loop-contiguous, and dominance-compact wherever a loop leaves room
//   barrier_aware_order       threads that arrive at a barrier wait for the others
//   exit_distance_order       GPU Ocelot's order, for comparison: not topological
//   post_order                successors before predecessors, for backward analyses
//
// Loop contiguity and dominance compactness exclude each other where a loop has several exits: in h -> {a, b},
// a -> {h, x}, b -> {h, y} the loop is {h, a, b}, a dominates x and b dominates y, but only one block can be the loop's
// last. Contiguity wins here.
//
// To make many orders without allocating, keep a dense::order_maker and a priority_order:
//
//   order.recompute(g, make.dominance_compact(g));     // g is a csr_graph
//
// Literature: G. Diamos et al., SIMD re-convergence at thread frontiers (2011), section 4; S. Moll, S. Hack, Partial
// control-flow linearization (2018) for compactness of block orders.
#pragma once

#include <simtflow/analysis/dense/priorities.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/priority_order.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/argument.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/graph/traits.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Listed-order reverse post-order (order.hpp): topological up to retreating edges (on reducible graphs: topological),
/// not loop-contiguous in general. The order of the thread frontiers paper. O(blocks + edges).
template <graph_argument G>
[[nodiscard]] constexpr priority_order<graph_t<G>> reverse_post_order(G&& g) {
  dense::order_maker make;
  return priority_order<graph_t<G>>(g, make.reverse_post_order(detail::kept_shape<graph_t<G>>().of(g)));
}

/// Listed-order post-order: the reverse of reverse_post_order. For backward analyses; no good priority for threads.
/// O(blocks + edges).
template <graph_argument G>
[[nodiscard]] constexpr priority_order<graph_t<G>> post_order(G&& g) {
  dense::order_maker make;
  return priority_order<graph_t<G>>(g, make.post_order(detail::kept_shape<graph_t<G>>().of(g)));
}

/// The loop-contiguous order: topological and loop-contiguous on every graph, the header first in each loop. Within a
/// loop (inner loops taken as single elements) and outside of all loops the blocks keep their listed-order RPO, so an
/// RPO that is loop-contiguous already is the answer. For irreducible loops "the way back" is the edges into the header
/// that the loop forest chose. Unreachable blocks are not listed; an empty graph has an empty order.
/// Complexity: near-linear in blocks and edges; no recursion.
/// \pre check_adapter<G>() holds; g outlives the result (a csr_graph need not).
/// Errors: a successor with an index out of range is a contract violation; validate(g) names such an edge beforehand.
/// \snippet reference_test.cpp loop_contiguous_order
template <graph_argument G>
[[nodiscard]] constexpr priority_order<graph_t<G>> loop_contiguous_order(G&& g) {
  dense::order_maker make;
  return priority_order<graph_t<G>>(g, make.loop_contiguous(detail::kept_shape<graph_t<G>>().of(g)));
}

/// The same from an existing loop forest. \pre the forest is of g. O(blocks).
template <graph_argument G>
[[nodiscard]] constexpr priority_order<graph_t<G>> loop_contiguous_order(G&& g, const loop_forest<graph_t<G>>& loops) {
  SIMTFLOW_EXPECTS(loops.ids().num_blocks() == static_cast<std::size_t>(graph_traits<graph_t<G>>::num_vertices(g)),
                   "the loop forest is of this graph");
  dense::order_maker make;
  return priority_order<graph_t<G>>(g, make.loop_contiguous(loops.ids()));
}

/// The dominance-compact order: topological and loop-contiguous on every graph.
///
/// On a reducible graph, the blocks that v dominates are neighbours if and only if the following holds for every loop L
/// that contains v, is not headed by v, and has a block outside it that v dominates: within L, the blocks that v
/// dominates come last. So they always are neighbours if v dominates nothing outside of the loops around it, and a
/// graph without loops is dominance-compact throughout. If several blocks could be a loop's last, one is chosen that
/// dominates a way out. That serves as many blocks as possible in nearly every case, and all if all can be served
/// (compared with every topological and loop-contiguous order of all reducible graphs of up to four blocks and of
/// random ones of up to seven). On irreducible graphs the same walk takes the header in place of dominators outside the
/// loop. Near-linear in blocks and edges.
template <graph_argument G>
[[nodiscard]] constexpr priority_order<graph_t<G>> dominance_compact_order(G&& g) {
  dense::order_maker make;
  return priority_order<graph_t<G>>(g, make.dominance_compact(detail::kept_shape<graph_t<G>>().of(g)));
}

/// The loop-contiguous order with the blocks that hold a barrier moved down, so that threads which arrive at a barrier
/// wait for the others. The barrier is the end of its block. `barriers`: by dense block id, non-zero = holds one; empty
/// = no block does.
///
/// The rules promise the following if a waiting block of highest priority runs and a thread passes a barrier only
/// together with all of its warp:
///   below_all       when a barrier block is chosen, no thread waits at a block without a barrier. So if all threads of
///                   the warp that have not ended come to the same barriers in the same order, all of them stand at
///                   this one; threads may end early. (Between two barriers a thread passes only blocks without one.)
///   below_sources   the same if no thread ends while others go to another barrier: a thread that waits elsewhere has
///                   the chosen barrier still to come and reaches it without passing another, so stands above it.
///   below_reaching  implies below_sources. It is the paper's rule ("below every block that can reach it"), which no
///                   order meets for two barriers on one cycle: see unsatisfiable_barrier_pairs.
///
/// Blocks without a barrier keep their loop-contiguous order, so edges between them stay topological. below_all: all
/// barriers come last, in loop-contiguous order among themselves. By the other rules a barrier leaves its place only if
/// the rule demands it, goes down no further than the rule and the loops there demand, and never comes to stand within
/// a loop that is not around it: the blocks of a loop remain neighbours except for its own barriers that moved after
/// it. Near-linear in blocks and edges, plus barriers x loop depth.
template <graph_argument G>
[[nodiscard]] constexpr priority_order<graph_t<G>> barrier_aware_order(G&& g, std::span<const unsigned char> barriers,
                                                                       barrier_rule rule = barrier_rule::below_all) {
  dense::order_maker make;
  return priority_order<graph_t<G>>(g, make.barrier_aware(detail::kept_shape<graph_t<G>>().of(g), barriers, rule));
}

/// The same from a predicate of vertices, which is asked once for every vertex that the entry reaches.
template <graph_argument G, class IsBarrier>
  requires requires(IsBarrier& is_barrier, const vertex_t<graph_t<G>>& v) { is_barrier(v) ? 0 : 0; }
[[nodiscard]] constexpr priority_order<graph_t<G>> barrier_aware_order(G&& g, IsBarrier&& is_barrier,
                                                                       barrier_rule rule = barrier_rule::below_all) {
  detail::kept_shape<graph_t<G>> kept;
  const csr_graph& shape = kept.of(g);
  dense::order_maker make;
  std::vector<unsigned char> barriers;
  barriers.assign(shape.num_blocks(), 0);
  for (const block_id b : make.reverse_post_order(shape))
    barriers[b] = is_barrier(graph_traits<graph_t<G>>::vertex_at(g, b)) ? 1 : 0;
  return priority_order<graph_t<G>>(g, make.barrier_aware(shape, std::span<const unsigned char>(barriers), rule));
}

/// GPU Ocelot's order (its last version, 2013), for comparison with its figures. A tree grows from the virtual exit
/// against the edges, each block under the successor with the longest way found to the exit; then numbers are given
/// from the exit up: before a block the blocks it dominates that wait for a number, after it the blocks below it in the
/// tree, first the one that falls through to it. The last number is the highest priority.
///
/// Not topological: forward edges may lead to a higher priority, and loop headers may stand below their bodies. In
/// places that depend on the data structures of the original, exits are taken by ascending id, predecessors by
/// ascending edge id, and dominated blocks that wait by their place in the dominator tree, the last one first. The last
/// slot of a branch falls through; the only slot of another block does if its target has the next id. Blocks that reach
/// no exit have no place in the original; here they follow in RPO, below all others. O(blocks x (blocks + edges)) at
/// worst: trees are moved and searched block by block.
template <graph_argument G>
[[nodiscard]] constexpr priority_order<graph_t<G>> exit_distance_order(G&& g) {
  dense::order_maker make;
  return priority_order<graph_t<G>>(g, make.exit_distance(detail::kept_shape<graph_t<G>>().of(g)));
}

}  // namespace v0
}  // namespace simtflow
