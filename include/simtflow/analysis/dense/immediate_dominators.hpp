// SPDX-License-Identifier: BSL-1.0
//
// Immediate dominators in dense ids, without the tree: what dominators.hpp says of vertices, for blocks.
#pragma once

#include <simtflow/analysis/detail/semi_nca.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace dense {

/// The immediate dominators in dense block ids, without the tree.
template <class Shape = csr_graph>
class basic_immediate_dominator_map {
 public:
  constexpr basic_immediate_dominator_map() = default;                                ///< of the empty graph
  constexpr explicit basic_immediate_dominator_map(const Shape& g) { recompute(g); }  ///< of g; as recompute

  /// Computes the map of g and reuses every buffer. Complexity: as for basic_dominator_tree, about half.
  constexpr void recompute(const Shape& g) {
    if (g.num_blocks() == 0) return clear();
    const detail::row_view view = detail::along_edges(g);
    recompute(view,
              detail::search_root<const block_id*>{static_cast<block_id>(g.num_blocks()), g.entry(), g.entry(),
                                                   view.first(g.entry()), view.last(g.entry())},
              frames_);
  }
  /// The same for whatever a view shows (detail/semi_nca.hpp). `frames` is scratch.
  template <class View>
  constexpr void recompute(const View& view, const detail::search_root<typename View::cursor>& from,
                           std::vector<detail::search_frame<typename View::cursor>>& frames) {
    const block_id num_ids = from.num_ids, root = from.id, root_name = from.name;
    search_.reserve(num_ids);
    block_id* const idoms = search_.tree_parents();
    search_.template run<false>(view, num_ids, root, from.next, from.end, frames, detail::semi_nca<>::default_budget,
                                [=](block_id b, block_id up) { idoms[b] = up == root ? root_name : up; });
    idoms[root] = no_block;
    entry_ = root;
    num_blocks_ = num_ids;
    if (search_.size() != num_ids)
      for (block_id b = 0; b < num_ids; ++b)
        if (!search_.reached(b)) idoms[b] = no_block;
  }
  /// Becomes the map of the empty graph.
  constexpr void clear() {
    entry_ = no_block;
    num_blocks_ = 0;
  }

  /// Immediate dominators by block; no_block for the entry and for unreachable blocks.
  [[nodiscard]] constexpr std::span<const block_id> idoms() const {
    return std::span<const block_id>(search_.tree_parents(), num_blocks_);
  }
  /// The immediate dominator; no_block for the entry and for unreachable b. O(1).
  [[nodiscard]] constexpr block_id idom(block_id b) const {
    SIMTFLOW_EXPECTS(b < num_blocks_, "a question about a block that is not in the graph of this result");
    return search_.tree_parents()[b];
  }
  /// True if the entry reaches b. O(1).
  [[nodiscard]] constexpr bool is_reachable(block_id b) const { return idom(b) != no_block || b == entry_; }
  /// Number of blocks that the last search reached, the root included.
  [[nodiscard]] constexpr block_id num_reached() const { return search_.size(); }
  /// True if the last search reached b.
  [[nodiscard]] constexpr bool reached(block_id b) const { return search_.reached(b); }

 private:
  block_id entry_ = no_block, num_blocks_ = 0;
  detail::semi_nca<> search_;  // keeps the parents in its columns
  std::vector<detail::search_frame<const block_id*>> frames_;
};

/// A basic_immediate_dominator_map of a csr_graph.
using immediate_dominator_map = basic_immediate_dominator_map<>;

}  // namespace dense
}  // namespace v0
}  // namespace simtflow
