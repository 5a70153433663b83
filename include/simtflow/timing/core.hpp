// SPDX-License-Identifier: BSL-1.0
//
// A core of the cycle model: resident thread blocks, each with a session of the policy (simt/detail/session.hpp) and a
// program of its own. A fragment that the policy names enters a warp slot and issues the instructions of its block in
// order, at most one a cycle and scheduler (detail/issue_stage.hpp).
//
//   - A block takes effect instruction by instruction, when each of them issues.
//   - The policy hears of the end of a block when its last instruction issues, or, if that is a control instruction,
//     when the outcome is known: after its latency and core.branch_resolve.
//   - If the policy schedules issue, a scheduler asks it for a fragment when none of its slots is ready. Such a fragment
//     stays in flight until the results of its block are there: a pool of warps holds warps that could issue.
//   - A barrier opens the cycle after its last arrival.
//   - A thread block ends when its threads have ended and its results are there; its place is free then.
//   - A block without instructions costs nothing, but after 64 of them in a row a fragment waits for the next cycle.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/detail/session.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/launch.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policy.hpp>
#include <simtflow/simt/program.hpp>
#include <simtflow/simt/verdict.hpp>
#include <simtflow/timing/clock.hpp>
#include <simtflow/timing/detail/issue_stage.hpp>
#include <simtflow/timing/events.hpp>
#include <simtflow/timing/instruction.hpp>
#include <simtflow/timing/load_store_unit.hpp>
#include <simtflow/timing/machine.hpp>
#include <simtflow/timing/memory_system.hpp>
#include <simtflow/timing/program.hpp>
#include <simtflow/timing/report.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace timing {
namespace detail {

// What the cores of a device share.
struct shared_counts {
  std::uint64_t instructions = 0, replays = 0, steps = 0, step_limit = ~std::uint64_t{0};
  program_costs costs;
};

// Tells an observer of the events of one thread block.
template <class Observer>
struct block_observer {
  Observer* observer;
  std::uint64_t number;
  template <class Event>
    requires std::invocable<Observer&, std::uint64_t, const Event&>
  void operator()(const Event& e) const { (*observer)(number, e); }
};

// \tparam Pooled true if one instance of the policy manages all thread blocks of the core (policy_scope::core). They then
// share one session, and Program is a core_program.
template <class Policy, class Program, class Observer, bool Pooled>
class core {
 public:
  using mask_type = typename Policy::mask_type;
  using fragment_type = basic_fragment<mask_type>;

  // \param blocks thread blocks that can be resident, \param shape one of them
  core(const machine& m, std::uint32_t number, const Policy& prototype, const launch& shape, std::uint32_t blocks,
       std::uint32_t warps_per_block, shared_counts& shared, Observer& observer)
      : stage_(m, Pooled ? 1 : blocks, Pooled ? blocks * warps_per_block : warps_per_block),
        memory_unit_(m, number),
        shape_(shape),
        number_(number),
        warps_(Pooled ? blocks * warps_per_block : warps_per_block),
        shared_(&shared),
        observer_(&observer),
        can_(abilities_of(prototype)),
        by_warp_(can_.scope == policy_scope::warp && !can_.overlaps),
        places_(blocks) {
    if (Pooled) shape_.resident_blocks = blocks;
    residents_.reserve(Pooled ? 1 : blocks);
    for (std::uint32_t b = 0; b < (Pooled ? 1 : blocks); ++b) residents_.emplace_back(prototype);
  }

  // Gives a resident its program: with Pooled there is one resident, else one for each place.
  void set_program(std::uint32_t resident_number, std::unique_ptr<Program> program) {
    residents_[resident_number].program_of = std::move(program);
  }

  // The first place without a thread block; num_places() if there is none.
  [[nodiscard]] std::uint32_t free_place() const {
    std::uint32_t p = 0;
    while (p < places_.size() && places_[p].busy) ++p;
    return p;
  }
  [[nodiscard]] std::uint32_t num_places() const { return static_cast<std::uint32_t>(places_.size()); }
  [[nodiscard]] std::uint64_t num_ended() const { return num_ended_; }

