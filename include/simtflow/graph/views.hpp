// SPDX-License-Identifier: BSL-1.0
//
// Graphs made from graphs: reversed, filtered, with one common exit. Each is a csr_graph of its own, linear to make:
// nothing refers to the original, so nothing can dangle.
//
//   endless block    a block from which no exit can be reached
//   terminal loop    a strongly connected set of blocks that no edge leaves and that contains no exit; every endless
//                    block reaches one. Its *first* block is the first in reverse post-order of the forward graph
//                    (successors in slot order), that is, where the search from the entry comes in.
//
// Literature: Tarjan, Depth-First Search and Linear Graph Algorithms, SIAM J. Comput. 1972 (strongly connected sets).
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>

#include <cstddef>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The meaning of endless blocks if all control is to end in one virtual exit.
enum class infinite_loops : unsigned char {
  virtual_edge,  ///< the first block of every terminal loop gets an edge to the virtual exit: every block reaches it,
                 ///< and a branch with an endless arm meets its other arm at the virtual exit only
  ignore         ///< no edge is added: endless blocks do not reach the virtual exit
};

namespace detail {

/// Finds terminal loops; keeps its memory for the next graph.
class terminal_loop_search {
 public:
  /// The first block of every terminal loop, ascending. Loops that the entry does not reach are listed too, searched in
  /// the order of their ids. Good until the next call. O(blocks + edges), no recursion.
  constexpr const std::vector<block_id>& of(const csr_graph& g) {
    const std::size_t n = g.num_blocks();
    for (std::vector<block_id>* column : {&order_, &low_, &slot_, &above_, &leaves_, &open_, &first_})
      column->assign(n, 0);
    clock_ = 0;
    stack_.clear();
    for (std::size_t i = 0; i <= n; ++i) {  // the entry first, then what it does not reach
      const block_id b = i == 0 ? g.entry() : static_cast<block_id>(i - 1);
      if (b != no_block && order_[b] == 0) search(g, b);
    }
    found_.clear();
    for (block_id b = 0; b < n; ++b)
      if (first_[b]) found_.push_back(b);
    return found_;
  }

 private:
  constexpr void enter(const csr_graph& g, block_id b, block_id from) {
    order_[b] = low_[b] = ++clock_;
    above_[b] = from;
    open_[b] = 1;
    leaves_[b] = g.is_exit(b) ? 1 : 0;
    stack_.push_back(b);
  }

  constexpr void search(const csr_graph& g, block_id b) {
    enter(g, b, no_block);
    while (b != no_block) {
      if (slot_[b] < g.successors(b).size()) {
        const block_id s = g.successors(b)[slot_[b]++];
        if (order_[s] == 0) {
          enter(g, s, b);
          b = s;
        } else if (open_[s]) {
          if (order_[s] < low_[b]) low_[b] = order_[s];
        } else {
          leaves_[b] = 1;
        }
        continue;
      }
      const bool complete = low_[b] == order_[b];
      if (complete) {
        first_[b] = leaves_[b] ^ 1U;
        for (block_id member = no_block; member != b;) {
          member = stack_.back();
          stack_.pop_back();
          open_[member] = 0;
        }
      }
      const block_id parent = above_[b];
      if (parent != no_block) {
        if (low_[b] < low_[parent]) low_[parent] = low_[b];
        if (complete || leaves_[b]) leaves_[parent] = 1;  // a complete set below is somewhere else to go
      }
      b = parent;
    }
  }

  block_id clock_ = 0;
  std::vector<block_id> order_;   // of discovery, from 1; 0: not discovered
  std::vector<block_id> low_;     // the lowest order among what the block reaches on the stack
  std::vector<block_id> slot_;    // the next successor to look at
  std::vector<block_id> above_;   // the block that the search came from
  std::vector<block_id> leaves_;  // an exit, or an edge to a complete set, was found at the block or below it
  std::vector<block_id> open_;    // on the stack
  std::vector<block_id> first_;   // the block is the first of a terminal loop
  std::vector<block_id> stack_;   // blocks of incomplete sets
  std::vector<block_id> found_;
};

[[nodiscard]] constexpr std::vector<block_id> terminal_loops(const csr_graph& g) {
  return terminal_loop_search().of(g);
}

}  // namespace detail

