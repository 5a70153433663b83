// SPDX-License-Identifier: BSL-1.0
//
// The branch profile of a run: the cause of each idle lane slot, and the block to charge it to.
//
//   lane slot   a lane of a warp for one warp instruction. An instruction of a group of n threads leaves warp width - n
//               slots idle
//   its thread  the thread that has the slot's lane at home, in the home warp of the group's first thread
//               (simt/home_lanes.hpp, lane_rule::identity). If other lanes run the group (compaction), the lowest lanes
//               that are no active thread's home are idle
//   together    two threads run a block together if they run it in one group, or the rest of it after they waited in it
//   parted      two threads have parted at the last block that they ran together if they went to different places from
//               there. So a branch within arms is to blame until its own threads meet again, and the branch around it
//               from then on. A call or a return that goes to several places is a branch like any other
//   cause       one for each idle slot, the first that holds:
//                 ragged_warp   the warp has no such thread: the thread block ends within the warp
//                 exited        the thread has ended
//                 barrier       the thread waits at a barrier of the thread block
//                 branch        the thread and the group's first thread have parted
//                 schedule      anything else: the mechanism runs apart what no branch has parted, or both threads have
//                               never run together
//
// A slot is charged to one block: with `branch` to the block at which both threads have parted. With `exited` it is the
// same block, or the block in which the thread ended if they have not parted; with `barrier` the block that ends in the
// barrier.
// `ragged_warp` and `schedule` are nobody's fault. A guard that switches off an instruction makes no slot idle
// (counts::predicated_off).
//
// Sums: over all causes, idle slots are counts::lane_slots - counts::thread_instructions.
//
// timing/branch_costs.hpp charges cycles by the same rules.
//
// Literature: NVIDIA, Nsight Compute, "source counters".
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/detail/idle_blames.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/idle_cause.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The figures of a block as a branch, an exit or a barrier. Slots are weighted with instructions.
struct branch_figures {
  std::uint64_t executions = 0;     ///< times that a group ran the block
  std::uint64_t divergences = 0;    ///< of these, times that lanes went to several places
  std::uint64_t lanes = 0;          ///< threads of the groups, over all executions
  std::uint64_t idle_lanes = 0;     ///< later slots that were idle because their thread left the group here
  std::uint64_t exited_lanes = 0;   ///< the same for threads that have ended since, or here
  std::uint64_t barrier_lanes = 0;  ///< slots that were idle while their thread waited at the barrier here

  /// All slots that are charged to the block.
  [[nodiscard]] constexpr std::uint64_t blamed() const { return idle_lanes + exited_lanes + barrier_lanes; }
  /// Adds the figures of another run.
  constexpr branch_figures& operator+=(const branch_figures& o) {
    executions += o.executions;
    divergences += o.divergences;
    lanes += o.lanes;
    idle_lanes += o.idle_lanes;
    exited_lanes += o.exited_lanes;
    barrier_lanes += o.barrier_lanes;
    return *this;
  }
  friend constexpr bool operator==(const branch_figures&, const branch_figures&) = default;
};

/// The figures of the instructions of a block.
struct block_figures {
  std::uint64_t issues = 0;      ///< warp instructions
  std::uint64_t lanes = 0;       ///< thread instructions
  std::uint64_t idle_lanes = 0;  ///< lane slots that were idle while the block ran

  /// lanes / (lanes + idle_lanes): 0 .. 1; 1 if the block did not run.
  [[nodiscard]] constexpr double simd_efficiency() const {
    const std::uint64_t slots = lanes + idle_lanes;
    return slots == 0 ? 1.0 : static_cast<double>(lanes) / static_cast<double>(slots);
  }
  /// Adds the figures of another run.
  constexpr block_figures& operator+=(const block_figures& o) {
    issues += o.issues;
    lanes += o.lanes;
    idle_lanes += o.idle_lanes;
    return *this;
  }
  friend constexpr bool operator==(const block_figures&, const block_figures&) = default;
};

