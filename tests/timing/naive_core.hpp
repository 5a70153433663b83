// SPDX-License-Identifier: BSL-1.0
//
// The core model again, as plainly as it can be said: every warp is looked at in every cycle, results are a map from
// register to cycle, orders are sorted lists. No memory, warps without overlap, barriers for whole warps. It shares
// the machine's parameters and the policy with the model, and no other code.
#pragma once

#include <simtflow/simt/policies/ipdom_stack.hpp>
#include <simtflow/simt/program.hpp>
#include <simtflow/timing/device.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

namespace naive {

using namespace simtflow;
using timing::cycle;
using timing::cycle_class;
using timing::instruction_class;

// cycle, core, scheduler, thread block, warp, block, instruction
using issue = std::tuple<cycle, std::uint32_t, std::uint32_t, std::uint64_t, std::uint32_t, block_id, std::uint32_t>;

struct outcome {
  cycle cycles = 0;
  std::uint64_t by_class[timing::num_cycle_classes]{};
  std::vector<issue> issues{};
};

template <class Program, class Make>
class device {
 public:
  device(const policies::ipdom_stack& policy, const Make& make, const timing::grid& g, const timing::machine& m)
      : policy_(policy), grid_(g), m_(m) {
    const auto fit = *timing::occupancy_of(m.core, {g.threads, g.registers_per_thread, g.shared_bytes});
    warps_ = fit.warps_per_block;
    places_ =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(fit.blocks, (g.blocks + m.core.cores - 1) / m.core.cores));
    for (std::uint32_t c = 0; c < std::min<std::uint64_t>(m.core.cores, g.blocks); ++c) {
      cores_.emplace_back();
      core& k = cores_.back();
      for (std::uint32_t p = 0; p < places_; ++p) {
        k.places.emplace_back();
        k.places.back().program = std::make_unique<Program>(make(0));
      }
      k.schedulers.resize(m.core.schedulers);
      for (std::uint32_t s = 0; s < m.core.schedulers; ++s)
        for (std::uint32_t slot = s; slot < places_ * warps_ + m.core.schedulers; slot += m.core.schedulers)
          k.schedulers[s].pending.push_back(slot);
    }
  }

  outcome run() {
    dispatch(0);
    for (cycle t = 0; ended_ < grid_.blocks; ++t) {
      for (core& c : cores_) begin_cycle(c, t);
      dispatch(t);
      for (std::uint32_t c = 0; c < cores_.size(); ++c) issue_cycle(c, t);
    }
    return out_;
  }

 private:
  enum class mode { gone, runs, resolves, at_barrier };
  struct warp {
    mode is = mode::gone;
    std::unique_ptr<policies::ipdom_stack> policy{};
    fragment at{};
    std::uint32_t next = 0;
    cycle earliest = 0, resolves_at = 0;
    bool after_barrier = false;
    std::map<std::uint32_t, cycle> written{};  // register -> when its last write is there
    cycle all_done = 0;
    std::vector<fragment> targets{};
  };
  struct place {
    bool busy = false;
    std::uint64_t number = 0, sequence = 0;
    cycle done_at = 0;
    std::unique_ptr<Program> program{};
    std::vector<warp> warps{};
  };
  struct scheduler {
    std::deque<std::uint32_t> pending{}, active{};
    std::map<std::uint32_t, std::uint32_t> last{};  // thread block's place (0 without priorities) -> slot
    std::uint32_t first_place = 0;
  };
  struct core {
    std::vector<place> places{};
    std::vector<scheduler> schedulers{};
    std::map<timing::unit_kind, std::vector<cycle>> units{};  // busy until
    std::uint64_t started = 0;
  };

