// SPDX-License-Identifier: BSL-1.0
//
// The part of a core that does not depend on policies and programs: warp slots, the schedulers' choice, the scoreboard,
// the units, and the class of each cycle. core.hpp puts fragments into the slots and runs their instructions.
//
// A slot is empty, or its fragment waits to issue (ready_at), or it waits for the outcome of its last instruction
// (resolves_at). Slots are numbered by layers: slot p + k * places is the k-th fragment at place p, a warp of the
// resident thread blocks. The number of places is a multiple of the number of schedulers.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/timing/accounting.hpp>
#include <simtflow/timing/clock.hpp>
#include <simtflow/timing/instruction.hpp>
#include <simtflow/timing/machine.hpp>
#include <simtflow/timing/memory_counts.hpp>
#include <simtflow/timing/scoreboard.hpp>
#include <simtflow/timing/units.hpp>
#include <simtflow/timing/warp_scheduler.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace timing {
namespace detail {

// The states of a slot: what its fragment waits for.
enum class slot_state : unsigned char { empty, fetching, ready, scoreboard, memory, resolving };

// Why a place without a fragment has none, though its thread block has live threads.
enum class held : unsigned char { no, barrier, reconvergence };

class issue_stage {
 public:
  // \param blocks thread blocks that can be resident, \param warps warps of each
  issue_stage(const machine& m, std::uint32_t blocks, std::uint32_t warps)
      : units_(m), scoreboard_(m.core.scoreboard), warps_(warps) {
    const std::uint32_t n = m.core.schedulers;
    places_ = (blocks * warps + n - 1) / n * n;
    held_.assign(places_, held::no);
    load_.assign(n, 0);
    for (std::uint32_t s = 0; s < n; ++s) {
      schedulers_.emplace_back(m.core, s, blocks);
      rest_.push_back(cycle_class::idle);
    }
    notes_ready_ = m.core.scheduler == scheduler_kind::two_level ||
                   m.core.block_priority == block_priority_kind::sticky_round_robin;
    counts_.by_lanes.assign(m.core.warp_width, 0);
    barrier_latency_ = std::max<cycle>(1, m.operations[instruction_class::barrier].latency);
    branch_resolve_ = m.core.branch_resolve;
    operand_read_ = m.core.operand_read;
    add_layer();
  }

  // --- slots --------------------------------------------------------------------------------------------------------

  [[nodiscard]] std::uint32_t num_slots() const { return slots_.size(); }
  [[nodiscard]] std::uint32_t num_schedulers() const { return static_cast<std::uint32_t>(schedulers_.size()); }
  // The first place of a resident thread block.
  [[nodiscard]] std::uint32_t first_place(std::uint32_t block) const { return block * warps_; }
  [[nodiscard]] bool used(std::uint32_t slot) const { return state_[slot] != slot_state::empty; }

  // An empty slot at a place; or, among `width` places, the first one of the scheduler with the fewest fragments, in
  // the lowest layer that has one. Without this, fragments that are bound to no place would crowd the first schedulers.
  [[nodiscard]] std::uint32_t empty_slot(std::uint32_t place, std::uint32_t width) {
    const std::uint32_t n = num_schedulers();
    for (std::uint32_t base = 0;; base += places_) {
      if (base == num_slots()) add_layer();
      std::uint32_t best = no_slot;
      for (std::uint32_t s = base + place; s < base + place + width; ++s) {
        if (used(s) || (best != no_slot && load_[s % n] >= load_[best % n])) continue;
        best = s;
        if (n == 1) break;
      }
      if (best != no_slot) return best;
    }
  }

  // As empty_slot() for a place of one scheduler; no_slot: none of the places is.
  [[nodiscard]] std::uint32_t empty_slot_of(std::uint32_t scheduler, std::uint32_t place, std::uint32_t width) {
    const std::uint32_t n = num_schedulers();
    const std::uint32_t skip = (scheduler + n - place % n) % n;
    if (skip >= width) return no_slot;
    for (std::uint32_t base = 0;; base += places_) {
      if (base == num_slots()) add_layer();
      for (std::uint32_t i = skip; i < width; i += n)
        if (!used(base + place + i)) return base + place + i;
    }
  }

