// SPDX-License-Identifier: BSL-1.0
//
// Dominance frontiers: where the dominance of a block ends.
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
// of the tree makes z a member of the frontier of every x above b (or b itself) whose level is not less than z's. Take
// the blocks of S and those found from the deepest level up and look at such edges out of the subtree of each; the
// subtree of a block that was taken before need not be looked at again.
//
// Literature: R. Cytron et al., Efficiently computing static single assignment form and the control dependence graph
// (1991); K. Cooper, T. Harvey, K. Kennedy, A simple, fast dominance algorithm (2001); V. Sreedhar, G. Gao, A linear
// time algorithm for placing phi-nodes (1995); M. Wolfe, J+ = J (1994).
#pragma once

#include <simtflow/analysis/detail/dominance_frontier_index.hpp>
#include <simtflow/analysis/dominators.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/vertex_map.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {

// Shape is csr_graph or has its members.
template <class Shape = csr_graph>
class iterated_frontier_index {
 public:
  constexpr void compute(const Shape& g, const dominator_index<>& tree) {
    SIMTFLOW_EXPECTS(tree.num_blocks() == g.num_blocks(), "the tree is of this graph");
    prepare(g.num_blocks(), g.entry(), tree, [&](block_id b) { return g.successors(b); });
  }
  constexpr void compute(const Shape& g, const post_dominator_index<>& tree) {
    SIMTFLOW_EXPECTS(tree.num_blocks() == g.num_blocks(), "the tree is of this graph");
    prepare(g.num_blocks(), tree.virtual_exit(), tree.tree(), [&](block_id b) { return g.predecessors(b); });
  }

  [[nodiscard]] constexpr std::size_t num_blocks() const { return num_blocks_; }

  // `from` may refer to the last result.
  template <class At, class Live>
  constexpr std::span<const block_id> find(std::size_t count, At at, Live live) {
    from_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      const block_id b = at(i);
      SIMTFLOW_EXPECTS(b < num_blocks_, "a question about a block that is not in the graph of this result");
      from_.push_back(b);
    }
    found_.clear();
    std::size_t waiting = 0;
    std::uint32_t level = 0;
    const auto wait = [&](block_id b) {
      if (has_bit(met_, b)) return;
      set_bit(met_, b);
      const std::uint32_t l = subtree_[b].level;
      next_[b] = first_[l];
      first_[l] = b;
      if (l > level) level = l;
      ++waiting;
    };
    for (const block_id b : from_) wait(b);
    while (waiting != 0) {
      if (first_[level] == no_block) {
        --level;
        continue;
      }
      const block_id x = first_[level];
      first_[level] = next_[x];
      --waiting;
      const subtree& below = subtree_[x];
      if (below.lowest > level) continue;  // its frontier is empty
      for (edge_id e = below.first; e < below.end;) {
        const cross_edge c = cross_[e];
        if (c.seen_to != 0) {
          e = c.seen_to;
          continue;
        }
        ++e;
        if (c.level > below.level || has_bit(in_, c.to) || !live(c.to)) continue;
        set_bit(in_, c.to);
        wait(c.to);  // no deeper than x
      }
      cross_[below.first].seen_to = below.end;
    }
    take_bits(in_, found_);
    forget(from_);
    forget(found_);
    return std::span<const block_id>(found_);
  }

 private:
  // An edge that is not one of the tree. seen_to: where to go on if a subtree whose edges begin here has been looked
  // at.
  struct cross_edge {
    block_id to;
    std::uint32_t level;
    edge_id seen_to;
  };
  // Of the subtree of a block: its cross edges and the lowest level that one of them leads to; the level of the block.
  struct subtree {
    edge_id first, end;
    std::uint32_t level, lowest;
  };

  template <class Targets>
  constexpr void prepare(std::size_t n, block_id root, const dominator_index<>& tree, Targets targets) {
    num_blocks_ = n;
    cross_.clear();
    // Blocks outside the tree keep a frontier that is empty.
    subtree_.assign(n + 1, subtree{0, 0, 0, no_level});
    next_.assign(n, no_block);
    met_.assign((n + 31) / 32, 0);
    in_.assign((n + 31) / 32, 0);
    std::uint32_t deepest = 0;
    const std::span<const block_id> order = n == 0 ? std::span<const block_id>() : tree.dominated_by(root);
    for (const block_id b : order) {
      subtree s{static_cast<edge_id>(cross_.size()), 0, tree.depth(b), no_level};
      if (s.level > deepest) deepest = s.level;
      if (b < n)  // not the virtual exit
        for (const block_id to : targets(b)) {
          if (!tree.is_reachable(to) || tree.parent(to) == b) continue;
          const std::uint32_t level = tree.depth(to);
          if (level < s.lowest) s.lowest = level;
          cross_.push_back({to, level, 0});
        }
      s.end = static_cast<edge_id>(cross_.size());
      subtree_[b] = s;
    }
    for (std::size_t i = order.size(); i-- > 1;) {
      const subtree& s = subtree_[order[i]];
      subtree& above = subtree_[tree.parent(order[i])];
      if (s.end > above.end) above.end = s.end;
      if (s.lowest < above.lowest) above.lowest = s.lowest;
    }
    first_.assign(std::size_t{deepest} + 1, no_block);
  }

  constexpr void forget(const std::vector<block_id>& blocks) {
    for (const block_id b : blocks) {
      met_[b / 32] = 0;
      if (subtree_[b].first < cross_.size()) cross_[subtree_[b].first].seen_to = 0;
    }
  }

  static constexpr std::uint32_t no_level = 0xFFFF'FFFFU;

  std::size_t num_blocks_ = 0;
  std::vector<cross_edge> cross_;  // in preorder of the tree, so that those of a subtree are a run
  std::vector<subtree> subtree_;
  // Of a query; empty between queries but for the result.
  std::vector<block_id> from_, found_, met_, in_;
  std::vector<block_id> first_, next_;  // lists of the blocks that wait, by level
};

}  // namespace detail