/// Observer: the branch profile of any number of runs of one program, one after the other. Runs on several host threads
/// have a profile each, to be added at the end. A run that ends early is counted up to its end. \pre the events come
/// from the executor, thread blocks that start together end together; timing::branch_costs takes a timed run.
///
/// Complexity: an issue of the lanes that ran before costs O(causes); another one, a divergence or a join O(branches at
/// which threads of the warp have parted), for each 64 lanes of its width. Memory: 8 bytes for each thread, and for
/// each such branch 8 bytes for each group of its threads. Errors: none.
/// \snippet reference_test.cpp branch_profile
class branch_profile {
 public:
  /// By block: its branch, exit or barrier. Blocks from the end of the span on have never run.
  [[nodiscard]] constexpr std::span<const branch_figures> branches() const { return branches_; }
  /// By block: its instructions. As long as branches().
  [[nodiscard]] constexpr std::span<const block_figures> blocks() const { return blocks_; }
  /// Idle lane slots with that cause. For `branch`, `exited` and `barrier` it is the sum over branches(). O(1).
  [[nodiscard]] constexpr std::uint64_t idle(idle_cause cause) const { return idle_[static_cast<std::size_t>(cause)]; }
  /// All idle lane slots: counts::lane_slots - counts::thread_instructions. O(1).
  [[nodiscard]] constexpr std::uint64_t idle() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t n : idle_) sum += n;
    return sum;
  }

  /// Adds the figures of another profile of the same program. O(blocks).
  constexpr branch_profile& operator+=(const branch_profile& o) {
    if (o.branches_.size() > branches_.size()) grow(o.branches_.size());
    for (std::size_t b = 0; b < o.branches_.size(); ++b) {
      branches_[b] += o.branches_[b];
      blocks_[b] += o.blocks_[b];
    }
    for (std::size_t c = 0; c < idle_.size(); ++c) idle_[c] += o.idle_[c];
    return *this;
  }

  /// Tells why a lane is idle in an issue, for pictures. Under a policy of wider scope than a warp, the lane may belong
  /// to another warp than the first lane: then the cause is no branch. \pre the profile has taken the event, and none
  /// since; the lane does not run. O(branches at which threads have parted from the first lane's thread).
  template <class Mask>
  [[nodiscard]] constexpr idle_blame blame(const event::issued<Mask>& e, std::uint32_t lane) const {
    return causes_.blame(e.first_thread, e.lanes, lane);
  }

  /// Begins a run: no threads have parted.
  constexpr void operator()(const event::started& e) { causes_.start(e); }
  /// Charges the idle lanes of a block.
  template <class Mask>
  constexpr void operator()(const event::issued<Mask>& e) {
    if (e.block >= branches_.size()) grow(std::size_t{e.block} + 1);
    const std::uint64_t weight = e.weight;
    const std::uint32_t active = e.lanes.count();
    branch_figures& branch = branches_[e.block];
    ++branch.executions;
    branch.lanes += active;
    block_figures& at = blocks_[e.block];
    at.issues += weight;
    at.lanes += weight * active;
    // Lanes of one group come from one execution, and are together.
    const auto idle = causes_.look(e.warp, e.first_thread, e.lanes, active, e.groups > 1);
    if (idle.empty()) return;
    at.idle_lanes += weight * (causes_.width() - active);
    for (const detail::idle_charge& c : idle) {
      const std::uint64_t lanes = weight * c.lanes;
      idle_[static_cast<std::size_t>(c.to.cause)] += lanes;
      if (c.to.block == no_block) continue;
      branch_figures& charged = branches_[c.to.block];
      (c.to.cause == idle_cause::branch   ? charged.idle_lanes
       : c.to.cause == idle_cause::exited ? charged.exited_lanes
                                          : charged.barrier_lanes) += lanes;
    }
  }
  /// Notes a divergence.
  template <class Mask>
  constexpr void operator()(const event::diverged<Mask>& e) {
    ++branches_[e.block].divergences;
    causes_.part(e);
  }
  /// Notes threads that have ended.
  template <class Mask>
  constexpr void operator()(const event::exited<Mask>& e) {
    causes_.end(e);
  }
  /// Notes threads that wait.
  template <class Mask>
  constexpr void operator()(const event::waits<Mask>& e) {
    causes_.wait(e);
  }
  /// Threads wait no longer.
  constexpr void operator()(const event::released& e) { causes_.release(e); }

 private:
  constexpr void grow(std::size_t blocks) {
    branches_.resize(blocks);
    blocks_.resize(blocks);
  }

  std::vector<branch_figures> branches_;
  std::vector<block_figures> blocks_;
  std::array<std::uint64_t, num_idle_causes> idle_{};  // by cause
  detail::idle_blames causes_;
};

}  // namespace v0
}  // namespace simtflow