/// g with every edge turned round and one virtual exit, block g.num_blocks(), as the entry. The virtual exit has an
/// edge to every exit of g and, by default, to the first block of every terminal loop (in this order, each ascending);
/// other slots are in the order of g's edge ids. The blocks that the new entry reaches are those that reach an exit
/// (all, by default). The entry of g is marked as an exit.
///
/// Unreachable blocks of g: reversed like all others; they can be told by g only. Empty g: the virtual exit alone.
/// Complexity: O(blocks + edges).
[[nodiscard]] constexpr csr_graph reversed(const csr_graph& g, infinite_loops endless = infinite_loops::virtual_edge) {
  const std::size_t n = g.num_blocks();
  const block_id exit = static_cast<block_id>(n);
  csr_builder builder(n + 1, exit);
  for (block_id b = 0; b < n; ++b)
    for (const block_id p : g.predecessors(b)) builder.add_edge(b, p);
  for (block_id b = 0; b < n; ++b)
    if (g.is_exit(b)) builder.add_edge(exit, b);
  if (endless == infinite_loops::virtual_edge)
    for (const block_id b : detail::terminal_loops(g)) builder.add_edge(exit, b);
  if (n > 0) builder.mark_exit(g.entry());
  return builder.build();
}

/// g with one more block, the virtual exit g.num_blocks(), as the only exit: every exit of g and, by default, the first
/// block of every terminal loop has an edge to it in its last slot. reversed(g) has the same edges, turned round.
/// Empty g: the virtual exit alone, as the entry. Complexity: O(blocks + edges).
[[nodiscard]] constexpr csr_graph with_virtual_exit(const csr_graph& g,
                                                    infinite_loops endless = infinite_loops::virtual_edge) {
  const std::size_t n = g.num_blocks();
  const block_id exit = static_cast<block_id>(n);
  csr_builder builder(n + 1, n > 0 ? g.entry() : exit);
  for (block_id b = 0; b < n; ++b)
    for (const block_id s : g.successors(b)) builder.add_edge(b, s);
  for (block_id b = 0; b < n; ++b)
    if (g.is_exit(b)) builder.add_edge(b, exit);
  if (endless == infinite_loops::virtual_edge)
    for (const block_id b : detail::terminal_loops(g)) builder.add_edge(b, exit);
  return builder.build();
}

/// g with only the edges for which keep(edge_id) is true; the slots that are left move up. Blocks stay, reached or not.
/// A block that loses its last successor becomes an exit, as every block without successors. Complexity: O(blocks +
/// edges).
template <class P>
[[nodiscard]] constexpr csr_graph filtered(const csr_graph& g, P keep) {
  const std::size_t n = g.num_blocks();
  csr_builder builder(n, n > 0 ? g.entry() : 0);
  for (block_id b = 0; b < n; ++b) {
    if (g.is_exit(b)) builder.mark_exit(b);
    edge_id e = g.first_edge(b);
    for (const block_id s : g.successors(b))
      if (keep(e++)) builder.add_edge(b, s);
  }
  return builder.build();
}

/// The same for any graph, over the blocks of its snapshot.
template <flow_graph G>
[[nodiscard]] constexpr csr_graph reversed(const G& g, infinite_loops endless = infinite_loops::virtual_edge) {
  return reversed(snapshot(g), endless);
}

/// The same for any graph, over the blocks of its snapshot.
template <flow_graph G>
[[nodiscard]] constexpr csr_graph with_virtual_exit(const G& g, infinite_loops endless = infinite_loops::virtual_edge) {
  return with_virtual_exit(snapshot(g), endless);
}

}  // namespace v0
}  // namespace simtflow
