// SPDX-License-Identifier: BSL-1.0
//
// Cycle-equivalent edges: two edges are equivalent if every cycle has both or none. The virtual exit leads back to the
// entry. The classes are found on the undirected graph by lists of brackets, in linear time (R. Johnson, D. Pearson,
// K. Pingali, The program structure tree, 1994).
#pragma once

#include <simtflow/analysis/ends.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

// Edges in a row: the edges of the graph by edge id, then one place per block for its edge to the virtual exit, then
// the start edge. The virtual exit is the block after the last one.
template <class Shape>
class cycle_equivalence {
 public:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;

  // Computes the classes of the edges that the entry reaches. O(blocks + edges); no recursion.
  constexpr void compute(const Shape& g, const end_index<Shape>& ends) {
    connect(g, ends);
    search();
    classify();
  }

  std::uint32_t num_edges = 0, start = 0;  // the edges of the graph; the place of the start edge
  std::vector<std::uint32_t> slot_0;       // by block: its first edge; one more at the end
  std::vector<std::uint32_t> from, to;     // by edge; none: the entry does not reach it
  std::vector<std::uint32_t> class_of;     // by edge; none: the entry does not reach it
  std::uint32_t num_classes = 0;

 private:
  struct bracket {
    std::uint32_t above = none, below = none;
    std::uint32_t seen_size = none, seen_class = none;  // when it was last on top
    std::uint32_t next_cap = none;
  };
  struct list {
    std::uint32_t top = none, bottom = none, size = 0;
    std::uint32_t first = none, second = none;  // the two highest ends that subtrees reach
    std::uint32_t caps = none;                  // capping edges that end here
  };

  // The edges that the entry reaches, as an undirected graph: around every block the edges that it is an end of.
  constexpr void connect(const Shape& g, const end_index<Shape>& ends) {
    const std::uint32_t n = static_cast<std::uint32_t>(g.num_blocks());
    num_edges = static_cast<std::uint32_t>(g.num_edges());
    start = num_edges + n;
    slot_0.assign(n + 1, num_edges);
    from.assign(start + 1, none);
    to.assign(start + 1, none);
    around_begin_.assign(n + 2, 0);
    for (block_id b = 0; b < n; ++b) {
      slot_0[b] = g.first_edge(b);
      if (!ends.is_reachable(b)) continue;
      std::uint32_t e = slot_0[b];
      for (const block_id s : g.successors(b)) set(e++, b, s);
      if (ends.ends(b)) set(num_edges + b, b, n);
    }
    if (n != 0) set(start, n, g.entry());
    for (std::uint32_t b = 0; b <= n; ++b) around_begin_[b + 1] += around_begin_[b];
    around_.assign(around_begin_[n + 1], none);
    cursor_.assign(around_begin_.begin(), around_begin_.end() - 1);
    for (std::uint32_t e = 0; e <= start; ++e) {
      if (from[e] == none || from[e] == to[e]) continue;
      around_[cursor_[from[e]]++] = e;
      around_[cursor_[to[e]]++] = e;
    }
  }
  constexpr void set(std::uint32_t e, std::uint32_t tail, std::uint32_t head) {
    from[e] = tail;
    to[e] = head;
    if (tail == head) return;  // a self loop is no part of any other cycle
    ++around_begin_[tail + 1];
    ++around_begin_[head + 1];
  }
  [[nodiscard]] constexpr std::uint32_t other_end(std::uint32_t e, std::uint32_t b) const {
    return from[e] == b ? to[e] : from[e];
  }

  // Undirected depth-first search from the virtual exit: numbers and tree edges.
  constexpr void search() {
    const std::uint32_t n = static_cast<std::uint32_t>(slot_0.size() - 1);
    number_.assign(n + 1, none);
    at_.clear();
    up_.clear();
    stack_.clear();
    if (n == 0) return;
    cursor_.assign(around_begin_.begin(), around_begin_.end() - 1);
    number_[n] = 0;
    at_.push_back(n);
    up_.push_back(none);
    stack_.push_back(n);
    while (!stack_.empty()) {
      const std::uint32_t b = stack_.back();
      if (cursor_[b] == around_begin_[b + 1]) {
        stack_.pop_back();
        continue;
      }
      const std::uint32_t e = around_[cursor_[b]++], t = other_end(e, b);
      if (number_[t] != none) continue;
      number_[t] = static_cast<std::uint32_t>(at_.size());
      at_.push_back(t);
      up_.push_back(e);
      stack_.push_back(t);
    }
  }

