// SPDX-License-Identifier: BSL-1.0
//
// Where the threads that a branch parts come together again. A *branch* is a reachable block with two or more distinct
// successors, its *arms*. Four answers:
//
//   guaranteed    the immediate post-dominator (post_dominators.hpp): the first block on all paths. pdom_join_blocks
//                 lists those of all branches
//   likely        a block before that where most threads meet, although a rare path goes round it: from the loop around
//                 the branch (it goes round by `break`), or from a profile. The *likely-convergence point*
//   meeting       the blocks that two different arms reach, no path passing the immediate post-dominator or coming back
//                 through the branch. Paths may end at these two: they count if reached
//   first meeting those meeting blocks to which two paths lead, from different arms, without any other block in common:
//                 where two threads can meet that have not met since they parted
//
// The likely-convergence point of branch b by loops: take the loops around b from the inside outwards. If the immediate
// post-dominator of b lies in the loop, there is none. Otherwise the candidate is the loop's latch (the block with the
// edge back to the header), or the header if there are several latches; the first candidate that is not b itself is the
// answer. The literature says "the closest enclosing backwards taken branch", which leaves several latches open.
//
// The likely-convergence point of b by a profile: its immediate post-dominator when the edges that less than a given
// share of the threads take are ignored, if that is a block and not the immediate post-dominator. The literature gives
// no rule; in detail: the share of an edge is its count divided by all threads that leave or end in its block, parallel
// edges together; where nothing was counted, nothing is ignored; the most taken way on is never ignored; and where a
// loop would become endless, its most taken way out (then the lowest edge id) is put back, for a loop must be left,
// however rarely.
//
// Literature: W. Fung, T. Aamodt, Thread block compaction for efficient SIMT control flow (2011), section 4; the first
// meeting blocks are the joins of R. Cytron et al., Efficiently computing static single assignment form and the control
// dependence graph (1991), for one assignment in each arm.
#pragma once

#include <simtflow/analysis/dense/convergence.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/analysis/vertex_map.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The distinct immediate post-dominators of all branches, ascending by dense id: where a PDOM machine joins threads.
/// Branches whose threads meet only at the virtual exit add none. O(blocks + edges).
/// \pre the tree is of g.
template <flow_graph G>
[[nodiscard]] constexpr std::vector<vertex_t<G>> pdom_join_blocks(const G& g, const post_dominator_tree<G>& tree) {
  const auto& shape = detail::shape_of(g);
  SIMTFLOW_EXPECTS(tree.ids().num_blocks() == shape.num_blocks(), "the post-dominators are of this graph");
  std::vector<unsigned char> is_join;
  is_join.assign(shape.num_blocks(), 0);
  for (block_id b = 0; b < shape.num_blocks(); ++b)
    if (tree.ids().is_reachable(b) && tree.ids().ipdom(b) != no_block && detail::has_two_arms(shape, b))
      is_join[tree.ids().ipdom(b)] = 1;
  const detail::vertex_map<G> map(g);
  std::vector<vertex_t<G>> joins;
  for (block_id b = 0; b < shape.num_blocks(); ++b)
    if (is_join[b]) joins.push_back(map.at(b));
  return joins;
}

/// A likely-convergence point for every branch that has one, by one of the two rules at the top of this header.
///
/// Empty for blocks that are no branches, for unreachable blocks, and where the likely point would be the immediate
/// post-dominator or none. Parallel edges are one arm.
template <flow_graph G = csr_graph>
class likely_convergence_points {
 public:
  using vertex = vertex_t<G>;  ///< the graph's own vertex type

  /// For likely_convergence, which makes these. \pre g outlives the result (a csr_graph need not).
  constexpr likely_convergence_points(const G& g, detail::likely_index<> index)
      : map_(g), index_(static_cast<detail::likely_index<>&&>(index)) {}

  /// The likely-convergence point of v. O(1).
  [[nodiscard]] constexpr std::optional<vertex> point(const vertex& v) const {
    return map_.maybe(index_.point(map_.index(v)));
  }
  /// The same by dense block id; no_block where there is none.
  [[nodiscard]] constexpr std::span<const block_id> points() const& { return index_.points(); }
  std::span<const block_id> points() const&& = delete;

