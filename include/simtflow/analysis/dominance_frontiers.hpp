// SPDX-License-Identifier: BSL-1.0
//
// Dominance frontiers: the blocks where the dominance of a block ends.
//
//   frontier            DF(x) = { y : x dominates a predecessor of y and does not strictly dominate y }. A loop header
//                       is in its own frontier, and the entry is in frontiers if an edge leads back to it.
//   iterated frontier   DF+(S) = the least set with DF(x) in it for every x of S and of the set itself. With S = the
//                       blocks that assign a variable these are the blocks that need a phi: every z at which two paths
//                       from different blocks of S, or from one of them and the start of the program, first meet.
//   post-dominance      the same on the reversed graph: y is in the frontier of x if x post-dominates a successor of y
//                       and does not strictly post-dominate y. These are the branches that decide whether x runs
//                       (control_dependence.hpp says by which of their edges).
//
// Frontiers can be quadratic together (n repeat loops in one another: about n^2 / 2 members); dominance_frontier_sets
// holds all of them, in time linear in the edges and the result. iterated_frontier never builds them: a query is linear
// in the graph at worst, and costs only what lies below its blocks.
//
// Construction. Frontiers: only a block with two predecessors or more, or an entry with one, is in any; from each of
// its predecessors walk up the tree to its immediate dominator. Iterated frontiers: an edge b -> z that is not an edge
// of the tree makes z a member of the frontier of every x above b (or b itself) with a level not less than z's level.
// Take the blocks of S and the blocks found from the deepest level up, and look at such edges out of the subtree of
// each. Do not look again at the subtree of a block that was taken before.
//
// Literature: R. Cytron et al., Efficiently computing static single assignment form and the control dependence graph
// (1991); K. Cooper, T. Harvey, K. Kennedy, A simple, fast dominance algorithm (2001); V. Sreedhar, G. Gao, A linear
// time algorithm for placing phi-nodes (1995); M. Wolfe, J+ = J (1994).
#pragma once

#include <simtflow/analysis/analysis_result.hpp>
#include <simtflow/analysis/dense/dominance_frontiers.hpp>
#include <simtflow/analysis/dense/iterated_frontier.hpp>
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/argument.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>

#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {
template <class T, class G>
concept forward_tree = std::same_as<T, dominator_tree<G>> || std::same_as<T, immediate_dominator_map<G>>;
template <class T, class G>
concept frontier_tree = forward_tree<T, G> || std::same_as<T, post_dominator_tree<G>>;
template <class T, class G>
concept whole_tree = std::same_as<T, dominator_tree<G>> || std::same_as<T, post_dominator_tree<G>>;
}  // namespace detail

/// The frontier of every block: dominance frontiers if made with a dominator_tree, post-dominance frontiers if made
/// with a post_dominator_tree.
///
/// Unreachable blocks have an empty frontier and are in no frontier. The virtual exit of a post_dominator_tree is in no
/// frontier, and no question takes it. Threads that end (is_exit) and the virtual edges of endless loops make their
/// block a branch. So with infinite_loops::virtual_edge the first block of an endless loop is in the frontier of the
/// blocks of that loop. With infinite_loops::ignore blocks that reach no exit count as unreachable. Parallel edges have
/// no effect.
template <flow_graph G = csr_graph>
class dominance_frontier_sets : public analysis_result<G, dense::dominance_frontier_sets> {
  using base = analysis_result<G, dense::dominance_frontier_sets>;
  using base::map_, base::dense_;

 public:
  using typename base::range;
  using typename base::vertex;

  /// The tree is a dominator_tree, an immediate_dominator_map or a post_dominator_tree; it need not outlive the call.
  /// \pre the tree was made for g; g outlives the result (a csr_graph need not).
  /// Complexity: O(blocks + edges + total_size()), total_size() <= blocks^2.
  template <detail::frontier_tree<G> Tree>
  constexpr dominance_frontier_sets(graph_ref<G> g, const Tree& tree) {
    this->compute(g, tree.ids());
  }

