// SPDX-License-Identifier: BSL-1.0
//
// The lockstep executor: runs a program for the threads of one thread block, or of all thread blocks resident on a
// core, under a reconvergence policy.
//
// It owns what no policy may get wrong: which lanes are live, where each of them stands, barriers, limits, the verdict.
// Warps are consecutive threads and never span thread blocks; the last one of a thread block may be partial. One
// instance of the policy manages a warp, a thread block or the core (policy_scope); instances take turns, a fixed
// number of blocks each, so a warp that spins on another's store does not hang; the turns are deterministic.
//
// Livelock: Brent's cycle detection (An Improved Monte Carlo Factorization Algorithm, BIT 20, 1980) over the state of
// the whole run.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/barrier_model.hpp>
#include <simtflow/simt/check_policy.hpp>
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
#include <type_traits>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {

/// The shape of a run.
struct launch {
  std::uint32_t threads = 32;                          ///< in each thread block
  std::uint32_t warp_width = 32;                       ///< lanes of a warp; at least `threads`: a warp without bound
  block_id entry = 0;                                  ///< where every thread starts
  barrier_model barriers = barrier_model::whole_warp;  ///< when lanes that come to a barrier wait, and for whom
  /// Thread blocks that run at the same time, with barriers of their own; the program sees thread i of resident block b
  /// as thread b * threads + i. More than one only for programs that number threads so (a PTX kernel does not).
  std::uint32_t resident_blocks = 1;
  /// Whether barriers wait for threads (under warp_arrival: for warps) that have ended, which is for ever.
  bool ended_threads_count = false;
};

/// When to give up.
struct limits {
  std::uint64_t steps = ~std::uint64_t{0};  ///< executed blocks, over all warps of the run
  /// Whether to look for a state of the run that comes back. Found only where the policy is a comparable_policy and the
  /// program a program_with_memory, and within three times the blocks before the cycle plus the cycle, at the cost of a
  /// comparison of states for each block and a copy after 1, 2, 4, 8, ... blocks.
  bool detect_livelock = false;
};

/// Runs thread blocks one after the other under copies of one policy. Keep the executor between runs: it reuses every
/// buffer.
template <class Policy>
class executor {
  static_assert(check_policy<Policy>());

 public:
  using mask_type = typename Policy::mask_type;     ///< a set of lanes of one instance of the policy
  using fragment_type = basic_fragment<mask_type>;  ///< lanes at a block
  using verdict_type = basic_verdict<mask_type>;    ///< what a run returns

  /// \param prototype what each instance of the policy is a copy of; what it refers to must outlive the executor.
  constexpr explicit executor(Policy prototype) : prototype_(std::move(prototype)) {}

  /// Runs the resident thread blocks (one, unless the launch says otherwise) from their entry to their end.
  /// \pre warp_width > 0 and resident_blocks > 0; the policy's masks hold the threads of its scope; thread_arrival, and
  ///      any barrier under a policy of wider scope than a warp, only with a parking_policy; the program sends each
  ///      lane of its group to at most one block, and no other lane.
  /// \returns the verdict; no thread: finished at once. A step costs the program's block plus O(distinct places of the
  ///          instance's lanes); nothing is allocated once the buffers have grown.
  template <lockstep_program<mask_type> Program, run_observer<mask_type> Observer = no_observer>
  constexpr verdict_type run(const launch& shape, Program& program, Observer&& observer = {},
                             const limits& limit = {}) {
    if constexpr (policy_of_run_time_abilities<Policy>) scope_ = prototype_.abilities().scope;
    check_launch(shape);
    warp_sized_ = program_with_warp_sized_arrivals<Program> && shape.barriers != barrier_model::warp_arrival;
    shape_ = shape;
    gathers_ = false;
    if constexpr (program_with_collectives<Program, mask_type>) {
      if constexpr (policy_without_joins<Policy>) gathers_ = prototype_.never_joins();
      program.wait_at_collectives(gathers_);
    }
    start(shape, limit);
    notify(observer, event::started{shape.threads * shape.resident_blocks, shape.warp_width,
                                    static_cast<std::uint32_t>(active_)});

    std::size_t done = 0;
    while (done < active_) {
      bool ran = false;
      done = 0;
      for (std::size_t w = 0; w < active_; ++w) {
        warp& me = warps_[w];
        if constexpr (can_gather<Program>)
          if (me.comes) gather(me, program);
        for (std::uint32_t turn = 0; turn < blocks_per_turn && me.state == warp_state::runs; ++turn) {
          if (steps_ == limit.steps) return stop(outcome::step_limit);
          const step_end end = step(me, program, observer, shape);
          if (end != step_end::moved) {
            const auto problem = settle(end, me, program, observer, shape);
            if (problem) return stop(*problem);
          }
          ran = true;
          if (detecting_ && state_came_back(w, turn, program)) return stop(outcome::livelock);
        }
        if (me.state == warp_state::done) ++done;
      }
      if (barriers_changed_ && open_barriers(shape, observer)) continue;
      if (!ran && done < active_ && !let_go()) return stop(stuck());
    }
    std::uint64_t overhead = 0;
    if constexpr (policy_with_overhead<Policy>)
      for (std::size_t w = 0; w < active_; ++w) overhead += static_cast<std::uint64_t>(warps_[w].policy.overhead());
    notify(observer, event::ended{steps_, overhead, shape.resident_blocks});
    return verdict_type{outcome::finished, steps_, {}, 0, scope()};
  }

