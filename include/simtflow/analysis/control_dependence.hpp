// SPDX-License-Identifier: BSL-1.0
//
// Control dependence: the branch edges that decide whether a block runs.
//
//   block b depends on edge (a, slot)   b is the edge's target or post-dominates it, and b does not strictly
//                                       post-dominate a: once a thread takes the edge, it will run b; before that a
//                                       path around b is open.
//   entry region                        the blocks that post-dominate the entry: they run whenever the program runs to
//                                       its end. A block that depends on no edge is in it; a loop in the entry region
//                                       is as well, though its blocks depend on the edges that run them again.
//
// A block of a loop can depend on its own edges: in 0 -> 1, 1 -> {1, 2} block 1 depends on edge (1, 0). A block where
// threads may end (is_exit), or from which a virtual edge leads out of an endless loop, has one way more. So it is a
// branch, but no block depends on that way itself.
//
// Construction: the blocks that depend on an edge a -> t lie on the way up the post-dominator tree from t to the
// immediate post-dominator of a, without the latter. The sources of the edges that b depends on are the post-dominance
// frontier of b (dominance_frontiers.hpp).
//
// All dependences together can be quadratic (n nested loops). control_dependence() stores them;
// control_dependence_query answers from linear memory: b depends on the edges a -> t with t in the subtree of b
// (contiguous if sorted by t in preorder) and an immediate post-dominator of a above b (a comparison of depths).
//
// Literature: J. Ferrante, K. Ottenstein, J. Warren, The program dependence graph and its use in optimization (1987);
// K. Pingali, G. Bilardi, Optimal control dependence computation and the Roman chariots problem (1997).
#pragma once

#include <simtflow/analysis/analysis_result.hpp>
#include <simtflow/analysis/dense/control_dependence.hpp>
#include <simtflow/analysis/detail/sort.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/argument.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/graph/traits.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The control dependences of a graph, in both directions.
///
/// Unreachable blocks depend on nothing and nothing depends on their edges. Endless loops are as the post-dominator
/// tree has them: by default the first block of each is left for the virtual exit as well, so that its own edges decide
/// whether the rest of the loop runs; with infinite_loops::ignore blocks that reach no exit count as unreachable, and
/// an edge into an endless loop has no dependents. Parallel edges count each.
template <flow_graph G = csr_graph>
class control_dependences : public analysis_result<G, dense::control_dependences> {
  using base = analysis_result<G, dense::control_dependences>;
  using base::map_, base::dense_;

 public:
  using typename base::range;
  using typename base::vertex;

  /// \pre the tree was made for g; g outlives the result (a csr_graph need not). The tree is not needed any longer.
  /// Complexity: O(blocks + edges + total_size()); total_size() is at most edges x depth of the tree. No recursion.
  constexpr control_dependences(graph_ref<G> g, const post_dominator_tree<G>& tree) { this->compute(g, tree.ids()); }

  /// Computes the dependences of g (the same graph, changed, or another) and reuses every buffer.
  constexpr void recompute(graph_ref<G> g, const post_dominator_tree<G>& tree) { this->compute(g, tree.ids()); }

  /// The edges that v depends on, by ascending source and slot; `from` is a dense block id. O(1).
  [[nodiscard]] constexpr std::span<const edge> dependences_of(const vertex& v) const& {
    return dense_.dependences_of(map_.index(v));
  }
  std::span<const edge> dependences_of(const vertex&) const&& = delete;
  /// The blocks that depend on edge (v, slot): no block if its target post-dominates v strictly; otherwise the target,
  /// its immediate post-dominator, and so on. \pre v has a successor slot of that number. O(1).
  [[nodiscard]] constexpr range dependents_of(const vertex& v, std::uint32_t slot) const& {
    return map_.over(dense_.dependents_of(map_.index(v), slot));
  }
  range dependents_of(const vertex&, std::uint32_t) const&& = delete;
  /// The blocks that depend on an edge of v, each once: blocks of slot 0, then the new ones of slot 1, and so on. O(1).
  [[nodiscard]] constexpr range dependents_of(const vertex& v) const& {
    return map_.over(dense_.dependents_of(map_.index(v)));
  }
  range dependents_of(const vertex&) const&& = delete;
  /// True if b depends on edge (a, slot). \pre a has a successor slot of that number. O(log edges that b depends on).
  [[nodiscard]] constexpr bool depends(const vertex& b, const vertex& a, std::uint32_t slot) const {
    return dense_.depends(map_.index(b), map_.index(a), slot);
  }
  /// The entry, its immediate post-dominator, and so on up to the virtual exit. Empty for an empty graph and, with
  /// infinite_loops::ignore, for a program that never ends.
  [[nodiscard]] constexpr range entry_region() const& { return map_.over(dense_.entry_region()); }
  range entry_region() const&& = delete;
  /// Number of pairs of a block and an edge that it depends on.
  [[nodiscard]] constexpr std::size_t total_size() const { return dense_.total_size(); }
};