  cycle passes(instruction_class kind) const {
    const std::uint32_t lanes = m_.units[unit_of(kind)].lanes;
    const cycle p = lanes == 0 ? 1 : (m_.core.warp_width + lanes - 1) / lanes;
    return p * m_.operations[kind].initiation;
  }
  timing::unit_kind unit_of(instruction_class kind) const {
    return m_.core.scoreboard == timing::scoreboard_kind::one_in_flight ? timing::unit_kind::sp
                                                                        : m_.operations[kind].unit;
  }
  cycle latency(instruction_class kind) const { return std::max<cycle>(m_.operations[kind].latency, passes(kind)); }

  void dispatch(cycle t) {
    for (std::uint32_t tried = 0; next_block_ < grid_.blocks && tried < cores_.size();) {
      core& c = cores_[turn_];
      turn_ = (turn_ + 1) % static_cast<std::uint32_t>(cores_.size());
      ++tried;
      for (place& p : c.places)
        if (!p.busy) {
          start(c, p, t);
          tried = 0;
          break;
        }
      if (tried != 0 && tried == cores_.size()) break;
    }
  }
  void start(core& c, place& p, cycle t) {
    p.busy = true;
    p.number = next_block_++;
    p.sequence = c.started++;
    p.done_at = t;
    p.program->select_block_number(p.number);
    p.program->begin({});
    p.warps.clear();
    for (std::uint32_t w = 0; w < warps_; ++w) {
      p.warps.emplace_back();
      warp& me = p.warps.back();
      me.policy = std::make_unique<policies::ipdom_stack>(policy_);
      me.policy->start(
          {grid_.entry, lane_mask::first_lanes(std::min(m_.core.warp_width, grid_.threads - w * m_.core.warp_width))});
      go_on(p, w, t);
    }
  }

  // The warp's next fragment, past blocks without instructions.
  void go_on(place& p, std::uint32_t w, cycle earliest) {
    warp& me = p.warps[w];
    for (;;) {
      const auto f = me.policy->next();
      if (!f) {
        me.is = mode::gone;
        p.done_at = std::max(p.done_at, me.all_done);
        return;
      }
      if (p.program->weight(f->block) != 0) {
        me.is = mode::runs;
        me.at = *f;
        me.next = 0;
        me.earliest = earliest;
        me.after_barrier = false;
        return;
      }
      partition out;
      p.program->run(f->block, {w, w * m_.core.warp_width, f->lanes}, out);
      me.policy->advance(*f, out.fragments());
    }
  }

  void begin_cycle(core& c, cycle t) {
    for (place& p : c.places) {
      if (!p.busy) continue;
      for (std::uint32_t w = 0; w < warps_; ++w) {
        warp& me = p.warps[w];
        if (me.is != mode::resolves || me.resolves_at > t) continue;
        me.policy->advance(me.at, me.targets);
        go_on(p, w, t);
      }
      const bool all_gone =
          std::all_of(p.warps.begin(), p.warps.end(), [](const warp& w) { return w.is == mode::gone; });
      if (all_gone && p.done_at <= t) {
        p.busy = false;
        ++ended_;
        out_.cycles = std::max(out_.cycles, p.done_at);
      }
    }
  }

  cycle ready_at(const place& p, const warp& w) const {
    if (w.is != mode::runs) return timing::never;
    cycle at = w.earliest;
    if (m_.core.scoreboard == timing::scoreboard_kind::one_in_flight) return std::max(at, w.all_done);
    const auto& in = p.program->instruction_at(w.at.block, w.next);
    for (const std::uint32_t r : p.program->registers().subspan(in.first_register, std::size_t{in.reads} + in.writes))
      if (const auto found = w.written.find(r); found != w.written.end()) at = std::max(at, found->second);
    return at;
  }

  void issue_cycle(std::uint32_t number, cycle t) {
    core& c = cores_[number];
    if (std::none_of(c.places.begin(), c.places.end(), [](const place& p) { return p.busy; })) return;
    for (std::uint32_t s = 0; s < m_.core.schedulers; ++s)
      ++out_.by_class[static_cast<std::size_t>(schedule(c, number, s, t))];
    for (place& p : c.places)
      if (p.busy) open_barrier(p, t);
  }