 private:
  static constexpr std::uint32_t blocks_per_turn = 64;

  // What one instance manages. Known at compile time, except for a policy_of_run_time_abilities.
  [[nodiscard]] constexpr policy_scope scope() const {
    if constexpr (policy_of_run_time_abilities<Policy>)
      return scope_;
    else
      return scope_of<Policy>;
  }

  // True if lanes may wait inside a block.
  template <class Program>
  static constexpr bool can_gather = program_with_collectives<Program, mask_type>&& policy_without_joins<Policy>;

  enum class warp_state : unsigned char { runs, waits, done };
  enum class step_end : unsigned char {
    moved,
    at_barrier,
    arrived,
    at_collective,
    faulted,
    nothing_named,
    wrongly_named
  };

  // Lanes of one thread block that ran a block which ends in a barrier, and where their targets are in `pending`; or
  // lanes that wait inside a block, at a collective.
  struct parked {
    fragment_type at;
    std::size_t first, count;
    std::uint32_t thread_block, barrier;
    bool open;            // the lanes continue at the end of the round
    bool inside = false;  // at a collective
    friend constexpr bool operator==(const parked&, const parked&) = default;
  };

  // What one instance of the policy manages.
  struct warp {
    Policy policy;
    std::uint32_t index = 0, first_thread = 0, threads = 0;
    mask_type live{};
    warp_state state = warp_state::runs;
    // Where live lanes stand that do not wait, one entry for each group that came from one execution of a block.
    std::vector<fragment_type> places{};
    std::vector<parked> waiting{};
    std::vector<fragment_type> pending{};
    // By barrier. warp_arrival: lanes that their warp left out when it arrived last; warp_sized_: lanes that have come
    // there ahead of others of their warp.
    std::vector<mask_type> behind{};
    mask_type ran{};  // since the state was noted last, if livelocks are looked for
    // `inside`: lanes that have run only a part of the block at which they stand. `comes`: lanes have reached a
    // collective or ended since collectives were looked at.
    mask_type inside{};
    bool comes = false;
  };

  // A barrier since it last opened.
  struct barrier {
    std::uint64_t arrived = 0;  // threads, or under warp_arrival warps
    std::uint64_t absent = 0;   // warp_sized_: lanes that warps lack of which all live lanes have come
    std::uint32_t count = 0;    // what the first arrival said
    bool used = false;
    // So many threads open a barrier that has a count; what is absent comes as far as the count asks for it.
    [[nodiscard]] constexpr bool opens_for(std::uint64_t threads) const {
      return threads <= count && count <= threads + absent;
    }
    friend constexpr bool operator==(const barrier&, const barrier&) = default;
  };

  struct opening {
    std::uint32_t thread_block, barrier;
    friend constexpr bool operator==(const opening&, const opening&) = default;
  };

  // All that the rest of a run depends on, the program aside.
  struct moment {
    std::vector<warp> warps;
    std::vector<barrier> barriers;
    std::vector<opening> opened;
    std::size_t at = 0;
    std::uint32_t turn = 0;
    std::uint64_t step = 0;
    bool barriers_changed = false;
  };

  template <class Observer, class Event>
  static constexpr void notify(Observer& observer, const Event& e) {
    if constexpr (std::invocable<Observer&, const Event&>) observer(e);
  }

  constexpr void check_launch(const launch& shape) {
    const std::uint64_t all = std::uint64_t{shape.threads} * shape.resident_blocks;
    SIMTFLOW_EXPECTS(shape.warp_width > 0 && shape.resident_blocks > 0 && all <= 0xFFFF'FFFF,
                     "a warp has a lane, a core a thread block, and a run at most 2^32 - 1 threads");
    std::uint64_t most = shape.threads;
    if (scope() == policy_scope::core) most = all;
    if (scope() == policy_scope::warp && shape.warp_width < most) most = shape.warp_width;
    SIMTFLOW_EXPECTS(most <= mask_type::capacity, "the policy's masks hold all lanes that one instance manages");
    SIMTFLOW_EXPECTS(shape.barriers != barrier_model::thread_arrival || abilities_of(prototype_).parks,
                     "barrier_model::thread_arrival needs a policy with park() and release()");
  }

