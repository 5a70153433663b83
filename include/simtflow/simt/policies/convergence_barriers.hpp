// SPDX-License-Identifier: BSL-1.0
//
// Independent thread scheduling with convergence barriers (NVIDIA GPUs from Volta on): every group of lanes at one
// block could run, and lanes wait for other lanes only at barriers that the code names. The operations that the code
// can name (arm, wait, leave, yield) are in convergence_table.hpp. Lanes that end leave every barrier.
//
// Follows US patent 10,067,768 B2 (Execution of divergent threads using a convergence barrier) and what arXiv
// 2407.02944 infers of the instructions of Turing GPUs. Choices and parameters where these sources are silent or
// disagree:
//
//   - Operations take no time of their own; overhead() counts them. A group that arrives executes them at once.
//   - Arming adds lanes to the participants, as in the patent. If it overwrote the register, lanes that wait at it
//     would be stranded. An arm that adds nobody counts nothing: compilers place it in front of the loop.
//   - A wait at a barrier that is not armed, or that other lanes have dissolved, passes. unarmed_waits() counts the
//     waits of lanes that had never armed the barrier. It is 0 with a table that arms on every path to a wait.
//   - The time when a yield takes effect is a parameter: at once, or when lanes have waited at a barrier for a number
//     of blocks.
//   - A parameter decides whether a barrier also opens when the missing participants have yielded. The patent says yes
//     (claim 1); the late participants then find the barrier dissolved. So a lane that holds a lock can leave the lanes
//     that spin for it.
//   - A parameter decides whether a barrier also opens when nothing can run any more and the missing participants wait
//     at a barrier of the thread block. Both sources are silent. CUDA says yes: __syncthreads() waits for threads that
//     have not ended. So after `if (i >= n) return;` the lanes that return have to reach their end, although the branch
//     reconverges there.
//   - The choice of the group that runs is a parameter.
//
// Progress: none, the class of the default options with a table that never yields; a policy has one class for all its
// options. It is fair in two cases, both with the order oldest or round_robin. Either every loop has a yield and
// yielded lanes count (with any patience), or the table arms nothing. Yields only in the loops in which a thread can
// wait for another (ptx/machine/other_threads.hpp) are enough if the other loops terminate by themselves. Then every
// thread runs again, as CUDA promises for these GPUs, and the textbook spin lock finishes.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policies/convergence_table.hpp>
#include <simtflow/simt/policies/detail/barrier_set.hpp>
#include <simtflow/simt/policies/selection.hpp>
#include <simtflow/simt/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace policies {

/// The choices that the mechanism leaves open.
struct convergence_options {
  selection_order order = selection_order::oldest;  ///< which group runs next
  bool yielded_count = true;     ///< a barrier opens when each participant waits at it or has yielded
  std::uint32_t registers = 16;  ///< barriers that can be armed without being moved out and in again; at least 1
  /// Blocks that the warp executes while lanes wait at a barrier, before a yield takes effect and the barrier opens for
  /// yielded lanes; 0: at once. Without patience every loop with a yield loses its reconvergence.
  std::uint32_t patience = 0;
  /// If nothing can run, a barrier opens when each missing participant waits at a barrier of the thread block.
  bool parked_count = false;
  /// If nothing can run, a barrier opens if all its missing participants wait at convergence barriers. Code with
  /// recursion needs that: hardware moves barriers to the stack around a call, so each activation has its own. Here all
  /// activations of a function share one, and waits can form a circle.
  bool activations_share = false;
};

/// Operations executed for groups of lanes, by kind.
struct convergence_counts {
  std::uint64_t arms = 0,   ///< convergence_op::arm
      waits = 0,            ///< convergence_op::wait
      leaves = 0,           ///< convergence_op::leave
      yields = 0;           ///< convergence_op::yield
  std::uint64_t moves = 0;  ///< moves of a barrier out of its register, or back
  [[nodiscard]] constexpr std::uint64_t all() const { return arms + waits + leaves + yields + moves; }  ///< their sum
};

/// Groups and barriers of one warp. A step is O(groups), plus O(armed barriers) when lanes end or yield.
template <class Mask>
class basic_convergence_barriers {
 public:
  using mask_type = Mask;                                           ///< lanes of one warp
  static constexpr progress_class progress = progress_class::none;  ///< what it promises

  /// Lanes that wait at a barrier, at the start of a block.
  struct blocked_group {
    std::uint32_t barrier;    ///< number of the barrier
    block_id block;           ///< the block that it stands in
    std::uint32_t operation;  ///< the operation of the block at which they go on
    Mask lanes;               ///< the lanes that wait
    friend constexpr bool operator==(const blocked_group&, const blocked_group&) = default;
  };

