// SPDX-License-Identifier: BSL-1.0
//
// Where control flow is unstructured: which edges, why, and in which part of the graph. Whether a graph is structured
// at all is for structure.hpp to say; this header says what is in the way.
//
// An edge u -> v is *unstructured*, for one or more of these reasons:
//
//   crossing     neither of u and v dominates or post-dominates the other
//   into a loop  some loop contains v but not u, and v does not dominate the whole loop
//   out of it    some loop contains u but not v, and u does not post-dominate the whole loop
//
// A loop is any loop of the forest of loops.hpp, outer and irreducible ones included. Where control ends there is an
// edge to the virtual exit (ends.hpp): a return from within a loop leads out of it.
//
// A set of blocks S is *closed* between D and P if D dominates and P post-dominates all of S, neither is in S, every
// edge into S comes from S or D, and every edge out of S leads to S or P. D may be missing: then the program starts in
// S. P may be the virtual exit. D and P may be one block: the body of a while loop lies between the header and the
// header. Every set of blocks has a least closed set around it, its *closure*, with the deepest D and the nearest P.
//
// The *region* of an unstructured edge is the closure of its two ends; but if the only reason is `out of it` and the
// closure of u lies just before v, it is that, and if the only reason is `into a loop` and the closure of v lies just
// behind u, it is that. Regions nest or are disjoint. A graph may be unstructured without any unstructured edge: two
// arms that share a tail, one of them through an empty block. What the outermost regions do not explain, each of them
// taken for one block, is reduced as far as it goes (structure.hpp). In what is left, the closure of everything between
// a branch and the block where its ways meet is a *hidden* region, if it is more than one node; inner branches first,
// and branches around a hidden region are looked at again when that is taken for one block.
//
// A *part* of a region is a node that is left when the region is reduced by itself: a single block, or several blocks
// that are structured, have one entry, and leave to one block or from one block. Only the parts of a region need to be
// put in order, not all of its blocks.
//
// Construction: of all blocks of a loop at most one dominates it and at most one post-dominates it, so that the loops
// that make an edge into v unstructured are those around one certain loop: an edge is judged in O(1). A closure grows
// from its blocks over their edges; D and P only ever climb, through blocks that become part of it. For the outermost
// regions, one that is known already is swallowed as a whole, so that all of them take linear time together.
//
// Literature: J. Anantpur, R. Govindarajan, Taming control divergence in GPUs through control flow linearization
// (2014), definitions 1 and 4, whose edges these are. Post-dominance, loops and the closure are as defined here.
#pragma once

#include <simtflow/analysis/dense/unstructured.hpp>
#include <simtflow/analysis/vertex_map.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The unstructured edges of a graph and the regions around them, as defined at the top of this header.
///
/// Edges and regions speak of blocks by dense index. Unreachable vertices are in no region, and their edges are not
/// looked at. Self loops are never unstructured.
template <flow_graph G = csr_graph>
class unstructured_flow {
 public:
  using vertex = vertex_t<G>;                           ///< the graph's own vertex type
  using range = typename detail::vertex_map<G>::range;  ///< vertex_range<G>; for a csr_graph a span of block ids

  /// \pre check_adapter<G>(); g outlives the result (a csr_graph need not).
  /// Complexity: that of the dominators of g.
  constexpr explicit unstructured_flow(const G& g) : map_(g) { recompute(g); }
  unstructured_flow(const G&&) requires detail::keeps_pointer<G>
  = delete;

  /// Looks at g (the same graph, changed, or another), reusing every buffer.
  constexpr void recompute(const G& g) {
    map_ = detail::vertex_map<G>(g);
    shape_ = buffer_.of(g);
    index_.compute(shape_);
  }
  void recompute(const G&&) requires detail::keeps_pointer<G>
  = delete;

  /// There is nothing to report: is_structured(g). O(1).
  [[nodiscard]] constexpr bool is_structured() const { return index_.is_structured(); }
  /// The unstructured edges, by index of their source, then slot.
  [[nodiscard]] constexpr std::span<const unstructured_edge> edges() const& { return index_.edges(); }
  std::span<const unstructured_edge> edges() const&& = delete;
  /// The outermost regions: disjoint, largest first, those of one size by their least block.
  [[nodiscard]] constexpr std::span<const unstructured_region> regions() const& { return index_.regions(); }
  std::span<const unstructured_region> regions() const&& = delete;
  /// The blocks of one of regions(), by ascending index.
  [[nodiscard]] constexpr range blocks(const unstructured_region& r) const& { return map_.over(index_.blocks(r)); }
  range blocks(const unstructured_region&) const&& = delete;
  /// The place in regions() of the one that contains v; no_unstructured_region if there is none. O(1).
  [[nodiscard]] constexpr std::uint32_t region_of(const vertex& v) const { return index_.region_of(map_.index(v)); }
  /// The first block of the part of a region that v belongs to, as defined at the top of this header; empty outside all
  /// regions. O(1).
  [[nodiscard]] constexpr std::optional<vertex> part_of(const vertex& v) const {
    return map_.maybe(index_.part_of(map_.index(v)));
  }
  /// The place in regions() of the one that is, or contains, the region of e. O(1).
  /// \pre e is one of edges().
  [[nodiscard]] constexpr std::uint32_t region_of(const unstructured_edge& e) const { return index_.region_of(e); }

  /// The least closed set that contains these blocks (dense ids); those that are unreachable do not count. Writes to a
  /// workspace, as region() does: use one object per thread.
  /// Complexity: O(m + s log s) for s blocks of the answer with m edges to and from them. `out` keeps its buffer.
  constexpr void closure(std::span<const block_id> of, closed_blocks& out) { index_.closure(shape_, of, out); }
  /// The region of one of edges(). Where regions nest this may be a part of regions()[region_of(e)]. Complexity: as
  /// closure().
  constexpr void region(const unstructured_edge& e, closed_blocks& out) { index_.region(shape_, e, out); }

  /// The same in dense block ids.
  [[nodiscard]] constexpr const detail::unstructured_index<>& ids() const& { return index_; }
  const detail::unstructured_index<>& ids() const&& = delete;

 private:
  detail::vertex_map<G> map_;
  detail::kept_shape<G> buffer_;
  csr_graph shape_;
  detail::unstructured_index<> index_;
};

/// What is unstructured in g.
template <flow_graph G>
[[nodiscard]] constexpr unstructured_flow<G> find_unstructured(const G& g) {
  return unstructured_flow<G>(g);
}
template <detail::keeps_pointer G>
unstructured_flow<G> find_unstructured(const G&&) = delete;

/// The unstructured edges of g alone, by dense index of their source, then slot.
template <flow_graph G>
[[nodiscard]] constexpr std::vector<unstructured_edge> unstructured_edges(const G& g) {
  detail::unstructured_index<> index;
  index.compute(detail::shape_of(g));
  return std::vector<unstructured_edge>(index.edges().begin(), index.edges().end());
}

}  // namespace v0
}  // namespace simtflow