  constexpr void start(const launch& shape, const limits& limit) {
    steps_ = 0;
    std::uint32_t each = 1, wide = shape.threads, blocks = shape.resident_blocks;  // instances of a thread block, lanes
    if (scope() == policy_scope::warp) {
      wide = shape.warp_width;
      each = shape.threads / wide + (shape.threads % wide != 0 ? 1 : 0);
    }
    if (scope() == policy_scope::core) {
      wide = shape.threads * blocks;
      blocks = 1;
    }
    warps_per_block_ = each;
    active_ = shape.threads == 0 ? 0 : std::size_t{each} * blocks;
    while (warps_.size() < active_) warps_.push_back(warp{prototype_});
    std::uint32_t block = 0, in_block = 0;
    for (std::size_t w = 0; w < active_; ++w) {
      warp& me = warps_[w];
      me.index = static_cast<std::uint32_t>(w);
      const std::uint32_t first = in_block * wide;
      me.first_thread = block * shape.threads + first;
      const std::uint32_t left = (scope() == policy_scope::core ? wide : shape.threads) - first;
      const std::uint32_t lanes = left < wide ? left : wide;
      me.threads = lanes < shape.warp_width ? lanes : shape.warp_width;
      me.live = mask_type::first_lanes(lanes);
      me.state = warp_state::runs;
      me.places.assign(1, {shape.entry, me.live});
      me.waiting.clear();
      me.pending.clear();
      me.inside = mask_type{};
      me.comes = false;
      if (warp_sized_ || shape.barriers == barrier_model::warp_arrival) me.behind.assign(named_barriers, mask_type{});
      if constexpr (policy_with_first_thread<Policy>) me.policy.first_thread(me.first_thread);
      me.policy.start({shape.entry, me.live});
      if (++in_block == each) {
        in_block = 0;
        ++block;
      }
    }
    barriers_.assign(std::size_t{named_barriers} * shape.resident_blocks, barrier{});
    opened_.clear();
    barriers_changed_ = false;
    detecting_ = limit.detect_livelock;
    power_ = 0;
    since_ = 0;
  }

  // Runs one block, which is all that most steps are; settle() does the rest. When it ends at_barrier, arrived or
  // faulted, halted_ is the fragment that ran.
  template <class Program, class Observer>
  constexpr step_end step(warp& me, Program& program, Observer& observer, const launch& shape) {
    const std::optional<fragment_type> chosen = me.policy.next();
    if (!chosen) return step_end::nothing_named;
    const fragment_type f = *chosen;
    if (scope() != policy_scope::warp)
      if (f.lanes.count() > shape.warp_width) return step_end::wrongly_named;
    const std::uint32_t groups = leave(me, f);
    if (groups == 0) return step_end::wrongly_named;
    if constexpr (can_gather<Program>)
      if (me.inside.any() && (me.inside & f.lanes).any()) return go_on_inside(me, f, program, observer);

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
    return ended_block(end, me, f, program, observer);
  }

  // Runs the rest of a block in which lanes stopped at a collective: no new block, so nothing is counted.
  template <class Program, class Observer>
  [[gnu::noinline]] constexpr step_end go_on_inside(warp& me, const fragment_type& f, Program& program,
                                                    Observer& observer) {
    SIMTFLOW_EXPECTS(f.lanes.is_subset_of(me.inside), "a policy that never joins groups keeps lanes of a block apart");
    me.inside -= f.lanes;
    out_.clear();
    const block_end end = program.resume(f.block, basic_group<mask_type>{me.index, me.first_thread, f.lanes}, out_);
    return ended_block(end, me, f, program, observer);
  }

  // Handles the end of a block, or of the rest of one, that the program has run for f.
  template <class Program, class Observer>
  [[gnu::always_inline]] constexpr step_end ended_block(block_end end, warp& me, const fragment_type& f,
                                                        [[maybe_unused]] Program& program, Observer& observer) {
    if constexpr (std::invocable<Observer&, const event::predicated_off<mask_type>&> &&
                  predicated_program<Program, mask_type>)
      for (const basic_predicated_off<mask_type>& p : program.predicated_off())
        observer(event::predicated_off<mask_type>{steps_ - 1, me.index, f.block, p.instruction, p.lanes});
    mask_type survivors{};
    for (const fragment_type& o : out_.fragments()) {
      SIMTFLOW_EXPECTS(o.lanes.is_subset_of(f.lanes) && (survivors & o.lanes).none(),
                       "a program sends each lane of its group to at most one block, and no other lane");
      survivors |= o.lanes;
    }
    if (detecting_) me.ran |= f.lanes;

    if (end != block_end::next) {
      halted_ = {me.index, f.block, f.lanes, standing_reason::at_barrier};
      return end == block_end::fault        ? step_end::faulted
             : end == block_end::barrier    ? step_end::at_barrier
             : end == block_end::collective ? step_end::at_collective
                                            : step_end::arrived;
    }
    arrive(me, f, out_.fragments(), observer);
    me.policy.advance(f, out_.fragments());
    return step_end::moved;
  }

