// SPDX-License-Identifier: BSL-1.0
#include "lab/timed_run.hpp"

#include "lab/device.hpp"
#include "lab/experiment.hpp"
#include "lab/files.hpp"
#include <simtflow/io/describe.hpp>
#include <simtflow/ptx/timed/timed_kernel.hpp>
#include <simtflow/simt/policy_factory.hpp>
#include <simtflow/timing/device.hpp>
#include <simtflow/timing/instruction_blocks.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace lab {

using namespace simtflow;

namespace {

/// Masks of all threads of a core.
using core_mask = basic_mask<32>;

// A kernel with a block for each instruction, and the facts about it.
struct kernel_by_instruction {
  // \param bodies may have one block more than the kernel: the entry
  kernel_by_instruction(const ptx::decoded_kernel& kernel, const csr_graph& graph, const csr_graph& bodies,
                        const schedule& plan)
      : rows(weights_of(kernel, kernel.blocks.size())),
        ways(rows.expand(graph)),
        side_by_side(timing::instruction_blocks(weights_of(kernel, bodies.num_blocks())).expand(bodies)),
        facts(ways, side_by_side, plan.order(), barriers_of(kernel), {}, plan.warp_width()) {}
  kernel_by_instruction(const kernel_by_instruction&) = delete;
  kernel_by_instruction& operator=(const kernel_by_instruction&) = delete;

  // The costs by instruction of the kernel.
  [[nodiscard]] timing::program_costs folded(const timing::program_costs& by_row,
                                             const ptx::decoded_kernel& kernel) const {
    timing::program_costs costs;
    for (block_id n = 0; n < by_row.num_blocks(); ++n)
      for (const timing::instruction_costs& row : by_row.of_block(n))
        costs.at(rows.block(n), rows.place(n), kernel.weight(rows.block(n))) = row;
    return costs;
  }

  timing::instruction_blocks rows;
  csr_graph ways, side_by_side;
  schedule facts;

 private:
  static std::vector<std::uint32_t> weights_of(const ptx::decoded_kernel& kernel, std::size_t blocks) {
    std::vector<std::uint32_t> weights(blocks, 0);
    for (block_id b = 0; b < kernel.blocks.size(); ++b) weights[b] = kernel.weight(b);
    return weights;
  }
  [[nodiscard]] std::vector<unsigned char> barriers_of(const ptx::decoded_kernel& kernel) const {
    std::vector<unsigned char> flags = kernel.barriers(), by_row;
    for (block_id n = 0; n < rows.num_blocks(); ++n)
      by_row.push_back(rows.is_last(n) ? flags[rows.block(n)] : static_cast<unsigned char>(0));
    return by_row;
  }
};

// Passes on what somebody wants to know of a run.
template <class Mask>
struct timed_watcher {
  progress_meter* progress = nullptr;
  timing::timed_trace* trace = nullptr;
  timing::branch_costs* branches = nullptr;
  const timing::instruction_blocks* rows = nullptr;  // of a run with a block for each instruction
  std::uint32_t unsaid = 0;                          // blocks that the progress meter does not know of

  void operator()(std::uint64_t /*thread_block*/, const event::issued<Mask>& e) {
    if (progress == nullptr || (rows != nullptr && rows->place(e.block) != 0) || ++unsaid < (1U << 14)) return;
    progress->count(unsaid);
    unsaid = 0;
  }
  void operator()(std::uint64_t thread_block, const event::diverged<Mask>& e) {
    if (branches == nullptr) return;
    event::diverged<Mask> of_kernel = e;
    if (rows != nullptr) of_kernel.block = rows->block(e.block);
    (*branches)(thread_block, of_kernel);
  }
  void operator()(const timing::thread_block_started& e) {
    if (branches != nullptr) (*branches)(e);
  }
  void operator()(const timing::instruction_issued<Mask>& e) {
    if (trace == nullptr && branches == nullptr) return;
    timing::instruction_issued<Mask> of_kernel = e;
    if (rows != nullptr) {
      of_kernel.block = rows->block(e.block);
      of_kernel.instruction = rows->place(e.block);
    }
    if (trace != nullptr) (*trace)(of_kernel);
    if (branches != nullptr) (*branches)(of_kernel);
  }
  void operator()(const timing::cycles_passed& e) {
    if (trace != nullptr) (*trace)(e);
  }
  void operator()(const timing::memory_counted& e) { (*trace)(e); }
  [[nodiscard]] timing::cycle counts_every() const { return trace == nullptr ? timing::never : trace->counts_every(); }
};

}  // namespace

