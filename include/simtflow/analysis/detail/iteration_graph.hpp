// SPDX-License-Identifier: BSL-1.0
//
// The iteration graph: one iteration of every loop, without a cycle. Its nodes are the blocks and, for each loop, one
// *iteration end*. An edge from a loop to its header leads to the iteration end instead, and the iteration end leads to
// the targets of the loop's exits. analysis/branch_joins.hpp tells what it is good for.
//
// The edges can be quadratic: n nested loops with n exits out of all of them. So of the edges from the iteration end of
// l only those are stored that leave no loop around l. Two facts give the others:
//
//   dominators   are the same without those edges. From the iteration end of l a path leads to the iteration end of the
//                loop around it without leaving that loop; a path that avoids a dominator of s so far avoids it all the
//                way, because no dominator of a block of l comes after l
//   frontiers    the frontier of v has the targets of edges from blocks that v dominates; if v dominates the iteration
//                end of its innermost loop, also the exit targets of the outermost loop around v with a dominated
//                iteration end; but no node that v strictly dominates. (If v dominates other iteration ends, it
//                dominates their loops.)
#pragma once

#include <simtflow/analysis/dense/dominators.hpp>
#include <simtflow/analysis/dense/loops.hpp>
#include <simtflow/analysis/dense/weak_topological_order.hpp>
#include <simtflow/analysis/detail/path_pieces.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/graph/traits.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {

// Rows of successors as a flow graph.
template <class Id = block_id>
struct successor_rows {
  std::vector<Id> begin, target;
  block_id entry = 0;
};

}  // namespace detail

template <class Id>
struct graph_traits<detail::successor_rows<Id>> : integer_vertices<detail::successor_rows<Id>> {
  using rows = detail::successor_rows<Id>;
  static constexpr std::size_t num_vertices(const rows& g) { return g.begin.empty() ? 0 : g.begin.size() - 1; }
  static constexpr block_id entry(const rows& g) { return g.entry; }
  static constexpr std::span<const Id> successors(const rows& g, block_id v) {
    return std::span<const Id>(g.target).subspan(g.begin[v], g.begin[v + 1] - g.begin[v]);
  }
};

namespace detail {

template <class Shape = csr_graph>
class iteration_graph {
 public:
  constexpr void compute(const Shape& g) {
    loops_.recompute(g);
    arrange(g);
  }
  // The same with loops that are known. They are copied: the graph of iterations stands alone.
  constexpr void compute(const Shape& g, const dense::basic_loop_forest<Shape>& loops) {
    loops_ = loops;
    arrange(g);
  }
  // Computes what searches for joins need: the dominator tree and its frontiers. Once for each graph.
  constexpr void make_searchable() {
    if (searchable_) return;
    searchable_ = true;
    const csr_graph& g = shape_.take(rows_);
    tree_.recompute(g);
    frontiers_.compute(
        static_cast<block_id>(tree_.num_reachable()), num_nodes(),
        [&](block_id position) { return tree_.depth(tree_.at(position)); },
        [&](block_id position, auto take) {
          if (const block_id b = tree_.at(position); !is_iteration_end(b))
            for (const block_id y : successors(b)) take(y, tree_.depth(y));
        });
    exits_.compute(
        static_cast<std::uint32_t>(loops_.num_loops()), num_blocks(),
        [&](std::uint32_t i) { return loops_.depth(loop_id{i}); },
        [&](std::uint32_t i, auto take) {
          const loop_id l{i};
          for (const block_id b : loops_.blocks(l)) {  // its own come first, then blocks of inner loops
            if (loops_.innermost(b) != l) break;
            for (const block_id x : successors(b))
              if (const loop_id out = loops_.outermost_without(b, block(x)); out != no_loop)
                take(block(x), loops_.depth(out));
          }
        });
    // Lists the nodes with several predecessors, by immediate dominator.
    first_join_.assign(num_nodes() + 1, 0);
    joins_.assign(num_nodes(), no_block);
    const auto is_join = [&](block_id x) {
      for (const block_id p : g.predecessors(x))
        if (p != g.predecessors(x)[0]) return true;
      return false;
    };
    for (block_id x = 0; x < num_nodes(); ++x)
      if (is_join(x)) ++first_join_[tree_.idom(x) + 1];
    for (std::size_t x = 0; x < num_nodes(); ++x) first_join_[x + 1] += first_join_[x];
    next_.assign(num_nodes(), 0);
    for (block_id x = 0; x < num_nodes(); ++x) {
      if (!is_join(x)) continue;
      const block_id d = tree_.idom(x);
      joins_[first_join_[d] + next_[d]++] = x;
    }
  }

