// SPDX-License-Identifier: BSL-1.0
//
// Runs of launches on a machine. A policy of core scope sees a block for each instruction.
#pragma once

#include <simtflow/config.hpp>
#include <simtflow/cuda/kernel_runner.hpp>
#include <simtflow/ptx/timed/instruction_table.hpp>
#include <simtflow/ptx/timed/timed_kernel.hpp>
#include <simtflow/simt/any_policy.hpp>
#include <simtflow/simt/events.hpp>
#include <simtflow/simt/mask.hpp>
#include <simtflow/simt/policy_factory.hpp>
#include <simtflow/timing/branch_costs.hpp>
#include <simtflow/timing/device.hpp>
#include <simtflow/timing/instruction_blocks.hpp>

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace simtflow {
inline namespace v0 {
namespace cuda {
namespace detail {

// Masks of all threads of a core.
using core_mask = basic_mask<32>;

// A kernel that faults when somebody wants the run to end.
template <class Mask>
class stoppable_kernel : public ptx::timed_kernel<Mask> {
 public:
  stoppable_kernel(const std::atomic<bool>* stop, const ptx::instruction_table& table, const ptx::launch_config& launch,
                   ptx::device_memory& memory, const ptx::arguments& args, ptx::timed_output* told)
      : ptx::timed_kernel<Mask>(table, launch, memory, args, told), stop_(stop) {}
  block_end issue(block_id b, std::uint32_t i, const basic_group<Mask>& g, basic_partition<Mask>& out,
                  timing::issue_effect<Mask>& effect) {
    if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) return block_end::fault;
    return ptx::timed_kernel<Mask>::issue(b, i, g, out, effect);
  }

 private:
  const std::atomic<bool>* stop_;
};

// Counts the events of a timed run that its report does not; with costs also what branches cost.
template <class Mask>
struct timed_counter {
  simtflow::counts* to;
  timing::branch_costs* costs = nullptr;
  void operator()(std::uint64_t number, const event::issued<Mask>& e) const {
    if (costs != nullptr) (*costs)(number, e);
    ++to->fetches;
    to->thread_slots += std::uint64_t{e.weight} * e.threads;
    to->merges += e.groups - 1;
    if (e.depth > to->max_depth) to->max_depth = e.depth;
  }
  void operator()(std::uint64_t number, const event::diverged<Mask>& e) const {
    if (costs != nullptr) (*costs)(number, e);
    ++to->divergent_branches;
  }
  void operator()(std::uint64_t number, const event::waits<Mask>& e) const {
    if (costs != nullptr) (*costs)(number, e);
    ++to->barrier_waits;
  }
  template <class Event>
    requires std::invocable<timing::branch_costs&, std::uint64_t, const Event&>
  void operator()(std::uint64_t number, const Event& e) const {
    if (costs != nullptr) (*costs)(number, e);
  }
  template <class Event>
    requires std::invocable<timing::branch_costs&, const Event&>
  void operator()(const Event& e) const {
    if (costs != nullptr) (*costs)(e);
  }
};

// The code with a block for each instruction, and the facts about it.
class code_by_instruction {
 public:
  explicit code_by_instruction(const runnable_kernel& k, policy_facts& of_blocks)
      : rows_(k.weights()),
        ways_(rows_.expand(k.graph())),
        bodies_(timing::instruction_blocks(weights_of(k)).expand(k.bodies())),
        barriers_(barriers_of(k)),
        facts_(ways_, {.bodies = &bodies_, .order = of_blocks.order(), .barriers = barriers_}) {}
  code_by_instruction(const code_by_instruction&) = delete;
  code_by_instruction& operator=(const code_by_instruction&) = delete;
  [[nodiscard]] const timing::instruction_blocks& rows() const { return rows_; }
  [[nodiscard]] const policy_facts& facts() const { return facts_; }

 private:
  static std::vector<std::uint32_t> weights_of(const runnable_kernel& k) {
    std::vector<std::uint32_t> weights = k.weights();
    weights.resize(k.bodies().num_blocks(), 0);
    return weights;
  }
  [[nodiscard]] std::vector<unsigned char> barriers_of(const runnable_kernel& k) const {
    std::vector<unsigned char> by_row;
    for (block_id n = 0; n < rows_.num_blocks(); ++n)
      by_row.push_back(rows_.is_last(n) ? k.barriers()[rows_.block(n)] : static_cast<unsigned char>(0));
    return by_row;
  }

  timing::instruction_blocks rows_;
  csr_graph ways_, bodies_;
  std::vector<unsigned char> barriers_;
  policy_facts facts_;
};

template <class Mask>
run_result run_timed_as(runnable_kernel& kernel, const ptx::launch_config& config, ptx::device_memory& memory,
                        const ptx::arguments& args, const run_conditions& how) {
  const ptx::decoded_kernel& code = kernel.code();
  const std::vector<timing::memory_range> copied = ptx::copied_ranges(memory);
  timing::grid grid = ptx::grid_of(code, config, how.registers, how.policy->info->barriers);
  grid.copied = copied;
  const ptx::instruction_table table(code);
  ptx::timed_output told;
  run_result result;
  const auto limit_of = [&](std::uint64_t factor) {
    const std::uint64_t all = (std::numeric_limits<std::uint64_t>::max)();
    std::uint64_t steps = how.steps;
    for (const std::uint64_t n : {(std::max<std::uint64_t>)(1, grid.blocks), factor})
      steps = steps > all / n ? all : steps * n;
    return timing::limits{.steps = steps};
  };
  const auto take = [&](auto&& made) {
    if (!made) {
      result.how = outcome::policy_error;
      result.words =
          "kernel '" + code.name + "' on machine " + how.machine->name + ": " + made.diagnostics().front().message;
      return;
    }
    result.how = made->verdict.how;
    result.cycles = made->cycles;
    result.steps = made->steps;
    result.thread_block = made->stopped_block;
    result.counts.warp_instructions = made->instructions;
    result.counts.overhead_operations = made->overhead;
    result.counts.thread_blocks = made->thread_blocks;
    for (block_id b = 0; b < made->costs.num_blocks(); ++b)
      for (const timing::instruction_costs& row : made->costs.of_block(b)) {
        result.counts.thread_instructions += row.lanes;
        result.counts.predicated_off += row.predicated_off;
      }
    result.counts.lane_slots = made->instructions * config.warp_width;
  };
  timed_counter<Mask> counter{&result.counts};
  using program = stoppable_kernel<Mask>;
  if constexpr (std::same_as<Mask, core_mask>) {
    using granular = timing::instruction_granular<program, Mask>;
    const code_by_instruction by(kernel, kernel.facts());
    if (how.profile) counter.costs = &result.costs.emplace(policy_scope::core, &by.rows());
    std::uint32_t longest = 1;
    for (const std::uint32_t weight : kernel.weights()) longest = (std::max)(longest, weight);
    take(timing::run(
        boxed_policy<Mask>(*how.policy, by.facts(), config.warp_width, grid.threads),
        [&](std::uint32_t) { return granular(by.rows(), how.stop, table, config, memory, args, &told); }, grid,
        *how.machine, limit_of(longest), counter));
  } else {
    if (how.profile) counter.costs = &result.costs.emplace(abilities_of(*how.policy).scope);
    const auto make_policy_for = [&](const program& of) {
      kernel.facts().set_depths(of.depths());
      basic_any_policy<Mask> policy = boxed_policy<Mask>(*how.policy, kernel.facts(), config.warp_width);
      kernel.facts().set_depths({});
      return policy;
    };
    take(timing::run(
        make_policy_for, [&](std::uint32_t) { return program(how.stop, table, config, memory, args, &told); }, grid,
        *how.machine, limit_of(1), counter));
  }
  std::vector<ptx::printed_text> texts = told.output.take_texts();
  std::stable_sort(texts.begin(), texts.end(), [](const ptx::printed_text& a, const ptx::printed_text& b) {
    return a.thread_block < b.thread_block;
  });
  for (const ptx::printed_text& p : texts) result.printed += p.text;
  result.lost_output = told.output.cut();
  if (result.how == outcome::finished) return result;
  if (how.stop != nullptr && how.stop->load(std::memory_order_relaxed)) {
    result.how = outcome::step_limit;
    result.stopped = true;
  }
  if (result.how == outcome::fault) {
    result.words = told.fault.describe();
    result.where = told.fault.where;
    result.fault = std::move(told.fault);
  } else if (result.words.empty()) {
    result.words = "kernel '" + code.name + "', thread block " + std::to_string(result.thread_block);
    if (!result.stopped) result.words += std::string(": ") + to_string(result.how);
  }
  return result;
}

SIMTFLOW_INLINE run_result run_timed(runnable_kernel& kernel, const ptx::launch_config& config,
                                     ptx::device_memory& memory, const ptx::arguments& args,
                                     const run_conditions& how) {
  const policy_scope scope = abilities_of(*how.policy).scope;
  if (scope == policy_scope::core) return run_timed_as<core_mask>(kernel, config, memory, args, how);
  if (scope == policy_scope::warp && config.warp_width <= lane_mask::capacity)
    return run_timed_as<lane_mask>(kernel, config, memory, args, how);
  return run_timed_as<basic_mask<16>>(kernel, config, memory, args, how);
}

}  // namespace detail
}  // namespace cuda
}  // namespace v0
}  // namespace simtflow
