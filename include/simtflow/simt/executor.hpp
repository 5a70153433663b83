// SPDX-License-Identifier: BSL-1.0
//
// The lockstep executor: runs a program for the threads of one thread block under a reconvergence policy.
//
// It owns what no policy may get wrong: which lanes are live, where each of them stands, barriers, limits, the verdict.
// Warps are consecutive threads and never span thread blocks; the last one may be partial. Warps take turns, a fixed
// number of blocks each, so a warp that spins on another's store does not hang; the turns are deterministic.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policy.hpp>
#include <simtflow/simt/program.hpp>
#include <simtflow/simt/verdict.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// What happens when lanes reach a barrier; published mechanisms disagree.
enum class barrier_model : unsigned char {
  /// The warp arrives as a whole and is suspended: a fragment that lacks live lanes of its warp is a deadlock. (Thread
  /// frontiers paper, section 4.2; GPUs before Volta.)
  whole_warp,
  /// Each thread arrives for itself: its lanes are taken from the policy until all live threads of the thread block have
  /// arrived; any barrier matches any other. Needs a parking_policy. (Volta and later.)
  thread_arrival
};

/// The shape of a run. Threads that have ended do not count at barriers.
struct launch {
  std::uint32_t threads = 32;     ///< in the thread block
  std::uint32_t warp_width = 32;  ///< lanes of a warp, 1 .. mask capacity
  block_id entry = 0;
  barrier_model barriers = barrier_model::whole_warp;
};

/// When to give up.
struct limits {
  std::uint64_t steps = ~std::uint64_t{0};  ///< executed blocks, over all warps of the thread block
};

/// Runs thread blocks one after the other under copies of one policy, one copy a warp. Keep the executor between runs:
/// it reuses every buffer.
template <reconvergence_policy Policy>
class executor {
 public:
  using mask_type = typename Policy::mask_type;
  using fragment_type = basic_fragment<mask_type>;
  using verdict_type = basic_verdict<mask_type>;

  /// \param prototype what each warp's policy is a copy of; what it refers to must outlive the executor.
  constexpr explicit executor(Policy prototype) : prototype_(std::move(prototype)) {}

  /// Runs one thread block from its entry to its end.
  /// \pre 0 < warp_width <= mask_type::capacity; thread_arrival only with a parking_policy; the program sends each lane of
  ///      its group to at most one block, and no other lane.
  /// \returns the verdict; no thread: finished at once. A step costs the program's block plus O(distinct places of the
  ///          warp's lanes); nothing is allocated once the buffers have grown.
  template <lockstep_program<mask_type> Program, run_observer<mask_type> Observer = no_observer>
  constexpr verdict_type run(const launch& shape, Program& program, Observer&& observer = {},
                             const limits& limit = {}) {
    SIMTFLOW_EXPECTS(shape.warp_width > 0 && shape.warp_width <= mask_type::capacity,
                     "a warp has at least one lane and at most as many as its mask holds");
    SIMTFLOW_EXPECTS(shape.barriers != barrier_model::thread_arrival || parking_policy<Policy>,
                     "barrier_model::thread_arrival needs a policy with park() and release()");
    start(shape);
    notify(observer, event::started{shape.threads, shape.warp_width, static_cast<std::uint32_t>(active_)});

    std::size_t done = 0;
    while (done < active_) {
      bool ran = false;
      done = 0;
      for (std::size_t w = 0; w < active_; ++w) {
        warp& me = warps_[w];
        for (int turn = 0; turn < blocks_per_turn && me.state == warp_state::runs; ++turn) {
          if (steps_ == limit.steps) return stop(outcome::step_limit);
          const auto problem = step(me, program, observer, shape.barriers);
          if (problem) return stop(*problem);
          ran = true;
        }
        if (me.state == warp_state::done) ++done;
      }
      if (!ran && done < active_) {  // every warp that is not done waits: the barrier opens
        notify(observer, event::released{steps_});
        for (std::size_t w = 0; w < active_; ++w) release(warps_[w], observer, shape.barriers);
      }
    }
    std::uint64_t overhead = 0;
    if constexpr (policy_with_overhead<Policy>)
      for (std::size_t w = 0; w < active_; ++w) overhead += static_cast<std::uint64_t>(warps_[w].policy.overhead());
    notify(observer, event::ended{steps_, overhead});
    return verdict_type{outcome::finished, steps_, {}};
  }

 private:
  static constexpr int blocks_per_turn = 64;