  // A fragment of a thread block enters an empty slot; it holds the results in `results`, which are taken.
  void enter(std::uint32_t slot, std::uint32_t block, std::uint64_t number, std::vector<result_token>& results) {
    slots_.block[slot] = block;
    slots_.block_number[slot] = number;
    state_[slot] = slot_state::scoreboard;
    results_[slot].swap(results);
    ++load_[slot % num_schedulers()];
  }
  // The fragment leaves its slot; the results that are still under way at `now` are moved to `left`.
  void leave(std::uint32_t slot, cycle now, std::vector<result_token>& left) {
    if (state_[slot] == slot_state::resolving) --num_resolving_;
    state_[slot] = slot_state::empty;
    slots_.ready_at[slot] = never;
    slots_.away[slot] = 1;
    --load_[slot % num_schedulers()];
    scoreboard_.forget_arrived(results_[slot], now);
    left.swap(results_[slot]);
  }
  // The slot's next instruction is not known yet. next() follows.
  void fetch(std::uint32_t slot) {
    state_[slot] = slot_state::fetching;
    slots_.ready_at[slot] = never;
    slots_.away[slot] = 0;
    for_memory_[slot] = 0;
  }
  // The slot's next instruction, which may issue from cycle `earliest` on.
  void next(std::uint32_t slot, const instruction& in, std::span<const std::uint32_t> registers, cycle earliest,
            cycle now) {
    unit_[slot] = units_.unit(in.kind);
    slots_.needs[slot] =
        static_cast<unsigned char>((1U << unit_[slot]) | (accesses_memory(in.kind) ? memory_access : 0));
    registers_[slot] = registers;
    earliest_[slot] = earliest;
    look_up(slot, now);
  }
  // The slot's last instruction has issued; its outcome is known at cycle `at`.
  void resolve(std::uint32_t slot, cycle at) {
    state_[slot] = slot_state::resolving;
    slots_.ready_at[slot] = never;
    slots_.away[slot] = 0;
    for_memory_[slot] = 0;
    drains_[slot] = 0;
    resolves_at_[slot] = at;
    ++num_resolving_;
  }
  // The same, and the fragment stays until every result that it waits for is there.
  void drain(std::uint32_t slot, cycle at) {
    resolve(slot, at);
    drains_[slot] = 1;
    earliest_[slot] = at;
    look_up_drained(slot);
  }
  // The first slot from `slot` on that resolves by `now`; no_slot: none.
  [[nodiscard]] std::uint32_t resolved(std::uint32_t slot, cycle now) const {
    if (num_resolving_ == 0) return no_slot;
    for (; slot < num_slots(); ++slot)
      if (state_[slot] == slot_state::resolving && resolves_at_[slot] <= now) return slot;
    return no_slot;
  }
  // True if a slot of a scheduler is ready at `now`.
  [[nodiscard]] bool any_ready(std::uint32_t scheduler, cycle now) const {
    for (std::uint32_t s = scheduler; s < num_slots(); s += num_schedulers())
      if (slots_.ready_at[s] <= now) return true;
    return false;
  }
  // True if a unit of the kind that most instructions take can take one at `now`.
  [[nodiscard]] bool takes(cycle now) const { return units_.free_at(units_.unit(instruction_class::simple)) <= now; }
  [[nodiscard]] cycle takes_at() const { return units_.free_at(units_.unit(instruction_class::simple)); }
  // The cycle from which the slot's next instruction could issue if it waited for nothing.
  [[nodiscard]] cycle earliest(std::uint32_t slot) const { return earliest_[slot]; }
  // True if the slot's next instruction waited for memory, or waits for it.
  [[nodiscard]] bool waited_for_memory(std::uint32_t slot) const { return for_memory_[slot] != 0; }

  [[nodiscard]] scoreboard& results() { return scoreboard_; }

  // --- issue --------------------------------------------------------------------------------------------------------

