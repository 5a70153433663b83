// SPDX-License-Identifier: BSL-1.0
//
// Whether a graph is structured, by reduction. Every reachable block is a node; all control ends in one more node, the
// virtual exit; parallel edges count once. The reduction applies these rules as long as one of them applies (node a is
// not node b, and the program's entry has an edge from outside):
//
//   self loop   a -> a: the edge goes
//   sequence    a has one successor b, b has one predecessor: b becomes part of a, which takes the successors of b
//   while       the only predecessor and the only successor of b is a: b becomes part of a
//   branch      a has two or more successors, and all but the join are *arms*: blocks with a as their only predecessor
//               and the join as their only successor (if-then, if-then-else, switch). The arms become part of a, and a
//               keeps one edge to the join
//
// The order of the rules does not matter for the nodes that are left. The graph is *structured* if one node is left;
// the number of nodes left is the structural residue. Four statements are not structured in this sense: a break, a
// continue from inside another statement, a switch with a case that falls into the next one, and a short-circuited
// condition with an else. loop_breaks::to_one_block makes an exception for the first. unstructured.hpp tells what is in
// the way of structure, and where.
//
// Construction: a worklist. Only the first two successors of a branch are watched until they agree on a join (no other
// join is possible then), so a branch is scanned once; a merge looks at the shorter of two lists of edges.
//
// Literature: M. Sharir, Structural analysis: a new approach to flow analysis in optimizing compilers (1980); F. Zhang,
// E. D'Hollander, Using hammock graphs to structure programs (2004).
#pragma once

#include <simtflow/analysis/analysis_result.hpp>
#include <simtflow/analysis/dense/structure.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/argument.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/graph/traits.hpp>

#include <cstddef>
#include <optional>

namespace simtflow {
inline namespace v0 {

/// The nodes that are left of a graph when everything structured in it is reduced, as defined at the top of this
/// header.
///
/// Every node that is left is a set of blocks with one entry, its head. The virtual exit counts as a node if it is left
/// as one (with two or more ways to end in the nodes that are left), so a graph has the same residue as
/// with_virtual_exit of it, and as with a sentinel block of one's own. Unreachable blocks are in no node.
template <flow_graph G = csr_graph>
class structural_reduction : public analysis_result<G, dense::structural_reduction> {
  using base = analysis_result<G, dense::structural_reduction>;
  using base::map_, base::dense_;

 public:
  using typename base::range;
  using typename base::vertex;

  /// \pre check_adapter<G>(); g outlives the result (a csr_graph need not).
  /// Complexity: near-linear in blocks and edges; no recursion.
  constexpr explicit structural_reduction(graph_ref<G> g, structure_options options = {}) { recompute(g, options); }

  /// Reduces g (the same graph, changed, or another) and reuses every buffer. Complexity: as the constructor.
  constexpr void recompute(graph_ref<G> g, structure_options options = {}) { this->compute(g, options); }

  /// True if at most one node is left: exactly one, unless the graph is empty. O(1).
  [[nodiscard]] constexpr bool is_structured() const { return dense_.residue() <= 1; }
  /// The number of nodes left, the virtual exit included if it is one of them; 0 for an empty graph. O(1).
  [[nodiscard]] constexpr std::size_t residue() const { return dense_.residue(); }
  /// True if the virtual exit is left as a node of its own. O(1).
  [[nodiscard]] constexpr bool exit_left() const { return dense_.exit_left(); }
  /// The heads of the nodes left, by ascending index, without the virtual exit. O(1).
  [[nodiscard]] constexpr range heads() const& { return map_.over(dense_.heads()); }
  range heads() const&& = delete;
  /// The head of the node that v has become part of; empty for unreachable v. O(1).
  [[nodiscard]] constexpr std::optional<vertex> head_of(const vertex& v) const {
    return map_.maybe(dense_.head_of(map_.index(v)));
  }
};

/// `structural_reduction reduction(g)`.
template <flow_graph G>
explicit structural_reduction(const G&, structure_options = {}) -> structural_reduction<G>;

/// Reduces everything structured in g. Complexity: near-linear in blocks and edges.
template <graph_argument G>
[[nodiscard]] constexpr structural_reduction<graph_t<G>> reduce_structure(G&& g, structure_options options = {}) {
  return structural_reduction<graph_t<G>>(g, options);
}

/// The number of nodes left of g; 1 for a structured graph, 0 for an empty graph. Complexity: as reduce_structure.
template <flow_graph G>
[[nodiscard]] constexpr std::size_t structural_residue(const G& g, structure_options options = {}) {
  dense::structural_reduction reduction;
  reduction.recompute(detail::kept_shape<G>().of(g), options);
  return reduction.residue();
}

/// True if g reduces to one node, or is empty. Complexity: as reduce_structure.
template <flow_graph G>
[[nodiscard]] constexpr bool is_structured(const G& g, structure_options options = {}) {
  return structural_residue(g, options) <= 1;
}

}  // namespace v0
}  // namespace simtflow