  // Thread block `number` of the grid comes to a free place; its warps may issue at `now`.
  void start_block(std::uint32_t p, std::uint64_t number, cycle now) {
    if (num_busy_++ == 0) stage_.begin(now);
    places_[p] = {true, number, never};
    if constexpr (std::invocable<Observer&, const thread_block_started&>)
      (*observer_)(thread_block_started{now, number_, p, number});
    resident& r = residents_[Pooled ? 0 : p];
    if (!Pooled || !r.busy) start_session(r, number, now);
    if constexpr (Pooled) {
      r.program().start(p, number);
      r.work.join(p);
    }
    r.finished = false;
    r.changed = true;
    fill_all(r, now, now);
  }

  // The first half of a cycle: results of memory, outcomes of branches, thread blocks that end.
  void collect(cycle now, memory_system& memory) {
    if (num_busy_ != 0) count_until(now);
    memory_unit_.advance(now, memory);
    take_completions(now);
    for (std::uint32_t s = stage_.resolved(0, now); s != no_slot && !stopped_; s = stage_.resolved(s + 1, now)) {
      flight& f = flights_[s];
      finish(s, f.end, f.out, now, now);
    }
    for (resident& r : residents_) {
      if (r.changed) find_end(r, now);
      if (!Pooled && r.finished && r.loads == 0) places_[index_of(r)].ends_at = r.ready_at;
    }
    for (std::uint32_t p = 0; p < places_.size(); ++p)
      if (places_[p].busy && places_[p].ends_at <= now) retire(p);
  }

  // The second half: each scheduler issues, barriers open.
  void issue(cycle now, memory_system& memory) {
    if (num_busy_ == 0) {
      next_event_ = memory_unit_.next_event();
      return;
    }
    count_until(now);
    asks_ = any_asks();
    bool issued = false;
    for (std::uint32_t i = 0; i < stage_.num_schedulers() && !stopped_; ++i) {
      const stall_cause blocked = memory_unit_.blocked(now);
      std::uint32_t slot = stage_.choose(i, now, blocked);
      if (slot == no_slot && can_.schedules_issue && ask_policy(i, now)) slot = stage_.choose(i, now, blocked);
      if (slot == no_slot) {
        show_held();
        count_cycle(i, now, stage_.without_issue(i, now, blocked));
      } else {
        count_cycle(i, now, cycle_class::issued);
        issue_slot(i, slot, now, memory);
        issued = true;
      }
    }
    stage_.counted(now);
    take_completions(now);
    cycle next = memory_unit_.next_event();
    for (resident& r : residents_) {
      if (r.changed) open_barriers(r, now);
      if (r.changed) next = std::min(next, now + 1);  // blocks without instructions came to the next barrier
      if (!Pooled && r.finished && r.loads == 0) places_[index_of(r)].ends_at = std::max(r.ready_at, now + 1);
    }
    for (const place& p : places_)
      if (p.busy) next = std::min(next, p.ends_at);
    next = std::min(next, stage_.next_event(now, memory_unit_.ready_at()));
    if (any_asks()) next = std::min(next, asks_at(now));
    if (issued && stage_.notes_ready()) next = now + 1;
    if (next > now + 1) {
      show_held();
      stage_.rest(now, memory_unit_.blocked(now + 1));
    }
    next_event_ = next;
  }

  // After issue(): the next cycle in which the core can do something by what it knows; `never`: it waits for memory.
  [[nodiscard]] cycle next_event() const { return next_event_; }
  void wake(cycle at) { next_event_ = std::min(next_event_, at); }
  // The cycle by which all results of thread blocks that have ended were there.
  [[nodiscard]] cycle ended_at() const { return ended_at_; }

