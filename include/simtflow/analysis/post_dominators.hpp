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
// Whoever knows better (a wait loop that does end, a block that traps) names blocks that get a virtual edge as well.
//
//   immediate_post_dominators(g)   the parents alone: all that a PDOM machine needs
//   post_dominators(g)             the tree
//
// Literature: J. Ferrante, K. Ottenstein, J. Warren, The program dependence graph and its use in optimization (1987).
#pragma once

#include <simtflow/analysis/detail/semi_nca.hpp>
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
  /// What becomes of blocks from which neither an exit nor one of `roots` can be reached.
  infinite_loops endless = infinite_loops::virtual_edge;
  /// Blocks (dense ids) that get an edge to the virtual exit as if threads could end there; unreachable ones and exits
  /// among them change nothing. Has to outlive the call only.
  std::span<const block_id> roots{};
};

namespace detail {

// The search that post-dominators make: against the edges, from the virtual exit, which is called num_blocks().
template <class Shape = csr_graph>
class exit_search {
 public:
  // Runs index.compute on what the entry of g reaches. An index calls its root no_block, because it is no block of g.
  template <class Index>
  constexpr void compute(const Shape& g, post_dominator_options options, Index& index) {
    const block_id n = static_cast<block_id>(g.num_blocks());
    all_reachable_ = g.all_known_reachable();
    block_id reachable = n;
    const Shape* shape = &g;
    if (!all_reachable_) {
      reach_without(g, no_block, reachable_, work_);
      bool stray_edges = false;
      for (block_id b = 0; b < n; ++b) {
        if (reachable_[b]) continue;
        --reachable;
        stray_edges = stray_edges || !g.successors(b).empty();
      }
      // They would be walked backwards: the rare graph that has any is copied without them.
      if (stray_edges) shape = &pruned_.take(g);
    }
    if (all_reachable_ && options.roots.empty()) {
      search(*shape, n, g.exits(), index);
    } else {
      list_roots(g, options.roots);
      search(*shape, n, std::span<const block_id>(roots_), index);
    }
    all_leave_ = index.num_reached() == reachable + 1;
    if (all_leave_) return;
    reaches_exit_.assign(n, 0);
    for (block_id b = 0; b < n; ++b) reaches_exit_[b] = index.reached(b);
    if (options.endless == infinite_loops::ignore) return;
    list_roots(g, options.roots);
    for (const block_id b : terminal_loops_.of(*shape))
      if (!reaches_exit_[b]) add_root(b);
    search(*shape, n, std::span<const block_id>(roots_), index);
  }

  [[nodiscard]] constexpr bool is_reachable(block_id b) const { return all_reachable_ || reachable_[b] != 0; }
  [[nodiscard]] constexpr bool reaches_exit(block_id b) const {
    return all_leave_ ? is_reachable(b) : reaches_exit_[b] != 0;
  }

 private:
  constexpr void list_roots(const Shape& g, std::span<const block_id> more) {
    roots_.clear();
    for (const block_id b : g.exits()) add_root(b);
    for (const block_id b : more) {
      SIMTFLOW_EXPECTS(b < g.num_blocks(), "a root of post-dominance is a block of the graph");
      add_root(b);
    }
  }
  constexpr void add_root(block_id b) {
    if (is_reachable(b)) roots_.push_back(b);
  }
  template <class Index>
  constexpr void search(const Shape& shape, block_id n, std::span<const block_id> roots, Index& index) {
    const block_id* const first = roots.data();
    index.recompute(against_edges(shape),
                    search_root<const block_id*>{n + 1, n, no_block, first, first + roots.size()}, frames_);
  }

  bool all_reachable_ = true, all_leave_ = true;  // then the columns below are not filled in
  std::vector<unsigned char> reachable_, reaches_exit_;
  std::vector<block_id> roots_, work_;
  std::vector<search_frame<const block_id*>> frames_;
  snapshot_buffer<Shape> pruned_;
  terminal_loop_search terminal_loops_;
};

template <class Shape = csr_graph>
class post_dominator_index {
 public:
  constexpr void compute(const Shape& g, post_dominator_options options) {
    num_blocks_ = static_cast<block_id>(g.num_blocks());
    search_.compute(g, options, tree_);
  }

