// SPDX-License-Identifier: BSL-1.0
//
// The costs of divergence in a timed run, by static branch.
//
//   home lane     of a thread: its lane in its own warp, whatever group a policy puts it in
//   idle lane     a lane of an issue slot that is no active thread's home lane. An instruction of a group of n threads
//                 has warp width - n idle lanes: the lowest if there are more
//   its thread    the thread with that home lane in the warp of the group's first thread
//   diverged at   the last control instruction that this thread and the group's first thread issued together
//
// An idle lane is charged to the block in which both threads diverged, also when its thread has ended. It is charged to
// no branch if it has no thread, or if both threads have never issued a control instruction together. The instruction
// itself and its wait are charged to the latest branch among the branches of its idle lanes, or to none.
//
// An unconditional jump can be charged as well: threads that left it together were kept apart by something else, a
// barrier for instance. A caller who knows the program adds such rows to no_branch().
//
// Sums: over all rows and no_branch(), issues and wait cycles are the sums of report::costs, and active and idle lanes
// together are issues times warp width.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/policy.hpp>
#include <simtflow/timing/events.hpp>
#include <simtflow/timing/instruction_class.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// The costs that are charged to one branch.
struct branch_cost {
  std::uint64_t executions = 0;     ///< warp instructions that are this branch itself; 0 in no_branch()
  std::uint64_t divergences = 0;    ///< of these the executions after which threads went to several places
  std::uint64_t issues = 0;         ///< warp instructions of groups that diverged here last, without replays
  std::uint64_t idle_lanes = 0;     ///< idle lanes that it caused, summed over issues
  std::uint64_t wait_cycles = 0;    ///< cycles that those groups waited between two issues
  std::uint64_t memory_cycles = 0;  ///< of these the waits for a result of a load or an atomic
  /// Adds the costs of another branch.
  constexpr branch_cost& operator+=(const branch_cost& o) {
    executions += o.executions;
    divergences += o.divergences;
    issues += o.issues;
    idle_lanes += o.idle_lanes;
    wait_cycles += o.wait_cycles;
    memory_cycles += o.memory_cycles;
    return *this;
  }
  friend constexpr bool operator==(const branch_cost&, const branch_cost&) = default;
};

/// Observer of a timed run: the costs by the block that ends in the branch.
/// Time: O(warp width) for an instruction, O(threads of the group, squared) for a control instruction. Memory: 16 bytes
/// for each pair of threads of a warp, over all warps that are resident.
class branch_costs {
 public:
  /// Nothing is charged yet. \pre none of the numbers is 0
  /// \param scope of the policy
  /// \param threads of a thread block
  /// \param warp_width lanes of a warp
  branch_costs(policy_scope scope, std::uint32_t threads, std::uint32_t warp_width)
      : scope_(scope), threads_(threads), width_(warp_width), warps_((threads - 1) / warp_width + 1) {}

  /// The costs by block: of the control instruction that ends it. Blocks from the end of the span on have none.
  [[nodiscard]] std::span<const branch_cost> by_block() const { return by_block_; }
  /// The costs that no branch has caused.
  [[nodiscard]] const branch_cost& no_branch() const { return no_branch_; }

  /// A thread block comes to a core: its threads have not diverged.
  void operator()(const thread_block_started& e) {
    if (e.core >= cores_.size()) cores_.resize(std::size_t{e.core} + 1);
    std::vector<place>& places = cores_[e.core];
    if (e.place >= places.size()) places.resize(std::size_t{e.place} + 1);
    places[e.place].thread_block = e.thread_block;
    places[e.place].together.assign(std::size_t{warps_} * width_ * width_, {});
  }
  /// Counts a divergence.
  template <class Mask>
  void operator()(std::uint64_t /*thread_block*/, const event::diverged<Mask>& e) {
    ++row(e.block).divergences;
  }
  /// Charges an instruction.
  template <class Mask>
  void operator()(const instruction_issued<Mask>& e) {
    find_threads(e);
    branch_cost* latest = &no_branch_;
    std::uint64_t latest_order = 0;
    std::uint32_t left = width_ - static_cast<std::uint32_t>(group_.size());  // idle lanes
    const member& first = group_.front();
    const mark* const with = row_of(e.core, first);
    covered_.assign(width_, 0);
    for (const member& m : group_) covered_[m.lane] = 1;
    for (std::uint32_t lane = 0; lane < width_ && left != 0; ++lane) {
      if (covered_[lane] != 0) continue;
      --left;
      const mark& at = with[lane];
      branch_cost& charged = at.order == 0 ? no_branch_ : by_block_[at.block];
      if (!e.replays) ++charged.idle_lanes;
      if (at.order <= latest_order) continue;
      latest_order = at.order;
      latest = &charged;
    }
    if (!e.replays) ++latest->issues;
    latest->wait_cycles += e.waited;
    if (e.for_memory) latest->memory_cycles += e.waited;
    if (e.kind == instruction_class::control) note_together(e.core, e.block, e.replays);
  }

 private:
  // The last control instruction that two threads of a warp issued together.
  struct mark {
    std::uint64_t order = 0;  // among all control instructions; 0: none
    block_id block = no_block;
  };
  struct place {
    std::uint64_t thread_block = ~std::uint64_t{0};
    std::vector<mark> together{};  // by warp, lane, and lane
  };
  // A thread of the group that issues.
  struct member {
    std::uint32_t place, warp, lane;
  };

  template <class Mask>
  void find_threads(const instruction_issued<Mask>& e) {
    std::uint32_t at = 0;
    if (scope_ != policy_scope::core)
      while (cores_[e.core][at].thread_block != e.thread_block) ++at;
    group_.clear();
    e.lanes.for_each([&](std::uint32_t i) {
      const std::uint32_t thread = i % threads_;
      if (scope_ == policy_scope::warp)
        group_.push_back({at, e.warp, i});
      else
        group_.push_back({scope_ == policy_scope::core ? i / threads_ : at, thread / width_, thread % width_});
    });
  }
  mark* row_of(std::uint32_t core, const member& m) {
    return &cores_[core][m.place].together[(std::size_t{m.warp} * width_ + m.lane) * width_];
  }
  void note_together(std::uint32_t core, block_id block, bool replays) {
    row(block).executions += replays ? 0 : 1;
    ++order_;
    for (const member& m : group_) {
      mark* const with = row_of(core, m);
      for (const member& o : group_)
        if (o.warp == m.warp && o.place == m.place) with[o.lane] = {order_, block};
    }
  }
  branch_cost& row(block_id b) {
    if (b >= by_block_.size()) by_block_.resize(std::size_t{b} + 1);
    return by_block_[b];
  }

  policy_scope scope_;
  std::uint32_t threads_, width_, warps_;
  std::vector<std::vector<place>> cores_;
  std::vector<branch_cost> by_block_;
  branch_cost no_branch_;
  std::uint64_t order_ = 0;
  std::vector<member> group_;           // of the instruction that issues
  std::vector<unsigned char> covered_;  // home lanes of its threads
};

}  // namespace timing
}  // namespace v0
}  // namespace simtflow
