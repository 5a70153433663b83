// SPDX-License-Identifier: BSL-1.0
//
// The branch profile of a run: which branch parted the lanes of a warp, and what each idle lane slot waited for.
//
//   lane slot   a lane of a warp for one warp instruction. An instruction of a group of n threads leaves warp width - n
//               slots idle
//   its thread  the thread that has the slot's lane at home, in the home warp of the group's first thread
//               (simt/home_lanes.hpp). If other lanes run the group (compaction), the lowest lanes that are no active
//               thread's home are idle
//   cause       one for each idle slot, the first that holds:
//                 ragged_warp   the warp has no such thread: the thread block ends within the warp
//                 exited        the thread has ended
//                 barrier       the thread waits at a barrier
//                 branch        the thread and the group's first thread have run their last common block, and the lanes
//                               of that execution went to several places
//                 schedule      anything else: the mechanism runs apart what no branch has parted, or both threads have
//                               never run together
//
// A slot is charged to one block: with `branch` to that last common block; with `exited` also, or to the block in which
// the thread ended if no branch has parted them; with `barrier` to the block that ends in the barrier. `ragged_warp` and
// `schedule` are nobody's fault. Threads that were compacted into one group count as running together.
//
// Sums: over all causes, idle slots are counts::lane_slots - counts::thread_instructions.
//
// Literature: timing/branch_costs.hpp charges cycles by the same definition; NVIDIA, Nsight Compute, "source counters".
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/home_lanes.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// Why a lane slot is idle.
enum class idle_cause : unsigned char {
  branch,       ///< the thread left the group at a branch
  exited,       ///< the thread has ended
  ragged_warp,  ///< the warp has no thread there
  barrier,      ///< the thread waits at a barrier
  schedule      ///< the thread could run with the group; the mechanism does not let it
};

/// All causes, in the order of the enumeration.
inline constexpr idle_cause idle_causes[] = {idle_cause::branch, idle_cause::exited, idle_cause::ragged_warp,
                                             idle_cause::barrier, idle_cause::schedule};

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

/// What the end of a block did: its branch, its exit, its barrier. Slots are weighted with instructions.
struct branch_figures {
  std::uint64_t executions = 0;     ///< times that a group ran the block
  std::uint64_t divergences = 0;    ///< of these, times that lanes went to several places
  std::uint64_t lanes = 0;          ///< threads of the groups, over all executions
  std::uint64_t idle_lanes = 0;     ///< later slots that were idle because their thread left the group here
  std::uint64_t exited_lanes = 0;   ///< the same for threads that have ended since
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

/// Where slots were spent: the instructions of a block.
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

/// Observer: the branch profile, added up over thread blocks. It fits every policy and every barrier model.
///
/// \code
/// simtflow::branch_profile profile;
/// simtflow::run(simtflow::policies::ipdom_stack(pdom.ipdoms()), thread, {.threads = 32}, profile);
/// for (std::size_t b = 0; b < profile.branches().size(); ++b)
///   std::printf("block %zu: %d idle slots\n", b, int(profile.branches()[b].blamed()));
/// \endcode
///
/// Time for an executed block: O(idle lanes), and O(lanes) if the block belongs to several warps or lanes have parted or
/// joined before; O(lanes squared) for lanes that part or join. Memory: four bytes for each pair of threads of a warp.
class branch_profile {
 public:
  /// Nothing has run. \param threads_of_block threads of one thread block, if a run has several that are resident at
  /// once: each begins with a warp of its own. 0: every run is one thread block.
  explicit branch_profile(std::uint32_t threads_of_block = 0) : threads_of_block_(threads_of_block) {}

