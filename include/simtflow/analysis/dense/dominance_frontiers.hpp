// SPDX-License-Identifier: BSL-1.0
//
// Dominance frontiers in dense ids: what dominance_frontiers.hpp says of vertices, for blocks.
#pragma once

#include <simtflow/analysis/dense/dominators.hpp>
#include <simtflow/analysis/dense/immediate_dominators.hpp>
#include <simtflow/analysis/detail/block_bits.hpp>
#include <simtflow/config.hpp>
#include <simtflow/detail/search.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace dense {

template <class Shape>
class basic_post_dominator_tree;  // dense/post_dominators.hpp

/// The frontier of every block: dominance frontiers if made with a dominator tree, post-dominance frontiers if made
/// with a post-dominator tree.
// Most frontiers have a few members, so every block has a short row of its own; members that do not fit go to a list on
// the side and, at the end, into long rows.
template <class Shape = csr_graph>
class basic_dominance_frontier_sets {
 public:
  constexpr basic_dominance_frontier_sets() = default;  ///< of the empty graph
  /// For g and one of the three trees that recompute() takes.
  template <class Tree>
  constexpr basic_dominance_frontier_sets(const Shape& g, const Tree& tree) {
    recompute(g, tree);
  }

  /// Computes the dominance frontiers of g and reuses every buffer. \pre the tree was made for g.
  /// Complexity: O(blocks + edges + total_size()), total_size() <= blocks^2.
  constexpr void recompute(const Shape& g, const dominator_tree& tree) {
    SIMTFLOW_EXPECTS(tree.num_blocks() == g.num_blocks(), "the tree is of this graph");
    fill(tree.idoms(), g.predecessor_offsets(), g.sources(), g.entry(), tree.num_reachable() == g.num_blocks(),
         [&](block_id b) { return tree.is_reachable(b); });
  }
  /// The same from the parents alone.
  constexpr void recompute(const Shape& g, const immediate_dominator_map& map) {
    SIMTFLOW_EXPECTS(map.idoms().size() == g.num_blocks(), "the immediate dominators are of this graph");
    fill(map.idoms(), g.predecessor_offsets(), g.sources(), g.entry(),
         g.num_blocks() == 0 || map.num_reached() == g.num_blocks(), [&](block_id b) { return map.is_reachable(b); });
  }
  /// Computes the post-dominance frontiers of g.
  // An edge to the virtual exit only makes its block a branch: it leads to the block's immediate post-dominator.
  template <class S>
  constexpr void recompute(const Shape& g, const basic_post_dominator_tree<S>& tree) {
    SIMTFLOW_EXPECTS(tree.num_blocks() == g.num_blocks(), "the tree is of this graph");
    fill(tree.ipdoms(), g.successor_offsets(), g.targets(), no_block, tree.tree().num_reachable() == g.num_blocks() + 1,
         [&](block_id b) { return tree.tree().is_reachable(b); });
  }

  /// Number of blocks of the graph, unreachable ones included.
  [[nodiscard]] constexpr std::size_t num_blocks() const { return num_blocks_; }
  /// The frontier of b, ascending, each block once; empty for a block outside the tree. O(1).
  [[nodiscard]] constexpr std::span<const block_id> of(block_id b) const {
    const std::uint32_t n = cell_[checked(b)].size;
    return std::span<const block_id>(n <= short_row ? short_.data() + short_row * b : long_.data() + begin_[b], n);
  }
  /// Number of blocks in the frontier of b. O(1).
  [[nodiscard]] constexpr std::size_t size(block_id b) const { return cell_[checked(b)].size; }
  /// Sum of all sizes.
  [[nodiscard]] constexpr std::size_t total_size() const { return total_; }
  /// True if x is in the frontier of b. O(log size(b)).
  [[nodiscard]] constexpr bool contains(block_id b, block_id x) const {
    const std::span<const block_id> f = of(b);
    return detail::holds_sorted(f, checked(x));
  }
  /// Appends the iterated frontier of `from`, ascending, to `found`. O(blocks / 32 + sizes of the frontiers of `from`
  /// and of the result).
  constexpr void iterated(std::vector<block_id> from, std::vector<block_id>& found) const {
    std::vector<block_id> met, in;
    met.assign((num_blocks_ + 31) / 32, 0);
    in.assign((num_blocks_ + 31) / 32, 0);
    for (const block_id b : from) detail::set_bit(met, checked(b));
    while (!from.empty()) {
      const block_id b = from.back();
      from.pop_back();
      for (const block_id y : of(b)) {
        detail::set_bit(in, y);
        if (detail::has_bit(met, y)) continue;
        detail::set_bit(met, y);
        from.push_back(y);
      }
    }
    detail::take_bits(in, found);
  }