/// The frontier of every block: dominance frontiers if made with a dominator_tree, post-dominance frontiers if made
/// with a post_dominator_tree.
///
/// Unreachable blocks have an empty frontier and are in none. The virtual exit of a post_dominator_tree is in no
/// frontier and can be asked nothing about; threads that end (is_exit) and the virtual edges of endless loops make
/// their block a branch, so that with infinite_loops::virtual_edge the first block of an endless loop is in the
/// frontier of the blocks of that loop. With infinite_loops::ignore blocks that reach no exit count as unreachable.
/// Parallel edges have no effect.
template <flow_graph G = csr_graph>
class dominance_frontier_sets {
 public:
  using vertex = vertex_t<G>;                           ///< the graph's own vertex type
  using range = typename detail::vertex_map<G>::range;  ///< vertex_range<G>; for a csr_graph a span of block ids

  /// \pre the tree was made for g; g outlives the result (a csr_graph need not). The tree is not needed any longer.
  /// Complexity: O(blocks + edges + total_size()), total_size() <= blocks^2.
  constexpr dominance_frontier_sets(const G& g, const dominator_tree<G>& tree) : map_(g) {
    index_.compute(shape_.of(g), tree.ids());
  }
  /// The same from the parents alone.
  constexpr dominance_frontier_sets(const G& g, const immediate_dominator_map<G>& parents) : map_(g) {
    index_.compute(shape_.of(g), parents.ids());
  }
  /// The post-dominance frontiers.
  constexpr dominance_frontier_sets(const G& g, const post_dominator_tree<G>& tree) : map_(g) {
    index_.compute(shape_.of(g), tree.ids());
  }
  dominance_frontier_sets(const G&&, const dominator_tree<G>&) requires detail::keeps_pointer<G>
  = delete;
  dominance_frontier_sets(const G&&, const immediate_dominator_map<G>&) requires detail::keeps_pointer<G>
  = delete;
  dominance_frontier_sets(const G&&, const post_dominator_tree<G>&) requires detail::keeps_pointer<G>
  = delete;

