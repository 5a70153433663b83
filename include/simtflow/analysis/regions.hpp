// SPDX-License-Identifier: BSL-1.0
//
// Regions: parts of a graph with one way in and one way out. Two notions, and how to get from one to the other.
//
// Regions between edges. All control starts with one *start edge* into the entry and ends in one virtual exit; from it
// an edge leads back to the start. Two edges are *cycle equivalent* if every cycle through one contains the other. Then
// one dominates the other and is post-dominated by it: all edges of a class lie in a row, and two neighbours enclose a
// *canonical region*: the blocks that the first dominates and the second post-dominates, and that the first reaches
// without passing the second. (In 0 -> 1 -> 3 -> 2 -> 0 the region between 0 -> 1 and 1 -> 3 is block 1 alone.)
// Canonical regions are nested or disjoint; the *program structure tree* is their nesting. Cycle equivalence is found
// by one undirected depth-first search that keeps, for every tree edge, the list of the back edges around it.
//
// Regions between blocks (E, X). The region's blocks are those that E reaches without passing X; every edge from
// outside goes to E, every edge that leaves goes to X. X is no block of it and may be the virtual exit; then E
// dominates all of its blocks and X post-dominates them. Several edges may enter E (loops back to E from inside count
// as inside) and several may go to X; with one of each the region is *simple*, and is one between these edges.
//
//   to make a region simple   edges from outside that enter E, if there are several, go through a new block in front of
//                             the region; edges from inside to X, if there are several, go through a new block that is
//                             the last of the region. (Moving all successors of E or all predecessors of X, as printed
//                             in the second paper, takes along edges back to E and edges into X from elsewhere.)
//
// For all of this the virtual exit has an edge from every exit and from the first block of every terminal loop
// (graph/views.hpp).
//
// Literature: R. Johnson, D. Pearson, K. Pingali, The program structure tree (1994); C. Saumya, K. Sundararajah, M.
// Kulkarni, DARM: control-flow melding for SIMT thread divergence reduction (2022).
#pragma once

#include <simtflow/analysis/ends.hpp>
#include <simtflow/analysis/order.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/vertex_map.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>
#include <simtflow/graph/views.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// A region of a program_structure_tree: 0 is the whole program, outer regions come before the regions in them,
/// siblings are in RPO of their entries (so that a region comes before those that it dominates).
using region_id = std::uint32_t;

/// "In no region", "no parent".
inline constexpr region_id no_region = 0xFFFF'FFFFU;

/// The edge by which the program is entered. It leaves no block.
inline constexpr edge start_edge{no_block, 0};

namespace detail {

// Edges in a row: those of the graph by edge id, then one place per block for its edge to the virtual exit, then the
// start edge. Shape is csr_graph or has its members.
template <class Shape = csr_graph>
class structure_tree_index {
 public:
  constexpr void compute(const Shape& g) {
    ends_.compute(g, infinite_loops::virtual_edge);
    dfs_.compute(g);
    connect(g);
    search();
    classify();
    pair_up(g);
    number(g);
  }