  // The outcome that ended the run here, and the verdict on its thread block.
  [[nodiscard]] std::optional<outcome> stopped() const { return stopped_; }
  [[nodiscard]] std::uint64_t stopped_block() const { return places_[Pooled ? first_busy() : stopped_home_].number; }
  // \param resident_number 0 with Pooled, else the place of a thread block
  void stop(outcome how, std::uint32_t resident_number) {
    stopped_ = how;
    stopped_home_ = resident_number;
  }
  void stop_first(outcome how) { stop(how, Pooled ? 0 : first_busy()); }
  [[nodiscard]] bool busy() const { return num_busy_ != 0; }
  [[nodiscard]] basic_verdict<mask_type> verdict() {
    resident& r = residents_[stopped_home_];
    for (std::uint32_t s = 0; s < stage_.num_slots(); ++s)  // lanes in flight stand where their block begins
      if (stage_.used(s) && flights_[s].home == stopped_home_)
        r.work.crew().all()[flights_[s].instance].places.push_back(flights_[s].at);
    return r.work.verdict(*stopped_);
  }

  [[nodiscard]] const cycle_counts& counts() const { return stage_.counts(); }
  [[nodiscard]] core_memory_counts memory_counts() const { return memory_unit_.counts(); }

 private:
  using session_type = simtflow::detail::session<Policy>;
  using instance_type = typename session_type::warp;
  using step_end = simtflow::detail::step_end;
  using instance_state = simtflow::detail::instance_state;

  static constexpr std::uint32_t most_empty_blocks = 64;
  static constexpr std::uint32_t no_scheduler = 0xFFFF'FFFFU;

  // A place for a thread block.
  struct place {
    bool busy = false;
    std::uint64_t number = 0;
    cycle ends_at = never;  // when it is free again, once that is known
  };
  // Results that lanes of an instance wait for, between two fragments.
  struct tail {
    std::uint32_t instance = 0;
    mask_type lanes{};
    std::vector<result_token> results{};
  };
  // A session and its program: for a thread block, or for all of them (Pooled).
  struct resident {
    explicit resident(const Policy& prototype) : work(prototype) {}
    std::unique_ptr<Program> program_of{};
    session_type work;
    bool busy = false, finished = false;
    bool changed = false;                    // fragments have ended since look_after()
    std::uint64_t number = 0, sequence = 0;  // of its thread block; Pooled: of the core
    std::uint32_t in_flight = 0;             // fragments
    std::uint32_t loads = 0;                 // memory instructions under way
    cycle ready_at = 0;                      // when all known results are there
    std::vector<std::uint32_t> flying{};     // by instance: fragments in flight
    std::vector<tail> tails{};               // the first num_tails
    std::size_t num_tails = 0;
    bool asks = false;         // the policy schedules issue, and may have a fragment
    bool holds_shown = false;  // held places are up to date
    [[nodiscard]] Program& program() { return *program_of; }
  };
  // The fragment in a slot.
  struct flight {
    fragment_type at{};
    std::uint32_t home = 0, instance = 0;  // resident, and its instance
    std::uint32_t next = 0, weight = 0;    // instructions
    std::uint32_t groups = 0;              // as event::issued; 0: begun already
    bool replays = false;                  // the next instruction has issued before
    instruction what{};                    // the next one
    block_end end = block_end::next;
    std::vector<fragment_type> out{};
  };
  struct load {
    std::uint32_t home = 0;  // resident
    cycle delay = 0;
  };
  [[nodiscard]] block_observer<Observer> observer(const resident& r) const { return {observer_, r.number}; }
  [[nodiscard]] std::uint32_t index_of(const resident& r) const {
    return static_cast<std::uint32_t>(&r - residents_.data());
  }
  [[nodiscard]] static std::span<const std::uint32_t> registers_of(const Program& p, const struct instruction& in) {
    return std::span<const std::uint32_t>(p.registers()).subspan(in.first_register, std::size_t{in.reads} + in.writes);
  }

