// SPDX-License-Identifier: BSL-1.0
//
// The rounds, turns and steps of a run; executor.hpp says what they mean. Other headers hold the parts: the state of
// the run in session.hpp, threads and instances in instances.hpp, barriers in barrier_book.hpp, the proof of a livelock
// in brent.hpp, the verdict on a run that ends early in standing.hpp.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/simt/detail/brent.hpp>
#include <simtflow/simt/detail/instances.hpp>
#include <simtflow/simt/detail/session.hpp>
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

  constexpr explicit lockstep(Policy prototype) : session_(std::move(prototype)) {}

  template <class Program, class Observer>
  constexpr verdict_type run(Program& program, const launch& shape, Observer& observer, const limits& limit) {
    proves_ = limit.detect_livelock && can_compare();
    session_.start(program, shape, proves_, observer);
    livelock_.start();
    for (;;)
      if (std::optional<verdict_type> end = round(program, observer, limit)) return *std::move(end);
  }

  // For users that run rounds themselves, because several runs take turns: puts all threads at the entry.
  // \param detecting true if the user will look for livelocks, with remember().
  template <class Program, class Observer>
  constexpr void start(Program& program, const launch& shape, bool detecting, Observer& observer) {
    proves_ = false;
    session_.start(program, shape, detecting, observer);
  }

  // Gives each instance a turn. Returns the verdict if the run has ended.
  template <class Program, class Observer>
  constexpr std::optional<verdict_type> round(Program& program, Observer& observer, const limits& limit) {
    const std::span<warp> all = session_.crew().all();
    bool ran = false;
    std::size_t done = 0;
    for (warp& me : all) {
      if constexpr (can_gather<Program>)
        if (me.comes) session_.gather(me, program);
      if (limit.give_up != nullptr && limit.give_up(limit.asked)) return session_.verdict(outcome::step_limit);
      for (std::uint32_t turn = 0; turn < blocks_per_turn && me.state == instance_state::runs; ++turn) {
        if (session_.steps() == limit.steps) return session_.verdict(outcome::step_limit);
        const step_end end = step(me, program, observer);
        if (end != step_end::moved) {
          const auto problem = session_.settle(end, me, out_.fragments(), program, observer);
          if (problem) return session_.verdict(*problem);
        }
        ran = true;
        if constexpr (comparable_policy<Policy> && program_with_memory<Program>)
          if (proves_ &&
              livelock_.state_came_back(session_.crew(), session_.book(), me.index, turn, session_.steps(), program))
            return in_livelock();
      }
      if (me.state == instance_state::done) ++done;
    }
    if (session_.book().changed() && session_.open_barriers(observer)) return std::nullopt;
    if (done == all.size()) return session_.finish(observer);
    if (!ran && !session_.look_again(program) && !session_.let_go()) return session_.verdict(session_.stuck());
    return std::nullopt;
  }

  // True if states of the policy can be compared, so that a livelock can be proven.
  [[nodiscard]] constexpr bool can_compare() const { return abilities_of(session_.crew().prototype()).comparable; }
  // Between two rounds: notes the state of the run, without the program's.
  constexpr void remember() { livelock_.note(session_.crew(), session_.book(), 0, 0, session_.steps()); }
  // Whether it is that again. \pre the run has threads.
  [[nodiscard]] constexpr bool as_remembered() const {
    return livelock_.is_noted_state(session_.crew(), session_.book(), 0, 0);
  }
  // The verdict on a run that the user ends. If it is a livelock, the state has come back since remember().
  [[nodiscard]] constexpr verdict_type verdict(outcome how) const {
    return how == outcome::livelock ? in_livelock() : session_.verdict(how);
  }

 private:
  using warp = instance<Policy>;  // the policy may have a wider scope

  static constexpr std::uint32_t blocks_per_turn = 64;

  template <class Program>
  static constexpr bool can_gather = session<Policy>::template can_gather<Program>;

  // Runs one block: most steps do no more, and settle() does the rest.
  template <class Program, class Observer>
  [[gnu::always_inline]] constexpr step_end step(warp& me, Program& program, Observer& observer) {
    const std::optional<fragment_type> chosen = me.policy.next();
    if (!chosen) return step_end::nothing_named;
    const fragment_type f = *chosen;
    const std::uint32_t groups = session_.choose(me, f);
    if (groups == 0) return step_end::wrongly_named;
    if constexpr (can_gather<Program>)
      if (me.inside.any() && (me.inside & f.lanes).any()) return go_on_inside(me, f, program, observer);

    session_.report_issue(me, f, groups, program, observer);
    out_.clear();
    const block_end end = program.run(f.block, basic_group<mask_type>{me.index, me.first_thread, f.lanes}, out_);
    session_.count_step();
    report_predicated_off(me, f, program, observer);
    return session_.ended(end, me, f, out_.fragments(), observer);
  }

  // Runs the rest of a block in which lanes stopped at a collective: no new block, so nothing is counted.
  template <class Program, class Observer>
  [[gnu::noinline]] constexpr step_end go_on_inside(warp& me, const fragment_type& f, Program& program,
                                                    Observer& observer) {
    SIMTFLOW_EXPECTS(f.lanes.is_subset_of(me.inside), "a policy that never joins groups keeps lanes of a block apart");
    me.inside -= f.lanes;
    out_.clear();
    const block_end end = program.resume(f.block, basic_group<mask_type>{me.index, me.first_thread, f.lanes}, out_);
    report_predicated_off(me, f, program, observer);
    return session_.ended(end, me, f, out_.fragments(), observer);
  }

  template <class Program, class Observer>
  [[gnu::always_inline]] constexpr void report_predicated_off(const warp& me, const fragment_type& f,
                                                              [[maybe_unused]] Program& program,
                                                              Observer& observer) const {
    if constexpr (std::invocable<Observer&, const event::predicated_off<mask_type>&> &&
                  predicated_program<Program, mask_type>)
      for (const basic_predicated_off<mask_type>& p : program.predicated_off())
        observer(event::predicated_off<mask_type>{session_.steps() - 1, me.index, f.block, p.instruction, p.lanes});
  }

  constexpr verdict_type in_livelock() const {
    verdict_type v = session_.verdict(outcome::livelock);
    v.period = session_.steps() - livelock_.noted_step();
    return v;
  }

  session<Policy> session_;
  livelock_proof<Policy> livelock_;
  basic_partition<mask_type> out_;
  bool proves_ = false;  // true if the run looks for livelocks itself
};

}  // namespace detail
}  // namespace v0
}  // namespace simtflow
