// SPDX-License-Identifier: BSL-1.0
//
// The search for the joins of one branch in the iteration graph, as described in analysis/branch_joins.hpp: labels
// travel along dominance frontiers, which are never stored as sets (path_pieces.hpp).
#pragma once

#include <simtflow/analysis/detail/iteration_graph.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {

// The joins of one branch, as nodes of the iteration graph. Uses memory for the nodes that the search visits only.
template <class Shape = csr_graph>
class join_search {
 public:
  // \pre graph is searchable.
  constexpr void run(const iteration_graph<Shape>& graph, block_id branch) {
    clear();
    for (const block_id x : graph.successors(branch)) {
      const std::uint32_t c = cell_of(x);
      if (cell_[c].label == none) give(graph, c, c);
    }
    // A node that only one label can still reach is no join.
    while (labels_ > 1) {
      const std::uint32_t c = pop();
      const std::uint32_t label = cell_[c].label;
      if (--cell_[label].waiting == 0) --labels_;
      graph.for_each_in_frontier(cell_[c].node, [&](block_id y) { receive(graph, cell_of(y), label); });
    }
  }
  // Calls f(node) for each join found.
  template <class F>
  constexpr void for_each_node(F f) const {
    for (const cell& c : cell_)
      if (c.joined) f(c.node);
  }
  // As above, for blocks, each once: f(block).
  template <class F>
  constexpr void for_each_block(const iteration_graph<Shape>& graph, block_id branch, F f) const {
    for_each_node([&](block_id x) {
      // The header of a loop that is entered apart can be there twice: as an entry, and as the iteration end.
      const block_id y = graph.block(x);
      if (y != x && !graph.loops().contains(graph.loop_of(x), branch))
        if (const std::uint32_t c = slot_[place_of(y)]; c != none && cell_[c].joined) return;
      f(y);
    });
  }

 private:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;
  struct cell {
    block_id node;
    std::uint32_t label;    // the cell of the node that is the label; none: no label yet
    std::uint32_t waiting;  // nodes in the heap that have this one as their label
    bool joined;
  };
  struct entry {
    std::uint32_t number, cell;
  };

  constexpr void give(const iteration_graph<Shape>& graph, std::uint32_t c, std::uint32_t label) {
    cell_[c].label = label;
    wait(label);
    push({graph.number(cell_[c].node), c});
  }
  constexpr void wait(std::uint32_t label) {
    if (cell_[label].waiting++ == 0) ++labels_;
  }
  // The node comes after the one that passes the label on, so it waits or has not been seen.
  constexpr void receive(const iteration_graph<Shape>& graph, std::uint32_t c, std::uint32_t label) {
    if (cell_[c].label == none) return give(graph, c, label);
    if (cell_[c].label == label || cell_[c].joined) return;
    cell_[c].joined = true;
    if (cell_[c].label == c) return;  // a successor of the branch
    if (--cell_[cell_[c].label].waiting == 0) --labels_;
    cell_[c].label = c;
    wait(c);
  }

  // Cells by node: a hash table, at most half of it in use.
  [[nodiscard]] constexpr std::size_t place_of(block_id node) const {
    const std::size_t last = slot_.size() - 1;
    std::size_t at = static_cast<std::size_t>((node * std::uint64_t{0x9E37'79B9'7F4A'7C15U}) >> 32) & last;
    while (slot_[at] != none && cell_[slot_[at]].node != node) at = (at + 1) & last;
    return at;
  }
  constexpr std::uint32_t cell_of(block_id node) {
    if (slot_.size() < 2 * (cell_.size() + 1)) {
      slot_.assign(slot_.empty() ? 32 : 2 * slot_.size(), none);
      for (std::uint32_t c = 0; c < cell_.size(); ++c) slot_[place_of(cell_[c].node)] = c;
    }
    std::uint32_t& slot = slot_[place_of(node)];
    if (slot == none) {
      slot = static_cast<std::uint32_t>(cell_.size());
      cell_.push_back({node, none, 0, false});
    }
    return slot;
  }
  // Linear in the nodes that the last search visited.
  constexpr void clear() {
    if (cell_.size() < slot_.size() / 32)
      for (; !cell_.empty(); cell_.pop_back()) slot_[place_of(cell_.back().node)] = none;
    else
      slot_.assign(slot_.size(), none);
    cell_.clear();
    heap_.clear();
    labels_ = 0;
  }

  // A heap of nodes, the one with the least number on top.
  constexpr void push(entry e) {
    heap_.push_back(e);
    std::size_t at = heap_.size() - 1;
    for (; at != 0 && heap_[at].number < heap_[(at - 1) / 2].number; at = (at - 1) / 2) swap(at, (at - 1) / 2);
  }
  constexpr std::uint32_t pop() {
    const std::uint32_t top = heap_[0].cell;
    heap_[0] = heap_.back();
    heap_.pop_back();
    for (std::size_t at = 0;;) {
      std::size_t least = at;
      for (std::size_t child = 2 * at + 1; child <= 2 * at + 2 && child < heap_.size(); ++child)
        if (heap_[child].number < heap_[least].number) least = child;
      if (least == at) return top;
      swap(at, least);
      at = least;
    }
  }
  constexpr void swap(std::size_t a, std::size_t b) {
    const entry kept = heap_[a];
    heap_[a] = heap_[b];
    heap_[b] = kept;
  }

  std::vector<cell> cell_;
  std::vector<std::uint32_t> slot_;  // a power of two of them
  std::vector<entry> heap_;
  std::uint32_t labels_ = 0;  // different labels in the heap
};

}  // namespace detail

}  // namespace v0
}  // namespace simtflow