  [[nodiscard]] constexpr std::size_t num_blocks() const { return num_blocks_; }
  [[nodiscard]] constexpr block_id virtual_exit() const { return num_blocks_; }
  [[nodiscard]] constexpr std::span<const block_id> ipdoms() const { return tree_.idoms().first(num_blocks_); }
  [[nodiscard]] constexpr block_id ipdom(block_id b) const { return tree_.idom(checked(b)); }
  [[nodiscard]] constexpr bool is_reachable(block_id b) const { return search_.is_reachable(checked(b)); }
  [[nodiscard]] constexpr bool reaches_exit(block_id b) const { return search_.reaches_exit(checked(b)); }
  [[nodiscard]] constexpr bool post_dominates(block_id a, block_id b) const {
    return tree_.dominates(checked(a), checked(b));
  }
  [[nodiscard]] constexpr block_id nearest_common(block_id a, block_id b) const {
    const block_id c = tree_.nearest_common(checked(a), checked(b));
    return c == virtual_exit() ? no_block : c;
  }
  /// The dominator tree of the reversed graph; its root is virtual_exit(), which idom() calls no_block.
  [[nodiscard]] constexpr const dominator_index<>& tree() const { return tree_; }

  // By a reversed graph that is built for this purpose and shares nothing with the construction.
  [[nodiscard]] constexpr tree_check verify_against(const Shape& g, post_dominator_options options, effort how) const {
    const std::size_t n = g.num_blocks();
    if (num_blocks() != n) return {"the tree has as many blocks as the graph"};
    std::vector<unsigned char> reachable, ends;
    std::vector<block_id> work;
    reach_without(g, no_block, reachable, work);
    csr_builder forward(n + 1, n == 0 ? 0 : g.entry());  // what the entry reaches, with the virtual exit
    const block_id exit = virtual_exit();
    ends.assign(n, 0);
    for (block_id b = 0; b < n; ++b)
      if (reachable[b] && g.is_exit(b)) ends[b] = 1;
    for (const block_id b : options.roots)
      if (reachable[b]) ends[b] = 1;
    for (block_id b = 0; b < n; ++b) {
      if (!reachable[b]) continue;
      for (const block_id s : g.successors(b)) forward.add_edge(b, s);
      if (ends[b]) forward.add_edge(b, exit);
    }
    const csr_graph way_out = reversed(forward.build(), infinite_loops::ignore);  // its entry leads to `exit` alone
    std::vector<unsigned char> leaves;
    reach_without(way_out, no_block, leaves, work);
    csr_builder backward(n + 1, exit);
    for (block_id b = 0; b < n; ++b) {
      if (!reachable[b]) continue;
      if (ends[b]) backward.add_edge(exit, b);
      for (const block_id s : g.successors(b)) backward.add_edge(s, b);
    }
    if (options.endless == infinite_loops::virtual_edge)
      for (const block_id b : terminal_loops(g))
        if (reachable[b] && !leaves[b]) backward.add_edge(exit, b);
    for (block_id b = 0; b < n; ++b) {
      if (is_reachable(b) != (reachable[b] != 0)) return {"reachable is what the entry reaches", b};
      if (reaches_exit(b) != (reachable[b] && leaves[b]))
        return {"reaches_exit is what a search from the exits finds", b};
    }
    return verify_dominators(tree_, backward.build(), how, true);
  }

 private:
  [[nodiscard]] constexpr block_id checked(block_id b) const {
    SIMTFLOW_EXPECTS(b < num_blocks_, "a question about a block that is not in the graph of this result");
    return b;
  }

