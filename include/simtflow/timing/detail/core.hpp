// SPDX-License-Identifier: BSL-1.0
//
// A core of the cycle model: resident thread blocks, each with a session of the policy (simt/detail/session.hpp) and a
// program of its own. A fragment that the policy names enters a warp slot (detail/fragments.hpp) and issues the
// instructions of its block in order, at most one a cycle and scheduler (detail/issue_stage.hpp).
//
//   - A block takes effect instruction by instruction, when each of them issues.
//   - The policy hears of the end of a block when its last instruction issues, or, if that is a control instruction,
//     when the outcome is known: after its latency and core.branch_resolve.
//   - If the policy schedules issue, a scheduler asks it for a fragment when none of its slots is ready. Such a
//     fragment stays in flight until the results of its block are there: a pool holds warps that could issue.
//   - Operations that a policy counts as overhead() issue before the fragment that the policy names next, one in each
//     issue slot, as simple instructions.
//   - A barrier opens the cycle after its last arrival.
//   - A thread block ends when its threads have ended and its results are there; its place is free then.
//   - A block without instructions costs nothing, but after 64 of them in a row a fragment waits for the next cycle.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/launch.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policy.hpp>
#include <simtflow/simt/program.hpp>
#include <simtflow/simt/verdict.hpp>
#include <simtflow/timing/clock.hpp>
#include <simtflow/timing/detail/fragments.hpp>
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

// \tparam Pooled true if one instance of the policy manages all thread blocks of the core (policy_scope::core). They
// then share one session, and Program is a core_program.
template <class Policy, class Program, class Observer, bool Pooled>
class core : public fragments<Policy, Program, Observer, Pooled> {
  using base = fragments<Policy, Program, Observer, Pooled>;

 public:
  using typename base::fragment_type;
  using typename base::mask_type;

  // \param blocks thread blocks that can be resident, \param shape one of them
  core(const machine& m, std::uint32_t number, const Policy& prototype, const launch& shape, std::uint32_t blocks,
       std::uint32_t warps_per_block, shared_counts& shared, Observer& observer)
      : base(m, number, prototype, shape, blocks, warps_per_block, shared, observer),
        memory_unit_(m, number),
        places_(blocks) {}

  // Gives a resident its program: with Pooled there is one resident, else one for each place.
  void set_program(std::uint32_t resident_number, std::unique_ptr<Program> program) {
    residents_[resident_number].program_of = std::move(program);
  }
  // Gives a resident a prototype of its own.
  void set_policy(std::uint32_t resident_number, const Policy& prototype) {
    residents_[resident_number].work = typename base::session_type(prototype);
  }

  // The first place without a thread block; num_places() if there is none.
  [[nodiscard]] std::uint32_t free_place() const {
    std::uint32_t p = 0;
    while (p < places_.size() && places_[p].busy) ++p;
    return p;
  }
  [[nodiscard]] std::uint32_t num_places() const { return static_cast<std::uint32_t>(places_.size()); }

  // Thread block `number` of the grid comes to a free place; its warps may issue at `now`.
  void start_block(std::uint32_t p, std::uint64_t number, cycle now) {
    if (num_busy_++ == 0) stage_.begin(now);
    places_[p] = {true, number, never};
    if constexpr (std::invocable<Observer&, const thread_block_started&>)
      (*observer_)(thread_block_started{now, number_, p, number});
    resident& r = residents_[Pooled ? 0 : p];
    if (!Pooled || !r.busy) this->start_session(r, number, now);
    if constexpr (Pooled) {
      r.program().start(p, number);
      r.work.join(p);
      live_ = r.work.crew().all().front().live;
    }
    r.finished = false;
    r.changed = true;
    this->fill_all(r, now, now);
  }

  // The first half of a cycle: results of memory, outcomes of branches, thread blocks that end. Returns the number of
  // thread blocks that have ended.
  std::uint32_t collect(cycle now, memory_system& memory) {
    if (num_busy_ != 0) count_until(now);
    memory_unit_.advance(now, memory);
    take_completions(now);
    for (std::uint32_t s = stage_.resolved(0, now); s != no_slot && !stopped_; s = stage_.resolved(s + 1, now)) {
      flight& f = flights_[s];
      this->finish(s, f.end, f.out, now, now);
    }
    for (resident& r : residents_) {
      if (r.changed) find_end(r, now);
      if (!Pooled && r.finished && r.loads == 0) places_[this->index_of(r)].ends_at = r.ready_at;
    }
    std::uint32_t ended = 0;
    for (std::uint32_t p = 0; p < places_.size(); ++p)
      if (places_[p].busy && places_[p].ends_at <= now) {
        retire(p);
        ++ended;
      }
    return ended;
  }

