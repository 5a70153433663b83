// SPDX-License-Identifier: BSL-1.0
//
// The program structure tree in dense ids. analysis/regions.hpp tells what it means.
#pragma once

#include <simtflow/analysis/dense/order.hpp>
#include <simtflow/analysis/detail/cycle_equivalence.hpp>
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
// Shape is csr_graph or has its members.
template <class Shape = csr_graph>
class basic_program_structure_tree {
 public:
  /// Computes the tree of g and reuses every buffer. O(blocks + edges); no recursion.
  constexpr void recompute(const Shape& g) {
    ends_.compute(g, infinite_loops::virtual_edge);
    dfs_.recompute(g);
    edges_.compute(g, ends_);
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
  [[nodiscard]] constexpr block_id entry(region_id r) const { return edges_.to[entry_[checked(r)]]; }
  /// The block after r; no_block for the virtual exit and for `whole_program`.
  [[nodiscard]] constexpr block_id exit(region_id r) const {
    const std::uint32_t e = exit_[checked(r)];
    return e == none || edges_.to[e] == num_blocks() ? no_block : edges_.to[e];
  }
  /// The only edge into r; start_edge for `whole_program`.
  [[nodiscard]] constexpr edge entry_edge(region_id r) const { return name(entry_[checked(r)]); }
  /// The only edge out of r; start_edge for `whole_program`, which has no such edge.
  [[nodiscard]] constexpr edge exit_edge(region_id r) const {
    return exit_[checked(r)] == none ? start_edge : name(exit_[index_of(r)]);
  }
  /// A number that cycle-equivalent edges have in common; 2^32 - 1 for the edges of unreachable blocks.
  [[nodiscard]] constexpr std::uint32_t edge_class(edge e) const { return edges_.class_of[place(e)]; }
  /// The region with this entry edge; no_region if there is none.
  [[nodiscard]] constexpr region_id entered_by(edge e) const {
    const std::uint32_t p = place(e);
    return next_[p] == none ? no_region : region_id{innermost_[edges_.to[p]]};
  }
  /// The region with this exit edge; no_region if there is none.
  [[nodiscard]] constexpr region_id left_by(edge e) const {
    const std::uint32_t p = place(e);
    return leaves_[p] == 0 ? no_region : region_id{innermost_[edges_.from[p]]};
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
    if (e == edges_.start) return start_edge;
    const block_id from = edges_.from[e];
    return {from, e < edges_.num_edges ? e - edges_.slot_0[from] : edges_.slot_0[from + 1] - edges_.slot_0[from]};
  }
  [[nodiscard]] constexpr std::uint32_t place(edge e) const {
    if (e.from == no_block && num_blocks() != 0) return edges_.start;
    SIMTFLOW_EXPECTS(e.from < num_blocks(), "a question about an edge that is not in the graph of this result");
    const std::uint32_t num_slots = edges_.slot_0[e.from + 1] - edges_.slot_0[e.from];
    SIMTFLOW_EXPECTS(e.slot < num_slots || (e.slot == num_slots && ends_.ends(e.from)),
                     "a question about a successor slot that the block does not have");
    return e.slot < num_slots ? edges_.slot_0[e.from] + e.slot : edges_.num_edges + e.from;
  }

  // Neighbours in a class. The source of an edge strictly dominates the sources of the following edges, so RPO finds
  // them in their order.
  constexpr void pair_up(const Shape& g) {
    next_.assign(edges_.from.size(), none);
    leaves_.assign(edges_.from.size(), 0);
    cursor_.assign(edges_.num_classes, none);
    if (g.num_blocks() != 0) follow(edges_.start);
    for (const block_id b : dfs_.rpo()) {
      for (std::uint32_t e = edges_.slot_0[b]; e < edges_.slot_0[b + 1]; ++e) follow(e);
      if (ends_.ends(b)) follow(edges_.num_edges + b);
    }
  }
  constexpr void follow(std::uint32_t e) {
    std::uint32_t& last = cursor_[edges_.class_of[e]];
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
    if (n != 0 && next_[edges_.start] != none) {
      heads_[g.entry()] = 1;
      ++regions;
    }
    for (const block_id b : dfs_.rpo())
      for (std::uint32_t e = edges_.slot_0[b]; e < edges_.slot_0[b + 1]; ++e) {
        if (dfs_.kind(e) != edge_kind::tree) continue;
        const std::uint32_t inner = heads_[b] ? b : outer_[b];
        const block_id s = edges_.to[e];
        outer_[s] = leaves_[e] ? outer_[inner] : inner;
        heads_[s] = next_[e] != none;
        regions += heads_[s];
      }

    entry_.assign(regions, edges_.start);
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
      if (b == g.entry()) exit_[r] = next_[edges_.start];
    }
    for (const block_id b : dfs_.rpo()) {
      for (std::uint32_t e = edges_.slot_0[b]; e < edges_.slot_0[b + 1]; ++e)
        if (next_[e] != none) {
          const std::uint32_t r = innermost_[edges_.to[e]];
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

  detail::end_index<Shape> ends_;
  basic_depth_first_order<Shape> dfs_;
  detail::cycle_equivalence<Shape> edges_;
  std::vector<std::uint32_t> next_;                                                   // by edge: the next of its class
  std::vector<std::uint32_t> parent_, depth_, below_, entry_, exit_, first_, order_;  // by region
  std::vector<std::uint32_t> child_begin_, innermost_;
  std::vector<region_id> children_;
  std::vector<unsigned char> leaves_;  // the edge leaves a region
  // Workspace, kept for the next computation.
  std::vector<std::uint32_t> cursor_, outer_;
  std::vector<unsigned char> heads_;
};

/// Over a csr_graph.
using program_structure_tree = basic_program_structure_tree<>;

}  // namespace dense
}  // namespace v0
}  // namespace simtflow
