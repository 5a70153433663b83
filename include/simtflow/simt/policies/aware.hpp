// SPDX-License-Identifier: BSL-1.0
//
// AWARE lets a lane wait for another lane of its warp. It is multi-path execution in which the splits take turns, first
// in first out. When a meeting has waited longer than a time-out, the lanes that have come go on without the others,
// which reconverge by themselves.
//
// Follows ElTantawy, Aamodt: MIMD Synchronization on SIMT Architectures (MICRO 2016). The paper counts cycles, this
// policy counts blocks that the warp has executed. In place of immediate post-dominators it can use points after them,
// to delay reconvergence past the release of a lock. Progress: fair.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policies/multi_path.hpp>
#include <simtflow/simt/policy.hpp>

#include <cstdint>
#include <span>

namespace simtflow {
inline namespace v0 {
namespace policies {

/// Multi-path execution with turns and a time-out: every lane runs again and again as long as it is live.
template <class Mask>
class basic_aware : public basic_multi_path<Mask> {
 public:
  static constexpr progress_class progress = progress_class::fair;  ///< what it promises

  /// \pre timeout > 0.
  constexpr explicit basic_aware(std::span<const block_id> ipdom, std::uint64_t timeout = 100, bool early_join = false)
      : basic_multi_path<Mask>(ipdom, {split_schedule::first_in_first_out, early_join, timeout}) {
    SIMTFLOW_EXPECTS(timeout > 0, "AWARE has a time-out");
  }
};

/// AWARE for a warp of up to 64 lanes.
using aware = basic_aware<lane_mask>;

}  // namespace policies
}  // namespace v0
}  // namespace simtflow