  // What comes of a step that was not just a block. Nothing: the run goes on.
  template <class Program, class Observer>
  constexpr std::optional<outcome> settle(step_end end, warp& me, Program& program, Observer& observer,
                                          const launch& shape) {
    if (end == step_end::wrongly_named) return outcome::policy_error;
    if (end == step_end::nothing_named) return nothing_named(me);
    if (end == step_end::faulted) {
      halted_.reason = standing_reason::faulted;
      return outcome::fault;
    }
    const fragment_type f{halted_.block, halted_.lanes};
    if (end == step_end::at_collective) {
      if constexpr (policy_without_joins<Policy>) me.policy.park(f);
      me.waiting.push_back({f, me.pending.size(), 0, me.index / warps_per_block_, 0, false, true});
      me.comes = true;
      return std::nullopt;
    }
    const auto problem = at_barrier(me, f, program, observer, shape, end == step_end::at_barrier);
    if (!problem && end == step_end::arrived) {
      arrive(me, f, out_.fragments(), observer);
      me.policy.advance(f, out_.fragments());
    }
    return problem;
  }

  // The policy has named no fragment although lanes are live.
  constexpr std::optional<outcome> nothing_named(warp& me) {
    mask_type held{};
    if constexpr (policy_with_blocked<Policy>) held = me.policy.blocked();
    for (const fragment_type& place : me.places)
      if (!place.lanes.is_subset_of(held)) return outcome::lost_threads;
    if (me.waiting.empty()) return outcome::nothing_runnable;  // no barrier that opens can change it
    me.state = warp_state::waits;
    return std::nullopt;
  }

