// SPDX-License-Identifier: BSL-1.0
//
// A loop nesting forest as a table, filled from the bodies of the loops: ids, nesting, blocks, latches, and the edges
// that enter and leave.
#pragma once

#include <simtflow/analysis/detail/loop_bodies.hpp>
#include <simtflow/analysis/loop_id.hpp>
#include <simtflow/config.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace detail {

struct loop_table {
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;
  static constexpr block_id several = no_block - 1;

  struct row {
    block_id header = no_block;
    std::uint32_t parent = none;
    std::uint32_t depth = 0;
    std::uint32_t nested = 0;           // loops in it and itself: ids from its own on
    std::uint32_t first = 0, size = 0;  // its blocks in order
    std::uint32_t first_latch = 0;      // in latch, up to the latches of the next loop
    std::uint32_t first_exit = 0;       // in exits, up to the exits of the next loop that is not nested
    std::uint32_t jump = none;          // a loop farther out than the parent, see crossed_depth
    block_id outside = no_block;        // predecessor of the header, or several
    bool preheader = false, irreducible = false;
  };
  struct way_out {
    loop_exit<block_id> edge{no_block, 0, no_block};
    std::uint32_t depth = 0;  // of the outermost loop that it leaves
  };

  bool entered = false;  // true if a loop has several entries
  std::uint32_t num_loops = 0;
  std::vector<std::uint32_t> innermost;       // by block
  std::vector<row> loop;                      // and one past the last
  std::vector<block_id> order, latch;         // see row
  std::vector<way_out> exits;                 // see row
  std::vector<std::uint32_t> leaves, enters;  // the least depth of a loop that an edge out of, into a block crosses

  // Fills the table from the bodies; works on them.
  template <class Shape>
  constexpr void fill(const Shape& g, loop_bodies<Shape>& from) {
    entered = !from.waiting().empty();
    num_loops = 0;
    for (const auto& b : from.bodies()) num_loops += b.nested != 0;
    loop.clear();
    order.clear();
    latch.clear();
    exits.clear();
    innermost.assign(from.numbers().size(), none);
    if (num_loops == 0) return;
    if (from.keys().size() <= from.numbers().size())
      from.keys().assign(from.numbers().size() + 1, 0);  // from here on: places in bodies(), by key
    number_loops(from);
    list_blocks(from);
    find_ways_in(g, from);
    find_ways_out(g, from);
    if (entered) find_entries(from);
  }

  // As basic_loop_forest::outermost_while().
  template <class F>
  [[nodiscard]] constexpr std::uint32_t outermost(std::uint32_t l, F holds) const {
    while (true) {
      const row& now = loop[l];
      if (now.parent == none || !holds(now.parent)) return l;
      l = holds(now.jump) ? now.jump : now.parent;
    }
  }
  // The outermost loop, l or around it, that an edge to `outside` leaves.
  [[nodiscard]] constexpr std::uint32_t left_by_edge(std::uint32_t l, block_id outside) const {
    SIMTFLOW_EXPECTS(outside < innermost.size(), "a question about a block that is not in the graph of this result");
    const std::uint32_t there = innermost[outside];
    return outermost(l, [&](std::uint32_t x) { return there - x >= loop[x].nested; });
  }

 private:
  // Numbers loops in forest preorder, siblings by RPO: outer loops come first, and each hands out a run of ids.
  template <class Shape>
  constexpr void number_loops(loop_bodies<Shape>& from) {
    loop.assign(num_loops + std::size_t{1}, row{});
    std::uint32_t outermost = 0;
    for (std::size_t i = from.bodies().size(); i-- > 0;) {
      auto& b = from.bodies()[i];
      if (b.nested == 0) continue;
      const std::uint32_t outer = from.around()[b.number];
      std::uint32_t& next = outer == 0 ? outermost : from.bodies()[from.keys()[outer]].next;
      b.id = next;
      next += b.nested;
      b.next = b.id + 1;
      from.keys()[b.key] = static_cast<std::uint32_t>(i);
      row& l = loop[b.id];
      l.header = b.header;
      l.nested = b.nested;
      l.size = b.size;
      l.depth = 1;
      l.first = b.own;
      if (outer == 0) continue;
      const std::uint32_t up = from.bodies()[from.keys()[outer]].id, jump = loop[up].jump;
      l.parent = up;
      l.depth = loop[up].depth + 1;
      // Jumps skip 1, 3, 7, ... loops, so that any outer loop is O(log depth) jumps away.
      const bool even = jump != none && loop[jump].jump != none &&
                        loop[up].depth - loop[jump].depth == loop[jump].depth - loop[loop[jump].jump].depth;
      l.jump = even ? loop[jump].jump : up;
    }
    std::uint32_t at = 0;
    for (row& l : loop) {
      const std::uint32_t own = l.first;
      l.first = at;
      at += own;
    }
  }

