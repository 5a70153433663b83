// SPDX-License-Identifier: BSL-1.0
//
// Priorities: a total order of the blocks, highest priority first. A machine that always runs the waiting block of
// highest priority joins threads well if the order meets two conditions:
//
//   topological       every edge that is no loop's way back to its header leads to a lower priority
//   loop-contiguous   the blocks of every loop (of the loop forest) are neighbours: a thread that has left the loop
//                     waits behind it until all others have left as well
//
// and a third that linearization of code asks for:
//
//   dominance-compact the blocks that a block dominates are neighbours
//
// The orders, and what each promises on every graph, irreducible ones and endless loops included:
//
//   reverse_post_order        topological up to retreating edges. May number a loop's exit before its body; then every
//                             thread that leaves runs the rest of the program alone.
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
// Literature: G. Diamos et al., SIMD re-convergence at thread frontiers (2011), section 4; S. Moll, S. Hack, Partial
// control-flow linearization (2018) for compactness of block orders.
#pragma once

#include <simtflow/analysis/dense/priorities.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/order.hpp>
#include <simtflow/analysis/priority_order.hpp>
#include <simtflow/analysis/vertex_map.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Makes orders again and again, for one graph or for many: every buffer is reused, so that for a csr_graph nothing is
/// allocated once they have grown. Each function is the free function of (nearly) the same name; what it returns is
/// overwritten by the next call.
template <flow_graph G = csr_graph>
class priority_maker {
 public:
  /// simtflow::reverse_post_order(g).
  constexpr const priority_order<G>& reverse_post_order(const G& g) & {
    maker_.reverse_post_order(detail::shape_of(g));
    return keep(g);
  }
  const priority_order<G>& reverse_post_order(const G&&) & requires detail::keeps_pointer<G>
  = delete;
  /// simtflow::post_order(g).
  constexpr const priority_order<G>& post_order(const G& g) & {
    maker_.post_order(detail::shape_of(g));
    return keep(g);
  }
  const priority_order<G>& post_order(const G&&) & requires detail::keeps_pointer<G>
  = delete;
  /// simtflow::loop_contiguous_order(g).
  constexpr const priority_order<G>& loop_contiguous(const G& g) & {
    maker_.loop_contiguous(detail::shape_of(g));
    return keep(g);
  }
  const priority_order<G>& loop_contiguous(const G&&) & requires detail::keeps_pointer<G>
  = delete;
  /// \pre the loop forest is of g.
  constexpr const priority_order<G>& loop_contiguous(const G& g, const loop_forest<G>& loops) & {
    SIMTFLOW_EXPECTS(loops.ids().num_blocks() == static_cast<std::size_t>(graph_traits<G>::num_vertices(g)),
                     "the loop forest is of this graph");
    maker_.loop_contiguous(loops.ids());
    return keep(g);
  }
  const priority_order<G>& loop_contiguous(const G&&, const loop_forest<G>&) & requires detail::keeps_pointer<G>
  = delete;
  /// simtflow::dominance_compact_order(g).
  constexpr const priority_order<G>& dominance_compact(const G& g) & {
    maker_.dominance_compact(detail::shape_of(g));
    return keep(g);
  }
  const priority_order<G>& dominance_compact(const G&&) & requires detail::keeps_pointer<G>
  = delete;
  /// simtflow::barrier_aware_order(g, barriers, rule).
  constexpr const priority_order<G>& barrier_aware(const G& g, std::span<const unsigned char> barriers,
                                                   barrier_rule rule = barrier_rule::below_all) & {
    SIMTFLOW_EXPECTS(barriers.empty() || barriers.size() == static_cast<std::size_t>(graph_traits<G>::num_vertices(g)),
                     "one barrier flag per block, or none");
    maker_.barrier_aware(detail::shape_of(g), barriers, rule);
    return keep(g);
  }
  const priority_order<G>& barrier_aware(const G&&, std::span<const unsigned char>,
                                         barrier_rule = barrier_rule::below_all) &
      requires detail::keeps_pointer<G>
  = delete;
  /// simtflow::exit_distance_order(g).
  constexpr const priority_order<G>& exit_distance(const G& g) & {
    maker_.exit_distance(detail::shape_of(g));
    return keep(g);
  }
  const priority_order<G>& exit_distance(const G&&) & requires detail::keeps_pointer<G>
  = delete;