  enum class warp_state : unsigned char { runs, waits, done };

  // Lanes that ran a block which ends in a barrier; their targets are pending_[first .. first + count).
  struct parked {
    fragment_type at;
    std::size_t first, count;
  };

  struct warp {
    Policy policy;
    std::uint32_t index = 0, first_thread = 0, threads = 0;
    mask_type live{};
    warp_state state = warp_state::runs;
    // Where live lanes stand, one entry for each group that came from one execution of a block; waiting lanes are not here.
    std::vector<fragment_type> places{};
    std::vector<parked> waiting{};
    std::vector<fragment_type> pending{};
  };

  template <class Observer, class Event>
  static constexpr void notify(Observer& observer, const Event& e) {
    if constexpr (std::invocable<Observer&, const Event&>) observer(e);
  }

  constexpr void start(const launch& shape) {
    steps_ = 0;
    active_ = shape.threads / shape.warp_width + (shape.threads % shape.warp_width != 0 ? 1 : 0);
    while (warps_.size() < active_) warps_.push_back(warp{prototype_});
    for (std::size_t w = 0; w < active_; ++w) {
      warp& me = warps_[w];
      me.index = static_cast<std::uint32_t>(w);
      me.first_thread = me.index * shape.warp_width;
      const std::uint32_t left = shape.threads - me.first_thread;
      me.threads = left < shape.warp_width ? left : shape.warp_width;
      me.live = mask_type::first_lanes(me.threads);
      me.state = warp_state::runs;
      me.places.assign(1, {shape.entry, me.live});
      me.waiting.clear();
      me.pending.clear();
      me.policy.start({shape.entry, me.live});
    }
  }

  template <class Program, class Observer>
  constexpr std::optional<outcome> step(warp& me, Program& program, Observer& observer, barrier_model barriers) {
    const std::optional<fragment_type> chosen = me.policy.next();
    if (!chosen) {
      if (me.waiting.empty() || !me.places.empty()) return outcome::lost_threads;
      me.state = warp_state::waits;
      return std::nullopt;
    }
    const fragment_type f = *chosen;
    const std::uint32_t groups = leave(me, f);
    if (groups == 0) return outcome::policy_error;

    if constexpr (std::invocable<Observer&, const event::issued<mask_type>&>) {
      std::uint32_t weight = 1;
      if constexpr (weighted_program<Program>) weight = static_cast<std::uint32_t>(program.weight(f.block));
      std::size_t depth = 0;
      if constexpr (policy_with_depth<Policy>) depth = static_cast<std::size_t>(me.policy.depth());
      observer(event::issued<mask_type>{steps_, me.index, me.first_thread, me.threads, f.block, weight, f.lanes,
                                        me.live, groups, depth});
    }
    out_.clear();
    const block_end end = program.run(f.block, basic_group<mask_type>{me.index, me.first_thread, f.lanes}, out_);
    ++steps_;
    mask_type survivors{};
    for (const fragment_type& o : out_.fragments()) {
      SIMTFLOW_EXPECTS(o.lanes.is_subset_of(f.lanes) && (survivors & o.lanes).none(),
                       "a program sends each lane of its group to at most one block, and no other lane");
      survivors |= o.lanes;
    }

    if (end == block_end::fault) {
      halted_ = {me.index, f.block, f.lanes, standing_reason::faulted};
      return outcome::fault;
    }
    if (end == block_end::barrier) {
      notify(observer, event::waits<mask_type>{steps_ - 1, me.index, f.block, f.lanes});
      if (barriers == barrier_model::whole_warp && !(f.lanes == me.live)) {
        halted_ = {me.index, f.block, f.lanes, standing_reason::at_barrier};
        return outcome::barrier_deadlock;
      }
      me.waiting.push_back({f, me.pending.size(), out_.fragments().size()});
      for (const fragment_type& o : out_.fragments()) me.pending.push_back(o);
      if (barriers == barrier_model::whole_warp)
        me.state = warp_state::waits;
      else if constexpr (parking_policy<Policy>)
        me.policy.park(f);
      return std::nullopt;
    }
    arrive(me, f, out_.fragments(), observer);
    me.policy.advance(f, out_.fragments());
    return std::nullopt;
  }

