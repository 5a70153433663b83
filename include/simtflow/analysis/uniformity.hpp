// SPDX-License-Identifier: BSL-1.0
//
// Uniformity (divergence) analysis: which values are the same in all threads that are together, and which branches can
// diverge. Threads are together as the maximal converged-with relation says (simt/maximal_convergence.hpp):
//
//   instance   a visit to a block, in one iteration of each loop around it; threads that visit a block in the same
//              iterations are together there
//   uniform    in every instance, all threads that are in it have the same value; divergent otherwise. A branch is
//              divergent if threads of one instance can leave it by different edges
//   join       of a divergent branch: a block at which threads that took different edges can come together again; the
//              value of a phi there depends on the edge taken
//   temporal   a value may be uniform in a loop and divergent after it: if threads leave the loop in different
//   divergence iterations, each sees the value of its own last iteration
//
// The result is conservative: what it calls uniform is uniform on every machine that keeps instances together; what it
// calls divergent may turn out to be uniform. Everything is assumed to be uniform until a reason is found: sources (the
// thread's number, ...) make values that use them divergent; a divergent branch makes phis at its joins divergent if
// threads bring different values; if threads can leave a loop apart, uses after it of its values are divergent.
//
// One iteration (*lap*). Threads that have diverged at a branch are in the same iteration of the loops around it until
// one of them reaches a header: there it waits for those that stay in the loop, and then they may leave it by any exit.
// So all joins are found in an acyclic graph, the *lap graph*: each loop has a further node, its *lap end*; edges from
// the loop to its header lead to the lap end instead, and the lap end leads to the targets of the loop's exits. A join
// of branch b is a node with two paths from different successors of b that have no other node in common; a join at a
// lap end is a join at the header. Paths and dominance: let S be the successors of b. Labels start there and travel
// from a node to the members of its dominance frontier; a node at which two labels meet is a join and becomes a label
// itself. That is the construction of SSA form for a variable that every successor of b assigns. Nodes that only one
// label can reach need no look.
//
//   left apart     a loop that contains b and not the join: one thread may stay for another iteration while another
//                  has left. Which exit a thread takes does not matter
//   entered apart  an irreducible loop without b that contains a join of b: threads in it may have entered at different
//                  blocks, and the first iteration of one is not an iteration of the other. All values of such a loop
//                  are taken to be divergent
//
// Most branches need no search, because of three facts:
//
//   dominated  a node x with several predecessors is a join of its immediate dominator d. Every other branch with a
//              join at x is dominated by d and is in every loop that contains both x and d. So once d is divergent, no
//              other branch gives a phi at x, or an irreducible loop around x, a reason that d does not
//   exits      if an edge leaves a loop from b to s, then s is a join of b: one thread may leave now, another in a
//              later iteration. A loop is never left apart by itself if its exits all leave the loop around it, too
//   effects    so a search for the joins of b is needed only if a loop around b can still be left apart, or if a
//              dominator of b is the immediate dominator of a node with a phi that is uniform so far and can take
//              different values, or with an irreducible loop around it that is not entered apart yet
//
// Branches are processed in levels: a level has all branches that are found in the same number of steps from a source.
// Those that need no search come first. Dominance frontiers are never stored as sets (detail/path_pieces.hpp).
//
// Differences from the literature. (1) The branch may stand in a loop's header: threads that come back to it are in the
// next iteration, so if other threads leave, the loop is left apart; LLVM's analysis stops at the branch. (2)
// Iterations of irreducible loops are told apart by the loops' headers as in other loops, so a branch inside one does
// not make all its values divergent. (3) A phi counts only the values that the diverged threads can bring. (4)
// Containment decides which loop is left, not nesting depth.
//
// Literature: J. Rosemann, S. Moll, S. Hack, An abstract interpretation for SPMD divergence on reducible control flow
// graphs (2021); B. Coutinho, D. Sampaio, F. Pereira, W. Meira, Divergence analysis and optimizations (2011); R.
// Karrenberg, S. Hack, Whole-function vectorization (2011); the LLVM Project, Convergence and Uniformity; R. Cytron et
// al., Efficiently computing static single assignment form and the control dependence graph (1991).
#pragma once

#include <simtflow/analysis/def_use_program.hpp>
#include <simtflow/analysis/dense/uniformity.hpp>
#include <simtflow/analysis/vertex_map.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>

#include <cstddef>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Which values and branches of a program are uniform, as defined at the top of this header.
///
/// What is in unreachable blocks never runs and is uniform. Parallel edges are one way. Const questions never write.
template <flow_graph G = csr_graph>
class uniformity_analysis {
 public:
  using vertex = vertex_t<G>;  ///< the graph's own vertex type

