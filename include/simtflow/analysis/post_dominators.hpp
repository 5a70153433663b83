// SPDX-License-Identifier: BSL-1.0
//
// Post-dominators. Block a post-dominates block b if every path from b to the end of the program contains a. All exits
// lead to one *virtual exit*, which is no block of the graph; it is the root of the tree. The immediate post-dominator
// of a branch is the first block that all its paths share: the block where a PDOM machine reconverges the threads.
//
// Infinite loops have no path to the end, so they need a convention. A terminal loop is a strongly connected set of
// blocks that no edge leaves and that holds no exit. By default its first block (in listed-order RPO) gets a virtual
// edge to the virtual exit. Then every reachable block has post-dominators, and a branch with an endless arm joins at
// the virtual exit only. Example: with A -> {B, C}, B -> B, C -> D the immediate post-dominator of A is the virtual
// exit. Without the edge it would be C, where threads would wait for other threads that never come.
//
// Callers who know better (a wait loop that terminates, a block that traps) may name further blocks that get a virtual
// edge.
//
//   immediate_post_dominators(g)   the parents alone: enough for a PDOM machine
//   post_dominators(g)             the tree
//
// Literature: J. Ferrante, K. Ottenstein, J. Warren, The program dependence graph and its use in optimization (1987).
#pragma once

#include <simtflow/analysis/analysis_result.hpp>
#include <simtflow/analysis/dense/post_dominators.hpp>
#include <simtflow/analysis/detail/verify_post_dominators.hpp>
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/tree_check.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/argument.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/graph/traits.hpp>

#include <cstdint>
#include <optional>
#include <span>