  [[nodiscard]] constexpr std::size_t num_blocks() const { return innermost_.size(); }
  [[nodiscard]] constexpr std::size_t num_regions() const { return parent_.size(); }
  [[nodiscard]] constexpr region_id innermost(block_id b) const {
    SIMTFLOW_EXPECTS(b < innermost_.size(), "a question about a block that is not in the graph of this result");
    return innermost_[b];
  }
  [[nodiscard]] constexpr region_id parent(region_id r) const { return parent_[checked(r)]; }
  [[nodiscard]] constexpr std::uint32_t depth(region_id r) const { return depth_[checked(r)]; }
  // An unreachable block has innermost region 2^32 - 1, which no interval of regions contains.
  [[nodiscard]] constexpr bool contains(region_id r, block_id b) const { return innermost(b) - checked(r) < below_[r]; }
  [[nodiscard]] constexpr bool is_nested(region_id outer, region_id inner) const {
    return checked(inner) - checked(outer) < below_[outer];
  }
  [[nodiscard]] constexpr std::span<const block_id> blocks(region_id r) const {
    return std::span<const block_id>(order_).subspan(first_[checked(r)], first_[r + below_[r]] - first_[r]);
  }
  [[nodiscard]] constexpr std::span<const block_id> own_blocks(region_id r) const {
    return std::span<const block_id>(order_).subspan(first_[checked(r)], first_[r + 1] - first_[r]);
  }
  [[nodiscard]] constexpr std::span<const region_id> children(region_id r) const {
    return std::span<const region_id>(children_).subspan(child_begin_[checked(r)],
                                                         child_begin_[r + 1] - child_begin_[r]);
  }
  [[nodiscard]] constexpr block_id entry(region_id r) const { return to_[entry_[checked(r)]]; }
  [[nodiscard]] constexpr block_id exit(region_id r) const {
    const std::uint32_t e = exit_[checked(r)];
    return e == none || to_[e] == num_blocks() ? no_block : to_[e];
  }
  [[nodiscard]] constexpr edge entry_edge(region_id r) const { return name(entry_[checked(r)]); }
  [[nodiscard]] constexpr edge exit_edge(region_id r) const {
    return exit_[checked(r)] == none ? start_edge : name(exit_[r]);
  }
  [[nodiscard]] constexpr std::uint32_t edge_class(edge e) const { return class_[place(e)]; }
  [[nodiscard]] constexpr region_id entered_by(edge e) const {
    const std::uint32_t p = place(e);
    return next_[p] == none ? no_region : innermost_[to_[p]];
  }
  [[nodiscard]] constexpr region_id left_by(edge e) const {
    const std::uint32_t p = place(e);
    return leaves_[p] == 0 ? no_region : innermost_[from_[p]];
  }
  [[nodiscard]] constexpr const depth_first_index<Shape>& order() const { return dfs_; }

 private:
  static constexpr std::uint32_t none = 0xFFFF'FFFFU;

  [[nodiscard]] constexpr region_id checked(region_id r) const {
    SIMTFLOW_EXPECTS(r < parent_.size(), "a question about a region that is not in this tree");
    return r;
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

  // Neighbours in a class. The source of an edge strictly dominates those of the edges behind it, so RPO finds them in
  // their order.
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
    parent_.assign(regions, no_region);
    depth_.assign(regions, 0);
    below_.assign(regions, regions);
    innermost_.assign(n, no_region);
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
    region_id next_outermost = 1;
    for (const block_id b : dfs_.rpo()) {
      const std::uint32_t outer = outer_[b];
      if (!heads_[b]) {
        innermost_[b] = outer == none ? 0 : innermost_[outer];
        continue;
      }
      region_id& next = outer == none ? next_outermost : cursor_[outer];
      const region_id r = next;
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
          const region_id r = innermost_[to_[e]];
          entry_[r] = e;
          exit_[r] = next_[e];
        }
      ++first_[innermost_[b] + 1];
    }
    for (region_id r = 0; r < regions; ++r) {
      child_begin_[r + 1] += child_begin_[r];
      first_[r + 1] += first_[r];
    }
    cursor_.assign(child_begin_.begin(), child_begin_.end());
    for (region_id r = 1; r < regions; ++r) children_[cursor_[parent_[r]]++] = r;
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

  end_index<Shape> ends_;
  depth_first_index<Shape> dfs_;
  std::uint32_t edges_ = 0, start_ = 0, classes_ = 0;
  std::vector<std::uint32_t> slot_0_, from_, to_, class_, next_;                      // by block; by edge
  std::vector<std::uint32_t> parent_, depth_, below_, entry_, exit_, first_, order_;  // by region
  std::vector<std::uint32_t> child_begin_, children_, innermost_;
  std::vector<unsigned char> leaves_;  // the edge leaves a region
  // Workspace, kept for the next computation.
  std::vector<std::uint32_t> around_begin_, around_, cursor_, number_, at_, up_, stack_, outer_;
  std::vector<unsigned char> heads_;
  std::vector<bracket> bracket_;
  std::vector<list> list_;
};

}  // namespace detail