  void start_session(resident& r, std::uint64_t number, cycle now) {
    r.busy = true;
    r.number = Pooled ? number_ : number;
    r.sequence = num_started_++;
    r.in_flight = r.loads = 0;
    r.asks = false;
    r.ready_at = now;
    while (r.num_tails != 0) stage_.results().drop(r.tails[--r.num_tails].results);
    if constexpr (program_of_grid<Program>) r.program().select_block_number(number);
    auto told = observer(r);
    r.work.start(r.program(), shape_, false, told, Pooled);
    r.flying.assign(r.work.crew().all().size(), 0);
  }
  [[nodiscard]] std::uint32_t first_busy() const {
    std::uint32_t p = 0;
    while (p < places_.size() && !places_[p].busy) ++p;
    return p;
  }
  [[nodiscard]] std::uint64_t thread_block_of(const resident& r, const flight& f) const {
    return Pooled ? places_[f.at.lanes.first() / shape_.threads].number : r.number;
  }

  // --- fragments ----------------------------------------------------------------------------------------------------

  // Lets every instance that runs have its fragments. They may issue from `earliest` on.
  void fill_all(resident& r, cycle earliest, cycle now) {
    for (instance_type& me : r.work.crew().all()) fill(r, me, earliest, now);
  }

  void fill(resident& r, instance_type& me, cycle earliest, cycle now) {
    if constexpr (can_gather)
      if (me.comes) r.work.gather(me, r.program());
    r.holds_shown = false;
    if (can_.schedules_issue) {
      r.asks = true;
      return;
    }
    std::uint32_t empty_blocks = 0;
    while (me.state == instance_state::runs && !stopped_ && (can_.overlaps || r.flying[me.index] == 0))
      if (!take(r, me, no_scheduler, empty_blocks, earliest, now)) return;
  }

  [[nodiscard]] bool any_asks() const {
    bool any = false;
    if (can_.schedules_issue)
      for (const resident& r : residents_) any = any || (r.busy && r.asks);
    return any;
  }
  // A scheduler without ready slot asks the policy for a fragment of the oldest thread block that has one. Returns true
  // if one is in a slot.
  bool ask_policy(std::uint32_t scheduler, cycle now) {
    if (!asks_ || !stage_.takes(now) || stage_.any_ready(scheduler, now)) return false;
    bool taken = false;
    std::uint64_t after = 0;  // thread blocks from this number on have not been asked
    while (!taken && !stopped_) {
      resident* oldest = nullptr;
      for (resident& r : residents_)
        if (r.busy && r.asks && r.sequence >= after && (oldest == nullptr || r.sequence < oldest->sequence))
          oldest = &r;
      if (oldest == nullptr) return false;
      after = oldest->sequence + 1;
      if (stage_.empty_slot_of(scheduler, stage_.first_place(index_of(*oldest)), warps_) == no_slot) continue;
      oldest->asks = false;
      std::uint32_t empty_blocks = 0;
      for (instance_type& me : oldest->work.crew().all()) {
        const std::uint32_t before = oldest->in_flight;
        while (me.state == instance_state::runs && !stopped_ && oldest->in_flight == before)
          if (!take(*oldest, me, scheduler, empty_blocks, now, now)) break;
        taken = oldest->in_flight != before;
        if (taken) break;
      }
      oldest->asks = taken;
      oldest->holds_shown = false;
    }
    return taken;
  }
  // Whether a scheduler will ask the policy again in the cycle after `now`, or when a unit is free: when.
  [[nodiscard]] cycle asks_at(cycle now) const {
    for (std::uint32_t i = 0; i < stage_.num_schedulers(); ++i)
      if (!stage_.any_ready(i, now + 1)) return std::max(stage_.takes_at(), now + 1);
    return never;
  }

  // The policy names a fragment of an instance: it enters a slot, of one scheduler if one is given. Returns false if
  // the policy names none. \param empty_blocks blocks without instructions that have run here
  bool take(resident& r, instance_type& me, std::uint32_t scheduler, std::uint32_t& empty_blocks, cycle earliest,
            cycle now) {
    std::optional<fragment_type> chosen;
    if constexpr (overlapping_policy<Policy>)
      chosen = can_.overlaps ? me.policy.take() : me.policy.next();
    else
      chosen = me.policy.next();
    if (!chosen) {
      if (r.flying[me.index] == 0) settle(step_end::nothing_named, r, me, {});
      return false;
    }
    const std::uint32_t groups = r.work.choose(me, *chosen);
    if (groups == 0) {
      stop(outcome::policy_error, index_of(r));
      return false;
    }
    const auto weight = static_cast<std::uint32_t>(r.program().weight(chosen->block));
    if (weight == 0 && ++empty_blocks <= most_empty_blocks)
      run_empty(r, me, *chosen, groups);
    else
      put_in_slot(r, me, *chosen, groups, weight, scheduler, earliest, now);
    return true;
  }

