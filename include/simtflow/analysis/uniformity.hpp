// SPDX-License-Identifier: BSL-1.0
//
// Uniformity (divergence) analysis: which values are the same in all threads that are together, and which branches can
// diverge. The maximal converged-with relation says which threads are together (simt/maximal_convergence.hpp):
//
//   instance   a visit to a block, in one iteration of each loop around it; threads that visit a block in the same
//              iterations are together there
//   uniform    in every instance, all threads of the instance have the same value; *divergent* otherwise. A branch is
//              divergent if threads of one instance can leave it by different edges
//   join       of a divergent branch: a block at which threads that took different edges can come together again
//              (branch_joins.hpp); the value of a phi there depends on the edge taken
//   temporal   a value may be uniform in a loop and divergent after it: if threads leave the loop in different
//   divergence iterations, each sees the value of its own last iteration
//
// The result is conservative: a value that it calls uniform is uniform on every machine that keeps instances together;
// a value that it calls divergent may turn out to be uniform. Everything is assumed to be uniform until a reason is
// found: sources (the thread's number, ...) make values that use them divergent; a divergent branch makes phis at its
// joins divergent if threads bring different values; if threads can leave a loop apart, uses after it of its values are
// divergent.
//
//   left apart     a loop that contains a branch b and not the join of b: one thread may stay for another iteration
//                  while another thread has left. The exit that a thread takes does not matter
//   entered apart  an irreducible loop without b that contains a join of b: threads in it may have entered at different
//                  blocks, and the first iteration of one thread is not an iteration of the other. All values of such a
//                  loop are taken to be divergent
//
// Most branches need no search for joins, because of three facts:
//
//   dominated  a node x with several predecessors is a join of its immediate dominator d. Every other branch with a
//              join at x is dominated by d and is in every loop that contains both x and d. So once d is divergent, no
//              other branch gives a phi at x, or an irreducible loop around x, a reason that d does not
//   exits      if an edge leaves a loop from b to s, then s is a join of b: one thread may leave now, another thread in
//              a later iteration. A loop is never left apart by itself if its exits all leave the loop around it as
//              well
//   effects    a search for the joins of b is needed in two cases only: a loop around b can still be left apart; or a
//              dominator of b is the immediate dominator of a node with a phi that is uniform so far and can take
//              different values, or with an irreducible loop around it that is not entered apart yet
//
// The analysis takes branches in levels: a level has all branches that are found in the same number of steps from a
// source. Branches that need no search come first.
//
// Differences from the literature. (1) The branch may stand in a loop's header: threads that come back to it are in the
// next iteration, so if other threads leave, the loop is left apart; LLVM's analysis stops at the branch. (2)
// Iterations of irreducible loops are told apart by the loops' headers as in other loops, so a branch inside one does
// not make all its values divergent. (3) A phi counts only the values that the diverged threads can bring. (4)
// Containment decides which loop is left, not nesting depth.
//
// Literature: J. Rosemann, S. Moll, S. Hack, An abstract interpretation for SPMD divergence on reducible control flow
// graphs (2021); B. Coutinho, D. Sampaio, F. Pereira, W. Meira, Divergence analysis and optimizations (2011); R.
// Karrenberg, S. Hack, Whole-function vectorization (2011); the LLVM Project, Convergence and Uniformity.
#pragma once

#include <simtflow/analysis/analysis_result.hpp>
#include <simtflow/analysis/def_use_program.hpp>
#include <simtflow/analysis/dense/uniformity.hpp>
#include <simtflow/config.hpp>
#include <simtflow/fwd.hpp>  // cfg_facts: whoever shares them has included them
#include <simtflow/graph/argument.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/graph/traits.hpp>

#include <concepts>
#include <cstddef>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The uniform and divergent values and branches of a program, as defined at the top of this header.
///
/// Values and branches of unreachable blocks never run and are uniform. Parallel edges are one way. Const questions
/// never write.
template <flow_graph G = csr_graph>
class uniformity_analysis : public analysis_result<G, dense::uniformity_analysis> {
  using base = analysis_result<G, dense::uniformity_analysis>;
  using base::map_, base::dense_;

 public:
  using typename base::vertex;

  /// \pre check_adapter<G>(); validate(g, program) finds no defect (validate_program.hpp); g outlives the analysis (a
  /// csr_graph need not); the program is not kept.
  /// Complexity: near-linear in the program and the graph (an edge that leaves several loops counts for each of them,
  /// but edges of one loop to one block count once together), and one search for each divergent branch with a join that
  /// the branch does not dominate and that may have an effect which is not known yet. There is no such search if
  /// nothing is divergent, or if all divergent branches are found in the same number of steps from a source. A search
  /// costs as much as branch_joins::of: at worst O(edges log edges), and the frontiers of the joins themselves if these
  /// are larger. No recursion.
  template <def_use_program<vertex> P>
  constexpr uniformity_analysis(graph_ref<G> g, const P& program) {
    recompute(g, program);
  }
  /// Analyses a program on the graph of `facts` and shares their loops. Nothing refers to the facts afterwards.
  /// \pre as above.
  template <std::same_as<cfg_facts> Facts, def_use_program<block_id> P>
  constexpr uniformity_analysis(Facts& facts, const P& program) requires(std::same_as<G, csr_graph>) {
    recompute(facts, program);
  }