  block_id num_blocks_ = 0;
  exit_search<Shape> search_;
  dominator_index<> tree_;
};

// The parents alone.
template <class Shape = csr_graph>
class ipdom_index {
 public:
  constexpr void compute(const Shape& g, post_dominator_options options) {
    num_blocks_ = static_cast<block_id>(g.num_blocks());
    search_.compute(g, options, up_);
  }
  [[nodiscard]] constexpr std::span<const block_id> ipdoms() const { return up_.idoms().first(num_blocks_); }
  [[nodiscard]] constexpr block_id ipdom(block_id b) const {
    SIMTFLOW_EXPECTS(b < num_blocks_, "a question about a block that is not in the graph of this result");
    return up_.idom(b);
  }

 private:
  block_id num_blocks_ = 0;
  exit_search<Shape> search_;
  idom_index<> up_;
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
  using vertex = vertex_t<G>;                           ///< the graph's own vertex type
  using range = typename detail::vertex_map<G>::range;  ///< vertex_range<G>; for a csr_graph a span of block ids

  /// \pre check_adapter<G>(); g outlives the tree (a csr_graph need not).
  /// Complexity: as for dominator_tree.
  constexpr explicit post_dominator_tree(const G& g, post_dominator_options options = {}) : map_(g) {
    index_.compute(shape_.of(g), options);
  }
  post_dominator_tree(const G&&, post_dominator_options = {}) requires detail::keeps_pointer<G>
  = delete;

  /// Computes the tree of g (the same graph, changed, or another), reusing every buffer.
  constexpr void recompute(const G& g, post_dominator_options options = {}) {
    map_ = detail::vertex_map<G>(g);
    index_.compute(shape_.of(g), options);
  }
  void recompute(const G&&, post_dominator_options = {}) requires detail::keeps_pointer<G>
  = delete;

  /// The immediate post-dominator. Empty if that is the virtual exit, if v is unreachable (is_reachable tells), or if v
  /// reaches no exit under infinite_loops::ignore. O(1).
  [[nodiscard]] constexpr std::optional<vertex> ipdom(const vertex& v) const {
    return map_.maybe(index_.ipdom(map_.index(v)));
  }
  /// Every path from b to the virtual exit contains a. O(1).
  [[nodiscard]] constexpr bool post_dominates(const vertex& a, const vertex& b) const {
    return index_.post_dominates(map_.index(a), map_.index(b));
  }
  /// post_dominates(a, b) and a is not b. O(1).
  [[nodiscard]] constexpr bool strictly_post_dominates(const vertex& a, const vertex& b) const {
    return map_.index(a) != map_.index(b) && post_dominates(a, b);
  }
  /// The entry reaches v.
  [[nodiscard]] constexpr bool is_reachable(const vertex& v) const { return index_.is_reachable(map_.index(v)); }
  /// The entry reaches v, and v reaches an exit of the graph or one of the roots that the options name: the virtual
  /// edges of endless loops do not count.
  [[nodiscard]] constexpr bool reaches_exit(const vertex& v) const { return index_.reaches_exit(map_.index(v)); }
  /// Number of strict post-dominators, the virtual exit included: 0 only for vertices outside the tree.
  [[nodiscard]] constexpr std::uint32_t depth(const vertex& v) const { return index_.tree().depth(map_.index(v)); }
  /// The first block that post-dominates both; empty if that is the virtual exit or either is outside the tree.
  /// O(depth).
  [[nodiscard]] constexpr std::optional<vertex> nearest_common(const vertex& a, const vertex& b) const {
    return map_.maybe(index_.nearest_common(map_.index(a), map_.index(b)));
  }
  /// The blocks whose immediate post-dominator is v, siblings as the search found them.
  [[nodiscard]] constexpr dominator_children<G> children(const vertex& v) const& {
    return {map_, index_.tree(), map_.index(v)};
  }
  dominator_children<G> children(const vertex&) const&& = delete;
  /// The blocks whose immediate post-dominator is the virtual exit.
  [[nodiscard]] constexpr dominator_children<G> roots() const& { return {map_, index_.tree(), index_.virtual_exit()}; }
  dominator_children<G> roots() const&& = delete;
  /// The blocks that v post-dominates, v first; empty outside the tree.
  [[nodiscard]] constexpr range blocks_post_dominated_by(const vertex& v) const& {
    return map_.over(index_.tree().dominated_by(map_.index(v)));
  }
  range blocks_post_dominated_by(const vertex&) const&& = delete;
  /// Immediate post-dominators by dense block id; no_block stands for the virtual exit and for blocks outside the tree.
  /// This is what the policy policies::ipdom_stack takes.
  [[nodiscard]] constexpr std::span<const block_id> ipdoms() const& { return index_.ipdoms(); }
  std::span<const block_id> ipdoms() const&& = delete;
  /// The same in dense block ids.
  [[nodiscard]] constexpr const detail::post_dominator_index<>& ids() const& { return index_; }
  const detail::post_dominator_index<>& ids() const&& = delete;

