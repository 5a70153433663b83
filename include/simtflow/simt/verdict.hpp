// SPDX-License-Identifier: BSL-1.0
//
// How a run ended, and for every live thread where it stood and why. `describe` (io/describe.hpp) says it in words.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/mask.hpp>

#include <cstdint>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The ways a run can end.
enum class outcome : unsigned char {
  finished,          ///< every thread ran to its end
  barrier_deadlock,  ///< part of a warp waits at a barrier that only the whole warp can pass (barrier_model::whole_warp)
  lost_threads,      ///< the policy offers no fragment although lanes are live and do not wait at a barrier
  policy_error,      ///< the policy named lanes that do not stand at the block it named, or no lane at all
  step_limit,        ///< the limit on executed blocks was reached
  fault              ///< the program stopped the run; it can say why
};

/// Why lanes stand where they stand.
enum class standing_reason : unsigned char {
  ready,       ///< could run the block, is not selected
  at_barrier,  ///< ran the block and waits at the barrier that ends it
  faulted      ///< executed the block in which the program stopped
};

/// Lanes of one warp that stand together.
template <class Mask>
struct basic_standing {
  std::uint32_t warp = 0;
  block_id block = no_block;
  Mask lanes{};
  standing_reason reason = standing_reason::ready;
};

/// The result of a run.
template <class Mask>
struct basic_verdict {
  outcome how = outcome::finished;
  std::uint64_t steps = 0;                     ///< blocks executed, over all warps
  std::vector<basic_standing<Mask>> standing;  ///< every live thread, when the run did not finish

  /// Whether every thread ran to its end.
  [[nodiscard]] constexpr bool finished() const { return how == outcome::finished; }
};

/// The verdict on warps of up to 64 lanes.
using verdict = basic_verdict<lane_mask>;

}  // namespace v0
}  // namespace simtflow
