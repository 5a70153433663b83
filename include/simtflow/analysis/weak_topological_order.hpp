// SPDX-License-Identifier: BSL-1.0
//
// Weak topological orders: an order of visits to a graph with cycles in which a fixpoint settles inner cycles before
// outer cycles. A hierarchical order is a sequence of blocks with well-nested parentheses around *components*; the
// first block of a component is its *head*: 0 (1 2 (3 4) 5) 6. It is a weak topological order if for every edge u -> v
//
//   v stands after u and is not the head of a component that contains u, or
//   v stands before u or is u, and is the head of a component that contains u.
//
// So every cycle passes through a head: widening at heads alone makes any iteration end. Here the components are the
// loops of the loop nesting forest (loops.hpp), irreducible ones included, and the heads their headers. Within a
// component and outside of all, blocks keep their listed-order RPO, an inner component standing where its head stands;
// without cycles the order is the RPO.
//
// Proof that this order is a weak topological order. A retreating edge u -> v leads to an ancestor v of u in the
// depth-first tree. No block of the cycle that it makes with the tree path from v to u comes before v in RPO, so no
// header cuts it until v is the header: then the loop contains u. Every other edge leads forward in RPO, and in this
// order as well. If it enters a loop, it comes from before the header, because a block between the header and a block
// of the loop with an edge to the latter is in the loop.
//
// Literature: F. Bourdoncle, Efficient chaotic iteration strategies with widenings (1993), with a recursive algorithm
// that finds another such order in time blocks x nesting depth; G. Ramalingam, On loops, dominators, and dominance
// frontiers (2002) for the forest.
#pragma once

#include <simtflow/analysis/analysis_result.hpp>
#include <simtflow/analysis/dense/weak_topological_order.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/argument.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace simtflow {
inline namespace v0 {

/// A weak topological order of the blocks that the entry reaches, the entry first, as a flat sequence of steps that
/// needs no recursion:
///
///   for (std::size_t i = 0; i < wto.num_steps();) {
///     const auto step = wto.step(i);
///     if (step.kind != wto_step_kind::end) { visit(step.block); ++i; }
///     else if (stable(step.block)) ++i;
///     else i = step.match;
///   }
///
/// Unreachable vertices are not in it. Parallel edges have no effect; a self loop makes a component of one block.
template <flow_graph G = csr_graph>
class weak_topological_order : public analysis_result<G, dense::weak_topological_order> {
  using base = analysis_result<G, dense::weak_topological_order>;
  using base::map_, base::dense_;

 public:
  using typename base::range;
  using typename base::vertex;

  /// \pre check_adapter<G>(); g outlives the order (a csr_graph need not).
  /// Complexity: near-linear in blocks and edges, as for loop_forest; no recursion.
  constexpr explicit weak_topological_order(graph_ref<G> g) { this->compute(g); }
  /// The same from a loop forest of g. Linear in the blocks.
  /// \pre the loops cut every cycle: a forest of natural loops is of a reducible graph.
  constexpr weak_topological_order(graph_ref<G> g, const loop_forest<G>& loops) {
    SIMTFLOW_EXPECTS(loops.ids().num_blocks() == static_cast<std::size_t>(graph_traits<G>::num_vertices(g.get())),
                     "the loop forest is of this graph");
    map_ = detail::vertex_map<G>(g.get());
    dense_.arrange(loops.ids());
  }

  /// Number of steps: one for each reachable block and one more for each component.
  [[nodiscard]] constexpr std::size_t num_steps() const { return dense_.steps().size(); }
  /// \pre i < num_steps(). O(1).
  [[nodiscard]] constexpr wto_step<vertex> step(std::size_t i) const {
    SIMTFLOW_EXPECTS(i < num_steps(), "a step of this order");
    const wto_step<block_id>& s = dense_.steps()[i];
    return {s.kind, map_.at(s.block), s.match};
  }
  /// The step that visits v; empty for unreachable v. O(1).
  [[nodiscard]] constexpr std::optional<std::uint32_t> place(const vertex& v) const {
    const std::uint32_t at = dense_.place(map_.index(v));
    if (at >= num_steps()) return std::nullopt;
    return at;
  }
  /// The reachable vertices in this order: the loop-contiguous order of priorities.hpp.
  [[nodiscard]] constexpr range blocks() const& { return map_.over(dense_.order()); }
  range blocks() const&& = delete;
  /// The heads in this order: the blocks at which to widen.
  [[nodiscard]] constexpr range heads() const& { return map_.over(dense_.heads()); }
  range heads() const&& = delete;
  /// True if v is the head of a component. O(1).
  [[nodiscard]] constexpr bool is_head(const vertex& v) const { return dense_.is_head(map_.index(v)); }
  /// True if v is in the component of `head`, perhaps in an inner component. False if `head` is no head. O(1).
  [[nodiscard]] constexpr bool contains(const vertex& head, const vertex& v) const {
    const block_id h = map_.index(head);
    const std::uint32_t at = dense_.place(map_.index(v));
    return dense_.is_head(h) && at >= dense_.place(h) && at < dense_.steps()[dense_.place(h)].match;
  }
};

/// `weak_topological_order wto(g)`.
template <flow_graph G>
explicit weak_topological_order(const G&) -> weak_topological_order<G>;
/// `weak_topological_order wto(g, loops)`.
template <flow_graph G>
weak_topological_order(const G&, const loop_forest<G>&) -> weak_topological_order<G>;

}  // namespace v0
}  // namespace simtflow
