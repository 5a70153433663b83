// SPDX-License-Identifier: BSL-1.0
//
// Post-dominators in dense ids: what post_dominators.hpp says of vertices, for blocks. The virtual exit is called
// num_blocks() where a tree needs a name for it, and no_block in every answer.
#pragma once

#include <simtflow/analysis/dense/dominators.hpp>
#include <simtflow/analysis/dense/immediate_dominators.hpp>
#include <simtflow/analysis/detail/exit_search.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/views.hpp>

#include <cstddef>
#include <span>

namespace simtflow {
inline namespace v0 {

/// The meaning of post-dominance where threads may never end.
struct post_dominator_options {
  /// The meaning of blocks that reach neither an exit nor one of `roots`.
  infinite_loops endless = infinite_loops::virtual_edge;
  /// Blocks (dense ids) that get an edge to the virtual exit as if threads could end there; unreachable ones and exits
  /// among them change nothing. Has to outlive the call only.
  std::span<const block_id> roots{};
};

namespace dense {

/// The post-dominator tree of the blocks that the entry reaches; its root is the virtual exit.
template <class Shape = csr_graph>
class basic_post_dominator_tree {
 public:
  constexpr basic_post_dominator_tree() = default;  ///< of the empty graph
  constexpr explicit basic_post_dominator_tree(const Shape& g, post_dominator_options options = {}) {
    recompute(g, options);
  }  ///< of g; as recompute

  /// Computes the tree of g and reuses every buffer. Complexity: as for basic_dominator_tree.
  constexpr void recompute(const Shape& g, post_dominator_options options = {}) {
    num_blocks_ = static_cast<block_id>(g.num_blocks());
    search_.compute(g, options, tree_);
  }

  /// Number of blocks of the graph, without the virtual exit.
  [[nodiscard]] constexpr std::size_t num_blocks() const { return num_blocks_; }
  /// The id of the virtual exit: num_blocks().
  [[nodiscard]] constexpr block_id virtual_exit() const { return num_blocks_; }
  /// Immediate post-dominators by block; no_block stands for the virtual exit and for blocks outside the tree.
  [[nodiscard]] constexpr std::span<const block_id> ipdoms() const { return tree_.idoms().first(num_blocks_); }
  /// The immediate post-dominator; no_block as in ipdoms(). O(1).
  [[nodiscard]] constexpr block_id ipdom(block_id b) const { return tree_.idom(checked(b)); }
  /// True if the entry reaches b. O(1).
  [[nodiscard]] constexpr bool is_reachable(block_id b) const { return search_.is_reachable(checked(b)); }
  /// True if the entry reaches b, and b reaches an exit of the graph or a root that the options name. O(1).
  [[nodiscard]] constexpr bool reaches_exit(block_id b) const { return search_.reaches_exit(checked(b)); }
  /// True if every path from b to the virtual exit contains a; false outside the tree. O(1).
  [[nodiscard]] constexpr bool post_dominates(block_id a, block_id b) const {
    return tree_.dominates(checked(a), checked(b));
  }
  /// The first block that post-dominates both; no_block if that is the virtual exit or either is outside the tree.
  /// O(depth).
  [[nodiscard]] constexpr block_id nearest_common(block_id a, block_id b) const {
    const block_id c = tree_.nearest_common(checked(a), checked(b));
    return c == virtual_exit() ? no_block : c;
  }
  /// The dominator tree of the reversed graph; its root is virtual_exit(), which idom() calls no_block.
  [[nodiscard]] constexpr const dominator_tree& tree() const { return tree_; }

 private:
  [[nodiscard]] constexpr block_id checked(block_id b) const {
    SIMTFLOW_EXPECTS(b < num_blocks_, "a question about a block that is not in the graph of this result");
    return b;
  }

  block_id num_blocks_ = 0;
  detail::exit_search<Shape> search_;
  dominator_tree tree_;
};

/// A basic_post_dominator_tree of a csr_graph.
using post_dominator_tree = basic_post_dominator_tree<>;

/// The immediate post-dominators in dense block ids, without the tree.
template <class Shape = csr_graph>
class basic_immediate_post_dominator_map {
 public:
  constexpr basic_immediate_post_dominator_map() = default;  ///< of the empty graph
  constexpr explicit basic_immediate_post_dominator_map(const Shape& g, post_dominator_options options = {}) {
    recompute(g, options);
  }  ///< of g; as recompute

  /// Computes the map of g and reuses every buffer. Complexity: as for basic_post_dominator_tree, about half.
  constexpr void recompute(const Shape& g, post_dominator_options options = {}) {
    num_blocks_ = static_cast<block_id>(g.num_blocks());
    search_.compute(g, options, up_);
  }
  /// Immediate post-dominators by block, as basic_post_dominator_tree::ipdoms().
  [[nodiscard]] constexpr std::span<const block_id> ipdoms() const { return up_.idoms().first(num_blocks_); }
  /// The immediate post-dominator; no_block as in ipdoms(). O(1).
  [[nodiscard]] constexpr block_id ipdom(block_id b) const {
    SIMTFLOW_EXPECTS(b < num_blocks_, "a question about a block that is not in the graph of this result");
    return up_.idom(b);
  }

 private:
  block_id num_blocks_ = 0;
  detail::exit_search<Shape> search_;
  immediate_dominator_map up_;
};

/// A basic_immediate_post_dominator_map of a csr_graph.
using immediate_post_dominator_map = basic_immediate_post_dominator_map<>;

}  // namespace dense
}  // namespace v0
}  // namespace simtflow
