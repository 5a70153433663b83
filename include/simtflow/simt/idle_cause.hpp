// SPDX-License-Identifier: BSL-1.0
//
// Why a lane of a warp is idle while an instruction issues: the words that profiles of counts
// (simt/observers/branch_profile.hpp) and of cycles (timing/branch_costs.hpp) have in common.
#pragma once

#include <simtflow/config.hpp>

#include <cstddef>

namespace simtflow {
inline namespace v0 {

/// Why a lane slot is idle. If several hold, the cause is the first of ragged_warp, exited, barrier, branch, schedule.
enum class idle_cause : unsigned char {
  branch,       ///< the thread left the group at a branch
  exited,       ///< the thread has ended
  ragged_warp,  ///< the warp has no thread there
  barrier,      ///< the thread waits at a barrier
  schedule      ///< no branch keeps the thread from the group; the mechanism does
};

/// The cause of one idle slot, and the block that it is charged to.
struct idle_blame {
  idle_cause cause = idle_cause::schedule;  ///< the cause
  block_id block = no_block;                ///< no_block for ragged_warp and schedule
  friend constexpr bool operator==(const idle_blame&, const idle_blame&) = default;
};

/// All causes, in the order of the enumeration.
inline constexpr idle_cause idle_causes[] = {idle_cause::branch, idle_cause::exited, idle_cause::ragged_warp,
                                             idle_cause::barrier, idle_cause::schedule};
/// The number of causes.
inline constexpr std::size_t num_idle_causes = sizeof(idle_causes) / sizeof(idle_causes[0]);

/// The causes that no block is to blame for.
inline constexpr idle_cause causes_of_no_block[] = {idle_cause::ragged_warp, idle_cause::schedule};

/// "branch", "exited", "ragged warp", "barrier", "schedule".
[[nodiscard]] constexpr const char* to_string(idle_cause cause) {
  switch (cause) {
    case idle_cause::branch:
      return "branch";
    case idle_cause::exited:
      return "exited";
    case idle_cause::ragged_warp:
      return "ragged warp";
    case idle_cause::barrier:
      return "barrier";
    case idle_cause::schedule:
      return "schedule";
  }
  return "";
}

}  // namespace v0
}  // namespace simtflow
