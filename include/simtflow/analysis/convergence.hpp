// SPDX-License-Identifier: BSL-1.0
//
// Convergence: the blocks where threads that have diverged at a branch come together again. A *branch* is a reachable
// block with two or more distinct successors, its *arms*. There are four answers:
//
//   guaranteed    the immediate post-dominator (post_dominators.hpp): the first block on all paths. pdom_join_blocks
//                 lists the immediate post-dominators of all branches
//   likely        a block before that where most threads come together, although a rare path goes round it: from the
//                 loop around the branch (the path is a `break`), or from a profile. The *likely-convergence point*
//   meeting       the blocks that two different arms reach on paths that neither pass the immediate post-dominator nor
//                 come back through the branch. Paths may end at these two blocks: they count if reached
//   first meeting the meeting blocks to which two paths from different arms lead that have no other block in common:
//                 here two threads can come together for the first time after the branch
//
// The likely-convergence point of branch b by loops: take the loops around b from the inside outwards. If the immediate
// post-dominator of b lies in the loop, there is none. Otherwise the candidate is the loop's latch (the block with the
// edge back to the header), or the header if there are several latches; the first candidate that is not b itself is the
// answer. The literature says "the closest enclosing backwards taken branch", which leaves several latches open.
//
// The likely-convergence point of b by a profile: its immediate post-dominator without the edges that less than a given
// share of the threads take, if this is a block and not the immediate post-dominator itself. The literature gives no
// rule; these are the details:
//
//   share     the count of an edge divided by the number of threads that leave or end in its block; parallel edges
//             count together. If the profile counted nothing, every edge stays
//   always    the most taken way on from a block stays
//   loops     a loop must be left, however rarely: if no edge leaves it any more, its most taken way out (of equals,
//             the lowest edge id) comes back
//
// Literature: W. Fung, T. Aamodt, Thread block compaction for efficient SIMT control flow (2011), section 4; the first
// meeting blocks are the joins of R. Cytron et al., Efficiently computing static single assignment form and the control
// dependence graph (1991), for one assignment in each arm.
#pragma once

#include <simtflow/analysis/analysis_result.hpp>
#include <simtflow/analysis/dense/branch_meetings.hpp>
#include <simtflow/analysis/dense/convergence.hpp>
#include <simtflow/analysis/detail/two_arms.hpp>
#include <simtflow/analysis/loops.hpp>
#include <simtflow/analysis/post_dominators.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/argument.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/snapshot.hpp>
#include <simtflow/graph/traits.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The distinct immediate post-dominators of all branches, ascending by dense id: where a PDOM machine joins threads.
/// A branch adds none if its threads come together only at the virtual exit. O(blocks + edges).
/// \pre the tree is of g.
template <flow_graph G>
[[nodiscard]] constexpr std::vector<vertex_t<G>> pdom_join_blocks(const G& g, const post_dominator_tree<G>& tree) {
  detail::kept_shape<G> kept;
  const csr_graph& shape = kept.of(g);
  SIMTFLOW_EXPECTS(tree.ids().num_blocks() == shape.num_blocks(), "the post-dominators are of this graph");
  std::vector<unsigned char> is_join;
  is_join.assign(shape.num_blocks(), 0);
  for (block_id b = 0; b < shape.num_blocks(); ++b)
    if (tree.ids().is_reachable(b) && tree.ids().ipdom(b) != no_block && detail::has_two_arms(shape.successors(b)))
      is_join[tree.ids().ipdom(b)] = 1;
  const detail::vertex_map<G> map(g);
  std::vector<vertex_t<G>> joins;
  for (block_id b = 0; b < shape.num_blocks(); ++b)
    if (is_join[b]) joins.push_back(map.at(b));
  return joins;
}

/// A likely-convergence point for every branch that has one, by one of the two rules at the top of this header.
///
/// Empty for a block that is no branch, for an unreachable block, and if the likely point would be the immediate
/// post-dominator or there is none. Parallel edges are one arm.
template <flow_graph G = csr_graph>
class likely_convergence_points : public analysis_result<G, dense::likely_convergence_points> {
  using base = analysis_result<G, dense::likely_convergence_points>;
  using base::map_, base::dense_;

 public:
  using typename base::vertex;

