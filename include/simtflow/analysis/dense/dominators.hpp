// SPDX-License-Identifier: BSL-1.0
//
// Dominators in dense ids: what dominators.hpp says of vertices, for blocks.
#pragma once

#include <simtflow/analysis/changed_edge.hpp>
#include <simtflow/analysis/detail/semi_nca.hpp>
#include <simtflow/analysis/detail/tree_columns.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The dense face of the analyses: blocks are dense ids, 0 .. num_blocks() - 1, and absence is a sentinel (no_block,
/// no_loop ...). Results over vertices give theirs by ids().
namespace dense {

/// The dominator tree of the blocks that the entry reaches, in dense block ids. It may follow changes of its graph.
///
/// Blocks have *positions*: their places in a preorder of the tree, so that a subtree is a run of positions.
/// Unreachable blocks have no position, dominate nothing and are dominated by nothing. A question about a block that
/// the graph does not have is a contract violation. Parallel edges and self loops have no effect.
template <class Shape = csr_graph>
class basic_dominator_tree {
 public:
  constexpr basic_dominator_tree() = default;                                ///< of the empty graph
  constexpr explicit basic_dominator_tree(const Shape& g) { recompute(g); }  ///< of g; as recompute

  /// Computes the tree of g and reuses every buffer. `walk_budget`: steps of plain walking for each block, on average,
  /// before the search changes to logarithmic jumps; it has no effect on the result.
  /// Complexity: close to linear in blocks and edges, O(edges log blocks) at worst; no recursion.
  constexpr void recompute(const Shape& g, std::size_t walk_budget = detail::semi_nca<>::default_budget) {
    if (g.num_blocks() == 0) return clear();
    const detail::row_view view = detail::along_edges(g);
    recompute(view,
              detail::search_root<const block_id*>{static_cast<block_id>(g.num_blocks()), g.entry(), g.entry(),
                                                   view.first(g.entry()), view.last(g.entry())},
              frames_, walk_budget);
  }

  /// The same for whatever a view shows (detail/semi_nca.hpp). `frames` is scratch.
  template <class View>
  constexpr void recompute(const View& view, const detail::search_root<typename View::cursor>& from,
                           std::vector<detail::search_frame<typename View::cursor>>& frames,
                           std::size_t walk_budget = detail::semi_nca<>::default_budget) {
    const block_id num_ids = from.num_ids, root = from.id, root_name = from.name;
    tree_.search.reserve(num_ids);
    block_id* const idoms = tree_.search.tree_parents();
    tree_.search.template run<true>(view, num_ids, root, from.next, from.end, frames, walk_budget,
                                    [=](block_id b, block_id up) { idoms[b] = up == root ? root_name : up; });
    idoms[root] = no_block;
    num_blocks_ = num_ids;
    reachable_ = tree_.search.size();
    patched_ = false;
    if (reachable_ != num_ids)
      for (block_id b = 0; b < num_ids; ++b)
        if (!tree_.search.reached(b)) tree_.forget(b);
    block_id* const order = tree_.search.tree_order();
    const auto nodes = tree_.nodes();
    const block_id* const blocks = tree_.search.blocks();
    tree_.search.lay_out([=](block_id slot, block_id position, block_id size, block_id depth) {
      const block_id b = blocks[slot];
      nodes[b].set(position, size, depth);
      order[position] = b;
    });
  }

  /// Becomes the tree of the empty graph.
  constexpr void clear() {
    num_blocks_ = reachable_ = 0;
    patched_ = false;
  }

  /// Follows changes: the graph has `num_blocks` blocks now, and `changed` names every edge that was put in or taken
  /// out. each(b, f) calls f with every successor of b.
  /// \returns the number of blocks with a place in the tree that was computed again. no_block: the tree is as before,
  /// because there would be more than `most_blocks` such blocks, or the entry changed, or the tree was empty;
  /// recompute() it.
  template <class Each>
  constexpr block_id update(std::size_t num_blocks, block_id entry, std::span<const changed_edge<block_id>> changed,
                            std::size_t most_blocks, const Each& each) {
    if (reachable_ == 0 || num_blocks < num_blocks_ || entry != tree_.placed(0)) return no_block;
    tree_.search.reserve(static_cast<block_id>(num_blocks));
    while (num_blocks_ < num_blocks) tree_.forget(num_blocks_++);
    fresh_.clear();
    block_id top = no_block;  // its subtree is to be computed anew
    const auto widen = [&](block_id b) { top = top == no_block ? b : nearest_common(top, b); };
    for (const changed_edge<block_id>& e : changed) {
      if (!is_reachable(e.from) || e.to == entry) continue;
      if (is_reachable(e.to)) {
        if (dominates(e.to, e.from)) continue;  // no path needs an edge back to a dominator
        widen(e.from);
        widen(e.to);
        continue;
      }
      bool there = false;
      each(e.from, [&](block_id s) { there = there || s == e.to; });
      if (!there) continue;
      widen(e.from);
      discover(e.to, each);
    }
    if (top == no_block) return 0;
    for (const block_id x : fresh_)
      each(x, [&](block_id s) {
        if (is_reachable(s) && !dominates(s, top)) widen(s);
      });
    while (true) {
      if (tree_.node(top).size() + fresh_.size() > most_blocks) {
        for (const block_id x : fresh_) tree_.forget(x);
        return no_block;
      }
      copy_region(top, each);
      const detail::row_view view{region_begin_.data(), region_target_.data()};
      const block_id n = static_cast<block_id>(region_.size());
      tree_.search.template run<true>(view, n, 0, view.first(0), view.last(0), frames_,
                                      detail::semi_nca<>::default_budget, [](block_id, block_id) {});
      if (tree_.search.size() == n || !lost_blocks_reach_out(top, n, each, widen)) break;
    }
    put_back(top);
    return static_cast<block_id>(region_.size());
  }