  // The slot that a scheduler issues; no_slot: none. \param memory why the load/store unit does not take an instruction
  [[nodiscard]] std::uint32_t choose(std::uint32_t scheduler, cycle now, stall_cause memory) {
    std::uint32_t free = units_.free_units(now);
    if (memory == stall_cause::none) free |= memory_access;
    return schedulers_[scheduler].choose(slots_, now, free);
  }
  // True if schedulers remember which slots were ready: they must see the cycle after an issue.
  [[nodiscard]] bool notes_ready() const { return notes_ready_; }
  // Notes that a slot's instruction issues for a number of lanes (0: an operation of the policy). Returns the cycle
  // from which a dependent instruction may issue; memory instructions: without the memory.
  cycle issue(std::uint32_t scheduler, std::uint32_t slot, const instruction& what, cycle now, std::uint32_t lanes,
              std::uint32_t off) {
    schedulers_[scheduler].issued(slots_, slot);
    units_.issue(what.kind, now);
    if (lanes != 0) ++counts_.by_lanes[lanes - 1];
    counts_.lanes += lanes;
    counts_.predicated_off += off;
    return now + units_.latency(what.kind) + (what.writes == 0 ? 0 : operand_read_);
  }
  // Opens a result of the slot's instruction. \param ready never: memory tells
  result_token open(std::uint32_t slot, std::span<const std::uint32_t> writes, cycle ready) {
    const result_token t = scoreboard_.open(writes, ready, ready == never);
    results_[slot].push_back(t);
    return t;
  }
  // Memory has the result at `at`; slots of its thread block may go on.
  void settle(result_token t, std::uint32_t block, cycle at, cycle now) {
    scoreboard_.settle(t, at);
    for (std::uint32_t base = 0; base < num_slots(); base += places_)
      for (std::uint32_t p = first_place(block); p < first_place(block) + warps_; ++p)
        if (state_[base + p] == slot_state::memory && slots_.ready_at[base + p] == never)
          look_up(base + p, now);
        else if (state_[base + p] == slot_state::resolving && drains_[base + p] != 0)
          look_up_drained(base + p);
  }

  [[nodiscard]] cycle barrier_latency() const { return barrier_latency_; }
  [[nodiscard]] cycle branch_resolve() const { return branch_resolve_; }

  // --- cycles -------------------------------------------------------------------------------------------------------

  // Nothing is counted before this cycle.
  void begin(cycle now) { counted_until_ = now; }
  [[nodiscard]] cycle counted_until() const { return counted_until_; }
  // The class of a scheduler's cycles without event.
  [[nodiscard]] cycle_class resting(std::uint32_t scheduler) const { return rest_[scheduler]; }
  // Counts the cycles before `now` in which nothing happened.
  void count_until(cycle now) {
    if (now <= counted_until_) return;
    for (const cycle_class kind : rest_) counts_.by_class[static_cast<std::size_t>(kind)] += now - counted_until_;
    counted_until_ = now;
  }
  // Counts cycle `now` of one scheduler.
  void count(cycle_class kind) { ++counts_.by_class[static_cast<std::size_t>(kind)]; }
  void counted(cycle now) { counted_until_ = now + 1; }

  void hold(std::uint32_t place, held why) { held_[place] = why; }

  // The class of a cycle in which a scheduler does not issue. \param memory as for choose()
  [[nodiscard]] cycle_class without_issue(std::uint32_t scheduler, cycle now, stall_cause memory) const {
    const std::uint32_t busy = ~units_.free_units(now);
    bool stalls = false, loads = false, computes = false, at_barrier = false, apart = false;
    for (std::uint32_t s = scheduler; s < num_slots(); s += num_schedulers()) {
      if (slots_.ready_at[s] <= now && schedulers_[scheduler].considers(s)) {
        if ((slots_.needs[s] & unit_bits & busy) != 0) return cycle_class::stall_unit;
        stalls = true;
      }
      const bool resolves = state_[s] == slot_state::resolving;
      loads = loads || state_[s] == slot_state::memory || (resolves && for_memory_[s] != 0);
      computes = computes || state_[s] == slot_state::scoreboard || resolves;
      at_barrier = at_barrier || (state_[s] == slot_state::ready && slots_.ready_at[s] > now);  // it is opening
      if (s >= places_) continue;
      at_barrier = at_barrier || held_[s] == held::barrier;
      apart = apart || held_[s] == held::reconvergence;
    }
    return stalls       ? stall_class(memory)
           : loads      ? cycle_class::memory
           : computes   ? cycle_class::scoreboard
           : at_barrier ? cycle_class::barrier
           : apart      ? cycle_class::reconvergence
                        : cycle_class::idle;
  }