  // A block without instructions.
  void run_empty(resident& r, instance_type& me, const fragment_type& f, std::uint32_t groups) {
    if (!begin_block(r, me, f, groups)) {
      me.places.push_back(f);
      return;
    }
    out_.clear();
    const block_end end = r.program().run(f.block, basic_group<mask_type>{me.index, me.first_thread, f.lanes}, out_);
    auto told = observer(r);
    const step_end how = r.work.ended(end, me, f, out_.fragments(), told);
    r.changed = true;
    if (how != step_end::moved) settle(how, r, me, out_.fragments());
  }

  // Returns false if the limit on blocks ends the run.
  bool begin_block(resident& r, instance_type& me, const fragment_type& f, std::uint32_t groups) {
    if (shared_->steps == shared_->step_limit) {
      stop(outcome::step_limit, index_of(r));
      return false;
    }
    auto told = observer(r);
    r.work.report_issue(me, f, groups, r.program(), told);
    r.work.count_step();
    ++shared_->steps;
    return true;
  }

  void put_in_slot(resident& r, instance_type& me, const fragment_type& f, std::uint32_t groups, std::uint32_t weight,
                   std::uint32_t scheduler, cycle earliest, cycle now) {
    const std::uint32_t home = index_of(r);
    const bool by_warp = can_.scope == policy_scope::warp;
    const std::uint32_t first = stage_.first_place(home);
    const std::uint32_t slot = scheduler != no_scheduler ? stage_.empty_slot_of(scheduler, first, warps_)
                               : by_warp                 ? stage_.empty_slot(first + me.index, 1)
                                                         : stage_.empty_slot(first, warps_);
    if (flights_.size() < stage_.num_slots()) flights_.resize(stage_.num_slots());
    flight& to = flights_[slot];
    to.at = f;
    to.home = home;
    to.instance = me.index;
    to.next = 0;
    to.weight = weight;
    to.groups = groups;
    to.replays = false;
    ++r.flying[me.index];
    ++r.in_flight;
    inherit(r, me.index, f.lanes);
    stage_.enter(slot, home, r.sequence, held_results_);
    if (weight == 0) {  // one of many empty blocks in a row: it ends in the next cycle
      to.end = block_end::next;
      to.out.assign(1, f);
      stage_.resolve(slot, now + 1);
      return;
    }
    if constexpr (can_gather)
      if (me.inside.any() && (me.inside & f.lanes).any()) {
        me.inside -= f.lanes;
        to.next = static_cast<std::uint32_t>(
            r.program().resumed_at(f.block, basic_group<mask_type>{me.index, me.first_thread, f.lanes}));
        to.groups = 0;
        to.replays = true;
      }
    point_to_next(r, slot, earliest, now);
  }

  void point_to_next(resident& r, std::uint32_t slot, cycle earliest, cycle now) {
    flight& f = flights_[slot];
    f.what = r.program().instruction_at(f.at.block, f.next);
    stage_.next(slot, f.what, registers_of(r.program(), f.what), earliest, now);
  }

  // Moves the results that some lanes wait for into held_results_; a warp with one fragment in flight has one
  // scoreboard for all of its lanes.
  void inherit(resident& r, std::uint32_t instance, const mask_type& lanes) {
    held_results_.clear();
    for (std::size_t i = 0; i < r.num_tails;) {
      tail& t = r.tails[i];
      if (t.instance != instance || (!by_warp_ && (t.lanes & lanes).none())) {
        ++i;
        continue;
      }
      t.lanes -= lanes;
      if (!by_warp_ && t.lanes.any()) {
        stage_.results().hold(t.results);
        held_results_.insert(held_results_.end(), t.results.begin(), t.results.end());
        ++i;
        continue;
      }
      held_results_.insert(held_results_.end(), t.results.begin(), t.results.end());
      t.results.clear();
      std::swap(t, r.tails[--r.num_tails]);
    }
  }