  // Takes the lanes of f from where they stand. Returns how many groups they came in; 0 if some do not stand there.
  constexpr std::uint32_t leave(warp& me, const fragment_type& f) {
    std::uint32_t groups = 0;
    mask_type missing = f.lanes;
    for (std::size_t i = me.places.size(); i-- > 0 && missing.any();) {  // mostly those run that arrived last
      fragment_type& place = me.places[i];
      if (place.block != f.block || (place.lanes & missing).none()) continue;
      ++groups;
      const mask_type found = place.lanes & missing;
      missing -= found;
      place.lanes -= found;
      if (place.lanes.none()) {
        place = me.places.back();
        me.places.pop_back();
      }
    }
    if (missing.none()) return groups;
    const mask_type stood = f.lanes - missing;
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
      barriers_changed_ = true;
      if (warp_sized_) count_without(me, gone);
      if constexpr (policy_without_joins<Policy>) me.comes = gathers_;
      notify(observer, event::exited<mask_type>{steps_ - 1, me.index, f.block, gone});
      if (me.live.none()) me.state = warp_state::done;
    }
  }

  // Lanes continue from a collective once all live lanes that take part in it have come. Called at the beginning of the
  // warp's turn: lanes come and end in any order.
  template <class Program>
  [[gnu::noinline]] constexpr void gather(warp& me, Program& program) {
    me.comes = false;
    mask_type waiting{};
    for (const parked& p : me.waiting)
      if (p.inside) waiting |= p.at.lanes;
    if (waiting.none()) return;
    const mask_type go = program.gather(basic_group<mask_type>{me.index, me.first_thread, waiting});
    std::size_t kept = 0;
    for (std::size_t i = 0; i < me.waiting.size(); ++i) {
      const parked p = me.waiting[i];
      if (!p.inside || !p.at.lanes.is_subset_of(go)) {
        me.waiting[kept++] = p;
        continue;
      }
      me.state = warp_state::runs;
      me.places.push_back(p.at);
      me.inside |= p.at.lanes;
      me.policy.release(p.at);
    }
    me.waiting.erase(me.waiting.begin() + static_cast<std::ptrdiff_t>(kept), me.waiting.end());
  }

  // --- barriers ------------------------------------------------------------------------------------------------------

  // Warps by the numbers of their threads, and all live lanes of them.
  struct home_warps {
    mask_type lanes{};
    std::uint32_t number = 0;
  };

  // The lanes of each warp that some lanes of an instance belong to, ended ones too; and its thread block.
  template <class F>
  constexpr void for_each_home(const warp& me, const mask_type& lanes, const launch& shape, const F& f) const {
    if (scope() == policy_scope::warp) {
      if (lanes.any()) f(mask_type::first_lanes(me.threads), me.first_thread / shape.threads);
      return;
    }
    for (mask_type rest = lanes; rest.any();) {
      const std::uint32_t block = rest.first() / shape.threads, in_block = rest.first() % shape.threads;
      const std::uint32_t first = in_block - in_block % shape.warp_width, left = shape.threads - first;
      const mask_type all =
          lanes_between(block * shape.threads + first,
                        block * shape.threads + first + (left < shape.warp_width ? left : shape.warp_width));
      rest -= all;
      f(all, scope() == policy_scope::core ? block : me.first_thread / shape.threads);
    }
  }

  // The warps that lanes of an instance belong to.
  constexpr home_warps homes(const warp& me, const mask_type& lanes, const mask_type& live, const launch& shape) const {
    home_warps h;
    for_each_home(me, lanes, shape, [&](const mask_type& all, std::uint32_t) {
      h.lanes |= all & live;
      ++h.number;
    });
    return h;
  }

  static constexpr mask_type lanes_between(std::uint32_t first, std::uint32_t last) {
    return mask_type::first_lanes(last) - mask_type::first_lanes(first);
  }

  // The instances that manage threads of a thread block.
  constexpr std::span<warp> warps_of(std::uint32_t thread_block) {
    if (scope() == policy_scope::core) return std::span<warp>(warps_).first(1);
    return std::span<warp>(warps_).subspan(std::size_t{thread_block} * warps_per_block_, warps_per_block_);
  }

  // Lanes of f have come to the barrier that ends their block: to wait there, or only to be counted.
  template <class Program, class Observer>
  constexpr std::optional<outcome> at_barrier(warp& me, const fragment_type& f, Program& program, Observer& observer,
                                              const launch& shape, bool waits) {
    std::uint32_t id = 0, count = 0;
    if constexpr (program_with_named_barriers<Program>) id = static_cast<std::uint32_t>(program.barrier_id(f.block));
    if constexpr (program_with_barrier_counts<Program>)
      count = static_cast<std::uint32_t>(program.barrier_count(f.block));
    SIMTFLOW_EXPECTS(id < named_barriers, "a thread block has barriers 0 .. named_barriers - 1");
    if (waits) notify(observer, event::waits<mask_type>{steps_ - 1, me.index, f.block, f.lanes, id});
    halted_.barrier = id;

    if (!waits && count == 0) return outcome::barrier_misuse;
    if (shape.barriers != barrier_model::thread_arrival) {
      const mask_type whole = homes(me, f.lanes, me.live, shape).lanes;
      const bool complete = f.lanes == whole;
      if (shape.barriers == barrier_model::warp_arrival) {
        mask_type& behind = me.behind[id];
        const bool realigns = complete && !f.lanes.is_subset_of(behind);  // with lanes that had arrived then
        if (!realigns && (behind & f.lanes).any()) return outcome::barrier_misaligned;
        behind -= whole;
        behind |= whole - f.lanes;
      } else if (!complete) {
        return waits && shape.barriers == barrier_model::whole_warp ? outcome::barrier_deadlock
                                                                    : outcome::barrier_misuse;
      }
    }

    if (scope() == policy_scope::core) {
      for (mask_type rest = f.lanes; rest.any();) {
        const std::uint32_t block = rest.first() / shape.threads;
        const mask_type part = f.lanes & lanes_between(block * shape.threads, (block + 1) * shape.threads);
        rest -= part;
        if (!counted(me, {f.block, part}, {block, id}, count, shape, waits)) return outcome::barrier_misuse;
      }
    } else {
      const std::uint32_t block = me.index / warps_per_block_;
      if (!counted(me, f, {block, id}, count, shape, waits)) return outcome::barrier_misuse;
    }
    if (!waits) return std::nullopt;
    if (scope() == policy_scope::warp && shape.barriers != barrier_model::thread_arrival)
      me.state = warp_state::waits;
    else
      park(me, f);
    return std::nullopt;
  }

  constexpr void park(warp& me, const fragment_type& f) {
    SIMTFLOW_EXPECTS(abilities_of(me.policy).parks,
                     "a barrier under a policy of wider scope needs its park() and release()");
    if constexpr (parking_policy<Policy>) me.policy.park(f);
  }

  // Counts lanes of one thread block at a barrier and parks them if they wait. False if the thread counts are wrong.
  constexpr bool counted(warp& me, const fragment_type& f, opening where, std::uint32_t count, const launch& shape,
                         bool waits) {
    const bool by_warp = shape.barriers == barrier_model::warp_arrival;
    barrier& b = barriers_[std::size_t{where.thread_block} * named_barriers + where.barrier];
    if (b.used && b.count != count) {             // all threads, said in two ways?
      const auto is_all = [&](std::uint32_t n) {  // of the threads, or of the lanes of their warps
        return n == shape.threads ||
               n == (std::uint64_t{shape.threads} + shape.warp_width - 1) / shape.warp_width * shape.warp_width;
      };
      if ((count != 0 && b.count != 0) || !is_all(count + b.count)) return false;  // one of them is 0
      count = b.count;
    }
    b.used = true;
    b.count = count;
    b.arrived += by_warp ? homes(me, f.lanes, me.live, shape).number : f.lanes.count();
    if (warp_sized_) {
      me.behind[where.barrier] |= f.lanes;
      b.absent += lacked(me, f.lanes, where.barrier, shape);
    }
    if (waits) {
      const std::size_t first = me.pending.size();
      for (const fragment_type& o : out_.fragments()) {
        if (scope() != policy_scope::core)
          me.pending.push_back(o);
        else if (const mask_type lanes = o.lanes & f.lanes; lanes.any())
          me.pending.push_back({o.block, lanes});
      }
      me.waiting.push_back({f, first, me.pending.size() - first, where.thread_block, where.barrier, false});
    }
    barriers_changed_ = true;
    if (count == 0) return true;  // opens for all: seen at the end of the round
    const std::uint64_t threads = b.arrived * (by_warp ? shape.warp_width : 1);
    if (b.opens_for(threads)) open(where);
    return threads <= count;
  }

  // For warps in `lanes` with all live lanes at the barrier: how many lanes they lack. They begin anew.
  constexpr std::uint64_t lacked(warp& me, const mask_type& lanes, std::uint32_t id, const launch& shape) const {
    mask_type& come = me.behind[id];
    std::uint64_t sum = 0;
    for_each_home(me, lanes, shape, [&](const mask_type& all, std::uint32_t) {
      if ((come & all).none() || !(all & me.live).is_subset_of(come)) return;
      sum += shape.warp_width - (shape.ended_threads_count ? all : come & all).count();
      come -= all;
    });
    return sum;
  }

  // Lanes have ended for which others of their warps were waited for.
  [[gnu::noinline]] constexpr void count_without(warp& me, const mask_type& gone) {
    for (std::uint32_t id = 0; id < named_barriers; ++id) {
      if (me.behind[id].none()) continue;
      for_each_home(me, gone, shape_, [&](const mask_type& all, std::uint32_t block) {
        barrier& b = barriers_[std::size_t{block} * named_barriers + id];
        b.absent += lacked(me, gone & all, id, shape_);
        if (b.count != 0 && b.opens_for(b.arrived)) open({block, id});
      });
    }
  }

  // The barrier opens for those that wait there now: they go on at the end of the round.
  constexpr void open(opening where) {
    barriers_[std::size_t{where.thread_block} * named_barriers + where.barrier] = barrier{};
    for (warp& w : warps_of(where.thread_block)) {
      if (warp_sized_ && scope() != policy_scope::core)
        w.behind[where.barrier] = mask_type{};
      else if (warp_sized_)
        w.behind[where.barrier] -=
            lanes_between(where.thread_block * shape_.threads, (where.thread_block + 1) * shape_.threads);
      for (parked& p : w.waiting)
        if (p.thread_block == where.thread_block && p.barrier == where.barrier && !p.inside) p.open = true;
    }
    opened_.push_back(where);
    alone_ = false;
  }

  // How much must arrive at a barrier of a thread block that opens for all.
  constexpr std::uint64_t expected(std::uint32_t thread_block, const launch& shape) {
    const bool by_warp = shape.barriers == barrier_model::warp_arrival;
    if (shape.ended_threads_count)
      return by_warp ? (shape.threads - 1) / shape.warp_width + 1 : std::uint64_t{shape.threads};
    std::uint64_t n = 0;
    for (const warp& w : warps_of(thread_block)) {
      mask_type live = w.live;
      if (scope() == policy_scope::core)
        live &= lanes_between(thread_block * shape.threads, (thread_block + 1) * shape.threads);
      n += by_warp ? homes(w, live, live, shape).number : live.count();
    }
    return n;
  }

  // At the end of a round: lanes go on whose barrier has opened. Returns whether there are any.
  template <class Observer>
  constexpr bool open_barriers(const launch& shape, Observer& observer) {
    barriers_changed_ = false;
    for (std::uint32_t i = 0; i < barriers_.size(); ++i) {
      if (!barriers_[i].used || barriers_[i].count != 0) continue;
      const opening where{i / named_barriers, i % named_barriers};
      if (barriers_[i].arrived == expected(where.thread_block, shape)) open(where);
    }
    if (opened_.empty()) return false;
    for (const opening& o : opened_) notify(observer, event::released{steps_, o.thread_block, o.barrier});
    opened_.clear();
    for (std::size_t w = 0; w < active_; ++w)
      if (!warps_[w].waiting.empty()) release(warps_[w], observer);
    return true;
  }

  template <class Observer>
  constexpr void release(warp& me, Observer& observer) {
    std::size_t kept = 0, kept_targets = 0;
    for (std::size_t i = 0; i < me.waiting.size(); ++i) {
      parked& p = me.waiting[i];
      if (!p.open) {
        for (std::size_t k = 0; k < p.count; ++k) me.pending[kept_targets + k] = me.pending[p.first + k];
        p.first = kept_targets;
        kept_targets += p.count;
        me.waiting[kept++] = p;
        continue;
      }
      me.state = warp_state::runs;
      const auto targets = std::span<const fragment_type>(me.pending).subspan(p.first, p.count);
      arrive(me, p.at, targets, observer);
      if (scope() == policy_scope::warp && shape_.barriers != barrier_model::thread_arrival) {
        me.policy.advance(p.at, targets);
      } else if constexpr (parking_policy<Policy>) {
        if constexpr (policy_with_ended<Policy>) {
          mask_type gone = p.at.lanes;
          for (const fragment_type& t : targets) gone -= t.lanes;
          if (gone.any()) me.policy.ended(gone);
        }
        for (const fragment_type& t : targets) me.policy.release(t);
      }
    }
    me.waiting.erase(me.waiting.begin() + static_cast<std::ptrdiff_t>(kept), me.waiting.end());
    me.pending.erase(me.pending.begin() + static_cast<std::ptrdiff_t>(kept_targets), me.pending.end());
  }

  // --- the end -------------------------------------------------------------------------------------------------------

  // Every live thread waits and no barrier can open: true if a policy lets lanes go that it holds.
  constexpr bool let_go() {
    bool any = false;
    if constexpr (policy_that_lets_go<Policy>)
      for (std::size_t w = 0; w < active_; ++w)
        if (!warps_[w].places.empty() && warps_[w].policy.let_go()) {
          warps_[w].state = warp_state::runs;
          any = true;
        }
    return any;
  }

  // No policy does: how the run has ended.
  constexpr outcome stuck() {
    halted_.lanes = mask_type{};
    for (std::size_t w = 0; w < active_; ++w)
      if (!warps_[w].places.empty()) return outcome::nothing_runnable;
    return outcome::barrier_deadlock;
  }

  // After a step: whether the run is where it was when its state was noted last. Then it goes round for ever, because
  // what follows depends on the state alone.
  template <class Program>
  constexpr bool state_came_back(std::size_t at, std::uint32_t turn, Program& program) {
    if constexpr (comparable_policy<Policy> && program_with_memory<Program>) {
      if (power_ != 0) {
        ++since_;
        if (is_noted_state(at, turn) && program.as_remembered()) return true;
        if (since_ < power_) return false;
      }
      power_ = power_ == 0 ? 1 : 2 * power_;
      since_ = 0;
      program.remember();
      note_state(at, turn);
    }
    return false;
  }

  constexpr void note_state(std::size_t at, std::uint32_t turn) {
    noted_.warps.assign(warps_.begin(), warps_.begin() + static_cast<std::ptrdiff_t>(active_));
    noted_.barriers = barriers_;
    noted_.opened = opened_;
    noted_.at = at;
    noted_.turn = turn;
    noted_.step = steps_;
    noted_.barriers_changed = barriers_changed_;
    // If one instance runs alone and nothing will happen at the end of the round, how far its turn is does not matter.
    alone_ = !barriers_changed_ && opened_.empty();
    for (std::size_t w = 0; w < active_; ++w) {
      warps_[w].ran = mask_type{};
      if (w != at && warps_[w].state == warp_state::runs) alone_ = false;
    }
  }

  constexpr bool is_noted_state(std::size_t at, std::uint32_t turn) const {
    if (at != noted_.at || (!alone_ && turn != noted_.turn)) return false;
    if (!same(warps_[at], noted_.warps[at])) return false;  // the one that has just changed
    for (std::size_t w = 0; w < active_; ++w)
      if (w != at && !same(warps_[w], noted_.warps[w])) return false;
    return barriers_changed_ == noted_.barriers_changed && barriers_ == noted_.barriers && opened_ == noted_.opened;
  }

  static constexpr bool same(const warp& a, const warp& b) {
    return a.state == b.state && a.live == b.live && a.places == b.places && a.waiting == b.waiting &&
           a.pending == b.pending && a.behind == b.behind && a.inside == b.inside && a.comes == b.comes &&
           a.policy == b.policy;
  }

  // Ends the run early: every live thread and why it stands where it stands.
  constexpr verdict_type stop(outcome how) {
    verdict_type v{how, steps_, {}};
    v.scope = scope();
    if (how == outcome::livelock) v.period = steps_ - noted_.step;
    const bool halted = how == outcome::fault || how == outcome::barrier_misaligned || how == outcome::barrier_misuse ||
                        how == outcome::barrier_deadlock;
    for (std::size_t w = 0; w < active_; ++w) {
      const warp& me = warps_[w];
      if (me.state == warp_state::done) continue;
      const std::size_t first = v.standing.size();
      const auto add = [&](block_id block, const mask_type& lanes, standing_reason reason, std::uint32_t id = 0) {
        if (lanes.none()) return;
        for (std::size_t i = first; i < v.standing.size(); ++i)
          if (v.standing[i].block == block && v.standing[i].reason == reason && v.standing[i].barrier == id) {
            v.standing[i].lanes |= lanes;
            return;
          }
        v.standing.push_back({me.index, block, lanes, reason, id});
      };
      if (halted && halted_.warp == me.index) add(halted_.block, halted_.lanes, halted_.reason, halted_.barrier);
      for (const parked& p : me.waiting)
        add(p.at.block, p.at.lanes, p.inside ? standing_reason::at_collective : standing_reason::at_barrier, p.barrier);
      mask_type blocked{}, spinning{};
      if constexpr (policy_with_blocked<Policy>) blocked = me.policy.blocked();
      if (how == outcome::livelock) spinning = me.ran;
      for (const fragment_type& place : me.places) {
        add(place.block, place.lanes & spinning, standing_reason::spinning);
        add(place.block, (place.lanes & blocked) - spinning, standing_reason::blocked);
        add(place.block, place.lanes - blocked - spinning, standing_reason::ready);
      }
    }
    return v;
  }

  Policy prototype_;
  std::vector<warp> warps_;
  std::size_t active_ = 0;
  std::uint32_t warps_per_block_ = 1;
  std::uint64_t steps_ = 0;
  basic_partition<mask_type> out_;
  basic_standing<mask_type> halted_{};
  std::vector<barrier> barriers_;            // by resident thread block, then number
  std::vector<opening> opened_;              // since the last round ended
  policy_scope scope_ = policy_scope::warp;  // see scope()
  launch shape_{};                           // of this run: for what few steps need
  bool warp_sized_ = false;                  // program_with_warp_sized_arrivals, where threads are counted
  bool gathers_ = false;                     // true if lanes may wait inside a block
  bool barriers_changed_ = false;            // threads have arrived or ended since the last round ended
  bool detecting_ = false;
  bool alone_ = false;                   // since the state was noted: see note_state
  std::uint64_t power_ = 0, since_ = 0;  // Brent: blocks after which the state is noted anew, blocks since it was noted
  moment noted_;
};