  /// Computes the frontiers of g (the same graph, changed, or another), reusing every buffer.
  constexpr void recompute(const G& g, const dominator_tree<G>& tree) {
    map_ = detail::vertex_map<G>(g);
    index_.compute(shape_.of(g), tree.ids());
  }
  void recompute(const G&&, const dominator_tree<G>&) requires detail::keeps_pointer<G>
  = delete;
  /// The same from the parents alone.
  constexpr void recompute(const G& g, const immediate_dominator_map<G>& parents) {
    map_ = detail::vertex_map<G>(g);
    index_.compute(shape_.of(g), parents.ids());
  }
  void recompute(const G&&, const immediate_dominator_map<G>&) requires detail::keeps_pointer<G>
  = delete;
  /// The post-dominance frontiers, whatever the object held before.
  constexpr void recompute(const G& g, const post_dominator_tree<G>& tree) {
    map_ = detail::vertex_map<G>(g);
    index_.compute(shape_.of(g), tree.ids());
  }
  void recompute(const G&&, const post_dominator_tree<G>&) requires detail::keeps_pointer<G>
  = delete;

  /// The frontier of v by ascending dense id, each block once. O(1).
  [[nodiscard]] constexpr range of(const vertex& v) const& { return map_.over(index_.of(map_.index(v))); }
  range of(const vertex&) const&& = delete;
  /// Number of blocks in the frontier of v; 0 for unreachable v. O(1).
  [[nodiscard]] constexpr std::size_t size(const vertex& v) const { return index_.size(map_.index(v)); }
  /// x is in the frontier of v. O(log size(v)).
  [[nodiscard]] constexpr bool contains(const vertex& v, const vertex& x) const {
    return index_.contains(map_.index(v), map_.index(x));
  }
  /// Sum of all sizes.
  [[nodiscard]] constexpr std::size_t total_size() const { return index_.total_size(); }
  /// The iterated frontier of `blocks` (duplicates and unreachable blocks among them have no effect), by ascending
  /// dense id. O(blocks of the graph / 32 + sizes of the frontiers of `blocks` and of the result); for many queries on
  /// one graph, or frontiers that are large, see iterated_frontier.
  [[nodiscard]] constexpr std::vector<vertex> iterated(std::span<const vertex> blocks) const {
    std::vector<block_id> from, found;
    for (const vertex& v : blocks) from.push_back(map_.index(v));
    index_.iterated(static_cast<std::vector<block_id>&&>(from), found);
    std::vector<vertex> vertices;
    for (const block_id b : found) vertices.push_back(map_.at(b));
    return vertices;
  }
  /// The same in dense block ids.
  [[nodiscard]] constexpr const detail::dominance_frontier_index<>& ids() const& { return index_; }
  const detail::dominance_frontier_index<>& ids() const&& = delete;

 private:
  detail::vertex_map<G> map_;
  detail::kept_shape<G> shape_;
  detail::dominance_frontier_index<> index_;
};

/// The dominance frontiers of g. \pre the tree was made for g.
template <flow_graph G>
[[nodiscard]] constexpr dominance_frontier_sets<G> dominance_frontiers(const G& g, const dominator_tree<G>& tree) {
  return dominance_frontier_sets<G>(g, tree);
}
/// The same from the parents alone.
template <flow_graph G>
[[nodiscard]] constexpr dominance_frontier_sets<G> dominance_frontiers(const G& g,
                                                                       const immediate_dominator_map<G>& parents) {
  return dominance_frontier_sets<G>(g, parents);
}
/// The same with the parents made for this call.
template <flow_graph G>
[[nodiscard]] constexpr dominance_frontier_sets<G> dominance_frontiers(const G& g) {
  return dominance_frontier_sets<G>(g, immediate_dominator_map<G>(g));
}
template <detail::keeps_pointer G>
dominance_frontier_sets<G> dominance_frontiers(const G&&, const dominator_tree<G>&) = delete;
template <detail::keeps_pointer G>
dominance_frontier_sets<G> dominance_frontiers(const G&&, const immediate_dominator_map<G>&) = delete;
template <detail::keeps_pointer G>
dominance_frontier_sets<G> dominance_frontiers(const G&&) = delete;

