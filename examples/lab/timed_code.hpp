// SPDX-License-Identifier: BSL-1.0
//
// The common part of timed runs of kernels and of traces: masks as wide as the policy's scope, a block for each
// instruction where a policy manages the threads of a core, and call depths for policies that look them up.
#pragma once

#include "lab/files.hpp"
#include "lab/policies.hpp"
#include "lab/schedule.hpp"
#include "lab/timed_run.hpp"
#include <simtflow/io/describe.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/policy_factory.hpp>
#include <simtflow/timing/branch_costs.hpp>
#include <simtflow/timing/device.hpp>
#include <simtflow/timing/events.hpp>
#include <simtflow/timing/instruction_blocks.hpp>
#include <simtflow/timing/timed_trace.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace lab {

/// Masks of all threads of a core.
using core_mask = simtflow::basic_mask<32>;

/// Code that is timed, whatever the program is, and how it is run.
struct timed_code {
  std::vector<std::uint32_t> weights;   ///< by block of `graph`
  std::vector<unsigned char> barriers;  ///< by block of `graph`
  const simtflow::csr_graph& graph;     ///< the ways of threads
  const simtflow::csr_graph& bodies;    ///< functions side by side; it may have one block more: the entry
  schedule& plan;
  simtflow::timing::grid grid;
  std::uint64_t most_blocks;  ///< that one thread block may execute
  const std::string& path;    ///< of the file that is to blame for an impossible shape
};

/// The code with a block for each instruction, and the facts about it.
struct code_by_instruction {
  explicit code_by_instruction(const timed_code& code)
      : rows(code.weights),
        ways(rows.expand(code.graph)),
        side_by_side(
            simtflow::timing::instruction_blocks(weights_of(code, code.bodies.num_blocks())).expand(code.bodies)),
        facts(ways, side_by_side, code.plan.order(), barriers_of(code), {}, code.plan.warp_width()) {}
  code_by_instruction(const code_by_instruction&) = delete;
  code_by_instruction& operator=(const code_by_instruction&) = delete;

  /// The costs by instruction of the code.
  [[nodiscard]] simtflow::timing::program_costs folded(const simtflow::timing::program_costs& by_row,
                                                       const timed_code& code) const {
    simtflow::timing::program_costs costs;
    for (simtflow::block_id n = 0; n < by_row.num_blocks(); ++n)
      for (const simtflow::timing::instruction_costs& row : by_row.of_block(n))
        costs.at(rows.block(n), rows.place(n), code.weights[rows.block(n)]) = row;
    return costs;
  }

  simtflow::timing::instruction_blocks rows;
  simtflow::csr_graph ways, side_by_side;
  schedule facts;

 private:
  static std::vector<std::uint32_t> weights_of(const timed_code& code, std::size_t blocks) {
    std::vector<std::uint32_t> weights = code.weights;
    weights.resize(blocks, 0);
    return weights;
  }
  [[nodiscard]] std::vector<unsigned char> barriers_of(const timed_code& code) const {
    std::vector<unsigned char> by_row;
    for (simtflow::block_id n = 0; n < rows.num_blocks(); ++n)
      by_row.push_back(rows.is_last(n) ? code.barriers[rows.block(n)] : static_cast<unsigned char>(0));
    return by_row;
  }
};

/// Passes on what somebody wants to know of a run.
template <class Mask>
struct timed_watcher {
  progress_meter* progress = nullptr;
  simtflow::timing::timed_trace* trace = nullptr;
  simtflow::timing::branch_costs* branches = nullptr;
  const simtflow::timing::instruction_blocks* rows = nullptr;  // of a run with a block for each instruction
  std::uint32_t unsaid = 0;                                    // blocks that the progress meter does not know of