  /// Number of blocks of the graph, unreachable ones included.
  [[nodiscard]] constexpr std::size_t num_blocks() const { return num_blocks_; }
  /// Number of blocks in the tree.
  [[nodiscard]] constexpr std::size_t num_reachable() const { return reachable_; }
  /// The root of the tree; no_block if the graph is empty.
  [[nodiscard]] constexpr block_id entry() const { return reachable_ == 0 ? no_block : tree_.placed(0); }
  /// Immediate dominators by block; no_block for the entry and for unreachable blocks.
  [[nodiscard]] constexpr std::span<const block_id> idoms() const {
    return std::span<const block_id>(tree_.search.tree_parents(), num_blocks_);
  }
  /// The immediate dominator; no_block for the entry and for unreachable b. O(1).
  [[nodiscard]] constexpr block_id idom(block_id b) const { return tree_.up(checked(b)); }
  /// True if the entry reaches b. O(1).
  [[nodiscard]] constexpr bool is_reachable(block_id b) const { return tree_.node(checked(b)).size() != 0; }

  /// True if every path from the entry to b contains a; false if either is unreachable. O(1).
  // An unreachable b has position 2^32 - 1 and an unreachable a has size 0: one unsigned comparison says no to both.
  [[nodiscard]] constexpr bool dominates(block_id a, block_id b) const {
    const auto above = tree_.node(checked(a));
    return tree_.node(checked(b)).position() - above.position() < above.size();
  }
  /// True if dominates(a, b) and a is not b. O(1).
  [[nodiscard]] constexpr bool strictly_dominates(block_id a, block_id b) const { return a != b && dominates(a, b); }
  /// Number of strict dominators; 0 for the entry and for unreachable b. O(1).
  [[nodiscard]] constexpr std::uint32_t depth(block_id b) const { return tree_.node(checked(b)).depth(); }
  /// The parent of b in the tree: the immediate dominator, also where idom() has no name for it (the virtual exit of a
  /// post-dominator tree). O(1).
  [[nodiscard]] constexpr block_id parent(block_id b) const {
    const block_id above = tree_.up(checked(b));
    return above == no_block && is_reachable(b) && b != tree_.placed(0) ? tree_.placed(0) : above;
  }
  /// The deepest block that dominates both; no_block if either is unreachable. O(depth).
  [[nodiscard]] constexpr block_id nearest_common(block_id a, block_id b) const {
    if (!is_reachable(a) || !is_reachable(b)) return no_block;
    while (!dominates(a, b)) {
      a = tree_.up(a);
      if (a == no_block) return tree_.placed(0);
    }
    return a;
  }
  /// The blocks that b dominates, in preorder: b first; empty for unreachable b. O(1).
  [[nodiscard]] constexpr std::span<const block_id> dominated_by(block_id b) const {
    const auto found = tree_.node(checked(b));
    if (found.size() == 0) return {};
    return std::span<const block_id>(tree_.search.tree_order() + found.position(), found.size());
  }
  /// The position of b; no_block if it is unreachable. O(1).
  [[nodiscard]] constexpr block_id position(block_id b) const { return tree_.node(checked(b)).position(); }
  /// The block at a position. \pre position < num_reachable(). O(1).
  [[nodiscard]] constexpr block_id at(block_id position) const { return tree_.placed(position); }
  /// The position past the subtree of the block at `position`: where its next sibling stands, if it has one. O(1).
  [[nodiscard]] constexpr block_id subtree_end(block_id position) const {
    return position + tree_.node(tree_.placed(position)).size();
  }