  // The second half: each scheduler issues, barriers open.
  void issue(cycle now, memory_system& memory) {
    if (num_busy_ == 0) {
      next_event_ = memory_unit_.next_event();
      return;
    }
    count_until(now);
    fetch_code(now, memory);
    asks_ = this->any_asks();
    bool issued = false;
    for (std::uint32_t i = 0; i < stage_.num_schedulers() && !stopped_; ++i) {
      const stall_cause blocked = memory_unit_.blocked(now);
      std::uint32_t slot = stage_.choose(i, now, blocked);
      if (slot == no_slot && can_.schedules_issue && this->ask_policy(i, now)) slot = stage_.choose(i, now, blocked);
      if (slot == no_slot) {
        this->show_held();
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
      if (!Pooled && r.finished && r.loads == 0) places_[this->index_of(r)].ends_at = std::max(r.ready_at, now + 1);
    }
    for (const place& p : places_)
      if (p.busy) next = std::min(next, p.ends_at);
    next = std::min(next, stage_.next_event(now, memory_unit_.ready_at()));
    if (this->any_asks()) next = std::min(next, this->asks_at(now));
    if ((issued && stage_.notes_ready()) || this->has_new_fetch_) next = now + 1;
    if (next > now + 1) {
      this->show_held();
      stage_.rest(now, memory_unit_.blocked(now + 1));
    }
    next_event_ = next;
  }

  // After issue(): the next cycle in which the core can do something by what it knows; `never`: it waits for memory.
  [[nodiscard]] cycle next_event() const { return next_event_; }
  void wake(cycle at) { next_event_ = std::min(next_event_, at); }
  // The cycle by which all results of thread blocks that have ended were there.
  [[nodiscard]] cycle ended_at() const { return ended_at_; }

  [[nodiscard]] bool busy() const { return num_busy_ != 0; }
  // The run ends here, for all that the core knows in its first thread block. \pre busy()
  void stop_first(outcome how) { this->stop(how, Pooled ? 0 : first_busy()); }
  // \pre stopped()
  [[nodiscard]] std::uint64_t stopped_block() const {
    return places_[Pooled ? first_busy() : this->stopped_home()].number;
  }

  [[nodiscard]] const cycle_counts& counts() const { return stage_.counts(); }
  // Adds the counts of the policy that manages all thread blocks of the core. Other instances have told theirs.
  void add_pooled_work(policy_work& sum) const {
    if (Pooled) add_work(residents_.front(), sum);
  }
  [[nodiscard]] core_memory_counts memory_counts() const { return memory_unit_.counts(); }

 private:
  using base::asks_;
  using base::can_;
  using base::flights_;
  using base::number_;
  using base::observer_;
  using base::out_;
  using base::residents_;
  using base::shape_;
  using base::shared_;
  using base::stage_;
  using base::stopped_;
  using typename base::flight;
  using typename base::instance_state;
  using typename base::instance_type;
  using typename base::resident;

  // A place for a thread block.
  struct place {
    bool busy = false;
    std::uint64_t number = 0;
    cycle ends_at = never;  // when it is free again, once that is known
  };
  // A memory instruction under way.
  struct load {
    std::uint32_t home = 0;  // resident
    cycle delay = 0;
  };

  [[nodiscard]] std::uint32_t first_busy() const {
    std::uint32_t p = 0;
    while (p < places_.size() && !places_[p].busy) ++p;
    return p;
  }
  static void add_work(const resident& r, policy_work& sum) {
    for (const instance_type& me : r.work.crew().all()) sum += work_of(me.policy);
  }
  [[nodiscard]] std::uint64_t thread_block_of(const resident& r, const flight& f) const {
    return Pooled ? places_[f.at.lanes.first() / shape_.threads].number : r.number;
  }

  // --- issue --------------------------------------------------------------------------------------------------------

  void issue_slot(std::uint32_t scheduler, std::uint32_t slot, cycle now, memory_system& memory) {
    flight& f = flights_[slot];
    resident& r = residents_[f.home];
    instance_type& me = r.work.crew().all()[f.instance];
    if (f.operations != 0) return issue_operation(scheduler, slot, r, now);
    if (f.groups != 0) {
      if (!this->begin_block(r, me, f.at, f.groups)) return;
      f.groups = 0;
    }
    const instruction what = f.what;
    issue_effect<mask_type> effect{f.at.lanes, {}};
    out_.clear();
    if constexpr (program_with_clock<Program>) r.program().set_clock(now);
    const block_end end = r.program().issue(
        f.at.block, f.next, basic_group<mask_type>{me.index, me.first_thread, f.at.lanes}, out_, effect);
    const std::uint32_t lanes = f.at.lanes.count(), off = effect.on == f.at.lanes ? 0 : lanes - effect.on.count();
    if constexpr (std::invocable<Observer&, const instruction_issued<mask_type>&>)
      (*observer_)(instruction_issued<mask_type>{now, number_, scheduler, slot, thread_block_of(r, f), me.index,
                                                 f.at.block, f.next, what.kind, f.at.lanes, effect.on, f.replays,
                                                 now - stage_.earliest(slot), stage_.waited_for_memory(slot)});
    if (off != 0) report_off(r, me, f, effect.on);
    const cycle ready = stage_.issue(scheduler, slot, what, now, lanes, off);
    count(f, slot, now, lanes, off);
    r.ready_at = std::max(r.ready_at, ready);
    track(r, slot, what, effect, ready, now, memory);

    const bool last = f.next + 1 == f.weight;
    if (what.kind == instruction_class::control) f.line = base::no_line;
    if (end == block_end::fault || end == block_end::collective) {
      this->finish(slot, end, out_.fragments(), now + 1, now);
    } else if (!last) {
      ++f.next;
      f.replays = false;
      this->point_to_next(r, slot, now + 1, now);
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
      this->finish(slot, end, out_.fragments(), now + 1, now);
    }
  }

  // An operation of the policy's own takes an issue slot.
  void issue_operation(std::uint32_t scheduler, std::uint32_t slot, resident& r, cycle now) {
    flight& f = flights_[slot];
    const cycle ready = stage_.issue(scheduler, slot, f.what, now, 0, 0);
    if (stage_.results().tracks(f.what)) (void)stage_.open(slot, {}, ready);
    ++shared_->overhead;
    --f.operations;
    this->point_to_next(r, slot, now + 1, now);
  }

  // Slots that wait for a line of code look into the instruction cache.
  void fetch_code(cycle now, memory_system& memory) {
    this->has_new_fetch_ = false;
    std::vector<std::uint32_t>& waiting = this->fetches_;
    std::size_t kept = 0;
    for (const std::uint32_t slot : waiting) {
      flight& f = flights_[slot];
      resident& r = residents_[f.home];
      if (memory_unit_.fetch(now, f.line * this->code_line_, memory))
        stage_.next(slot, f.what, base::registers_of(r.program(), f.what), std::max(f.earliest, now), now);
      else
        waiting[kept++] = slot;
    }
    waiting.resize(kept);
  }

  // Opens the result of an instruction that issues, and gives its accesses to the load/store unit.
  void track(resident& r, std::uint32_t slot, const struct instruction& what, const issue_effect<mask_type>& effect,
             cycle ready, cycle now, memory_system& memory) {
    const auto writes = base::registers_of(r.program(), what).subspan(what.reads);
    if (accesses_memory(what.kind) && !effect.accesses.empty()) {
      const result_token t = stage_.open(slot, writes, never);
      if (t >= loads_.size()) loads_.resize(std::size_t{t} + 1);
      loads_[t] = {this->index_of(r), ready - now - 1};
      ++r.loads;
      memory_unit_.issue(now, t, effect.accesses, Pooled ? 0 : this->index_of(r) * shape_.threads, memory);
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
    auto told = this->observer(r);
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
    auto told = this->observer(r);
    r.changed = false;
    if (r.work.book().changed() && r.work.open_barriers(told)) this->fill_all(r, now + stage_.barrier_latency(), now);
    if (find_end(r, now + 1) || r.in_flight != 0 || stopped_) return;
    for (const instance_type& me : r.work.crew().all())
      if (me.state == instance_state::runs) return;  // the policy has not been asked yet
    if (r.work.look_again(r.program()) || r.work.let_go()) this->fill_all(r, now + 1, now);
    if (r.in_flight == 0 && !r.asks && !stopped_ && !find_end(r, now + 1))
      this->stop(r.work.stuck(), this->index_of(r));
  }

  // True if all threads have ended, at `at` at the latest.
  bool find_end(resident& r, cycle at) {
    if (stopped_ || !r.busy) return false;
    if constexpr (Pooled)
      if (const mask_type& live = r.work.crew().all().front().live; live != live_) {
        live_ = live;
        for (std::uint32_t p = 0; p < places_.size(); ++p)
          if (places_[p].busy && places_[p].ends_at == never && (live & r.work.crew().lanes_of_block(p)).none())
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
    ended_at_ = std::max(ended_at_, places_[p].ends_at);
    if constexpr (std::invocable<Observer&, const thread_block_ended&>)
      (*observer_)(thread_block_ended{places_[p].ends_at, number_, p, places_[p].number});
    resident& r = residents_[Pooled ? 0 : p];
    if (Pooled && num_busy_ != 0) return;
    auto told = this->observer(r);
    r.work.finish(told);
    if (Pooled) return;
    add_work(r, shared_->work);
    r.busy = r.finished = false;
    for (std::uint32_t w = 0; w < this->warps_; ++w) stage_.hold(stage_.first_place(p) + w, held::no);
  }

  load_store_unit memory_unit_;
  std::vector<place> places_;
  std::vector<load> loads_;  // by result
  std::uint32_t num_busy_ = 0;
  cycle next_event_ = never, ended_at_ = 0;
  mask_type live_{};  // core scope: the threads that were live when places were looked at last
};

}  // namespace detail
}  // namespace timing
}  // namespace v0
}  // namespace simtflow