  // Takes the lanes of f from where they stand. Returns how many groups they came in; 0 if some do not stand there.
  constexpr std::uint32_t leave(warp& me, const fragment_type& f) {
    std::uint32_t groups = 0;
    mask_type missing = f.lanes;
    for (std::size_t i = 0; i < me.places.size();) {
      fragment_type& place = me.places[i];
      if (place.block != f.block || (place.lanes & f.lanes).none()) {
        ++i;
        continue;
      }
      ++groups;
      missing -= place.lanes;
      place.lanes -= f.lanes;
      if (place.lanes.any()) {
        ++i;
      } else {
        place = me.places.back();
        me.places.pop_back();
      }
    }
    if (missing.none()) return groups;
    mask_type stood = f.lanes;
    stood -= missing;
    if (stood.any()) me.places.push_back({f.block, stood});  // undo, so that the verdict shows them
    return 0;
  }

  // f has run (and passed its barrier, if it had one): its lanes stand at their targets or have ended.
  template <class Observer>
  constexpr void arrive(warp& me, const fragment_type& f, std::span<const fragment_type> out, Observer& observer) {
    mask_type gone = f.lanes;
    for (const fragment_type& o : out) {
      gone -= o.lanes;
      me.places.push_back(o);
    }
    if (out.size() > 1)
      notify(observer, event::diverged<mask_type>{steps_ - 1, me.index, f.block, f.lanes,
                                                  static_cast<std::uint32_t>(out.size())});
    if (gone.any()) {
      me.live -= gone;
      notify(observer, event::exited<mask_type>{steps_ - 1, me.index, f.block, gone});
      if (me.live.none()) me.state = warp_state::done;
    }
  }

  template <class Observer>
  constexpr void release(warp& me, Observer& observer, barrier_model barriers) {
    if (me.state != warp_state::waits) return;
    me.state = warp_state::runs;
    for (const parked& p : me.waiting) {
      const auto targets = std::span<const fragment_type>(me.pending).subspan(p.first, p.count);
      arrive(me, p.at, targets, observer);
      if (barriers == barrier_model::whole_warp) {
        me.policy.advance(p.at, targets);
      } else if constexpr (parking_policy<Policy>) {
        for (const fragment_type& t : targets) me.policy.release(t);
      }
    }
    me.waiting.clear();
    me.pending.clear();
  }

  // Ends the run early: every live thread and why it stands where it stands.
  constexpr verdict_type stop(outcome how) {
    verdict_type v{how, steps_, {}};
    for (std::size_t w = 0; w < active_; ++w) {
      const warp& me = warps_[w];
      if (me.state == warp_state::done) continue;
      const std::size_t first = v.standing.size();
      const auto add = [&](const fragment_type& at, standing_reason reason) {
        for (std::size_t i = first; i < v.standing.size(); ++i)
          if (v.standing[i].block == at.block && v.standing[i].reason == reason) {
            v.standing[i].lanes |= at.lanes;
            return;
          }
        v.standing.push_back({me.index, at.block, at.lanes, reason});
      };
      if ((how == outcome::fault || how == outcome::barrier_deadlock) && halted_.warp == me.index)
        add({halted_.block, halted_.lanes}, halted_.reason);
      for (const parked& p : me.waiting) add(p.at, standing_reason::at_barrier);
      for (const fragment_type& place : me.places) add(place, standing_reason::ready);
    }
    return v;
  }

  Policy prototype_;
  std::vector<warp> warps_;
  std::size_t active_ = 0;
  std::uint64_t steps_ = 0;
  basic_partition<mask_type> out_;
  basic_standing<mask_type> halted_{};
};

/// Runs one thread block under a policy: `run(ipdom_stack(pdom.ipdoms()), program, {.threads = 4, .warp_width = 4})`.
/// The program may be a plain callable `(thread, block) -> block`. For many thread blocks keep an executor instead.
template <reconvergence_policy Policy, class Program, class Observer = no_observer>
  requires(lockstep_program<std::remove_reference_t<Program>, typename Policy::mask_type> ||
           thread_step<std::remove_reference_t<Program>>)
constexpr basic_verdict<typename Policy::mask_type> run(Policy policy, Program&& program, const launch& shape,
                                                        Observer&& observer = {}, const limits& limit = {}) {
  executor<Policy> machine(std::move(policy));
  if constexpr (lockstep_program<std::remove_reference_t<Program>, typename Policy::mask_type>) {
    return machine.run(shape, program, observer, limit);
  } else {
    callable_program steps(
        [&program](std::uint32_t thread, block_id b) { return static_cast<block_id>(program(thread, b)); });
    return machine.run(shape, steps, observer, limit);
  }
}

}  // namespace v0
}  // namespace simtflow
