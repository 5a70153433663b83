// SPDX-License-Identifier: BSL-1.0
//
// Regions between edges: parts of a graph with one edge in and one edge out.
//
// All control starts with one *start edge* into the entry and ends in one virtual exit; an edge leads from the virtual
// exit back to the start. Two edges are *cycle equivalent* if every cycle through one contains the other. Then one
// dominates the other and is post-dominated by it: all edges of a class lie in a row, and two neighbours enclose a
// *canonical region*: the blocks that the first edge dominates and the second edge post-dominates, and that the first
// reaches without passing the second. (In 0 -> 1 -> 3 -> 2 -> 0 the region between 0 -> 1 and 1 -> 3 is block 1 alone.)
// Canonical regions are nested or disjoint; the *program structure tree* is their nesting. One undirected depth-first
// search finds the classes; it keeps, for every tree edge, the list of the back edges around it.
//
// The virtual exit has an edge from every exit and from the first block of every terminal loop (graph/views.hpp).
//
// Literature: R. Johnson, D. Pearson, K. Pingali, The program structure tree (1994).
#pragma once

#include <simtflow/analysis/analysis_result.hpp>
#include <simtflow/analysis/dense/regions.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/argument.hpp>
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
/// Region 0, `whole_program`, is between no two edges; an empty graph has no region. An edge has the index of its
/// source and a slot as its name. The edge of a block to the virtual exit has the slot after the last slot of the
/// block; start_edge enters the program. Unreachable vertices are in no region. Parallel edges are different edges. A
/// self loop makes no region.
template <flow_graph G = csr_graph>
class program_structure_tree : public analysis_result<G, dense::program_structure_tree> {
  using base = analysis_result<G, dense::program_structure_tree>;
  using base::map_, base::dense_;

 public:
  using typename base::range;
  using typename base::vertex;

  /// \pre check_adapter<G>(); g outlives the tree (a csr_graph need not).
  /// Complexity: O(blocks + edges) time and space; no recursion.
  constexpr explicit program_structure_tree(graph_ref<G> g) { this->compute(g); }

  /// The number of regions, `whole_program` included; 0 only for an empty graph. O(1).
  [[nodiscard]] constexpr std::size_t num_regions() const { return dense_.num_regions(); }
  /// The smallest region that contains v, perhaps `whole_program`; empty for unreachable v. O(1).
  [[nodiscard]] constexpr std::optional<region_id> innermost(const vertex& v) const {
    return maybe(dense_.innermost(map_.index(v)));
  }
  /// True if the region contains v, perhaps in an inner region. O(1).
  [[nodiscard]] constexpr bool contains(region_id r, const vertex& v) const {
    return dense_.contains(r, map_.index(v));
  }

  /// The smallest region around r; empty for `whole_program`. O(1). \pre r is below num_regions(), here and below.
  [[nodiscard]] constexpr std::optional<region_id> parent(region_id r) const { return maybe(dense_.parent(r)); }
  /// The number of regions around r: 0 for `whole_program`. O(1).
  [[nodiscard]] constexpr std::uint32_t depth(region_id r) const { return dense_.depth(r); }
  /// True if inner is outer or nested in it. O(1).
  [[nodiscard]] constexpr bool is_nested(region_id outer, region_id inner) const {
    return dense_.is_nested(outer, inner);
  }
  /// The regions directly inside r, by ascending id. O(1).
  [[nodiscard]] constexpr std::span<const region_id> children(region_id r) const& { return dense_.children(r); }
  std::span<const region_id> children(region_id) const&& = delete;
  /// All blocks of the region: its own blocks, then the blocks of inner regions. Blocks with the same innermost region
  /// are in RPO. O(1).
  [[nodiscard]] constexpr range blocks(region_id r) const& { return map_.over(dense_.blocks(r)); }
  range blocks(region_id) const&& = delete;
  /// The blocks with r as their innermost region, in RPO; there may be none. O(1).
  [[nodiscard]] constexpr range own_blocks(region_id r) const& { return map_.over(dense_.own_blocks(r)); }
  range own_blocks(region_id) const&& = delete;
  /// The block at which control enters the region; it dominates all others. O(1).
  [[nodiscard]] constexpr vertex entry(region_id r) const { return map_.at(dense_.entry(r)); }
  /// The block after the region, which post-dominates it; empty if this is the virtual exit, and for `whole_program`.
  /// O(1).
  [[nodiscard]] constexpr std::optional<vertex> exit(region_id r) const { return map_.maybe(dense_.exit(r)); }
  /// The only edge into the region; start_edge for `whole_program`. O(1).
  [[nodiscard]] constexpr edge entry_edge(region_id r) const { return dense_.entry_edge(r); }
  /// The only edge out of the region. O(1). \pre r is not `whole_program`.
  [[nodiscard]] constexpr edge exit_edge(region_id r) const {
    SIMTFLOW_EXPECTS(r != whole_program, "the whole program has no exit edge");
    return dense_.exit_edge(r);
  }
  /// A number that cycle-equivalent edges have in common and no other edges have; 2^32 - 1 for the edges of unreachable
  /// blocks. O(1).
  /// \pre e is an edge of the graph, the edge of a block to the virtual exit, or start_edge, here and below.
  [[nodiscard]] constexpr std::uint32_t edge_class(edge e) const { return dense_.edge_class(e); }
  /// The region with this entry edge; empty if there is none. O(1).
  [[nodiscard]] constexpr std::optional<region_id> entered_by(edge e) const { return maybe(dense_.entered_by(e)); }
  /// The region with this exit edge; empty if there is none. O(1).
  [[nodiscard]] constexpr std::optional<region_id> left_by(edge e) const { return maybe(dense_.left_by(e)); }

 private:
  static constexpr std::optional<region_id> maybe(region_id r) {
    if (r == no_region) return std::nullopt;
    return r;
  }
};

/// `program_structure_tree tree(g)`.
template <flow_graph G>
explicit program_structure_tree(const G&) -> program_structure_tree<G>;

/// The program structure tree of g. Complexity: O(blocks + edges).
template <graph_argument G>
[[nodiscard]] constexpr program_structure_tree<graph_t<G>> structure_tree(G&& g) {
  return program_structure_tree<graph_t<G>>(g);
}

}  // namespace v0
}  // namespace simtflow
