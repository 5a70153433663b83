// SPDX-License-Identifier: BSL-1.0
//
// The fragments of a core: the policy names them, they enter warp slots, and leave them when their block has ended. A
// core has residents: a session of the policy and its program, for each place of a thread block, or one for all of them
// (policy_scope::core).
//
//   fill()      an instance gets its fragments: all that take() names, or one that next() names
//   finish()    a fragment has ended its block, or has stopped in it
//   tail        results that are still under way when a fragment ends; the next fragments of its lanes wait for them
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/detail/session.hpp>
#include <simtflow/simt/launch.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policy.hpp>
#include <simtflow/simt/policy_state.hpp>
#include <simtflow/simt/program.hpp>
#include <simtflow/simt/verdict.hpp>
#include <simtflow/timing/clock.hpp>
#include <simtflow/timing/detail/issue_stage.hpp>
#include <simtflow/timing/instruction.hpp>
#include <simtflow/timing/machine.hpp>
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

// Counts that the cores of a device share.
struct shared_counts {
  policy_work work;
  std::uint64_t instructions = 0, overhead = 0, replays = 0, steps = 0, step_limit = ~std::uint64_t{0};
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

template <class Policy, class Program, class Observer, bool Pooled>
class fragments {
 public:
  using mask_type = typename Policy::mask_type;
  using fragment_type = basic_fragment<mask_type>;

  // The outcome that ended the run here, of the thread block in stopped_home().
  [[nodiscard]] std::optional<outcome> stopped() const { return stopped_; }
  [[nodiscard]] std::uint32_t stopped_home() const { return stopped_home_; }
  // \param home number of the resident
  void stop(outcome how, std::uint32_t home) {
    stopped_ = how;
    stopped_home_ = home;
  }
  // \pre stopped()
  [[nodiscard]] basic_verdict<mask_type> verdict() {
    resident& r = residents_[stopped_home_];
    for (std::uint32_t s = 0; s < stage_.num_slots(); ++s)  // lanes in flight stand where their block begins
      if (stage_.used(s) && flights_[s].home == stopped_home_)
        r.work.crew().all()[flights_[s].instance].places.push_back(flights_[s].at);
    return r.work.verdict(*stopped_);
  }

 protected:
  using session_type = simtflow::detail::session<Policy>;
  using instance_type = typename session_type::warp;
  using step_end = simtflow::detail::step_end;
  using instance_state = simtflow::detail::instance_state;

  static constexpr std::uint32_t most_empty_blocks = 64;
  static constexpr std::uint32_t no_scheduler = 0xFFFF'FFFFU;
  static constexpr std::uint64_t no_line = ~std::uint64_t{0};

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
    bool changed = false;                    // fragments have ended in this cycle
    std::uint64_t number = 0, sequence = 0;  // of its thread block; Pooled: of the core
    std::uint32_t in_flight = 0;             // fragments
    std::uint32_t loads = 0;                 // memory instructions under way
    cycle ready_at = 0;                      // when all known results are there
    std::vector<std::uint64_t> overhead{};   // by instance: operations of the policy that have been put in a slot
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
    std::uint64_t operations = 0;          // of the policy, that issue before the next instruction
    bool replays = false;                  // the next instruction has issued before
    instruction what{};                    // the next one
    std::uint64_t line = no_line;          // of the code, that the slot has fetched since the last branch
    cycle earliest = 0;                    // when the next one may issue, if its fetch is under way
    block_end end = block_end::next;
    std::vector<fragment_type> out{};
  };
  // \param shape of one thread block, \param blocks thread blocks that can be resident, \param warps of each
  fragments(const machine& m, std::uint32_t number, const Policy& prototype, const launch& shape, std::uint32_t blocks,
            std::uint32_t warps, shared_counts& shared, Observer& observer)
      : stage_(m, Pooled ? 1 : blocks, Pooled ? blocks * warps : warps),
        shape_(shape),
        number_(number),
        warps_(Pooled ? blocks * warps : warps),
        shared_(&shared),
        observer_(&observer),
        can_(abilities_of(prototype)),
        by_warp_(can_.scope == policy_scope::warp && !can_.overlaps),
        code_line_(m.instruction.size == 0 ? 0 : m.instruction.line) {
    if (Pooled) shape_.resident_blocks = blocks;
    residents_.reserve(Pooled ? 1 : blocks);
    for (std::uint32_t b = 0; b < (Pooled ? 1 : blocks); ++b) residents_.emplace_back(prototype);
  }

  [[nodiscard]] block_observer<Observer> observer(const resident& r) const { return {observer_, r.number}; }
  [[nodiscard]] std::uint32_t index_of(const resident& r) const {
    return static_cast<std::uint32_t>(&r - residents_.data());
  }
  [[nodiscard]] static std::span<const std::uint32_t> registers_of(const Program& p, const struct instruction& in) {
    return std::span<const std::uint32_t>(p.registers()).subspan(in.first_register, std::size_t{in.reads} + in.writes);
  }

  // Thread block `number` starts; with Pooled all thread blocks of the core, which join later.
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
    r.overhead.assign(r.work.crew().all().size(), 0);
  }
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
    if constexpr (policy_with_overhead<Policy>) {
      const auto all = static_cast<std::uint64_t>(me.policy.overhead());
      to.operations = all - r.overhead[me.index];
      r.overhead[me.index] = all;
    }
    point_to_next(r, slot, earliest, now);
  }

  void point_to_next(resident& r, std::uint32_t slot, cycle earliest, cycle now) {
    flight& f = flights_[slot];
    if (f.operations != 0) {
      f.what = {instruction_class::simple, address_space::none, 0, 0, 0};
      stage_.next(slot, f.what, {}, earliest, now);
      return;
    }
    f.what = r.program().instruction_at(f.at.block, f.next);
    if constexpr (program_with_code_addresses<Program>) {
      if (code_line_ != 0) {
        const std::uint64_t line = r.program().code_address(f.at.block, f.next) / code_line_;
        if (line != f.line) {
          f.line = line;
          f.earliest = earliest;
          stage_.fetch(slot);
          fetches_.push_back(slot);
          has_new_fetch_ = true;
          return;
        }
      }
    }
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
  launch shape_;
  std::uint32_t number_;  // of the core
  std::uint32_t warps_;   // of a resident
  shared_counts* shared_;
  Observer* observer_;
  policy_abilities can_;
  bool by_warp_;  // the results of a warp's fragments hold up all of its lanes
  std::vector<resident> residents_;
  std::vector<flight> flights_;  // by slot
  std::vector<result_token> held_results_;
  std::uint32_t code_line_;             // bytes of a line of the instruction cache; 0: every fetch hits
  std::vector<std::uint32_t> fetches_;  // slots that wait for a line of code
  bool has_new_fetch_ = false;          // one of them has not asked yet
  basic_partition<mask_type> out_;
  std::uint64_t num_started_ = 0;
  std::uint32_t stopped_home_ = 0;
  std::optional<outcome> stopped_;
  bool asks_ = false;  // any thread block asks
};

}  // namespace detail
}  // namespace timing
}  // namespace v0
}  // namespace simtflow