/// The canonical regions between edges and their nesting, as defined at the top of this header.
///
/// Region 0 is the whole program and is between no two edges; an empty graph has no region. Edges are named by the
/// index of their source and a slot; the edge of a block to the virtual exit is in the slot behind its last, start_edge
/// enters the program. Unreachable vertices are in no region. Parallel edges are different edges. A self loop makes no
/// region.
template <flow_graph G = csr_graph>
class program_structure_tree {
 public:
  using vertex = vertex_t<G>;                           ///< the graph's own vertex type
  using range = typename detail::vertex_map<G>::range;  ///< vertex_range<G>; for a csr_graph a span of block ids

  /// \pre check_adapter<G>(); g outlives the tree (a csr_graph need not).
  /// Complexity: O(blocks + edges) time and space; no recursion.
  constexpr explicit program_structure_tree(const G& g) : map_(g) { index_.compute(shape_.of(g)); }
  program_structure_tree(const G&&) requires detail::keeps_pointer<G>
  = delete;

  /// Computes the tree of g (the same graph, changed, or another), reusing every buffer.
  constexpr void recompute(const G& g) {
    map_ = detail::vertex_map<G>(g);
    index_.compute(shape_.of(g));
  }
  void recompute(const G&&) requires detail::keeps_pointer<G>
  = delete;

  /// Region 0 among them; 0 only for an empty graph.
  [[nodiscard]] constexpr std::size_t num_regions() const { return index_.num_regions(); }
  /// The smallest region that contains v, perhaps region 0; empty for unreachable v. O(1).
  [[nodiscard]] constexpr std::optional<region_id> innermost(const vertex& v) const {
    return maybe(index_.innermost(map_.index(v)));
  }
  /// The region contains v, perhaps in an inner region. O(1).
  [[nodiscard]] constexpr bool contains(region_id r, const vertex& v) const {
    return index_.contains(r, map_.index(v));
  }

  /// The smallest region around r; empty for region 0. \pre r < num_regions(), here and below
  [[nodiscard]] constexpr std::optional<region_id> parent(region_id r) const { return maybe(index_.parent(r)); }
  /// How many regions are around r: 0 for region 0.
  [[nodiscard]] constexpr std::uint32_t depth(region_id r) const { return index_.depth(r); }
  /// inner is outer or nested in it. O(1).
  [[nodiscard]] constexpr bool is_nested(region_id outer, region_id inner) const {
    return index_.is_nested(outer, inner);
  }
  /// The regions directly inside r, by ascending id.
  [[nodiscard]] constexpr std::span<const region_id> children(region_id r) const& { return index_.children(r); }
  std::span<const region_id> children(region_id) const&& = delete;
  /// All blocks of the region, those of inner regions behind its own; RPO among those with the same innermost region.
  [[nodiscard]] constexpr range blocks(region_id r) const& { return map_.over(index_.blocks(r)); }
  range blocks(region_id) const&& = delete;
  /// The blocks whose innermost region is r, in RPO; there may be none.
  [[nodiscard]] constexpr range own_blocks(region_id r) const& { return map_.over(index_.own_blocks(r)); }
  range own_blocks(region_id) const&& = delete;
  /// The block that the region is entered at; it dominates all others.
  [[nodiscard]] constexpr vertex entry(region_id r) const { return map_.at(index_.entry(r)); }
  /// The block behind the region, which post-dominates it; empty if that is the virtual exit, and for region 0.
  [[nodiscard]] constexpr std::optional<vertex> exit(region_id r) const { return map_.maybe(index_.exit(r)); }
  /// The only edge into the region; start_edge for region 0.
  [[nodiscard]] constexpr edge entry_edge(region_id r) const { return index_.entry_edge(r); }
  /// The only edge out of the region. \pre r != 0.
  [[nodiscard]] constexpr edge exit_edge(region_id r) const {
    SIMTFLOW_EXPECTS(r != 0, "the whole program has no exit edge");
    return index_.exit_edge(r);
  }
  /// A number, the same for all edges that are cycle equivalent to this one and for no others; 2^32 - 1 for the edges
  /// of unreachable blocks. O(1).
  /// \pre e is an edge of the graph, of a block to the virtual exit, or start_edge, here and below
  [[nodiscard]] constexpr std::uint32_t edge_class(edge e) const { return index_.edge_class(e); }
  /// The region whose entry edge this is; empty if there is none. O(1).
  [[nodiscard]] constexpr std::optional<region_id> entered_by(edge e) const { return maybe(index_.entered_by(e)); }
  /// The region whose exit edge this is; empty if there is none. O(1).
  [[nodiscard]] constexpr std::optional<region_id> left_by(edge e) const { return maybe(index_.left_by(e)); }
  /// The same in dense block ids, and the depth-first orders that were computed on the way.
  [[nodiscard]] constexpr const detail::structure_tree_index<>& ids() const& { return index_; }
  const detail::structure_tree_index<>& ids() const&& = delete;

