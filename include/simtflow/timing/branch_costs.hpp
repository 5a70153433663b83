// SPDX-License-Identifier: BSL-1.0
//
// The costs of divergence in a timed run, by cause and by block. Idle lanes have the causes and blocks that
// simt/observers/branch_profile.hpp defines, instruction by instruction.
//
//   idle lane     an instruction of a group of n threads has warp width - n idle lanes; each has a cause and, if the
//                 cause is branch, exited or barrier, a block
//   instruction   its issue and the wait before it are charged once, to the branch at which a thread of the idle lanes
//                 has left last. If none has left at a branch, they are charged to the first cause among exited,
//                 barrier, schedule and ragged_warp, of several blocks to the one where threads of the warp stopped
//                 first. An instruction without idle lanes is converged
//
// Sums: issues and wait cycles over all causes and converged() are the sums of report::costs; active and idle lanes
// together are issues times warp width. Over blocks they are the sums of the causes branch, exited and barrier.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/detail/idle_blames.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/idle_cause.hpp>
#include <simtflow/simt/policy.hpp>
#include <simtflow/timing/events.hpp>
#include <simtflow/timing/instruction_blocks.hpp>
#include <simtflow/timing/instruction_class.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// Instructions that are charged to one cause or block.
struct lost_time {
  std::uint64_t issues = 0;         ///< warp instructions, without replays
  std::uint64_t wait_cycles = 0;    ///< cycles that their warps waited before them
  std::uint64_t memory_cycles = 0;  ///< of these the waits for a result of a load or an atomic
  /// Adds another one.
  constexpr lost_time& operator+=(const lost_time& o) {
    issues += o.issues;
    wait_cycles += o.wait_cycles;
    memory_cycles += o.memory_cycles;
    return *this;
  }
  friend constexpr bool operator==(const lost_time&, const lost_time&) = default;
};

/// The costs that are charged to one block, as a branch, an exit or a barrier. Idle lanes are summed over issues.
struct branch_cost {
  std::uint64_t executions = 0;     ///< warp instructions that end the block: branches, exits, barriers
  std::uint64_t lanes = 0;          ///< active lanes of those
  std::uint64_t divergences = 0;    ///< times that threads went to several places from here
  std::uint64_t idle_lanes = 0;     ///< idle lanes of threads that left the group here
  std::uint64_t exited_lanes = 0;   ///< the same for threads that have ended since, or here
  std::uint64_t barrier_lanes = 0;  ///< idle lanes of threads that wait at the barrier here
  lost_time lost{};                 ///< instructions of groups that are charged here

  /// All idle lanes that are charged to the block.
  [[nodiscard]] constexpr std::uint64_t blamed() const { return idle_lanes + exited_lanes + barrier_lanes; }
  /// Adds the costs of another block.
  constexpr branch_cost& operator+=(const branch_cost& o) {
    executions += o.executions;
    lanes += o.lanes;
    divergences += o.divergences;
    idle_lanes += o.idle_lanes;
    exited_lanes += o.exited_lanes;
    barrier_lanes += o.barrier_lanes;
    lost += o.lost;
    return *this;
  }
  friend constexpr bool operator==(const branch_cost&, const branch_cost&) = default;
};

/// Observer of a timed run: costs by cause and by block. \pre it hears of the run from its beginning.
///
/// Time: as branch_profile, for each instruction. Memory: as branch_profile for all threads that are resident, and
/// 4 bytes for each thread block of the grid. Errors: none.
class branch_costs {
 public:
  /// Nothing is charged yet.
  /// \param scope of the policy
  /// \param rows of a run with a block for each instruction, so that costs are of the blocks of the program; null: the
  /// run has the blocks of the program. It must outlive the run, not this
  explicit branch_costs(policy_scope scope, const instruction_blocks* rows = nullptr) : scope_(scope), rows_(rows) {}

  /// The costs by block. Blocks from the end of the span on have none.
  [[nodiscard]] std::span<const branch_cost> by_block() const { return by_block_; }
  /// Idle lanes with that cause. O(1).
  [[nodiscard]] std::uint64_t idle(idle_cause cause) const { return idle_[static_cast<std::size_t>(cause)]; }
  /// Instructions that are charged to that cause. O(1).
  [[nodiscard]] const lost_time& lost(idle_cause cause) const { return lost_[static_cast<std::size_t>(cause)]; }
  /// Instructions without idle lanes. O(1).
  [[nodiscard]] const lost_time& converged() const { return converged_; }