  /// \pre check_adapter<G>(); g outlives the analysis (a csr_graph need not); the program is not kept.
  /// Complexity: near-linear in the program and the graph (an edge that leaves several loops counts for each of them,
  /// but edges of one loop to one block count once together), and one search for each divergent branch with a join that
  /// the branch does not dominate and that may have an effect which is not known yet. There is no such search if
  /// nothing is divergent, or if all divergent branches are found in the same number of steps from a source. A search
  /// costs as much as branch_joins::of: at worst O(edges log edges), and the frontiers of the joins themselves if these
  /// are larger. No recursion.
  template <def_use_program<vertex> P>
  constexpr uniformity_analysis(const G& g, const P& program) : map_(g) {
    recompute(g, program);
  }
  template <class P>
  uniformity_analysis(const G&&, const P&) requires detail::keeps_pointer<G>
  = delete;

  /// Analyses a program on g (the same graph, changed, or another), reusing every buffer.
  template <def_use_program<vertex> P>
  constexpr void recompute(const G& g, const P& program) {
    map_ = detail::vertex_map<G>(g);
    index_.compute(buffer_.of(g), program, index(), at());
  }
  template <def_use_program<vertex> P>
  void recompute(const G&&, const P&) requires detail::keeps_pointer<G>
  = delete;
  /// Analyses another program (or this one with other sources) on the graph of the last time.
  template <def_use_program<vertex> P>
  constexpr void update(const P& program) {
    index_.update(program, index(), at());
  }

  /// Threads that are together where v is computed may have different values. O(1).
  [[nodiscard]] constexpr bool is_divergent(value_id v) const { return index_.is_divergent(v); }
  /// Threads that are together in b may leave it by different edges to different successors. O(1).
  [[nodiscard]] constexpr bool is_divergent_branch(const vertex& b) const {
    return index_.is_divergent_branch(map_.index(b));
  }
  /// Threads that are together in `at` may see different values of v, which was computed before: v is divergent, or
  /// threads may have left a loop apart since (temporal divergence). O(1).
  /// \pre the block of v dominates `at`.
  [[nodiscard]] constexpr bool is_divergent_at(value_id v, const vertex& at) const {
    return index_.is_divergent_at(v, map_.index(at));
  }
  /// Temporal divergence: v is uniform where it is computed and divergent at `at`. O(1).
  [[nodiscard]] constexpr bool is_temporally_divergent_at(value_id v, const vertex& at) const {
    return !is_divergent(v) && is_divergent_at(v, at);
  }
  /// Why v is divergent: the first reason that was found, a step on a shortest way back to a source, except where loops
  /// are left or entered apart. Following value or branch from step to step always ends at a source. O(1).
  [[nodiscard]] constexpr divergence_reason why(value_id v) const { return index_.why(v); }
  /// Why the branch of b is divergent: by operand (its condition), or because a loop is left or entered apart that
  /// contains the branch or the block of its condition. O(1).
  [[nodiscard]] constexpr divergence_reason why_branch(const vertex& b) const {
    return index_.why_branch(map_.index(b));
  }
  /// The blocks at which threads that diverge at the branch of b can come together again, each once, in no particular
  /// order. None for a uniform branch (branch_joins has the joins of any branch). As branch_joins::of, with memory of
  /// its own.
  [[nodiscard]] constexpr std::vector<vertex> joins(const vertex& b) const {
    std::vector<vertex> found;
    index_.for_each_join(map_.index(b), [&](block_id x) { found.push_back(map_.at(x)); });
    return found;
  }
  /// True if threads may leave l in different iterations. Loops are numbered as in loop_forest(g). O(1).
  [[nodiscard]] constexpr bool is_left_apart(loop_id l) const { return index_.is_left_apart(l); }
  /// True if threads may enter l, which is irreducible, at different blocks. O(1).
  [[nodiscard]] constexpr bool is_entered_apart(loop_id l) const { return index_.is_entered_apart(l); }
  /// Of the program that was analysed last. O(1).
  [[nodiscard]] constexpr std::size_t num_values() const { return index_.num_values(); }
  /// The same in dense block ids.
  [[nodiscard]] constexpr const detail::uniformity_index<>& ids() const& { return index_; }
  const detail::uniformity_index<>& ids() const&& = delete;

 private:
  constexpr auto index() const {
    return [this](const vertex& v) { return map_.index(v); };
  }
  constexpr auto at() const {
    return [this](block_id b) { return map_.at(b); };
  }

  detail::vertex_map<G> map_;
  detail::kept_shape<G> buffer_;
  detail::uniformity_index<> index_;
};

/// The uniformity of a program on g.
template <flow_graph G, def_use_program<vertex_t<G>> P>
[[nodiscard]] constexpr uniformity_analysis<G> uniformity(const G& g, const P& program) {
  return uniformity_analysis<G>(g, program);
}
template <detail::keeps_pointer G, class P>
uniformity_analysis<G> uniformity(const G&&, const P&) = delete;

}  // namespace v0
}  // namespace simtflow