  /// By loops: threads that go round the immediate post-dominator by `break` are the rare ones.
  /// \pre both results are of g; g outlives the result (a csr_graph need not). O(blocks + edges).
  constexpr likely_convergence_points(graph_ref<G> g, const loop_forest<G>& loops, const post_dominator_tree<G>& tree) {
    recompute(g, loops, tree);
  }
  /// By a profile: edges that less than `threshold` (a share of the threads that leave the block, 0 to 1) take are
  /// ignored. With threshold 0 every edge stays, and there are no likely points.
  /// \pre the tree was made for g; the profile has a count for each edge, and exit counts for all blocks or for no
  ///      block; g outlives the result (a csr_graph need not).
  /// Complexity: the cost of post-dominators, and the same again for each level of nested loops that only ignored
  /// edges leave.
  constexpr likely_convergence_points(graph_ref<G> g, const post_dominator_tree<G>& tree, const edge_profile& profile,
                                      double threshold) {
    recompute(g, tree, profile, threshold);
  }

  /// By loops, for g (the same graph, changed, or another); reuses every buffer.
  constexpr void recompute(graph_ref<G> g, const loop_forest<G>& loops, const post_dominator_tree<G>& tree) {
    this->compute(g, loops.ids(), tree.ids());
  }
  /// By a profile, for g (the same graph, changed, or another); reuses every buffer.
  constexpr void recompute(graph_ref<G> g, const post_dominator_tree<G>& tree, const edge_profile& profile,
                           double threshold) {
    this->compute(g, tree.ids(), profile, threshold);
  }

  /// The likely-convergence point of v. O(1).
  [[nodiscard]] constexpr std::optional<vertex> point(const vertex& v) const {
    return map_.maybe(dense_.point(map_.index(v)));
  }
  /// The same by dense block id; no_block where there is none. O(1).
  [[nodiscard]] constexpr std::span<const block_id> points() const& { return dense_.points(); }
  std::span<const block_id> points() const&& = delete;
};

/// Likely-convergence points by loops. \pre both results are of g. O(blocks + edges).
template <graph_argument G>
[[nodiscard]] constexpr likely_convergence_points<graph_t<G>> likely_convergence(
    G&& g, const loop_forest<graph_t<G>>& loops, const post_dominator_tree<graph_t<G>>& tree) {
  return likely_convergence_points<graph_t<G>>(g, loops, tree);
}

/// Likely-convergence points by a profile. \pre and complexity: as the constructor.
template <graph_argument G>
[[nodiscard]] constexpr likely_convergence_points<graph_t<G>> likely_convergence(
    G&& g, const post_dominator_tree<graph_t<G>>& tree, const edge_profile& profile, double threshold) {
  return likely_convergence_points<graph_t<G>>(g, tree, profile, threshold);
}

/// The blocks where the arms of one branch can meet, as defined at the top of this header; both lists ascend by dense
/// id.
///
/// Both are empty for a block that is no branch and for an unreachable block. If the immediate post-dominator is a
/// block it is in meeting(), unless all arms but one lead back to the branch before; it is also in first(), unless the
/// arms meet in one block before it. An endless arm moves the immediate post-dominator to the virtual exit
/// (post_dominator_options), and the search then ends at exits only. The branch itself is listed if two arms come back
/// to it.
template <flow_graph G = csr_graph>
class branch_meetings : public analysis_result<G, dense::branch_meetings> {
  using base = analysis_result<G, dense::branch_meetings>;
  using base::map_, base::dense_;

 public:
  using typename base::range;
  using typename base::vertex;

  /// \pre the tree is of g; g outlives the result (a csr_graph need not).
  /// Complexity: near-linear in blocks and edges.
  constexpr branch_meetings(graph_ref<G> g, const post_dominator_tree<G>& tree, const vertex& branch) {
    recompute(g, tree, branch);
  }

  /// The same for another branch or another graph; reuses the buffers that are as large as the graph.
  constexpr void recompute(graph_ref<G> g, const post_dominator_tree<G>& tree, const vertex& branch) {
    this->compute(g, tree.ids(), detail::vertex_map<G>(g.get()).index(branch));
  }

  /// The blocks that two different arms reach. O(1).
  [[nodiscard]] constexpr range meeting() const& { return map_.over(dense_.meeting()); }
  range meeting() const&& = delete;
  /// The meeting blocks to which two paths lead without a block in common. O(1).
  [[nodiscard]] constexpr range first() const& { return map_.over(dense_.first()); }
  range first() const&& = delete;
};

}  // namespace v0
}  // namespace simtflow