namespace simtflow {
inline namespace v0 {

/// The post-dominator tree of the blocks that the entry reaches; its root is the virtual exit.
///
/// Blocks without successors and blocks for which is_exit holds have an edge to the virtual exit (a predicated exit: in
/// addition to their successors). Unreachable vertices post-dominate nothing and are post-dominated by nothing; with
/// infinite_loops::ignore the same holds for vertices that reach no exit. Parallel edges and self loops have no effect.
template <flow_graph G = csr_graph>
class post_dominator_tree : public analysis_result<G, dense::post_dominator_tree> {
  using base = analysis_result<G, dense::post_dominator_tree>;
  using base::map_, base::dense_;

 public:
  using typename base::range;
  using typename base::vertex;

  /// \pre check_adapter<G>(); g outlives the tree (a csr_graph need not).
  /// Complexity: as for dominator_tree.
  constexpr explicit post_dominator_tree(graph_ref<G> g, post_dominator_options options = {}) {
    this->compute(g, options);
  }

  /// Computes the result for g (the same graph, changed, or another) and reuses every buffer.
  constexpr void recompute(graph_ref<G> g, post_dominator_options options = {}) { this->compute(g, options); }

  /// The immediate post-dominator. Empty if that is the virtual exit, if v is unreachable (is_reachable tells), or if v
  /// reaches no exit under infinite_loops::ignore. O(1).
  [[nodiscard]] constexpr std::optional<vertex> ipdom(const vertex& v) const {
    return map_.maybe(dense_.ipdom(map_.index(v)));
  }
  /// True if every path from b to the virtual exit contains a. O(1).
  [[nodiscard]] constexpr bool post_dominates(const vertex& a, const vertex& b) const {
    return dense_.post_dominates(map_.index(a), map_.index(b));
  }
  /// True if post_dominates(a, b) and a is not b. O(1).
  [[nodiscard]] constexpr bool strictly_post_dominates(const vertex& a, const vertex& b) const {
    return map_.index(a) != map_.index(b) && post_dominates(a, b);
  }
  /// True if the entry reaches v.
  [[nodiscard]] constexpr bool is_reachable(const vertex& v) const { return dense_.is_reachable(map_.index(v)); }
  /// True if the entry reaches v, and v reaches an exit of the graph or a root that the options name. The virtual edges
  /// of endless loops do not count.
  [[nodiscard]] constexpr bool reaches_exit(const vertex& v) const { return dense_.reaches_exit(map_.index(v)); }
  /// Number of strict post-dominators, the virtual exit included: 0 only for vertices outside the tree.
  [[nodiscard]] constexpr std::uint32_t depth(const vertex& v) const { return dense_.tree().depth(map_.index(v)); }
  /// The first block that post-dominates both; empty if that is the virtual exit or either is outside the tree.
  /// O(depth).
  [[nodiscard]] constexpr std::optional<vertex> nearest_common(const vertex& a, const vertex& b) const {
    return map_.maybe(dense_.nearest_common(map_.index(a), map_.index(b)));
  }
  /// The blocks with v as their immediate post-dominator, siblings as the search found them.
  [[nodiscard]] constexpr dominator_children<G> children(const vertex& v) const& {
    return {map_, dense_.tree(), map_.index(v)};
  }
  dominator_children<G> children(const vertex&) const&& = delete;
  /// The blocks with the virtual exit as their immediate post-dominator.
  [[nodiscard]] constexpr dominator_children<G> roots() const& { return {map_, dense_.tree(), dense_.virtual_exit()}; }
  dominator_children<G> roots() const&& = delete;
  /// The blocks that v post-dominates, v first; empty outside the tree.
  [[nodiscard]] constexpr range blocks_post_dominated_by(const vertex& v) const& {
    return map_.over(dense_.tree().dominated_by(map_.index(v)));
  }
  range blocks_post_dominated_by(const vertex&) const&& = delete;
  /// Immediate post-dominators by dense block id; no_block stands for the virtual exit and for blocks outside the tree.
  /// This is what the policy policies::ipdom_stack takes.
  [[nodiscard]] constexpr std::span<const block_id> ipdoms() const& { return dense_.ipdoms(); }
  std::span<const block_id> ipdoms() const&& = delete;
};

/// `post_dominator_tree result(g)`, with options or without.
template <flow_graph G>
explicit post_dominator_tree(const G&, post_dominator_options = {}) -> post_dominator_tree<G>;

/// The immediate post-dominators, without the tree.
template <flow_graph G = csr_graph>
class immediate_post_dominator_map : public analysis_result<G, dense::immediate_post_dominator_map> {
  using base = analysis_result<G, dense::immediate_post_dominator_map>;
  using base::map_, base::dense_;

 public:
  using typename base::vertex;

  /// \pre check_adapter<G>(); g outlives the map (a csr_graph need not).
  constexpr explicit immediate_post_dominator_map(graph_ref<G> g, post_dominator_options options = {}) {
    this->compute(g, options);
  }

  /// Computes the result for g (the same graph, changed, or another) and reuses every buffer.
  constexpr void recompute(graph_ref<G> g, post_dominator_options options = {}) { this->compute(g, options); }

  /// Empty in the cases of post_dominator_tree::ipdom. O(1).
  [[nodiscard]] constexpr std::optional<vertex> ipdom(const vertex& v) const {
    return map_.maybe(dense_.ipdom(map_.index(v)));
  }
  /// By dense block id, as post_dominator_tree::ipdoms.
  [[nodiscard]] constexpr std::span<const block_id> ipdoms() const& { return dense_.ipdoms(); }
  std::span<const block_id> ipdoms() const&& = delete;
};

/// `immediate_post_dominator_map result(g)`, with options or without.
template <flow_graph G>
explicit immediate_post_dominator_map(const G&, post_dominator_options = {}) -> immediate_post_dominator_map<G>;

/// The immediate post-dominators of g.
template <graph_argument G>
[[nodiscard]] constexpr immediate_post_dominator_map<graph_t<G>> immediate_post_dominators(
    G&& g, post_dominator_options options = {}) {
  return immediate_post_dominator_map<graph_t<G>>(g, options);
}

/// The post-dominator tree of g.
/// A block without a way to an exit has no post-dominator but itself, unless the options name a block that gets a
/// virtual edge to the exit. An empty graph gives an empty tree. Complexity: close to linear in blocks and edges.
/// \pre check_adapter<G>() holds; g outlives the result (a csr_graph need not).
/// Errors: a successor with an index out of range is a contract violation; validate(g) names such an edge beforehand.
/// \snippet reference_test.cpp post_dominators
template <graph_argument G>
[[nodiscard]] constexpr post_dominator_tree<graph_t<G>> post_dominators(G&& g, post_dominator_options options = {}) {
  return post_dominator_tree<graph_t<G>>(g, options);
}

/// Checks a tree against its graph by other means than it was built with; see verify of a dominator_tree.
// In parentheses: AssertMacros.h of macOS has a macro verify(x).
template <flow_graph G>
[[nodiscard]] constexpr tree_check(verify)(const post_dominator_tree<G>& tree, const G& g, effort how = effort::normal,
                                           post_dominator_options options = {}) {
  return detail::verify_post_dominators(tree.ids(), detail::kept_shape<G>().of(g), options, how);
}

}  // namespace v0
}  // namespace simtflow