  /// Computes the frontiers of g (the same graph, changed, or another) and reuses every buffer. The tree decides
  /// whether they are dominance or post-dominance frontiers.
  template <detail::frontier_tree<G> Tree>
  constexpr void recompute(graph_ref<G> g, const Tree& tree) {
    this->compute(g, tree.ids());
  }

  /// The frontier of v by ascending dense id, each block once. O(1).
  [[nodiscard]] constexpr range of(const vertex& v) const& { return map_.over(dense_.of(map_.index(v))); }
  range of(const vertex&) const&& = delete;
  /// Number of blocks in the frontier of v; 0 for unreachable v. O(1).
  [[nodiscard]] constexpr std::size_t size(const vertex& v) const { return dense_.size(map_.index(v)); }
  /// True if x is in the frontier of v. O(log size(v)).
  [[nodiscard]] constexpr bool contains(const vertex& v, const vertex& x) const {
    return dense_.contains(map_.index(v), map_.index(x));
  }
  /// Sum of all sizes.
  [[nodiscard]] constexpr std::size_t total_size() const { return dense_.total_size(); }
  /// The iterated frontier of `blocks` (duplicates and unreachable blocks among them have no effect), by ascending
  /// dense id. O(blocks of the graph / 32 + sizes of the frontiers of `blocks` and of the result); for many queries on
  /// one graph, or frontiers that are large, see iterated_frontier.
  [[nodiscard]] constexpr std::vector<vertex> iterated(std::span<const vertex> blocks) const {
    std::vector<block_id> from, found;
    for (const vertex& v : blocks) from.push_back(map_.index(v));
    dense_.iterated(static_cast<std::vector<block_id>&&>(from), found);
    std::vector<vertex> vertices;
    for (const block_id b : found) vertices.push_back(map_.at(b));
    return vertices;
  }
};

/// `dominance_frontier_sets result(g, tree)`.
template <flow_graph G, class Tree>
dominance_frontier_sets(const G&, const Tree&) -> dominance_frontier_sets<G>;

/// The dominance frontiers of g. The tree is a dominator_tree or an immediate_dominator_map.
/// \pre the tree was made for g. Complexity: O(blocks + edges + total_size()).
template <graph_argument G, detail::forward_tree<graph_t<G>> Tree>
[[nodiscard]] constexpr dominance_frontier_sets<graph_t<G>> dominance_frontiers(G&& g, const Tree& tree) {
  return dominance_frontier_sets<graph_t<G>>(g, tree);
}
/// The dominance frontiers of g, with the immediate dominators made for this call. An unreachable block has an empty
/// frontier, and so has every block of an empty graph.
/// Complexity: as for dominators(), plus the size of the result, which can be quadratic.
/// \pre check_adapter<G>() holds; g outlives the result (a csr_graph need not).
/// Errors: a successor with an index out of range is a contract violation; validate(g) names such an edge beforehand.
/// \snippet reference_test.cpp dominance_frontiers
template <graph_argument G>
[[nodiscard]] constexpr dominance_frontier_sets<graph_t<G>> dominance_frontiers(G&& g) {
  return dominance_frontier_sets<graph_t<G>>(g, immediate_dominator_map<graph_t<G>>(g));
}

/// The post-dominance frontiers of g: for every block the branches that decide whether it runs.
/// \pre the tree was made for g.
template <graph_argument G>
[[nodiscard]] constexpr dominance_frontier_sets<graph_t<G>> post_dominance_frontiers(
    G&& g, const post_dominator_tree<graph_t<G>>& tree) {
  return dominance_frontier_sets<graph_t<G>>(g, tree);
}
/// The same with a post-dominator tree made for this call.
template <graph_argument G>
[[nodiscard]] constexpr dominance_frontier_sets<graph_t<G>> post_dominance_frontiers(
    G&& g, post_dominator_options options = {}) {
  return dominance_frontier_sets<graph_t<G>>(g, post_dominator_tree<graph_t<G>>(g, options));
}