 private:
  constexpr const priority_order<G>& keep(const G& g) {
    if (order_) {
      order_->recompute(g, maker_.listed());
    } else {
      order_.emplace(g, maker_.listed());
    }
    return *order_;
  }

  detail::order_maker<> maker_;
  std::optional<priority_order<G>> order_;
};

/// Listed-order reverse post-order (order.hpp): topological up to retreating edges (on reducible graphs: topological),
/// not loop-contiguous in general. The order of the thread frontiers paper. O(blocks + edges).
template <flow_graph G>
[[nodiscard]] constexpr priority_order<G> reverse_post_order(const G& g) {
  detail::depth_first_index<> dfs;
  dfs.recompute(detail::shape_of(g));
  return priority_order<G>(g, dfs.rpo());
}
template <detail::keeps_pointer G>
priority_order<G> reverse_post_order(const G&&) = delete;

/// Listed-order post-order: the reverse of the above. For backward analyses; no good priority for threads.
/// O(blocks + edges).
template <flow_graph G>
[[nodiscard]] constexpr priority_order<G> post_order(const G& g) {
  detail::depth_first_index<> dfs;
  dfs.recompute(detail::shape_of(g));
  return priority_order<G>(g, dfs.postorder());
}
template <detail::keeps_pointer G>
priority_order<G> post_order(const G&&) = delete;

/// The loop-contiguous order: topological and loop-contiguous on every graph, the header first in each loop. Within a
/// loop (inner loops taken as single elements) and outside of all loops the blocks keep their listed-order RPO, so that
/// an RPO which is loop-contiguous already is the answer. For irreducible loops "the way back" is the edges into the
/// header that the loop forest chose.
/// Near-linear in blocks and edges.
template <flow_graph G>
[[nodiscard]] constexpr priority_order<G> loop_contiguous_order(const G& g) {
  detail::order_maker<> maker;
  maker.loop_contiguous(detail::shape_of(g));
  return priority_order<G>(g, maker.listed());
}
template <detail::keeps_pointer G>
priority_order<G> loop_contiguous_order(const G&&) = delete;

/// The same from a loop forest of g that is there already.
template <flow_graph G>
[[nodiscard]] constexpr priority_order<G> loop_contiguous_order(const G& g, const loop_forest<G>& loops) {
  SIMTFLOW_EXPECTS(loops.ids().num_blocks() == static_cast<std::size_t>(graph_traits<G>::num_vertices(g)),
                   "the loop forest is of this graph");
  detail::order_maker<> maker;
  maker.loop_contiguous(loops.ids());
  return priority_order<G>(g, maker.listed());
}
template <detail::keeps_pointer G>
priority_order<G> loop_contiguous_order(const G&&, const loop_forest<G>&) = delete;

/// Topological and loop-contiguous on every graph. On reducible graphs the blocks that v dominates are neighbours if
/// and only if for every loop L around v that v does not head and from which v dominates a block outside: the blocks of
/// L that v dominates are the last ones of L. So they always are if v dominates nothing outside of the loops around it,
/// and a graph without loops is dominance-compact throughout. Of several blocks that could be a loop's last, one that
/// dominates a way out is; that serves as many blocks as can be served in nearly every case, and all where all can be
/// (compared with every topological and loop-contiguous order of all reducible graphs of up to four blocks and of
/// random ones of up to seven). On irreducible graphs the same walk is taken with the header in place of dominators
/// outside the loop. Near-linear in blocks and edges.
template <flow_graph G>
[[nodiscard]] constexpr priority_order<G> dominance_compact_order(const G& g) {
  detail::order_maker<> maker;
  maker.dominance_compact(detail::shape_of(g));
  return priority_order<G>(g, maker.listed());
}
template <detail::keeps_pointer G>
priority_order<G> dominance_compact_order(const G&&) = delete;

