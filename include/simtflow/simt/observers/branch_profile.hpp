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
// timing/branch_costs.hpp charges cycles. It tells branches from the rest, and no further causes.
//
// Literature: NVIDIA, Nsight Compute, "source counters".
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/detail/parted_threads.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/idle_cause.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The cause of one idle slot, and the block that it is charged to.
struct idle_blame {
  idle_cause cause = idle_cause::schedule;  ///< the cause
  block_id block = no_block;                ///< no_block for ragged_warp and schedule
  friend constexpr bool operator==(const idle_blame&, const idle_blame&) = default;
};

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
/// Complexity: an issue of the lanes that ran before costs O(causes), another one O(warp width), a divergence or a join
/// O(lanes x branches at which their warp has parted), for each 64 lanes of the warp's width. Memory: 40 bytes for each
/// thread, and 16 for each branch at which others have parted from it. Errors: none.
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
    const std::size_t leader = std::size_t{e.first_thread} + e.lanes.first(),
                      thread = std::size_t{e.first_thread} + lane;
    const bool at_home = thread - (leader - seats_[leader].home) < width_;
    if (thread >= seats_.size() || (at_home && seats_[thread].warp != seats_[leader].warp))
      return {idle_cause::ragged_warp, no_block};
    const seat& from = seats_[leader];
    const block_id parted_at = at_home ? parted_.between(from.warp, from.home, seats_[thread].home) : no_block;
    if (!e.live.test(lane)) return {idle_cause::exited, parted_at == no_block ? stands_[thread].block : parted_at};
    if (stands_[thread].waits_for != 0) return {idle_cause::barrier, stands_[thread].block};
    return {parted_at == no_block ? idle_cause::schedule : idle_cause::branch, parted_at};
  }

  /// Begins a run: no threads have parted.
  constexpr void operator()(const event::started& e) {
    const std::uint32_t blocks = e.thread_blocks == 0 ? 1 : e.thread_blocks, threads = e.threads / blocks;
    if (threads != threads_ || e.warp_width != width_ || e.threads != seats_.size()) {
      threads_ = threads;
      width_ = e.warp_width;
      seats_.clear();
      warps_each_ = threads == 0 ? 0 : (threads - 1) / width_ + 1;
      for (std::uint32_t b = 0; b < blocks; ++b)
        for (std::uint32_t t = 0; t < threads; ++t) seats_.push_back({b * warps_each_ + t / width_, t % width_});
      warps_ = std::size_t{blocks} * warps_each_;
    }
    parted_.start(warps_, width_);
    waiting_.assign(warps_ * parted_.words(), 0);
    for (std::vector<std::uint64_t>* set : {&idle_set_, &some_, &others_}) set->resize(parted_.words());
    stands_.assign(seats_.size(), {});
    if (instances_.size() != e.warps) instances_.resize(e.warps);
    for (instance& me : instances_) {
      me.lanes.clear();
      me.known = false;
    }
  }
  /// Charges the idle lanes of a block.
  template <class Mask>
  constexpr void operator()(const event::issued<Mask>& e) {
    if (e.block >= branches_.size()) grow(std::size_t{e.block} + 1);
    const std::uint64_t weight = e.weight, active = e.lanes.count();
    branch_figures& branch = branches_[e.block];
    ++branch.executions;
    branch.lanes += active;
    block_figures& at = blocks_[e.block];
    at.issues += weight;
    at.lanes += weight * active;
    instance& me = instances_[e.warp];
    if (!me.known || !are(me, e.lanes)) look(me, e, static_cast<std::uint32_t>(active));
    if (me.idle.empty()) return;
    at.idle_lanes += weight * (width_ - active);
    for (const charge& c : me.idle) {
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
    instance& me = instances_[e.warp];
    if (!are(me, e.lanes)) join(me, e.lanes);  // they have waited, and went on together
    me.known = false;
    ++branches_[e.block].divergences;
    for (std::size_t i = 0; i < e.to.size(); ++i)
      for (std::size_t k = i + 1; k < e.to.size(); ++k) part(me, e.to[i].lanes, e.to[k].lanes, e.block);
  }
  /// Notes threads that have ended.
  template <class Mask>
  constexpr void operator()(const event::exited<Mask>& e) {
    stand(e.warp, e.block, e.lanes, 0);
  }
  /// Notes threads that wait.
  template <class Mask>
  constexpr void operator()(const event::waits<Mask>& e) {
    stand(e.warp, e.block, e.lanes, e.barrier + 1);
  }
  /// Threads wait no longer.
  constexpr void operator()(const event::released& e) {
    const std::size_t first = std::size_t{e.thread_block} * threads_;
    for (std::size_t t = first; t < first + threads_ && t < stands_.size(); ++t) {
      if (stands_[t].waits_for != e.barrier + 1) continue;
      stands_[t] = {};
      waiting_[seats_[t].warp * parted_.words() + seats_[t].home / 64] &= ~(std::uint64_t{1} << seats_[t].home % 64);
    }
    for (instance& me : instances_) me.known = false;
  }

 private:
  // The place of a thread in the static warps.
  struct seat {
    std::uint32_t warp, home;
  };
  // The block in which a thread ended, or waits for a barrier with that number - 1.
  struct stop {
    block_id block = no_block;
    std::uint32_t waits_for = 0;  // 0: none
  };
  struct charge {
    idle_blame to;
    std::uint32_t lanes;
  };
  // An instance of the policy.
  struct instance {
    std::uint32_t first_thread = 0;
    std::vector<std::uint64_t> lanes{};  // that ran last; empty: none have
    std::vector<charge> idle{};          // of them
    bool known = false;                  // `idle` holds for the next issue of the same lanes
  };

  template <class Mask>
  constexpr void stand(std::uint32_t warp, block_id block, const Mask& lanes, std::uint32_t barrier) {
    instance& me = instances_[warp];
    me.known = false;
    lanes.for_each([&](std::uint32_t lane) { stands_[std::size_t{me.first_thread} + lane] = {block, barrier}; });
    if (barrier == 0) return;
    for_each_warp(me, lanes, [&](std::uint32_t static_warp) {
      for (std::size_t i = 0; i < some_.size(); ++i) waiting_[static_warp * some_.size() + i] |= some_[i];
    });
  }
  constexpr void grow(std::size_t blocks) {
    branches_.resize(blocks);
    blocks_.resize(blocks);
  }
  // True if the lanes are those that ran last.
  template <class Mask>
  static constexpr bool are(const instance& me, const Mask& lanes) {
    bool same = !me.lanes.empty();
    for (std::size_t i = 0; i < me.lanes.size(); ++i) same = same && me.lanes[i] == lanes.word(i);
    return same;
  }

  // The threads of a static warp, cut out of a set of lanes of an instance.
  template <class Mask>
  constexpr void cut(const instance& me, const Mask& lanes, std::uint32_t warp, detail::lane_words out) const {
    const std::uint32_t first = warp / warps_each_ * threads_ + warp % warps_each_ * width_;
    detail::cut_lanes(lanes, first - me.first_thread, threads_of(warp), out);
  }
  // Threads of a static warp: fewer than its width if the thread block ends within it.
  [[nodiscard]] constexpr std::uint32_t threads_of(std::uint32_t warp) const {
    const std::uint32_t rest = threads_ - warp % warps_each_ * width_;
    return rest < width_ ? rest : width_;
  }
  // Calls f(warp) for each static warp that has some of the lanes; they are in some_.
  template <class Mask, class F>
  constexpr void for_each_warp(const instance& me, const Mask& lanes, F&& f) {
    std::uint32_t left = lanes.count();
    for (std::uint32_t warp = left == 0 ? 0 : seats_[me.first_thread + lanes.first()].warp; left != 0; ++warp) {
      cut(me, lanes, warp, some_);
      const std::uint32_t count = detail::count_lanes(some_);
      if (count == 0) continue;
      f(warp);
      left -= count;
    }
  }

  // Finds the causes of the idle lanes beside lanes that did not run last.
  template <class Mask>
  constexpr void look(instance& me, const event::issued<Mask>& e, std::uint32_t active) {
    me.first_thread = e.first_thread;
    if (e.groups > 1) join(me, e.lanes);  // else they come from one execution, and are together
    me.lanes.resize(Mask::capacity / 64);
    for (std::size_t i = 0; i < me.lanes.size(); ++i) me.lanes[i] = e.lanes.word(i);
    me.known = true;
    me.idle.clear();
    if (active >= width_) return;
    const seat leader = seats_[e.first_thread + e.lanes.first()];
    const std::uint32_t threads = threads_of(leader.warp);
    const std::size_t words = some_.size();

    // Home lanes that no active thread has: the lowest, as many as are idle.
    for (std::size_t i = 0; i < words; ++i) idle_set_[i] = detail::first_lanes_word(width_, i);
    for_each_warp(me, e.lanes, [&](std::uint32_t) {
      for (std::size_t i = 0; i < words; ++i) idle_set_[i] &= ~some_[i];
    });
    std::uint32_t more = detail::count_lanes(idle_set_) - (width_ - active);
    for (std::size_t i = words; more != 0;) {
      std::uint64_t& word = idle_set_[i - 1];
      if (word == 0) {
        --i;
        continue;
      }
      word &= ~(std::uint64_t{1} << (63 - std::countl_zero(word)));
      --more;
    }

    // Sets: some_ has the threads that have ended, others_ those that live and do not wait, idle_set_ those that wait.
    cut(me, e.live, leader.warp, others_);
    std::uint32_t ragged = 0;
    for (std::size_t i = 0; i < words; ++i) {
      const std::uint64_t idle = idle_set_[i] & detail::first_lanes_word(threads, i), live = others_[i];
      ragged += static_cast<std::uint32_t>(std::popcount(idle_set_[i] ^ idle));
      some_[i] = idle & ~live;
      idle_set_[i] = idle & live & waiting_[leader.warp * words + i];
      others_[i] = idle & live & ~idle_set_[i];
    }
    parted_.for_each(leader.warp, leader.home, [&](block_id branch, detail::const_lane_words lanes) {
      std::uint32_t ended = 0, apart = 0;
      for (std::size_t i = 0; i < words; ++i) {
        ended += static_cast<std::uint32_t>(std::popcount(some_[i] & lanes[i]));
        apart += static_cast<std::uint32_t>(std::popcount(others_[i] & lanes[i]));
        some_[i] &= ~lanes[i];
        others_[i] &= ~lanes[i];
      }
      if (ended != 0) me.idle.push_back({{idle_cause::exited, branch}, ended});
      if (apart != 0) me.idle.push_back({{idle_cause::branch, branch}, apart});
    });
    const stop* const stops = stands_.data() + e.first_thread + e.lanes.first() - leader.home;
    detail::for_each_lane(some_, [&](std::uint32_t home) { add(me, {idle_cause::exited, stops[home].block}, 1); });
    detail::for_each_lane(idle_set_, [&](std::uint32_t home) { add(me, {idle_cause::barrier, stops[home].block}, 1); });
    if (const std::uint32_t apart = detail::count_lanes(others_); apart != 0)
      me.idle.push_back({{idle_cause::schedule, no_block}, apart});
    if (ragged != 0) me.idle.push_back({{idle_cause::ragged_warp, no_block}, ragged});
  }
  static constexpr void add(instance& me, const idle_blame& to, std::uint32_t lanes) {
    for (charge& c : me.idle)
      if (c.to == to) {
        c.lanes += lanes;
        return;
      }
    me.idle.push_back({to, lanes});
  }

  // Threads have run together: no branch has parted them.
  template <class Mask>
  constexpr void join(const instance& me, const Mask& lanes) {
    for_each_warp(me, lanes, [&](std::uint32_t warp) { parted_.join(warp, some_); });
  }
  // A branch has sent threads to different places.
  template <class Mask>
  constexpr void part(const instance& me, const Mask& some, const Mask& others, block_id branch) {
    for_each_warp(me, some, [&](std::uint32_t warp) {
      cut(me, others, warp, others_);
      parted_.part(warp, some_, others_, branch);
    });
  }

  std::vector<branch_figures> branches_;
  std::vector<block_figures> blocks_;
  std::array<std::uint64_t, num_idle_causes> idle_{};  // by cause

  std::uint32_t threads_ = 0, width_ = 0;  // of a thread block; of a warp
  std::uint32_t warps_each_ = 0;           // static warps of a thread block
  std::size_t warps_ = 0;                  // static warps
  std::vector<seat> seats_;                // by thread
  detail::parted_threads parted_;
  std::vector<stop> stands_;            // by thread
  std::vector<std::uint64_t> waiting_;  // by static warp: home lanes of threads that wait at barriers
  std::vector<instance> instances_;
  std::vector<std::uint64_t> idle_set_, some_, others_;  // sets of home lanes
};

}  // namespace v0
}  // namespace simtflow