  /// True if rpo() may be asked for: update() has not patched the tree since it was computed whole.
  [[nodiscard]] constexpr bool has_rpo() const { return !patched_; }
  /// The reachable blocks in listed-order reverse post-order (order.hpp). Linear. \pre has_rpo().
  [[nodiscard]] constexpr std::vector<block_id> rpo() const {
    std::vector<block_id> order;
    rpo(order);
    return order;
  }
  /// The same into `order`, which keeps its buffer.
  constexpr void rpo(std::vector<block_id>& order) const {
    SIMTFLOW_EXPECTS(has_rpo(), "the order of a tree that update() has patched is not known; depth_first(g) has it");
    order.clear();
    if (reachable_ != 0) tree_.search.rpo(order);
  }

  /// Number of blocks that the last search reached, the root included.
  [[nodiscard]] constexpr block_id num_reached() const { return tree_.search.size(); }
  /// True if the last search reached b.
  [[nodiscard]] constexpr bool reached(block_id b) const { return tree_.search.reached(b); }

 private:
  [[nodiscard]] constexpr block_id checked(block_id b) const {
    SIMTFLOW_EXPECTS(b < num_blocks_, "a question about a block that is not in the graph of this result");
    return b;
  }
  // Blocks that become reachable are marked by depth 1 and size 0; their idom is their place in fresh_.
  constexpr bool is_fresh(block_id b) const { return tree_.node(b).size() == 0 && tree_.node(b).depth() == 1; }
  constexpr void add_fresh(block_id b) {
    tree_.up(b) = static_cast<block_id>(fresh_.size());
    tree_.node(b).depth() = 1;
    fresh_.push_back(b);
  }
  template <class Each>
  constexpr void discover(block_id b, const Each& each) {
    if (is_fresh(b)) return;
    std::size_t next = fresh_.size();
    add_fresh(b);
    for (; next < fresh_.size(); ++next)
      each(fresh_[next], [this](block_id s) {
        if (!is_reachable(s) && !is_fresh(s)) add_fresh(s);
      });
  }

  // The subtree of `top` and the fresh blocks as a graph of their own, without the edges that leave.
  template <class Each>
  constexpr void copy_region(block_id top, const Each& each) {
    const std::span<const block_id> old = dominated_by(top);
    region_.assign(old.begin(), old.end());
    region_.insert(region_.end(), fresh_.begin(), fresh_.end());
    region_begin_.assign(1, 0);
    region_target_.clear();
    for (const block_id b : region_) {
      each(b, [&](block_id s) {
        if (dominates(top, s))
          region_target_.push_back(tree_.node(s).position() - tree_.node(top).position());
        else if (is_fresh(s))
          region_target_.push_back(static_cast<block_id>(old.size()) + tree_.up(s));
      });
      region_begin_.push_back(static_cast<block_id>(region_target_.size()));
    }
  }

  // Whether blocks that are not reached any more had an edge to a block outside that another path reaches.
  template <class Each, class Widen>
  constexpr bool lost_blocks_reach_out(block_id top, block_id n, const Each& each, const Widen& widen) {
    bool out = false;
    for (block_id i = 0; i < n; ++i)
      if (!tree_.search.reached(i))
        each(region_[i], [&](block_id s) {
          if (!is_reachable(s) || dominates(top, s) || dominates(s, top)) return;
          widen(s);
          out = true;
        });
    return out;
  }

  constexpr void put_back(block_id top) {
    const block_id position = tree_.node(top).position(), depth = tree_.node(top).depth(),
                   before = tree_.node(top).size(), now = tree_.search.size();
    for (const block_id b : region_)
      if (b != top) tree_.forget(b);
    if (now != before) {
      for (block_id a = tree_.up(top); a != no_block; a = tree_.up(a)) tree_.node(a).size() += now - before;
      const block_id end = reachable_, tail = position + before;
      if (now > before)
        for (block_id i = end; i-- > tail;) move_to(i, i + (now - before));
      else
        for (block_id i = tail; i < end; ++i) move_to(i, i - (before - now));
      reachable_ += now - before;
    }
    patched_ = true;
    tree_.search.lay_out([&](block_id slot, block_id at, block_id size, block_id levels) {
      const block_id b = region_[tree_.search.blocks()[slot]];
      tree_.node(b).set(position + at, size, depth + levels);
      tree_.placed(position + at) = b;
      if (slot != 0) tree_.up(b) = region_[tree_.search.blocks()[tree_.search.idom(slot)]];
    });
  }
  constexpr void move_to(block_id from, block_id to) {
    tree_.placed(to) = tree_.placed(from);
    tree_.node(tree_.placed(to)).position() = to;
  }

  block_id num_blocks_ = 0, reachable_ = 0;
  bool patched_ = false;  // by update(): the search has seen a part of the graph last
  detail::tree_columns tree_;
  // Workspace, kept for the next computation.
  std::vector<detail::search_frame<const block_id*>> frames_;
  std::vector<block_id> fresh_, region_, region_begin_, region_target_;
};

/// A basic_dominator_tree of a csr_graph.
using dominator_tree = basic_dominator_tree<>;

}  // namespace dense
}  // namespace v0
}  // namespace simtflow