/// The loop-contiguous order with the blocks that hold a barrier moved down, so that threads which arrive at a barrier
/// wait for the others. The barrier is the end of its block. `barriers`: by dense block id, non-zero = holds one; empty
/// = none does.
///
/// What holds, if a waiting block of highest priority runs and a thread that has passed a barrier does so together with
/// all of its warp:
///   below_all       when a barrier block is chosen, no thread waits at a block without a barrier. So if all threads of
///                   the warp that have not ended come to the same barriers in the same order, all of them stand at
///                   this one; threads may end early. (Between two barriers a thread passes only blocks without one.)
///   below_sources   the same if no thread ends while others go to another barrier: whoever waits elsewhere has the
///                   chosen barrier still to come and reaches it without passing another, so stands above it.
///   below_reaching  implies below_sources. It is the paper's rule ("below every block that can reach it"), which no
///                   order meets for two barriers on one cycle: see unsatisfiable_barrier_pairs.
///
/// Blocks without a barrier keep their loop-contiguous order, so edges between them stay topological. below_all: all
/// barriers come last, in loop-contiguous order among themselves. The others: a barrier leaves its place only if the
/// rule demands it, goes down no further than the rule and the loops there demand, and never comes to stand within a
/// loop that is not around it: the blocks of a loop remain neighbours but for its own barriers that moved behind it.
/// Near-linear in blocks and edges, plus barriers x loop depth.
template <flow_graph G>
[[nodiscard]] constexpr priority_order<G> barrier_aware_order(const G& g, std::span<const unsigned char> barriers,
                                                              barrier_rule rule = barrier_rule::below_all) {
  SIMTFLOW_EXPECTS(barriers.empty() || barriers.size() == static_cast<std::size_t>(graph_traits<G>::num_vertices(g)),
                   "one barrier flag per block, or none");
  detail::order_maker<> maker;
  maker.barrier_aware(detail::shape_of(g), barriers, rule);
  return priority_order<G>(g, maker.listed());
}
template <detail::keeps_pointer G>
priority_order<G> barrier_aware_order(const G&&, std::span<const unsigned char>,
                                      barrier_rule = barrier_rule::below_all) = delete;

/// The same from a predicate of vertices; it is asked once for every vertex that the entry reaches.
template <flow_graph G, class IsBarrier>
  requires requires(IsBarrier& is_barrier, const vertex_t<G>& v) { is_barrier(v) ? 0 : 0; }
[[nodiscard]] constexpr priority_order<G> barrier_aware_order(const G& g, IsBarrier&& is_barrier,
                                                              barrier_rule rule = barrier_rule::below_all) {
  const csr_graph& shape = detail::shape_of(g);
  detail::order_maker<> maker;
  maker.reverse_post_order(shape);
  std::vector<unsigned char> barriers;
  barriers.assign(shape.num_blocks(), 0);
  for (const block_id b : maker.listed()) barriers[b] = is_barrier(graph_traits<G>::vertex_at(g, b)) ? 1 : 0;
  maker.barrier_aware(shape, std::span<const unsigned char>(barriers), rule);
  return priority_order<G>(g, maker.listed());
}
template <detail::keeps_pointer G, class IsBarrier>
  requires requires(IsBarrier& is_barrier, const vertex_t<G>& v) { is_barrier(v) ? 0 : 0; }
priority_order<G> barrier_aware_order(const G&&, IsBarrier&&, barrier_rule = barrier_rule::below_all) = delete;

/// GPU Ocelot's order (its last version, 2013), for comparison with its figures. A tree grows from the virtual exit
/// against the edges, each block under the successor with the longest way found to the exit; then numbers are given
/// from the exit up: before a block the blocks it dominates that wait for a number, after it those below it in the
/// tree, the one that falls through to it first. The last number is the highest priority.
///
/// Not topological: forward edges may lead to a higher priority, and loop headers may stand below their bodies. Where
/// the original depends on its data structures: exits are taken by ascending id, predecessors by ascending edge id, and
/// dominated blocks that wait by their place in the dominator tree, the last one first. The last slot of a branch falls
/// through, the only slot of another block if its target has the next id. Blocks that reach no exit have no place in
/// the original; here they follow in RPO, below all others. O(blocks x (blocks + edges)) at worst: trees are moved and
/// searched block by block.
template <flow_graph G>
[[nodiscard]] constexpr priority_order<G> exit_distance_order(const G& g) {
  detail::order_maker<> maker;
  maker.exit_distance(detail::shape_of(g));
  return priority_order<G>(g, maker.listed());
}
template <detail::keeps_pointer G>
priority_order<G> exit_distance_order(const G&&) = delete;

}  // namespace v0
}  // namespace simtflow