  /// Table and ranks must outlive the policy. `rank`, by block, is its place in memory, for selection by PC; empty:
  /// blocks lie by id.
  constexpr explicit basic_convergence_barriers(const convergence_table& table, const convergence_options& options = {},
                                                std::span<const std::uint32_t> rank = {})
      : table_(&table), options_(options), ready_(options.order, rank), barrier_(options) {
    SIMTFLOW_EXPECTS(options.registers > 0, "a machine with convergence barriers has a register for one");
  }
  explicit basic_convergence_barriers(const convergence_table&&, const convergence_options& = {},
                                      std::span<const std::uint32_t> = {}) = delete;

  /// No barrier is armed; all lanes come to f.block. O(barriers).
  constexpr void start(const basic_fragment<Mask>& f) {
    ready_.clear();
    blocked_.clear();
    barrier_.start(table_->num_barriers());
    counts_ = {};
    unarmed_ = 0;
    arrive(f.block, f.lanes);
  }

  /// The group that the selection order chooses among the groups that do not wait.
  constexpr std::optional<basic_fragment<Mask>> next() {
    const auto chosen = ready_.take();
    if (!chosen) return std::nullopt;
    barrier_.count_block();
    return basic_fragment<Mask>{chosen->block, chosen->lanes};
  }

  /// \pre f is what next() named last.
  constexpr void advance(const basic_fragment<Mask>& f, std::span<const basic_fragment<Mask>> out) {
    arm(f);
    Mask gone = f.lanes;
    for (const auto& o : out) gone -= o.lanes;
    if (gone.any()) ended(gone);
    for (const auto& o : out) arrive(o.block, o.lanes);
  }

  /// The group waits for something other than a convergence barrier; it stays a participant of its convergence
  /// barriers.
  constexpr void park(const basic_fragment<Mask>& f) { arm(f); }
  /// Lanes come back at a block.
  constexpr void release(const basic_fragment<Mask>& f) { arrive(f.block, f.lanes); }
  /// Lanes that were parked have ended. O(armed barriers).
  constexpr void ended(const Mask& lanes) {
    for (std::size_t i = barrier_.armed().size(); i-- > 0;) remove(barrier_.armed()[i], lanes);
    finish_arrivals();
  }

  /// Called when nothing can run. With parked_count it opens the barriers that wait only for parked lanes. With
  /// activations_share, and if it opened none of these, it opens one of the barriers that wait for each other. Returns
  /// true if it opened any. O(armed barriers + waiting groups).
  constexpr bool let_go() {
    return (options_.parked_count && open_for_parked()) || (options_.activations_share && open_last());
  }

  /// Groups, including the waiting groups and the running group.
  [[nodiscard]] constexpr std::size_t depth() const { return ready_.groups().size() + blocked_.size() + 1; }

  /// Operations executed since start().
  [[nodiscard]] constexpr std::size_t overhead() const { return static_cast<std::size_t>(counts_.all()); }
  /// Operations executed since start(), by kind.
  [[nodiscard]] constexpr const convergence_counts& operations() const { return counts_; }
  /// Waits since start() by lanes that had never armed the barrier.
  [[nodiscard]] constexpr std::uint64_t unarmed_waits() const { return unarmed_; }

  /// Calls f(block, lanes, yielded) for each group that could run, the oldest first, except the one that runs.
  template <class F>
  constexpr void for_each_ready(const F& f) const {
    for (const auto& g : ready_.groups()) f(g.block, g.lanes, g.yielded);
  }
  /// The barriers that have participants.
  [[nodiscard]] constexpr std::span<const std::uint32_t> armed() const { return barrier_.armed(); }
  /// The block where lanes wait at a barrier: convergence_table::meeting().
  [[nodiscard]] constexpr block_id meeting(std::uint32_t barrier) const { return table_->meeting(barrier); }
  /// The groups that wait, with their blocks and barriers.
  [[nodiscard]] constexpr std::span<const blocked_group> blocked_groups() const { return blocked_; }
  /// The lanes that wait. O(waiting groups).
  [[nodiscard]] constexpr Mask blocked() const {
    Mask lanes;
    for (const blocked_group& b : blocked_) lanes |= b.lanes;
    return lanes;
  }
  /// The lanes that a barrier has or waits for; no lane if it is not armed. \pre the table names the barrier.
  [[nodiscard]] constexpr Mask participants(std::uint32_t barrier) const { return barrier_[barrier].lanes; }

  /// True if both have the same groups and barriers; counters and registers do not matter. O(groups + barriers).
  friend constexpr bool operator==(const basic_convergence_barriers& a, const basic_convergence_barriers& b) {
    return a.ready_ == b.ready_ && a.blocked_ == b.blocked_ && a.barrier_ == b.barrier_;
  }

 private:
  using barrier_state = detail::barrier_state<Mask>;
  // Lanes that go on with an operation at the start of a block.
  struct arrival {
    block_id block;
    std::uint32_t operation;
    Mask lanes;
  };

