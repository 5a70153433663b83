// SPDX-License-Identifier: BSL-1.0
//
// A session: the resident thread blocks of one run under one policy. It owns what no policy may get wrong: which lanes
// are live, where each of them stands, barriers, the verdict. It does not say who runs when: the executor
// (lockstep.hpp) runs a fragment at a time, the cycle model (timing/) has several in flight.
//
//   choose()   the policy names a fragment; its lanes leave their places
//   ended()    the fragment has run its block
//   settle()   the rest of the rare ends: barriers, collectives, faults, a policy that names nothing
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/barrier_model.hpp>
#include <simtflow/simt/detail/barrier_book.hpp>
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

template <class Observer, class Event>
constexpr void notify(Observer& observer, const Event& e) {
  if constexpr (std::invocable<Observer&, const Event&>) observer(e);
}

// How a step of an instance ended.
enum class step_end : unsigned char {
  moved,
  at_barrier,
  arrived,
  at_collective,
  faulted,
  nothing_named,
  wrongly_named
};

template <class Policy>
class session {
 public:
  using mask_type = typename Policy::mask_type;
  using fragment_type = basic_fragment<mask_type>;
  using verdict_type = basic_verdict<mask_type>;
  using warp = instance<Policy>;  // the policy may have a wider scope
  using warp_state = instance_state;
  using parked = parked_lanes<mask_type>;

  // True if lanes may wait inside a block.
  template <class Program>
  static constexpr bool can_gather = program_with_collectives<Program, mask_type>&& policy_without_joins<Policy>;

  constexpr explicit session(Policy prototype) : crew_(std::move(prototype)) {}

  // Puts all threads at the entry, or none if thread blocks join later. \param detecting true if the run looks for
  // livelocks.
  template <class Program, class Observer>
  constexpr void start(Program& program, const launch& shape, bool detecting, Observer& observer,
                       bool joins_later = false) {
    check_launch(shape);
    if constexpr (program_with_begin<Program>) program.begin(shape);
    gathers_ = false;
    if constexpr (program_with_collectives<Program, mask_type>) {
      if constexpr (policy_without_joins<Policy>) gathers_ = crew_.prototype().never_joins();
      program.wait_at_collectives(gathers_);
    }
    steps_ = 0;
    detecting_ = detecting;
    crew_.start(shape, joins_later);
    book_.start(crew_, program_with_warp_sized_arrivals<Program>);
    notify(observer, event::started{static_cast<std::uint32_t>(shape.num_threads()), shape.warp_width,
                                    static_cast<std::uint32_t>(crew_.all().size()), shape.resident_blocks});
  }

  // The threads of a thread block come to the entry, in a place without live threads. \pre core scope
  constexpr void join(std::uint32_t thread_block) {
    SIMTFLOW_EXPECTS(crew_.scope() == policy_scope::core && parks(), "thread blocks join a pool that releases threads");
    warp& me = crew_.all().front();
    const fragment_type f{crew_.shape().entry, crew_.lanes_of_block(thread_block)};
    book_.forget(crew_, thread_block);
    me.live |= f.lanes;
    me.places.push_back(f);
    me.state = warp_state::runs;
    if constexpr (parking_policy<Policy>) me.policy.release(f);
  }

  [[nodiscard]] constexpr instances<Policy>& crew() { return crew_; }
  [[nodiscard]] constexpr const instances<Policy>& crew() const { return crew_; }
  [[nodiscard]] constexpr const barrier_book<Policy>& book() const { return book_; }
  // The number of blocks that have begun.
  [[nodiscard]] constexpr std::uint64_t steps() const { return steps_; }
  constexpr void count_step() { ++steps_; }

  // Checks a fragment that the policy named for an instance, and takes its lanes from their places. Returns the number
  // of groups that they came in; 0 if the policy named it wrongly.
  [[gnu::always_inline]] constexpr std::uint32_t choose(warp& me, const fragment_type& f) {
    if (crew_.scope() != policy_scope::warp && f.lanes.count() > crew_.shape().warp_width) return 0;
    return leave(me, f);
  }

  // Tells the observer of a block that begins now. To be called before count_step().
  template <class Program, class Observer>
  [[gnu::always_inline]] constexpr void report_issue(const warp& me, const fragment_type& f, std::uint32_t groups,
                                                     [[maybe_unused]] Program& program, Observer& observer) const {
    if constexpr (std::invocable<Observer&, const event::issued<mask_type>&>) {
      std::uint32_t weight = 1;
      if constexpr (weighted_program<Program>) weight = static_cast<std::uint32_t>(program.weight(f.block));
      std::size_t depth = 0;
      if constexpr (policy_with_depth<Policy>) depth = static_cast<std::size_t>(me.policy.depth());
      observer(event::issued<mask_type>{steps_, me.index, me.first_thread, me.threads, f.block, weight, f.lanes,
                                        me.live, groups, depth});
    }
  }