 private:
  detail::vertex_map<G> map_;
  detail::kept_shape<G> shape_;
  detail::post_dominator_index<> index_;
};

/// The immediate post-dominators, without the tree.
template <flow_graph G = csr_graph>
class immediate_post_dominator_map {
 public:
  using vertex = vertex_t<G>;  ///< the graph's own vertex type

  /// \pre check_adapter<G>(); g outlives the map (a csr_graph need not).
  constexpr explicit immediate_post_dominator_map(const G& g, post_dominator_options options = {}) : map_(g) {
    index_.compute(shape_.of(g), options);
  }
  immediate_post_dominator_map(const G&&, post_dominator_options = {}) requires detail::keeps_pointer<G>
  = delete;

  /// Computes the map of g (the same graph, changed, or another), reusing every buffer.
  constexpr void recompute(const G& g, post_dominator_options options = {}) {
    map_ = detail::vertex_map<G>(g);
    index_.compute(shape_.of(g), options);
  }
  void recompute(const G&&, post_dominator_options = {}) requires detail::keeps_pointer<G>
  = delete;

  /// Empty in the cases of post_dominator_tree::ipdom. O(1).
  [[nodiscard]] constexpr std::optional<vertex> ipdom(const vertex& v) const {
    return map_.maybe(index_.ipdom(map_.index(v)));
  }
  /// By dense block id, as post_dominator_tree::ipdoms.
  [[nodiscard]] constexpr std::span<const block_id> ipdoms() const& { return index_.ipdoms(); }
  std::span<const block_id> ipdoms() const&& = delete;

 private:
  detail::vertex_map<G> map_;
  detail::kept_shape<G> shape_;
  detail::ipdom_index<> index_;
};

/// The immediate post-dominators of g.
template <flow_graph G>
[[nodiscard]] constexpr immediate_post_dominator_map<G> immediate_post_dominators(const G& g,
                                                                                  post_dominator_options options = {}) {
  return immediate_post_dominator_map<G>(g, options);
}
template <detail::keeps_pointer G>
immediate_post_dominator_map<G> immediate_post_dominators(const G&&, post_dominator_options = {}) = delete;

/// The post-dominator tree of g.
template <flow_graph G>
[[nodiscard]] constexpr post_dominator_tree<G> post_dominators(const G& g, post_dominator_options options = {}) {
  return post_dominator_tree<G>(g, options);
}
template <detail::keeps_pointer G>
post_dominator_tree<G> post_dominators(const G&&, post_dominator_options = {}) = delete;

/// Checks a tree against its graph by other means than it was built with; see verify of a dominator_tree.
// In parentheses: AssertMacros.h of macOS has a macro verify(x).
template <flow_graph G>
[[nodiscard]] constexpr tree_check(verify)(const post_dominator_tree<G>& tree, const G& g, effort how = effort::normal,
                                           post_dominator_options options = {}) {
  return tree.ids().verify_against(detail::shape_of(g), options, how);
}

}  // namespace v0
}  // namespace simtflow