  // Gives every edge its class. The brackets of a tree edge are the back edges from below it to above it; two tree
  // edges are equivalent if their brackets are the same, a tree edge and a back edge if that is the only bracket. A
  // list of brackets is known by its top and its length; where brackets of two subtrees meet, a capping edge on top of
  // them keeps lists apart that end in the same bracket.
  constexpr void classify() {
    const std::uint32_t n = static_cast<std::uint32_t>(at_.size());
    class_of.assign(from.size(), none);
    bracket_.assign(from.size(), bracket{});
    list_.assign(n, list{});
    std::uint32_t classes = 0;
    for (std::uint32_t v = n; v-- > 1;) {
      const std::uint32_t b = at_[v];
      for (std::uint32_t c = list_[v].caps; c != none; c = bracket_[c].next_cap) remove(v, c);
      std::uint32_t highest = none;
      for (std::uint32_t i = around_begin_[b]; i < around_begin_[b + 1]; ++i) {
        const std::uint32_t e = around_[i], t = number_[other_end(e, b)];
        if (t < v || up_[t] == e) continue;
        remove(v, e);
        if (class_of[e] == none) class_of[e] = classes++;
      }
      for (std::uint32_t i = around_begin_[b]; i < around_begin_[b + 1]; ++i) {
        const std::uint32_t e = around_[i], t = number_[other_end(e, b)];
        if (t > v || up_[v] == e) continue;
        push(v, e);
        if (t < highest) highest = t;
      }
      if (const std::uint32_t second = list_[v].second; second < v && second < highest) {
        const std::uint32_t c = static_cast<std::uint32_t>(bracket_.size());
        bracket_.push_back({});
        bracket_[c].next_cap = list_[second].caps;
        list_[second].caps = c;
        push(v, c);
      }
      if (list_[v].first < highest) highest = list_[v].first;
      const list& mine = list_[v];
      bracket& top = bracket_[mine.top];
      if (top.seen_size != mine.size) {
        top.seen_size = mine.size;
        top.seen_class = classes++;
      }
      class_of[up_[v]] = top.seen_class;
      if (mine.size == 1 && mine.top < class_of.size()) class_of[mine.top] = top.seen_class;
      hand_up(v, number_[other_end(up_[v], b)], highest);
    }
    for (std::uint32_t e = 0; e < class_of.size(); ++e)  // self loops, and back edges to the root
      if (class_of[e] == none && from[e] != none) class_of[e] = classes++;
    num_classes = classes;
  }
  constexpr void push(std::uint32_t v, std::uint32_t e) {
    list& l = list_[v];
    bracket_[e].below = l.top;
    bracket_[e].above = none;
    (l.top == none ? l.bottom : bracket_[l.top].above) = e;
    l.top = e;
    ++l.size;
  }
  constexpr void remove(std::uint32_t v, std::uint32_t e) {
    list& l = list_[v];
    const bracket& b = bracket_[e];
    (b.above == none ? l.top : bracket_[b.above].below) = b.below;
    (b.below == none ? l.bottom : bracket_[b.below].above) = b.above;
    --l.size;
  }
  // Puts v's list on top of its parent's and keeps the two highest ends that subtrees of the parent reach.
  constexpr void hand_up(std::uint32_t v, std::uint32_t parent, std::uint32_t highest) {
    list &mine = list_[v], &into = list_[parent];
    if (highest < into.first) {
      into.second = into.first;
      into.first = highest;
    } else if (highest < into.second) {
      into.second = highest;
    }
    bracket_[mine.bottom].below = into.top;
    (into.top == none ? into.bottom : bracket_[into.top].above) = mine.bottom;
    into.top = mine.top;
    into.size += mine.size;
  }

  std::vector<std::uint32_t> around_begin_, around_, cursor_, number_, at_, up_, stack_;
  std::vector<bracket> bracket_;
  std::vector<list> list_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
