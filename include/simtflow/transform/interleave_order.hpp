// SPDX-License-Identifier: BSL-1.0
//
// Chooses where to cut the arms of a branch so that one arm hides the latency of the other (interleave_phases.hpp), by
// expected time.
//
//   stall      an instruction of an arm that waits for a register. Arms are cut in front of it, or in front of the last
//              place before it that every path of the arm passes outside loops
//   cuts       the k-th stall of one arm with the k-th stall of the other one, as in switch-on-stall multithreading; an
//              arm without a further stall runs to its end first. A pair is kept if it lowers the expected time
//   time       of an in-order core (issue_clock.hpp) for the three kinds of warps: the warps that diverge run both
//              arms, phase by phase; the others one arm, with the guards. If w warps take turns, instructions of other
//              warps hide latency too: a warp costs the larger one of its time / w and its instructions
//
// Loops in an arm count as one iteration, and both sides of an inner branch are issued. An instruction waits
// for the other arm only if both use one register.
//
// Refused are branches that do not diverge or have no two arms of their own (meld_refusal), and arms with a convergent
// block: its threads would meet others. A loop in an arm in which threads may wait for others is refused because
// they may wait for threads of the other arm that now stand at a cut.
//
// Literature: J. Anantpur, R. Govindarajan, Taming control divergence in GPUs through control flow linearization
// (2014), sections 2.2 and 5.1, which leaves the order open.
#pragma once

#include <simtflow/analysis/cfg_facts.hpp>
#include <simtflow/config.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/transform/detail/arm_interleaver.hpp>
#include <simtflow/transform/interleaving_choice.hpp>

#include <cstddef>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Judges all branches, and chooses those to interleave: of branches in each other's arms the one that saves most, by
/// its frequency.
/// \returns a choice for each block with several successors that the entry reaches, in the order of the blocks.
/// \param facts  of the graph; the dominator trees and loops are computed
/// \param code   the code of its blocks
/// \param prices what cuts cost
/// \param only   the only branch that is judged; no_block: all of them
/// Complexity: for each branch O(instructions of its arms, at most `most_instructions`) times the cuts that are tried,
/// at most 4 * `most_cuts`; and the blocks of the arms. No recursion. Empty graph: nothing.
template <interleavable_code M>
[[nodiscard]] constexpr std::vector<interleaving_choice> choose_interleavings(cfg_facts& facts, const M& code,
                                                                              const interleave_prices& prices = {},
                                                                              block_id only = no_block) {
  std::vector<interleaving_choice> out;
  const csr_graph& g = facts.graph();
  if (g.num_blocks() == 0) return out;
  detail::arm_interleaver<M> work(facts, code, prices);
  std::vector<std::vector<block_id>> arms;  // by choice: the branch and its arms, if it pays
  for (block_id b = 0; b < g.num_blocks(); ++b) {
    if (g.successors(b).size() < 2 || !facts.ends().is_reachable(b) || (only != no_block && b != only)) continue;
    out.push_back(work.judge(b));
    arms.emplace_back();
    if (!out.back().pays()) continue;
    arms.back().push_back(b);
    for (unsigned a = 0; a < 2; ++a)
      for (const block_id inside : work.blocks(a)) arms.back().push_back(inside);
  }
  std::vector<unsigned char> taken, done;
  taken.assign(g.num_blocks(), 0);
  done.assign(out.size(), 0);
  const auto saved = [&](std::size_t k) { return (out[k].before - out[k].after) * out[k].frequency; };
  for (;;) {
    std::size_t best = out.size();
    for (std::size_t k = 0; k < out.size(); ++k)
      if (out[k].pays() && done[k] == 0 && (best == out.size() || saved(k) > saved(best))) best = k;
    if (best == out.size()) return out;
    done[best] = 1;
    bool free = true;
    for (const block_id b : arms[best]) free = free && taken[b] == 0;
    if (!free)
      out[best].reason = interleave_refusal::overlaps;
    else
      for (const block_id b : arms[best]) taken[b] = 1;
  }
}

}  // namespace v0
}  // namespace simtflow
