// SPDX-License-Identifier: BSL-1.0
//
// Is a graph structured? By reduction: every reachable block is a node; all control ends in one more node, the virtual
// exit; parallel edges count once. As long as one of these applies, apply it (node a is not node b, and the program's
// entry has an edge from outside):
//
//   self loop   a -> a: the edge goes
//   sequence    a has one successor b, b has one predecessor: b becomes part of a, which takes b's successors
//   while       the only predecessor and the only successor of b is a: b becomes part of a
//   branch      a has two or more successors; all but the join are *arms*: blocks whose only predecessor is a and whose
//               only successor is the join (if-then, if-then-else, switch): the arms become part of a, which is left
//               with one edge to the join
//
// The order does not matter for what is left. The graph is *structured* if one node is left; the number of nodes left
// is the structural residue. A break, a continue from inside another statement, a switch with a case that falls into
// the next, and a short-circuited condition with an else are not structured in this sense; loop_breaks::to_one_block
// makes an exception for the first. What is in the way of structure, and where, is for unstructured.hpp to say.
//
// Construction: a worklist; of a branch only its first two successors are watched until they agree on a join (then no
// other join is possible), so that a branch is scanned once; a merge looks at the shorter of two lists of edges.
//
// Literature: M. Sharir, Structural analysis: a new approach to flow analysis in optimizing compilers (1980); F. Zhang,
// E. D'Hollander, Using hammock graphs to structure programs (2004).
#pragma once

#include <simtflow/analysis/dense/structure.hpp>
#include <simtflow/analysis/vertex_map.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>

#include <cstddef>
#include <optional>

namespace simtflow {
inline namespace v0 {

/// What is left of a graph when everything structured in it is reduced, as defined at the top of this header.
///
/// Every node that is left is a set of blocks that is entered at one of them, its head. The virtual exit counts as a
/// node if it is left as one (with two or more ways to end in what is left), so that a graph has the same residue as
/// with_virtual_exit of it, and as many as with a sentinel block of one's own. Unreachable blocks are in no node.
template <flow_graph G = csr_graph>
class structural_reduction {
 public:
  using vertex = vertex_t<G>;                           ///< the graph's own vertex type
  using range = typename detail::vertex_map<G>::range;  ///< vertex_range<G>; for a csr_graph a span of block ids

  /// \pre check_adapter<G>(); g outlives the result (a csr_graph need not).
  /// Complexity: near-linear in blocks and edges; no recursion.
  constexpr explicit structural_reduction(const G& g, structure_options options = {}) : map_(g) {
    index_.compute(shape_.of(g), options);
  }
  structural_reduction(const G&&, structure_options = {}) requires detail::keeps_pointer<G>
  = delete;

  /// Reduces g (the same graph, changed, or another), reusing every buffer.
  constexpr void recompute(const G& g, structure_options options = {}) {
    map_ = detail::vertex_map<G>(g);
    index_.compute(shape_.of(g), options);
  }
  void recompute(const G&&, structure_options = {}) requires detail::keeps_pointer<G>
  = delete;

  /// At most one node is left: exactly one, unless the graph is empty. O(1).
  [[nodiscard]] constexpr bool is_structured() const { return index_.residue() <= 1; }
  /// The number of nodes left, the virtual exit included if it is one of them; 0 for an empty graph. O(1).
  [[nodiscard]] constexpr std::size_t residue() const { return index_.residue(); }
  /// The virtual exit is a node of its own in what is left. O(1).
  [[nodiscard]] constexpr bool exit_left() const { return index_.exit_left(); }
  /// The heads of the nodes left, by ascending index; the virtual exit is not listed.
  [[nodiscard]] constexpr range heads() const& { return map_.over(index_.heads()); }
  range heads() const&& = delete;
  /// The head of the node that v has become part of; empty for unreachable v. O(1).
  [[nodiscard]] constexpr std::optional<vertex> head_of(const vertex& v) const {
    return map_.maybe(index_.head_of(map_.index(v)));
  }
  /// The same in dense block ids.
  [[nodiscard]] constexpr const detail::structure_index<>& ids() const& { return index_; }
  const detail::structure_index<>& ids() const&& = delete;

 private:
  detail::vertex_map<G> map_;
  detail::kept_shape<G> shape_;
  detail::structure_index<> index_;
};

/// What is left of g when everything structured in it is reduced.
template <flow_graph G>
[[nodiscard]] constexpr structural_reduction<G> reduce_structure(const G& g, structure_options options = {}) {
  return structural_reduction<G>(g, options);
}
template <detail::keeps_pointer G>
structural_reduction<G> reduce_structure(const G&&, structure_options = {}) = delete;

/// The number of nodes left of g; 1 for a structured graph, 0 for an empty one.
template <flow_graph G>
[[nodiscard]] constexpr std::size_t structural_residue(const G& g, structure_options options = {}) {
  detail::structure_index<> index;
  index.compute(detail::shape_of(g), options);
  return index.residue();
}

/// g reduces to one node (or is empty).
template <flow_graph G>
[[nodiscard]] constexpr bool is_structured(const G& g, structure_options options = {}) {
  return structural_residue(g, options) <= 1;
}

}  // namespace v0
}  // namespace simtflow
