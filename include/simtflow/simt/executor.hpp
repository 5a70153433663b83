// SPDX-License-Identifier: BSL-1.0
//
// The lockstep executor: runs a program for the threads of one thread block, or of all thread blocks resident on a
// core, under a reconvergence policy.
//
// The executor owns what no policy may get wrong: which lanes are live, where each lane stands, barriers, limits, the
// verdict. Warps are consecutive threads and never span thread blocks; the last warp of a thread block may be partial.
// One instance of the policy manages a warp, a thread block or the core (policy_scope). Instances take turns of a fixed
// number of blocks, so a warp that spins on another warp's store does not hang. The turns are deterministic.
//
// How it works is in detail/lockstep.hpp.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/check_policy.hpp>
#include <simtflow/simt/detail/erased_run.hpp>
#include <simtflow/simt/detail/lockstep.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/launch.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policy.hpp>
#include <simtflow/simt/program.hpp>
#include <simtflow/simt/verdict.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace simtflow {
inline namespace v0 {

/// Runs thread blocks one after the other under copies of one policy. Keep the executor between runs: it reuses every
/// buffer.
template <class Policy>
class executor {
  static_assert(check_policy<Policy>());

 public:
  using mask_type = typename Policy::mask_type;     ///< a set of lanes of one instance of the policy
  using fragment_type = basic_fragment<mask_type>;  ///< lanes at a block
  using verdict_type = basic_verdict<mask_type>;    ///< what a run returns

  /// \param prototype each instance of the policy is a copy of the prototype; objects that it refers to must outlive
  /// the executor.
  constexpr explicit executor(Policy prototype) : machine_(std::move(prototype)) {}

  /// Runs the resident thread blocks (one, unless the launch says otherwise) from their entry to their end. First calls
  /// program.begin(shape), if the program has it (program_with_begin).
  ///
  /// The function is compiled for each program and observer, except that all callable_program share one form. So a
  /// plain callable costs an indirect call for each block and each event, and next to no compile time.
  /// \pre warp_width > 0 and resident_blocks > 0; the policy's masks hold the threads of its scope; thread_arrival, and
  ///      any barrier under a policy of wider scope than a warp, only with a parking_policy; the program sends each
  ///      lane of its group to at most one block, and no other lane.
  /// \returns the verdict; a run without threads finishes at once. A step costs the program's block plus O(distinct
  ///          places of the instance's lanes); nothing is allocated once the buffers have grown.
  template <lockstep_program<mask_type> Program, run_observer<mask_type> Observer = no_observer>
  constexpr verdict_type run(Program& program, const launch& shape, Observer&& observer = {},
                             const limits& limit = {}) {
    if constexpr (detail::is_callable_program<Program>) {
      detail::erased_program_of<mask_type, Program> any_program(program);
      detail::erased_observer_of<mask_type, std::remove_reference_t<Observer>> any_observer(observer);
      return machine_.template run<detail::erased_program<mask_type>, detail::erased_observer<mask_type>>(
          any_program, shape, any_observer, limit);
    } else {
      return machine_.run(program, shape, observer, limit);
    }
  }

 private:
  detail::lockstep<Policy> machine_;
};

namespace detail {

// A callable by reference. It can be called as const if its target can; it has remember() if its target has.
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

// True if a type is a policy, or so nearly a policy that check_policy() has a sentence about it. Other types may have
// functions called run() of their own.
template <class P>
concept meant_as_policy = reconvergence_policy<P> || requires(P& p) {
  typename P::mask_type;
  p.next();
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
// The type of a run's verdict. For a type that is no policy it is the verdict over lane_mask, so that the compiler
// reaches check_policy().
template <class Policy>
using verdict_under = typename verdict_under_policy<Policy>::type;

}  // namespace detail

/// Runs one thread block under a policy:
/// `run(policies::ipdom_stack(pdom.ipdoms()), program, {.threads = 4, .warp_width = 4})`. The program may be a plain
/// callable `(thread, block) -> block`. For many thread blocks keep an executor instead.
/// \returns the verdict: whether the run finished, or which lanes wait where.
/// \pre shape.warp_width is not 0; the policy's masks hold all lanes that it manages; barrier_model::thread_arrival
/// only for a parking_policy. Complexity: for each executed block the policy's and the program's, and O(active lanes).
/// Errors: check_policy<Policy>() explains at compile time what the policy lacks. Lanes that the policy names wrongly,
/// or loses, end the run with outcome::policy_error or lost_threads.
/// \snippet reference_test.cpp run
template <detail::meant_as_policy Policy, class Program, class Observer = no_observer>
  requires(!reconvergence_policy<Policy> || detail::runs_under<std::remove_reference_t<Program>, Policy>)
constexpr detail::verdict_under<Policy> run(Policy policy, Program&& program, const launch& shape,
                                            Observer&& observer = {}, const limits& limit = {}) {
  static_assert(check_policy<Policy>());
  if constexpr (!reconvergence_policy<Policy>)
    return {};  // check_policy() has named what is missing
  else {
    executor<Policy> machine(std::move(policy));
    if constexpr (lockstep_program<std::remove_reference_t<Program>, typename Policy::mask_type>) {
      return machine.run(program, shape, observer, limit);
    } else {
      callable_program steps(detail::step_reference<std::remove_reference_t<Program>>{&program});
      return machine.run(steps, shape, observer, limit);
    }
  }
}

}  // namespace v0
}  // namespace simtflow