 private:
  detail::vertex_map<G> map_;
  detail::likely_index<> index_;
};

/// Likely-convergence points by loops: threads that go round the immediate post-dominator by `break` are the rare ones.
/// \pre both results are of g. O(blocks + edges).
template <flow_graph G>
[[nodiscard]] constexpr likely_convergence_points<G> likely_convergence(const G& g, const loop_forest<G>& loops,
                                                                        const post_dominator_tree<G>& tree) {
  detail::likely_index<> index;
  index.by_loops(detail::shape_of(g), loops.ids(), tree.ids());
  return likely_convergence_points<G>(g, static_cast<detail::likely_index<>&&>(index));
}
template <detail::keeps_pointer G>
likely_convergence_points<G> likely_convergence(const G&&, const loop_forest<G>&,
                                                const post_dominator_tree<G>&) = delete;

/// Likely-convergence points by a profile: edges that less than `threshold` (a share of the threads that leave the
/// block, 0 to 1) take are ignored. 0 ignores none, and there are no likely points then.
/// \pre the tree is of g; a count for every edge; exit counts for every block or none.
/// Complexity: that of post-dominators, once more for every level of nested loops that are left only by ignored edges.
template <flow_graph G>
[[nodiscard]] constexpr likely_convergence_points<G> likely_convergence(const G& g, const post_dominator_tree<G>& tree,
                                                                        const edge_profile& profile, double threshold) {
  detail::likely_index<> index;
  index.by_profile(detail::shape_of(g), tree.ids(), profile, threshold);
  return likely_convergence_points<G>(g, static_cast<detail::likely_index<>&&>(index));
}
template <detail::keeps_pointer G>
likely_convergence_points<G> likely_convergence(const G&&, const post_dominator_tree<G>&, const edge_profile&,
                                                double) = delete;

/// Where the arms of one branch can meet, as defined at the top of this header; both lists ascending by dense id.
///
/// Both are empty for blocks that are no branches and for unreachable blocks. If the immediate post-dominator is a
/// block it is in meeting(), unless all arms but one lead back to the branch before; in first() too, unless the arms
/// meet in one block before it. An endless arm moves the immediate post-dominator to the virtual exit
/// (post_dominator_options), and the search then ends at exits only. The branch itself is listed if two arms come back
/// to it.
template <flow_graph G = csr_graph>
class branch_meetings {
 public:
  using vertex = vertex_t<G>;                           ///< the graph's own vertex type
  using range = typename detail::vertex_map<G>::range;  ///< vertex_range<G>; for a csr_graph a span of block ids

  /// \pre the tree is of g; g outlives the result (a csr_graph need not).
  /// Complexity: near-linear in blocks and edges.
  constexpr branch_meetings(const G& g, const post_dominator_tree<G>& tree, const vertex& branch) : map_(g) {
    index_.compute(detail::shape_of(g), tree.ids(), map_.index(branch));
  }
  branch_meetings(const G&&, const post_dominator_tree<G>&, const vertex&) requires detail::keeps_pointer<G>
  = delete;

  /// The same for another branch or another graph, reusing the buffers that are as large as the graph.
  constexpr void recompute(const G& g, const post_dominator_tree<G>& tree, const vertex& branch) {
    map_ = detail::vertex_map<G>(g);
    index_.compute(detail::shape_of(g), tree.ids(), map_.index(branch));
  }
  void recompute(const G&&, const post_dominator_tree<G>&, const vertex&) requires detail::keeps_pointer<G>
  = delete;

  /// The blocks that two different arms reach.
  [[nodiscard]] constexpr range meeting() const& { return map_.over(index_.meeting()); }
  range meeting() const&& = delete;
  /// Those of them to which two paths lead without a block in common.
  [[nodiscard]] constexpr range first() const& { return map_.over(index_.first()); }
  range first() const&& = delete;

 private:
  detail::vertex_map<G> map_;
  detail::meeting_index<> index_;
};

}  // namespace v0
}  // namespace simtflow