/// Finds the iterated frontier of a set of blocks, for many sets on one graph, without the frontiers; for example once
/// for every variable in the placement of phis. Made with a post_dominator_tree, it finds iterated post-dominance
/// frontiers.
///
/// Blocks outside the tree, the virtual exit: as for dominance_frontier_sets. A query writes to the object, so each
/// thread needs its own object.
template <flow_graph G = csr_graph>
class iterated_frontier : public analysis_result<G, dense::iterated_frontier> {
  using base = analysis_result<G, dense::iterated_frontier>;
  using base::map_, base::dense_;

 public:
  using typename base::range;
  using typename base::vertex;

  /// The tree is a dominator_tree or a post_dominator_tree; it need not outlive the call.
  /// \pre the tree was made for g; g outlives the object (a csr_graph need not). Complexity: O(blocks + edges).
  template <detail::whole_tree<G> Tree>
  constexpr iterated_frontier(graph_ref<G> g, const Tree& tree) {
    this->compute(g, tree.ids());
  }

  /// Gets ready for g (the same graph, changed, or another) and reuses every buffer.
  template <detail::whole_tree<G> Tree>
  constexpr void recompute(graph_ref<G> g, const Tree& tree) {
    this->compute(g, tree.ids());
  }

  /// The iterated frontier of `blocks` by ascending dense id. Duplicates in `blocks` have no effect. Valid until the
  /// next query, and may be the argument of that query. Complexity: linear in the edges out of the blocks below
  /// `blocks` and the result, plus the depth of the tree and a 32nd of the blocks.
  [[nodiscard]] constexpr range of(std::span<const vertex> blocks) & {
    return map_.over(dense_.find(
        blocks.size(), [&](std::size_t i) { return map_.index(blocks[i]); }, [](block_id) { return true; }));
  }
  range of(std::span<const vertex>) && = delete;
  /// The same without the blocks where the predicate is false and without the blocks that only these would add: with
  /// live_in(v) = "the variable is live where v begins" these are the blocks that need a phi in pruned SSA form.
  /// `blocks` themselves need not be live. \pre live_in(vertex) -> bool throws nothing and gives the same answer each
  /// time.
  template <class LiveIn>
  [[nodiscard]] constexpr range of(std::span<const vertex> blocks, LiveIn&& live_in) & {
    return map_.over(dense_.find(
        blocks.size(), [&](std::size_t i) { return map_.index(blocks[i]); },
        [&](block_id b) { return static_cast<bool>(live_in(map_.at(b))); }));
  }
  template <class LiveIn>
  range of(std::span<const vertex>, LiveIn&&) && = delete;
};

/// `iterated_frontier result(g, tree)`.
template <flow_graph G, class Tree>
iterated_frontier(const G&, const Tree&) -> iterated_frontier<G>;

/// The iterated dominance frontier of one set of blocks, by ascending dense id; linear, without the frontiers.
/// \pre the tree was made for g.
template <flow_graph G>
[[nodiscard]] constexpr std::vector<vertex_t<G>> iterated_dominance_frontier(const G& g, const dominator_tree<G>& tree,
                                                                             std::span<const vertex_t<G>> blocks) {
  iterated_frontier<G> finder(g, tree);
  std::vector<vertex_t<G>> found;
  for (const vertex_t<G>& v : finder.of(blocks)) found.push_back(v);
  return found;
}

/// The iterated post-dominance frontier of one set of blocks: the branches that decide, directly or through each other,
/// whether a block of the set runs. By ascending dense id; linear, without the frontiers.
/// \pre the tree was made for g.
template <flow_graph G>
[[nodiscard]] constexpr std::vector<vertex_t<G>> iterated_post_dominance_frontier(const G& g,
                                                                                  const post_dominator_tree<G>& tree,
                                                                                  std::span<const vertex_t<G>> blocks) {
  iterated_frontier<G> finder(g, tree);
  std::vector<vertex_t<G>> found;
  for (const vertex_t<G>& v : finder.of(blocks)) found.push_back(v);
  return found;
}

}  // namespace v0
}  // namespace simtflow
