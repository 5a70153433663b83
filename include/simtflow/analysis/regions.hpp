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

#include <simtflow/analysis/dense/regions.hpp>
#include <simtflow/analysis/vertex_map.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace simtflow {
inline namespace v0 {

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
    SIMTFLOW_EXPECTS(r != whole_program, "the whole program has no exit edge");
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
  detail::kept_shape<G> shape_;
  detail::structure_tree_index<> index_;
};

/// The program structure tree of g.
template <flow_graph G>
[[nodiscard]] constexpr program_structure_tree<G> structure_tree(const G& g) {
  return program_structure_tree<G>(g);
}
template <detail::keeps_pointer G>
program_structure_tree<G> structure_tree(const G&&) = delete;

}  // namespace v0
}  // namespace simtflow