  // The fragment of a slot leaves it with the results that it still waits for.
  void leave_slot(resident& r, std::uint32_t slot, std::span<const fragment_type> out, cycle now) {
    flight& f = flights_[slot];
    --r.flying[f.instance];
    --r.in_flight;
    r.changed = true;
    if (r.num_tails == r.tails.size()) r.tails.emplace_back();
    tail& t = r.tails[r.num_tails];
    stage_.leave(slot, now, t.results);
    t.instance = f.instance;
    t.lanes = mask_type{};
    for (const fragment_type& o : out) t.lanes |= o.lanes;
    if (!by_warp_ && t.lanes.none()) stage_.results().drop(t.results);
    if (!t.results.empty()) ++r.num_tails;
  }

  // A slot's fragment has run its block, or has stopped in it.
  void finish(std::uint32_t slot, block_end end, std::span<const fragment_type> out, cycle earliest, cycle now) {
    const fragment_type f = flights_[slot].at;
    resident& r = residents_[flights_[slot].home];
    instance_type& me = r.work.crew().all()[flights_[slot].instance];
    auto told = observer(r);
    if (flights_[slot].weight == 0) {  // has not run at all
      const std::uint32_t groups = flights_[slot].groups;
      leave_slot(r, slot, out, now);
      run_empty(r, me, f, groups);
      return fill(r, me, earliest, now);
    }
    const std::span<const fragment_type> stays(&f, 1);
    leave_slot(r, slot, end == block_end::collective || end == block_end::fault ? stays : out, now);
    const step_end how = r.work.ended(end, me, f, out, told);
    if (how != step_end::moved) settle(how, r, me, out);
    if (!stopped_) fill(r, me, earliest, now);
  }

  void settle(step_end how, resident& r, instance_type& me, std::span<const fragment_type> out) {
    auto told = observer(r);
    const auto problem = r.work.settle(how, me, out, r.program(), told);
    r.changed = true;
    if (problem) stop(*problem, index_of(r));
  }

  // --- issue --------------------------------------------------------------------------------------------------------

  void issue_slot(std::uint32_t scheduler, std::uint32_t slot, cycle now, memory_system& memory) {
    flight& f = flights_[slot];
    resident& r = residents_[f.home];
    instance_type& me = r.work.crew().all()[f.instance];
    if (f.groups != 0) {
      if (!begin_block(r, me, f.at, f.groups)) return;
      f.groups = 0;
    }
    const instruction what = f.what;
    issue_effect<mask_type> effect{f.at.lanes, {}};
    out_.clear();
    const block_end end = r.program().issue(
        f.at.block, f.next, basic_group<mask_type>{me.index, me.first_thread, f.at.lanes}, out_, effect);
    const std::uint32_t lanes = f.at.lanes.count(), off = lanes - effect.on.count();
    if constexpr (std::invocable<Observer&, const instruction_issued<mask_type>&>)
      (*observer_)(instruction_issued<mask_type>{now, number_, scheduler, slot, thread_block_of(r, f), me.index,
                                                 f.at.block, f.next, what.kind, f.at.lanes, effect.on});
    if (off != 0) report_off(r, me, f, effect.on);
    const cycle ready = stage_.issue(scheduler, slot, what.kind, now, lanes, off);
    count(f, slot, now, lanes, off);
    r.ready_at = std::max(r.ready_at, ready);
    track(r, slot, what, effect, ready, now, memory);

    const bool last = f.next + 1 == f.weight;
    if (end == block_end::fault || end == block_end::collective) {
      finish(slot, end, out_.fragments(), now + 1, now);
    } else if (!last) {
      ++f.next;
      f.replays = false;
      point_to_next(r, slot, now + 1, now);
    } else if (what.kind == instruction_class::control || (can_.schedules_issue && end == block_end::next)) {
      const bool branch = what.kind == instruction_class::control;
      const cycle known = branch ? ready + stage_.branch_resolve() : now + 1;
      f.end = end;
      f.out.assign(out_.fragments().begin(), out_.fragments().end());
      if (can_.schedules_issue)
        stage_.drain(slot, known);
      else
        stage_.resolve(slot, known);
    } else {
      finish(slot, end, out_.fragments(), now + 1, now);
    }
  }

