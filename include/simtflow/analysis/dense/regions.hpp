// SPDX-License-Identifier: BSL-1.0
//
// The program structure tree in dense ids. analysis/regions.hpp tells what it means.
#pragma once

#include <simtflow/analysis/dense/order.hpp>
#include <simtflow/analysis/ends.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/views.hpp>
#include <simtflow/strong_id.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// A region of a program_structure_tree: 0 is the whole program, outer regions come before the regions in them,
/// siblings are in RPO of their entries (so that a region comes before those that it dominates).
enum class region_id : std::uint32_t {};

/// "In no region", "no parent".
inline constexpr region_id no_region{0xFFFF'FFFFU};

/// The whole program.
inline constexpr region_id whole_program{0};

/// The edge by which the program is entered. It leaves no block.
inline constexpr edge start_edge{no_block, 0};

namespace dense {

/// The program structure tree, with dense ids of blocks in and out; absence is no_region or no_block. A question about
/// a block, region or edge that the graph does not have is a contract violation. Every question is O(1).
//
// Edges in a row: the edges of the graph by edge id, then one place per block for its edge to the virtual exit, then
// the start edge. Shape is csr_graph or has its members.
template <class Shape = csr_graph>
class basic_program_structure_tree {
 public:
  /// Computes the tree of g and reuses every buffer. O(blocks + edges); no recursion.
  constexpr void recompute(const Shape& g) {
    ends_.compute(g, infinite_loops::virtual_edge);
    dfs_.recompute(g);
    connect(g);
    search();
    classify();
    pair_up(g);
    number(g);
  }

  /// The number of blocks.
  [[nodiscard]] constexpr std::size_t num_blocks() const { return innermost_.size(); }
  /// The number of regions, `whole_program` included; 0 only for an empty graph.
  [[nodiscard]] constexpr std::size_t num_regions() const { return parent_.size(); }
  /// The smallest region that contains b; no_region for unreachable b.
  [[nodiscard]] constexpr region_id innermost(block_id b) const {
    SIMTFLOW_EXPECTS(b < innermost_.size(), "a question about a block that is not in the graph of this result");
    return region_id{innermost_[b]};
  }
  /// The smallest region around r; no_region for `whole_program`.
  [[nodiscard]] constexpr region_id parent(region_id r) const { return region_id{parent_[checked(r)]}; }
  /// The number of regions around r.
  [[nodiscard]] constexpr std::uint32_t depth(region_id r) const { return depth_[checked(r)]; }
  /// True if r contains b, perhaps in an inner region.
  //
  // An unreachable block has innermost region 2^32 - 1, which no interval of regions contains.
  [[nodiscard]] constexpr bool contains(region_id r, block_id b) const {
    return index_of(innermost(b)) - index_of(r) < below_[checked(r)];
  }
  /// True if inner is outer or nested in it.
  [[nodiscard]] constexpr bool is_nested(region_id outer, region_id inner) const {
    return checked(inner) - checked(outer) < below_[checked(outer)];
  }
  /// The blocks of r: its own blocks, then the blocks of inner regions.
  [[nodiscard]] constexpr std::span<const block_id> blocks(region_id r) const {
    return std::span<const block_id>(order_).subspan(first_[checked(r)],
                                                     first_[index_of(r) + below_[index_of(r)]] - first_[index_of(r)]);
  }
  /// The blocks with r as their innermost region, in RPO.
  [[nodiscard]] constexpr std::span<const block_id> own_blocks(region_id r) const {
    return std::span<const block_id>(order_).subspan(first_[checked(r)], first_[index_of(r) + 1] - first_[index_of(r)]);
  }
  /// The regions directly inside r, by ascending id.
  [[nodiscard]] constexpr std::span<const region_id> children(region_id r) const {
    return std::span<const region_id>(children_).subspan(child_begin_[checked(r)],
                                                         child_begin_[index_of(r) + 1] - child_begin_[index_of(r)]);
  }
  /// The block at which control enters r.
  [[nodiscard]] constexpr block_id entry(region_id r) const { return to_[entry_[checked(r)]]; }
  /// The block after r; no_block for the virtual exit and for `whole_program`.
  [[nodiscard]] constexpr block_id exit(region_id r) const {
    const std::uint32_t e = exit_[checked(r)];
    return e == none || to_[e] == num_blocks() ? no_block : to_[e];
  }
  /// The only edge into r; start_edge for `whole_program`.
  [[nodiscard]] constexpr edge entry_edge(region_id r) const { return name(entry_[checked(r)]); }
  /// The only edge out of r; start_edge for `whole_program`, which has no such edge.
  [[nodiscard]] constexpr edge exit_edge(region_id r) const {
    return exit_[checked(r)] == none ? start_edge : name(exit_[index_of(r)]);
  }
  /// A number that cycle-equivalent edges have in common; 2^32 - 1 for the edges of unreachable blocks.
  [[nodiscard]] constexpr std::uint32_t edge_class(edge e) const { return class_[place(e)]; }
  /// The region with this entry edge; no_region if there is none.
  [[nodiscard]] constexpr region_id entered_by(edge e) const {
    const std::uint32_t p = place(e);
    return next_[p] == none ? no_region : region_id{innermost_[to_[p]]};
  }
  /// The region with this exit edge; no_region if there is none.
  [[nodiscard]] constexpr region_id left_by(edge e) const {
    const std::uint32_t p = place(e);
    return leaves_[p] == 0 ? no_region : region_id{innermost_[from_[p]]};
  }
  /// The depth-first order that was computed on the way.
  [[nodiscard]] constexpr const basic_depth_first_order<Shape>& order() const { return dfs_; }

 private:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;

  [[nodiscard]] constexpr std::uint32_t checked(region_id r) const {
    SIMTFLOW_EXPECTS(index_of(r) < parent_.size(), "a question about a region that is not in this tree");
    return index_of(r);
  }
  [[nodiscard]] constexpr edge name(std::uint32_t e) const {
    if (e == start_) return start_edge;
    const block_id from = from_[e];
    return {from, e < edges_ ? e - slot_0_[from] : slot_0_[from + 1] - slot_0_[from]};
  }
  [[nodiscard]] constexpr std::uint32_t place(edge e) const {
    if (e.from == no_block && num_blocks() != 0) return start_;
    SIMTFLOW_EXPECTS(e.from < num_blocks(), "a question about an edge that is not in the graph of this result");
    const std::uint32_t num_slots = slot_0_[e.from + 1] - slot_0_[e.from];
    SIMTFLOW_EXPECTS(e.slot < num_slots || (e.slot == num_slots && ends_.ends(e.from)),
                     "a question about a successor slot that the block does not have");
    return e.slot < num_slots ? slot_0_[e.from] + e.slot : edges_ + e.from;
  }

  // The edges that the entry reaches, as an undirected graph: around every block the edges that it is an end of.
  constexpr void connect(const Shape& g) {
    const std::uint32_t n = static_cast<std::uint32_t>(g.num_blocks());
    edges_ = static_cast<std::uint32_t>(g.num_edges());
    start_ = edges_ + n;
    slot_0_.assign(n + 1, edges_);
    from_.assign(start_ + 1, none);
    to_.assign(start_ + 1, none);
    around_begin_.assign(n + 2, 0);
    for (block_id b = 0; b < n; ++b) {
      slot_0_[b] = g.first_edge(b);
      if (!ends_.is_reachable(b)) continue;
      std::uint32_t e = slot_0_[b];
      for (const block_id s : g.successors(b)) set(e++, b, s);
      if (ends_.ends(b)) set(edges_ + b, b, n);
    }
    if (n != 0) set(start_, n, g.entry());
    for (std::uint32_t b = 0; b <= n; ++b) around_begin_[b + 1] += around_begin_[b];
    around_.assign(around_begin_[n + 1], none);
    cursor_.assign(around_begin_.begin(), around_begin_.end() - 1);
    for (std::uint32_t e = 0; e <= start_; ++e) {
      if (from_[e] == none || from_[e] == to_[e]) continue;
      around_[cursor_[from_[e]]++] = e;
      around_[cursor_[to_[e]]++] = e;
    }
  }
  constexpr void set(std::uint32_t e, std::uint32_t from, std::uint32_t to) {
    from_[e] = from;
    to_[e] = to;
    if (from == to) return;  // a self loop is no part of any other cycle
    ++around_begin_[from + 1];
    ++around_begin_[to + 1];
  }
  [[nodiscard]] constexpr std::uint32_t other_end(std::uint32_t e, std::uint32_t b) const {
    return from_[e] == b ? to_[e] : from_[e];
  }

  // Undirected depth-first search from the virtual exit: numbers and tree edges.
  constexpr void search() {
    const std::uint32_t n = static_cast<std::uint32_t>(slot_0_.size() - 1);
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
    class_.assign(from_.size(), none);
    bracket_.assign(from_.size(), bracket{});
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
        if (class_[e] == none) class_[e] = classes++;
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
      class_[up_[v]] = top.seen_class;
      if (mine.size == 1 && mine.top < class_.size()) class_[mine.top] = top.seen_class;
      hand_up(v, number_[other_end(up_[v], b)], highest);
    }
    for (std::uint32_t e = 0; e < class_.size(); ++e)  // self loops, and back edges to the root
      if (class_[e] == none && from_[e] != none) class_[e] = classes++;
    classes_ = classes;
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
    list &from = list_[v], &into = list_[parent];
    if (highest < into.first) {
      into.second = into.first;
      into.first = highest;
    } else if (highest < into.second) {
      into.second = highest;
    }
    bracket_[from.bottom].below = into.top;
    (into.top == none ? into.bottom : bracket_[into.top].above) = from.bottom;
    into.top = from.top;
    into.size += from.size;
  }

  // Neighbours in a class. The source of an edge strictly dominates the sources of the following edges, so RPO finds
  // them in their order.
  constexpr void pair_up(const Shape& g) {
    next_.assign(from_.size(), none);
    leaves_.assign(from_.size(), 0);
    cursor_.assign(classes_, none);
    if (g.num_blocks() != 0) follow(start_);
    for (const block_id b : dfs_.rpo()) {
      for (std::uint32_t e = slot_0_[b]; e < slot_0_[b + 1]; ++e) follow(e);
      if (ends_.ends(b)) follow(edges_ + b);
    }
  }
  constexpr void follow(std::uint32_t e) {
    std::uint32_t& last = cursor_[class_[e]];
    if (last != none) {
      next_[last] = e;
      leaves_[e] = 1;
    }
    last = e;
  }

  // Gives regions and blocks their final order. A region is known by its entry block: no two have the same.
  constexpr void number(const Shape& g) {
    const std::uint32_t n = static_cast<std::uint32_t>(g.num_blocks());
    heads_.assign(n, 0);
    outer_.assign(n, none);  // the entry of the region around a block, around the region itself for an entry; none: 0
    std::uint32_t regions = n == 0 ? 0 : 1;
    if (n != 0 && next_[start_] != none) {
      heads_[g.entry()] = 1;
      ++regions;
    }
    for (const block_id b : dfs_.rpo())
      for (std::uint32_t e = slot_0_[b]; e < slot_0_[b + 1]; ++e) {
        if (dfs_.kind(e) != edge_kind::tree) continue;
        const std::uint32_t inner = heads_[b] ? b : outer_[b];
        const block_id s = to_[e];
        outer_[s] = leaves_[e] ? outer_[inner] : inner;
        heads_[s] = next_[e] != none;
        regions += heads_[s];
      }

    entry_.assign(regions, start_);
    exit_.assign(regions, none);
    parent_.assign(regions, none);
    depth_.assign(regions, 0);
    below_.assign(regions, regions);
    innermost_.assign(n, none);
    child_begin_.assign(regions + 1, 0);
    children_.assign(n == 0 ? 0 : regions - 1, no_region);
    first_.assign(regions + 1, 0);
    order_.assign(dfs_.rpo().size(), no_block);
    if (n == 0) return;
    cursor_.assign(n, 0);  // regions at and below an entry, then the next free id below it
    for (std::size_t i = dfs_.rpo().size(); i-- > 0;) {
      const block_id b = dfs_.rpo()[i];
      cursor_[b] += heads_[b];
      if (heads_[b] && outer_[b] != none) cursor_[outer_[b]] += cursor_[b];
    }
    std::uint32_t next_outermost = 1;
    for (const block_id b : dfs_.rpo()) {
      const std::uint32_t outer = outer_[b];
      if (!heads_[b]) {
        innermost_[b] = outer == none ? 0 : innermost_[outer];
        continue;
      }
      std::uint32_t& next = outer == none ? next_outermost : cursor_[outer];
      const std::uint32_t r = next;
      next += cursor_[b];
      innermost_[b] = r;
      below_[r] = cursor_[b];
      parent_[r] = outer == none ? 0 : innermost_[outer];
      depth_[r] = depth_[parent_[r]] + 1;
      cursor_[b] = r + 1;
      ++child_begin_[parent_[r] + 1];
      if (b == g.entry()) exit_[r] = next_[start_];
    }
    for (const block_id b : dfs_.rpo()) {
      for (std::uint32_t e = slot_0_[b]; e < slot_0_[b + 1]; ++e)
        if (next_[e] != none) {
          const std::uint32_t r = innermost_[to_[e]];
          entry_[r] = e;
          exit_[r] = next_[e];
        }
      ++first_[innermost_[b] + 1];
    }
    for (std::uint32_t r = 0; r < regions; ++r) {
      child_begin_[r + 1] += child_begin_[r];
      first_[r + 1] += first_[r];
    }
    cursor_.assign(child_begin_.begin(), child_begin_.end());
    for (std::uint32_t r = 1; r < regions; ++r) children_[cursor_[parent_[r]]++] = region_id{r};
    cursor_.assign(first_.begin(), first_.end());
    for (const block_id b : dfs_.rpo()) order_[cursor_[innermost_[b]]++] = b;
  }

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

  detail::end_index<Shape> ends_;
  basic_depth_first_order<Shape> dfs_;
  std::uint32_t edges_ = 0, start_ = 0, classes_ = 0;
  std::vector<std::uint32_t> slot_0_, from_, to_, class_, next_;                      // by block; by edge
  std::vector<std::uint32_t> parent_, depth_, below_, entry_, exit_, first_, order_;  // by region
  std::vector<std::uint32_t> child_begin_, innermost_;
  std::vector<region_id> children_;
  std::vector<unsigned char> leaves_;  // the edge leaves a region
  // Workspace, kept for the next computation.
  std::vector<std::uint32_t> around_begin_, around_, cursor_, number_, at_, up_, stack_, outer_;
  std::vector<unsigned char> heads_;
  std::vector<bracket> bracket_;
  std::vector<list> list_;
};

/// Over a csr_graph.
using program_structure_tree = basic_program_structure_tree<>;

}  // namespace dense
}  // namespace v0
}  // namespace simtflow
