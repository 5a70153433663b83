// SPDX-License-Identifier: BSL-1.0
//
// Control-flow melding: finds branches with two arms that do much the same, and plans how threads of both can do it at
// once. The result is a meld_plan (meld_plan.hpp). Callers who know the code apply it, and then look for the next
// branch in the changed function. A model describes the code (meldable_code.hpp).
//
// A candidate is a divergent branch with two arms. It has two successors and an immediate post-dominator, the join; an
// arm is what one successor reaches before the join. Control enters the arms through the branch alone, and neither arm
// reaches the other or the branch. No arm has a convergent instruction (a barrier, a shuffle), since melding changes
// which threads are together there.
//
//   pieces        The post-dominators of an arm's first block up to the join cut the arm into pieces, one after the
//                 other, unless a loop spans a cut (detail/arms.hpp). A piece has one block or more. Blocks without
//                 instructions that only go on are in no piece.
//   block, block  Instructions are aligned, by their cost.
//   region, region  Pieces with branches are melded if they are isomorphic (align/isomorphism.hpp; two-way branches may
//                 be the other way round), block by block.
//   block, region   The block is melded with one block of the region, the most profitable one. Its threads walk a path
//                 to there and on to the region's end along which all branches are forced; the path never goes back, so
//                 that it takes each block at most once. It exists in a reducible region whenever any such path does.
//   alignment     Pieces of both arms are aligned like instructions: the pairs in order that save most.
//   cuts          A block may be cut, so that it is melded with several pieces of the other arm that stand between the
//                 partners of the pieces before and after it (detail/piece_cutter.hpp), where that saves more.
//
// The cost of code is what warps are expected to issue, each instruction by its weight. Three kinds of warps come to a
// branch: *parted* ones with threads in both arms, ones with all threads in the left arm, and ones with all in the
// right arm (branch_likelihood.hpp; a model may tell how likely they are, and how often blocks are executed). Each warp
// pays for what it issues: parted warps for both arms, the others for one arm.
//
//   a pair         One instruction in place of two saves a parted warp the cheaper one. All warps pay for selects.
//   a run of one   Under a predicate it costs warps without its threads an issue each: predication_cost, or the weight
//   side           of the instruction if that is less. Under a branch it costs all warps predication_cost, and parted
//                  warps divergence_cost more. The cheaper one counts.
//   the branch     weighs predication_cost, and divergence_cost more for parted warps. Melding saves it; the pieces of
//                  one side or of both between two melded pieces need another one. So does a forced branch.
//
// A plan is made if it is expected to save something, and saves a parted warp something, where each block is executed
// as often as the model says. (It may weigh more where threads take more iterations of a melded loop on one side than
// on the other, or diverge in a melded region.) Melding a pair never saves more than parted warps are likely.
//
// Two pieces may be melded only if that saves a parted warp at least the threshold's part of their common weight.
// Fingerprints (profitability.hpp) decide that first, before anything is aligned. Pieces with a pinned instruction (an
// atomic, a call) stay as they are.
//
// meld_score::paper scores as the paper prints it, to reproduce its tables. Two pieces are scored int(100 * MP_S) and
// melded if MP_S reaches the threshold; a block and a region by MP_B of their best two blocks; gaps between pieces cost
// nothing. Instructions are aligned by latency, a gap costs 2 whatever its length, and selects cost nothing.
// Tail merging takes the tails that are alike but for operands, if they reach the threshold. No plan is refused because
// it would save nothing otherwise.
//
// The plan does not depend on which arm is the left one: with a branch's slots exchanged, only its sides change.
//
// Literature: C. Saumya, K. Sundararajah, M. Kulkarni, DARM: control-flow melding for SIMT thread divergence reduction
// (2022); B. Coutinho et al., Divergence analysis and optimizations (2011), for branch fusion. Unlike the published
// melder this one keeps pieces in post-dominance order whether blocks or regions, asks for isomorphisms that are
// bijective, aligns with affine gaps to the optimum, and melds every pair of the alignment, not only a good first pair.
#pragma once

#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/transform/detail/meld_planner.hpp>
#include <simtflow/transform/meld_options.hpp>
#include <simtflow/transform/meld_plan.hpp>
#include <simtflow/transform/meldable_code.hpp>

namespace simtflow {
inline namespace v0 {

/// Every branch is looked at.
struct skip_no_branch {
  constexpr bool operator()(block_id) const { return false; }  ///< no branch is skipped
};

/// Looks for a branch to meld, inner ones first: a branch comes after all that it dominates. Blocks for which
/// `skip(branch)` is true are passed over. Only blocks that the entry reaches are looked at. Apply the plan, and call
/// again on what came of it; all weights fall, so that this ends, but callers that change more than a plan says should
/// count.
///
/// \pre slot k of a block of g is outcome k of its branch; the code belongs to g.
/// Complexity: dominators and fingerprints of g; for every candidate the size of its arms (blocks under d nested
/// branches are walked d times), and for each two pieces that share enough weight the product of their lengths in
/// instructions. No recursion.
template <meldable_code M, class Skip = skip_no_branch>
[[nodiscard]] constexpr meld_search find_meld(cfg_facts& facts, const M& code, const meld_options& options = {},
                                              const Skip& skip = {}) {
  meld_search out;
  detail::meld_planner<M>(facts, code, options).search(out, skip);
  return out;
}
/// The same for a graph, with facts made for this call.
template <meldable_code M, class Skip = skip_no_branch>
[[nodiscard]] constexpr meld_search find_meld(const csr_graph& g, const M& code, const meld_options& options = {},
                                              const Skip& skip = {}) {
  cfg_facts facts(g);
  return find_meld(facts, code, options, skip);
}

/// The plan for one branch, into `out`; or why there is none, and `out` is not changed. \pre branch is a block of g
/// that the entry reaches; as find_meld
template <meldable_code M>
[[nodiscard]] constexpr meld_refusal plan_meld(cfg_facts& facts, const M& code, block_id branch, meld_plan& out,
                                               const meld_options& options = {}) {
  SIMTFLOW_EXPECTS(branch < facts.graph().num_blocks(), "a branch of the graph");
  return detail::meld_planner<M>(facts, code, options).plan(branch, out);
}
/// The same for a graph, with facts made for this call.
template <meldable_code M>
[[nodiscard]] constexpr meld_refusal plan_meld(const csr_graph& g, const M& code, block_id branch, meld_plan& out,
                                               const meld_options& options = {}) {
  cfg_facts facts(g);
  return plan_meld(facts, code, branch, out, options);
}

}  // namespace v0
}  // namespace simtflow
