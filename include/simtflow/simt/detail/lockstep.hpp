// SPDX-License-Identifier: BSL-1.0
//
// The rounds, turns and steps of a run; executor.hpp says what they mean. Other headers hold the parts: threads and
// instances in instances.hpp, barriers in barrier_book.hpp, the proof of a livelock in brent.hpp, the verdict on a run
// that ends early in standing.hpp.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/barrier_model.hpp>
#include <simtflow/simt/detail/barrier_book.hpp>
#include <simtflow/simt/detail/brent.hpp>
#include <simtflow/simt/detail/instances.hpp>
#include <simtflow/simt/detail/standing.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/launch.hpp>
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

namespace simtflow {
inline namespace v0 {
namespace detail {

template <class Policy>
class lockstep {
 public:
  using mask_type = typename Policy::mask_type;
  using fragment_type = basic_fragment<mask_type>;
  using verdict_type = basic_verdict<mask_type>;

  constexpr explicit lockstep(Policy prototype) : crew_(std::move(prototype)) {}

  template <class Program, class Observer>
  constexpr verdict_type run(Program& program, const launch& shape, Observer& observer, const limits& limit) {
    check_launch(shape);
    if constexpr (program_with_begin<Program>) program.begin(shape);
    gathers_ = false;
    if constexpr (program_with_collectives<Program, mask_type>) {
      if constexpr (policy_without_joins<Policy>) gathers_ = crew_.prototype().never_joins();
      program.wait_at_collectives(gathers_);
    }
    steps_ = 0;
    detecting_ = limit.detect_livelock && abilities_of(crew_.prototype()).comparable;
    crew_.start(shape);
    book_.start(crew_, program_with_warp_sized_arrivals<Program>);
    livelock_.start();
    const std::span<warp> all = crew_.all();
    notify(observer, event::started{static_cast<std::uint32_t>(shape.num_threads()), shape.warp_width,
                                    static_cast<std::uint32_t>(all.size())});

    std::size_t done = 0;
    while (done < all.size()) {
      bool ran = false;
      done = 0;
      for (warp& me : all) {
        if constexpr (can_gather<Program>)
          if (me.comes) gather(me, program);
        for (std::uint32_t turn = 0; turn < blocks_per_turn && me.state == warp_state::runs; ++turn) {
          if (steps_ == limit.steps) return stop(outcome::step_limit);
          const step_end end = step(me, program, observer);
          if (end != step_end::moved) {
            const auto problem = settle(end, me, program, observer);
            if (problem) return stop(*problem);
          }
          ran = true;
          if constexpr (comparable_policy<Policy> && program_with_memory<Program>)
            if (detecting_ && livelock_.state_came_back(crew_, book_, me.index, turn, steps_, program))
              return stop(outcome::livelock);
        }
        if (me.state == warp_state::done) ++done;
      }
      if (book_.changed() && open_barriers(observer)) continue;
      if (!ran && done < all.size() && !let_go()) return stop(stuck());
    }
    std::uint64_t overhead = 0;
    if constexpr (policy_with_overhead<Policy>)
      for (const warp& me : all) overhead += static_cast<std::uint64_t>(me.policy.overhead());
    notify(observer, event::ended{steps_, overhead, shape.resident_blocks});
    return verdict_type{outcome::finished, steps_, {}, 0, crew_.scope()};
  }

 private:
  using warp = instance<Policy>;  // the policy may have a wider scope
  using warp_state = instance_state;
  using parked = parked_lanes<mask_type>;

  static constexpr std::uint32_t blocks_per_turn = 64;

  // True if lanes may wait inside a block.
  template <class Program>
  static constexpr bool can_gather = program_with_collectives<Program, mask_type>&& policy_without_joins<Policy>;

  enum class step_end : unsigned char {
    moved,
    at_barrier,
    arrived,
    at_collective,
    faulted,
    nothing_named,
    wrongly_named
  };

  template <class Observer, class Event>
  static constexpr void notify(Observer& observer, const Event& e) {
    if constexpr (std::invocable<Observer&, const Event&>) observer(e);
  }

  constexpr void check_launch(const launch& shape) const {
    const std::uint64_t all = shape.num_threads();
    SIMTFLOW_EXPECTS(shape.warp_width > 0 && shape.resident_blocks > 0 && all <= 0xFFFF'FFFF,
                     "a warp has a lane, a core a thread block, and a run at most 2^32 - 1 threads");
    std::uint64_t most = shape.threads;
    if (crew_.scope() == policy_scope::core) most = all;
    if (crew_.scope() == policy_scope::warp && shape.warp_width < most) most = shape.warp_width;
    SIMTFLOW_EXPECTS(most <= mask_type::capacity, "the policy's masks hold all lanes that one instance manages");
    SIMTFLOW_EXPECTS(shape.barriers != barrier_model::thread_arrival || parks(),
                     "barrier_model::thread_arrival needs a policy with park() and release()");
  }

  // True if the run takes lanes that wait at a barrier away from the policy. If false, the whole instance waits.
  [[nodiscard]] constexpr bool parks_at_barriers() const {
    return crew_.scope() != policy_scope::warp || crew_.shape().barriers == barrier_model::thread_arrival;
  }
  [[nodiscard]] constexpr bool parks() const { return abilities_of(crew_.prototype()).parks; }

  // Runs one block: most steps do no more, and settle() does the rest. If the step ends at_barrier, arrived or faulted,
  // halted_ is the fragment that ran.
  template <class Program, class Observer>
  [[gnu::always_inline]] constexpr step_end step(warp& me, Program& program, Observer& observer) {
    const std::optional<fragment_type> chosen = me.policy.next();
    if (!chosen) return step_end::nothing_named;
    const fragment_type f = *chosen;
    if (crew_.scope() != policy_scope::warp && f.lanes.count() > crew_.shape().warp_width)
      return step_end::wrongly_named;
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

  // Handles a step that did more than run a block. Returns nullopt if the run continues.
  template <class Program, class Observer>
  constexpr std::optional<outcome> settle(step_end end, warp& me, Program& program, Observer& observer) {
    if (end == step_end::wrongly_named) return outcome::policy_error;
    if (end == step_end::nothing_named) return nothing_named(me);
    if (end == step_end::faulted) {
      halted_.reason = standing_reason::faulted;
      return outcome::fault;
    }
    const fragment_type f{halted_.block, halted_.lanes};
    if (end == step_end::at_collective) {
      if constexpr (policy_without_joins<Policy>) me.policy.park(f);
      me.waiting.push_back({f, me.pending.size(), 0, crew_.block_of(me), 0, false, true});
      me.comes = true;
      return std::nullopt;
    }
    const auto problem = at_barrier(me, f, program, observer, end == step_end::at_barrier);
    if (!problem && end == step_end::arrived) {
      arrive_late(me, f, out_.fragments(), observer);
      me.policy.advance(f, out_.fragments());
    }
    return problem;
  }

  // Handles a policy that has named no fragment although lanes are live.
  constexpr std::optional<outcome> nothing_named(warp& me) {
    mask_type held{};
    if constexpr (policy_with_blocked<Policy>) held = me.policy.blocked();
    for (const fragment_type& place : me.places)
      if (!place.lanes.is_subset_of(held)) return outcome::lost_threads;
    if (me.waiting.empty()) return outcome::nothing_runnable;  // no open barrier can change it
    me.state = warp_state::waits;
    return std::nullopt;
  }

  // Takes the lanes of f from their places. Returns the number of groups that they came in; 0 if some lanes do not
  // stand there.
  constexpr std::uint32_t leave(warp& me, const fragment_type& f) {
    std::uint32_t groups = 0;
    mask_type missing = f.lanes;
    for (std::size_t i = me.places.size(); i-- > 0 && missing.any();) {  // mostly the lanes that arrived last run
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
  [[gnu::always_inline]] constexpr void arrive(warp& me, const fragment_type& f, std::span<const fragment_type> out,
                                               Observer& observer) {
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
      book_.ended(crew_, me, gone);
      if constexpr (policy_without_joins<Policy>) me.comes = gathers_;
      notify(observer, event::exited<mask_type>{steps_ - 1, me.index, f.block, gone});
      if (me.live.none()) me.state = warp_state::done;
    }
  }

  // The same, out of line for rare steps.
  template <class Observer>
  [[gnu::noinline]] constexpr void arrive_late(warp& me, const fragment_type& f, std::span<const fragment_type> out,
                                               Observer& observer) {
    arrive(me, f, out, observer);
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

  // Lanes of f have come to the barrier that ends their block: to wait there, or only to be counted.
  template <class Program, class Observer>
  constexpr std::optional<outcome> at_barrier(warp& me, const fragment_type& f, Program& program, Observer& observer,
                                              bool waits) {
    std::uint32_t id = 0, count = 0;
    if constexpr (program_with_named_barriers<Program>) id = static_cast<std::uint32_t>(program.barrier_id(f.block));
    if constexpr (program_with_barrier_counts<Program>)
      count = static_cast<std::uint32_t>(program.barrier_count(f.block));
    SIMTFLOW_EXPECTS(id < named_barriers, "a thread block has barriers 0 .. named_barriers - 1");
    if (waits) notify(observer, event::waits<mask_type>{steps_ - 1, me.index, f.block, f.lanes, id});
    halted_.barrier = id;
    const auto problem = book_.arrive(crew_, me, {f, id, count, waits, out_.fragments()});
    if (problem || !waits) return problem;
    if (!parks_at_barriers()) {
      me.state = warp_state::waits;
      return std::nullopt;
    }
    SIMTFLOW_EXPECTS(parks(), "a barrier under a policy of wider scope needs its park() and release()");
    if constexpr (parking_policy<Policy>) me.policy.park(f);
    return std::nullopt;
  }

  // At the end of a round: lanes go on if their barrier has opened. Returns true if there are such lanes.
  template <class Observer>
  constexpr bool open_barriers(Observer& observer) {
    if (!book_.open_complete(crew_)) return false;
    for (const auto& o : book_.opened()) notify(observer, event::released{steps_, o.thread_block, o.barrier});
    book_.forget_opened();
    for (warp& me : crew_.all())
      if (!me.waiting.empty()) release(me, observer);
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
      arrive_late(me, p.at, targets, observer);
      if (!parks_at_barriers()) {
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

  // Called when every live thread waits and no barrier can open. Returns true if a policy lets go of lanes that it
  // holds.
  constexpr bool let_go() {
    bool any = false;
    if constexpr (policy_that_lets_go<Policy>)
      for (warp& me : crew_.all())
        if (!me.places.empty() && me.policy.let_go()) {
          me.state = warp_state::runs;
          any = true;
        }
    return any;
  }

  // The outcome of the run when no policy lets go of lanes.
  constexpr outcome stuck() {
    halted_.lanes = mask_type{};
    for (const warp& me : crew_.all())
      if (!me.places.empty()) return outcome::nothing_runnable;
    return outcome::barrier_deadlock;
  }

  constexpr verdict_type stop(outcome how) const {
    verdict_type v = verdict_on(how, steps_, crew_, halted_);
    if (how == outcome::livelock) v.period = steps_ - livelock_.noted_step();
    return v;
  }

  instances<Policy> crew_;
  barrier_book<Policy> book_;
  livelock_proof<Policy> livelock_;
  std::uint64_t steps_ = 0;
  basic_partition<mask_type> out_;
  basic_standing<mask_type> halted_{};
  bool gathers_ = false;  // true if lanes may wait inside a block
  bool detecting_ = false;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
