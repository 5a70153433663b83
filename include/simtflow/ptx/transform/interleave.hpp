// SPDX-License-Identifier: BSL-1.0
//
// Branch interleaving of PTX functions: chooses branches with arms that wait for memory, cuts the arms where they wait,
// and plans to run them phase by phase (transform/interleave_order.hpp, transform/interleave_phases.hpp), so that the
// loads of both arms are in flight together.
//
// Arms are cut between instructions (split_blocks.hpp): the plan is for the split function. rewrite() writes the code.
//
// Values of one arm that live across a cut keep their registers while the other arm runs, so a function needs more of
// them, the more cuts the more.
//
// It helps a machine that waits for a register when an instruction needs it, and too few warps to fill the wait. A
// machine that waits for each instruction before it issues the next one (timing::scoreboard_kind::one_in_flight) loses:
// the guards remain.
//
// Literature: J. Anantpur, R. Govindarajan, Taming control divergence in GPUs through control flow linearization
// (2014), section 5.1.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/graph/csr.hpp>
#include <simtflow/ptx/text/latency.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/warp_profile.hpp>
#include <simtflow/transform/interleave_order.hpp>
#include <simtflow/transform/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

class checked_function;

/// Options of interleave().
struct interleave_options {
  /// The cycles from an instruction until another one that needs its result can issue.
  latencies cycles{{4, 4, 5, 40, 400, 30, 30}};
  std::uint32_t warps = 1;      ///< warps that take turns at one scheduler: instructions of others hide latency too
  std::uint32_t most_cuts = 4;  ///< of one branch
  warp_profile profile{};       ///< how warps execute the text; empty: nothing is known
  block_id only = no_block;     ///< the only branch that may be chosen; no_block: all of them
};

/// A branch, judged.
struct judged_branch {
  block_id branch = no_block;                            ///< as the function has it that was given
  position where;                                        ///< of the branch; line 0 if it was not in the text
  interleave_refusal reason = interleave_refusal::none;  ///< none: it is interleaved
  meld_refusal arms = meld_refusal::none;                ///< if it has no two arms of its own: why
  block_id at = no_block;                                ///< the block that is the reason, if one is
  position at_where;                                     ///< of that block's first instruction
  std::uint32_t cuts = 0;                                ///< of each arm
  double before = 0,                                     ///< expected cycles of a warp that comes to the branch
      after = 0;                                         ///< the same, interleaved
  double frequency = 0;                                  ///< warps that come to it; 1 without a profile
};

/// A function with branches to interleave.
struct interleaving {
  function code;                        ///< the function, its blocks split
  flow_plan plan;                       ///< for the blocks of `code`; changes nothing if no branch is interleaved
  std::vector<judged_branch> branches;  ///< every branch, in the order of the blocks
  std::size_t interleaved = 0;          ///< branches of the plan
};

/// Chooses branches, splits blocks, and plans the change. If no branch is chosen, `code` is the function without inner
/// braces.
/// \returns the plan and every branch that was judged; or the diagnostics of rewrite(), for a function with inner
/// braces.
/// \pre the module of f outlives the call; options.only is a block of f or no_block.
/// Complexity: as for melding_model and choose_interleavings().
[[nodiscard]] SIMTFLOW_INLINE result<interleaving> interleave(const checked_function& f,
                                                              const interleave_options& options = {});

/// The branch that an order of blocks is about: the nearest block that dominates all of them and is none of them.
/// \param f     the function
/// \param order blocks of f
/// \returns the block; no_block if the list is empty, if a block is unreachable, or if no block dominates them all.
/// O(blocks).
[[nodiscard]] SIMTFLOW_INLINE block_id branch_of_order(const checked_function& f, std::span<const block_id> order);

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow

#if !defined(SIMTFLOW_COMPILED)
#include <simtflow/ptx/transform/detail/interleave_impl.hpp>
#endif