  // Opens the result of an instruction that issues, and gives its accesses to the load/store unit.
  void track(resident& r, std::uint32_t slot, const struct instruction& what, const issue_effect<mask_type>& effect,
             cycle ready, cycle now, memory_system& memory) {
    const auto writes = registers_of(r.program(), what).subspan(what.reads);
    if (accesses_memory(what.kind) && !effect.accesses.empty()) {
      const result_token t = stage_.open(slot, writes, never);
      if (t >= loads_.size()) loads_.resize(std::size_t{t} + 1);
      loads_[t] = {index_of(r), ready - now - 1};
      ++r.loads;
      memory_unit_.issue(now, t, effect.accesses, Pooled ? 0 : index_of(r) * shape_.threads, memory);
    } else if (what.kind != instruction_class::barrier && stage_.results().tracks(what)) {
      (void)stage_.open(slot, writes, ready);
    }
  }

  void count(const flight& f, std::uint32_t slot, cycle now, std::uint32_t lanes, std::uint32_t off) {
    ++(f.replays ? shared_->replays : shared_->instructions);
    instruction_costs& row = shared_->costs.at(f.at.block, f.next, f.weight);
    if (!f.replays) {
      ++row.issues;
      row.lanes += lanes;
      row.predicated_off += off;
    }
    const cycle waited = now - stage_.earliest(slot);
    row.wait_cycles += waited;
    if (stage_.waited_for_memory(slot)) row.memory_cycles += waited;
  }

  // Counts the cycles before `now` in which nothing happened.
  void count_until(cycle now) {
    const cycle first = stage_.counted_until();
    if (now <= first) return;
    if constexpr (std::invocable<Observer&, const cycles_passed&>)
      for (std::uint32_t i = 0; i < stage_.num_schedulers(); ++i)
        (*observer_)(cycles_passed{first, now - first, number_, i, stage_.resting(i)});
    stage_.count_until(now);
  }
  void count_cycle(std::uint32_t scheduler, [[maybe_unused]] cycle now, cycle_class kind) {
    if constexpr (std::invocable<Observer&, const cycles_passed&>)
      (*observer_)(cycles_passed{now, 1, number_, scheduler, kind});
    stage_.count(kind);
  }

  void report_off(resident& r, const instance_type& me, const flight& f, const mask_type& on) {
    auto told = observer(r);
    simtflow::detail::notify(
        told, event::predicated_off<mask_type>{r.work.steps() - 1, me.index, f.at.block, f.next, f.at.lanes - on});
  }

  void take_completions(cycle now) {
    for (const completion& c : memory_unit_.completions()) {
      const load& l = loads_[c.token];
      resident& r = residents_[l.home];
      --r.loads;
      r.ready_at = std::max(r.ready_at, c.at + l.delay);
      stage_.settle(c.token, l.home, c.at + l.delay, now);
    }
    memory_unit_.clear_completions();
  }

  // --- thread blocks ------------------------------------------------------------------------------------------------

  // At the end of a cycle: barriers open for the next one.
  void open_barriers(resident& r, cycle now) {
    if (stopped_ || !r.busy) return;
    auto told = observer(r);
    r.changed = false;
    if (r.work.book().changed() && r.work.open_barriers(told)) fill_all(r, now + stage_.barrier_latency(), now);
    if (find_end(r, now + 1) || r.in_flight != 0 || stopped_) return;
    for (const instance_type& me : r.work.crew().all())
      if (me.state == instance_state::runs) return;  // the policy has not been asked yet
    if (r.work.let_go()) fill_all(r, now + 1, now);
    if (r.in_flight == 0 && !r.asks && !stopped_ && !find_end(r, now + 1)) stop(r.work.stuck(), index_of(r));
  }

