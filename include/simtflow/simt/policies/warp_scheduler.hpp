// SPDX-License-Identifier: BSL-1.0
//
// The rules by which a pool of dynamic warps picks the warp that runs next: Fung, Sham, Yuan, Aamodt: Dynamic Warp
// Formation and Scheduling (MICRO 2007).
#pragma once

namespace simtflow {
inline namespace v0 {
namespace policies {

/// The rule that picks the warp of the pool that runs next.
enum class warp_scheduler : unsigned char {
  majority,        ///< a warp at the block where most warps are, until no warp is left there; then the next such block
  minority,        ///< a warp at the block where fewest warps are
  time,            ///< the warp that was formed first: the only fair scheduler
  pc,              ///< the warp of the lowest program counter
  post_dominators  ///< the warp that has passed fewest reconvergence points; then the fuller warp, then the older warp
};

/// "majority", "minority", "time", "pc", "post-dominators".
[[nodiscard]] constexpr const char* to_string(warp_scheduler scheduler) {
  switch (scheduler) {
    case warp_scheduler::majority:
      return "majority";
    case warp_scheduler::minority:
      return "minority";
    case warp_scheduler::time:
      return "time";
    case warp_scheduler::pc:
      return "pc";
    case warp_scheduler::post_dominators:
      return "post-dominators";
  }
  return "";
}

}  // namespace policies
}  // namespace v0
}  // namespace simtflow