/// `control_dependences result(g, tree)`.
template <flow_graph G>
control_dependences(const G&, const post_dominator_tree<G>&) -> control_dependences<G>;

/// The same answers from linear memory: no dependence is stored, every question is answered from the tree.
template <flow_graph G = csr_graph>
class control_dependence_query {
 public:
  using vertex = vertex_t<G>;  ///< the graph's own vertex type

  /// \pre the tree was made for g, and outlives the query unchanged; so does g (a csr_graph need not).
  /// Complexity: O(blocks + edges), in time and memory.
  constexpr control_dependence_query(graph_ref<G> g, const post_dominator_tree<G>& tree) : map_(g.get()) {
    detail::kept_shape<G> shape;
    dense_.recompute(shape.of(g.get()), tree.ids());
  }
  control_dependence_query(graph_ref<G>, const post_dominator_tree<G>&&) = delete;

  /// As control_dependences::dependences_of. O(log edges), and O(log edges) more for each edge of the answer.
  [[nodiscard]] constexpr std::vector<edge> dependences_of(const vertex& v) const {
    std::vector<edge_id> edges;
    dense_.for_each_dependence(map_.index(v), [&](edge_id e) { edges.push_back(e); });
    detail::sort_ascending(edges);
    std::vector<edge> found;
    for (const edge_id e : edges) found.push_back(dense_.edge_of(e));
    return found;
  }
  /// As control_dependences::dependents_of(v, slot). O(answer). \pre v has a successor slot of that number.
  [[nodiscard]] constexpr std::vector<vertex> dependents_of(const vertex& v, std::uint32_t slot) const {
    std::vector<vertex> found;
    dense_.for_each_dependent(dense_.edge_id_of(map_.index(v), slot), [&](block_id b) { found.push_back(map_.at(b)); });
    return found;
  }
  /// As control_dependences::depends. O(1). \pre a has a successor slot of that number.
  [[nodiscard]] constexpr bool depends(const vertex& b, const vertex& a, std::uint32_t slot) const {
    return dense_.depends(map_.index(b), dense_.edge_id_of(map_.index(a), slot));
  }

 private:
  detail::vertex_map<G> map_;
  dense::control_dependence_query dense_;
};

/// `control_dependence_query result(g, tree)`.
template <flow_graph G>
control_dependence_query(const G&, const post_dominator_tree<G>&) -> control_dependence_query<G>;

/// The control dependences of g as a table: total_size() can be quadratic (see control_dependence_query).
/// \pre the tree was made for g.
template <graph_argument G>
[[nodiscard]] constexpr control_dependences<graph_t<G>> control_dependence(
    G&& g, const post_dominator_tree<graph_t<G>>& tree) {
  return control_dependences<graph_t<G>>(g, tree);
}
/// The control dependences of g, with a post-dominator tree made for this call. Unreachable blocks depend on no branch.
/// Complexity: as for post_dominators(), plus the size of the table, which can be quadratic.
/// \pre check_adapter<G>() holds; g outlives the result (a csr_graph need not).
/// Errors: a successor with an index out of range is a contract violation; validate(g) names such an edge beforehand.
/// \snippet reference_test.cpp control_dependence
template <graph_argument G>
[[nodiscard]] constexpr control_dependences<graph_t<G>> control_dependence(G&& g, post_dominator_options options = {}) {
  return control_dependences<graph_t<G>>(g, post_dominator_tree<graph_t<G>>(g, options));
}

}  // namespace v0
}  // namespace simtflow
