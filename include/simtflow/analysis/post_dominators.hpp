// SPDX-License-Identifier: BSL-1.0
//
// Post-dominators. Block a post-dominates block b if every path from b to the end of the program contains a. All exits
// lead to one *virtual exit*, which is no block of the graph; it is the root of the tree. The immediate post-dominator
// of a branch is the first block that all its paths share: where a PDOM machine joins the threads again.
//
// Infinite loops have no path to the end, so something must be said about them. By default the first block (in listed-
// order RPO) of every terminal loop (a strongly connected set of blocks that no edge leaves and that holds no exit)
// gets a virtual edge to the virtual exit: then every reachable block has post-dominators, and a branch with an endless
// arm joins at the virtual exit only. Example: with A -> {B, C}, B -> B, C -> D the immediate post-dominator of A is
// the virtual exit; without the edge it would be C, where threads would wait for others that never come.
//
// Literature: J. Ferrante, K. Ottenstein, J. Warren, The program dependence graph and its use in optimization (1987).
#pragma once

#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/vertex_map.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>
#include <simtflow/graph/views.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// How post-dominators are to be understood.
struct post_dominator_options {
  infinite_loops endless = infinite_loops::virtual_edge;
};

namespace detail {

// Dominators of the reversed graph whose entry is the virtual exit, block num_blocks(). Unlike reversed(g) this leaves
// out what the entry does not reach.
template <class Shape = csr_graph>
class post_dominator_index {
 public:
  constexpr void compute(const Shape& g, post_dominator_options options) {
    const std::size_t n = g.num_blocks();
    std::vector<block_id> work;
    reach_without(g, no_block, reachable_, work);
    tree_.compute(reverse(g, options, work));
    ipdom_.assign(n, no_block);
    for (block_id b = 0; b < n; ++b)
      if (const block_id up = tree_.idom(b); up != n) ipdom_[b] = up;
  }

  [[nodiscard]] constexpr std::size_t num_blocks() const { return ipdom_.size(); }
  [[nodiscard]] constexpr block_id virtual_exit() const { return static_cast<block_id>(ipdom_.size()); }
  [[nodiscard]] constexpr std::span<const block_id> ipdoms() const { return std::span<const block_id>(ipdom_); }
  [[nodiscard]] constexpr block_id ipdom(block_id b) const { return ipdom_[checked(b)]; }
  [[nodiscard]] constexpr bool is_reachable(block_id b) const { return reachable_[checked(b)] != 0; }
  [[nodiscard]] constexpr bool reaches_exit(block_id b) const { return reaches_exit_[checked(b)] != 0; }
  [[nodiscard]] constexpr bool post_dominates(block_id a, block_id b) const {
    return tree_.dominates(checked(a), checked(b));
  }
  [[nodiscard]] constexpr block_id nearest_common(block_id a, block_id b) const {
    const block_id c = tree_.nearest_common(checked(a), checked(b));
    return c == virtual_exit() ? no_block : c;
  }
  /// The dominator tree of the reversed graph; its root is virtual_exit().
  [[nodiscard]] constexpr const dominator_index<>& tree() const { return tree_; }

  [[nodiscard]] constexpr tree_check verify(const Shape& g, post_dominator_options options, effort how) const {
    if (num_blocks() != g.num_blocks()) return {"the tree has as many blocks as the graph"};
    post_dominator_index other;
    std::vector<block_id> work;
    reach_without(g, no_block, other.reachable_, work);
    const csr_graph r = other.reverse(g, options, work);
    for (block_id b = 0; b < num_blocks(); ++b) {
      const block_id up = tree_.idom(b);
      if (ipdom_[b] != (up == virtual_exit() ? no_block : up)) return {"the list of ipdoms agrees with the tree", b};
      if (reachable_[b] != other.reachable_[b]) return {"reachable is what the entry reaches", b};
      if (reaches_exit_[b] != other.reaches_exit_[b]) return {"reaches_exit is what a search from the exits finds", b};
    }
    return verify_dominators(tree_, r, how);
  }

 private:
  [[nodiscard]] constexpr block_id checked(block_id b) const {
    SIMTFLOW_EXPECTS(b < ipdom_.size(), "a question about a block that is not in the graph of this result");
    return b;
  }

  constexpr csr_graph reverse(const Shape& g, post_dominator_options options, std::vector<block_id>& work) {
    const std::size_t n = g.num_blocks();
    const block_id exit = static_cast<block_id>(n);
    csr_builder builder(n + 1, exit);
    reaches_exit_.assign(n, 0);
    work.clear();
    for (block_id b = 0; b < n; ++b) {
      if (!reachable_[b]) continue;
      if (g.is_exit(b)) {
        builder.add_edge(exit, b);
        reaches_exit_[b] = 1;
        work.push_back(b);
      }
      for (const block_id p : g.predecessors(b))
        if (reachable_[p]) builder.add_edge(b, p);
    }
    while (!work.empty()) {
      const block_id b = work.back();
      work.pop_back();
      for (const block_id p : g.predecessors(b))
        if (reachable_[p] && !reaches_exit_[p]) {
          reaches_exit_[p] = 1;
          work.push_back(p);
        }
    }
    if (options.endless == infinite_loops::virtual_edge && n != 0 && has_endless_block())
      for (const block_id b : terminal_loops(g))
        if (reachable_[b]) builder.add_edge(exit, b);
    return builder.build();
  }
  [[nodiscard]] constexpr bool has_endless_block() const {
    for (std::size_t b = 0; b < reachable_.size(); ++b)
      if (reachable_[b] && !reaches_exit_[b]) return true;
    return false;
  }

