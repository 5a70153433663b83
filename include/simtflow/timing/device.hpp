// SPDX-License-Identifier: BSL-1.0
//
// A timed run: the thread blocks of a grid on the cores of a machine, under a reconvergence policy. The dispatcher
// gives thread blocks to cores round robin, as many to a core as fit (occupancy.hpp), and the next one as soon as one
// ends.
//
// Left out of the core: the width of fetch (only lines of the instruction cache count), conflicts of register banks and
// of writes, dual issue, the time to start a thread block, address translation, error correction.
//
// Deterministic: the same policy, program, grid and machine give the same report, on every host. A cycle in which
// nothing can change is not simulated but counted.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/diagnostic.hpp>
#include <simtflow/simt/check_policy.hpp>
#include <simtflow/simt/launch.hpp>
#include <simtflow/simt/policy.hpp>
#include <simtflow/simt/verdict.hpp>
#include <simtflow/timing/clock.hpp>
#include <simtflow/timing/detail/core.hpp>
#include <simtflow/timing/detail/core_program.hpp>
#include <simtflow/timing/dram.hpp>
#include <simtflow/timing/events.hpp>
#include <simtflow/timing/machine.hpp>
#include <simtflow/timing/machine_check.hpp>
#include <simtflow/timing/memory_system.hpp>
#include <simtflow/timing/occupancy.hpp>
#include <simtflow/timing/program.hpp>
#include <simtflow/timing/report.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace timing {

/// The work of a timed run: thread blocks of one shape.
struct grid {
  std::uint64_t blocks = 1;                            ///< thread blocks
  std::uint32_t threads = 32;                          ///< threads of each
  block_id entry = 0;                                  ///< where every thread starts
  barrier_model barriers = barrier_model::whole_warp;  ///< when lanes that come to a barrier wait
  std::uint32_t registers_per_thread = 0;              ///< for the occupancy; 0: no limit
  std::uint32_t shared_bytes = 0;                      ///< of a thread block, for the occupancy
  /// The pieces of global memory that the host wrote before the launch, oldest first. If copies go through the L2
  /// (coherence_parameters::copies), it begins with their lines, the last ones as far as they fit. Not kept.
  std::span<const memory_range> copied{};
};

/// The limits after which a timed run gives up.
struct limits {
  cycle cycles = never;                     ///< core cycles
  std::uint64_t steps = ~std::uint64_t{0};  ///< executed blocks of the program, over all warps
};

/// Observes nothing.
struct no_timed_observer {
  /// Takes the number of a thread block and an event of it.
  void operator()(std::uint64_t /*thread_block*/, const event::started&) const {}
};

namespace detail {

// The part of a device that does not depend on policies and programs: which core gets the next thread block.
class dispatcher {
 public:
  dispatcher(std::uint64_t blocks, std::uint32_t cores) : blocks_(blocks), cores_(cores) {}
  [[nodiscard]] bool empty() const { return next_ == blocks_; }
  // The core that a thread block is offered to, first of `cores` in turn.
  [[nodiscard]] std::uint32_t offered(std::uint32_t turn) const { return (core_ + turn) % cores_; }
  // A core takes the next thread block; returns its number.
  std::uint64_t take(std::uint32_t core) {
    core_ = (core + 1) % cores_;
    return next_++;
  }

 private:
  std::uint64_t blocks_, next_ = 0;
  std::uint32_t cores_, core_ = 0;
};

// The thread blocks that are resident in a core at most: no place is made for thread blocks that never come.
inline std::uint32_t places_in(const machine& m, const grid& g, const occupancy& fit) {
  const std::uint64_t share = (g.blocks + m.core.cores - 1) / m.core.cores;
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, std::min<std::uint64_t>(fit.blocks, share)));
}

// The policy for a program: the policy itself, or what a callable makes.
template <class Source, class Program>
auto policy_for(const Source& source, [[maybe_unused]] const Program& program) {
  if constexpr (reconvergence_policy<Source>)
    return source;
  else
    return source(program);
}
// The type of the policy for the programs that `Make` makes.
template <class Source, class Make>
using policy_of_run = decltype(policy_for(std::declval<const Source&>(),
                                          std::declval<const std::invoke_result_t<Make&, std::uint32_t>&>()));

template <class Policy, class Program, class Observer, bool Pooled>
class device {
 public:
  using mask_type = typename Policy::mask_type;