namespace detail {

// A callable by reference: can be called as const if what it refers to can, and remembers if that does.
template <class F>
struct step_reference {
  F* step;
  constexpr block_id operator()(std::uint32_t thread, block_id b) const
      requires(std::is_invocable_v<const F&, std::uint32_t, block_id>) {
    return static_cast<block_id>((*step)(thread, b));
  }
  constexpr block_id operator()(std::uint32_t thread,
                                block_id b) requires(!std::is_invocable_v<const F&, std::uint32_t, block_id>) {
    return static_cast<block_id>((*step)(thread, b));
  }
  constexpr void remember() requires(program_with_memory<F>) { step->remember(); }
  constexpr bool as_remembered() requires(program_with_memory<F>) { return static_cast<bool>(step->as_remembered()); }
};

// A program, or a plain callable.
template <class Program, class Policy>
concept runs_under = lockstep_program<Program, typename Policy::mask_type> || thread_step<Program>;

template <class Policy>
struct verdict_under_policy {
  using type = basic_verdict<lane_mask>;
};
template <reconvergence_policy Policy>
struct verdict_under_policy<Policy> {
  using type = basic_verdict<typename Policy::mask_type>;
};
// The verdict of a run; of another type, so that check_policy() is reached, the one over lane_mask.
template <class Policy>
using verdict_under = typename verdict_under_policy<Policy>::type;

}  // namespace detail

/// Runs one thread block under a policy:
/// `run(policies::ipdom_stack(pdom.ipdoms()), program, {.threads = 4, .warp_width = 4})`. The program may be a plain
/// callable `(thread, block) -> block`. For many thread blocks keep an executor instead.
template <class Policy, class Program, class Observer = no_observer>
  requires(!reconvergence_policy<Policy> || detail::runs_under<std::remove_reference_t<Program>, Policy>)
constexpr detail::verdict_under<Policy> run(Policy policy, Program&& program, const launch& shape,
                                            Observer&& observer = {}, const limits& limit = {}) {
  static_assert(check_policy<Policy>());
  if constexpr (!reconvergence_policy<Policy>)
    return {};  // what is missing has been said
  else {
    executor<Policy> machine(std::move(policy));
    if constexpr (lockstep_program<std::remove_reference_t<Program>, typename Policy::mask_type>) {
      return machine.run(shape, program, observer, limit);
    } else {
      callable_program steps(detail::step_reference<std::remove_reference_t<Program>>{&program});
      return machine.run(shape, steps, observer, limit);
    }
  }
}

}  // namespace v0
}  // namespace simtflow