 private:
  static constexpr std::optional<region_id> maybe(region_id r) {
    if (r == no_region) return std::nullopt;
    return r;
  }

  detail::vertex_map<G> map_;
  detail::shape_of_graph<G> shape_;
  detail::structure_tree_index<> index_;
};

/// The program structure tree of g.
template <flow_graph G>
[[nodiscard]] constexpr program_structure_tree<G> structure_tree(const G& g) {
  return program_structure_tree<G>(g);
}
template <detail::keeps_pointer G>
program_structure_tree<G> structure_tree(const G&&) = delete;

// --- regions between blocks ------------------------------------------------------------------------------------------

/// A region between two blocks, as plain data over dense block ids.
struct block_region {
  block_id entry = no_block;      ///< the block that every way into the region enters; it dominates the region
  block_id exit = no_block;       ///< the first block behind the region; no_block: the virtual exit
  std::vector<block_id> blocks;   ///< the entry first
  std::vector<edge> entry_edges;  ///< from outside to the entry; start_edge if the program starts there
  std::vector<edge> exit_edges;   ///< to the exit; to the virtual exit: the slot behind the block's last
  bool endless = false;           ///< an exit edge is that of a terminal loop: no thread takes it

  /// One edge leads in and one leads out.
  [[nodiscard]] constexpr bool is_simple() const { return entry_edges.size() == 1 && exit_edges.size() == 1; }
};

/// A part of an arm: from one block that every path along the arm passes to the next such block, or one of those behind
/// it where a cycle holds several together.
struct arm_piece {
  block_id entry = no_block;      ///< the block that every way along the arm enters the piece at
  block_id exit = no_block;       ///< the next piece's entry, or the end of the arm (no_block: the virtual exit)
  std::uint32_t first = 0,        ///< where its blocks begin in arm_pieces::blocks
      size = 0;                   ///< how many there are, at least 1
  std::uint32_t entry_edges = 0,  ///< edges from outside into the piece
      exit_edges = 0;             ///< edges from it to its exit
  bool is_region = false;         ///< it is the region (entry, exit): nothing enters it anywhere else

  [[nodiscard]] constexpr bool is_block() const { return size == 1; }  ///< one block; it may have an edge to itself
  /// Region with one edge in and one edge out.
  [[nodiscard]] constexpr bool is_simple() const { return is_region && entry_edges == 1 && exit_edges == 1; }
};

/// An arm as a sequence of pieces.
struct arm_pieces {
  std::vector<arm_piece> pieces;  ///< in the order in which threads pass them
  std::vector<block_id> blocks;   ///< of all pieces, piece by piece, its entry first