  // \param source the policy, or what makes it, \param first the program of place 0; null: not made yet
  template <class Source, class Make>
  device(const Source& source, const Policy& prototype, std::unique_ptr<Program> first, Make& make, const grid& g,
         const machine& m, const occupancy& fit, const limits& limit, Observer& observer)
      : scope_(abilities_of(prototype).scope),
        memory_(m),
        observer_(&observer),
        dispatcher_(g.blocks, static_cast<std::uint32_t>(std::min<std::uint64_t>(g.blocks, m.core.cores))),
        limit_(limit),
        blocks_(g.blocks) {
    if (m.coherence.copies == copy_kind::l2)
      for (const memory_range& range : g.copied) memory_.warm(range);
    shared_.step_limit = limit.steps;
    report_.fit = fit;
    if constexpr (takes_counts) counts_at_ = observer.counts_every() == never ? never : 0;
    const std::uint32_t places = places_in(m, g, fit);
    const launch shape{g.threads, m.core.warp_width, g.entry, g.barriers, 1, false};
    for (std::uint32_t c = 0; c < m.core.cores && c < g.blocks; ++c) {
      core_type& core = cores_.emplace_back(m, c, prototype, shape, places, fit.warps_per_block, shared_, observer);
      const auto make_at = [&](std::uint32_t p) {
        return first ? std::move(first) : std::unique_ptr<Program>(new Program(make(c * places + p)));
      };
      if constexpr (Pooled) {
        auto all = std::make_unique<program_type>(shape, g.shared_bytes);
        for (std::uint32_t p = 0; p < places; ++p) all->add(make_at(p));
        core.set_program(0, std::move(all));
      } else {
        for (std::uint32_t p = 0; p < places; ++p) {
          auto program = make_at(p);
          if constexpr (!reconvergence_policy<Source>) core.set_policy(p, source(*program));
          core.set_program(p, std::move(program));
        }
      }
    }
  }

  basic_report<mask_type> run() {
    if (!cores_.empty()) dispatch(0, 0);
    for (cycle now = 0; num_ended_ < blocks_ && !stopped_;) {
      if (now > limit_.cycles) {
        stop_at_limit();
        break;
      }
      step(now);
      last_ = now;
      if (now >= counts_at_) tell_counts(now);
      const cycle next = next_event();
      SIMTFLOW_EXPECTS(next != never || num_ended_ == blocks_ || stopped_, "a device with work has a next event");
      now = std::max(now + 1, next);
    }
    if (!stopped_) drain();
    if (counts_at_ != never) tell_counts(last_);
    fill_report();
    return std::move(report_);
  }

 private:
  using program_type = std::conditional_t<Pooled, core_program<Program, mask_type>, Program>;
  using core_type = core<Policy, program_type, Observer, Pooled>;

  static constexpr bool takes_counts = std::invocable<Observer&, const memory_counted&>;

  void tell_counts([[maybe_unused]] cycle now) {
    if constexpr (takes_counts) {
      const cycle period = std::max<cycle>(1, observer_->counts_every());
      counts_at_ = (now / period + 1) * period;
      memory_counted all{now, {}, memory_.counts(), {}};
      for (const core_type& c : cores_) all.cores += c.memory_counts();
      channels_.clear();
      for (std::uint32_t c = 0; c < memory_.num_channels(); ++c) channels_.push_back(memory_.channel_counts(c));
      all.channels = channels_;
      (*observer_)(all);
    }
  }

  void step(cycle now) {
    memory_.advance(now);
    for (const std::uint32_t c : memory_.woken())
      if (c < cores_.size()) cores_[c].wake(now);
    const std::uint64_t before = num_ended_;
    for (core_type& c : cores_)
      if (c.next_event() <= now) num_ended_ += c.collect(now, memory_);
    if (num_ended_ != before) dispatch(0, now);
    for (core_type& c : cores_)
      if (c.next_event() <= now && !stopped_) {
        c.issue(now, memory_);
        if (c.stopped()) stopped_ = &c;
      }
  }

  // Gives thread blocks to the cores with places, round robin, so that their warps can issue at `now`.
  void dispatch(std::uint32_t turn, cycle now) {
    const auto n = static_cast<std::uint32_t>(cores_.size());
    while (!dispatcher_.empty() && turn < n) {
      const std::uint32_t c = dispatcher_.offered(turn);
      if (cores_[c].free_place() == cores_[c].num_places()) {
        ++turn;
        continue;
      }
      cores_[c].start_block(cores_[c].free_place(), dispatcher_.take(c), now);
      cores_[c].wake(now);
      turn = 0;
    }
  }

  // The memory finishes what the program has left it: writes on their way.
  void drain() {
    for (cycle now = last_ + 1; !memory_.idle();) {
      step(now);
      last_ = now;
      const cycle next = next_event();
      if (next == never) return;
      now = std::max(now + 1, next);
    }
  }

  [[nodiscard]] cycle next_event() const {
    cycle next = memory_.next_event();
    for (const core_type& c : cores_) next = std::min(next, c.next_event());
    return next;
  }

  void stop_at_limit() {
    report_.out_of_cycles = true;
    for (core_type& c : cores_)
      if (c.busy()) {
        c.stop_first(outcome::step_limit);
        stopped_ = &c;
        return;
      }
  }