  // Blocks by innermost loop, RPO within it: then the blocks of a loop are a run, its header first.
  template <class Shape>
  constexpr void list_blocks(loop_bodies<Shape>& from) {
    for (auto& b : from.bodies())
      if (b.nested != 0) b.next = loop[b.id].first;
    std::uint32_t left = loop[num_loops].first;
    order.assign(left, no_block);
    if (leaves.size() < from.numbers().size()) leaves.assign(from.numbers().size(), none);
    std::size_t next = from.bodies().size();
    for (std::uint32_t at = from.bodies().back().number; left != 0; ++at) {
      std::uint32_t key = from.around()[at];
      if (next != 0 && from.bodies()[next - 1].number == at) {
        --next;
        if (from.bodies()[next].nested != 0) {
          key = from.bodies()[next].key;
          from.keys()[key] = static_cast<std::uint32_t>(next);
        }
      }
      if (key == 0) continue;
      const block_id b = from.rpo()[at];
      auto& here = from.bodies()[from.keys()[key]];
      innermost[b] = here.id;
      leaves[b] = none;
      order[here.next++] = b;
      --left;
    }
  }

  [[nodiscard]] constexpr std::uint32_t crossed_depth(std::uint32_t l, block_id outside) const {
    return loop[left_by_edge(l, outside)].depth;
  }

  // Latches, and where the header is entered from.
  template <class Shape>
  constexpr void find_ways_in(const Shape& g, const loop_bodies<Shape>& from) {
    for (std::uint32_t l = 0; l < num_loops; ++l) {
      row& here = loop[l];
      here.first_latch = static_cast<std::uint32_t>(latch.size());
      for (const block_id p : g.predecessors(here.header)) {
        if (from.numbers()[p] == none) continue;
        if (innermost[p] - l >= here.nested) {
          here.outside = here.outside == no_block || here.outside == p ? p : several;
        } else if (latch.size() == here.first_latch || latch.back() != p) {
          latch.push_back(p);  // parallel edges are neighbours in the list of predecessors
        }
      }
      here.preheader = here.outside != no_block && here.outside != several && g.successors(here.outside).size() == 1;
    }
    loop[num_loops].first_latch = static_cast<std::uint32_t>(latch.size());
  }

  // The edges that leave loops, by innermost loop of their source, RPO within it.
  template <class Shape>
  constexpr void find_ways_out(const Shape& g, const loop_bodies<Shape>& from) {
    found_.clear();
    for (std::size_t i = from.exiting().size(); i-- > 0;) {
      const block_id b = from.exiting()[i];
      const std::uint32_t l = innermost[b];
      std::uint32_t slot = 0;
      for (const block_id s : g.successors(b)) {
        if (innermost[s] - l >= loop[l].nested) {
          const std::uint32_t depth = crossed_depth(l, s);
          if (depth < leaves[b]) leaves[b] = depth;
          found_.push_back({{b, slot, s}, depth});
          ++loop[l].first_exit;
        }
        ++slot;
      }
    }
    std::uint32_t at = 0;
    count_.assign(num_loops, 0);
    for (std::uint32_t l = 0; l <= num_loops; ++l) {
      const std::uint32_t own = loop[l].first_exit;
      loop[l].first_exit = at;
      if (l < num_loops) count_[l] = at;
      at += own;
    }
    exits.assign(found_.size(), way_out{});
    for (const way_out& e : found_) exits[count_[innermost[e.edge.from]]++] = e;
  }

  // Finds the entries that are no headers: the targets of the edges that had to wait. An edge that enters loops of
  // depth d .. e makes its target an entry of each, so the smallest d of a block says it all.
  template <class Shape>
  constexpr void find_entries(const loop_bodies<Shape>& from) {
    enters.assign(innermost.size(), none);
    for (const auto& e : from.waiting()) {
      const std::uint32_t depth = crossed_depth(innermost[e.to], e.from);
      if (depth < enters[e.to]) enters[e.to] = depth;
    }
    // A loop is irreducible if an entry other than its header lies in it: push the smallest depth from inner to outer.
    count_.assign(num_loops, none);
    for (const auto& e : from.waiting()) {
      std::uint32_t l = innermost[e.to];
      if (loop[l].header == e.to) l = loop[l].parent;
      if (l != none && enters[e.to] < count_[l]) count_[l] = enters[e.to];
    }
    for (std::uint32_t l = num_loops; l-- > 0;) {
      loop[l].irreducible = count_[l] <= loop[l].depth;
      if (const std::uint32_t up = loop[l].parent; up != none && count_[l] < count_[up]) count_[up] = count_[l];
    }
  }

  std::vector<std::uint32_t> count_;
  std::vector<way_out> found_;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