// A watched policy has no take() of its own and would hide the box's, so the box is cut out of it.
template <class Mask>
timed_run experiment::run_timed_as(const chosen_policy& chosen, const timed_grid& how) {
  constexpr bool by_instruction = std::same_as<Mask, core_mask>;
  using kernel_type = ptx::timed_kernel<Mask>;
  using program = std::conditional_t<by_instruction, timing::instruction_granular<kernel_type, Mask>, kernel_type>;
  const ptx::decoded_kernel& kernel = file_.kernel;
  ptx::launch_config config = config_of(launch_);
  if (scope_managed(chosen) != policy_scope::warp)
    config.group_width = static_cast<std::uint32_t>(config.num_threads());
  timing::grid grid = ptx::grid_of(kernel, config, how.registers, barriers_for(chosen, conditions_.barriers));
  std::uint64_t steps = conditions_.most_blocks;
  const auto times = [&](std::uint64_t n) {
    constexpr std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
    steps = steps > all / n ? all : steps * n;
  };
  times(grid.blocks);

  timed_run result;
  result.memory = memory_;
  const std::vector<timing::memory_range> copied = ptx::copied_ranges(result.memory);
  grid.copied = copied;
  const ptx::instruction_table table(kernel);
  ptx::timed_output told;
  timed_watcher<Mask> watcher{how.progress};
  if (how.most_records != 0) watcher.trace = &result.trace.emplace(how.most_records);
  if (how.branches)
    watcher.branches = &result.branches.emplace(scope_managed(chosen), grid.threads, how.machine.core.warp_width);
  const auto run_with = [&](const auto& policy, const auto& make, const auto& block_of) {
    auto made = timing::run(policy, make, grid, how.machine, {.steps = steps}, watcher);
    if (!made) throw input_error(fmt::format("{}: {}", launch_.path, made.diagnostics().front().message));
    const basic_verdict<Mask>& verdict = made->verdict;
    result.how = verdict.how;
    if (result.how == outcome::fault)
      result.words = told.fault.describe();
    else if (result.how != outcome::finished)
      result.words = fmt::format("thread block {}: {}", made->stopped_block,
                                 describe(verdict, [&](block_id b) { return kernel.block_name(block_of(b)); }));
    result.report = std::move(static_cast<timing::report&>(*made));
  };
  if constexpr (by_instruction) {
    const kernel_by_instruction by(kernel, graph_, bodies_, plan_);
    watcher.rows = &by.rows;
    std::uint32_t longest = 1;
    for (block_id b = 0; b < kernel.blocks.size(); ++b) longest = std::max(longest, kernel.weight(b));
    times(longest);
    const auto make = [&](std::uint32_t) { return program(by.rows, table, config, result.memory, *arguments_, &told); };
    run_with(boxed_policy<Mask>(chosen, by.facts, plan_.warp_width(), grid.threads), make,
             [&](block_id n) { return by.rows.block(n); });
    result.report.costs = by.folded(result.report.costs, kernel);
  } else {
    const basic_any_policy<Mask> policy = std::get<watched_policy<Mask>>(make_policy(chosen, plan_));
    const auto policy_for = [&](const program& of) {
      if (!policy.abilities().asks_first_thread) return policy;
      plan_.set_depths(of.depths());  // the policy looks up the call depths of this program's threads
      basic_any_policy<Mask> own = std::get<watched_policy<Mask>>(make_policy(chosen, plan_));
      plan_.set_depths({});
      return own;
    };
    const auto make = [&](std::uint32_t) { return program(table, config, result.memory, *arguments_, &told); };
    run_with(policy_for, make, [](block_id b) { return b; });
  }
  return result;
}

timed_run experiment::run_timed(const chosen_policy& chosen, const timed_grid& how) {
  std::optional<timed_run> last;  // the last run, and the order that it ran in
  priority_rule order{};
  const auto run = [&] {
    if (scope_managed(chosen) == policy_scope::core)
      last = run_timed_as<core_mask>(chosen, how);
    else
      last = make_policy(chosen, plan_).index() == 0 ? run_timed_as<lane_mask>(chosen, how)
                                                     : run_timed_as<wide_mask>(chosen, how);
    order = plan_.order();
  };
  struct ending {
    outcome how;
    std::string words;
  };
  return run_in_safe_order(
      plan_, chosen, barriers_for(chosen, conditions_.barriers),
      [&] {
        run();
        return ending{last->how, last->words};
      },
      [&] {
        if (!last || order != plan_.order()) run();  // a run in this order gives the same again
        return *std::move(last);
      });
}

}  // namespace lab