  void fill_report() {
    for (const core_type& c : cores_) {
      report_.cycles = std::max(report_.cycles, c.ended_at());
      report_.schedulers += c.counts();
      report_.core_memory += c.memory_counts();
      c.add_pooled_work(shared_.work);
    }
    report_.thread_blocks = num_ended_;
    report_.memory = memory_.counts();
    report_.instructions = shared_.instructions;
    report_.overhead = shared_.overhead;
    report_.replays = shared_.replays;
    report_.work = shared_.work;
    report_.steps = shared_.steps;
    report_.costs = std::move(shared_.costs);
    if (stopped_) {
      report_.cycles = last_ + 1;
      report_.verdict = stopped_->verdict();
      report_.stopped_block = stopped_->stopped_block();
    }
    report_.verdict.scope = scope_;
    report_.verdict.steps = shared_.steps;
  }

  policy_scope scope_;
  memory_system memory_;
  Observer* observer_;
  dispatcher dispatcher_;
  limits limit_;
  std::uint64_t blocks_, num_ended_ = 0;  // thread blocks of the grid, and how many have ended
  cycle last_ = 0;
  cycle counts_at_ = never;            // when an observer takes the counts of the memory next
  std::vector<dram_counts> channels_;  // for such an observer
  shared_counts shared_;
  std::deque<core_type> cores_;
  core_type* stopped_ = nullptr;
  basic_report<mask_type> report_;
};

}  // namespace detail

/// Runs the thread blocks of a grid on a machine under a policy.
///
/// `policy` is a policy, or a callable that makes one for a program: one that looks up the call depths of the program's
/// threads, `[&](const auto& program) { return min_pc(ranks, program.depths()); }`. Under core scope only the program
/// of the first place is asked for.
///
/// `make(slot)` makes the program of a place for thread blocks; slots are numbered from 0, core by core. The program is
/// a timed_program over the policy's masks. For each thread block n that comes to the place, the core calls
/// select_block_number(n) and begin(shape), as far as the program has them. Programs of one run may share memory: the
/// simulation uses one host thread.
///
/// An observer is called with the number of a thread block and an event of simt/events.hpp, as the executor reports
/// them; the step counts the blocks of that thread block. event::issued comes when the first instruction of a block
/// issues. An observer can also take the events of timing/events.hpp.
///
/// \returns the report, with the verdict of the executor if a thread block does not finish; or diagnostics for an
///          impossible machine, for a thread block that does not fit into a core, and under core scope for a core that
///          holds more threads than the policy's masks.
///
/// Under a policy of core scope the thread blocks of a core share one instance, as the executor numbers their lanes. A
/// thread block joins when it comes to the core: release() of its lanes at the entry. Events then carry the number of
/// the core in place of the thread block.
/// \pre the policy's masks hold the threads of its scope, as for executor::run(); a policy of core scope is a
///      parking_policy.
/// Time: about the warp instructions times the warp slots of a scheduler, plus the policy's and the program's time.
template <class Source, class Make, class Observer = no_timed_observer>
  requires timed_program < std::invoke_result_t<Make&, std::uint32_t>,
typename detail::policy_of_run<Source, Make>::mask_type >
    [[nodiscard]] auto run(const Source& policy, Make&& make, const grid& g, const machine& m, const limits& limit = {},
                           Observer&& observer = {})
        -> result<basic_report<typename detail::policy_of_run<Source, Make>::mask_type>> {
  using policy_type = detail::policy_of_run<Source, Make>;
  using program = std::invoke_result_t<Make&, std::uint32_t>;
  static_assert(check_policy<policy_type>());
  if (diagnostics wrong = diagnose(m); !wrong.empty()) return wrong;
  result<occupancy> fit = occupancy_of(m.core, {g.threads, g.registers_per_thread, g.shared_bytes});
  if (!fit) return std::move(fit).diagnostics();
  using mask = typename policy_type::mask_type;
  const auto with = [&](const policy_type& prototype, std::unique_ptr<program> first) {
    const auto on_device = [&]<bool Pooled>(std::bool_constant<Pooled>) -> result<basic_report<mask>> {
      if (const std::uint64_t lanes = std::uint64_t{detail::places_in(m, g, *fit)} * g.threads;
          Pooled && lanes > mask::capacity)
        return diagnostics{{{},
                            "a policy of core scope manages at most " + std::to_string(mask::capacity) +
                                " threads here; a core holds " + std::to_string(lanes)}};
      detail::device<policy_type, program, std::remove_reference_t<Observer>, Pooled> device(
          policy, prototype, std::move(first), make, g, m, *fit, limit, observer);
      return device.run();
    };
    if constexpr (policy_of_run_time_abilities<policy_type>)
      if (abilities_of(prototype).scope == policy_scope::core) return on_device(std::true_type{});
    return on_device(std::bool_constant<scope_of<policy_type> == policy_scope::core>{});
  };
  if constexpr (reconvergence_policy<Source>) {
    return with(policy, nullptr);
  } else {
    std::unique_ptr<program> first(new program(make(std::uint32_t{0})));
    const policy_type prototype = policy(*first);
    return with(prototype, std::move(first));
  }
}

}  // namespace timing
}  // namespace v0
}  // namespace simtflow
