// SPDX-License-Identifier: BSL-1.0
//
// The setup of a run: the shape of its thread blocks, and its limits.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/barrier_model.hpp>

#include <cstdint>

namespace simtflow {
inline namespace v0 {

/// The shape of a run.
struct launch {
  std::uint32_t threads = 32;                          ///< in each thread block
  std::uint32_t warp_width = 32;                       ///< lanes of a warp; at least `threads`: a warp without bound
  block_id entry = 0;                                  ///< where every thread starts
  barrier_model barriers = barrier_model::whole_warp;  ///< when lanes that come to a barrier wait, and for which lanes
  /// Thread blocks that run at the same time, with barriers of their own; the program sees thread i of resident block b
  /// as thread b * threads + i. More than one thread block only for programs that number threads so (a PTX kernel does
  /// not).
  std::uint32_t resident_blocks = 1;
  /// True if barriers wait for threads (under warp_arrival: for warps) that have ended, which is forever.
  bool ended_threads_count = false;

  /// Threads of all resident thread blocks.
  [[nodiscard]] constexpr std::uint64_t num_threads() const { return std::uint64_t{threads} * resident_blocks; }
};

/// The limits after which a run gives up.
struct limits {
  std::uint64_t steps = ~std::uint64_t{0};  ///< executed blocks, over all warps of the run
  /// True if the run looks for a state that comes back. The run finds it only if the policy is a comparable_policy and
  /// the program a program_with_memory, and within three times the blocks before the cycle plus the cycle. The search
  /// costs a comparison of states for each block, and a copy of the state after 1, 2, 4, 8, ... blocks.
  bool detect_livelock = false;
  /// Asked now and then whether the run is to end, as at the limit on steps; null: nobody ends it.
  bool (*give_up)(const void* asked) = nullptr;
  const void* asked = nullptr;  ///< passed to give_up
};

}  // namespace v0
}  // namespace simtflow
