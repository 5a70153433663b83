// SPDX-License-Identifier: BSL-1.0
//
// The usual figures of a run: an observer that adds up over any number of thread blocks.
//
//   warp instruction    an instruction issued once for a group of lanes
//   thread instruction  an instruction executed by one lane, whether its guard holds for the lane or not
//   predicated on       a thread instruction with no guard or a true guard: one that has an effect. The others are
//                       predicated off. A guard that chooses where a lane goes (of a branch, an exit, a call) switches
//                       nothing off. NVIDIA's profilers count lanes that do not take a guarded branch as off. A select
//                       (selp) is no guard. In programs that do not report predicates (callables, recorded traces), all
//                       thread instructions are predicated on
//   SIMD efficiency     mean share of a warp's lanes that an issued instruction uses (Fung and Aamodt, Thread Block
//                       Compaction, HPCA 2011, section 1); lanes that a partial warp lacks count as idle,
//                       predicated-off lanes as used: it measures the lanes that a mechanism issues
//   SIMD efficiency, predicated on the same, but predicated-off lanes count as idle: it measures the lanes with an
//                       effect
//   activity factor     the same over the threads the warp started with; ended threads stay in the denominator. With
//                       one warp as wide as the thread block it is the activity factor of the thread frontiers paper
//                       (6.4). Under a policy of wider scope a warp has threads as long as the scope has threads
#pragma once

#include <simtflow/simt/events.hpp>

#include <cstddef>
#include <cstdint>

namespace simtflow {
inline namespace v0 {

/// An observer that adds up; all counts are 0 at first. A run that ends early is counted up to its end, except in
/// overhead_operations and thread_blocks. O(1) for each event.
struct counts {
  std::uint64_t fetches = 0;              ///< blocks executed
  std::uint64_t warp_instructions = 0;    ///< the program's own
  std::uint64_t thread_instructions = 0;  ///< the program's own
  std::uint64_t predicated_off = 0;       ///< thread instructions for which a guard was false
  std::uint64_t overhead_operations = 0;  ///< executed by the mechanism itself; not in warp_instructions
  std::uint64_t lane_slots = 0;           ///< warp instructions times warp width
  std::uint64_t thread_slots = 0;         ///< warp instructions times threads of the warp
  std::uint64_t divergent_branches = 0;   ///< executions after which lanes went to two or more blocks
  std::uint64_t merges = 0;               ///< groups that joined: a block run by k groups together counts k - 1
  std::uint64_t barrier_waits = 0;        ///< times a group waited at a barrier
  std::uint64_t max_depth = 0;            ///< most entries a policy held, the running one included
  std::uint64_t thread_blocks = 0;        ///< thread blocks that ran to their end

  /// Thread instructions that are predicated on.
  [[nodiscard]] constexpr std::uint64_t thread_instructions_on() const { return thread_instructions - predicated_off; }
  /// thread_instructions / lane_slots: 0 .. 1; 1 if nothing was issued.
  [[nodiscard]] constexpr double simd_efficiency() const {
    return lane_slots == 0 ? 1.0 : static_cast<double>(thread_instructions) / static_cast<double>(lane_slots);
  }
  /// thread_instructions_on() / lane_slots: 0 .. simd_efficiency(); 1 if nothing was issued.
  [[nodiscard]] constexpr double simd_efficiency_on() const {
    return lane_slots == 0 ? 1.0 : static_cast<double>(thread_instructions_on()) / static_cast<double>(lane_slots);
  }
  /// thread_instructions / thread_slots: 0 .. 1; 1 if nothing was issued.
  [[nodiscard]] constexpr double activity_factor() const {
    return thread_slots == 0 ? 1.0 : static_cast<double>(thread_instructions) / static_cast<double>(thread_slots);
  }

  /// Takes the warp width.
  constexpr void operator()(const event::started& e) { warp_width_ = e.warp_width; }
  /// Counts an executed block.
  template <class Mask>
  constexpr void operator()(const event::issued<Mask>& e) {
    const std::uint64_t weight = e.weight;
    ++fetches;
    warp_instructions += weight;
    thread_instructions += weight * e.lanes.count();
    lane_slots += weight * warp_width_;
    thread_slots += weight * e.threads;
    merges += e.groups - 1;
    if (e.depth > max_depth) max_depth = e.depth;
  }
  /// Counts lanes with a false guard.
  template <class Mask>
  constexpr void operator()(const event::predicated_off<Mask>& e) {
    predicated_off += e.lanes.count();
  }
  /// Counts a divergent branch.
  template <class Mask>
  constexpr void operator()(const event::diverged<Mask>&) {
    ++divergent_branches;
  }
  /// Counts a wait.
  template <class Mask>
  constexpr void operator()(const event::waits<Mask>&) {
    ++barrier_waits;
  }
  /// Adds the overhead of the thread blocks that have ended.
  constexpr void operator()(const event::ended& e) {
    overhead_operations += e.overhead;
    thread_blocks += e.thread_blocks;
  }

 private:
  std::uint32_t warp_width_ = 0;
};

}  // namespace v0
}  // namespace simtflow
