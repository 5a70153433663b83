// SPDX-License-Identifier: BSL-1.0
//
// Iterated dominance frontiers in dense ids, without the frontiers (dominance_frontiers.hpp).
#pragma once

#include <simtflow/analysis/dense/dominators.hpp>
#include <simtflow/analysis/dense/post_dominators.hpp>
#include <simtflow/analysis/detail/block_bits.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace dense {

/// Finds the iterated frontiers of many sets of blocks. A question writes to the object.
template <class Shape = csr_graph>
class basic_iterated_frontier {
 public:
  constexpr basic_iterated_frontier() = default;  ///< of the empty graph
  /// For g and one of the two trees that recompute() takes.
  template <class Tree>
  constexpr basic_iterated_frontier(const Shape& g, const Tree& tree) {
    recompute(g, tree);
  }

  /// Gets ready for questions about dominance frontiers of g and reuses every buffer. O(blocks + edges).
  /// \pre the tree was made for g.
  constexpr void recompute(const Shape& g, const dominator_tree& tree) {
    SIMTFLOW_EXPECTS(tree.num_blocks() == g.num_blocks(), "the tree is of this graph");
    prepare(g.num_blocks(), g.entry(), tree, [&](block_id b) { return g.successors(b); });
  }
  /// The same for post-dominance frontiers.
  constexpr void recompute(const Shape& g, const post_dominator_tree& tree) {
    SIMTFLOW_EXPECTS(tree.num_blocks() == g.num_blocks(), "the tree is of this graph");
    prepare(g.num_blocks(), tree.virtual_exit(), tree.tree(), [&](block_id b) { return g.predecessors(b); });
  }

  /// Number of blocks of the graph, unreachable ones included.
  [[nodiscard]] constexpr std::size_t num_blocks() const { return num_blocks_; }

  /// The iterated frontier of the blocks at(0) .. at(count - 1), ascending, without the blocks for which live(b) is
  /// false and the blocks that only they would add. Valid until the next question; at() may refer to the last answer.
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
      if (detail::has_bit(met_, b)) return;
      detail::set_bit(met_, b);
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
        if (c.level > below.level || detail::has_bit(in_, c.to) || !live(c.to)) continue;
        detail::set_bit(in_, c.to);
        wait(c.to);  // no deeper than x
      }
      cross_[below.first].seen_to = below.end;
    }
    detail::take_bits(in_, found_);
    forget(from_);
    forget(found_);
    return std::span<const block_id>(found_);
  }

 private:
  // An edge of the graph that is no edge of the tree. seen_to: the end of the edges of a subtree that begin here, if
  // that subtree was searched before; else 0.
  struct cross_edge {
    block_id to;
    std::uint32_t level;
    edge_id seen_to;
  };
  // The subtree of a block: its cross edges and the lowest level that a cross edge leads to; the level of the block.
  struct subtree {
    edge_id first, end;
    std::uint32_t level, lowest;
  };

  template <class Targets>
  constexpr void prepare(std::size_t n, block_id root, const dominator_tree& tree, Targets targets) {
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
  std::vector<cross_edge> cross_;  // in preorder of the tree, so that the edges of a subtree are a run
  std::vector<subtree> subtree_;
  // Lists of a query; empty between queries except for the result.
  std::vector<block_id> from_, found_, met_, in_;
  std::vector<block_id> first_, next_;  // lists of the blocks that wait, by level
};

/// A basic_iterated_frontier of a csr_graph.
using iterated_frontier = basic_iterated_frontier<>;

}  // namespace dense
}  // namespace v0
}  // namespace simtflow