  /// The blocks of one piece, its entry first. \pre p is one of `pieces`.
  [[nodiscard]] constexpr std::span<const block_id> blocks_of(const arm_piece& p) const {
    return std::span<const block_id>(blocks).subspan(p.first, p.size);
  }
};

/// Answers questions about regions between blocks of one graph. Questions write to a workspace: use one finder per
/// thread. They give false, and leave `out` in an unspecified state, where there is no such region; in particular for
/// unreachable blocks. `out` keeps its buffers from question to question.
template <flow_graph G = csr_graph>
class region_finder {
 public:
  using vertex = vertex_t<G>;  ///< the graph's own vertex type

  /// \pre check_adapter<G>(); g outlives the finder (a csr_graph need not).
  /// Complexity: that of the post-dominators of g.
  constexpr explicit region_finder(const G& g) : map_(g) { recompute(g); }
  region_finder(const G&&) requires detail::keeps_pointer<G>
  = delete;

  /// Gets ready for g (the same graph, changed, or another), reusing every buffer.
  constexpr void recompute(const G& g) {
    map_ = detail::vertex_map<G>(g);
    shape_ = detail::shape_of(g);
    ends_.compute(shape_, infinite_loops::virtual_edge);
    down_.compute(shape_, {});
    stamp_.assign(shape_.num_blocks(), 0);
    level_.assign(shape_.num_blocks(), 0);
    now_ = 0;
  }
  void recompute(const G&&) requires detail::keeps_pointer<G>
  = delete;

  /// The region (entry, exit), no vertex standing for the virtual exit. False if there is none.
  /// Complexity: O(edges of the blocks that the entry reaches without passing the exit, and of its predecessors).
  constexpr bool between(const vertex& entry, const std::optional<vertex>& exit, block_region& out) {
    return find(map_.index(entry), exit ? map_.index(*exit) : no_block, out);
  }
  /// The region from a branch (or any block) to its immediate post-dominator. False if that is no region, because it
  /// can be entered elsewhere.
  constexpr bool of_branch(const vertex& v, block_region& out) {
    const block_id b = map_.index(v);
    return ends_.is_reachable(b) && find(b, down_.ipdom(b), out);
  }

  /// Cuts the way from `from` (where an arm of a branch begins) to `to` (where the arms meet) at the blocks that every
  /// path along it passes. False if `to` does not strictly post-dominate `from`.
  ///
  /// Every piece is one block or several; is_region says whether it has one entry. All edges out of a piece go to its
  /// exit, and no piece can be cut further. Nothing is said about the branch: that it dominates the arm, and that the
  /// other arm does not lead into this one, must be asked elsewhere. (Where control comes in from the side, either a
  /// piece is no region or it has more entry edges than the piece before it has exit edges.)
  /// Complexity: O(edges of the blocks of the arm).
  constexpr bool pieces(const vertex& from, const std::optional<vertex>& to, arm_pieces& out) {
    return cut(map_.index(from), to ? map_.index(*to) : no_block, out);
  }

 private:
  constexpr bool find(block_id entry, block_id exit, block_region& out) {
    out.entry = entry;
    out.exit = exit;
    out.blocks.clear();
    out.entry_edges.clear();
    out.exit_edges.clear();
    out.endless = false;
    if (!goes_to(entry, exit)) return false;
    begin();
    visit(entry, 0, out.blocks);
    for (std::size_t i = 0; i < out.blocks.size(); ++i) {
      const block_id b = out.blocks[i];
      std::uint32_t slot = 0;
      for (const block_id s : shape_.successors(b)) {
        if (s == exit) {
          out.exit_edges.push_back({b, slot});
        } else if (!met(s)) {
          visit(s, 0, out.blocks);
        }
        ++slot;
      }
      // Where the exit is a block it post-dominates the entry, so nothing here ends.
      if (!ends_.ends(b)) continue;
      out.exit_edges.push_back({b, slot});
      if (!ends_.reaches_exit(b)) out.endless = true;
    }
    for (const block_id b : out.blocks) {
      if (b == shape_.entry()) {
        if (b != entry) return false;
        out.entry_edges.push_back(start_edge);
      }
      block_id last = no_block;
      for (const block_id p : shape_.predecessors(b)) {  // parallel edges are neighbours
        if (p == last || !ends_.is_reachable(p) || met(p)) continue;
        if (b != entry) return false;
        last = p;
        std::uint32_t slot = 0;
        for (const block_id s : shape_.successors(p)) {
          if (s == entry) out.entry_edges.push_back({p, slot});
          ++slot;
        }
      }
    }
    return true;
  }