  void operator()(std::uint64_t number, const simtflow::event::issued<Mask>& e) {
    if (branches != nullptr) (*branches)(number, e);
    if (progress == nullptr || (rows != nullptr && rows->place(e.block) != 0) || ++unsaid < (1U << 14)) return;
    progress->count(unsaid);
    unsaid = 0;
  }
  template <class Event>
    requires std::invocable<simtflow::timing::branch_costs&, std::uint64_t, const Event&>
  void operator()(std::uint64_t number, const Event& e) {
    if (branches != nullptr) (*branches)(number, e);
  }
  void operator()(const simtflow::timing::thread_block_started& e) {
    if (branches != nullptr) (*branches)(e);
  }
  void operator()(const simtflow::timing::instruction_issued<Mask>& e) {
    if (branches != nullptr) (*branches)(e);
    if (trace == nullptr) return;
    simtflow::timing::instruction_issued<Mask> of_kernel = e;
    if (rows != nullptr) {
      of_kernel.block = rows->block(e.block);
      of_kernel.instruction = rows->place(e.block);
    }
    (*trace)(of_kernel);
  }
  void operator()(const simtflow::timing::cycles_passed& e) {
    if (trace != nullptr) (*trace)(e);
  }
  void operator()(const simtflow::timing::memory_counted& e) { (*trace)(e); }
  [[nodiscard]] simtflow::timing::cycle counts_every() const {
    return trace == nullptr ? simtflow::timing::never : trace->counts_every();
  }
};

/// Runs programs of type Program over masks of type Mask. make(type, arguments...) makes a program of the type that it
/// is given, which takes the arguments before its own; name(b, at_end) names a block
/// where lanes stand, as describe() asks for it.
template <class Mask, class Program, class Make, class Name>
timed_run run_on_machine(const chosen_policy& chosen, const timed_code& code, const timed_grid& how, const Make& make,
                         const Name& name) {
  using namespace simtflow;
  std::uint64_t steps = code.most_blocks;
  const auto times = [&](std::uint64_t n) {
    constexpr std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
    steps = steps > all / n ? all : steps * n;
  };
  times(std::max<std::uint64_t>(1, code.grid.blocks));
  timed_run result;
  timed_watcher<Mask> watcher{how.progress};
  if (how.most_records != 0) watcher.trace = &result.trace.emplace(how.most_records);
  const auto run_with = [&](const auto& policy, const auto& make_program, const auto& block_of) {
    auto made = timing::run(policy, make_program, code.grid, how.machine, {.steps = steps}, watcher);
    if (!made) throw input_error(fmt::format("{}: {}", code.path, made.diagnostics().front().message));
    const basic_verdict<Mask>& verdict = made->verdict;
    result.how = verdict.how;
    if (result.how != outcome::finished)
      result.words = fmt::format("thread block {}: {}", made->stopped_block,
                                 describe(verdict, [&](block_id b, bool at_end) { return name(block_of(b), at_end); }));
    result.report = std::move(static_cast<timing::report&>(*made));
  };
  if constexpr (std::same_as<Mask, core_mask>) {
    using granular = timing::instruction_granular<Program, Mask>;
    const code_by_instruction by(code);
    watcher.rows = &by.rows;
    if (how.branches) watcher.branches = &result.branches.emplace(policy_scope::core, &by.rows);
    std::uint32_t longest = 1;
    for (const std::uint32_t weight : code.weights) longest = std::max(longest, weight);
    times(longest);
    run_with(
        boxed_policy<Mask>(chosen, by.facts, code.plan.warp_width(), code.grid.threads),
        [&](std::uint32_t) { return make(std::type_identity<granular>(), by.rows); },
        [&](block_id n) { return by.rows.block(n); });
    result.report.costs = by.folded(result.report.costs, code);
  } else {
    if (how.branches) watcher.branches = &result.branches.emplace(scope_managed(chosen));
    // A watched policy has no take() of its own and would hide the box's, so the box is cut out of it.
    const basic_any_policy<Mask> policy = std::get<watched_policy<Mask>>(make_policy(chosen, code.plan));
    const auto policy_for = [&](const Program& of) {
      if (!policy.abilities().asks_first_thread) return policy;
      code.plan.set_depths(of.depths());  // the policy looks up the call depths of this program's threads
      basic_any_policy<Mask> own = std::get<watched_policy<Mask>>(make_policy(chosen, code.plan));
      code.plan.set_depths({});
      return own;
    };
    run_with(
        policy_for, [&](std::uint32_t) { return make(std::type_identity<Program>()); }, [](block_id b) { return b; });
  }
  return result;
}

/// Calls run(mask) with a mask that is wide enough for the policy and no wider.
template <class Run>
timed_run with_mask_of(const chosen_policy& chosen, const schedule& plan, const Run& run) {
  if (scope_managed(chosen) == simtflow::policy_scope::core) return run(core_mask{});
  return make_policy(chosen, plan).index() == 0 ? run(simtflow::lane_mask{}) : run(wide_mask{});
}

}  // namespace lab