  void open_barrier(place& p, cycle t) {
    bool any = false;
    for (const warp& w : p.warps) {
      if (w.is == mode::runs || w.is == mode::resolves) return;
      any = any || w.is == mode::at_barrier;
    }
    if (!any) return;
    for (std::uint32_t w = 0; w < warps_; ++w)
      if (p.warps[w].is == mode::at_barrier) {
        p.warps[w].policy->advance(p.warps[w].at, p.warps[w].targets);
        go_on(p, w, t + std::max<cycle>(1, m_.operations[instruction_class::barrier].latency));
        p.warps[w].after_barrier = true;
      }
  }

  cycle_class schedule(core& c, std::uint32_t number, std::uint32_t s, cycle t) {
    scheduler& mine = c.schedulers[s];
    const bool two_level = m_.core.scheduler == timing::scheduler_kind::two_level;
    const auto place_of = [&](std::uint32_t slot) -> place& { return c.places[slot / warps_]; };
    const auto has_fragment = [&](std::uint32_t slot) {
      if (slot >= places_ * warps_ || !place_of(slot).busy) return false;
      const mode is = place_of(slot).warps[slot % warps_].is;
      return is == mode::runs || is == mode::resolves;
    };
    if (two_level) {
      for (std::size_t i = 0; i < mine.active.size();)
        if (!has_fragment(mine.active[i])) {
          mine.pending.push_back(mine.active[i]);
          mine.active.erase(mine.active.begin() + static_cast<std::ptrdiff_t>(i));
        } else {
          ++i;
        }
      for (std::size_t i = 0; i < mine.pending.size() && mine.active.size() < m_.core.active_warps;)
        if (has_fragment(mine.pending[i])) {
          mine.active.push_back(mine.pending[i]);
          std::sort(mine.active.begin(), mine.active.end());
          mine.pending.erase(mine.pending.begin() + static_cast<std::ptrdiff_t>(i));
        } else {
          ++i;
        }
    }
    std::vector<std::uint32_t> ready;
    bool computes = false, at_barrier = false;
    for (std::uint32_t slot = s; slot < places_ * warps_; slot += m_.core.schedulers) {
      place& p = place_of(slot);
      if (!p.busy) continue;
      const warp& w = p.warps[slot % warps_];
      const cycle at = ready_at(p, w);
      const bool seen = !two_level || std::find(mine.active.begin(), mine.active.end(), slot) != mine.active.end();
      if (at <= t && seen) ready.push_back(slot);
      if (w.is == mode::at_barrier || (w.is == mode::runs && w.after_barrier && w.earliest > t && at == w.earliest))
        at_barrier = true;
      else if (w.is == mode::resolves || (w.is == mode::runs && at > t))
        computes = true;
    }
    if (!ready.empty()) {
      const std::uint32_t chosen = first_of(c, mine, ready, t);
      if (chosen != none) {
        issue_one(c, number, s, chosen, t);
        return cycle_class::issued;
      }
      return cycle_class::stall_unit;
    }
    return computes ? cycle_class::scoreboard : at_barrier ? cycle_class::barrier : cycle_class::idle;
  }