  /// Analyses a program on g (the same graph, changed, or another) and reuses every buffer. \pre as the constructor.
  template <def_use_program<vertex> P>
  constexpr void recompute(graph_ref<G> g, const P& program) {
    const detail::vertex_map<G> map(g.get());
    this->compute(
        g, program, [&map](const vertex& v) { return map.index(v); }, [&map](block_id b) { return map.at(b); });
  }
  /// Analyses a program on the graph of `facts` and reuses every buffer. \pre as the constructor.
  template <std::same_as<cfg_facts> Facts, def_use_program<block_id> P>
  constexpr void recompute(Facts& facts, const P& program) requires(std::same_as<G, csr_graph>) {
    const auto same = [](block_id b) { return b; };
    dense_.recompute(facts.graph(), facts.loops(), program, same, same);
  }
  /// Analyses another program (or this one with other sources) on the graph of the last time. \pre as the constructor.
  template <def_use_program<vertex> P>
  constexpr void update(const P& program) {
    dense_.update(
        program, [this](const vertex& v) { return map_.index(v); }, [this](block_id b) { return map_.at(b); });
  }

  /// True if threads that are together where v is computed may have different values. O(1). \pre v is below
  /// num_values(), here and below.
  [[nodiscard]] constexpr bool is_divergent(value_id v) const { return dense_.is_divergent(v); }
  /// True if threads that are together in b may leave it by different edges to different successors. O(1).
  [[nodiscard]] constexpr bool is_divergent_branch(const vertex& b) const {
    return dense_.is_divergent_branch(map_.index(b));
  }
  /// True if threads that are together in `at` may see different values of v, which was computed before: v is
  /// divergent, or threads may have left a loop apart since (temporal divergence). O(1). \pre the block of v dominates
  /// `at`.
  [[nodiscard]] constexpr bool is_divergent_at(value_id v, const vertex& at) const {
    return dense_.is_divergent_at(v, map_.index(at));
  }
  /// True if v is uniform where it is computed and divergent at `at`. O(1). \pre the block of v dominates `at`.
  [[nodiscard]] constexpr bool is_temporally_divergent_at(value_id v, const vertex& at) const {
    return !is_divergent(v) && is_divergent_at(v, at);
  }
  /// The reason why v is divergent that was found first: a step on a shortest way back to a source, except where loops
  /// are left or entered apart. Following value or branch from step to step always ends at a source. O(1).
  [[nodiscard]] constexpr divergence_reason why(value_id v) const { return dense_.why(v); }
  /// The reason why the branch of b is divergent: an operand (its condition), or a loop that is left or entered apart
  /// and contains the branch or the block of its condition. O(1).
  [[nodiscard]] constexpr divergence_reason why_branch(const vertex& b) const {
    return dense_.why_branch(map_.index(b));
  }
  /// The blocks at which threads that diverge at the branch of b can come together again, each once, in no particular
  /// order. None for a uniform branch (branch_joins has the joins of any branch). As branch_joins::of, with memory of
  /// its own.
  [[nodiscard]] constexpr std::vector<vertex> joins(const vertex& b) const {
    std::vector<vertex> found;
    dense_.for_each_join(map_.index(b), [&](block_id x) { found.push_back(map_.at(x)); });
    return found;
  }
  /// True if threads may leave l in different iterations. Loops are numbered as in loop_forest(g). O(1).
  [[nodiscard]] constexpr bool is_left_apart(loop_id l) const { return dense_.is_left_apart(l); }
  /// True if threads may enter l, which is irreducible, at different blocks. O(1).
  [[nodiscard]] constexpr bool is_entered_apart(loop_id l) const { return dense_.is_entered_apart(l); }
  /// The number of values of the program that was analysed last. O(1).
  [[nodiscard]] constexpr std::size_t num_values() const { return dense_.num_values(); }
};

/// The uniformity of a program on g. Values and branches of unreachable blocks are uniform.
/// \pre check_adapter<G>() holds; validate(g, program) finds no defect; g outlives the result (a csr_graph need not).
/// Complexity: near-linear in the program and the graph, and at worst one search of O(edges log edges) for each
/// divergent branch; the constructor of uniformity_analysis says when there is none. No recursion.
/// Errors: check_def_use<P, G>() explains at compile time what P lacks. The result for a program with defects has no
/// meaning; call validate() for programs that are data.
/// \snippet reference_ptx_test.cpp uniformity
template <graph_argument G, class P>
[[nodiscard]] constexpr uniformity_analysis<graph_t<G>> uniformity(G&& g, const P& program) {
  static_assert(check_def_use<P, graph_t<G>>());
  return uniformity_analysis<graph_t<G>>(g, program);
}
/// The uniformity of a program on the graph of `facts`, in dense ids: shares their loops. \pre as above.
template <std::same_as<cfg_facts> Facts, class P>
[[nodiscard]] constexpr uniformity_analysis<csr_graph> uniformity(Facts& facts, const P& program) {
  static_assert(check_def_use<P, csr_graph>());
  return uniformity_analysis<csr_graph>(facts, program);
}

}  // namespace v0
}  // namespace simtflow
