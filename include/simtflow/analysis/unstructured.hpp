// SPDX-License-Identifier: BSL-1.0
//
// Unstructured control flow: its edges, the reasons, and the parts of the graph around them. structure.hpp tells
// whether a graph is structured at all; this header tells what is in the way.
//
// An edge u -> v is *unstructured* for one or more of these reasons:
//
//   crossing     neither of u and v dominates or post-dominates the other
//   into a loop  some loop contains v but not u, and v does not dominate the whole loop
//   out of it    some loop contains u but not v, and u does not post-dominate the whole loop
//
// A loop is any loop of the forest of loops.hpp, outer and irreducible loops included. An edge leads to the
// virtual exit from every place where control ends (ends.hpp): a return from within a loop leads out of it.
//
// A set of blocks S is *closed* between D and P under four conditions: D dominates and P post-dominates all of S;
// neither is in S; every edge into S comes from S or D; every edge out of S leads to S or P. D may be missing: then the
// program starts in S. P may be the virtual exit. D and P may be one block: the body of a while loop lies between the
// header and the header. Every set of blocks has a least closed set around it, its *closure*, with the deepest D and
// the nearest P.
//
// The *region* of an unstructured edge is the closure of its two ends, with two exceptions. If the only reason is
// `out of it` and the closure of u lies just before v, the region is that closure; if the only reason is `into a loop`
// and the closure of v lies just after u, it is that closure. Regions nest or are disjoint.
//
// A graph may be unstructured without any unstructured edge: two arms share a tail, and one of them leads through an
// empty block. Such *hidden* regions are found by reduction (structure.hpp), with each outermost region taken for one
// block. In the nodes that are left, consider the closure of everything between a branch and the block where its ways
// join. It is a hidden region if it has more than one node. Inner branches come first; branches around a hidden
// region are considered again with the region taken for one block.
//
// A *part* of a region is a node that is left when the region is reduced by itself: a single block, or several blocks
// that are structured, have one entry, and leave to one block or from one block. Only the parts of a region need to be
// put in order, not all of its blocks.
//
// Construction: of all blocks of a loop at most one dominates it and at most one post-dominates it. So the loops that
// make an edge into v unstructured are the loops around a certain one, and an edge is judged in O(1). A closure grows
// from its blocks over their edges; D and P only ever climb, through blocks that become part of it. A closure swallows
// a known outermost region as a whole, so all of them take linear time together.
//
// Literature: J. Anantpur, R. Govindarajan, Taming control divergence in GPUs through control flow linearization
// (2014): the edges are the ones of definitions 1 and 4. Post-dominance, loops and the closure are as defined here.
#pragma once

#include <simtflow/analysis/analysis_result.hpp>
#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/analysis/dense/unstructured.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/argument.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

namespace detail {

// Recomputes a dense result for a graph of type G from a copy of its shape, and keeps the copy.
template <class G>
class copied_shape {
 public:
  template <class Dense, class... More>
  constexpr void recompute(Dense& dense, const G& g, const More&... more) {
    graph_ = kept_.of(g);
    dense.recompute(graph_, more...);
  }
  // The same for facts of a csr_graph.
  template <class Dense>
  constexpr void recompute(Dense& dense, cfg_facts& facts) {
    graph_ = facts.graph();
    dense.recompute(facts);
  }
  [[nodiscard]] constexpr const csr_graph& graph() const { return graph_; }

 private:
  kept_shape<G> kept_;
  csr_graph graph_;
};

}  // namespace detail

/// The unstructured edges of a graph and the regions around them, as defined at the top of this header.
///
/// Edges and regions name blocks by dense index. Unreachable vertices are in no region and their edges are ignored.
/// Self loops are never unstructured.
template <flow_graph G = csr_graph>
class unstructured_flow : public analysis_result<G, dense::unstructured_flow, detail::copied_shape<G>> {
  using base = analysis_result<G, dense::unstructured_flow, detail::copied_shape<G>>;
  using base::map_, base::dense_, base::shape_;

 public:
  using typename base::range;
  using typename base::vertex;

  /// \pre check_adapter<G>(); g outlives the result (a csr_graph need not).
  /// Complexity: as for the dominators of g.
  constexpr explicit unstructured_flow(graph_ref<G> g) { this->compute(g); }
  /// Takes the graph of `facts` and computes what is not known yet. \pre facts outlive the result.
  constexpr explicit unstructured_flow(cfg_facts& facts) requires(std::same_as<G, csr_graph>) { recompute(facts); }

