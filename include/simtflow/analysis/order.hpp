// SPDX-License-Identifier: BSL-1.0
//
// Depth-first orders. One search from the entry takes the successors of every block in slot order; everything here
// follows from it:
//
//   preorder       blocks in the order in which the search enters them
//   postorder      blocks in the order in which it leaves them
//   rpo            the reverse of the postorder. On an acyclic graph a topological order; in general every edge that
//                  goes against it is a back edge. "Listed-order RPO": two searches that take successors in different
//                  orders give different RPOs, so the order of the slots is part of the definition.
//   edge kinds     tree (the search entered its target through it), forward (to a proper descendant, not tree), back
//                  (to a block that is still open: an ancestor or the block itself; also called retreating), cross
//
// Literature: R. Tarjan, Depth-first search and linear graph algorithms (1972).
#pragma once

#include <simtflow/analysis/analysis_result.hpp>
#include <simtflow/analysis/dense/order.hpp>
#include <simtflow/graph/argument.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>

#include <cstdint>
#include <optional>

namespace simtflow {
inline namespace v0 {

/// Everything one depth-first search tells. Questions take and answer vertices of G.
///
/// Unreachable blocks: no_number for every number, in none of the orders, no parent, their edges are of kind
/// `unreachable`. An empty graph gives empty orders. Parallel edges: the first is the tree edge, the others are forward
/// edges. A self loop is a back edge.
/// Complexity: every question O(1); construction O(blocks + edges) time and space, no recursion.
template <flow_graph G = csr_graph>
class depth_first_order : public analysis_result<G, dense::depth_first_order> {
  using base = analysis_result<G, dense::depth_first_order>;
  using base::map_, base::dense_;

 public:
  using typename base::range;
  using typename base::vertex;

  /// \pre check_adapter<G>(); g outlives the result (a csr_graph need not).
  constexpr explicit depth_first_order(graph_ref<G> g) { this->compute(g); }

  /// The reachable blocks in the order in which the search finds them; the entry is the first.
  [[nodiscard]] constexpr range preorder() const& { return map_.over(dense_.preorder()); }
  range preorder() const&& = delete;
  /// The reachable blocks in the order in which the search is done with them; the entry is the last.
  [[nodiscard]] constexpr range postorder() const& { return map_.over(dense_.postorder()); }
  range postorder() const&& = delete;
  /// postorder() backwards: topological but for the back edges; the entry is the first.
  [[nodiscard]] constexpr range rpo() const& { return map_.over(dense_.rpo()); }
  range rpo() const&& = delete;
  /// Position in preorder(); no_number if unreachable.
  [[nodiscard]] constexpr std::uint32_t pre(const vertex& v) const { return dense_.pre(map_.index(v)); }
  /// Position in postorder(); no_number if unreachable.
  [[nodiscard]] constexpr std::uint32_t post(const vertex& v) const { return dense_.post(map_.index(v)); }
  /// Position in rpo(); no_number if unreachable.
  [[nodiscard]] constexpr std::uint32_t rpo_number(const vertex& v) const { return dense_.rpo_number(map_.index(v)); }
  /// The entry reaches v.
  [[nodiscard]] constexpr bool is_reachable(const vertex& v) const { return dense_.is_reachable(map_.index(v)); }
  /// The vertex that the search came from; empty for the entry and for unreachable blocks.
  [[nodiscard]] constexpr std::optional<vertex> parent(const vertex& v) const {
    return map_.maybe(dense_.parent(map_.index(v)));
  }
  /// a is b or an ancestor of b in the search tree; false if either is unreachable.
  [[nodiscard]] constexpr bool is_ancestor(const vertex& a, const vertex& b) const {
    return dense_.is_ancestor(map_.index(a), map_.index(b));
  }
  /// \pre `from` has a successor slot of that number.
  [[nodiscard]] constexpr edge_kind kind(const vertex& from, std::uint32_t slot) const {
    return dense_.kind(map_.index(from), slot);
  }
};

/// `depth_first_order result(g)`.
template <flow_graph G>
explicit depth_first_order(const G&) -> depth_first_order<G>;

/// One depth-first search from the entry, successors in slot order.
/// Blocks that the entry does not reach have no number; an empty graph has an empty order.
/// Complexity: O(blocks + edges); no recursion.
/// \pre check_adapter<G>() holds; g outlives the result (a csr_graph need not).
/// Errors: a successor with an index out of range is a contract violation; validate(g) names such an edge beforehand.
/// \snippet reference_test.cpp depth_first
template <graph_argument G>
[[nodiscard]] constexpr depth_first_order<graph_t<G>> depth_first(G&& g) {
  return depth_first_order<graph_t<G>>(g);
}

}  // namespace v0
}  // namespace simtflow