  // Sorted by the rules; the first one with a free unit.
  std::uint32_t first_of(core& c, scheduler& mine, std::vector<std::uint32_t> ready, cycle t) {
    using timing::block_priority_kind;
    const block_priority_kind by = m_.core.block_priority;
    if (by == block_priority_kind::round_robin) mine.first_place = static_cast<std::uint32_t>(t % places_);
    const auto place_rank = [&](std::uint32_t slot) -> std::uint64_t {
      const std::uint32_t p = slot / warps_;
      if (by == block_priority_kind::none) return 0;
      if (by == block_priority_kind::age) return c.places[p].sequence;
      return (p + places_ - mine.first_place) % places_;
    };
    const auto warp_rank = [&](std::uint32_t slot) -> std::tuple<int, std::uint64_t, std::uint32_t> {
      const auto found = mine.last.find(by == block_priority_kind::none ? 0 : slot / warps_);
      const bool known = found != mine.last.end();
      const std::uint64_t age = c.places[slot / warps_].sequence;
      switch (m_.core.scheduler) {
        case timing::scheduler_kind::oldest:
          return {0, age, slot};
        case timing::scheduler_kind::greedy_then_oldest:
          return {known && found->second == slot ? 0 : 1, age, slot};
        default:
          return {known && slot <= found->second ? 1 : 0, 0, slot};
      }
    };
    std::sort(ready.begin(), ready.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::make_pair(place_rank(a), warp_rank(a)) < std::make_pair(place_rank(b), warp_rank(b));
    });
    std::uint32_t chosen = none;
    for (const std::uint32_t slot : ready) {
      place& p = c.places[slot / warps_];
      const warp& w = p.warps[slot % warps_];
      if (chosen == none && free_unit(c, p.program->instruction_at(w.at.block, w.next).kind, t) != nullptr)
        chosen = slot;
    }
    if (by == block_priority_kind::sticky_round_robin) mine.first_place = ready.front() / warps_;
    return chosen;
  }

  cycle* free_unit(core& c, instruction_class kind, cycle t) {
    std::vector<cycle>& all = c.units[unit_of(kind)];
    all.resize(m_.units[unit_of(kind)].number, 0);
    for (cycle& until : all)
      if (until <= t) return &until;
    return nullptr;
  }

  void issue_one(core& c, std::uint32_t number, std::uint32_t s, std::uint32_t slot, cycle t) {
    place& p = c.places[slot / warps_];
    const std::uint32_t w = slot % warps_;
    warp& me = p.warps[w];
    const timing::instruction in = p.program->instruction_at(me.at.block, me.next);
    c.schedulers[s].last[m_.core.block_priority == timing::block_priority_kind::none ? 0 : slot / warps_] = slot;
    *free_unit(c, in.kind, t) = t + passes(in.kind);
    out_.issues.emplace_back(t, number, s, p.number, w, me.at.block, me.next);
    partition out;
    timing::issue_effect<lane_mask> effect{me.at.lanes, {}};
    const block_end end = p.program->issue(me.at.block, me.next, {w, w * m_.core.warp_width, me.at.lanes}, out, effect);
    const cycle done = t + latency(in.kind) + (in.writes == 0 ? 0 : m_.core.operand_read);
    p.done_at = std::max(p.done_at, done);
    if (in.kind != instruction_class::barrier) me.all_done = std::max(me.all_done, done);
    for (const std::uint32_t r : p.program->registers().subspan(in.first_register + in.reads, in.writes))
      me.written[r] = std::max(me.written[r], done);
    if (me.next + 1 < p.program->weight(me.at.block)) {
      ++me.next;
      me.earliest = t + 1;
      me.after_barrier = false;
      return;
    }
    me.targets.assign(out.fragments().begin(), out.fragments().end());
    if (end == block_end::barrier) {
      me.is = mode::at_barrier;
    } else if (in.kind == instruction_class::control) {
      me.is = mode::resolves;
      me.resolves_at = done + m_.core.branch_resolve;
      p.done_at = std::max(p.done_at, me.resolves_at);
    } else {
      me.policy->advance(me.at, me.targets);
      go_on(p, w, t + 1);
    }
  }

  static constexpr std::uint32_t none = 0xFFFF'FFFFU;
  policies::ipdom_stack policy_;
  timing::grid grid_;
  timing::machine m_;
  std::uint32_t warps_ = 0, places_ = 0, turn_ = 0;
  std::uint64_t next_block_ = 0, ended_ = 0;
  std::deque<core> cores_;
  outcome out_;
};

}  // namespace naive