  constexpr bool cut(block_id from, block_id to, arm_pieces& out) {
    out.pieces.clear();
    out.blocks.clear();
    if (!goes_to(from, to)) return false;
    begin();
    // Level i: what is first reached from the i-th block of the chain of post-dominators without passing the next. An
    // edge back to an earlier level makes one piece of all levels from there to here.
    std::uint32_t level = 0;
    for (block_id c = from; c != to; c = down_.ipdom(c), ++level) {
      const block_id next = down_.ipdom(c);
      out.pieces.push_back({});
      out.pieces.back().entry = c;
      std::size_t i = out.blocks.size();
      out.pieces.back().first = static_cast<std::uint32_t>(i);
      visit(c, level, out.blocks);
      for (; i < out.blocks.size(); ++i)
        for (const block_id s : shape_.successors(out.blocks[i])) {
          if (s == next) continue;
          if (!met(s)) {
            visit(s, level, out.blocks);
          } else {
            const std::uint32_t back = level_[s];
            while (level_[out.pieces.back().entry] > back) out.pieces.pop_back();
          }
        }
    }
    for (std::size_t k = 0; k < out.pieces.size(); ++k) {
      arm_piece& p = out.pieces[k];
      const bool last = k + 1 == out.pieces.size();
      p.exit = last ? to : out.pieces[k + 1].entry;
      p.size = static_cast<std::uint32_t>(last ? out.blocks.size() : out.pieces[k + 1].first) - p.first;
      p.is_region = true;
      for (const block_id b : out.blocks_of(p)) level_[b] = static_cast<std::uint32_t>(k);
    }
    for (std::uint32_t k = 0; k < out.pieces.size(); ++k) {
      arm_piece& p = out.pieces[k];
      for (const block_id b : out.blocks_of(p)) {
        for (const block_id s : shape_.successors(b)) p.exit_edges += s == p.exit;
        p.exit_edges += ends_.ends(b);
        std::uint32_t in = b == shape_.entry() ? 1 : 0;
        for (const block_id q : shape_.predecessors(b)) in += ends_.is_reachable(q) && (!met(q) || level_[q] != k);
        p.entry_edges += in;
        if (in != 0 && b != p.entry) p.is_region = false;
      }
    }
    return true;
  }

  [[nodiscard]] constexpr bool goes_to(block_id b, block_id end) const {
    SIMTFLOW_EXPECTS(b < shape_.num_blocks() && (end == no_block || end < shape_.num_blocks()),
                     "a question about a block that is not in the graph of this result");
    return ends_.is_reachable(b) && b != end && (end == no_block || down_.post_dominates(end, b));
  }
  constexpr void begin() {
    if (++now_ != 0) return;
    stamp_.assign(stamp_.size(), 0);
    now_ = 1;
  }
  [[nodiscard]] constexpr bool met(block_id b) const { return stamp_[b] == now_; }
  constexpr void visit(block_id b, std::uint32_t level, std::vector<block_id>& into) {
    stamp_[b] = now_;
    level_[b] = level;
    into.push_back(b);
  }

  detail::vertex_map<G> map_;
  csr_graph shape_;
  detail::end_index<> ends_;
  detail::post_dominator_index<> down_;
  std::vector<std::uint32_t> stamp_, level_;
  std::uint32_t now_ = 0;
};