  using base::recompute;
  /// Finds what is unstructured in the graph of `facts` and reuses every buffer. \pre as the constructor.
  constexpr void recompute(cfg_facts& facts) requires(std::same_as<G, csr_graph>) { shape_.recompute(dense_, facts); }

  /// True if there is nothing to report: is_structured(g). O(1).
  [[nodiscard]] constexpr bool is_structured() const { return dense_.is_structured(); }
  /// The unstructured edges, by index of their source, then slot. O(1).
  [[nodiscard]] constexpr std::span<const unstructured_edge> edges() const& { return dense_.edges(); }
  std::span<const unstructured_edge> edges() const&& = delete;
  /// The outermost regions: disjoint, largest first, regions of one size by their least block. O(1).
  [[nodiscard]] constexpr std::span<const unstructured_region> regions() const& { return dense_.regions(); }
  std::span<const unstructured_region> regions() const&& = delete;
  /// The blocks of one of regions(), by ascending index. O(1).
  [[nodiscard]] constexpr range blocks(const unstructured_region& r) const& { return map_.over(dense_.blocks(r)); }
  range blocks(const unstructured_region&) const&& = delete;
  /// The place in regions() of the region that contains v; no_unstructured_region if there is none. O(1).
  [[nodiscard]] constexpr std::uint32_t region_of(const vertex& v) const { return dense_.region_of(map_.index(v)); }
  /// The first block of the part of a region that v belongs to; empty outside all regions. O(1).
  [[nodiscard]] constexpr std::optional<vertex> part_of(const vertex& v) const {
    return map_.maybe(dense_.part_of(map_.index(v)));
  }
  /// The place in regions() of the region that is, or contains, the region of e. O(1). \pre e is one of edges().
  [[nodiscard]] constexpr std::uint32_t region_of(const unstructured_edge& e) const { return dense_.region_of(e); }

  /// Finds the least closed set that contains these blocks (dense ids); unreachable blocks do not count. `out` keeps
  /// its buffer. Writes to a workspace, as region() does: use one object per thread.
  /// Complexity: O(m + s log s) for s blocks of the answer with m edges to and from them.
  constexpr void closure(std::span<const block_id> of, closed_blocks& out) { dense_.closure(shape_.graph(), of, out); }
  /// Finds the region of one of edges(). If regions nest, this may be a part of regions()[region_of(e)]. Complexity:
  /// as closure().
  constexpr void region(const unstructured_edge& e, closed_blocks& out) { dense_.region(shape_.graph(), e, out); }
};

/// `unstructured_flow flow(g)`.
template <flow_graph G>
explicit unstructured_flow(const G&) -> unstructured_flow<G>;
/// `unstructured_flow flow(facts)`.
explicit unstructured_flow(cfg_facts&)->unstructured_flow<>;

/// Finds what is unstructured in g. Complexity: as for the dominators of g.
/// A structured graph, and an empty one, has no unstructured edges. Unreachable blocks are in no region.
/// \pre check_adapter<G>() holds; g outlives the result (a csr_graph need not).
/// Errors: a successor with an index out of range is a contract violation; validate(g) names such an edge beforehand.
/// \snippet reference_test.cpp find_unstructured
template <graph_argument G>
[[nodiscard]] constexpr unstructured_flow<graph_t<G>> find_unstructured(G&& g) {
  return unstructured_flow<graph_t<G>>(g);
}
/// The same for the graph of `facts`, in dense ids: computes what is not known yet. \pre facts outlive the result.
template <std::same_as<cfg_facts> Facts>  // a template: whoever does not call it does not pay for it
[[nodiscard]] constexpr unstructured_flow<csr_graph> find_unstructured(Facts& facts) {
  return unstructured_flow<csr_graph>(facts);
}

/// The unstructured edges of g (or of facts) alone, by dense index of their source, then slot. Complexity: as
/// find_unstructured().
template <graph_or_facts G>
[[nodiscard]] constexpr std::vector<unstructured_edge> unstructured_edges(G&& g) {
  detail::facts_in<G> facts(g);
  dense::unstructured_flow flow;
  flow.recompute(facts.get());
  return std::vector<unstructured_edge>(flow.edges().begin(), flow.edges().end());
}

}  // namespace v0
}  // namespace simtflow