  constexpr bool open_for_parked() {
    const Mask held = blocked();
    bool any = false;
    for (std::size_t i = barrier_.armed().size(); i-- > 0;) {
      const barrier_state& x = barrier_[barrier_.armed()[i]];
      if (x.waiting.none() || ((x.lanes - x.waiting) & held).any()) continue;
      open(barrier_.armed()[i]);
      any = true;
    }
    finish_arrivals();
    return any;
  }

  // \pre no group is ready.
  constexpr bool open_last() {
    const Mask held = blocked();
    for (std::size_t i = blocked_.size(); i-- > 0;) {
      const barrier_state& x = barrier_[blocked_[i].barrier];
      if (((x.lanes - x.waiting) - held).any()) continue;
      open(blocked_[i].barrier);
      finish_arrivals();
      return true;
    }
    return false;
  }

  constexpr void arm(const basic_fragment<Mask>& f) {
    for (const convergence_operation& o : table_->at_end(f.block)) {
      if (f.lanes.is_subset_of(barrier_[o.barrier].lanes)) continue;
      ++counts_.arms;
      counts_.moves += barrier_.arm(o.barrier, f.lanes);
    }
  }

  constexpr void arrive(block_id block, const Mask& lanes) {
    arrivals_.push_back({block, 0, lanes});
    finish_arrivals();
  }
  constexpr void finish_arrivals() {
    while (!arrivals_.empty()) {
      const arrival a = arrivals_.back();
      arrivals_.pop_back();
      run_operations(a);
    }
  }

  constexpr void run_operations(arrival a) {
    const auto operations = table_->at_start(a.block);
    bool yields = false;
    for (; a.operation < operations.size() && a.lanes.any(); ++a.operation) {
      const convergence_operation& o = operations[a.operation];
      if (o.what == convergence_op::yield) {
        ++counts_.yields;
        yields = yields || barrier_.impatient();
        continue;
      }
      barrier_state& x = barrier_[o.barrier];
      const Mask members = a.lanes & x.lanes;
      if (members.any()) counts_.moves += barrier_.use(x);
      if (o.what == convergence_op::leave) {
        ++counts_.leaves;
        remove(o.barrier, members);
        continue;
      }
      ++counts_.waits;
      if (!a.lanes.is_subset_of(x.armed_once)) ++unarmed_;
      if (members.none()) continue;
      blocked_.push_back({o.barrier, a.block, a.operation + 1, members});
      barrier_.wait(x, members);
      a.lanes -= members;
      if (barrier_.opens(x, ready_.yielded())) open(o.barrier);
    }
    if (a.lanes.none()) return;
    ready_.add({a.block, 0, yields, a.lanes}, true);
    if (yields && options_.yielded_count) {
      const Mask yielded = ready_.yielded();
      for (std::size_t i = barrier_.armed().size(); i-- > 0;)
        if (barrier_.opens(barrier_[barrier_.armed()[i]], yielded)) open(barrier_.armed()[i]);
    }
  }

  // Dissolves a barrier: the lanes that wait at it go on; lanes at one place go on together.
  constexpr void open(std::uint32_t id) {
    const std::size_t first = arrivals_.size();
    for (std::size_t i = 0; i < blocked_.size();) {
      const blocked_group& b = blocked_[i];
      if (b.barrier != id) {
        ++i;
        continue;
      }
      std::size_t k = first;
      while (k < arrivals_.size() && (arrivals_[k].block != b.block || arrivals_[k].operation != b.operation)) ++k;
      if (k == arrivals_.size())
        arrivals_.push_back({b.block, b.operation, b.lanes});
      else
        arrivals_[k].lanes |= b.lanes;
      blocked_[i] = blocked_.back();
      blocked_.pop_back();
    }
    barrier_.disarm(id);
  }

  // Lanes that do not wait participate no more, which may open or end the barrier.
  constexpr void remove(std::uint32_t id, const Mask& lanes) {
    barrier_state& x = barrier_[id];
    if ((x.lanes & lanes).none()) return;
    x.lanes -= lanes;
    if (x.lanes.none())
      barrier_.disarm(id);
    else if (barrier_.opens(x, ready_.yielded()))
      open(id);
  }

  const convergence_table* table_;
  convergence_options options_;
  detail::ready_list<Mask> ready_;
  std::vector<blocked_group> blocked_;
  detail::barrier_set<Mask> barrier_;
  std::vector<arrival> arrivals_;  // being worked off; empty between calls
  convergence_counts counts_{};
  std::uint64_t unarmed_ = 0;
};

/// Groups and barriers of a warp of up to 64 lanes.
using convergence_barriers = basic_convergence_barriers<lane_mask>;

}  // namespace policies
}  // namespace v0
}  // namespace simtflow