  // After the issue of cycle `now`: the next cycle in which a slot can issue or resolve, as far as known.
  // \param memory when the load/store unit takes an instruction; never: its own events will tell
  [[nodiscard]] cycle next_event(cycle now, cycle memory) const {
    cycle soonest = never;
    for (std::uint32_t s = 0; s < num_slots(); ++s) {
      cycle at = slots_.ready_at[s];
      if (state_[s] == slot_state::resolving) {
        at = resolves_at_[s];
      } else if (at <= now) {  // ready: its unit decides
        at = units_.free_at(unit_[s]);
        if ((slots_.needs[s] & memory_access) != 0) at = std::max(at, memory);
      }
      if (at < soonest) soonest = at;
    }
    return soonest == never ? never : std::max(soonest, now + 1);
  }
  // The cycles after `now` are without event: each of them counts for the class that fits now.
  void rest(cycle now, stall_cause memory) {
    for (std::uint32_t i = 0; i < num_schedulers(); ++i) rest_[i] = without_issue(i, now + 1, memory);
  }

  [[nodiscard]] const cycle_counts& counts() const { return counts_; }

 private:
  // Bits of the needs of an instruction: a unit of each kind, and the load/store unit.
  static constexpr std::uint32_t unit_bits = (std::uint32_t{1} << num_unit_kinds) - 1;
  static constexpr std::uint32_t memory_access = std::uint32_t{1} << num_unit_kinds;

  // When the slot's next instruction may issue.
  void look_up(std::uint32_t slot, cycle now) {
    scoreboard_.forget_arrived(results_[slot], now);
    const scoreboard_wait w = scoreboard_.wait(results_[slot], registers_[slot]);
    const bool waits = w.until > earliest_[slot];
    slots_.ready_at[slot] = waits ? w.until : earliest_[slot];
    state_[slot] = !waits ? slot_state::ready : w.memory ? slot_state::memory : slot_state::scoreboard;
    for_memory_[slot] = waits && w.memory ? 1 : 0;
    slots_.away[slot] = for_memory_[slot];
  }

  void look_up_drained(std::uint32_t slot) {
    const scoreboard_wait w = scoreboard_.wait_for_all(results_[slot]);
    resolves_at_[slot] = std::max(earliest_[slot], w.until);
    for_memory_[slot] = w.memory && w.until > earliest_[slot] ? 1 : 0;
    slots_.away[slot] = for_memory_[slot];
  }

  void add_layer() {
    const std::size_t n = slots_.ready_at.size() + places_;
    slots_.ready_at.resize(n, never);
    slots_.needs.resize(n, 0);
    unit_.resize(n, 0);
    slots_.away.resize(n, 1);
    slots_.block.resize(n, 0);
    slots_.block_number.resize(n, 0);
    state_.resize(n, slot_state::empty);
    earliest_.resize(n, 0);
    resolves_at_.resize(n, never);
    registers_.resize(n);
    results_.resize(n);
    for_memory_.resize(n, 0);
    drains_.resize(n, 0);
  }

  execution_units units_;
  scoreboard scoreboard_;
  std::vector<warp_scheduler> schedulers_;
  std::uint32_t warps_, places_ = 0, num_resolving_ = 0;
  std::vector<std::uint32_t> load_;  // by scheduler: fragments in its slots
  warp_slots slots_;
  std::vector<slot_state> state_;
  std::vector<cycle> earliest_, resolves_at_;
  std::vector<std::span<const std::uint32_t>> registers_;  // of the next instruction
  std::vector<std::vector<result_token>> results_;         // that the fragment waits for
  std::vector<unsigned char> for_memory_, drains_, unit_;
  std::vector<held> held_;  // by place
  cycle barrier_latency_ = 1, branch_resolve_ = 0, operand_read_ = 0;
  cycle counted_until_ = 0;
  bool notes_ready_ = false;
  std::vector<cycle_class> rest_;  // by scheduler: the class of cycles without event
  cycle_counts counts_;
};

}  // namespace detail
}  // namespace timing
}  // namespace v0
}  // namespace simtflow