  // Handles the end of a block, or of the rest of one, that the program has run for f. If the step ends at_barrier,
  // arrived or faulted, settle() is called next.
  template <class Observer>
  [[gnu::always_inline]] constexpr step_end ended(block_end end, warp& me, const fragment_type& f,
                                                  std::span<const fragment_type> out, Observer& observer) {
    mask_type survivors{};
    for (const fragment_type& o : out) {
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
    arrive(me, f, out, observer);
    me.policy.advance(f, out);
    return step_end::moved;
  }

  // Handles a step that did more than run a block; `out` as for ended(). Returns nullopt if the run continues.
  template <class Program, class Observer>
  constexpr std::optional<outcome> settle(step_end end, warp& me, std::span<const fragment_type> out, Program& program,
                                          Observer& observer) {
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
    const auto problem = at_barrier(me, f, out, program, observer, end == step_end::at_barrier);
    if (!problem && end == step_end::arrived) {
      arrive_late(me, f, out, observer);
      me.policy.advance(f, out);
    }
    return problem;
  }

  // Lanes continue from a collective once all live lanes that take part in it have come. Called at the beginning of the
  // warp's turn: lanes come and end in any order.
  template <class Program>
  [[gnu::noinline]] constexpr void gather(warp& me, Program& program) {
    me.comes = false;
    const mask_type waiting = inside(me);
    if (waiting.none()) return;
    resume(me, program.gather(basic_group<mask_type>{me.index, me.first_thread, waiting}));
    if constexpr (program_with_phase_waits<Program, mask_type>)
      me.comes = program.waits_for_phases() && inside(me).any();  // another warp may let them go at any time
  }

  // Called when every live thread waits and no barrier can open. Returns true if lanes that wait for a phase go on: the
  // phase is over, or they have waited in vain.
  template <class Program>
  constexpr bool look_again([[maybe_unused]] Program& program) {
    bool any = false;
    if constexpr (can_gather<Program> && program_with_phase_waits<Program, mask_type>) {
      if (!gathers_ || !program.waits_for_phases()) return false;
      for (const bool gives_up : {false, true}) {
        for (warp& me : crew_.all()) {
          const mask_type waiting = inside(me);
          if (waiting.none()) continue;
          const basic_group<mask_type> g{me.index, me.first_thread, waiting};
          resume(me, gives_up ? program.give_up(g) : program.gather(g));
          any = any || inside(me) != waiting;
        }
        if (any) break;
      }
    }
    return any;
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

  // The verdict on a run that ends early.
  [[nodiscard]] constexpr verdict_type verdict(outcome how) const { return verdict_on(how, steps_, crew_, halted_); }

  // The end of a run in which every thread has ended.
  template <class Observer>
  constexpr verdict_type finish(Observer& observer) {
    std::uint64_t overhead = 0;
    if constexpr (policy_with_overhead<Policy>)
      for (const warp& me : crew_.all()) overhead += static_cast<std::uint64_t>(me.policy.overhead());
    notify(observer, event::ended{steps_, overhead, crew_.shape().resident_blocks});
    return verdict_type{outcome::finished, steps_, {}, 0, crew_.scope()};
  }

 private:
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

  // The lanes of a warp that wait inside a block.
  static constexpr mask_type inside(const warp& me) {
    mask_type waiting{};
    for (const parked& p : me.waiting)
      if (p.inside) waiting |= p.at.lanes;
    return waiting;
  }
  // Lanes that waited inside a block go on, if all that stopped there together can.
  constexpr void resume(warp& me, const mask_type& go) {
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

  // Handles a policy that has named no fragment although lanes are live.
  constexpr std::optional<outcome> nothing_named(warp& me) {
    mask_type held{};
    if constexpr (policy_with_blocked<Policy>) held = me.policy.blocked();
    for (const fragment_type& place : me.places)
      if (!place.lanes.is_subset_of(held)) return outcome::lost_threads;
    if (me.waiting.empty()) {  // no open barrier can change it
      if constexpr (policy_that_lets_go<Policy>)
        if (me.policy.let_go()) return std::nullopt;
      return outcome::nothing_runnable;
    }
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
                                                  static_cast<std::uint32_t>(out.size()), out});
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

  // Lanes of f have come to the barrier that ends their block: to wait there, or only to be counted.
  template <class Program, class Observer>
  constexpr std::optional<outcome> at_barrier(warp& me, const fragment_type& f, std::span<const fragment_type> out,
                                              Program& program, Observer& observer, bool waits) {
    std::uint32_t id = 0, count = 0;
    if constexpr (program_with_named_barriers<Program>) id = static_cast<std::uint32_t>(program.barrier_id(f.block));
    if constexpr (program_with_barrier_counts<Program>)
      count = static_cast<std::uint32_t>(program.barrier_count(f.block));
    SIMTFLOW_EXPECTS(id < named_barriers, "a thread block has barriers 0 .. named_barriers - 1");
    if (waits) notify(observer, event::waits<mask_type>{steps_ - 1, me.index, f.block, f.lanes, id});
    halted_.barrier = id;
    const auto problem = book_.arrive(crew_, me, {f, id, count, waits, out});
    if (problem || !waits) return problem;
    if (!parks_at_barriers()) {
      me.state = warp_state::waits;
      return std::nullopt;
    }
    SIMTFLOW_EXPECTS(parks(), "a barrier under a policy of wider scope needs its park() and release()");
    if constexpr (parking_policy<Policy>) me.policy.park(f);
    return std::nullopt;
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

  instances<Policy> crew_;
  barrier_book<Policy> book_;
  std::uint64_t steps_ = 0;
  basic_standing<mask_type> halted_{};
  bool gathers_ = false;  // true if lanes may wait inside a block
  bool detecting_ = false;
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