  dominator_index<> tree_;
  std::vector<block_id> ipdom_;
  std::vector<unsigned char> reachable_, reaches_exit_;
};

}  // namespace detail

/// The post-dominator tree of the blocks that the entry reaches; its root is the virtual exit.
///
/// Blocks without successors and blocks for which is_exit holds have an edge to the virtual exit (a predicated exit: in
/// addition to their successors). Unreachable vertices post-dominate nothing and are post-dominated by nothing; with
/// infinite_loops::ignore the same holds for vertices that reach no exit. Parallel edges and self loops have no effect.
template <flow_graph G = csr_graph>
class post_dominator_tree {
 public:
  using vertex = vertex_t<G>;
  using range = typename detail::vertex_map<G>::range;

  /// \pre check_adapter<G>(); g outlives the tree (a csr_graph need not).
  /// Complexity: as for dominator_tree.
  constexpr explicit post_dominator_tree(const G& g, post_dominator_options options = {}) : map_(g) {
    index_.compute(detail::shape_of(g), options);
  }
  post_dominator_tree(const G&&, post_dominator_options = {}) requires detail::keeps_pointer<G>
  = delete;

  constexpr void recompute(const G& g, post_dominator_options options = {}) {
    map_ = detail::vertex_map<G>(g);
    index_.compute(detail::shape_of(g), options);
  }

  /// The immediate post-dominator. Empty if that is the virtual exit, if v is unreachable (is_reachable tells), or if v
  /// reaches no exit under infinite_loops::ignore. O(1).
  [[nodiscard]] constexpr std::optional<vertex> ipdom(const vertex& v) const {
    return map_.maybe(index_.ipdom(map_.index(v)));
  }
  /// Every path from b to the virtual exit contains a. O(1).
  [[nodiscard]] constexpr bool post_dominates(const vertex& a, const vertex& b) const {
    return index_.post_dominates(map_.index(a), map_.index(b));
  }
  [[nodiscard]] constexpr bool strictly_post_dominates(const vertex& a, const vertex& b) const {
    return map_.index(a) != map_.index(b) && post_dominates(a, b);
  }
  /// The entry reaches v.
  [[nodiscard]] constexpr bool is_reachable(const vertex& v) const { return index_.is_reachable(map_.index(v)); }
  /// The entry reaches v, and v reaches an exit of the graph itself: virtual edges do not count.
  [[nodiscard]] constexpr bool reaches_exit(const vertex& v) const { return index_.reaches_exit(map_.index(v)); }
  /// Number of strict post-dominators, the virtual exit included: 0 only for vertices outside the tree.
  [[nodiscard]] constexpr std::uint32_t depth(const vertex& v) const { return index_.tree().depth(map_.index(v)); }
  /// The first block that post-dominates both; empty if that is the virtual exit or either is outside the tree.
  /// O(depth).
  [[nodiscard]] constexpr std::optional<vertex> nearest_common(const vertex& a, const vertex& b) const {
    return map_.maybe(index_.nearest_common(map_.index(a), map_.index(b)));
  }
  /// The blocks whose immediate post-dominator is v, in RPO order of the reversed graph.
  [[nodiscard]] constexpr range children(const vertex& v) const& {
    return map_.over(index_.tree().children(map_.index(v)));
  }
  range children(const vertex&) const&& = delete;
  /// The blocks whose immediate post-dominator is the virtual exit.
  [[nodiscard]] constexpr range roots() const& { return map_.over(index_.tree().children(index_.virtual_exit())); }
  range roots() const&& = delete;
  /// The blocks that v post-dominates, v first; empty outside the tree.
  [[nodiscard]] constexpr range blocks_post_dominated_by(const vertex& v) const& {
    return map_.over(index_.tree().dominated_by(map_.index(v)));
  }
  range blocks_post_dominated_by(const vertex&) const&& = delete;
  /// Immediate post-dominators by dense block id; no_block stands for the virtual exit and for blocks outside the tree.
  /// This is what the policy ipdom_stack takes.
  [[nodiscard]] constexpr std::span<const block_id> ipdoms() const& { return index_.ipdoms(); }
  std::span<const block_id> ipdoms() const&& = delete;
  /// The same in dense block ids.
  [[nodiscard]] constexpr const detail::post_dominator_index<>& ids() const& { return index_; }
  const detail::post_dominator_index<>& ids() const&& = delete;

 private:
  detail::vertex_map<G> map_;
  detail::post_dominator_index<> index_;
};

/// The post-dominator tree of g.
template <flow_graph G>
[[nodiscard]] constexpr post_dominator_tree<G> post_dominators(const G& g, post_dominator_options options = {}) {
  return post_dominator_tree<G>(g, options);
}
template <detail::keeps_pointer G>
post_dominator_tree<G> post_dominators(const G&&, post_dominator_options = {}) = delete;

/// Checks a tree against its graph by other means than it was built with; see verify of a dominator_tree.
template <flow_graph G>
[[nodiscard]] constexpr tree_check verify(const post_dominator_tree<G>& tree, const G& g, effort how = effort::normal,
                                          post_dominator_options options = {}) {
  return tree.ids().verify(detail::shape_of(g), options, how);
}

}  // namespace v0
}  // namespace simtflow