 private:
  struct cell {
    std::uint32_t seen;  // 1 + the join that was put into the frontier last, or outside
    std::uint32_t size;
  };
  struct pair {
    block_id of, member;
  };
  static constexpr std::uint32_t outside = 0xFFFF'FFFFU;
  static constexpr std::size_t short_row = 4;

  [[nodiscard]] constexpr block_id checked(block_id b) const {
    SIMTFLOW_EXPECTS(b < num_blocks_, "a question about a block that is not in the graph of this result");
    return b;
  }

  // `tree` holds immediate (post-)dominators; the sources of the edges into b (against the direction of the tree) are
  // source[offset[b] .. offset[b + 1]]. The root of the tree has an edge into it that is no edge of the graph: into
  // `entry` or, if that is no_block, into all blocks with a parent that is no block. `complete`: every block is in the
  // tree.
  template <class InTree>
  constexpr void fill(std::span<const block_id> tree, std::span<const edge_id> offset, std::span<const block_id> source,
                      block_id entry, bool complete, const InTree& in_tree) {
    const block_id n = static_cast<block_id>(tree.size());
    num_blocks_ = n;
    total_ = 0;
    spilled_.clear();
    if (cell_.size() <= n) {  // columns only ever grow
      cell_.assign(std::size_t{n} + 1, cell{0, 0});
      join_.assign(std::size_t{n} + 1, no_block);
      short_.assign(short_row * (std::size_t{n} + 1), no_block);
    }
    const block_id* const up = tree.data();
    const edge_id* const into = offset.data();
    const block_id* const from = source.data();
    cell* const cells = cell_.data();
    block_id* const joins = join_.data();
    std::size_t num_joins = 0;
    for (block_id b = 0; b < n; ++b) {  // which blocks are joins is hard to predict, so no branch asks
      cells[b] = {0, 0};
      joins[num_joins] = b;  // kept if b is a join
      const bool top = entry != no_block ? b == entry : up[b] == no_block;
      num_joins += into[b + 1] - into[b] + top > 1;
    }
    if (!complete)
      for (block_id b = 0; b < n; ++b)
        if (up[b] == no_block && !in_tree(b)) cells[b].seen = outside;

    block_id* const rows = short_.data();
    for (std::size_t i = 0; i < num_joins; ++i) {
      const block_id join = joins[i], stop = up[join];
      if (cells[join].seen == outside) continue;
      for (edge_id e = into[join]; e < into[join + 1]; ++e)
        // Walks up to the stop, or to a block where a walk for this join has been. Joins ascend, so later joins have no
        // marks.
        for (block_id x = from[e]; x != stop && cells[x].seen <= join; x = up[x]) {
          cells[x].seen = join + 1;
          const std::uint32_t place = cells[x].size++;
          ++total_;
          if (place < short_row)
            rows[short_row * x + place] = join;
          else
            spilled_.push_back({x, join});
        }
    }
    if (!spilled_.empty()) make_long_rows();
  }

  constexpr void make_long_rows() {
    if (begin_.size() < num_blocks_) begin_.assign(num_blocks_, 0);
    std::size_t end = 0;
    for (block_id b = 0; b < num_blocks_; ++b) {
      if (cell_[b].size <= short_row) continue;
      begin_[b] = end;
      end += cell_[b].size;
    }
    if (long_.size() < end) long_.assign(end, no_block);
    for (block_id b = 0; b < num_blocks_; ++b) {
      if (cell_[b].size <= short_row) continue;
      for (std::size_t k = 0; k < short_row; ++k) long_[begin_[b] + k] = short_[short_row * b + k];
      cell_[b].seen = short_row;  // how much of the row is there
    }
    for (const pair& p : spilled_) long_[begin_[p.of] + cell_[p.of].seen++] = p.member;
  }

  std::size_t num_blocks_ = 0, total_ = 0;
  std::vector<cell> cell_;
  std::vector<block_id> short_, long_;
  std::vector<std::size_t> begin_;  // of long rows
  // Workspace, kept for the next computation.
  std::vector<block_id> join_;
  std::vector<pair> spilled_;
};

/// A basic_dominance_frontier_sets of a csr_graph.
using dominance_frontier_sets = basic_dominance_frontier_sets<>;

}  // namespace dense
}  // namespace v0
}  // namespace simtflow