/// The post-dominance frontiers of g: for every block the branches that decide whether it runs.
/// \pre the tree was made for g.
template <flow_graph G>
[[nodiscard]] constexpr dominance_frontier_sets<G> post_dominance_frontiers(const G& g,
                                                                            const post_dominator_tree<G>& tree) {
  return dominance_frontier_sets<G>(g, tree);
}
/// The same with a post-dominator tree made for this call.
template <flow_graph G>
[[nodiscard]] constexpr dominance_frontier_sets<G> post_dominance_frontiers(const G& g,
                                                                            post_dominator_options options = {}) {
  return dominance_frontier_sets<G>(g, post_dominator_tree<G>(g, options));
}
template <detail::keeps_pointer G>
dominance_frontier_sets<G> post_dominance_frontiers(const G&&, const post_dominator_tree<G>&) = delete;
template <detail::keeps_pointer G>
dominance_frontier_sets<G> post_dominance_frontiers(const G&&, post_dominator_options = {}) = delete;

/// Answers what the iterated frontier of a set of blocks is, for many sets on one graph, without the frontiers; for
/// example once for every variable when phis are placed. Iterated post-dominance frontiers if made with a
/// post_dominator_tree.
///
/// Blocks outside the tree, the virtual exit: as for dominance_frontier_sets. A query writes to the object, so threads
/// need one each.
template <flow_graph G = csr_graph>
class iterated_frontier {
 public:
  using vertex = vertex_t<G>;                           ///< the graph's own vertex type
  using range = typename detail::vertex_map<G>::range;  ///< vertex_range<G>; for a csr_graph a span of block ids

  /// \pre the tree was made for g; g outlives the object (a csr_graph need not). The tree is not needed any longer.
  /// Complexity: O(blocks + edges).
  constexpr iterated_frontier(const G& g, const dominator_tree<G>& tree) : map_(g) {
    index_.compute(shape_.of(g), tree.ids());
  }
  /// For iterated post-dominance frontiers.
  constexpr iterated_frontier(const G& g, const post_dominator_tree<G>& tree) : map_(g) {
    index_.compute(shape_.of(g), tree.ids());
  }
  iterated_frontier(const G&&, const dominator_tree<G>&) requires detail::keeps_pointer<G>
  = delete;
  iterated_frontier(const G&&, const post_dominator_tree<G>&) requires detail::keeps_pointer<G>
  = delete;

  /// Gets ready for g (the same graph, changed, or another), reusing every buffer.
  constexpr void recompute(const G& g, const dominator_tree<G>& tree) {
    map_ = detail::vertex_map<G>(g);
    index_.compute(shape_.of(g), tree.ids());
  }
  void recompute(const G&&, const dominator_tree<G>&) requires detail::keeps_pointer<G>
  = delete;
  /// The same for iterated post-dominance frontiers.
  constexpr void recompute(const G& g, const post_dominator_tree<G>& tree) {
    map_ = detail::vertex_map<G>(g);
    index_.compute(shape_.of(g), tree.ids());
  }
  void recompute(const G&&, const post_dominator_tree<G>&) requires detail::keeps_pointer<G>
  = delete;

  /// The iterated frontier of `blocks` by ascending dense id. Duplicates in `blocks` have no effect. Valid until the
  /// next query, which it may be the argument of.
  /// Complexity: linear in the edges out of the blocks below `blocks` and the result, plus the depth of the tree and
  /// a 32nd of the blocks.
  [[nodiscard]] constexpr range of(std::span<const vertex> blocks) & {
    return map_.over(index_.find(
        blocks.size(), [&](std::size_t i) { return map_.index(blocks[i]); }, [](block_id) { return true; }));
  }
  range of(std::span<const vertex>) && = delete;
  /// The same without the blocks where the predicate does not hold and without what only they would add: with
  /// live_in(v) = "the variable is live where v begins" these are the blocks that need a phi in pruned SSA form.
  /// `blocks` themselves need not be live. \pre live_in(vertex) -> bool throws nothing and gives the same answer each
  /// time.
  template <class LiveIn>
  [[nodiscard]] constexpr range of(std::span<const vertex> blocks, LiveIn&& live_in) & {
    return map_.over(index_.find(
        blocks.size(), [&](std::size_t i) { return map_.index(blocks[i]); },
        [&](block_id b) { return static_cast<bool>(live_in(map_.at(b))); }));
  }
  template <class LiveIn>
  range of(std::span<const vertex>, LiveIn&&) && = delete;

 private:
  detail::vertex_map<G> map_;
  detail::kept_shape<G> shape_;
  detail::iterated_frontier_index<> index_;
};

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
/// whether one of them runs. By ascending dense id; linear, without the frontiers.
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
