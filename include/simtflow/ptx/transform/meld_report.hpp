// SPDX-License-Identifier: BSL-1.0
//
// Options of ptx::meld(), and its report: plain data.
#pragma once

#include <simtflow/diagnostic.hpp>
#include <simtflow/ptx/text/latency.hpp>
#include <simtflow/ptx/text/module.hpp>
#include <simtflow/ptx/text/warp_profile.hpp>
#include <simtflow/transform/meld_options.hpp>
#include <simtflow/transform/meld_plan.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace ptx {

/// How melded code is written.
struct meld_code_options {
  /// The runs of one side that get branches, once all is melded.
  meld_unpredication unpredicate = meld_unpredication::automatic;
  std::uint32_t most_predicated = 0xFFFF'FFFFU;  ///< with automatic: longer runs always get one
  bool may_grow = true;                          ///< false: no more instructions than both arms have
};

/// Costs and savings of melding one branch. Weights are sums of latencies, each instruction once. Jumps (bra without a
/// guard) weigh nothing but count as instructions. Costs are expected: the mean over the warps that come to the branch,
/// as transform/meld.hpp describes it, jumps included.
struct meld_figures {
  double cost_before = 0,                 ///< of the branch and both arms
      cost_after = 0;                     ///< of what takes their place
  std::uint64_t weight_before = 0,        ///< of both arms
      weight_after = 0;                   ///< of what takes their place
  std::uint32_t instructions_before = 0,  ///< of both arms
      instructions_after = 0;             ///< of what takes their place
  std::uint32_t melded = 0;               ///< pairs of instructions that have become one
  std::uint32_t left_only = 0,            ///< instructions of the left arm that have not
      right_only = 0;                     ///< instructions of the right arm that have not
  std::uint32_t added = 0;                ///< selects, moves and what else was not there before
  bool pays = false;                      ///< it is cheaper, and has been applied
};

/// Options: what to meld, how it is written, and what instructions cost.
struct melding_options {
  simtflow::meld_options search{};  ///< what to meld; with score `paper`, every plan is applied
  meld_code_options code{};         ///< how it is written
  latencies weights{};              ///< what instructions cost
  warp_profile profile{};           ///< how warps execute the text; empty: nothing is known
  std::uint32_t most_rounds = 64;   ///< the function is written anew at most so often
  bool prove = true;                ///< every plan is proved (transform/check_meld_plan.hpp) before it is written
};

/// A piece of a melded branch.
struct melded_piece {
  meld_side side = meld_side::both;     ///< both: melded; else that side's own
  std::uint32_t left_blocks = 0,        ///< of the left arm, before
      right_blocks = 0;                 ///< of the right arm, before
  std::uint32_t left_instructions = 0,  ///< of the left arm, before, without branches
      right_instructions = 0;           ///< of the right arm, before, without branches
  double profit = 0;                    ///< of the plan: before it was written
};

/// A branch that has been melded.
struct melded_branch {
  std::uint32_t round = 0;           ///< from 1
  std::string block;                 ///< its block_name(), by its number in the function of that round
  position where;                    ///< of the branch, in the text; line 0 if it was not there
  std::vector<melded_piece> pieces;  ///< in the order in which control goes through them
  meld_figures figures;              ///< what it came to
  /// Places in the text of instructions that were to become one: left and right. The new one has the left place.
  std::vector<std::pair<position, position>> pairs;
};

/// A branch that has not been melded.
struct unmelded_branch {
  std::string block;                         ///< in the function that was looked at last
  position where;                            ///< of the branch, in the text; line 0 if it was not there
  meld_refusal reason = meld_refusal::none;  ///< none: there was a plan, but its code would not be cheaper
  meld_figures figures;                      ///< of that code
};

/// A report of what was done.
struct meld_report {
  std::vector<melded_branch> melded;     ///< in the order in which that was done
  std::vector<unmelded_branch> refused;  ///< inner branches first
  std::uint32_t rounds = 0;              ///< in which something was melded
  bool complete = true;                  ///< false: most_rounds have passed, more might be found
};

/// A function after melding.
struct melding {
  function code;       ///< the function
  meld_report report;  ///< what was done
};

}  // namespace ptx
}  // namespace v0
}  // namespace simtflow