  [[nodiscard]] constexpr std::size_t num_blocks() const { return loops_.num_blocks(); }
  [[nodiscard]] constexpr std::size_t num_nodes() const { return num_blocks() + loops_.num_loops(); }
  [[nodiscard]] constexpr const dense::basic_loop_forest<Shape>& loops() const { return loops_; }
  [[nodiscard]] constexpr bool is_reachable(block_id b) const { return order_.place(b) < order_.steps().size(); }
  // The node that the edge from -> to leads to.
  [[nodiscard]] constexpr block_id node(block_id from, block_id to) const {
    const loop_id l = loops_.innermost(to);
    if (l == no_loop || loops_.header(l) != to || !loops_.contains(l, from)) return to;
    return iteration_end(l);
  }
  [[nodiscard]] constexpr block_id iteration_end(loop_id l) const {
    return static_cast<block_id>(num_blocks()) + index_of(l);
  }
  [[nodiscard]] constexpr bool is_iteration_end(block_id node) const { return node >= num_blocks(); }
  [[nodiscard]] constexpr loop_id loop_of(block_id iteration_end) const {
    return loop_id{iteration_end - static_cast<block_id>(num_blocks())};
  }
  // The block that stands for a node: for an iteration end, the header of its loop.
  [[nodiscard]] constexpr block_id block(block_id node) const {
    return is_iteration_end(node) ? loops_.header(loop_of(node)) : node;
  }
  // The innermost loop that a node is in.
  [[nodiscard]] constexpr loop_id innermost(block_id node) const {
    return is_iteration_end(node) ? loop_of(node) : loops_.innermost(node);
  }
  // Topological.
  [[nodiscard]] constexpr std::uint32_t number(block_id node) const {
    if (!is_iteration_end(node)) return order_.place(node);
    return order_.steps()[order_.place(block(node))].match;
  }
  // For an iteration end only the stored edges.
  [[nodiscard]] constexpr std::span<const block_id> successors(block_id node) const {
    return graph_traits<successor_rows<>>::successors(rows_, node);
  }
  // True if an edge leaves l and no loop around l.
  [[nodiscard]] constexpr bool is_left(loop_id l) const { return !successors(iteration_end(l)).empty(); }

  // Everything below needs make_searchable().
  // Calls f(y) for every node of the dominance frontier of x, perhaps more than once. O(log edges) for each call; exits
  // of a loop around x to nodes that x dominates count too.
  template <class F>
  constexpr void for_each_in_frontier(block_id x, F f) const {
    loop_id l = innermost(x);
    if (!is_iteration_end(x)) {
      const block_id position = tree_.position(x);
      frontiers_.for_each(position, tree_.subtree_end(position), tree_.depth(x), f);
      const auto ends_at = [&](loop_id around) { return tree_.dominates(x, iteration_end(around)); };
      if (l == no_loop || !ends_at(l)) return;
      l = loops_.outermost_while(l, ends_at);
    }
    exits_.for_each(index_of(l), index_of(loops_.end_of_nested(l)), loops_.depth(l), [&](block_id s) {
      const block_id y = node(loops_.header(l), s);
      if (!tree_.strictly_dominates(x, y)) f(y);
    });
  }
  // True if threads in `after` that are in the same iterations as they were in `before` have been there first: no way
  // leads back.
  [[nodiscard]] constexpr bool comes_first(block_id before, block_id after) const {
    return tree_.strictly_dominates(before, after);
  }
  [[nodiscard]] constexpr block_id idom(block_id node) const { return tree_.idom(node); }
  // The nodes with several predecessors and the immediate dominator `node` are joins()[k] for k from first_join(node)
  // to first_join(node + 1) - 1.
  [[nodiscard]] constexpr std::uint32_t first_join(block_id node) const { return first_join_[node]; }
  [[nodiscard]] constexpr std::span<const block_id> joins() const { return std::span<const block_id>(joins_); }

 private:
  // Makes the nodes and edges, once the loops are there.
  constexpr void arrange(const Shape& g) {
    order_.arrange(loops_);
    searchable_ = false;
    const block_id n = static_cast<block_id>(g.num_blocks());
    SIMTFLOW_EXPECTS(n + std::size_t{loops_.num_loops()} < no_block,
                     "blocks and loops together have fewer than 2^32 ids");
    rows_.begin.clear();
    rows_.target.clear();
    rows_.entry = n == 0 ? 0 : g.entry();
    if (n == 0) return;
    for (block_id b = 0; b < n; ++b) {
      rows_.begin.push_back(static_cast<block_id>(rows_.target.size()));
      if (is_reachable(b))
        for (const block_id s : g.successors(b)) rows_.target.push_back(node(b, s));
    }
    add_iteration_ends();
  }
  // Adds the rows of iteration ends: the targets of edges that leave this loop and none around it.
  constexpr void add_iteration_ends() {
    const block_id n = static_cast<block_id>(num_blocks());
    const auto for_each_exit = [&](auto f) {
      for (block_id b = 0; b < n; ++b)
        if (loops_.innermost(b) != no_loop)
          for (const block_id x : successors(b))
            if (const loop_id l = loops_.outermost_without(b, block(x)); l != no_loop) f(l, x);
    };
    next_.assign(loops_.num_loops(), 0);
    rows_.begin.push_back(static_cast<block_id>(rows_.target.size()));
    for_each_exit([&](loop_id l, block_id) { ++next_[index_of(l)]; });
    block_id end = rows_.begin.back();
    for (block_id& next : next_) {
      const block_id begin = end;
      end += next;
      next = begin;
      rows_.begin.push_back(end);
    }
    while (rows_.target.size() < end) rows_.target.push_back(0);
    for_each_exit([&](loop_id l, block_id to) { rows_.target[next_[index_of(l)]++] = to; });
  }

  dense::basic_loop_forest<Shape> loops_;
  dense::basic_weak_topological_order<Shape> order_;
  successor_rows<> rows_;
  bool searchable_ = false;
  dense::dominator_tree tree_;
  path_pieces<> frontiers_;                // of edges between blocks
  path_pieces<> exits_;                    // in the loop forest: where loops are left to, as blocks
  std::vector<std::uint32_t> first_join_;  // by node
  std::vector<block_id> joins_;
  // Workspace, kept for the next computation.
  std::vector<block_id> next_;
  snapshot_buffer<successor_rows<>> shape_;
};

}  // namespace detail

}  // namespace v0
}  // namespace simtflow