  /// By block: its branch, exit or barrier. Blocks from the end of the span on did not run.
  [[nodiscard]] std::span<const branch_figures> branches() const { return branches_; }
  /// By block: its instructions. As long as branches().
  [[nodiscard]] std::span<const block_figures> blocks() const { return blocks_; }
  /// Idle lane slots with that cause. O(1).
  [[nodiscard]] std::uint64_t idle(idle_cause cause) const { return idle_[static_cast<std::size_t>(cause)]; }
  /// All idle lane slots. O(1).
  [[nodiscard]] std::uint64_t idle() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t n : idle_) sum += n;
    return sum;
  }

  /// Adds the profile of another run of the same program, for instance of other thread blocks. O(blocks).
  branch_profile& operator+=(const branch_profile& o) {
    if (o.branches_.size() > branches_.size()) grow(o.branches_.size());
    for (std::size_t b = 0; b < o.branches_.size(); ++b) {
      branches_[b] += o.branches_[b];
      blocks_[b] += o.blocks_[b];
    }
    for (std::size_t c = 0; c < idle_.size(); ++c) idle_[c] += o.idle_[c];
    return *this;
  }

  /// Thread blocks start: no threads have parted.
  void operator()(const event::started& e) {
    home_ = {.width = e.warp_width, .rule = lane_rule::identity, .threads = threads_of_block_};
    threads_ = e.threads;
    const std::size_t warps = e.threads == 0 ? 0 : std::size_t{home_.warp(e.threads - 1)} + 1;
    unsettled_.assign(warps, 0);
    state_.assign(e.threads, {});
    for (std::uint32_t t = 0; t < e.threads; ++t) {
      state_[t].warp = home_.warp(t);
      state_[t].lane = home_.lane(t);
    }
    parted_at_.assign(std::size_t{e.threads} * e.warp_width, no_block);
    instances_.assign(e.warps, 0);
    covered_.assign(e.warp_width, 0);
  }

  /// Charges the idle slots of a block.
  template <class Mask>
  void operator()(const event::issued<Mask>& e) {
    if (e.block >= branches_.size()) grow(std::size_t{e.block} + 1);
    instances_[e.warp] = e.first_thread;
    const std::uint32_t n = static_cast<std::uint32_t>(e.lanes.count());
    const std::uint64_t weight = e.weight;
    branch_figures& branch = branches_[e.block];
    ++branch.executions;
    branch.lanes += n;
    block_figures& block = blocks_[e.block];
    block.issues += weight;
    block.lanes += weight * n;
    const bool joined = e.groups > 1, one_warp = e.threads <= home_.width;
    if (one_warp && n == home_.width && !joined && unsettled_[state_[e.first_thread].warp] == 0) return;
    find_group(e.first_thread, e.lanes);
    settle(joined);
    if (n >= home_.width) return;
    block.idle_lanes += weight * (home_.width - n);
    charge_idle(home_.width - n, weight);
  }

  /// Notes that lanes have parted.
  template <class Mask>
  void operator()(const event::diverged<Mask>& e) {
    ++branches_[e.block].divergences;
    find_group(instances_[e.warp], e.lanes);
    for (const std::uint32_t t : group_) {
      unsettled_[state_[t].warp] += state_[t].unsettled ? 0 : 1;
      state_[t].unsettled = true;
    }
    mark_pairs(e.block);
  }
  /// Notes threads that have ended.
  template <class Mask>
  void operator()(const event::exited<Mask>& e) {
    find_group(instances_[e.warp], e.lanes);
    for (const std::uint32_t t : group_) state_[t].set(place::ended, e.block, 0);
  }
  /// Notes threads that wait.
  template <class Mask>
  void operator()(const event::waits<Mask>& e) {
    find_group(instances_[e.warp], e.lanes);
    for (const std::uint32_t t : group_) state_[t].set(place::waits, e.block, e.barrier);
  }
  /// Threads go on that have waited at that barrier.
  void operator()(const event::released& e) {
    std::uint32_t t = 0, end = threads_;
    if (threads_of_block_ != 0) {
      t = e.thread_block * threads_of_block_;
      end = t + threads_of_block_ < threads_ ? t + threads_of_block_ : threads_;
    }
    for (; t < end; ++t)
      if (state_[t].at == place::waits && state_[t].barrier == e.barrier) state_[t].at = place::runs;
  }

 private:
  enum class place : unsigned char { runs, waits, ended };
  struct thread_state {
    std::uint32_t warp = 0, lane = 0;  // at home
    place at = place::runs;
    bool unsettled = false;     // it has parted from others and not run since
    std::uint32_t barrier = 0;  // where it waits
    block_id block = no_block;  // where it waits or has ended
    void set(place p, block_id b, std::uint32_t number) {
      at = p;
      block = b;
      barrier = number;
    }
  };

  // The threads of these lanes of an instance.
  template <class Mask>
  void find_group(std::uint32_t first_thread, const Mask& lanes) {
    group_.clear();
    lanes.for_each([&](std::uint32_t lane) { group_.push_back(first_thread + lane); });
  }

  // The group runs together: no branch parts its threads any more. \param joined some of them ran apart before.
  void settle(bool joined) {
    bool unmark = joined;
    for (const std::uint32_t t : group_) {
      thread_state& s = state_[t];
      if (!s.unsettled) continue;
      s.unsettled = false;
      --unsettled_[s.warp];
      unmark = true;
    }
    if (unmark) mark_pairs(no_block);
  }

  // Notes for all pairs of the group where they have parted.
  void mark_pairs(block_id where) {
    for (const std::uint32_t t : group_) {
      block_id* const row = &parted_at_[std::size_t{t} * home_.width];
      for (const std::uint32_t other : group_)
        if (state_[other].warp == state_[t].warp) row[state_[other].lane] = where;
    }
  }

  // Finds the cause of each idle slot of the group's instructions. \param idle lanes, at least one
  void charge_idle(std::uint32_t idle, std::uint64_t weight) {
    for (const std::uint32_t t : group_) covered_[state_[t].lane] = 1;
    const std::uint32_t leader = group_.front();
    const std::uint32_t first = leader - state_[leader].lane;
    const std::uint32_t warp_end = home_.warp_end(leader), end = warp_end < threads_ ? warp_end : threads_;
    const block_id* const row = &parted_at_[std::size_t{leader} * home_.width];
    for (std::uint32_t lane = 0; lane < home_.width && idle != 0; ++lane) {
      if (covered_[lane] != 0) continue;
      --idle;
      idle_[static_cast<std::size_t>(charge(first + lane, end, row[lane], weight))] += weight;
    }
    for (const std::uint32_t t : group_) covered_[state_[t].lane] = 0;
  }

  // Charges the block that the cause names. \param parted_at where the thread left the group's first thread
  idle_cause charge(std::uint32_t thread, std::uint32_t end, block_id parted_at, std::uint64_t weight) {
    if (thread >= end) return idle_cause::ragged_warp;
    const thread_state& s = state_[thread];
    if (s.at == place::ended) {
      branches_[parted_at == no_block ? s.block : parted_at].exited_lanes += weight;
      return idle_cause::exited;
    }
    if (s.at == place::waits) {
      branches_[s.block].barrier_lanes += weight;
      return idle_cause::barrier;
    }
    if (parted_at == no_block) return idle_cause::schedule;
    branches_[parted_at].idle_lanes += weight;
    return idle_cause::branch;
  }

  void grow(std::size_t blocks) {
    branches_.resize(blocks);
    blocks_.resize(blocks);
  }

  std::uint32_t threads_of_block_;
  std::uint32_t threads_ = 0;
  home_lanes home_;
  std::vector<branch_figures> branches_;
  std::vector<block_figures> blocks_;
  std::array<std::uint64_t, 5> idle_{};   // by cause
  std::vector<thread_state> state_;       // by thread
  std::vector<block_id> parted_at_;       // by thread and lane of its warp: since then they have not run together
  std::vector<std::uint32_t> unsettled_;  // by warp: threads with the mark
  std::vector<std::uint32_t> instances_;  // of the policy: their first threads
  std::vector<std::uint32_t> group_;      // of the event
  std::vector<unsigned char> covered_;    // by lane: an active thread is at home there
};

}  // namespace v0
}  // namespace simtflow