  // True if all threads have ended, at `at` at the latest.
  bool find_end(resident& r, cycle at) {
    if (stopped_ || !r.busy) return false;
    if constexpr (Pooled) {
      for (std::uint32_t p = 0; p < places_.size(); ++p)
        if (places_[p].busy && places_[p].ends_at == never &&
            (r.work.crew().all().front().live & r.work.crew().lanes_of_block(p)).none())
          places_[p].ends_at = at;
    }
    if (r.in_flight != 0) return false;
    if (r.finished) return true;
    for (const instance_type& me : r.work.crew().all())
      if (me.state != instance_state::done) return false;
    r.finished = true;
    r.ready_at = std::max(r.ready_at, at);
    return true;
  }

  void retire(std::uint32_t p) {
    places_[p].busy = false;
    --num_busy_;
    ++num_ended_;
    ended_at_ = std::max(ended_at_, places_[p].ends_at);
    if constexpr (std::invocable<Observer&, const thread_block_ended&>)
      (*observer_)(thread_block_ended{places_[p].ends_at, number_, p, places_[p].number});
    resident& r = residents_[Pooled ? 0 : p];
    if (Pooled && num_busy_ != 0) return;
    auto told = observer(r);
    r.work.finish(told);
    if (Pooled) return;
    r.busy = r.finished = false;
    for (std::uint32_t w = 0; w < warps_; ++w) stage_.hold(stage_.first_place(p) + w, held::no);
  }

  // Shows the stage which warps wait at barriers or for other threads.
  void show_held() {
    for (resident& r : residents_)
      if (r.busy && !r.holds_shown) {
        r.holds_shown = true;
        const std::uint32_t first = stage_.first_place(index_of(r));
        if (can_.scope == policy_scope::warp) {
          for (const instance_type& me : r.work.crew().all()) stage_.hold(first + me.index, why_held(r, me));
        } else {
          const instance_type& me = r.work.crew().all().front();
          mask_type rest = me.live;
          for (std::uint32_t s = 0; s < stage_.num_slots(); ++s)
            if (stage_.used(s) && flights_[s].home == index_of(r)) rest -= flights_[s].at.lanes;
          std::uint32_t waiting = (rest.count() + shape_.warp_width - 1) / shape_.warp_width;
          const held why = me.waiting.empty() ? held::reconvergence : held::barrier;
          for (std::uint32_t w = 0; w < warps_; ++w) {
            const bool is_held = !stage_.used(first + w) && waiting != 0;
            if (is_held) --waiting;
            stage_.hold(first + w, is_held ? why : held::no);
          }
        }
      }
  }
  [[nodiscard]] held why_held(const resident& r, const instance_type& me) const {
    if (r.flying[me.index] != 0 || me.live.none()) return held::no;
    return me.waiting.empty() ? held::reconvergence : held::barrier;
  }

  static constexpr bool can_gather =
      timed_program_with_collectives<Program, mask_type> && session_type::template can_gather<Program>;

  issue_stage stage_;
  load_store_unit memory_unit_;
  launch shape_;
  std::uint32_t number_;
  std::uint32_t warps_;
  shared_counts* shared_;
  Observer* observer_;
  policy_abilities can_;
  bool by_warp_;  // the results of a warp's fragments hold up all of its lanes
  std::vector<place> places_;
  std::vector<resident> residents_;
  std::vector<flight> flights_;  // by slot
  std::vector<load> loads_;      // by result
  std::vector<result_token> held_results_;
  basic_partition<mask_type> out_;
  std::uint32_t num_busy_ = 0, stopped_home_ = 0;
  std::uint64_t num_started_ = 0, num_ended_ = 0;
  bool asks_ = false;  // any thread block asks
  cycle next_event_ = never, ended_at_ = 0;
  std::optional<outcome> stopped_;
};

}  // namespace detail
}  // namespace timing
}  // namespace v0
}  // namespace simtflow