// --- making regions simple -------------------------------------------------------------------------------------------

/// How a region between blocks becomes simple: which edges are to go through new blocks. Plain data, see plan_simple.
struct simple_region_plan {
  block_id entry = no_block,      ///< as in block_region
      exit = no_block;            ///< as in block_region
  std::vector<edge> entry_edges;  ///< to go through a new block in front of the region; empty: no block is needed
  std::vector<edge> exit_edges;   ///< to go through a new block at the region's end; empty: no block is needed
};

/// The plan that makes r simple, with as few new blocks as possible; no plan if there are several exit edges and one of
/// them belongs to an endless loop, which cannot be redirected because no thread takes it.
[[nodiscard]] constexpr std::optional<simple_region_plan> plan_simple(const block_region& r) {
  simple_region_plan plan;
  plan.entry = r.entry;
  plan.exit = r.exit;
  if (r.entry_edges.size() > 1) plan.entry_edges = r.entry_edges;
  if (r.exit_edges.size() > 1) {
    if (r.endless) return std::nullopt;
    plan.exit_edges = r.exit_edges;
  }
  return plan;
}

/// A graph with one region made simple.
struct simple_region_graph {
  csr_graph graph;                ///< block b of the old graph is block b; new blocks behind them
  std::vector<block_id> origin;   ///< by new block: the old block, no_block for a synthetic one
  block_id new_entry = no_block,  ///< the block in front of the region; no_block where none was needed
      new_exit = no_block;        ///< the block at its end; no_block where none was needed
};

/// Carries out a plan. Slots keep their numbers. A redirected edge to the virtual exit becomes a new last slot: threads
/// that would have ended in the block go on to the new exit block and end there.
/// \pre the plan was made for a region of g. Complexity: O(blocks + edges).
[[nodiscard]] constexpr simple_region_graph apply(const csr_graph& g, const simple_region_plan& plan) {
  const std::size_t n = g.num_blocks();
  simple_region_graph made;
  std::size_t blocks = n;
  if (!plan.entry_edges.empty()) made.new_entry = static_cast<block_id>(blocks++);
  if (!plan.exit_edges.empty()) made.new_exit = static_cast<block_id>(blocks++);
  made.origin.assign(blocks, no_block);
  for (block_id b = 0; b < n; ++b) made.origin[b] = b;

  std::vector<block_id> target;  // by edge id, then by block: where threads that end there go now
  target.assign(g.num_edges() + n, no_block);
  for (edge_id e = 0; e < g.num_edges(); ++e) target[e] = g.target(e);
  block_id entry = g.entry();
  for (const bool at_entry : {true, false})
    for (const edge& e : at_entry ? plan.entry_edges : plan.exit_edges) {
      const block_id to = at_entry ? made.new_entry : made.new_exit;
      if (e == start_edge) {
        entry = to;
        continue;
      }
      SIMTFLOW_EXPECTS(e.from < n && e.slot <= g.successors(e.from).size(), "the plan was made for a region of g");
      target[e.slot < g.successors(e.from).size() ? g.first_edge(e.from) + e.slot : g.num_edges() + e.from] = to;
    }

  csr_builder builder(blocks, n == 0 ? 0 : entry);
  for (block_id b = 0; b < n; ++b) {
    const edge_id first = g.first_edge(b);
    for (edge_id e = first; e < first + g.successors(b).size(); ++e) builder.add_edge(b, target[e]);
    if (const block_id end = target[g.num_edges() + b]; end != no_block) {
      builder.add_edge(b, end);
    } else if (g.is_exit(b)) {
      builder.mark_exit(b);
    }
  }
  if (made.new_entry != no_block) builder.add_edge(made.new_entry, plan.entry);
  if (made.new_exit != no_block && plan.exit != no_block) builder.add_edge(made.new_exit, plan.exit);
  made.graph = builder.build();
  return made;
}

}  // namespace v0
}  // namespace simtflow