  /// A thread block comes to a core.
  void operator()(const thread_block_started& e) {
    const bool pooled = scope_ == policy_scope::core;
    if (e.core >= places_.size()) places_.resize(std::size_t{e.core} + 1);
    std::vector<std::uint32_t>& places = places_[e.core];
    const std::uint32_t place = pooled ? 0 : e.place;
    while (place >= places.size()) {
      places.push_back(static_cast<std::uint32_t>(homes_.size()));
      homes_.emplace_back();
    }
    const std::uint64_t number = pooled ? e.core : e.thread_block;
    if (number >= home_of_.size()) home_of_.resize(static_cast<std::size_t>(number) + 1);
    home_of_[static_cast<std::size_t>(number)] = places[place];
    if (pooled && homes_[places[0]].width() != 0) homes_[places[0]].restart(e.place);
  }
  /// A thread block, or all of a core, has its policy.
  void operator()(std::uint64_t number, const event::started& e) { home(number).start(e); }
  /// A block begins: its lanes are together.
  template <class Mask>
  void operator()(std::uint64_t number, const event::issued<Mask>& e) {
    static_cast<void>(home(number).look(e.warp, e.first_thread, e.lanes, e.lanes.count(), e.groups > 1));
  }
  /// Counts a divergence.
  template <class Mask>
  void operator()(std::uint64_t number, const event::diverged<Mask>& e) {
    ++row(e.block).divergences;
    home(number).part(e);
  }
  /// Notes threads that have ended.
  template <class Mask>
  void operator()(std::uint64_t number, const event::exited<Mask>& e) {
    home(number).end(e);
  }
  /// Notes threads that wait.
  template <class Mask>
  void operator()(std::uint64_t number, const event::waits<Mask>& e) {
    home(number).wait(e);
  }
  /// Threads wait no longer.
  void operator()(std::uint64_t number, const event::released& e) { home(number).release(e); }
  /// Charges an instruction.
  template <class Mask>
  void operator()(const instruction_issued<Mask>& e) {
    causes_type& causes = home(scope_ == policy_scope::core ? e.core : e.thread_block);
    const std::uint32_t first = scope_ == policy_scope::warp ? e.warp * causes.width() : 0;
    const std::uint64_t issues = e.replays ? 0 : 1;
    const std::uint32_t active = e.lanes.count();
    const bool ends_block = e.kind == instruction_class::control || e.kind == instruction_class::barrier;
    if (ends_block && !e.replays) {
      branch_cost& end = row(e.block);
      ++end.executions;
      end.lanes += active;
    }
    const lost_time here{issues, e.waited, e.for_memory ? e.waited : 0};
    const auto idle = causes.look(e.warp, first, e.lanes, active, e.replays);
    if (idle.empty()) {
      converged_ += here;
      return;
    }
    const idle_blame& to = idle.front().to;
    lost_[static_cast<std::size_t>(to.cause)] += here;
    if (to.block != no_block) row(to.block).lost += here;
    for (const simtflow::detail::idle_charge& c : idle) {
      const std::uint64_t lanes = issues * c.lanes;
      idle_[static_cast<std::size_t>(c.to.cause)] += lanes;
      if (c.to.block == no_block) continue;
      branch_cost& charged = row(c.to.block);
      (c.to.cause == idle_cause::branch   ? charged.idle_lanes
       : c.to.cause == idle_cause::exited ? charged.exited_lanes
                                          : charged.barrier_lanes) += lanes;
    }
  }

 private:
  using causes_type = simtflow::detail::idle_blames;

  // \param number of a thread block; of a core under core scope
  causes_type& home(std::uint64_t number) { return homes_[home_of_[static_cast<std::size_t>(number)]]; }
  branch_cost& row(block_id b) {
    if (rows_ != nullptr) b = rows_->block(b);
    if (b >= by_block_.size()) by_block_.resize(std::size_t{b} + 1);
    return by_block_[b];
  }

  policy_scope scope_;
  const instruction_blocks* rows_;
  std::vector<causes_type> homes_;
  std::vector<std::uint32_t> home_of_;              // by thread block; by core under core scope
  std::vector<std::vector<std::uint32_t>> places_;  // of each core: their homes
  std::vector<branch_cost> by_block_;
  std::array<std::uint64_t, num_idle_causes> idle_{};
  std::array<lost_time, num_idle_causes> lost_{};
  lost_time converged_;
};

}  // namespace timing
}  // namespace v0
}  // namespace simtflow
